//! Any shape against any shape: intersects, distance, contact, ray, point.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
