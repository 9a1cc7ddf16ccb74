//! Integration tests of carom-bvh.
#![allow(clippy::unwrap_used)]

mod conform;
mod edited;
mod invariance;
mod methods;
mod refit;
