//! Bytes as scripts: trees that change while they are asked, and searches that are stopped.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::changing(bytes));
