//! Times of impact against what is slower and obviously right.
#![allow(clippy::unwrap_used)]

mod cast;
mod hard;
mod motion;
mod sweeps;
