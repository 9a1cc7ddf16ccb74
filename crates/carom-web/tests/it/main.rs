//! The tests of the testbed.
#![allow(clippy::unwrap_used)]

mod live;
mod scenes;
mod testbed;
