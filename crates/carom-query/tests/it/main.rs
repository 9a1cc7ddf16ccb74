//! Integration tests of carom-query.
