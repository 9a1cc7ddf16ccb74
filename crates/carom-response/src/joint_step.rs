//! One joint in the substeps of a step: warm start, solve, relax.
//!
//! Each substep warm starts the joint with the impulses of the substep before, solves it as a
//! damped spring, and relaxes it without one after the bodies moved.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (soft joints).

use crate::body::Body;
use crate::contact::scale_for;
use crate::joint::Joint;
use crate::joint_axes::{self, Axes, SliderMotor};
use crate::joint_kind::JointKind;
use crate::joint_load::{JointImpulse, JointLoad};
use crate::joint_mass::JointScale;
use crate::joint_rows::{
    JointStep, Jointed, Rows, Softness, Substep, angle_near, inverse_or_zero, invert, limit,
};
use crate::lane_vec::State;
use crate::mass::MassData;
use carom_math::{Quat, Real, Vec3, rotation};

impl JointStep {
    pub(crate) const fn idle() -> JointStep {
        JointStep {
            is_idle: true,
            slots: (0, 0),
            movable: (false, false),
            scales: (JointScale::NONE, JointScale::NONE),
            anchor_a: Vec3::ZERO,
            anchor_b: Vec3::ZERO,
            between: Vec3::ZERO,
            rotation_a: Quat::IDENTITY,
            rotation_b: Quat::IDENTITY,
            start_speed: 0.0,
        }
    }

    /// `slots` and `scales` are those of the two bodies; see
    /// [`JointMasses`](crate::joint_mass::JointMasses).
    pub(crate) fn new(
        joint: &Joint,
        a: &Body,
        b: &Body,
        slots: (usize, usize),
        scales: (JointScale, JointScale),
        movable: (bool, bool),
    ) -> JointStep {
        JointStep {
            is_idle: false,
            slots,
            movable,
            scales,
            anchor_a: a.pose.transform_vector(joint.frame_a.translation - a.center_of_mass),
            anchor_b: b.pose.transform_vector(joint.frame_b.translation - b.center_of_mass),
            between: b.world_center() - a.world_center(),
            rotation_a: rotation::normalize(rotation::mul(a.pose.rotation, joint.frame_a.rotation)),
            rotation_b: rotation::normalize(rotation::mul(b.pose.rotation, joint.frame_b.rotation)),
            start_speed: 0.0,
        }
    }

    /// Records the angle and the speed of a hinge with a spring, before the forces of a substep
    /// act. `is_first`: of a step.
    pub(crate) fn begin(
        &mut self,
        joint: &mut Joint,
        masses: &[MassData],
        states: &[State],
        (h, is_first): (Real, bool),
    ) {
        if is_first {
            // The load is summed up over the substeps of one step.
            joint.load = JointLoad::default();
        }
        if self.is_idle || joint.spring.is_none() {
            return;
        }
        let rows = Rows::load(self, masses, states);
        self.start_speed = rows.hinge_speed();
        // The winding of the substep before resolves the number of turns.
        joint.winding = joint.winding.at(rows.hinge_angle(), self.start_speed * h);
    }

    /// Applies the impulses of the step before, scaled to the length of this substep.
    pub(crate) fn warm_start(
        &self,
        joint: &mut Joint,
        masses: &[MassData],
        bodies: &mut Jointed,
        substep: &Substep,
    ) {
        if self.is_idle {
            return;
        }
        let mut rows = Rows::load(self, masses, bodies.states);
        let i = &mut joint.impulse;
        if rows.whirl(&joint.kind, substep) {
            *i = JointImpulse::default();
            return;
        }
        let ratio = scale_for(substep.h, i.substep);
        i.substep = substep.h;
        i.linear *= ratio;
        i.angular *= ratio;
        i.lower *= ratio;
        i.upper *= ratio;
        i.motor *= ratio;
        i.spring *= ratio;
        i.limits.iter_mut().flatten().for_each(|limit| *limit *= ratio);
        match joint.kind {
            JointKind::Prismatic { .. } | JointKind::SixDof(_) => Axes::of(&rows).push_all(&mut rows, i),
            JointKind::Distance { .. } => {
                let direction = rows.along();
                rows.push(direction * (i.lower - i.upper));
            }
            JointKind::Fixed | JointKind::Ball { .. } | JointKind::Hinge { .. } => {
                rows.push(i.linear);
                rows.twist(i.angular);
                let axis = rotation::rotate(rows.rotation_a, Vec3::X);
                match joint.kind {
                    JointKind::Hinge { .. } => {
                        rows.twist(axis * (i.motor + i.spring + i.lower - i.upper));
                    }
                    JointKind::Ball { .. } => {
                        let (bend, _) = rows.bend();
                        rows.twist(bend * -i.upper);
                    }
                    _ => {}
                }
            }
        }
        rows.store(self, bodies);
    }

