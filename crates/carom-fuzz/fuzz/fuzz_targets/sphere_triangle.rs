//! Bytes as a ball that moves and a triangle: the bracket of the first contact holds.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::sphere_triangle(bytes));
