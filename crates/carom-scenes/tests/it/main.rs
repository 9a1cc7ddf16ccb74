//! Integration tests of carom-scenes.
