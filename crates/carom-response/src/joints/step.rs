//! One joint in the substeps of a step: warm start, solve, relax.
//!
//! Each substep warm starts the joint with the impulses of the substep before, solves it as a soft
//! constraint with bias, and relaxes it without bias after the bodies have moved.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (soft joints).

use crate::bodies::body::Body;
use crate::bodies::free::motion;
use crate::bodies::mass::MassData;
use crate::contacts::contact::scale_for;
use crate::impulses::lane_vec::State;
use crate::joints::axes::{self, Axes};
use crate::joints::joint::Joint;
use crate::joints::kind::{JointAxis, JointKind};
use crate::joints::load::{JointImpulse, JointLoad};
use crate::joints::mass::{JointMass, Lever, inverse_at};
use crate::joints::pulley::Rope;
use crate::joints::rows::{JointStep, Jointed, Rows, Solver, Substep, angle_near, inverse_or_zero, limit};
use crate::joints::softness::Softness;
use carom_math::{Quat, Real, Vec3, rotation};

impl JointStep {
    pub(crate) fn idle() -> JointStep {
        JointStep {
            is_idle: true,
            solver: Solver::Rows,
            slots: (0, 0),
            movable: (false, false),
            rows: Rows::default(),
            anchor_a: Vec3::ZERO,
            anchor_b: Vec3::ZERO,
            between: Vec3::ZERO,
            rotation_a: Quat::IDENTITY,
            rotation_b: Quat::IDENTITY,
            start_speed: 0.0,
            centers: [Vec3::ZERO; 2],
            gear: None,
        }
    }

    /// Returns the data of a joint. `slots` are those of its two bodies.
    pub(crate) fn new(
        joint: &Joint,
        a: &Body,
        b: &Body,
        slots: (usize, usize),
        movable: (bool, bool),
    ) -> JointStep {
        JointStep {
            is_idle: false,
            solver: Solver::Rows,
            slots,
            movable,
            rows: Rows::default(),
            anchor_a: a.pose.transform_vector(joint.frame_a.translation - a.center_of_mass),
            anchor_b: b.pose.transform_vector(joint.frame_b.translation - b.center_of_mass),
            between: b.world_center() - a.world_center(),
            rotation_a: rotation::normalize(rotation::mul(a.pose.rotation, joint.frame_a.rotation)),
            rotation_b: rotation::normalize(rotation::mul(b.pose.rotation, joint.frame_b.rotation)),
            start_speed: 0.0,
            centers: [a.world_center(), b.world_center()],
            gear: None,
        }
    }

    /// Returns the levers of its bodies: the vectors from the centre of mass to the joint point
    /// and, if the joint transmits a torque, to the centre of the other body.
    pub(crate) fn levers(&self, joint: &Joint, masses: &[MassData]) -> impl Iterator<Item = Lever> + Clone {
        let (a, b) = self.slots;
        let near = [(a, None, self.anchor_a), (b, None, self.anchor_b)];
        let far = [(a, Some(b), self.between), (b, Some(a), -self.between)];
        let is_lever = !self.is_idle && self.gear.is_none();
        let reaches = is_lever && joint.kind.holds_rotation() && self.movable == (true, true);
        let near = near.into_iter().filter(move |_| is_lever);
        let levers = near.chain(far.into_iter().filter(move |_| reaches));
        levers.map(|(slot, load, arm)| {
            let inverse = inverse_at(arm, &masses[slot].inertia_matrix());
            Lever { slot, arm, load, inverse }
        })
    }

    /// Records the angle and the speed of a joint with a torsion spring, before the forces of a
    /// substep act. `is_first` is true in the first substep of a step.
    pub(crate) fn begin(&mut self, joint: &mut Joint, states: &[State], is_first: bool) {
        if is_first {
            // The load is summed up over the substeps of one step.
            joint.load = JointLoad::default();
            joint.impulse.drop_unsolved(&joint.kind, joint.torsion_spring.is_some());
        }
        if self.is_idle {
            return;
        }
        if is_first {
            // Since the last step, only the caller has turned the bodies.
            self.count_turns(joint, states, 0.0);
        }
        self.begin_gear(joint, states);
        if joint.torsion_spring.is_some() {
            self.start_speed = self.load(states).hinge_speed();
        }
    }

    /// Counts the turns of a hinge with a torsion spring, and of the wheels of a gear, after the
    /// bodies have turned by their velocities for a time `h`.
    pub(crate) fn count_turns(&self, joint: &mut Joint, states: &[State], h: Real) {
        if self.is_idle {
            return;
        }
        self.count_gear_turns(joint, states, h);
        if joint.torsion_spring.is_some() {
            let rows = self.load(states);
            joint.winding = joint.winding.at(rows.limited.1, rows.hinge_speed() * h);
        }
    }

