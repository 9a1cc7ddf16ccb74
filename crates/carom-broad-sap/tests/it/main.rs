//! Integration tests of carom-broad-sap.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod cliffs;
mod conform;
mod counts;
mod threads;
