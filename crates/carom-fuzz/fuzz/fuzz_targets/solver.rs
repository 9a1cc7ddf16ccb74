//! Bytes as bodies, contacts and joints with any numbers: refused by name, or finite after the
//! step.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::solver(bytes));
