//! Bytes as boxes: trees of volumes lose nothing.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::bvh(bytes));
