//! The view of a joint for writing: [`World::joint_mut`](crate::World::joint_mut).
//!
//! Each setter changes a copy of the joint, checks it, and stores it, so a setter that returns an
//! error has changed nothing. A setter wakes both bodies, unless it cannot affect the motion.
//!
//! Reference: E. Catto, Box2D 3.1, joint.h, 2025 (which properties of a joint can be changed).

use crate::bodies::BodySet;
use crate::contacts::{ContactSet, narrow};
use crate::joints::Joints;
use crate::joints::desc;
use crate::{JointFault, JointId, WorldError};
use alloc::vec::Vec;
use carom_broad::Pair;
use carom_math::Pose;
use carom_response::{
    AxisLimit, Body, BodyKind, Joint, JointAxis, JointImpulse, JointKind, Motor, Spring, TorsionSpring,
    Winding,
};

/// The parts of a world that setters of joints change.
pub(crate) struct JointParts<'a> {
    pub(crate) joints: &'a mut Joints,
    pub(crate) bodies: &'a mut BodySet,
    pub(crate) contacts: &'a mut ContactSet,
    pub(crate) are_rings_known: &'a mut bool,
}

impl JointParts<'_> {
    /// Updates whether the pair of two bodies is tested, after a change of a joint between them.
    pub(crate) fn refilter(&mut self, a: u32, b: u32) {
        let pair = Pair { a: a.min(b), b: a.max(b) };
        let is_wanted = narrow::is_wanted(pair, &self.bodies.traits, &self.bodies.motions, self.joints);
        let ids = [a, b].map(|index| self.bodies.id_at(index));
        let ContactSet { pairs_by_body, pairs, states, .. } = &mut *self.contacts;
        let BodySet { motions, is_stale, .. } = &mut *self.bodies;
        // A body that can move is usually in fewer pairs than a fixed one.
        let rare = if motions[a as usize].kind == BodyKind::Fixed { b } else { a };
        pairs_by_body.visit(pairs, rare, |slot| {
            let state = &mut states[slot];
            if ids.contains(&state.a) && ids.contains(&state.b) && state.set_wanted(is_wanted) {
                // The pair is due even if neither body moved.
                is_stale[rare as usize] = true;
            }
        });
        *self.are_rings_known = false;
        self.contacts.is_changed = true;
    }

    /// Updates whether these joints act, after they or their bodies were enabled, disabled or
    /// inserted. Wakes the bodies of the joints that changed, and updates whether they collide.
    pub(crate) fn update_idle(&mut self, joints: Vec<JointId>) {
        let is_disabled = |body: u32| self.bodies.active.is_disabled(body);
        let changed = self.joints.update_idle(joints, &self.bodies.motions, is_disabled);
        for id in changed {
            let Some(&Joint { body_a, body_b, .. }) = self.joints.get(id) else { continue };
            for body in [body_a, body_b] {
                self.bodies.wake(body as usize);
            }
            self.refilter(body_a, body_b);
        }
    }
}

/// A view of a joint, for changes. Each setter returns the view, so calls can be chained.
///
/// Errors of the setters: [`WorldError::BadJoint`] for a setting that the kind of joint does not
/// have, or for a number out of its range. Nothing is changed then.
pub struct JointMut<'a> {
    pub(crate) id: JointId,
    pub(crate) parts: JointParts<'a>,
}

impl core::fmt::Debug for JointMut<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("JointMut").field(&self.id).finish()
    }
}

