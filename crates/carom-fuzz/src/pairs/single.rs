//! The questions about pairs, asked in `f32`.

#[path = "num.rs"]
mod num;
#[path = "pairs.rs"]
mod text;

pub use text::pairs;
