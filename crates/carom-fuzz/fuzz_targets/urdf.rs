//! Bytes as a file of this format: refused with one line, or read into parts that hold.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::parse(bytes, carom_io::Format::Urdf));
