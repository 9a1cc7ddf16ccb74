//! The tests of the façade: its examples run.

mod examples;
