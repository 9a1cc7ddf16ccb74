//! What a broad phase is: trait, pairs, events, filters, and brute force as the executable specification.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
