//! Bytes as a script for broad phases that keep lists: while these are made narrower and replaced,
//! each answers what brute force does.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::renewal(bytes));
