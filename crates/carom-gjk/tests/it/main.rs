//! Integration tests of carom-gjk.

mod cloud;
mod polytopes;
mod rng;
mod truth;