    /// Applies the impulses of the step before, scaled to the length of this substep.
    pub(crate) fn warm_start(
        &self,
        joint: &mut Joint,
        masses: &[JointMass],
        bodies: &mut Jointed,
        substep: &Substep,
    ) {
        if self.is_idle {
            return;
        }
        let mut rows = self.load(bodies.states);
        let i = &mut joint.impulse;
        if self.solver == Solver::Tree {
            // A direct solution needs no start.
            *i = JointImpulse { substep: substep.h, ..JointImpulse::default() };
            return;
        }
        if rows.whirl(&joint.kind, substep) {
            *i = JointImpulse::default();
            return;
        }
        i.rescale(scale_for(substep.h, i.substep), substep.h);
        if self.gear.is_some() {
            return self.start_gear(joint, masses, bodies);
        }
        match joint.kind {
            JointKind::Pulley { supports, ratio, .. } => {
                rope(&rows, supports, ratio).warm_start(&mut rows, i)
            }
            JointKind::Gear { .. } | JointKind::RackAndPinion { .. } => {}
            JointKind::Prismatic { .. } | JointKind::Screw { .. } | JointKind::SixDof(_) => {
                Axes::of(&rows).push_all(&mut rows, i);
            }
            JointKind::Distance { .. } => {
                let direction = rows.along();
                rows.push(direction * (i.lower - i.upper));
            }
            JointKind::Weld | JointKind::Spherical { .. } | JointKind::Revolute { .. } => {
                rows.push(i.linear);
                rows.twist(i.angular);
                let axis = rows.limited.0;
                match joint.kind {
                    JointKind::Revolute { .. } => rows.twist(axis * about_axis(i)),
                    JointKind::Spherical { twist, .. } => {
                        rows.twist(axis * -i.upper);
                        if twist.is_some() {
                            rows.start_twist(i);
                        }
                    }
                    _ => {}
                }
            }
        }
        rows.store(self, bodies);
    }

