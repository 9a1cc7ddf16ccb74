//! Bytes as two triangles with any corners: the exact test, the distance and the segment agree with each other.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::triangles(bytes));
