//! Compiled for `f32` and again for `f64`: only names from `num`, no casts.

mod plane;
mod pose;
mod ray;

pub use plane::Plane;
pub use pose::{Pose, PoseError};
pub use ray::{Interval, Ray};
