//! Integration tests of carom-sat.

mod box_box;
mod from_normal;
mod hull_hull;
