//! The end of a step: joints whose load exceeds their break force or torque are removed and
//! reported.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (forces of joints).

use crate::World;
use crate::joints::JointBroken;
use alloc::vec::Vec;
use carom_broad::BroadPhase;

impl<B: BroadPhase> World<B> {
    /// Removes the overloaded joints, and lists them. A gear that is overloaded too is listed even
    /// if it is removed with a joint that it couples.
    pub(crate) fn break_joints(&mut self) {
        let overloaded = self.contacts.scratch.joints.iter().filter_map(|&position| {
            let joint = self.joints.at(position);
            let event = || JointBroken {
                joint: self.joints.id_at(position),
                a: self.bodies.id_at(joint.body_a),
                b: self.bodies.id_at(joint.body_b),
                force: joint.load.force().length(),
                torque: joint.load.torque().length(),
                user_data: joint.user_data,
            };
            joint.is_overloaded().then(event)
        });
        let broken: Vec<JointBroken> = overloaded.collect();
        for event in &broken {
            // Otherwise it went with another one.
            if self.joints.get(event.joint).is_some() {
                _ = self.remove_joint(event.joint);
            }
        }
        self.joints.broken.extend(broken);
    }
}
