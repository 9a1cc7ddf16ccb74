//! A broad phase on a dynamic tree of boxes.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
