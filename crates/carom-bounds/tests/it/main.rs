//! Integration tests of carom-bounds.
#![allow(clippy::unwrap_used)]

mod aabb;
mod conform;
mod contain;
mod distance;
mod fits;
mod frustum;
mod kdop_turn;
mod obb;
mod packet;
mod shaft;
mod sphere;
