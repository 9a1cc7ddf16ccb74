//! Joints: two bodies held together at a point, at a distance, about an axis, or rigidly. They
//! suffice for ragdolls.
//!
//! Every joint is a soft constraint, much stiffer than its load. It is solved and relaxed in every
//! substep. The point constraint is a 3x3 block; axes, limits and motors are single rows. A limit
//! is inactive until it would be passed within the substep.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (soft joints); E. Catto, Modeling and Solving
//! Constraints, GDC 2009.

use crate::body::Body;
use crate::contact::scale_for;
use crate::integrate::inverse_of;
use crate::joint_mass::JointScale;
use crate::lane_vec::State;
use crate::mass::MassData;
use crate::spring::MAX_TURN;
use crate::spring::{TorsionSpring, Winding};
use carom_math::{Mat3, Pose, Quat, Real, Vec3, ops, rotation};

/// Two connected bodies, and the kind of joint. Each frame is relative to its body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Joint {
    /// Index of body A.
    pub body_a: u32,
    /// Index of body B.
    pub body_b: u32,
    /// The joint frame on A. Its x axis is the axis of a hinge or a cone.
    pub frame_a: Pose,
    /// The joint frame on B. Its x axis is the axis of a hinge or a cone.
    pub frame_b: Pose,
    /// The degrees of freedom that it leaves.
    pub kind: JointKind,
    /// Impulses of the last substep, for the warm start. Set them to zero if the joint was changed.
    pub impulse: JointImpulse,
    /// A spring about the axis of a hinge; other joints have none.
    #[cfg_attr(feature = "serde", serde(default))]
    pub spring: Option<TorsionSpring>,
    /// The angle at the start of the last substep. It is updated only if there is a spring.
    #[cfg_attr(feature = "serde", serde(default))]
    pub winding: Winding,
}

/// The degrees of freedom that a joint leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum JointKind {
    /// None: the frames coincide.
    Fixed,
    /// Rotation about the common origin. The angle between the two x axes is at most `cone` (in
    /// radians; pi or more is free).
    Ball {
        /// The largest angle between the x axes. Not negative.
        cone: Real,
    },
    /// Rotation about the common x axis.
    Hinge {
        /// The least and the largest angle from A's y axis to B's; `None` has no limits. Angles
        /// count modulo a full turn: the one nearest to the middle of the limits is used.
        limits: Option<[Real; 2]>,
        /// Target speed and largest torque of a motor; `None` has no motor.
        motor: Option<Motor>,
    },
    /// All, if the distance of the two origins stays within these bounds. Equal bounds make a rod;
    /// 0 and a length make a rope.
    Distance {
        /// Not negative, and finite.
        min: Real,
        /// Not below `min`.
        max: Real,
    },
}

impl JointKind {
    /// Whether no number is NaN, the bounds are in order, and a state exists that satisfies both.
    pub fn is_sound(&self) -> bool {
        match *self {
            JointKind::Fixed => true,
            JointKind::Ball { cone } => 0.0 <= cone,
            JointKind::Hinge { limits, motor } => {
                let allows =
                    |[low, high]: [Real; 2]| low <= high && low < Real::INFINITY && Real::NEG_INFINITY < high;
                limits.is_none_or(allows) && motor.is_none_or(|m| m.speed.is_finite() && 0.0 <= m.max_torque)
            }
            JointKind::Distance { min, max } => 0.0 <= min && min <= max && min < Real::INFINITY,
        }
    }
}

/// A motor of a hinge.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Motor {
    /// Target angular velocity of B relative to A about the axis, in radians per unit of time.
    pub speed: Real,
    /// The largest torque. Not negative.
    pub max_torque: Real,
}

/// The impulses of a joint in the last substep, on B.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct JointImpulse {
    /// At the joint point, in the world frame. For a distance joint: along the line.
    pub linear: Vec3,
    /// Angular impulse, in the world frame.
    pub angular: Vec3,
    /// Impulse of the lower limit of an angle or a distance, and of a cone.
    pub lower: Real,
    /// Impulse of the upper limit.
    pub upper: Real,
    /// Impulse of the motor.
    pub motor: Real,
    /// Impulse of the spring.
    #[cfg_attr(feature = "serde", serde(default))]
    pub spring: Real,
    /// Length of the substep of these impulses, to which they are proportional. 0 if there was
    /// none.
    pub substep: Real,
}

impl Joint {
    /// Whether there is a motor with a target speed and a torque.
    pub(crate) fn has_turning_motor(&self) -> bool {
        let JointKind::Hinge { motor: Some(motor), .. } = self.kind else { return false };
        motor.speed != 0.0 && 0.0 < motor.max_torque
    }

