//! Integration tests of carom-bounds.
