//! Limits of the twist of a spherical joint.
//!
//! The twist is the angle about the x axis that remains after the shortest rotation that aligns
//! the x axes. Its row is the bisector of the two x axes, scaled so that it measures the rate of
//! the twist.
//!
//! Reference: J. Maciel, P. Baerlocher, R. Boulic, Swing-Twist Decomposition, in: Inverse
//! Kinematics with Joint Limits, 2001.

use crate::joints::kind::JointAxis;
use crate::joints::load::JointImpulse;
use crate::joints::rows::{Moving, Rows, inverse_or_zero, limit};
use crate::joints::softness::Softness;
use carom_math::{Real, Vec3, ops, rotation};

/// The least value of 1 + cos of the angle between the x axes for which the twist is defined. It
/// is half of the value at the widest cone, [`JointKind::MAX_TWISTED_CONE`](crate::JointKind).
const MIN_TWIST_DIVISOR: Real = 0.005;

/// The index of the impulses of twist among the six axes.
const ABOUT_X: usize = JointAxis::AngX as usize;

impl Moving<'_> {
    /// Keeps the twist within its limits.
    pub(crate) fn limit_twist(
        &mut self,
        i: &mut JointImpulse,
        [low, high]: [Real; 2],
        soft: Softness,
        h: Real,
    ) {
        let (axis, angle) = self.twist_row();
        let mass = inverse_or_zero(self.inverse_effective_inertia(axis));
        for (side, sign, room) in [(0, 1.0, angle - low), (1, -1.0, high - angle)] {
            let speed = sign * axis.dot(self.w_b - self.w_a);
            let change = limit(&mut i.limits[ABOUT_X][side], room, speed, mass, soft, h);
            self.twist(axis * (sign * change));
        }
    }

    /// Applies the impulses of the limits of twist.
    pub(crate) fn start_twist(&mut self, i: &JointImpulse) {
        let impulse = self.twist_impulse(i);
        self.twist(impulse);
    }
}

impl Rows {
    /// Returns the angular impulse of the limits of twist on B, in the world frame.
    pub(crate) fn twist_impulse(&self, i: &JointImpulse) -> Vec3 {
        let [lower, upper] = i.limits[ABOUT_X];
        if lower == upper { Vec3::ZERO } else { self.twist_row().0 * (lower - upper) }
    }

    /// Returns the vector whose product with the relative angular velocity is the rate of the
    /// twist, and the twist within pi. The vector is zero if the x axes are opposite.
    pub(crate) fn twist_row(&self) -> (Vec3, Real) {
        let (a, b) = (rotation::rotate(self.rotation_a, Vec3::X), rotation::rotate(self.rotation_b, Vec3::X));
        let divisor = 1.0 + a.dot(b);
        let b_in_a = rotation::mul(self.rotation_a.conjugate(), self.rotation_b);
        let half = if b_in_a.w < 0.0 { -b_in_a } else { b_in_a };
        let twist = 2.0 * ops::atan2(half.x, half.w);
        if divisor < MIN_TWIST_DIVISOR { (Vec3::ZERO, twist) } else { ((a + b) / divisor, twist) }
    }
}
