//! Integration tests of carom-audit.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::std_instead_of_alloc, clippy::std_instead_of_core)]

mod composites;
mod planted;
mod scenes;
