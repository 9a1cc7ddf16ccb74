//! Integration tests of carom-lanes.
#![allow(clippy::unwrap_used)]

mod backends;
mod dispatch;
mod line;
mod ops;
