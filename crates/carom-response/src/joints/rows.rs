//! The two bodies of a joint during one iteration, and the rows that several kinds share.
//!
//! Poses change once in a substep, velocities in each iteration. So a joint keeps its rows
//! (Jacobians and effective masses) until the poses change, and an iteration loads velocities only.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (soft joints); E. Catto, Modeling and Solving
//! Constraints, GDC 2009.

use crate::bodies::free::{delta_rotation, motion};
use crate::impulses::lane_vec::State;
use crate::joints::gear_parts::GearStep;
use crate::joints::kind::JointKind;
use crate::joints::load::JointImpulse;
use crate::joints::mass::{JointMass, invert};
use crate::joints::softness::Softness;
use crate::joints::torsion_spring::MAX_TURN;
use carom_math::{Mat3, Quat, Real, Vec3, ops, rotation};
use core::ops::Deref;

/// Parameters shared by all joints of a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Substep {
    pub(crate) h: Real,
    pub(crate) softness: Softness,
    pub(crate) slop: Real,
}

/// The states of the bodies, as joints change them.
pub(crate) struct Jointed<'a> {
    pub(crate) states: &'a mut [State],
    /// The velocity changes by joints in this substep, which the warm start of contacts must not
    /// repeat.
    pub(crate) pushes: &'a mut [(Vec3, Vec3)],
}

/// The way in which a joint is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Solver {
    /// By its own rows, one after the other.
    Rows,
    /// Directly, together with its tree: see `spring_trees`.
    Tree,
    /// Directly, but alone, because it closes a loop of sprung joints.
    Closing,
}

/// The data of a joint during one step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointStep {
    pub(crate) is_idle: bool,
    pub(crate) solver: Solver,
    pub(crate) slots: (usize, usize),
    pub(crate) movable: (bool, bool),
    /// The rows at the present poses of the bodies: see [`JointStep::follow`].
    pub(crate) rows: Rows,
    /// The joint points of A and B relative to their centres of mass, in the world frame, at the
    /// start of the step.
    pub(crate) anchor_a: Vec3,
    pub(crate) anchor_b: Vec3,
    /// The vector from A's centre of mass to B's, at the start of the step.
    pub(crate) between: Vec3,
    /// The rotations of the joint frames in the world.
    pub(crate) rotation_a: Quat,
    pub(crate) rotation_b: Quat,
    /// Angular velocity of B relative to A about the axis of a hinge with a torsion spring, before
    /// the impulses of the substep.
    pub(crate) start_speed: Real,
    /// The centres of mass of A and B in the world, at the start of the step.
    pub(crate) centers: [Vec3; 2],
    /// The mounts of a gear; `None` for other kinds.
    pub(crate) gear: Option<GearStep>,
}

/// The velocities of the two bodies during one iteration, with the rows of their joint.
pub(crate) struct Moving<'a> {
    pub(crate) v_a: Vec3,
    pub(crate) w_a: Vec3,
    pub(crate) v_b: Vec3,
    pub(crate) w_b: Vec3,
    rows: &'a Rows,
}

impl Deref for Moving<'_> {
    type Target = Rows;

    fn deref(&self) -> &Rows {
        self.rows
    }
}

/// The rows of a joint at the present poses of its bodies, with the masses that joints use.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rows {
    pub(crate) mass_a: Real,
    pub(crate) mass_b: Real,
    pub(crate) inertia_a: Mat3,
    pub(crate) inertia_b: Mat3,
    pub(crate) anchor_a: Vec3,
    pub(crate) anchor_b: Vec3,
    /// The vector from A's centre of mass to B's.
    pub(crate) between: Vec3,
    pub(crate) rotation_a: Quat,
    pub(crate) rotation_b: Quat,
    /// The joint points of A and B in the world.
    pub(crate) points: [Vec3; 2],
    /// For kinds that hold the point: the effective mass. Times the velocity of B's joint point
    /// relative to A's, it is the impulse that stops this velocity.
    pub(crate) point_mass: Mat3,
    /// The unit axis and the angle that a hinge or a cone limits. Other kinds do not use them, and
    /// have A's x axis and 0.
    pub(crate) limited: (Vec3, Real),
    /// The effective inertia about that axis, for a hinge or a cone.
    pub(crate) limited_mass: Real,
    /// For a weld: the effective inertia. Times the relative angular velocity, it is the angular
    /// impulse that stops this velocity.
    turn_mass: Mat3,
    /// For a hinge and a locked cone: the rows across its axis.
    across: Across,
    /// For a screw: the travel per radian; 0 for other kinds.
    pub(crate) thread: Real,
    /// For a hinge, a locked cone and a weld: the rotation of B relative to A that the joint does
    /// not leave free.
    pub(crate) turn_error: Vec3,
}

