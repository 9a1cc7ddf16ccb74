//! Integration tests of carom-bvh.
