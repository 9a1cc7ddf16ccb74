//! The questions about pairs, asked in `f64`.

#[path = "num_f64.rs"]
mod num;
// The conversions are those of the other twin.
#[allow(clippy::useless_conversion)]
#[path = "tables.rs"]
mod tables_text;
#[allow(clippy::useless_conversion)]
#[path = "pairs.rs"]
mod text;

pub use tables_text::tables;
pub use text::pairs;
