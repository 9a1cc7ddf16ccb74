//! Integration tests of carom-bvh.
#![allow(clippy::unwrap_used)]

mod adaptive;
mod anytime;
mod conform;
mod descent;
mod edited;
mod invariance;
mod lazy;
mod methods;
mod moving_box;
mod nodes;
mod own_axes;
mod proximity;
mod query_driven;
mod real;
mod refit;
mod renumber;
#[cfg(feature = "parallel")]
mod threads;
