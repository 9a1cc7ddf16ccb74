//! Bytes as a vehicle among bodies: refused by name, or finite after every step.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::vehicles(bytes));
