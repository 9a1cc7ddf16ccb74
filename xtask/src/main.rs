//! The one command: cargo xtask check, tidy, bench.
#![forbid(unsafe_code)]
fn main() {}
