//! Integration tests of carom-gjk.
