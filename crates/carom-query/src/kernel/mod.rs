//! Compiled for `f32` and again for `f64`: only names from `num`, no casts.

mod answer;
mod compound;
mod convex;
mod dispatch;
mod half_space;
mod manifolds;
mod pair;
mod shape;

pub use answer::{Distance, PairContact};
pub use compound::{Compound, CompoundError, CompoundPart};
pub use manifolds::{ManifoldCache, manifolds};
pub use pair::{contact, distance, intersects};
pub use shape::{Shape, UserShape};