    /// Does one iteration of impulses.
    pub(crate) fn solve(
        &self,
        joint: &mut Joint,
        masses: &[JointMass],
        bodies: &mut Jointed,
        substep: &Substep,
        may_spring: bool,
    ) {
        if self.is_idle {
            return;
        }
        let mut rows = self.load(bodies.states);
        let h = substep.h;
        if joint.spring.is_some() && !may_spring {
            // A soft joint is not relaxed: that would make it rigid.
            return;
        }
        let has_springs = may_spring && !rows.whirl(&joint.kind, substep);
        let spring = joint.spring;
        let soft_for = |mass: Real| match spring {
            _ if !has_springs => Softness::RIGID,
            Some(spring) => spring.softness(h, mass),
            None => substep.softness,
        };
        if self.gear.is_some() {
            return self.solve_gear(joint, masses, bodies, soft_for);
        }
        // Only pulleys and gears need the mass: other joints with a stiffness are parts of trees.
        let soft = soft_for(1.0);
        if let Some(spring) = joint.torsion_spring.filter(|_| may_spring) {
            let axis = rows.limited.0;
            let (speed, old) = (rows.hinge_speed(), joint.impulse.spring);
            let turning = rows.inverse_effective_inertia(axis);
            let new = spring.impulse(joint.deviation(&spring), self.start_speed, speed, old, turning, h);
            rows.twist(axis * (new - old));
            joint.impulse.spring = new;
        }
        let i = &mut joint.impulse;
        match joint.kind {
            JointKind::Prismatic { .. } | JointKind::Screw { .. } | JointKind::SixDof(_) => {
                if let Some(axes) = joint.kind.axes() {
                    axes::solve(&axes, &mut rows, i, (soft, has_springs), h);
                }
            }
            JointKind::Pulley { supports, ratio, length } => {
                rope(&rows, supports, ratio).solve(&mut rows, i, length, soft_for, h);
            }
            JointKind::Gear { .. } | JointKind::RackAndPinion { .. } => {}
            JointKind::Distance { min, max } => {
                let (length, direction) = (rows.offset().length(), rows.along());
                let mass = inverse_or_zero(rows.inverse_effective_mass(direction));
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
            JointKind::Weld => {
                rows.hold_turn(i, soft);
                rows.hold_point(i, soft);
            }
            JointKind::Spherical { cone, twist } => {
                if joint.kind.locks_bend() {
                    rows.hold_axis(i, rows.limited.0, soft);
                } else if cone < core::f32::consts::PI {
                    let (bend, angle) = rows.limited;
                    let mass = rows.limited_mass;
                    let speed = -bend.dot(rows.w_b - rows.w_a);
                    let change = limit(&mut i.upper, cone - angle, speed, mass, soft, h);
                    rows.twist(bend * -change);
                }
                if let Some(limits) = twist {
                    rows.limit_twist(i, limits, soft, h);
                }
                rows.hold_point(i, soft);
            }
            JointKind::Revolute { limits, motor } => {
                let (axis, angle) = rows.limited;
                let mass = rows.limited_mass;
                let near = |[low, high]: [Real; 2]| angle_near(angle, 0.5 * (low + high));
                if let Some(motor) = motor.filter(|motor| !motor.is_position()) {
                    let motor = limits.map_or(motor, |limits| motor.within(near(limits), limits, h));
                    let (speed, old) = (axis.dot(rows.w_b - rows.w_a), i.motors[ABOUT_X]);
                    let change = motor.change(old, (0.0, speed, mass), has_springs, h);
                    rows.twist(axis * change);
                    i.motors[ABOUT_X] = old + change;
                }
                if let Some([low, high]) = limits {
                    let angle = near([low, high]);
                    let speed = axis.dot(rows.w_b - rows.w_a);
                    let change = limit(&mut i.lower, angle - low, speed, mass, soft, h);
                    rows.twist(axis * change);
                    let speed = -axis.dot(rows.w_b - rows.w_a);
                    let change = limit(&mut i.upper, high - angle, speed, mass, soft, h);
                    rows.twist(axis * -change);
                }
                // Keeps the axes aligned: no rotation across A's axis.
                rows.hold_axis(i, axis, soft);
                rows.hold_point(i, soft);
                if let Some(motor) = motor.filter(|motor| motor.is_position() && has_springs) {
                    axes::turn_to(&motor, &mut rows, i, h);
                }
            }
        }
        rows.store(self, bodies);
    }

    /// Adds the impulses of a substep of length `h` to the load of the joint.
    pub(crate) fn add_load(&self, joint: &mut Joint, states: &[State], h: Real) {
        if self.is_idle {
            return;
        }
        let of_gear = self.gear_load(joint, states);
        joint.load.add(of_gear.unwrap_or_else(|| load(&self.rows, &joint.kind, &joint.impulse)), h);
    }

    /// Returns the slot of one of its bodies that forces move.
    pub(crate) fn own_slot(&self) -> usize {
        if self.movable.0 { self.slots.0 } else { self.slots.1 }
    }

    /// Returns the velocity of B's joint point relative to A's.
    pub(crate) fn parting_velocity(&self, states: &[State]) -> Vec3 {
        let velocity = |slot: usize, anchor: Vec3| {
            let (v, w) = motion(&states[slot]);
            v + w.cross(anchor)
        };
        velocity(self.slots.1, self.rows.anchor_b) - velocity(self.slots.0, self.rows.anchor_a)
    }
}

/// The index of the axis of a revolute joint among the six axes.
const ABOUT_X: usize = JointAxis::AngX as usize;

/// Returns the angular impulse about the axis of a revolute joint.
fn about_axis(i: &JointImpulse) -> Real {
    i.motors[ABOUT_X] + i.spring + i.lower - i.upper
}

/// Returns the rope of a pulley.
fn rope(rows: &Rows, supports: [Vec3; 2], ratio: Real) -> Rope {
    Rope { ends: [rows.points[0] - supports[0], rows.points[1] - supports[1]], ratio }
}

/// Returns the impulses on B in the world frame: at the joint point, and the angular one about it.
fn load(rows: &Rows, kind: &JointKind, i: &JointImpulse) -> (Vec3, Vec3) {
    match kind {
        JointKind::Prismatic { .. } | JointKind::Screw { .. } | JointKind::SixDof(_) => {
            Axes::of(rows).load(i)
        }
        JointKind::Distance { .. } => (rows.along() * (i.lower - i.upper), Vec3::ZERO),
        JointKind::Pulley { supports, ratio, .. } => (rope(rows, *supports, *ratio).pull_on_b(i), Vec3::ZERO),
        JointKind::Gear { .. } | JointKind::RackAndPinion { .. } => (Vec3::ZERO, Vec3::ZERO),
        JointKind::Weld => (i.linear, i.angular),
        JointKind::Spherical { .. } => {
            (i.linear, i.angular - rows.limited.0 * i.upper + rows.twist_impulse(i))
        }
        JointKind::Revolute { .. } => (i.linear, i.angular + rows.limited.0 * about_axis(i)),
    }
}
