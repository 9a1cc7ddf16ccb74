//! Compiled for `f32` and again for `f64`: only names from `num`, no casts.

mod answer;
mod compound;
mod convex;
mod dispatch;
mod half_space;
mod height_field_shape;
mod inside;
mod internal_edges;
mod manifolds;
mod mass;
mod mesh_convex;
mod mesh_mesh;
mod mesh_shape;
mod mesh_timed;
mod pair;
mod point;
mod ray;
mod ray_batch;
mod round_pair;
mod rounded;
mod shape;
mod special;

pub use answer::{Distance, PairContact};
pub use compound::{Compound, CompoundError, CompoundPart};
pub use height_field_shape::{HeightFieldShape, HeightFieldShapeError};
pub use inside::{placement, winding_number};
pub use internal_edges::{Neighbour, smooth_internal_edges};
pub use manifolds::{ManifoldCache, manifolds, manifolds_with};
pub use mesh_shape::MeshShape;
pub use mesh_timed::{MeshPair, TimedMeshAnswer, TimedMeshContact, TimedMeshError, TimedMeshes};
pub use pair::{contact, contact_with, distance, distance_with, intersects, triangle_pairs};
pub use point::project_point;
pub use ray::{ray_cast, ray_cast_all, ray_crossings};
pub use ray_batch::ray_cast_batch;
pub use rounded::{ConvexShape, NotConvex, RoundedShape};
pub use shape::{Shape, UserShape};
