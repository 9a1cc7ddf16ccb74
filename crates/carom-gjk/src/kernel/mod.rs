//! Compiled for `f32` and again for `f64`: only names from `num`, no casts.

mod distance;

pub use distance::{
    Distance, Intersection, SignedDistance, contact, distance, intersects, penetration, signed_distance,
};
