//! Bytes as a script for broad phases: each answers what brute force answers, and errors change
//! nothing.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::broad(bytes));
