//! Bytes as bodies, contacts and joints with numbers of any size: refused by name, or finite after
//! the step.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::solver(bytes));
