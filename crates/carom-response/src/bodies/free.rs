//! Motion of a body without contacts in a step, and conversions between a body and its state in
//! lanes.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (the stages of a step).

use crate::bodies::body::Body;
use crate::impulses::lane_vec::State;
use carom_math::{Quat, Real, Vec3};

/// The cause of the motion of a body in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MotionKind {
    /// The body does not move: it is fixed or sleeps.
    Still,
    /// The body moves at velocities set by its owner.
    Kinematic,
    /// Forces move the body.
    Dynamic,
}

impl MotionKind {
    pub(crate) fn of(body: &Body) -> MotionKind {
        if body.is_active() {
            MotionKind::Dynamic
        } else if body.is_moving_kinematic() {
            MotionKind::Kinematic
        } else {
            MotionKind::Still
        }
    }
}

/// The motion that a body would have without contacts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeMotion {
    /// Changes of the velocities by the forces of a substep.
    pub(crate) dv: Vec3,
    pub(crate) dw: Vec3,
    /// The factors of the velocities by damping in a substep.
    pub(crate) keep_v: Real,
    pub(crate) keep_w: Real,
    /// The velocities before contacts changed them.
    pub(crate) v: Vec3,
    pub(crate) w: Vec3,
    pub(crate) kind: MotionKind,
    /// Whether contacts changed its velocities.
    pub(crate) is_pushed: bool,
    /// Whether it turns too far in a step for its contacts. Its rotation is then computed at the
    /// end of the step from its final momentum.
    pub(crate) is_whirling: bool,
    /// Whether it took part in a bounce.
    pub(crate) has_bounced: bool,
    /// Whether it is in a joint. Joints turn with the body, so the angular velocity of such a body
    /// belongs to its present orientation.
    pub(crate) is_jointed: bool,
    /// Whether a torsion spring acts on it. Such a body turns by its whole angular velocity,
    /// because the energy of the spring depends on the angle.
    pub(crate) is_sprung: bool,
    /// Whether a contact may add energy: one with a moving surface or a spring.
    pub(crate) may_gain_energy: bool,
    /// Whether the caller changed its motion within the step.
    pub(crate) is_steered: bool,
    /// Whether its angular velocity changes as it turns: see
    /// [`uneven_inertia`](crate::bodies::gyroscope::uneven_inertia).
    pub(crate) is_uneven: bool,
}

impl FreeMotion {
    /// The motion of bodies that cannot move.
    pub(crate) const NONE: FreeMotion = FreeMotion {
        dv: Vec3::ZERO,
        dw: Vec3::ZERO,
        keep_v: 1.0,
        keep_w: 1.0,
        v: Vec3::ZERO,
        w: Vec3::ZERO,
        kind: MotionKind::Still,
        is_pushed: false,
        is_whirling: false,
        has_bounced: false,
        is_jointed: false,
        is_sprung: false,
        may_gain_energy: false,
        is_steered: false,
        is_uneven: false,
    };

    /// Returns the change of the linear velocity by the forces of a substep, after damping. Then
    /// the linear and the angular velocity before contacts.
    pub(crate) fn substep(&self) -> [Vec3; 3] {
        [self.dv * self.keep_v, self.v, self.w]
    }

    /// Adds a bounce to the velocities before contacts, so that the next warm start does not repeat
    /// it.
    pub(crate) fn push(&mut self, v: Vec3, w: Vec3) {
        self.v += v;
        self.w += w;
        self.is_pushed = true;
        self.has_bounced = true;
    }

    /// Adds velocities that the caller gives a body at the start of a substep.
    pub(crate) fn steer(&mut self, v: Vec3, w: Vec3) {
        self.v += v;
        self.w += w;
        self.is_pushed = true;
        self.is_steered = true;
    }

    /// Whether the body bounced, moves by forces, and is in no joint.
    pub(crate) fn has_bounced(&self) -> bool {
        self.has_bounced && self.is_loose()
    }

    /// Whether a contact or the caller may give the body energy.
    pub(crate) fn may_be_given_energy(&self) -> bool {
        self.may_gain_energy || self.is_steered
    }

    /// Whether the body moves by forces, and no joint holds it.
    pub(crate) fn is_loose(&self) -> bool {
        self.kind == MotionKind::Dynamic && !self.is_jointed
    }

    /// Whether contacts changed the velocities of the body, which are now `state`.
    pub(crate) fn is_pushed(&self, state: &State) -> bool {
        self.is_pushed || motion(state) != (self.v, self.w)
    }
}

/// Returns the square of the radius of gyration, averaged over the axes. It is 0 if the body cannot
/// turn or has infinite mass.
pub(crate) fn gyration_sq(body: &Body) -> Real {
    let i = &body.inverse_inertia;
    let trace = i.x_axis.x + i.y_axis.y + i.z_axis.z;
    if 0.0 < trace { 3.0 * body.inverse_mass / trace } else { 0.0 }
}

/// Returns the linear and the angular velocity.
pub(crate) fn motion(state: &State) -> (Vec3, Vec3) {
    let m = &state.front;
    (Vec3::new(m[0], m[1], m[2]), Vec3::new(m[3], m[4], m[5]))
}

pub(crate) fn set_motion(state: &mut State, v: Vec3, w: Vec3) {
    state.front = [v.x, v.y, v.z, w.x, w.y, w.z, 0.0, 0.0];
}

/// Returns the displacement since the start of the step.
pub(crate) fn displacement(state: &State) -> Vec3 {
    let d = &state.back;
    Vec3::new(d[0], d[1], d[2])
}

/// Returns the rotation since the start of the step.
pub(crate) fn delta_rotation(state: &State) -> Quat {
    let d = &state.back;
    Quat::from_xyzw(d[3], d[4], d[5], d[6])
}
