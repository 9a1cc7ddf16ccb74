//! Bytes as meshes whose vertices follow from parameters, and questions about them.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::known(bytes));
