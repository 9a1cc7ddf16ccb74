//! Bytes as any two shapes, in f32: all questions about them agree with each other.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::pairs(bytes));
