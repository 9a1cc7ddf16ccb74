//! Collision response: sequential impulses, friction, restitution, sleeping.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
