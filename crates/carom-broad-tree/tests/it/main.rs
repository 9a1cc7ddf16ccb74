//! Integration tests of carom-broad-tree.
