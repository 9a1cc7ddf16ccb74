//! Gears and racks: a row between the coordinates of two other joints.
//!
//! - A coordinate is the angle of a revolute joint, with full turns, or the translation of a
//!   prismatic joint. The row keeps `coordinate 1 + factor * coordinate 2` at its initial value.
//! - The row acts on up to four bodies: the two that turn or slide, and the two that carry them.
//!   So the housing gets the reaction, and momentum is kept.
//! - One body may be several of the four, such as the arm of a planetary gear. Its parts of the
//!   row are added up.
//!
//! Reference: E. Catto, Box2D 2.4, b2_gear_joint.cpp, 2020.
//! Differs: angles count full turns, so a drift is corrected after any number of turns.

use crate::bodies::body::Body;
use crate::bodies::free::{delta_rotation, motion, set_motion};
use crate::impulses::lane_vec::State;
use crate::joints::fault::JointFault;
use crate::joints::gear_parts::{GearParts, GearStep};
use crate::joints::joint::Joint;
use crate::joints::kind::JointKind;
use crate::joints::mass::JointMass;
use crate::joints::rows::{JointStep, Jointed, hinge_angle, inverse_or_zero};
use crate::joints::softness::Softness;
use crate::joints::torsion_spring::Winding;
use carom_math::{Mat3, Pose, Real, Vec3, rotation};
use core::f32::consts::PI;

impl Joint {
    /// Returns a gear of two revolute or prismatic joints, or a rack and pinion of a prismatic and
    /// a revolute joint, in this order. `bodies` are A and B of each joint.
    ///
    /// Errors: [`JointFault::Needs`] for joints of other kinds, and [`JointFault::SameBody`] if
    /// both have the same body B.
    pub fn gear(kind: JointKind, joints: [&Joint; 2], bodies: [[&Body; 2]; 2]) -> Result<Joint, JointFault> {
        let is_wheel = joints.map(|joint| matches!(joint.kind, JointKind::Revolute { .. }));
        let slides = joints.map(|joint| matches!(joint.kind, JointKind::Prismatic { .. }));
        let factor = match kind {
            JointKind::Gear { .. } if (0..2).any(|k| !is_wheel[k] && !slides[k]) => {
                return Err(JointFault::Needs("two revolute or prismatic joints"));
            }
            JointKind::RackAndPinion { .. } if !(slides[0] && is_wheel[1]) => {
                return Err(JointFault::Needs("a prismatic and a revolute joint"));
            }
            _ => kind.gear_factor().ok_or(JointFault::Needs("two bodies instead of two joints"))?,
        };
        if joints[0].body_b == joints[1].body_b {
            return Err(JointFault::SameBody);
        }
        let turns = joints.map(|joint| joint.frame_a).into_iter().zip(joints.map(|joint| joint.frame_b));
        let mut windings = [Winding::default(); 2];
        for ((winding, (frame_a, frame_b)), [a, b]) in windings.iter_mut().zip(turns).zip(bodies) {
            let turn = |body: &Body, frame: Pose| rotation::mul(body.pose.rotation, frame.rotation);
            winding.angle = hinge_angle(turn(a, frame_a), turn(b, frame_b));
        }
        let [first, second] = [0, 1].map(|k| {
            let [a, b] = bodies[k];
            joints[k].translation(a, b).unwrap_or(windings[k].total())
        });
        let mut gear = Joint::new(kind, joints.map(|joint| joint.body_b), joints.map(|joint| joint.frame_b));
        gear.gear = Some(GearParts {
            mounts: joints.map(|joint| joint.body_a),
            frames: joints.map(|joint| joint.frame_a),
            slides,
            windings,
            rest: first + f64::from(factor) * second,
        });
        Ok(gear)
    }

    /// Changes the ratio of a pulley, a gear, or a rack and pinion. A gear stays at its
    /// present coordinates. `bodies` are those of the solver.
    ///
    /// Errors: the kind has no ratio, or the ratio is out of its range. Nothing is changed then.
    pub fn set_ratio(&mut self, new: Real, bodies: &[Body]) -> Result<(), JointFault> {
        let mut kind = self.kind;
        match &mut kind {
            JointKind::Pulley { ratio, .. }
            | JointKind::Gear { ratio }
            | JointKind::RackAndPinion { ratio } => *ratio = new,
            _ => return Err(JointFault::NotOfKind("ratio")),
        }
        kind.validate()?;
        let old = core::mem::replace(&mut self.kind, kind).gear_factor();
        if let (Some(gear), Some(old), Some(new)) = (&mut self.gear, old, kind.gear_factor()) {
            let ends = [(gear.mounts[1], gear.frames[1]), (self.body_b, self.frame_b)];
            let pose = |(body, frame): (u32, Pose)| Some((bodies.get(body as usize)?, frame));
            let [mount, part] = ends.map(pose);
            let present = mount.zip(part).and_then(|((a, frame_a), (b, frame_b))| {
                if gear.slides[1] {
                    let slider = Joint::new(JointKind::FREE_PRISMATIC, [0, 1], [frame_a, frame_b]);
                    return slider.translation(a, b);
                }
                // The stored winding is that after the last step. Since then, only the caller has
                // turned the wheel.
                let turn = |body: &Body, frame: Pose| rotation::mul(body.pose.rotation, frame.rotation);
                let angle = hinge_angle(turn(a, frame_a), turn(b, frame_b));
                Some(gear.windings[1].at(angle, 0.0).total())
            });
            let second = present.unwrap_or(gear.windings[1].total());
            gear.rest += f64::from(new - old) * second;
        }
        Ok(())
    }

