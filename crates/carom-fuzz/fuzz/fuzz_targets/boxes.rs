//! Bytes as a recording of boxes: refused with one line, or frames of boxes that hold.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz_targets::boxes(bytes));
