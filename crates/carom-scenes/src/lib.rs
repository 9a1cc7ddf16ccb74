//! Procedural meshes and scenes for demos, benches and tests.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
