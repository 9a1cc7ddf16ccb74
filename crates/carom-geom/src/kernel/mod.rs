//! Compiled for `f32` and again for `f64`: only names from `num`, no casts.

mod contact;

pub use contact::{Contact, FeatureId, MAX_CONTACTS, Manifold};
