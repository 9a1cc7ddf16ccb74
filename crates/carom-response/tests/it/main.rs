//! Integration tests of carom-response.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod scene;
mod stacks;
mod truths;
