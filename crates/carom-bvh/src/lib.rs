//! Trees of bounding volumes: build, refit, walk, distance, wide nodes.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
