//! Bytes as points of a hull: it holds them all, and what has no volume is refused.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::hull(bytes));
