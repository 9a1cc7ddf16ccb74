//! Portable SIMD lanes of 4, 8 and 16 floats with the instruction set chosen at run time.
#![cfg_attr(not(feature = "std"), no_std)]
