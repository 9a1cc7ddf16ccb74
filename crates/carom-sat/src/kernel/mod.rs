//! Compiled for `f32` and again for `f64`: only names from `num`, no casts.

pub mod box_box;
mod manifold;

pub use manifold::{Witness, manifold_from_normal};
