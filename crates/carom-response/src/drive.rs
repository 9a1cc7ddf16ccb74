//! The surface velocities of eight manifolds side by side, as the contact solver reads them.
//!
//! Reference: E. Catto, Modeling and Solving Constraints, GDC 2009 (velocity bias).

use crate::lane_vec::Lanes;
use carom_geom::MAX_CONTACTS;

/// No [`Drive`].
pub(crate) const NO_DRIVE: u32 = u32::MAX;

/// The surface velocities of eight manifolds side by side.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct Drive {
    /// Per contact, the speed at which the surfaces part.
    pub(crate) part: [Lanes; MAX_CONTACTS],
    /// Velocity along the two tangents where friction acts.
    pub(crate) slide: [Lanes; 2],
    pub(crate) spin: Lanes,
}

impl Drive {
    /// Of surfaces that do not move.
    pub(crate) const NONE: Drive =
        Drive { part: [[0.0; 8]; MAX_CONTACTS], slide: [[0.0; 8]; 2], spin: [0.0; 8] };
}
