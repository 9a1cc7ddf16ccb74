//! Integration tests of carom-sat.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::std_instead_of_core)]
#![allow(clippy::duplicate_mod)] // The invariants are asked in both precisions from one text.

mod box_box;
mod box_depth;
mod chosen;
mod counters;
mod feature_walk;
mod from_normal;
mod hull_hull;
mod invariants;