    /// Checks that the joint couples two joints exactly if its kind does, with finite numbers.
    pub(crate) fn is_gear_sound(&self) -> bool {
        match (&self.gear, self.kind.gear_factor()) {
            (None, None) => true,
            (Some(gear), Some(_)) => {
                gear.frames.iter().all(|frame| Pose::try_new(frame.rotation, frame.translation).is_ok())
                    && gear.windings.iter().all(|winding| winding.is_sound())
                    && gear.rest.is_finite()
            }
            _ => false,
        }
    }

    /// Whether the bodies of the joint exist. A and B are two of `n_bodies` bodies, and the bodies
    /// that carry them are among these too.
    pub(crate) fn has_bodies(&self, n_bodies: usize) -> bool {
        let exists = |body: u32| (body as usize) < n_bodies;
        self.body_a != self.body_b
            && exists(self.body_a)
            && exists(self.body_b)
            && self.gear.is_none_or(|gear| gear.mounts.into_iter().all(exists))
    }
}

/// One of the four bodies of a gear in one iteration: its part of the row, and its state.
struct GearBody {
    slot: usize,
    linear: Vec3,
    angular: Vec3,
    mass: Real,
    inertia: Mat3,
}

impl JointStep {
    /// Adds the mounts of a gear, the bodies that carry A and B. `slots` are those of the mounts,
    /// and `parts` the bodies A and B.
    pub(crate) fn mount(&mut self, gear: &GearParts, bodies: &[Body], parts: [&Body; 2], slots: [usize; 2]) {
        let mounts = gear.mounts.map(|body| &bodies[body as usize]);
        let on = |k: usize| (mounts[k], &gear.frames[k]);
        let anchors = [on(0), on(1)]
            .map(|(body, frame)| body.pose.transform_vector(frame.translation - body.center_of_mass));
        let rotations = [on(0), on(1)]
            .map(|(body, frame)| rotation::normalize(rotation::mul(body.pose.rotation, frame.rotation)));
        let between = [0, 1].map(|k| parts[k].world_center() - mounts[k].world_center());
        self.gear = Some(GearStep { slots, anchors, between, rotations, error: 0.0 });
    }

    /// Counts the turns of the wheels, after they have turned by their velocities for a time `h`.
    pub(crate) fn count_gear_turns(&self, joint: &mut Joint, states: &[State], h: Real) {
        let (Some(step), Some(gear)) = (&self.gear, &mut joint.gear) else { return };
        let part_slots = [self.slots.0, self.slots.1];
        for k in 0..2 {
            let [mount, part] = [step.slots[k], part_slots[k]].map(|slot| &states[slot]);
            let rotation_a = rotation::mul(delta_rotation(mount), step.rotations[k]);
            let rotation_b = rotation::mul(delta_rotation(part), [self.rotation_a, self.rotation_b][k]);
            let axis = rotation::rotate(rotation_a, Vec3::X);
            let speed = axis.dot(motion(part).1 - motion(mount).1);
            // A jointed body turns by at most half a turn in a substep, however fast it is.
            let turned = (speed * h).clamp(-PI, PI);
            gear.windings[k] = gear.windings[k].at(hinge_angle(rotation_a, rotation_b), turned);
        }
    }

    /// Finds the error of the row.
    pub(crate) fn begin_gear(&mut self, joint: &Joint, states: &[State]) {
        let (Some(step), Some(gear), Some(factor)) = (&self.gear, &joint.gear, joint.kind.gear_factor())
        else {
            return;
        };
        let [first, second] = [0, 1].map(|k| {
            if !gear.slides[k] {
                return gear.windings[k].total();
            }
            let mount = delta_rotation(&states[step.slots[k]]);
            let offset = self.rack_arm(step, k, states) - rotation::rotate(mount, step.anchors[k]);
            let axis = rotation::rotate(rotation::mul(mount, step.rotations[k]), Vec3::X);
            f64::from(axis.dot(offset))
        });
        let error = first + f64::from(factor) * second - gear.rest;
        self.gear = Some(GearStep { error: error as Real, ..*step });
    }

    /// Applies the impulse of the substep before.
    pub(crate) fn start_gear(&self, joint: &Joint, masses: &[JointMass], bodies: &mut Jointed) {
        if let Some(parts) = self.parts(joint, masses, bodies.states) {
            apply(&parts, joint.impulse.lower, bodies);
        }
    }

