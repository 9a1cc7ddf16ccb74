//! The two bodies of a joint during one iteration, and the rows that several kinds share.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (soft joints); E. Catto, Modeling and Solving
//! Constraints, GDC 2009.

use crate::integrate::inverse_of;
use crate::joint_gear_parts::GearStep;
use crate::joint_kind::JointKind;
use crate::joint_load::JointImpulse;
use crate::joint_mass::JointScale;
use crate::joint_softness::Softness;
use crate::lane_vec::State;
use crate::mass::MassData;
use crate::spring::MAX_TURN;
use carom_math::{Mat3, Quat, Real, Vec3, ops, rotation};

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
    pub(crate) is_idle: bool,
    pub(crate) slots: (usize, usize),
    pub(crate) movable: (bool, bool),
    /// Factors of the inverse masses and inertias of the bodies.
    pub(crate) scales: (JointScale, JointScale),
    /// Relative to the centres of mass, in the world frame, at the start of the step.
    pub(crate) anchor_a: Vec3,
    pub(crate) anchor_b: Vec3,
    /// From the centre of mass of A to that of B.
    pub(crate) between: Vec3,
    /// The joint frames in the world.
    pub(crate) rotation_a: Quat,
    pub(crate) rotation_b: Quat,
    /// Angular velocity of B relative to A about the axis of a hinge with a spring, before the
    /// impulses of the substep.
    pub(crate) start_speed: Real,
    /// The centres of mass of A and B in the world, at the start of the step.
    pub(crate) centers: [Vec3; 2],
    /// The mounts of a gear; `None` for other kinds.
    pub(crate) gear: Option<GearStep>,
}

/// The two bodies during one iteration, with the masses that joints use.
pub(crate) struct Rows {
    pub(crate) v_a: Vec3,
    pub(crate) w_a: Vec3,
    pub(crate) v_b: Vec3,
    pub(crate) w_b: Vec3,
    pub(crate) mass_a: Real,
    pub(crate) mass_b: Real,
    pub(crate) inertia_a: Mat3,
    pub(crate) inertia_b: Mat3,
    pub(crate) anchor_a: Vec3,
    pub(crate) anchor_b: Vec3,
    /// From the centre of mass of A to that of B.
    pub(crate) between: Vec3,
    pub(crate) rotation_a: Quat,
    pub(crate) rotation_b: Quat,
    /// The joint points in the world.
    pub(crate) points: [Vec3; 2],
}

impl Rows {
    pub(crate) fn load(step: &JointStep, masses: &[MassData], states: &[State]) -> Rows {
        let (a, b) = step.slots;
        let (scale_a, scale_b) = step.scales;
        let (state_a, state_b) = (&states[a], &states[b]);
        let moved = |s: &State| Vec3::new(s.back[0], s.back[1], s.back[2]);
        let turned = |s: &State| Quat::from_xyzw(s.back[3], s.back[4], s.back[5], s.back[6]);
        let velocity = |s: &State| Vec3::new(s.front[0], s.front[1], s.front[2]);
        let spin = |s: &State| Vec3::new(s.front[3], s.front[4], s.front[5]);
        let anchors = [
            rotation::rotate(turned(state_a), step.anchor_a),
            rotation::rotate(turned(state_b), step.anchor_b),
        ];
        let [center_a, center_b] = step.centers;
        Rows {
            v_a: velocity(state_a),
            w_a: spin(state_a),
            v_b: velocity(state_b),
            w_b: spin(state_b),
            mass_a: masses[a].inverse_mass * scale_a.moving,
            mass_b: masses[b].inverse_mass * scale_b.moving,
            inertia_a: turned_matrix(turned(state_a), masses[a].inertia_matrix() * scale_a.turning),
            inertia_b: turned_matrix(turned(state_b), masses[b].inertia_matrix() * scale_b.turning),
            anchor_a: anchors[0],
            anchor_b: anchors[1],
            points: [center_a + moved(state_a) + anchors[0], center_b + moved(state_b) + anchors[1]],
            between: step.between + moved(state_b) - moved(state_a),
            rotation_a: rotation::mul(turned(state_a), step.rotation_a),
            rotation_b: rotation::mul(turned(state_b), step.rotation_b),
        }
    }

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

