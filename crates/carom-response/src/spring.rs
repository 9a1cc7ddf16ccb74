//! Torsion springs on hinges: a mainspring that drives a train, the hairspring of a balance, a door
//! that closes.
//!
//! 1. The torque is the stiffness times the angle to the rest angle, less the damping times the
//!    speed.
//! 2. The angle counts whole turns, so a spring can be wound up.
//! 3. The angle is the mean `(x[n-1] + 2 x[n] + x[n+1]) / 4` over substeps. A free wheel then keeps
//!    its energy exactly, and no stiffness is unstable. At a stop the torque is the full one.
//! 4. The damping acts at the speed at the end of the substep, so it never turns a wheel back.
//! 5. It drives nothing beyond [`MAX_TURN`] in a substep, about 180 rad/s by default: farther than
//!    that the way of a joint falls behind its speed. The energy is lost then.
//! 6. The impulse is warm started and corrected in every substep, beside contacts and joints.
//!
//! Reference: N. Newmark, A Method of Computation for Structural Dynamics, 1959 (beta = 1/4).
//! Differs: velocities are those of semi-implicit Euler, which lag half a substep; see
//! [`Joint::spring_energy`].
//! Differs: soft rows use backward Euler, which loses energy at the rate `w^2 h` for a frequency
//! `w`.

use crate::settings::MAX_SETTING;
use carom_math::{Real, ops};
use core::f64::consts::TAU;

/// A torsion spring about the axis of a hinge.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TorsionSpring {
    /// Torque per radian, from 0 to 1e9.
    pub stiffness: Real,
    /// The angle from A's y axis to B's at which it has no torque, in radians. Beyond pi it means
    /// whole turns: the angle of a hinge is within pi when it gets its spring. At most 1e9 in
    /// absolute value.
    pub rest_angle: Real,
    /// Torque per angular speed, against the turning, from 0 to 1e9.
    pub damping: Real,
}

impl TorsionSpring {
    /// Creates a spring without damping.
    pub const fn new(stiffness: Real, rest_angle: Real) -> TorsionSpring {
        TorsionSpring { stiffness, rest_angle, damping: 0.0 }
    }

    /// The same with this damping.
    #[must_use]
    pub const fn with_damping(self, damping: Real) -> TorsionSpring {
        TorsionSpring { damping, ..self }
    }

    /// Checks the bounds of each setting; the error is the name of the first that is out of them.
    pub fn validate(&self) -> Result<(), &'static str> {
        // NaN is in no range.
        let is_within = |x: Real| (0.0..=MAX_SETTING).contains(&x);
        if !is_within(self.stiffness) {
            return Err("stiffness");
        }
        if !is_within(self.rest_angle.abs()) {
            return Err("rest_angle");
        }
        if is_within(self.damping) { Ok(()) } else { Err("damping") }
    }

    /// Returns the impulse of a substep of length `h`.
    ///
    /// `deviation` is the angle from rest at the start, `start_speed` the speed before any impulse
    /// and `speed` the one now, with the impulse `old`. `inverse_inertia` is that of both bodies
    /// about the axis.
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
        // It drives nothing faster than joints can follow.
        let without = speed - inverse_inertia * old;
        let fastest = (MAX_TURN / h).max(without.abs());
        if (without + inverse_inertia * new).abs() <= fastest {
            return new;
        }
        (fastest.copysign(new) - without) / inverse_inertia
    }
}

/// The angle of a hinge with its whole turns.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Winding {
    /// Whole turns.
    pub turns: i32,
    /// What is left, from -pi to pi.
    pub angle: Real,
}

impl Winding {
    /// Returns both together, in radians.
    pub fn total(self) -> f64 {
        f64::from(self.turns) * TAU + f64::from(self.angle)
    }

    /// Returns the winding at `angle`, within pi, with the number of turns that is nearest to this
    /// one after turning by `way`.
    pub(crate) fn at(self, angle: Real, way: Real) -> Winding {
        let more = ops::floor((self.angle + way - angle) / TAU as Real + 0.5);
        // Numbers out of their range count nothing.
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

/// Radians. How a body that turns farther than this in a substep lies at its end, is not seen in
/// its velocity at the start: a joint of such bodies holds their velocities alone, for as long as
/// they whirl, and pulls nothing together. Pulled, a joint ten metres beside two bodies threw them
/// about ever faster, without end.
pub(crate) const MAX_TURN: Real = 0.5;
