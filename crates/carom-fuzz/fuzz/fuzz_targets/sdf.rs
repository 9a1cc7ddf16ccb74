//! Bytes as meshes to bake, and as fields to read.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::sdf(bytes));