    /// Vector from the joint point on A to that on B.
    pub(crate) fn offset(&self) -> Vec3 {
        self.between + self.anchor_b - self.anchor_a
    }

    /// Unit vector from the joint point on A to that on B. If they coincide: A's x axis.
    pub(crate) fn along(&self) -> Vec3 {
        self.offset().try_normalize().unwrap_or(rotation::rotate(self.rotation_a, Vec3::X))
    }

    /// Velocity of B's joint point relative to A's.
    pub(crate) fn velocity(&self) -> Vec3 {
        self.v_b + self.w_b.cross(self.anchor_b) - self.v_a - self.w_a.cross(self.anchor_a)
    }

    /// Whether one of the bodies turns so far in the substep that its side of the joint cannot be
    /// predicted.
    pub(crate) fn whirl(&self, kind: &JointKind, substep: &Substep) -> bool {
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
            JointKind::Distance { .. } | JointKind::Pulley { .. } => false,
            // Gears constrain the rotation about their axes only.
            JointKind::Gear { .. } | JointKind::RackAndPinion { .. } => return false,
            JointKind::Spherical { cone, twist } => *cone < core::f32::consts::PI || twist.is_some(),
            JointKind::Revolute { limits: None, .. } => {
                // Both bodies may turn about the axis.
                let axis = rotation::rotate(self.rotation_a, Vec3::X);
                [self.w_a, self.w_b].into_iter().any(|w| turns(w - axis * axis.dot(w)))
            }
            JointKind::SixDof(axes) => !axes.turns_freely(),
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

    pub(crate) fn felt(&self, direction: Vec3) -> Real {
        let (a, b) = (self.anchor_a.cross(direction), self.anchor_b.cross(direction));
        self.mass_a + self.mass_b + a.dot(self.inertia_a * a) + b.dot(self.inertia_b * b)
    }

    pub(crate) fn felt_turning(&self, axis: Vec3) -> Real {
        axis.dot((self.inertia_a + self.inertia_b) * axis)
    }

    /// The unit axis about which B's x axis is rotated away from A's, and the angle.
    pub(crate) fn bend(&self) -> (Vec3, Real) {
        let (a, b) = (rotation::rotate(self.rotation_a, Vec3::X), rotation::rotate(self.rotation_b, Vec3::X));
        let cross = a.cross(b);
        let sine = cross.length();
        let axis = if 0.0 < sine { cross / sine } else { rotation::rotate(self.rotation_a, Vec3::Y) };
        (axis, ops::atan2(sine, a.dot(b)))
    }

    /// Angular velocity of B relative to A about the axis.
    pub(crate) fn hinge_speed(&self) -> Real {
        rotation::rotate(self.rotation_a, Vec3::X).dot(self.w_b - self.w_a)
    }

    /// Angle from A's y axis to B's, about the axis.
    pub(crate) fn hinge_angle(&self) -> Real {
        hinge_angle(self.rotation_a, self.rotation_b)
    }

    /// Three rows at once: keeps the two joint points together.
    pub(crate) fn hold_point(&mut self, i: &mut JointImpulse, soft: Softness) {
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

/// Returns an angle plus full turns, as near to `middle` as possible. Full turns are not added if
/// `middle` is not finite.
pub(crate) fn angle_near(angle: Real, middle: Real) -> Real {
    let turn = 2.0 * core::f32::consts::PI;
    let turns = ops::floor((middle - angle) / turn + 0.5);
    if turns.is_finite() { angle + turns * turn } else { angle }
}

/// Solves one unilateral row. `room` is the distance from the limit, `speed` its rate of change.
/// Returns the change of the impulse.
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

/// Rotates a tensor from the frame of its body to the world.
pub(crate) fn turned_matrix(rotation: Quat, tensor: Mat3) -> Mat3 {
    let r = Mat3::from_quat(rotation);
    r * tensor * r.transpose()
}

/// Returns the inverse, or zero if there is none because neither body can turn.
pub(crate) fn invert(m: Mat3) -> Mat3 {
    let inverse = inverse_of(&m);
    if 0.0 < m.as_dmat3().determinant() && inverse.is_finite() { inverse } else { Mat3::ZERO }
}
