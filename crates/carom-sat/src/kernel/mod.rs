//! This module is compiled for `f32` and again for `f64`. It only converts, by the types and
//! functions of `num`.

pub mod box_box;
pub mod box_depth;
pub mod hull_hull;
mod manifold;

pub use manifold::{Witness, manifold_along, manifold_from_normal, manifold_from_normal_with};
