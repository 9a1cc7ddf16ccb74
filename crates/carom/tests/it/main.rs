//! Integration tests of carom: its examples and its prelude.
#![allow(clippy::unwrap_used)]

mod examples;
mod prelude;
