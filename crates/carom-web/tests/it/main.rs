//! The tests of the testbed.
#![allow(clippy::unwrap_used)]

mod drags;
mod live;
mod scenes;
mod testbed;
mod triangles;
