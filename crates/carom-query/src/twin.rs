//! The `f64` twin of the crate root: the same kernels with another name table.

#[path = "kernel/mod.rs"]
mod kernel;
#[path = "num_f64.rs"]
mod num;

pub use crate::manifold_cache::ManifoldCache;
pub use crate::point_cloud::PointCloudError;
pub use crate::ray_depth::{RayDepthCache, RayDepthCounters, RayDepthSettings};
pub use crate::self_intersection::{SelfIntersection, intersection_curves, self_intersections};
pub use crate::voxel_boxes::{VoxelBox, VoxelsError};
pub use kernel::*;
