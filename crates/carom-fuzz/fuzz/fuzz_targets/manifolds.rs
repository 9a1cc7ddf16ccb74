//! Bytes as boxes and hulls that touch: separating axes agree with the distance, contacts lie where
//! they say.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::manifolds(bytes));