/// The rows of a hinge across its axis.
#[derive(Clone, Copy, Debug, Default)]
struct Across {
    /// Two directions across the axis.
    p: Vec3,
    q: Vec3,
    /// The inverse of the effective inertia: entries 11, 12, 22.
    inverse: [Real; 3],
    determinant: Real,
}

impl Across {
    fn new(axis: Vec3, inertia: Mat3) -> Across {
        let (p, q) = axis.any_orthonormal_pair();
        let [k11, k12, k22] = [p.dot(inertia * p), p.dot(inertia * q), q.dot(inertia * q)];
        Across { p, q, inverse: [k11, k12, k22], determinant: k11 * k22 - k12 * k12 }
    }

    /// Returns the angular impulse that changes the relative angular velocity by `want` across the
    /// axis. `None` if neither body can turn.
    fn solve(&self, want: Vec3) -> Option<Vec3> {
        let Across { p, q, inverse: [k11, k12, k22], determinant } = *self;
        let (x, y) = (p.dot(want), q.dot(want));
        (0.0 < determinant)
            .then(|| p * ((k22 * x - k12 * y) / determinant) + q * ((k11 * y - k12 * x) / determinant))
    }
}

impl JointStep {
    /// Computes the rows for the present poses: at the start of the step, and after each
    /// integration.
    pub(crate) fn follow(&mut self, kind: &JointKind, masses: &[JointMass], states: &[State]) {
        if self.is_idle {
            return;
        }
        let (a, b) = self.slots;
        let (state_a, state_b) = (&states[a], &states[b]);
        let moved = |s: &State| Vec3::new(s.back[0], s.back[1], s.back[2]);
        let (turned_a, turned_b) = (delta_rotation(state_a), delta_rotation(state_b));
        let anchors = [rotation::rotate(turned_a, self.anchor_a), rotation::rotate(turned_b, self.anchor_b)];
        let [center_a, center_b] = self.centers;
        let rows = &mut self.rows;
        (rows.mass_a, rows.mass_b) = (masses[a].moving, masses[b].moving);
        (rows.inertia_a, rows.inertia_b) = (masses[a].turning, masses[b].turning);
        [rows.anchor_a, rows.anchor_b] = anchors;
        rows.points = [center_a + moved(state_a) + anchors[0], center_b + moved(state_b) + anchors[1]];
        rows.between = self.between + moved(state_b) - moved(state_a);
        rows.rotation_a = rotation::mul(turned_a, self.rotation_a);
        rows.rotation_b = rotation::mul(turned_b, self.rotation_b);
        match kind {
            JointKind::Weld => {
                rows.limited = (rows.hinge_axis(), 0.0);
                rows.turn_mass = invert(rows.inertia_a + rows.inertia_b);
                rows.turn_error = rows.weld_error();
            }
            JointKind::Spherical { .. } if kind.locks_bend() => {
                rows.limited = (rows.hinge_axis(), 0.0);
                rows.align_axes();
            }
            JointKind::Spherical { cone, .. } if *cone < core::f32::consts::PI => {
                rows.limited = rows.bend();
                rows.limited_mass = rows.limited_mass();
            }
            JointKind::Revolute { .. } => {
                let axis = rows.hinge_axis();
                rows.limited = (axis, hinge_angle(rows.rotation_a, rows.rotation_b));
                rows.limited_mass = rows.limited_mass();
                rows.align_axes();
            }
            JointKind::Screw { lead, .. } => {
                rows.limited = (rows.hinge_axis(), 0.0);
                rows.thread = lead / core::f32::consts::TAU;
            }
            JointKind::Spherical { .. }
            | JointKind::Prismatic { .. }
            | JointKind::SixDof(_)
            | JointKind::Distance { .. }
            | JointKind::Pulley { .. }
            | JointKind::Gear { .. }
            | JointKind::RackAndPinion { .. } => rows.limited = (rows.hinge_axis(), 0.0),
        }
        if kind.has_point_row() {
            rows.point_mass = rows.find_point_mass();
        }
    }

    /// Returns the rows with the present velocities.
    pub(crate) fn load(&self, states: &[State]) -> Moving<'_> {
        let (v_a, w_a) = motion(&states[self.slots.0]);
        let (v_b, w_b) = motion(&states[self.slots.1]);
        Moving { v_a, w_a, v_b, w_b, rows: &self.rows }
    }
}

