//! Bytes as two bodies, a ray or a plane, in f32: what the tables of pairs say agrees.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::tables(bytes));
