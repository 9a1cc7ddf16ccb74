//! Integration tests of carom-math.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod eigen;
mod numbers;
mod pose;
mod predicates;
mod roots;
