//! Bytes as particles of all kinds, and steps of their solver.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::particles(bytes));
