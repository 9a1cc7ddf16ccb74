//! Integration tests of carom-sat.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::std_instead_of_core)]

mod box_box;
mod from_normal;
mod hull_hull;
mod invariants;
