//! Integration tests of carom-broad.
