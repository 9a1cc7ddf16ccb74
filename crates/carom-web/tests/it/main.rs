//! The tests of the testbed.
#![allow(clippy::unwrap_used)]

mod courses;
mod drags;
mod live;
mod platforms;
mod scenes;
mod testbed;
mod triangles;
