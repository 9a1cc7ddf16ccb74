//! Brush worlds against the list of their brushes.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod brushes;
mod levels;
mod points;
mod traces;
mod truth;
