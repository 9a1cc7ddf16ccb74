//! Integration tests of carom-math.

mod eigen;
mod numbers;
mod pose;
mod predicates;
mod roots;