    /// Returns a joint at `point` in the world, for the present poses of the bodies. Its x axis is
    /// `axis`, a unit vector. `None` if a body does not exist.
    pub fn at(
        kind: JointKind,
        bodies: &[Body],
        body_a: u32,
        body_b: u32,
        point: Vec3,
        axis: Vec3,
    ) -> Option<Joint> {
        let (a, b) = (bodies.get(body_a as usize)?, bodies.get(body_b as usize)?);
        let frame = Pose::new(rotation::arc(Vec3::X, axis), point);
        Some(Joint {
            body_a,
            body_b,
            frame_a: frame.relative_to(&a.pose),
            frame_b: frame.relative_to(&b.pose),
            kind,
            impulse: JointImpulse::default(),
            spring: None,
            winding: Winding::default(),
        })
    }

    /// Returns a rod, rope or strut between two points in the world, for the present poses of the
    /// bodies. `None` if a body does not exist.
    pub fn distance(
        bodies: &[Body],
        body_a: u32,
        body_b: u32,
        points: [Vec3; 2],
        bounds: [Real; 2],
    ) -> Option<Joint> {
        let (a, b) = (bodies.get(body_a as usize)?, bodies.get(body_b as usize)?);
        Some(Joint {
            body_a,
            body_b,
            frame_a: Pose::from_translation(a.pose.inverse_transform_point(points[0])),
            frame_b: Pose::from_translation(b.pose.inverse_transform_point(points[1])),
            kind: JointKind::Distance { min: bounds[0], max: bounds[1] },
            impulse: JointImpulse::default(),
            spring: None,
            winding: Winding::default(),
        })
    }

    pub(crate) fn is_finite(&self) -> bool {
        let i = &self.impulse;
        self.kind.is_sound()
            && self.frame_a.is_finite()
            && self.frame_b.is_finite()
            && i.linear.is_finite()
            && i.angular.is_finite()
            && (i.lower + i.upper + i.motor + i.spring).is_finite()
            && self.is_spring_sound()
    }
}

/// All joints, and the indices of those that are solved.
#[derive(Clone, Copy)]
pub(crate) struct MovingJoints<'a> {
    pub(crate) list: &'a [Joint],
    /// Ascending.
    pub(crate) places: &'a [u32],
}

impl<'a> MovingJoints<'a> {
    pub(crate) fn iter(self) -> impl Iterator<Item = &'a Joint> {
        self.places.iter().map(move |&place| &self.list[place as usize])
    }
}

/// Spring and damper of a soft constraint, as factors for impulses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Softness {
    /// Bias speed per length of error.
    pub(crate) bias_rate: f32,
    /// Factor of the impulse that a rigid joint would need.
    pub(crate) mass_scale: f32,
    /// Factor of the accumulated impulse, which is subtracted.
    pub(crate) impulse_scale: f32,
}

impl Softness {
    pub(crate) const RIGID: Softness = Softness { bias_rate: 0.0, mass_scale: 1.0, impulse_scale: 0.0 };

    /// Computes the factors. `frequency` is in cycles per unit of time, `damping` relative to the
    /// critical one, `h` is the length of a substep.
    pub(crate) fn new(frequency: f32, damping: f32, h: f32) -> Softness {
        if !(0.0 < frequency) {
            return Softness::RIGID;
        }
        let omega = 2.0 * core::f32::consts::PI * frequency;
        let a1 = 2.0 * damping + h * omega;
        let a2 = h * omega * a1;
        let a3 = 1.0 / (1.0 + a2);
        Softness { bias_rate: omega / a1, mass_scale: a2 * a3, impulse_scale: a3 }
    }
}

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
    /// The changes by joints to each body in this substep. Joints turn with the bodies, so the next
    /// substep computes them again.
    pub(crate) pushes: &'a mut [(Vec3, Vec3)],
}

