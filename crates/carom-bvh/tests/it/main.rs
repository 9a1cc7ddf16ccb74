//! Integration tests of carom-bvh.
#![allow(clippy::unwrap_used)]

mod by_use;
mod conform;
mod descent;
mod edited;
mod invariance;
mod lazy;
mod methods;
mod moving_box;
mod nodes;
mod own_axes;
mod places;
mod real;
mod refit;
mod renumber;
#[cfg(feature = "parallel")]
mod threads;
mod timed;
mod watched;
