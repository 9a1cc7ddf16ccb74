//! Insertion and removal of joints, and the views of a joint for reading and for changes.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (forces of joints).

use crate::edit::joint_mut::{JointMut, JointParts};
use crate::joints::Joints;
use crate::joints::desc::{JointDesc, JointEnds};
use crate::queries::joint_ref::JointRef;
use crate::{BodyId, JointFault, JointId, World, WorldError};
use carom_broad::BroadPhase;
use carom_response::Joint;

impl<B: BroadPhase> World<B> {
    /// Joins two bodies by a joint, or couples two joints by a gear, and wakes the bodies. Joined
    /// bodies do not collide, unless the description allows it ([`JointDesc::with_contacts`]).
    ///
    /// Errors: a stale body or joint, frames that are not poses, or [`WorldError::BadJoint`] with
    /// the first setting that is wrong.
    pub fn insert_joint(&mut self, desc: JointDesc) -> Result<JointId, WorldError> {
        let (a, b) = match desc.ends {
            JointEnds::Bodies(a, b) => (a, b),
            JointEnds::Joints(one, other) => return self.insert_gear(&desc, [one, other]),
        };
        let (index_a, index_b) = (self.bodies.index_of(a)?, self.bodies.index_of(b)?);
        let bodies = [index_a, index_b].map(|index| &self.bodies.motions[index]);
        let joint = desc.joint([a.index, b.index], bodies)?;
        let id = self.admit_joint(a, b, joint)?;
        self.enable_new_joint(id, desc.is_enabled);
        Ok(id)
    }

    fn enable_new_joint(&mut self, id: JointId, is_enabled: bool) {
        self.joints.set_enabled(id, is_enabled);
        if !is_enabled || self.bodies.active.has_disabled() || self.joints.has_idle() {
            self.joint_parts().update_idle(alloc::vec![id]);
        }
    }

    /// Updates which joints of a body act.
    pub(crate) fn update_idle_joints_of(&mut self, body: u32) {
        let joints = self.joints.all_of(body);
        self.joint_parts().update_idle(joints);
    }

    /// Returns a view of a joint, for reading.
    ///
    /// Errors: the joint was removed.
    pub fn joint(&self, id: JointId) -> Result<JointRef<'_>, WorldError> {
        let joint = self.joints.get(id).ok_or(WorldError::StaleJoint(id))?;
        Ok(self.joint_ref(id, joint))
    }

    /// Returns a view of a joint, for changes. Setters wake its two bodies.
    ///
    /// Errors: the joint was removed.
    pub fn joint_mut(&mut self, id: JointId) -> Result<JointMut<'_>, WorldError> {
        self.joints.get(id).ok_or(WorldError::StaleJoint(id))?;
        Ok(JointMut { id, parts: self.joint_parts() })
    }

    /// Returns views of all joints, in the order of insertion.
    pub fn joints(&self) -> impl Iterator<Item = JointRef<'_>> + '_ {
        self.joints.iter().map(|(id, joint)| self.joint_ref(id, joint))
    }

    /// Removes a joint with the gears that couple it, and wakes their bodies.
    ///
    /// Errors: the joint was removed before.
    pub fn remove_joint(&mut self, id: JointId) -> Result<(), WorldError> {
        for (gear, _) in self.joints.gears_of(id) {
            self.remove_joint(gear)?;
        }
        let joint = self.joints.remove(id).ok_or(WorldError::StaleJoint(id))?;
        for body in [joint.body_a, joint.body_b] {
            self.bodies.wake(body as usize);
        }
        self.refilter(joint.body_a, joint.body_b);
        Ok(())
    }

    /// Removes the joints of a body that is removed too, with the gears that couple them. Wakes the
    /// bodies of these gears, which may collide again.
    pub(crate) fn remove_joints_of(&mut self, body: u32) {
        let parted = self.joints.remove_of(body);
        self.budget.round_robin.are_rings_known &= parted.is_empty();
        for [a, b] in parted.into_iter().filter(|pair| !pair.contains(&body)) {
            self.bodies.wake(a as usize);
            self.bodies.wake(b as usize);
            self.refilter(a, b);
        }
    }

    fn insert_gear(&mut self, desc: &JointDesc, coupled: [JointId; 2]) -> Result<JointId, WorldError> {
        let [one, other] = coupled.map(|id| self.joint(id));
        let views = [one?, other?];
        let gear = desc.gear_of(views.map(|view| view.joint), views.map(|view| view.bodies))?;
        let id = self.admit(gear, |joints, gear| joints.insert_gear(gear, coupled))?;
        self.enable_new_joint(id, desc.is_enabled);
        Ok(id)
    }

    pub(crate) fn admit_joint(&mut self, a: BodyId, b: BodyId, joint: Joint) -> Result<JointId, WorldError> {
        self.bodies.index_of(a)?;
        self.bodies.index_of(b)?;
        if a == b {
            return Err(JointFault::SameBody.into());
        }
        self.admit(joint, Joints::insert)
    }

    /// Checks the settings of a joint, inserts it, and wakes its bodies.
    fn admit(
        &mut self,
        joint: Joint,
        insert: impl FnOnce(&mut Joints, Joint) -> JointId,
    ) -> Result<JointId, WorldError> {
        joint.check_settings()?;
        let (a, b) = (joint.body_a, joint.body_b);
        self.bodies.wake(a as usize);
        self.bodies.wake(b as usize);
        let id = insert(&mut self.joints, joint);
        self.refilter(a, b);
        Ok(id)
    }

    /// Updates whether the pair of two bodies is tested, after a joint between them was inserted or
    /// removed.
    pub(crate) fn refilter(&mut self, a: u32, b: u32) {
        self.joint_parts().refilter(a, b);
    }

    fn joint_parts(&mut self) -> JointParts<'_> {
        let World { joints, bodies, contacts, budget, .. } = self;
        JointParts { joints, bodies, contacts, are_rings_known: &mut budget.round_robin.are_rings_known }
    }

    fn joint_ref<'a>(&'a self, id: JointId, joint: &'a Joint) -> JointRef<'a> {
        let ends = [joint.body_a, joint.body_b];
        let bodies = ends.map(|body| &self.bodies.motions[body as usize]);
        let (body_ids, is_enabled) = (ends.map(|body| self.bodies.id_at(body)), self.joints.is_enabled(id));
        JointRef { id, joint, bodies, body_ids, is_enabled }
    }
}
