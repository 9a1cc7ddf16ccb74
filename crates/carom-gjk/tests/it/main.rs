//! Integration tests of carom-gjk.

mod cloud;
mod polytopes;
mod regression;
mod rng;
mod truth;
