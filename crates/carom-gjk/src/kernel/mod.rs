//! This module is compiled for `f32` and again for `f64`. It uses only the types of `num`, and no
//! casts.

mod distance;

pub use distance::{
    Distance, Intersection, SignedDistance, contact, distance, intersects, penetration, signed_distance,
};
