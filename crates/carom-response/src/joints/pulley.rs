//! The row of a pulley: a rope from A over two fixed points to B. It only pulls.
//!
//! Reference: E. Catto, Box2D 2.4, b2_pulley_joint.cpp, 2020.
//! Differs: the rope may be slack.

use crate::joints::load::JointImpulse;
use crate::joints::rows::{Moving, inverse_or_zero, limit};
use crate::joints::softness::Softness;
use carom_math::{Real, Vec3};

/// A pulley in one iteration.
pub(crate) struct Rope {
    /// The joint points on A and B, relative to the fixed points.
    pub(crate) ends: [Vec3; 2],
    /// Factor of the length on the side of B.
    pub(crate) ratio: Real,
}

impl Rope {
    /// Keeps the rope from being longer than `length`.
    pub(crate) fn solve(
        &self,
        rows: &mut Moving<'_>,
        i: &mut JointImpulse,
        length: Real,
        soft: Softness,
        h: Real,
    ) {
        let [along_a, along_b] = self.directions();
        let (turn_a, turn_b) = (rows.anchor_a.cross(along_a), rows.anchor_b.cross(along_b));
        let felt_a = rows.mass_a + turn_a.dot(rows.inertia_a * turn_a);
        let felt_b = rows.mass_b + turn_b.dot(rows.inertia_b * turn_b);
        let mass = inverse_or_zero(felt_a + self.ratio * self.ratio * felt_b);
        let speed_a = along_a.dot(rows.v_a + rows.w_a.cross(rows.anchor_a));
        let speed_b = along_b.dot(rows.v_b + rows.w_b.cross(rows.anchor_b));
        let room = length - self.ends[0].length() - self.ratio * self.ends[1].length();
        let change = limit(&mut i.upper, room, -(speed_a + self.ratio * speed_b), mass, soft, h);
        self.pull(rows, change);
    }

    /// Pulls both ends towards the fixed points.
    pub(crate) fn pull(&self, rows: &mut Moving<'_>, impulse: Real) {
        let [along_a, _] = self.directions();
        let (a, b) = (along_a * -impulse, self.pull_on_b(impulse));
        rows.v_a += a * rows.mass_a;
        rows.w_a += rows.inertia_a * rows.anchor_a.cross(a);
        rows.v_b += b * rows.mass_b;
        rows.w_b += rows.inertia_b * rows.anchor_b.cross(b);
    }

    /// Returns the impulse on B at its joint point.
    pub(crate) fn pull_on_b(&self, impulse: Real) -> Vec3 {
        self.directions()[1] * (-impulse * self.ratio)
    }

    /// Returns unit vectors from the fixed points to the ends. If an end is at its fixed point,
    /// its vector is -y.
    fn directions(&self) -> [Vec3; 2] {
        self.ends.map(|end| end.try_normalize().unwrap_or(Vec3::NEG_Y))
    }
}
