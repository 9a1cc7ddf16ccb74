//! The questions about pairs, asked in `f32`.

#[path = "num.rs"]
mod num;
#[path = "tables.rs"]
mod tables_text;
#[path = "pairs.rs"]
mod text;

pub use tables_text::tables;
pub use text::pairs;
