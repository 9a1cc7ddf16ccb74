//! Bytes as a level of brushes and bodies that move through it: none is stopped late.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::levels(bytes));
