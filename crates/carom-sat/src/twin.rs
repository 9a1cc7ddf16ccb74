//! The `f64` twin of the crate root: the same kernels over another table of types.

#[path = "kernel/mod.rs"]
mod kernel;
#[path = "num_f64.rs"]
mod num;

pub use crate::feature_walk;
pub use crate::gauss_map::HullAxis;
pub use crate::reduce::Chosen;
pub use kernel::*;
