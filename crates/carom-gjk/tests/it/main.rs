//! Integration tests of carom-gjk.
#![allow(clippy::unwrap_used)]
// Numbers stand as they were published.
#![allow(clippy::excessive_precision)]

mod cloud;
mod curved;
mod hulls;
mod invariants;
mod nearest;
mod polytopes;
mod published;
mod real_bodies;
mod regression;
mod rng;
mod thin;
mod total;
mod truth;
