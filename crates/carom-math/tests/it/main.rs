//! Integration tests of carom-math.

mod predicates;
