//! Integration tests of carom-testkit.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod corpus;
mod oracle;