/// The data of a joint during one step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointStep {
    is_idle: bool,
    slots: (usize, usize),
    movable: (bool, bool),
    /// Factors of the inverse masses and inertias of the bodies.
    scales: (JointScale, JointScale),
    /// Relative to the centres of mass, in the world frame, at the start of the step.
    anchor_a: Vec3,
    anchor_b: Vec3,
    /// From the centre of mass of A to that of B.
    between: Vec3,
    /// The joint frames in the world.
    rotation_a: Quat,
    rotation_b: Quat,
    /// Angular velocity of B relative to A about the axis of a hinge with a spring, before the
    /// impulses of the substep.
    start_speed: Real,
}

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
    /// act.
    pub(crate) fn begin(&mut self, joint: &mut Joint, masses: &[MassData], states: &[State], h: Real) {
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
        match joint.kind {
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
                    JointKind::Fixed | JointKind::Distance { .. } => {}
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
        has_springs: bool,
    ) {
        if self.is_idle {
            return;
        }
        let mut rows = Rows::load(self, masses, bodies.states);
        let h = substep.h;
        let has_springs = has_springs && !rows.whirl(&joint.kind, substep);
        let soft = if has_springs { substep.softness } else { Softness::RIGID };
        if let Some(spring) = joint.spring.filter(|_| has_springs) {
            let axis = rotation::rotate(rows.rotation_a, Vec3::X);
            let (speed, old) = (rows.hinge_speed(), joint.impulse.spring);
            let turning = rows.felt_turning(axis);
            let new = spring.impulse(joint.deviation(&spring), self.start_speed, speed, old, turning, h);
            rows.twist(axis * (new - old));
            joint.impulse.spring = new;
        }
        let i = &mut joint.impulse;
        match joint.kind {
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
                if let Some(motor) = motor {
                    let speed = axis.dot(rows.w_b - rows.w_a);
                    let most = motor.max_torque * h;
                    let new = (i.motor + mass * (motor.speed - speed)).clamp(-most, most);
                    rows.twist(axis * (new - i.motor));
                    i.motor = new;
                }
                if let Some([low, high]) = limits {
                    let angle = rows.hinge_angle_near(0.5 * (low + high));
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
            }
        }
        rows.store(self, bodies);
    }
}

