//! The rows of a pulley: a rope from A over two fixed points to B. It only pulls.
//!
//! - The rope keeps the sum of the lengths of its two sides. That of B is multiplied by the ratio.
//! - An end that the rope draws to its fixed point stops there. Otherwise the rope would draw it
//!   through the point and out again, without a force that holds the other end.
//! - One side alone is at most as long as the whole rope. This follows from the sum, but the sum
//!   acts on the lighter end too: it would take the momentum of a heavy end in as many substeps as
//!   their masses differ.
//!
//! Reference: E. Catto, Box2D 2.4, b2_pulley_joint.cpp, 2020.
//! Differs: the rope may be slack, and an end may be at its fixed point.

use crate::joints::load::JointImpulse;
use crate::joints::rows::{Moving, inverse_or_zero, limit};
use crate::joints::softness::Softness;
use carom_math::{Mat3, Real, Vec3};

/// The indices of the impulse of a stop and of that of a whole rope among the limits of a side.
const STOP: usize = 0;
const WHOLE: usize = 1;

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
        soft_for: impl Fn(Real) -> Softness,
        h: Real,
    ) {
        let along = self.directions();
        let lengths = self.ends.map(Vec3::length);
        let inverse = [
            inverse_mass((rows.mass_a, &rows.inertia_a), rows.anchor_a, along[0]),
            inverse_mass((rows.mass_b, &rows.inertia_b), rows.anchor_b, along[1]),
        ];
        let mass = inverse_or_zero(inverse[0] + self.ratio * self.ratio * inverse[1]);
        let room = length - lengths[0] - self.ratio * lengths[1];
        let [speed_a, speed_b] = self.speeds(rows);
        let soft = soft_for(mass);
        let change = limit(&mut i.upper, room, -(speed_a + self.ratio * speed_b), mass, soft, h);
        self.pull(rows, [-change, -change * self.ratio]);
        for (k, whole) in [length, length / self.ratio].into_iter().enumerate() {
            let mass = inverse_or_zero(inverse[k]);
            let soft = soft_for(mass);
            let speed = self.speeds(rows)[k];
            let mut change = -limit(&mut i.limits[k][WHOLE], whole - lengths[k], -speed, mass, soft, h);
            if 0.0 < i.upper {
                change +=
                    limit(&mut i.limits[k][STOP], lengths[k], speed + change * inverse[k], mass, soft, h);
            } else {
                change -= core::mem::take(&mut i.limits[k][STOP]);
            }
            let mut changes = [0.0; 2];
            changes[k] = change;
            self.pull(rows, changes);
        }
    }

    /// Applies the impulses of the substep before.
    pub(crate) fn warm_start(&self, rows: &mut Moving<'_>, i: &JointImpulse) {
        self.pull(rows, self.impulses(i));
    }

    /// Returns the impulse of the rope on B at its joint point, without that of the fixed point.
    pub(crate) fn pull_on_b(&self, i: &JointImpulse) -> Vec3 {
        self.directions()[1] * -(i.upper * self.ratio + i.limits[1][WHOLE])
    }

    /// Returns the impulses on A and B away from their fixed points.
    fn impulses(&self, i: &JointImpulse) -> [Real; 2] {
        let [a, b] = [0, 1].map(|k| i.limits[k][STOP] - i.limits[k][WHOLE]);
        [a - i.upper, b - i.upper * self.ratio]
    }

    /// Applies impulses away from the fixed points.
    fn pull(&self, rows: &mut Moving<'_>, impulses: [Real; 2]) {
        let [along_a, along_b] = self.directions();
        let (a, b) = (along_a * impulses[0], along_b * impulses[1]);
        rows.v_a += a * rows.mass_a;
        rows.w_a += rows.inertia_a * rows.anchor_a.cross(a);
        rows.v_b += b * rows.mass_b;
        rows.w_b += rows.inertia_b * rows.anchor_b.cross(b);
    }

    /// Returns the rates at which the two sides become longer.
    fn speeds(&self, rows: &Moving<'_>) -> [Real; 2] {
        let [along_a, along_b] = self.directions();
        let speed_a = along_a.dot(rows.v_a + rows.w_a.cross(rows.anchor_a));
        [speed_a, along_b.dot(rows.v_b + rows.w_b.cross(rows.anchor_b))]
    }

    /// Returns unit vectors from the fixed points to the ends. If an end is at its fixed point,
    /// its vector is -y.
    fn directions(&self) -> [Vec3; 2] {
        self.ends.map(|end| end.try_normalize().unwrap_or(Vec3::NEG_Y))
    }
}

/// Returns the inverse mass that an impulse along a direction meets at a joint point.
fn inverse_mass((mass, inertia): (Real, &Mat3), anchor: Vec3, along: Vec3) -> Real {
    let turn = anchor.cross(along);
    mass + turn.dot(*inertia * turn)
}
