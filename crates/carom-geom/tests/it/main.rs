//! Integration tests of carom-geom.
