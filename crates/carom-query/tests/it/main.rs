//! Integration tests of carom-query.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod compound;
mod matrix;
mod mesh_cases;
mod rays;
mod zoo;
