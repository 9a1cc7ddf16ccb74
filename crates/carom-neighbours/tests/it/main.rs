//! Tests of searches for neighbours, against brute force and rationals.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // Programs, never without std.

mod grid;
mod hierarchical;
mod random;
mod real_data;
mod rule;
mod threads;
mod tree;
mod warm;
