//! Integration tests of carom-gjk.
#![allow(clippy::unwrap_used)]

mod cloud;
mod curved;
mod hulls;
mod polytopes;
mod published;
mod regression;
mod rng;
mod truth;
