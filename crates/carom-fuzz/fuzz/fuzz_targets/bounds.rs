//! Bytes as points and poses: every kind of bounding volume contains what it is made from.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::bounds(bytes));
