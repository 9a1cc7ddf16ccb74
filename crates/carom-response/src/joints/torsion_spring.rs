//! Torsion springs on hinges: the mainspring of a clock, the hairspring of a balance, a door
//! closer.
//!
//! 1. The torque is the stiffness times the angle from the present to the rest angle, minus the
//!    damping times the speed.
//! 2. The angle counts full turns, so a spring can be wound up.
//! 3. The torque uses the mean `(x[n-1] + 2 x[n] + x[n+1]) / 4` of the angles x of three substeps.
//!    A free wheel then keeps its energy exactly, and no stiffness is unstable. At a stop the
//!    torque is the full one. The bodies of the spring turn by their whole angular velocity, so
//!    the angle is that of the energy (test:
//!    `springs::a_stiff_spring_gives_a_fast_wheel_no_energy`).
//! 4. The damping uses the speed at the end of the substep, so it never reverses a wheel.
//! 5. A spring accelerates nothing beyond [`MAX_TURN`] per substep, about 180 rad/s by default.
//!    Beyond that, joints cannot follow the rotation, and the excess energy is lost. A spring also
//!    acts on a hinge that cannot follow: otherwise the spring would be wound without work (test:
//!    `springs::a_spring_pulls_in_a_hinge_that_opens`).
//! 6. The impulse is warm started and corrected in every substep, together with contacts and
//!    joints. Hinges in a row are solved directly instead: see `spring_trees.rs`.
//!
//! Reference: N. Newmark, A Method of Computation for Structural Dynamics, 1959 (beta = 1/4).
//! Differs: velocities are those of semi-implicit Euler, which lag half a substep; see
//! [`Joint::spring_energy`](crate::Joint::spring_energy).
//! Differs: soft rows use backward Euler, which loses energy at the rate `w^2 h` for a frequency
//! `w`.

use crate::joints::fault::{JointFault, demand, demand_setting};
use crate::settings::MAX_SETTING;
use carom_math::{Real, ops};
use core::f64::consts::TAU;

/// A torsion spring about the axis of a hinge.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TorsionSpring {
    /// Torque per radian, from 0 to 1e9.
    pub stiffness: Real,
    /// The angle from A's y axis to B's at which the spring has no torque, in radians. When a
    /// hinge gets its spring, the angle of the hinge is within pi. So rest angles beyond pi
    /// include full turns. At most 1e9 in absolute value.
    pub rest_angle: Real,
    /// Torque per angular speed, which acts against the motion, from 0 to 1e9.
    pub damping: Real,
}

impl TorsionSpring {
    /// Creates a spring without damping. The stiffness is a torque per radian, from 0 to 1e9. The
    /// rest angle is in radians: see [`TorsionSpring::rest_angle`].
    pub const fn new(stiffness: Real, rest_angle: Real) -> TorsionSpring {
        TorsionSpring { stiffness, rest_angle, damping: 0.0 }
    }

    /// Sets the damping, a torque per angular speed, from 0 to 1e9.
    #[must_use]
    pub const fn with_damping(self, damping: Real) -> TorsionSpring {
        TorsionSpring { damping, ..self }
    }

    /// Checks the bounds of each setting, and names the first one out of bounds.
    pub fn validate(&self) -> Result<(), JointFault> {
        demand_setting("stiffness", self.stiffness)?;
        demand(self.rest_angle.abs() <= MAX_SETTING, "rest_angle", self.rest_angle)?;
        demand_setting("damping", self.damping)
    }

    /// Returns the impulse of a substep of length `h`.
    ///
    /// `deviation` is the angle from rest at the start, and `start_speed` the speed before any
    /// impulse. `speed` is the present one, which includes the impulse `old`. `inverse_inertia` is
    /// that of both bodies about the axis.
    pub(crate) fn impulse(
        &self,
        deviation: Real,
        start_speed: Real,
        speed: Real,
        old: Real,
        inverse_inertia: Real,
        h: Real,
    ) -> Real {
        let (k, c) = (self.stiffness, self.damping);
        let wanted = -h * (k * (deviation + 0.25 * h * (speed - start_speed)) + c * speed);
        let new = old + (wanted - old) / (1.0 + h * inverse_inertia * (0.25 * h * k + c));
        // A faster rotation than joints can follow is not driven.
        let without = speed - inverse_inertia * old;
        let fastest = (MAX_TURN / h).max(without.abs());
        if (without + inverse_inertia * new).abs() <= fastest {
            return new;
        }
        (fastest.copysign(new) - without) / inverse_inertia
    }
}

/// The angle of a hinge, with full turns.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Winding {
    /// The number of full turns.
    pub turns: i32,
    /// The remaining angle, in radians from -pi to pi.
    pub angle: Real,
}

impl Winding {
    /// Returns the total angle in radians.
    pub fn total(self) -> f64 {
        f64::from(self.turns) * TAU + f64::from(self.angle)
    }

    /// Returns the winding at `angle`, which is within pi. The number of turns is the nearest one
    /// to this winding after a rotation by `turned`.
    pub(crate) fn at(self, angle: Real, turned: Real) -> Winding {
        let more = ops::floor((self.angle + turned - angle) / TAU as Real + 0.5);
        // After an overflow the winding is kept.
        if !more.is_finite() {
            return self;
        }
        Winding { turns: self.turns.saturating_add(more as i32), angle }
    }

    /// Whether the angle is within pi, up to rounding.
    pub(crate) fn is_sound(self) -> bool {
        self.angle.abs() < 3.2
    }
}

/// The largest rotation in a substep, in radians, after which the velocity at the start predicts
/// the orientation at the end. If a body turns farther, its joints constrain only velocities and
/// correct no position errors. Otherwise bodies with a far joint point would gain speed without
/// bound.
pub(crate) const MAX_TURN: Real = 0.5;
