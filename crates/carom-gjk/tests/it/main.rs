//! Integration tests of carom-gjk.

mod cloud;
mod curved;
mod hulls;
mod polytopes;
mod published;
mod regression;
mod rng;
mod truth;
