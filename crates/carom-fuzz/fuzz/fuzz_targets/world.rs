//! Bytes as bodies put in a world, moved and taken out: refused by name, or finite ever after.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::world(bytes));
