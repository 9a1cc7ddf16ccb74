//! Tests of carom-broad.
#![allow(clippy::unwrap_used)]

mod brute_force;
mod by_hand;
mod canonical;
mod point_filter;
mod ray_box;
