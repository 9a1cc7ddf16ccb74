//! Bytes as a file of this format: refused with one line, or read into parts that hold.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz_targets::parse(
    bytes,
    carom_fuzz_targets::Format::Urdf
));
