//! Bytes as points and radii, and queries of their neighbours.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::neighbours(bytes));
