//! Belts: the surface velocities of bodies, relative to the bodies.
//!
//! Reference: Jolt Physics, `ContactSettings::mRelativeLinearSurfaceVelocity` and its angular
//! counterpart.

use crate::contacts::rules::{check_list, set};
use alloc::vec::Vec;
use carom_math::{Pose, Vec3};
use carom_response::Inconsistency;

/// The velocity of a surface relative to its body, in the frame of its collider.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Belt {
    /// Velocity at the origin of the collider.
    pub(crate) velocity: Vec3,
    pub(crate) spin: Vec3,
}

impl Belt {
    /// Returns a belt with this velocity and spin.
    pub(crate) fn of([velocity, spin]: [Vec3; 2]) -> Belt {
        Belt { velocity, spin }
    }

    /// Returns the velocity at a point, and the angular velocity. All are in the frame in which
    /// `pose` is the pose of the collider.
    pub(crate) fn at(&self, pose: &Pose, point: Vec3) -> [Vec3; 2] {
        let spin = pose.transform_vector(self.spin);
        [pose.transform_vector(self.velocity) + spin.cross(point - pose.translation), spin]
    }
}

/// Returns the motion of a surface in the frame of a collider: a velocity at the origin and a
/// spin. `pose` is the pose of the collider in the frame of the body.
pub(crate) fn in_collider([velocity, spin]: [Vec3; 2], pose: &Pose) -> [Vec3; 2] {
    let at_collider = velocity + spin.cross(pose.translation);
    [at_collider, spin].map(|v| pose.inverse_transform_vector(v))
}

/// The belts, sorted by body. Most worlds have none.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Belts {
    /// If a body has several colliders, that of the first one whose surface moves.
    of_bodies: Vec<(u32, Belt)>,
}

impl Belts {
    /// Returns all belts with their bodies.
    pub(crate) fn of_bodies(&self) -> &[(u32, Belt)] {
        &self.of_bodies
    }

    pub(crate) fn of(&self, body: u32) -> Option<&Belt> {
        let index = self.of_bodies.binary_search_by_key(&body, |&(number, _)| number).ok()?;
        self.of_bodies.get(index).map(|(_, belt)| belt)
    }

    /// Sets the belt of a body. A belt without velocity and spin is removed, unless parts of the
    /// body have belts.
    pub(crate) fn set(&mut self, body: u32, [velocity, spin]: [Vec3; 2], has_moving_parts: bool) {
        let moves = velocity != Vec3::ZERO || spin != Vec3::ZERO || has_moving_parts;
        set(&mut self.of_bodies, body, moves.then_some(Belt { velocity, spin }));
    }

    /// Checks that belts are sorted and finite, and belong to living bodies.
    pub(crate) fn check(&self, is_live: &[bool]) -> Result<(), Inconsistency> {
        let is_sound = |index: usize| {
            let (body, belt) = self.of_bodies[index];
            is_live.get(body as usize) == Some(&true) && belt.velocity.is_finite() && belt.spin.is_finite()
        };
        check_list(&self.of_bodies, is_sound, "a surface velocity")
    }
}
