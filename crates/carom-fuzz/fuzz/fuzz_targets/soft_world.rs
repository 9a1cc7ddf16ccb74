//! Bytes as soft things among bodies: refused by name, or finite after every step.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::soft_world(bytes));
