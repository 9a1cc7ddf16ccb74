//! Integration tests of carom: its examples, features and prelude.
#![allow(clippy::unwrap_used)]

mod examples;
mod features;
mod prelude;
