//! Bytes as answers of hooks: the world stays consistent, and the same with another broad phase.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::hooks(bytes));
