//! Separating axes, clipping and contact manifolds for boxes and hulls.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