/// Solves one unilateral row. `room` is the distance from the limit, `speed` its rate of change.
/// Returns the change of the impulse.
fn limit(impulse: &mut Real, room: Real, speed: Real, mass: Real, soft: Softness, h: Real) -> Real {
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

fn inverse_or_zero(x: Real) -> Real {
    if 0.0 < x { 1.0 / x } else { 0.0 }
}

/// Rotates a tensor from the frame of its body to the world.
fn turned_matrix(rotation: Quat, tensor: Mat3) -> Mat3 {
    let r = Mat3::from_quat(rotation);
    r * tensor * r.transpose()
}

/// Returns the inverse, or zero if there is none because neither body can turn.
fn invert(m: Mat3) -> Mat3 {
    let inverse = inverse_of(&m);
    if 0.0 < m.as_dmat3().determinant() && inverse.is_finite() { inverse } else { Mat3::ZERO }
}

/// The two bodies during one iteration, with the masses that joints use.
struct Rows {
    v_a: Vec3,
    w_a: Vec3,
    v_b: Vec3,
    w_b: Vec3,
    mass_a: Real,
    mass_b: Real,
    inertia_a: Mat3,
    inertia_b: Mat3,
    anchor_a: Vec3,
    anchor_b: Vec3,
    /// From the centre of mass of A to that of B.
    between: Vec3,
    rotation_a: Quat,
    rotation_b: Quat,
}

impl Rows {
    fn load(step: &JointStep, masses: &[MassData], states: &[State]) -> Rows {
        let (a, b) = step.slots;
        let (scale_a, scale_b) = step.scales;
        let (state_a, state_b) = (&states[a], &states[b]);
        let moved = |s: &State| Vec3::new(s.back[0], s.back[1], s.back[2]);
        let turned = |s: &State| Quat::from_xyzw(s.back[3], s.back[4], s.back[5], s.back[6]);
        let velocity = |s: &State| Vec3::new(s.front[0], s.front[1], s.front[2]);
        let spin = |s: &State| Vec3::new(s.front[3], s.front[4], s.front[5]);
        Rows {
            v_a: velocity(state_a),
            w_a: spin(state_a),
            v_b: velocity(state_b),
            w_b: spin(state_b),
            mass_a: masses[a].inverse_mass * scale_a.moving,
            mass_b: masses[b].inverse_mass * scale_b.moving,
            inertia_a: turned_matrix(turned(state_a), masses[a].inertia_matrix() * scale_a.turning),
            inertia_b: turned_matrix(turned(state_b), masses[b].inertia_matrix() * scale_b.turning),
            anchor_a: rotation::rotate(turned(state_a), step.anchor_a),
            anchor_b: rotation::rotate(turned(state_b), step.anchor_b),
            between: step.between + moved(state_b) - moved(state_a),
            rotation_a: rotation::mul(turned(state_a), step.rotation_a),
            rotation_b: rotation::mul(turned(state_b), step.rotation_b),
        }
    }

    fn store(&self, step: &JointStep, bodies: &mut Jointed) {
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

    /// Vector from the joint point on A to that on B.
    fn offset(&self) -> Vec3 {
        self.between + self.anchor_b - self.anchor_a
    }

    /// Unit vector from the joint point on A to that on B. If they coincide: A's x axis.
    fn along(&self) -> Vec3 {
        self.offset().try_normalize().unwrap_or(rotation::rotate(self.rotation_a, Vec3::X))
    }

    /// Velocity of B's joint point relative to A's.
    fn velocity(&self) -> Vec3 {
        self.v_b + self.w_b.cross(self.anchor_b) - self.v_a - self.w_a.cross(self.anchor_a)
    }

    /// Whether one of the bodies turns so far in the substep that its side of the joint cannot be
    /// predicted.
    fn whirl(&self, kind: &JointKind, substep: &Substep) -> bool {
        let most = MAX_TURN / substep.h;
        let turns = |w: Vec3| most < w.length();
        if !(turns(self.w_a) || turns(self.w_b)) {
            return false;
        }
        // A joint point near the axis of rotation hardly moves.
        let swings = |w: Vec3, anchor: Vec3| {
            let speed = w.cross(anchor).length();
            substep.slop < speed * substep.h && most * anchor.length() < speed
        };
        let turns = match kind {
            JointKind::Distance { .. } => false,
            JointKind::Ball { cone } => *cone < core::f32::consts::PI,
            JointKind::Hinge { limits: None, .. } => {
                // Both bodies may turn about the axis.
                let axis = rotation::rotate(self.rotation_a, Vec3::X);
                [self.w_a, self.w_b].into_iter().any(|w| turns(w - axis * axis.dot(w)))
            }
            JointKind::Fixed | JointKind::Hinge { .. } => true,
        };
        turns || swings(self.w_a, self.anchor_a) || swings(self.w_b, self.anchor_b)
    }

    /// Applies an impulse to B at its joint point, and the opposite to A.
    fn push(&mut self, impulse: Vec3) {
        self.v_a -= impulse * self.mass_a;
        self.w_a -= self.inertia_a * self.anchor_a.cross(impulse);
        self.v_b += impulse * self.mass_b;
        self.w_b += self.inertia_b * self.anchor_b.cross(impulse);
    }

    /// Applies an angular impulse to B, and the opposite to A.
    fn twist(&mut self, impulse: Vec3) {
        self.w_a -= self.inertia_a * impulse;
        self.w_b += self.inertia_b * impulse;
    }

    fn felt(&self, direction: Vec3) -> Real {
        let (a, b) = (self.anchor_a.cross(direction), self.anchor_b.cross(direction));
        self.mass_a + self.mass_b + a.dot(self.inertia_a * a) + b.dot(self.inertia_b * b)
    }

    fn felt_turning(&self, axis: Vec3) -> Real {
        axis.dot((self.inertia_a + self.inertia_b) * axis)
    }

    /// The unit axis about which B's x axis is rotated away from A's, and the angle.
    fn bend(&self) -> (Vec3, Real) {
        let (a, b) = (rotation::rotate(self.rotation_a, Vec3::X), rotation::rotate(self.rotation_b, Vec3::X));
        let cross = a.cross(b);
        let sine = cross.length();
        let axis = if 0.0 < sine { cross / sine } else { rotation::rotate(self.rotation_a, Vec3::Y) };
        (axis, ops::atan2(sine, a.dot(b)))
    }

    /// Angular velocity of B relative to A about the axis.
    fn hinge_speed(&self) -> Real {
        rotation::rotate(self.rotation_a, Vec3::X).dot(self.w_b - self.w_a)
    }

    /// Angle from A's y axis to B's, about the axis.
    fn hinge_angle(&self) -> Real {
        let y = rotation::rotate_back(self.rotation_a, rotation::rotate(self.rotation_b, Vec3::Y));
        ops::atan2(y.z, y.y)
    }

    /// The same angle plus full turns, as near to `middle` as possible. Full turns are not added if
    /// `middle` is not finite.
    fn hinge_angle_near(&self, middle: Real) -> Real {
        let (angle, turn) = (self.hinge_angle(), 2.0 * core::f32::consts::PI);
        let turns = ops::floor((middle - angle) / turn + 0.5);
        if turns.is_finite() { angle + turns * turn } else { angle }
    }

    /// Three rows at once: keeps the two joint points together.
    fn hold_point(&mut self, i: &mut JointImpulse, soft: Softness) {
        let skew = |r: Vec3| {
            Mat3::from_cols(Vec3::new(0.0, r.z, -r.y), Vec3::new(-r.z, 0.0, r.x), Vec3::new(r.y, -r.x, 0.0))
        };
        let (a, b) = (skew(self.anchor_a), skew(self.anchor_b));
        let mass = Mat3::from_diagonal(Vec3::splat(self.mass_a + self.mass_b))
            - a * self.inertia_a * a
            - b * self.inertia_b * b;
        let want = self.velocity() + self.offset() * soft.bias_rate;
        let change = invert(mass) * want * -soft.mass_scale - i.linear * soft.impulse_scale;
        i.linear += change;
        self.push(change);
    }
}
