//! Bytes as two triangles, segments and points with any corners: the exact tests and the distances
//! agree.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::triangles(bytes));
