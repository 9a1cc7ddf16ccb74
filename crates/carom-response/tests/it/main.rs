//! Integration tests of carom-response.

mod scene;
mod stacks;
mod truths;
