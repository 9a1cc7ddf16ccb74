//! Integration tests of carom-sat.
