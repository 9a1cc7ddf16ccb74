//! Tests of carom-broad-grid.
#![allow(clippy::unwrap_used)]

mod cliffs;
mod conform;
mod memory;
#[cfg(feature = "parallel")]
mod threads;
