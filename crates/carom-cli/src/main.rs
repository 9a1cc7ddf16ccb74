//! The carom command.
#![forbid(unsafe_code)]
fn main() {}
