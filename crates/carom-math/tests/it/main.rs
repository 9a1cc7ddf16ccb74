//! Integration tests of carom-math.
