//! Integration tests of carom-sat.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod box_box;
mod from_normal;
mod hull_hull;
