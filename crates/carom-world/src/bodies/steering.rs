//! Forces and targets for the next step only: `BodyMut::apply_force` and `BodyMut::move_to`.
//!
//! Reference: E. Catto, Box2D 3.1, `b2Body_SetTargetTransform` and `b2Body_ApplyForce`, 2025.

use crate::bodies::shift::Shift;
use crate::contacts::rules::{check_list, set};
use alloc::vec::Vec;
use carom_math::{Pose, Vec3};
use carom_response::{Body, BodyKind, Inconsistency};

/// Forces and targets for the next step, sorted by the numbers of the bodies.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Steering {
    /// Forces and torques.
    pub(crate) forces: Vec<(u32, [Vec3; 2])>,
    /// Impulses on kinematic bodies that record them.
    pub(crate) impulses: Vec<(u32, Vec3)>,
    /// Target poses of kinematic bodies.
    pub(crate) targets: Vec<(u32, Pose)>,
    /// Kinematic bodies that had a target in the last step. They have the velocities of that step
    /// until the next one begins.
    pub(crate) arrived: Vec<(u32, ())>,
}

impl Steering {
    /// Drops the entries of a body that was removed or disabled, or whose mobility changed.
    pub(crate) fn forget(&mut self, body: u32) {
        set(&mut self.forces, body, None);
        set(&mut self.impulses, body, None);
        self.stop(body);
    }

    /// Moves the targets along with the frame of the world.
    pub(crate) fn shift(&mut self, shift: Shift) {
        self.targets.iter_mut().for_each(|(_, pose)| shift.apply(&mut pose.translation));
    }

    /// Drops the target of a body.
    pub(crate) fn stop(&mut self, body: u32) {
        set(&mut self.targets, body, None);
        set(&mut self.arrived, body, None);
    }

    /// Whether a kinematic body had a target in the last step.
    pub(crate) fn has_arrived(&self, body: u32) -> bool {
        self.arrived.binary_search_by_key(&body, |(number, ())| *number).is_ok()
    }

    /// Checks that all entries are finite, and belong to bodies of the right kind.
    pub(crate) fn check(&self, bodies: &[Body]) -> Result<(), Inconsistency> {
        let is = |number: u32, kind| bodies.get(number as usize).is_some_and(|body| body.kind == kind);
        let is_force = |k: usize| {
            let (body, [force, torque]) = self.forces[k];
            is(body, BodyKind::Dynamic) && force.is_finite() && torque.is_finite()
        };
        let is_target = |k: usize| {
            let (body, pose) = &self.targets[k];
            is(*body, BodyKind::Kinematic) && Pose::try_new(pose.rotation, pose.translation).is_ok()
        };
        check_list(&self.forces, is_force, "a force for the next step")?;
        let is_impulse = |k: usize| {
            let (body, impulse) = self.impulses[k];
            is(body, BodyKind::Kinematic) && impulse.is_finite()
        };
        check_list(&self.impulses, is_impulse, "an impulse on a kinematic body")?;
        check_list(&self.targets, is_target, "a target for the next step")?;
        check_list(&self.arrived, |k| is(self.arrived[k].0, BodyKind::Kinematic), "a body at its target")
    }
}
