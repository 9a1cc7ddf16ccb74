//! Integration tests of carom-lanes.

mod backends;
mod dispatch;
mod ops;
