//! Tests of carom-broad-tree.
#![allow(clippy::unwrap_used)]

mod cliffs;
mod dynamic;
mod kd;
mod rebuilt;
#[cfg(feature = "parallel")]
mod threads;
mod views;
