//! The questions about pairs, asked in `f64`.

#[path = "num_f64.rs"]
mod num;
#[path = "pairs.rs"]
mod text;

pub use text::pairs;
