//! Integration tests of carom-math.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod clock;
mod eigen;
mod exact_number;
mod numbers;
mod pose;
mod predicates;
mod roots;
mod rotation;
mod splitmix;
