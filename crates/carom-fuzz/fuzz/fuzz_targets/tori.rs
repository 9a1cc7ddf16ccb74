//! Bytes as a torus and another shape: the distance is that of the nearest point of its circle.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::tori(bytes));
