//! The end of a step: joints whose load exceeds their break force or torque are removed and
//! reported.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (forces of joints).

use crate::joints::JointBroken;
use crate::{JointId, World};
use alloc::vec::Vec;
use carom_broad::BroadPhase;

impl<B: BroadPhase> World<B> {
    /// Removes the overloaded joints.
    pub(crate) fn break_joints(&mut self) {
        let indices = &self.contacts.scratch.joints;
        let broken: Vec<JointId> = indices
            .iter()
            .filter(|&&index| self.joints.at(index).is_overloaded())
            .map(|&index| self.joints.id_at(index))
            .collect();
        for id in broken {
            let Some(joint) = self.joints.get(id).copied() else { continue };
            let event = JointBroken {
                joint: id,
                a: self.bodies.id_at(joint.body_a),
                b: self.bodies.id_at(joint.body_b),
                force: joint.load.force().length(),
                torque: joint.load.torque().length(),
                user_data: joint.user_data,
            };
            if self.remove_joint(id).is_ok() {
                self.joints.broken.push(event);
            }
        }
    }
}
