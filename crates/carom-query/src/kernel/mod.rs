//! Compiled for `f32` and again for `f64`: only names from `num`, no casts.

mod answer;
mod compound;
mod convex;
mod dispatch;
mod half_space;
mod manifolds;
mod mesh_convex;
mod mesh_mesh;
mod mesh_shape;
mod pair;
mod shape;

pub use answer::{Distance, PairContact};
pub use compound::{Compound, CompoundError, CompoundPart};
pub use manifolds::{ManifoldCache, manifolds};
pub use mesh_shape::MeshShape;
pub use pair::{contact, distance, intersects, triangle_pairs};
pub use shape::{Shape, UserShape};
