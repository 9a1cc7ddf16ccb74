//! Joints after their insertion: kind, springs, motors, strength, contacts of the joined bodies,
//! and loads.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (forces of joints).

use crate::joint::JointBroken;
use crate::{JointId, World, WorldError};
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_response::{Body, Joint, JointImpulse, JointKind, JointLoad, JointStrength};
use carom_response::{PositionMotor, TorsionSpring, Winding};

impl<B: BroadPhase> World<B> {
    /// Changes the kind of a joint, for instance the speed of its motor, and wakes its bodies. A
    /// hinge that stays a hinge keeps its spring. A hinge and a slider keep a position motor.
    pub fn set_joint_kind(&mut self, id: JointId, kind: JointKind) -> Result<(), WorldError> {
        self.joint(id)?;
        if !kind.is_sound() {
            return Err(WorldError::BadJoint);
        }
        self.change_joint(id, |joint| {
            (joint.kind, joint.impulse) = (kind, JointImpulse::default());
            if !matches!(kind, JointKind::Hinge { .. }) {
                joint.spring = None;
            }
            if !kind.has_axis() {
                joint.position_motor = None;
            }
        })
    }

    /// Gives a hinge a spring about its axis, or removes it, and wakes its bodies.
    ///
    /// Whole turns are counted from the first spring on, and another spring continues the count. To
    /// wind a spring up, turn its bodies by a motor, or give it a rest angle of several turns.
    pub fn set_joint_spring(&mut self, id: JointId, spring: Option<TorsionSpring>) -> Result<(), WorldError> {
        if !matches!(self.joint(id)?.kind, JointKind::Hinge { .. }) {
            return Err(WorldError::NoHinge(id));
        }
        if let Some(spring) = spring {
            spring.validate().map_err(WorldError::BadSpring)?;
        }
        self.change_joint(id, |joint| {
            if joint.spring.is_none() {
                joint.winding = Winding::default();
            }
            (joint.spring, joint.impulse.spring) = (spring, 0.0);
        })
    }

    /// Gives a hinge or a slider a motor that pulls it to an angle or a place, or removes it, and
    /// wakes its bodies. While it has one, the motor of its kind does not act.
    ///
    /// Errors: another kind of joint, or a number of the motor out of its bounds.
    pub fn set_joint_position_motor(
        &mut self,
        id: JointId,
        motor: Option<PositionMotor>,
    ) -> Result<(), WorldError> {
        if !self.joint(id)?.kind.has_axis() {
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
            strength.validate().map_err(WorldError::BadNumber)?;
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

    /// Returns the angle of a hinge in radians, with whole turns if it has a spring: see
    /// [`Joint::hinge_angle`].
    pub fn hinge_angle(&self, id: JointId) -> Result<f64, WorldError> {
        let (joint, [a, b]) = self.joined(id)?;
        joint.hinge_angle(a, b).ok_or(WorldError::NoHinge(id))
    }

    /// Returns the place of a slider along its axis, or the angle of a hinge in radians: see
    /// [`Joint::place`].
    ///
    /// Errors: another kind of joint.
    pub fn joint_place(&self, id: JointId) -> Result<f64, WorldError> {
        let (joint, [a, b]) = self.joined(id)?;
        joint.place(a, b).ok_or(WorldError::NoAxis(id))
    }

    /// Returns the speed of a slider along its axis, or that of a hinge in radians per unit of
    /// time: see [`Joint::speed`].
    ///
    /// Errors: another kind of joint.
    pub fn joint_speed(&self, id: JointId) -> Result<f32, WorldError> {
        let (joint, [a, b]) = self.joined(id)?;
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

    /// Returns a joint and its two bodies.
    fn joined(&self, id: JointId) -> Result<(&Joint, [&Body; 2]), WorldError> {
        let joint = self.joint(id)?;
        Ok((joint, [joint.body_a, joint.body_b].map(|body| &self.bodies.motions[body as usize])))
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