impl Moving<'_> {
    pub(crate) fn store(&self, step: &JointStep, bodies: &mut Jointed) {
        let mut set = |slot: usize, v: Vec3, w: Vec3| {
            let m = &mut bodies.states[slot].front;
            bodies.pushes[slot].0 += v - Vec3::new(m[0], m[1], m[2]);
            bodies.pushes[slot].1 += w - Vec3::new(m[3], m[4], m[5]);
            *m = [v.x, v.y, v.z, w.x, w.y, w.z, 0.0, 0.0];
        };
        if step.movable.0 {
            set(step.slots.0, self.v_a, self.w_a);
        }
        if step.movable.1 {
            set(step.slots.1, self.v_b, self.w_b);
        }
    }

    /// Returns the velocity of B's joint point relative to A's.
    pub(crate) fn velocity(&self) -> Vec3 {
        self.v_b + self.w_b.cross(self.anchor_b) - self.v_a - self.w_a.cross(self.anchor_a)
    }

    /// Whether one of the bodies turns so far in the substep that the position of its joint point
    /// cannot be predicted.
    pub(crate) fn whirl(&self, kind: &JointKind, substep: &Substep) -> bool {
        let max_rate = MAX_TURN / substep.h;
        let turns = |w: Vec3| max_rate * max_rate < w.length_squared();
        if !(turns(self.w_a) || turns(self.w_b)) {
            return false;
        }
        // A joint point near the axis of rotation hardly moves.
        let swings = |w: Vec3, anchor: Vec3| {
            let speed = w.cross(anchor).length();
            substep.slop < speed * substep.h && max_rate * anchor.length() < speed
        };
        let turns = match kind {
            JointKind::Distance { .. } | JointKind::Pulley { .. } => false,
            // Gears constrain the rotation about their axes only.
            JointKind::Gear { .. } | JointKind::RackAndPinion { .. } => return false,
            JointKind::Spherical { cone, twist } => *cone < core::f32::consts::PI || twist.is_some(),
            JointKind::Revolute { limits: None, .. } => {
                // Both bodies may turn about the axis.
                let axis = self.limited.0;
                [self.w_a, self.w_b].into_iter().any(|w| turns(w - axis * axis.dot(w)))
            }
            JointKind::SixDof(axes) => !axes.turns_freely(),
            JointKind::Screw { .. } => {
                // Both bodies may turn about the axis, if their centres of mass are on it: beside
                // it, the rows across the axis would give energy.
                let axis = self.limited.0;
                [(self.w_a, self.anchor_a), (self.w_b, self.anchor_b)].into_iter().any(|(w, anchor)| {
                    let is_beside = substep.slop < w.cross(anchor).length() * substep.h;
                    turns(w - axis * axis.dot(w)) || (turns(w) && is_beside)
                })
            }
            JointKind::Weld | JointKind::Revolute { .. } | JointKind::Prismatic { .. } => true,
        };
        turns || swings(self.w_a, self.anchor_a) || swings(self.w_b, self.anchor_b)
    }

    /// Applies an impulse to B at its joint point, and the opposite to A.
    pub(crate) fn push(&mut self, impulse: Vec3) {
        self.v_a -= impulse * self.mass_a;
        self.w_a -= self.inertia_a * self.anchor_a.cross(impulse);
        self.v_b += impulse * self.mass_b;
        self.w_b += self.inertia_b * self.anchor_b.cross(impulse);
    }

    /// Applies an angular impulse to B, and the opposite to A.
    pub(crate) fn twist(&mut self, impulse: Vec3) {
        self.w_a -= self.inertia_a * impulse;
        self.w_b += self.inertia_b * impulse;
    }

    /// Returns the angular velocity of B relative to A about the axis.
    pub(crate) fn hinge_speed(&self) -> Real {
        self.limited.0.dot(self.w_b - self.w_a)
    }

    /// Keeps B from turning relative to A.
    pub(crate) fn hold_turn(&mut self, i: &mut JointImpulse, soft: Softness) {
        let want = self.w_b - self.w_a + self.turn_error * soft.bias_rate;
        let change = self.turn_mass * want * -soft.mass_scale - i.angular * soft.impulse_scale;
        i.angular += change;
        self.twist(change);
    }

    /// Keeps B from turning relative to A across a unit axis.
    pub(crate) fn hold_axis(&mut self, i: &mut JointImpulse, axis: Vec3, soft: Softness) {
        let want = self.w_b - self.w_a + self.turn_error * soft.bias_rate;
        let Some(solved) = self.across.solve(want) else { return };
        let old = i.angular - axis * axis.dot(i.angular);
        let change = solved * -soft.mass_scale - old * soft.impulse_scale;
        i.angular = old + change;
        self.twist(change);
    }

    /// Keeps the two joint points together, by three rows at once.
    pub(crate) fn hold_point(&mut self, i: &mut JointImpulse, soft: Softness) {
        let want = self.velocity() + self.offset() * soft.bias_rate;
        let change = self.point_mass * want * -soft.mass_scale - i.linear * soft.impulse_scale;
        i.linear += change;
        self.push(change);
    }
}

