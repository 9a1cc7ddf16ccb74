//! Integration tests of carom-response.
