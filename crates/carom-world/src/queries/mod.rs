//! Queries between steps: rays, casts, overlaps, nearest bodies, and debug drawing.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, chapter 5 (the queries on single
//! shapes).

pub(crate) mod cast;
pub(crate) mod debug_draw;
pub(crate) mod query;
pub(crate) mod query_batch;
