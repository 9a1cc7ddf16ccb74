//! Joints after their insertion: motors, strength, contacts of the joined bodies, and loads.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (forces of joints).

use crate::joint::JointBroken;
use crate::{JointId, World, WorldError};
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_response::{Joint, JointLoad, JointStrength, PositionMotor};

impl<B: BroadPhase> World<B> {
    /// Gives a hinge or a slider a motor that pulls it to an angle or a place, or removes it, and
    /// wakes its bodies. While it has one, the motor of its kind does not act.
    ///
    /// Errors: another kind of joint, or a number of the motor out of its bounds.
    pub fn set_joint_position_motor(
        &mut self,
        id: JointId,
        motor: Option<PositionMotor>,
    ) -> Result<(), WorldError> {
        if self.joint_place(id).is_err() {
            self.joint(id)?;
            return Err(WorldError::NoAxis(id));
        }
        if let Some(motor) = motor {
            motor.validate().map_err(WorldError::BadMotor)?;
        }
        self.change_joint(id, |joint| {
            joint.position_motor = motor;
            joint.impulse.motor = 0.0;
        })
    }

    /// Sets the force and torque at which a joint breaks; `None` holds any load. A step removes a
    /// joint whose load was larger: see [`World::broken_joints`].
    ///
    /// Errors: a negative number, or NaN.
    pub fn set_joint_strength(
        &mut self,
        id: JointId,
        strength: Option<JointStrength>,
    ) -> Result<(), WorldError> {
        self.joint(id)?;
        if let Some(strength) = strength {
            for (number, name) in [(strength.force, "force"), (strength.torque, "torque")] {
                if !(0.0 <= number) {
                    return Err(WorldError::BadNumber(name));
                }
            }
        }
        self.change_joint(id, |joint| joint.strength = strength)
    }

    /// Sets whether the two bodies of a joint collide with each other, and wakes them. They do not
    /// unless this is set, or if another joint between them forbids it.
    pub fn set_joint_contacts(&mut self, id: JointId, has_contacts: bool) -> Result<(), WorldError> {
        self.change_joint(id, |joint| joint.has_contacts = has_contacts)?;
        let (a, b) = self.joint(id).map(|joint| (joint.body_a, joint.body_b))?;
        self.refilter(a, b);
        Ok(())
    }

    /// Sets a number of the caller, which is reported when the joint breaks. It wakes nothing.
    pub fn set_joint_user_data(&mut self, id: JointId, user_data: u64) -> Result<(), WorldError> {
        self.joints.get_mut(id).ok_or(WorldError::StaleJoint(id))?.user_data = user_data;
        Ok(())
    }

    /// Returns the force and torque of a joint in the last step, as the mean over the step. While
    /// the bodies sleep, they are those of the last step before.
    pub fn joint_load(&self, id: JointId) -> Result<JointLoad, WorldError> {
        self.joint(id).map(|joint| joint.load)
    }

    /// Returns the place of a slider along its axis, or the angle of a hinge in radians: see
    /// [`Joint::place`].
    ///
    /// Errors: another kind of joint.
    pub fn joint_place(&self, id: JointId) -> Result<f64, WorldError> {
        let joint = self.joint(id)?;
        let [a, b] = [joint.body_a, joint.body_b].map(|body| &self.bodies.motions[body as usize]);
        joint.place(a, b).ok_or(WorldError::NoAxis(id))
    }

    /// Returns the speed of a slider along its axis, or that of a hinge in radians per unit of
    /// time: see [`Joint::speed`].
    ///
    /// Errors: another kind of joint.
    pub fn joint_speed(&self, id: JointId) -> Result<f32, WorldError> {
        let joint = self.joint(id)?;
        let [a, b] = [joint.body_a, joint.body_b].map(|body| &self.bodies.motions[body as usize]);
        joint.speed(a, b).ok_or(WorldError::NoAxis(id))
    }

    /// The joints that broke in the last step, in the order of their insertion.
    pub fn broken_joints(&self) -> &[JointBroken] {
        &self.joints.broken
    }

    /// Removes the joints whose load was larger than they can bear.
    pub(crate) fn break_joints(&mut self) {
        let places = &self.contacts.scratch.joints;
        let breaks = |joint: &Joint| joint.strength.is_some_and(|strength| strength.is_exceeded(&joint.load));
        let broken: Vec<JointId> = places
            .iter()
            .filter(|&&place| breaks(self.joints.at(place)))
            .map(|&place| self.joints.id_at(place))
            .collect();
        for id in broken {
            let Ok(joint) = self.joint(id).copied() else { continue };
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

    /// Changes a joint and wakes its bodies.
    fn change_joint(&mut self, id: JointId, change: impl FnOnce(&mut Joint)) -> Result<(), WorldError> {
        let joint = self.joints.get_mut(id).ok_or(WorldError::StaleJoint(id))?;
        change(joint);
        let ends = [joint.body_a, joint.body_b];
        ends.iter().for_each(|&body| self.bodies.wake(body as usize));
        Ok(())
    }
}
