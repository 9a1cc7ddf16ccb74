//! Tests of carom-broad-tree.
#![allow(clippy::unwrap_used)]

mod cliffs;
mod dynamic;
#[cfg(feature = "parallel")]
mod threads;
