//! Reading the state of a world between steps.
//!
//! - `query`, `filter`, `cast`, `batch`, `soft_rays`: rays, casts, overlaps and nearest bodies.
//! - `body_ref`, `collider_ref`, `joint_ref`: views of a body, a collider and a joint.
//! - `reports`: contacts and events of the last step. `state_hash`: a hash of all state.
//! - `debug_draw`: lines for debugging.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, chapter 5 (the queries on single
//! shapes).

pub(crate) mod batch;
pub(crate) mod body_ref;
pub(crate) mod cast;
pub(crate) mod collider_ref;
pub(crate) mod debug_draw;
pub(crate) mod filter;
pub(crate) mod joint_ref;
pub(crate) mod query;
pub(crate) mod reports;
#[cfg(feature = "soft")]
pub(crate) mod soft_rays;
pub(crate) mod state_hash;
