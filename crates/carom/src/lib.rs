//! Collision detection: the front door to the carom crates.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
