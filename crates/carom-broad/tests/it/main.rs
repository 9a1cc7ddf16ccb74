//! Tests of carom-broad.
#![allow(clippy::unwrap_used)]

mod brute_force;
mod ray_box;
