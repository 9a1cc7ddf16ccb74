//! Bytes as a vertex and a face or two edges that move: no contact is missed, and none is claimed.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::elements(bytes));