    /// One iteration of impulses.
    pub(crate) fn solve(
        &self,
        joint: &mut Joint,
        masses: &[MassData],
        bodies: &mut Jointed,
        substep: &Substep,
        may_spring: bool,
    ) {
        if self.is_idle {
            return;
        }
        let mut rows = Rows::load(self, masses, bodies.states);
        let h = substep.h;
        let has_springs = may_spring && !rows.whirl(&joint.kind, substep);
        let soft = if has_springs { substep.softness } else { Softness::RIGID };
        if let Some(spring) = joint.spring.filter(|_| has_springs) {
            let axis = rotation::rotate(rows.rotation_a, Vec3::X);
            let (speed, old) = (rows.hinge_speed(), joint.impulse.spring);
            let turning = rows.felt_turning(axis);
            let new = spring.impulse(joint.deviation(&spring), self.start_speed, speed, old, turning, h);
            rows.twist(axis * (new - old));
            joint.impulse.spring = new;
        }
        let position_motor = joint.position_motor;
        let i = &mut joint.impulse;
        match joint.kind {
            JointKind::Prismatic { .. } | JointKind::SixDof(_) => {
                let velocity = match joint.kind {
                    JointKind::Prismatic { motor, .. } => motor,
                    _ => None,
                };
                let motor = SliderMotor { velocity, position: position_motor };
                if let Some(axes) = joint.kind.axes() {
                    joint_axes::solve(&axes, &motor, &mut rows, i, soft, h);
                }
            }
            JointKind::Distance { min, max } => {
                let (length, direction) = (rows.offset().length(), rows.along());
                let mass = inverse_or_zero(rows.felt(direction));
                if min == max {
                    let speed = direction.dot(rows.velocity());
                    let old = i.lower - i.upper;
                    let change = -mass * soft.mass_scale * (speed + soft.bias_rate * (length - min))
                        - soft.impulse_scale * old;
                    let new = old + change;
                    (i.lower, i.upper) = (new.max(0.0), (-new).max(0.0));
                    rows.push(direction * change);
                } else {
                    let speed = direction.dot(rows.velocity());
                    let change = limit(&mut i.lower, length - min, speed, mass, soft, h);
                    rows.push(direction * change);
                    let speed = -direction.dot(rows.velocity());
                    let change = limit(&mut i.upper, max - length, speed, mass, soft, h);
                    rows.push(direction * -change);
                }
            }
            JointKind::Fixed => {
                // The remaining rotation between the frames, which is small.
                let left = rotation::mul(rows.rotation_b, rows.rotation_a.conjugate());
                let left = if left.w < 0.0 { -left } else { left };
                let error = Vec3::new(left.x, left.y, left.z) * 2.0;
                let spin = rows.w_b - rows.w_a;
                let mass = invert(rows.inertia_a + rows.inertia_b);
                let change = mass * (spin + error * soft.bias_rate) * -soft.mass_scale
                    - i.angular * soft.impulse_scale;
                i.angular += change;
                rows.twist(change);
                rows.hold_point(i, soft);
            }
            JointKind::Ball { cone } => {
                if cone < core::f32::consts::PI {
                    let (bend, angle) = rows.bend();
                    let mass = inverse_or_zero(rows.felt_turning(bend));
                    let speed = -bend.dot(rows.w_b - rows.w_a);
                    let change = limit(&mut i.upper, cone - angle, speed, mass, soft, h);
                    rows.twist(bend * -change);
                }
                rows.hold_point(i, soft);
            }
            JointKind::Hinge { limits, motor } => {
                let axis = rotation::rotate(rows.rotation_a, Vec3::X);
                let mass = inverse_or_zero(rows.felt_turning(axis));
                if let Some(motor) = motor.filter(|_| position_motor.is_none()) {
                    let speed = axis.dot(rows.w_b - rows.w_a);
                    let most = motor.max_torque * h;
                    let new = (i.motor + mass * (motor.speed - speed)).clamp(-most, most);
                    rows.twist(axis * (new - i.motor));
                    i.motor = new;
                }
                if let Some([low, high]) = limits {
                    let angle = angle_near(rows.hinge_angle(), 0.5 * (low + high));
                    let speed = axis.dot(rows.w_b - rows.w_a);
                    let change = limit(&mut i.lower, angle - low, speed, mass, soft, h);
                    rows.twist(axis * change);
                    let speed = -axis.dot(rows.w_b - rows.w_a);
                    let change = limit(&mut i.upper, high - angle, speed, mass, soft, h);
                    rows.twist(axis * -change);
                }
                // Keeps the axes aligned: no rotation across A's axis.
                let error = axis.cross(rotation::rotate(rows.rotation_b, Vec3::X));
                let spin = rows.w_b - rows.w_a;
                let across = |v: Vec3| v - axis * axis.dot(v);
                let (p, q) = axis.any_orthonormal_pair();
                let inertia = rows.inertia_a + rows.inertia_b;
                let (k11, k12, k22) = (p.dot(inertia * p), p.dot(inertia * q), q.dot(inertia * q));
                let determinant = k11 * k22 - k12 * k12;
                if 0.0 < determinant {
                    let want = spin + error * soft.bias_rate;
                    let (x, y) = (p.dot(want), q.dot(want));
                    let solved =
                        p * ((k22 * x - k12 * y) / determinant) + q * ((k11 * y - k12 * x) / determinant);
                    let old = across(i.angular);
                    let change = solved * -soft.mass_scale - old * soft.impulse_scale;
                    i.angular = old + change;
                    rows.twist(change);
                }
                rows.hold_point(i, soft);
                if let Some(motor) = position_motor.filter(|_| has_springs) {
                    joint_axes::turn_hinge(&motor, &mut rows, i, h);
                }
            }
        }
        if !may_spring {
            joint.load.add(load(&rows, &joint.kind, &joint.impulse), h);
        }
        rows.store(self, bodies);
    }
}

/// The impulses on B in the world frame: at the joint point, and the angular one about it.
fn load(rows: &Rows, kind: &JointKind, i: &JointImpulse) -> (Vec3, Vec3) {
    match kind {
        JointKind::Prismatic { .. } | JointKind::SixDof(_) => Axes::of(rows).load(i),
        JointKind::Distance { .. } => (rows.along() * (i.lower - i.upper), Vec3::ZERO),
        JointKind::Fixed => (i.linear, i.angular),
        JointKind::Ball { .. } => (i.linear, i.angular - rows.bend().0 * i.upper),
        JointKind::Hinge { .. } => {
            let axis = rotation::rotate(rows.rotation_a, Vec3::X);
            (i.linear, i.angular + axis * (i.motor + i.spring + i.lower - i.upper))
        }
    }
}
