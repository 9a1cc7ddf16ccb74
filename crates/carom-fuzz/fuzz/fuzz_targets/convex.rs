//! Bytes as two convex shapes and a pose, any floats at all: distance and depth keep their
//! promises.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::convex(bytes));
