//! Bytes as two convex shapes that move and turn, any floats at all: times of impact keep their
//! promises.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::impacts(bytes));
