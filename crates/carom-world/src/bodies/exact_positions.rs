//! Positions in `f64`: the origin of the world's frame, and the remainders of the `f32` positions
//! of bodies.
//!
//! The position of a body far from the origin is rounded, by millimetres at 100 km. As long as the
//! body does not move, the remainder of the rounding is stored. So its position is exact again
//! when the origin comes near (test:
//! `origins::sleeping_bodies_are_in_place_when_the_frame_comes_back`).
//!
//! Reference: T. J. Dekker, A Floating-Point Technique for Extending the Available Precision, 1971
//! (a number as the sum of two).

use alloc::vec::Vec;
use carom_math::Vec3;
use carom_math::glam::DVec3;
use carom_response::Inconsistency;

/// The origin of the world's frame, and the remainders of positions, by body.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct ExactPositions {
    /// The origin of the world's frame, as a position in `f64`.
    pub(crate) origin: DVec3,
    /// Remainders, each with the position for which it is valid. A body that has moved since has
    /// none.
    remainders: Vec<(Vec3, Vec3)>,
}

impl ExactPositions {
    /// Returns the remainder of a body, if it is at this position, else zero.
    pub(crate) fn remainder(&self, body: usize, position: Vec3) -> DVec3 {
        let known = self.remainders.get(body).filter(|(at, _)| *at == position);
        known.map_or(DVec3::ZERO, |(_, rest)| rest.as_dvec3())
    }

    /// Stores the remainder of a body: `exact` is its position and `position` the rounded one,
    /// both in the frame of the world.
    pub(crate) fn set(&mut self, body: usize, position: Vec3, exact: DVec3) {
        if self.remainders.len() <= body {
            self.remainders.resize(body + 1, (Vec3::ZERO, Vec3::ZERO));
        }
        self.remainders[body] = (position, (exact - position.as_dvec3()).as_vec3());
    }

    /// Drops the remainder of a body.
    pub(crate) fn forget(&mut self, body: usize) {
        if let Some(known) = self.remainders.get_mut(body) {
            known.1 = Vec3::ZERO;
        }
    }

    /// Checks that all numbers are finite.
    pub(crate) fn check(&self) -> Result<(), Inconsistency> {
        if !self.origin.is_finite() {
            return Err(Inconsistency { what: "the origin", index: 0 });
        }
        match self.remainders.iter().position(|(_, rest)| !rest.is_finite()) {
            Some(index) => Err(Inconsistency { what: "the remainder of a position", index }),
            None => Ok(()),
        }
    }
}
