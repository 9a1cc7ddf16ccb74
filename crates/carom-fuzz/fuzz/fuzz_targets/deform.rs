//! Bytes as meshes that change their shape, and questions about them.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::deform(bytes));
