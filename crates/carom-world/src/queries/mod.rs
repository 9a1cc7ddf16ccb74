//! Queries between steps: rays, casts, overlaps, nearest bodies, and debug drawing.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, chapter 5 (the queries on single
//! shapes).

pub(crate) mod batch;
pub(crate) mod cast;
pub(crate) mod debug_draw;
pub(crate) mod filter;
pub(crate) mod query;
#[cfg(feature = "soft")]
pub(crate) mod soft_rays;
