//! Bytes as a distance field and another shape.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::field_pairs(bytes));
