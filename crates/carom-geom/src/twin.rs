//! The `f64` version of the crate root: the same kernels with another name table.

#[path = "kernel/mod.rs"]
mod kernel;
#[path = "num_f64.rs"]
mod num;

pub use crate::plane_side::PlaneSide;
pub use crate::wide_hull::HalfEdge;
pub use kernel::*;
