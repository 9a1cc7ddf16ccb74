//! Compiled for `f32` and again for `f64`: only names from `num`, no casts.

mod eigen;
mod plane;
mod pose;
mod ray;
mod roots;
pub mod rotation;
mod world;

pub use eigen::{Eigen, symmetric_eigen};
pub use plane::Plane;
pub use pose::{Pose, PoseError};
pub use ray::{Interval, Ray};
pub use roots::{Roots, quadratic};
pub use world::WorldPose;
