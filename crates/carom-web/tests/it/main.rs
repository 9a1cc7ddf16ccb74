//! The tests of the testbed.
#![allow(clippy::unwrap_used)]

mod scenes;
mod testbed;
