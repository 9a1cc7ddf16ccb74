//! Integration tests of carom: its guide, examples, features and prelude.
#![allow(clippy::unwrap_used)]

mod examples;
mod features;
mod guide;
mod prelude;
