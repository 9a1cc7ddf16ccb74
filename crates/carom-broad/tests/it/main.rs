//! Tests of carom-broad.

mod brute_force;
mod ray_box;
