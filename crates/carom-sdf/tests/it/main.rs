//! Tests of distance fields, against brute force over all triangles and exact sides.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // Programs, never without std.

mod bake;
mod bounds;
mod bytes;
mod combine;
mod field_shape;
mod input;
mod mass;
mod project;
mod property;
mod ray;
mod real_data;
mod rebake;
mod sample;
mod scenes;
mod sign;
mod sparse;
mod threads;
mod warm;
