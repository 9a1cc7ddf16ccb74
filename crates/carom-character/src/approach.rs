//! When a figure that moves straight comes nearer to a convex shape than it may.
//!
//! The distance of convex shapes is a convex function of the way, and its slope is the way's part
//! along the normal. So steps by distance over slope, Newton's, never pass the first time at which
//! the distance is reached, and where the slope is not downwards the shapes only part. Asked for is
//! a little less than the distance that is kept, so that moving along a surface at that distance
//! meets neither it nor its neighbours in one plane; from the time found the figure is taken back
//! until it is as far from the plane there as it shall be.
//!
//! Degenerate cases: who is nearer than that at the start, and comes nearer still, is stopped
//! there; who overlaps is said to; a search without end stops where it has come to, which is never
//! too far.
//!
//! Reference: G. van den Bergen, Ray Casting against General Convex Objects with Application to
//! Continuous Collision Detection, 2004; B. Mirtich, Impulse-based Dynamic Simulation of Rigid Body
//! Systems, 1996, 2.3 (conservative advancement).

use crate::figure::Figure;
use crate::sweep::SweepHit;
use carom_geom::SupportMap;
use carom_gjk::{GjkCache, GjkSettings, wide};
use carom_math::{WidePose, tol};
use glam::DVec3;

/// In what is kept: nearer than this is too near.
const TOO_NEAR: f64 = 0.875;

/// In what is kept: so far above that the search ends.
const NEAR_ENOUGH: f64 = 1.0 / 64.0;

/// Steps of the search; polytopes need four, round shapes eight.
const MOST_STEPS: usize = 32;

/// A figure on its way, seen from the frame of a shape.
pub(crate) struct Approach<'a> {
    pub(crate) figure: &'a Figure,
    /// The figure's frame at the start.
    pub(crate) start: WidePose,
    pub(crate) way: DVec3,
    /// A length above 0.
    pub(crate) keep: f64,
}

impl<'a> Approach<'a> {
    /// In the frame that `frame` places in the world.
    pub(crate) fn new(
        figure: &'a Figure,
        from: DVec3,
        way: DVec3,
        keep: f64,
        frame: &WidePose,
    ) -> Approach<'a> {
        let start = WidePose { rotation: *figure.rotation(), translation: from };
        Approach { figure, start: start.relative_to(frame), way: frame.inverse_transform_vector(way), keep }
    }

    /// How far the figure reaches along a unit vector of this frame.
    pub(crate) fn reach(&self, normal: DVec3) -> f64 {
        let support = self.figure.support(self.start.inverse_transform_vector(normal)).point;
        self.start.transform_vector(support).dot(normal) + self.figure.margin()
    }

    /// It keeps its distance from the plane through a point with this unit normal, on whichever
    /// side it starts.
    pub(crate) fn is_beside(&self, normal: DVec3, point: DVec3) -> bool {
        let height = normal.dot(self.start.translation - point);
        let normal = if height < 0.0 { -normal } else { normal };
        let least = height.abs() + normal.dot(self.way).min(0.0);
        // The figures are the same seen from either side.
        self.reach(normal) + TOO_NEAR * self.keep < least
    }

    /// The first time, at most `until`, at which it is too near to the shape. In this frame.
    pub(crate) fn to(&self, shape: &dyn SupportMap, until: f64) -> Option<SweepHit> {
        let settings = GjkSettings::default();
        let mut cache = GjkCache::new();
        let (too_near, near_enough) = (TOO_NEAR * self.keep, (TOO_NEAR + NEAR_ENOUGH) * self.keep);
        let along = tol::CHARACTER_INTO * self.way.length();
        let mut t = 0.0;
        for step in 0..=MOST_STEPS {
            let place = WidePose { translation: self.start.translation + self.way * t, ..self.start };
            let gap = wide::distance(shape, self.figure, &place, &settings, Some(&mut cache));
            if !(0.0 < gap.distance) {
                // Rounding may leave nothing of the distance after a step, never of more.
                return Some(SweepHit { t, ..SweepHit::inside(place.translation) });
            }
            let rate = -gap.normal.dot(self.way);
            let next = t + (gap.distance - too_near) / rate;
            // It moves along or away, or is never too near on what is left of the way.
            if !(along < rate) || (too_near < gap.distance && !(next <= until)) {
                return None;
            }
            if gap.distance <= near_enough || step == MOST_STEPS {
                let back = ((self.keep - gap.distance) / rate).clamp(0.0, t);
                let left = gap.distance + back * rate;
                return Some(SweepHit::new(t - back, left, gap.normal, gap.point_a));
            }
            t = next;
        }
        None
    }
}
