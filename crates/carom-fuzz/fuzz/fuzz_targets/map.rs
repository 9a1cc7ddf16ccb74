//! Bytes as a level of Quake's text format: refused with one line, or read into brushes that are
//! sound or refused with one line each.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz_targets::map(bytes));
