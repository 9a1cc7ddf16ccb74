//! Tests of carom-broad-tree.

mod dynamic;
