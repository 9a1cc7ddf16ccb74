//! The time at which a ball on a straight path comes near a triangle of a mesh. Positions have a
//! known error bound.
//!
//! - A closed form gives the time at which the ball touches. A search with support points takes
//!   about a dozen of them for round shapes.
//! - The separation along the axis between the nearest points is linear, so it proves all times
//!   before. A little later the nearest point proves the contact.
//! - If the ball passes, the axis from a corner or edge at its nearest time proves all times.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.11.3 (a ball against a
//! triangle).
//! Differs: both ends are proved, including the error of positions. Open cases are left to the
//! general search. Figures are in `benches/notes/carom-ccd.md`.

use crate::nearest::{level_axis, on_triangle};
use crate::sphere_triangle::entry_time;
use crate::{Clear, Impact, Proof, Straight, TimeOfImpact};
use carom_math::ops::sqrt;
use glam::DVec3;

/// The times after the safe time at which contact is tested. The unit is the time in which the
/// separation falls by the error of positions.
const AHEAD: [f64; 2] = [4.0, 64.0];

impl Straight {
    /// Returns the first time at which a ball around the point, B, comes within `target` of a
    /// triangle of A. The first of `times` is that of `start`. In A's frame, features unknown.
    /// `None` if rounding leaves it open, or if the ball is near at the start.
    pub fn ball_meets(
        &self,
        radius: f64,
        target: f64,
        corners: &[DVec3; 3],
        times: [f64; 2],
    ) -> Option<TimeOfImpact> {
        let (v, time, reach) = (self.velocity, times[1] - times[0], radius + target);
        let w = corners.map(|corner| corner - self.start);
        let size = w.iter().fold(0.0_f64, |size, w| size.max(w.abs().element_sum()));
        // The error of positions, twice because of the sum that gives the time, plus differences,
        // products and lengths.
        let slack = 2.0 * self.rounding + 16.0 * f64::EPSILON * (size + v.abs().element_sum() * time + reach);
        let at = |t: f64| w.map(|w| w - v * t);
        // The gap at the start along a unit vector towards the triangle.
        let apart_along =
            |n: DVec3| w.iter().fold(f64::INFINITY, |low, w| low.min(n.dot(*w))) - reach - slack;
        let Some(touch) = entry_time(&w, v, reach, time) else {
            let n = passing_axis(&w, v, time)?;
            let apart = apart_along(n);
            let least = apart.min(apart - n.dot(v) * time);
            return (0.0 < least).then(|| TimeOfImpact::Clear(Clear::new(target + least)));
        };
        let there = at(touch);
        let n = level_axis(&there, &on_triangle(&there))?;
        let (apart, rate) = (apart_along(n), n.dot(v));
        let t_lo = apart / rate * (1.0 - 4.0 * f64::EPSILON);
        if !(0.0 < apart && 0.0 < rate && t_lo < time) {
            return None;
        }
        for ahead in AHEAD {
            let t_hi = t_lo + ahead * slack / rate;
            if !(t_hi <= time) {
                return None;
            }
            let nearest = on_triangle(&at(t_hi)).point;
            let distance = sqrt(nearest.length_squared());
            if distance <= reach - slack && 0.0 < distance {
                let center = self.start + v * t_hi;
                let normal = nearest * (1.0 / distance);
                let gap = (distance + slack - radius).min(target);
                let t_hi = (times[0] + t_hi).min(times[1]);
                let bracket = [(times[0] + t_lo).min(t_hi), t_hi];
                let proof = if gap <= 0.0 { Proof::Overlap } else { Proof::Within(gap) };
                let points = [center + nearest, center + normal * radius];
                return Some(TimeOfImpact::Hit(Impact::new(bracket, points, -normal, proof)));
            }
        }
        None
    }
}

/// Returns the unit axis towards a triangle from a point that moves from the origin with the
/// velocity `v`. The axis is taken at the time at which the point is nearest to a corner or an
/// edge.
fn passing_axis(w: &[DVec3; 3], v: DVec3, time: f64) -> Option<DVec3> {
    let mut best: Option<(f64, DVec3)> = None;
    for i in 0..3 {
        let edge = w[(i + 1) % 3] - w[i];
        let (p, q) = (edge.cross(w[i]), edge.cross(v));
        for t in [w[i].dot(v) / v.length_squared(), p.dot(q) / q.length_squared()] {
            // False for NaN, which an edge along the path gives.
            if !(0.0 <= t && t <= time) {
                continue;
            }
            let there = w.map(|w| w - v * t);
            let near = on_triangle(&there);
            let distance_sq = near.point.length_squared();
            if best.is_none_or(|(least, _)| distance_sq < least)
                && let Some(axis) = level_axis(&there, &near)
            {
                best = Some((distance_sq, axis));
            }
        }
    }
    best.map(|(_, axis)| axis)
}
