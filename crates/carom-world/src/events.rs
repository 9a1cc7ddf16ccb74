//! What began, went on and ended between bodies, and the contacts themselves.

use crate::BodyId;
use carom_geom::Manifold;
use carom_response::ContactImpulse;

/// What happened to a pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum EventKind {
    /// They touch, and did not before.
    Began,
    /// They touch as before.
    Persisted,
    /// They do not touch any more, or one of them was removed.
    Ended,
}

/// An event of a pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Event {
    /// The body with the smaller number.
    pub a: BodyId,
    /// The other.
    pub b: BodyId,
    /// What happened.
    pub kind: EventKind,
    /// One of them is a sensor: nothing pushes.
    pub is_sensor: bool,
}

/// A pair of bodies near each other, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactView<'a> {
    /// The body with the smaller number.
    pub a: BodyId,
    /// The other.
    pub b: BodyId,
    /// They touch, or one of them is fast and struck the other within the step, perhaps from afar; otherwise they are only near, within
    /// the settings' prediction.
    pub is_touching: bool,
    /// One of them is a sensor; there are no manifolds.
    pub is_sensor: bool,
    /// In the world frame, normals from A to B: one per pair of convex parts.
    pub manifolds: &'a [Manifold],
    /// What each manifold did in the last step; empty before the first step, and while both sleep.
    pub impulses: &'a [ContactImpulse],
}