    /// Does one iteration of impulses.
    pub(crate) fn solve_gear(
        &self,
        joint: &mut Joint,
        masses: &[JointMass],
        bodies: &mut Jointed,
        soft_for: impl Fn(Real) -> Softness,
    ) {
        let (Some(parts), Some(step)) = (self.parts(joint, masses, bodies.states), self.gear) else {
            return;
        };
        let (mut speed, mut inverse_effective_mass) = (0.0, 0.0);
        for part in &parts {
            let (v, w) = motion(&bodies.states[part.slot]);
            speed += part.linear.dot(v) + part.angular.dot(w);
            inverse_effective_mass +=
                part.mass * part.linear.length_squared() + part.angular.dot(part.inertia * part.angular);
        }
        let old = joint.impulse.lower;
        let mass = inverse_or_zero(inverse_effective_mass);
        let soft = soft_for(mass);
        let change =
            -mass * soft.mass_scale * (speed + soft.bias_rate * step.error) - soft.impulse_scale * old;
        joint.impulse.lower = old + change;
        apply(&parts, change, bodies);
    }

    /// Returns the impulses on B, the second body that turns or slides: the linear one at its
    /// joint point, and the angular one. `None` if the joint is not a gear.
    pub(crate) fn gear_load(&self, joint: &Joint, states: &[State]) -> Option<(Vec3, Vec3)> {
        let (step, factor) = (self.gear?, joint.kind.gear_factor()?);
        let turn = rotation::mul(delta_rotation(&states[step.slots[1]]), step.rotations[1]);
        let impulse = rotation::rotate(turn, Vec3::X) * (factor * joint.impulse.lower);
        Some(if joint.gear?.slides[1] { (impulse, Vec3::ZERO) } else { (Vec3::ZERO, impulse) })
    }

    /// Returns the row of a gear, by body: the two that carry, and the two that turn or slide. If
    /// a body is several of these, the first entry has the sum.
    fn parts(&self, joint: &Joint, masses: &[JointMass], states: &[State]) -> Option<[GearBody; 4]> {
        let (step, gear, factor) = (self.gear?, joint.gear?, joint.kind.gear_factor()?);
        let part = |slot: usize, linear: Vec3, angular: Vec3| {
            let JointMass { moving, turning } = masses[slot];
            GearBody { slot, linear, angular, mass: moving, inertia: turning }
        };
        // The row of each joint: the direction, and the axes for the body and for its mount.
        let [one, two] = [0, 1].map(|k| {
            let turn = rotation::mul(delta_rotation(&states[step.slots[k]]), step.rotations[k]);
            let axis = rotation::rotate(turn, Vec3::X) * [1.0, factor][k];
            if gear.slides[k] {
                (axis, self.part_arm(k, states).cross(axis), self.rack_arm(&step, k, states).cross(axis))
            } else {
                (Vec3::ZERO, axis, axis)
            }
        });
        let mut parts = [
            part(self.slots.0, one.0, one.1),
            part(step.slots[0], -one.0, -one.2),
            part(self.slots.1, two.0, two.1),
            part(step.slots[1], -two.0, -two.2),
        ];
        for later in 1..4 {
            let (linear, angular) = (parts[later].linear, parts[later].angular);
            let slot = parts[later].slot;
            if let Some(earlier) = (0..later).find(|&earlier| parts[earlier].slot == slot) {
                parts[earlier].linear += linear;
                parts[earlier].angular += angular;
                (parts[later].linear, parts[later].angular) = (Vec3::ZERO, Vec3::ZERO);
            }
        }
        Some(parts)
    }

    /// Returns the vector from the centre of mass of the mount of a slider to the joint point on
    /// the body that slides.
    fn rack_arm(&self, step: &GearStep, k: usize, states: &[State]) -> Vec3 {
        let (mount, rack) = (&states[step.slots[k]], &states[[self.slots.0, self.slots.1][k]]);
        step.between[k] + moved(rack) - moved(mount) + self.part_arm(k, states)
    }

    /// Returns the vector from the centre of mass of a body that turns or slides to its joint
    /// point.
    fn part_arm(&self, k: usize, states: &[State]) -> Vec3 {
        let (slot, anchor) = [(self.slots.0, self.anchor_a), (self.slots.1, self.anchor_b)][k];
        rotation::rotate(delta_rotation(&states[slot]), anchor)
    }
}

/// Applies an impulse along the row.
fn apply(parts: &[GearBody; 4], impulse: Real, bodies: &mut Jointed) {
    for part in parts {
        let (v, w) = (part.linear * (part.mass * impulse), part.inertia * (part.angular * impulse));
        let state = &mut bodies.states[part.slot];
        let (old_v, old_w) = motion(state);
        set_motion(state, old_v + v, old_w + w);
        bodies.pushes[part.slot].0 += v;
        bodies.pushes[part.slot].1 += w;
    }
}

fn moved(state: &State) -> Vec3 {
    Vec3::new(state.back[0], state.back[1], state.back[2])
}
