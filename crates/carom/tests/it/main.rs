//! Integration tests of carom: its examples.
#![allow(clippy::unwrap_used)]

mod examples;
