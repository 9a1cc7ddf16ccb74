//! Integration tests of carom-world.
