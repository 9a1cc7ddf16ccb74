//! Integration tests of carom-bounds.
#![allow(clippy::unwrap_used)]

mod aabb;
mod conform;
mod contain;
mod obb;
mod packet;
mod sphere;
