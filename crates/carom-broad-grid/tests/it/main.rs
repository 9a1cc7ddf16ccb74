//! Tests of carom-broad-grid.
#![allow(clippy::unwrap_used)]

mod cliffs;
mod coherent;
mod conform;
mod memory;
mod sparse;
#[cfg(feature = "parallel")]
mod threads;
mod views;
