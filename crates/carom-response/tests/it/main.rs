//! Integration tests of carom-response.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::std_instead_of_core)]

mod scene;
mod stacks;
mod truths;
