//! Integration tests of carom-lanes.