impl JointMut<'_> {
    /// Returns the handle of the joint.
    pub fn id(&self) -> JointId {
        self.id
    }

    /// Changes the limits of the one axis of a revolute joint or a screw, in radians, or of a
    /// prismatic joint, as lengths. `None` removes them.
    pub fn set_limits(&mut self, limits: impl Into<Option<[f32; 2]>>) -> Result<&mut Self, WorldError> {
        let limits = limits.into();
        self.edit(|joint| {
            (joint.impulse.lower, joint.impulse.upper) = (0.0, 0.0);
            joint.impulse.limits = [[0.0; 2]; 6];
            desc::set_limits(&mut joint.kind, limits)
        })
    }

    /// Changes the motor of the one axis of a revolute joint, a prismatic joint or a screw; `None`
    /// removes it.
    pub fn set_motor(&mut self, motor: impl Into<Option<Motor>>) -> Result<&mut Self, WorldError> {
        let motor = motor.into();
        self.edit(|joint| {
            joint.impulse.motors = [0.0; 6];
            desc::set_motor(&mut joint.kind, motor)
        })
    }

    /// Changes the limit of an axis of a joint of six degrees of freedom.
    pub fn set_axis_limit(&mut self, axis: JointAxis, limit: AxisLimit) -> Result<&mut Self, WorldError> {
        self.edit(|joint| {
            // The stored impulses are valid for the old locked axes only.
            joint.impulse = JointImpulse::default();
            desc::set_axis_limit(&mut joint.kind, axis, limit)
        })
    }

    /// Changes the motor of an axis of a joint of six degrees of freedom; `None` removes it.
    pub fn set_axis_motor(
        &mut self,
        axis: JointAxis,
        motor: impl Into<Option<Motor>>,
    ) -> Result<&mut Self, WorldError> {
        let motor = motor.into();
        self.edit(|joint| {
            joint.impulse.motors[axis as usize] = 0.0;
            desc::set_axis_motor(&mut joint.kind, axis, motor)
        })
    }

    /// Changes the largest angle between the x axes of a spherical joint, in radians.
    pub fn set_cone(&mut self, angle: f32) -> Result<&mut Self, WorldError> {
        self.edit(|joint| {
            joint.impulse.upper = 0.0;
            desc::set_cone(&mut joint.kind, angle)
        })
    }

    /// Changes the limits of the twist of a spherical joint, in radians from -pi to pi. `None`
    /// removes them.
    pub fn set_twist(&mut self, limits: impl Into<Option<[f32; 2]>>) -> Result<&mut Self, WorldError> {
        let limits = limits.into();
        self.edit(|joint| {
            joint.impulse.limits = [[0.0; 2]; 6];
            desc::set_twist(&mut joint.kind, limits)
        })
    }

    /// Changes the least and the largest distance of a rope or a rod, lengths.
    pub fn set_distance(&mut self, min: f32, max: f32) -> Result<&mut Self, WorldError> {
        self.edit(|joint| {
            joint.impulse = JointImpulse::default();
            desc::set_distance(&mut joint.kind, [min, max])
        })
    }

    /// Changes the ratio of a pulley, a gear, or a rack and pinion. A gear stays at its present
    /// angles.
    pub fn set_ratio(&mut self, ratio: f32) -> Result<&mut Self, WorldError> {
        self.edit_among(|joint, bodies| {
            joint.impulse = JointImpulse::default();
            joint.set_ratio(ratio, bodies)
        })
    }

    /// Changes the length of the rope of a pulley.
    pub fn set_length(&mut self, length: f32) -> Result<&mut Self, WorldError> {
        self.edit(|joint| {
            let JointKind::Pulley { length: old, .. } = &mut joint.kind else {
                return Err(JointFault::NotOfKind("length"));
            };
            *old = length;
            Ok(())
        })
    }

    /// Makes the joint soft, as a damped spring; with `None` it has the stiffness of the solver
    /// settings.
    pub fn set_spring(&mut self, spring: impl Into<Option<Spring>>) -> Result<&mut Self, WorldError> {
        let spring = spring.into();
        self.edit(|joint| {
            joint.spring = spring;
            Ok(())
        })
    }

    /// Gives a revolute joint a torsion spring about its axis; `None` removes it.
    ///
    /// Full turns are counted from the first spring on, and another spring continues the count. To
    /// wind a spring up, turn its bodies by a motor, or give it a rest angle of several turns.
    pub fn set_torsion_spring(
        &mut self,
        spring: impl Into<Option<TorsionSpring>>,
    ) -> Result<&mut Self, WorldError> {
        let spring = spring.into();
        self.edit(|joint| {
            if !matches!(joint.kind, JointKind::Revolute { .. }) {
                return Err(JointFault::NotOfKind("torsion spring"));
            }
            if joint.torsion_spring.is_none() {
                joint.winding = Winding::default();
            }
            (joint.torsion_spring, joint.impulse.spring) = (spring, 0.0);
            Ok(())
        })
    }

    /// Changes the frames of the joint relative to its bodies. The axis of the joint is their x
    /// axis.
    ///
    /// With a torsion spring the count of full turns goes on. The new frames allow several angles,
    /// and the nearest one to the old angle is used.
    ///
    /// It is an error for a joint that a gear couples, and for a gear itself.
    pub fn set_frames(&mut self, frame_a: Pose, frame_b: Pose) -> Result<&mut Self, WorldError> {
        let [frame_a, frame_b] = desc::unit_frames([frame_a, frame_b])?;
        let is_coupled = !self.parts.joints.gears_of(self.id).is_empty();
        self.edit(|joint| {
            if is_coupled || joint.gear.is_some() {
                return Err(JointFault::NotOfKind("frames of its own"));
            }
            (joint.frame_a, joint.frame_b) = (frame_a, frame_b);
            joint.impulse = JointImpulse::default();
            Ok(())
        })
    }

    /// Changes the force above which the joint breaks, as a mean over a step; `None` has no limit.
    /// A step removes a joint with a larger load: see
    /// [`World::broken_joints`](crate::World::broken_joints).
    pub fn set_break_force(&mut self, force: impl Into<Option<f32>>) -> Result<&mut Self, WorldError> {
        let force = force.into();
        self.edit(|joint| {
            joint.break_force = force;
            Ok(())
        })
    }

    /// Changes the torque above which the joint breaks, as a mean over a step; `None` has no
    /// limit.
    pub fn set_break_torque(&mut self, torque: impl Into<Option<f32>>) -> Result<&mut Self, WorldError> {
        let torque = torque.into();
        self.edit(|joint| {
            joint.break_torque = torque;
            Ok(())
        })
    }

    /// Changes whether the two bodies also collide. They do not collide if another joint between
    /// them forbids it.
    pub fn set_contacts(&mut self, has_contacts: bool) -> Result<&mut Self, WorldError> {
        self.edit(|joint| {
            joint.has_contacts = has_contacts;
            Ok(())
        })?;
        if let Some(&Joint { body_a, body_b, .. }) = self.parts.joints.get(self.id) {
            self.parts.refilter(body_a, body_b);
        }
        Ok(self)
    }

    /// Enables or disables the joint, and wakes both bodies. Does nothing if it is so already.
    ///
    /// A disabled joint keeps its handle and its settings. It holds nothing, does not break, and
    /// its bodies collide, as if it had been removed; gears that couple it do not act either.
    /// Enabled again, a gear keeps the angles that its wheels have then. A torsion spring counts
    /// no turns while its joint is disabled.
    ///
    /// A joint that is enabled does not act while one of its bodies is
    /// [disabled](crate::BodyMut::set_enabled).
    #[doc(alias = "SetEnabled")]
    pub fn set_enabled(&mut self, is_enabled: bool) -> Result<&mut Self, WorldError> {
        self.parts.joints.get(self.id).ok_or(WorldError::StaleJoint(self.id))?;
        self.parts.joints.set_enabled(self.id, is_enabled);
        self.parts.update_idle(alloc::vec![self.id]);
        Ok(self)
    }

    /// Changes the user data. Wakes nothing.
    pub fn set_user_data(&mut self, user_data: u64) -> Result<&mut Self, WorldError> {
        let joint = self.parts.joints.get_mut(self.id).ok_or(WorldError::StaleJoint(self.id))?;
        joint.user_data = user_data;
        Ok(self)
    }

    fn edit(
        &mut self,
        change: impl FnOnce(&mut Joint) -> Result<(), JointFault>,
    ) -> Result<&mut Self, WorldError> {
        self.edit_among(|joint, _| change(joint))
    }

    /// Changes the joint by a closure that also gets all bodies.
    fn edit_among(
        &mut self,
        change: impl FnOnce(&mut Joint, &[Body]) -> Result<(), JointFault>,
    ) -> Result<&mut Self, WorldError> {
        let joint = self.parts.joints.get_mut(self.id).ok_or(WorldError::StaleJoint(self.id))?;
        let mut new = *joint;
        change(&mut new, &self.parts.bodies.motions)?;
        new.check_settings()?;
        *joint = new;
        for body in [new.body_a, new.body_b] {
            self.parts.bodies.wake(body as usize);
        }
        Ok(self)
    }
}
