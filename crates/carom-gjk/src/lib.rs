//! Distance and penetration depth of convex shapes: GJK and EPA with certified ends.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