impl Rows {
    /// Returns the vector from the joint point on A to that on B.
    pub(crate) fn offset(&self) -> Vec3 {
        self.between + self.anchor_b - self.anchor_a
    }

    /// Returns the unit vector from the joint point on A to that on B. If they coincide, it is A's
    /// x axis.
    pub(crate) fn along(&self) -> Vec3 {
        self.offset().try_normalize().unwrap_or(self.hinge_axis())
    }

    pub(crate) fn inverse_effective_mass(&self, direction: Vec3) -> Real {
        let (a, b) = (self.anchor_a.cross(direction), self.anchor_b.cross(direction));
        self.mass_a + self.mass_b + a.dot(self.inertia_a * a) + b.dot(self.inertia_b * b)
    }

    pub(crate) fn inverse_effective_inertia(&self, axis: Vec3) -> Real {
        axis.dot((self.inertia_a + self.inertia_b) * axis)
    }

    /// Returns A's x axis.
    fn hinge_axis(&self) -> Vec3 {
        rotation::rotate(self.rotation_a, Vec3::X)
    }

    /// Returns the unit axis about which B's x axis is rotated away from A's, and the angle.
    fn bend(&self) -> (Vec3, Real) {
        let (a, b) = (self.hinge_axis(), rotation::rotate(self.rotation_b, Vec3::X));
        let cross = a.cross(b);
        let sine = cross.length();
        let axis = if 0.0 < sine { cross / sine } else { rotation::rotate(self.rotation_a, Vec3::Y) };
        (axis, ops::atan2(sine, a.dot(b)))
    }

    /// Computes the rows across the axis of a hinge.
    fn align_axes(&mut self) {
        let axis = self.limited.0;
        self.across = Across::new(axis, self.inertia_a + self.inertia_b);
        self.turn_error = axis.cross(rotation::rotate(self.rotation_b, Vec3::X));
    }

    /// Returns the effective inertia about the limited axis.
    fn limited_mass(&self) -> Real {
        inverse_or_zero(self.inverse_effective_inertia(self.limited.0))
    }

    /// Returns the rotation vector between the frames, for a small rotation.
    fn weld_error(&self) -> Vec3 {
        let left = rotation::mul(self.rotation_b, self.rotation_a.conjugate());
        let left = if left.w < 0.0 { -left } else { left };
        Vec3::new(left.x, left.y, left.z) * 2.0
    }

    fn find_point_mass(&self) -> Mat3 {
        // The cross product with the lever is taken from the left and from the right.
        let levered = |m: Mat3, r: Vec3| {
            let [x, y, z] = [m.x_axis, m.y_axis, m.z_axis].map(|column| r.cross(column));
            Mat3::from_cols(y * r.z - z * r.y, z * r.x - x * r.z, x * r.y - y * r.x)
        };
        invert(
            Mat3::from_diagonal(Vec3::splat(self.mass_a + self.mass_b))
                - levered(self.inertia_a, self.anchor_a)
                - levered(self.inertia_b, self.anchor_b),
        )
    }
}

/// Returns an angle plus full turns, as near to `middle` as possible. If `middle` is not finite,
/// no full turns are added.
pub(crate) fn angle_near(angle: Real, middle: Real) -> Real {
    let turn = 2.0 * core::f32::consts::PI;
    let turns = ops::floor((middle - angle) / turn + 0.5);
    if turns.is_finite() { angle + turns * turn } else { angle }
}

/// Solves one unilateral row. `room` is the distance from the limit, and `speed` its rate of
/// change. Returns the change of the impulse.
pub(crate) fn limit(
    impulse: &mut Real,
    room: Real,
    speed: Real,
    mass: Real,
    soft: Softness,
    h: Real,
) -> Real {
    let (bias, mass_scale, impulse_scale) = if 0.0 < room {
        (room / h, 1.0, 0.0)
    } else {
        (room * soft.bias_rate, soft.mass_scale, soft.impulse_scale)
    };
    let new = (*impulse - mass * mass_scale * (speed + bias) - impulse_scale * *impulse).max(0.0);
    let change = new - *impulse;
    *impulse = new;
    change
}

/// Returns the angle from A's y axis to B's, about A's x axis.
pub(crate) fn hinge_angle(rotation_a: Quat, rotation_b: Quat) -> Real {
    let y = rotation::rotate_back(rotation_a, rotation::rotate(rotation_b, Vec3::Y));
    ops::atan2(y.z, y.y)
}

pub(crate) fn inverse_or_zero(x: Real) -> Real {
    if 0.0 < x { 1.0 / x } else { 0.0 }
}
