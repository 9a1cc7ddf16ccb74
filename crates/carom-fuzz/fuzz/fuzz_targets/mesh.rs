//! Bytes as a mesh, rays and points: the tree finds what looking at every triangle finds.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carom_fuzz::mesh(bytes));
