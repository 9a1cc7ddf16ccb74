//! Compiled for `f32` and again for `f64`. It uses only the types of `num`, and no casts.

pub mod box_box;
pub mod box_depth;
pub mod feature_walk;
mod few_vertices;
mod gauss_map;
pub mod hull_hull;
mod manifold;
mod placed_box;

pub use gauss_map::HullAxis;
pub use manifold::{Witness, manifold_along, manifold_from_normal, manifold_from_normal_with};
