//! Bytes as lines of `carom batch`: every line that is not blank gets one answer in JSON, of
//! numbers or an error.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz_targets::batch(bytes));
