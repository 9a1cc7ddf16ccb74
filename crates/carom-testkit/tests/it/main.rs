//! Integration tests of carom-testkit.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod corpus;
#[cfg(feature = "world")]
mod flights;
mod oracle;
