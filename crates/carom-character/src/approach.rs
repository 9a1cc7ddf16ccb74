//! The time at which a figure on a straight path comes nearer to a convex shape than it may.
//!
//! The distance of convex shapes is a convex function along the path. Its slope is the component
//! of the displacement along the normal. So Newton steps, distance over slope, do not pass the
//! first time at which the distance is reached. If the slope is not negative the shapes only
//! separate.
//!
//! The search aims at slightly less than the distance to keep. So a figure that moves along a
//! surface at that distance hits neither it nor coplanar neighbours. Then the figure is moved back
//! until it keeps the full distance from the plane there.
//!
//! Degenerate: a figure that starts nearer and comes nearer still is stopped at the start. An
//! overlap is reported. A search that does not converge ends at its last step, which is not too
//! far.
//!
//! Reference: G. van den Bergen, Ray Casting against General Convex Objects with Application to
//! Continuous Collision Detection, 2004; B. Mirtich, Impulse-based Dynamic Simulation of Rigid
//! Body Systems, 1996, 2.3 (conservative advancement).

use crate::figure::Figure;
use crate::sweep::SweepHit;
use carom_geom::SupportMap;
use carom_gjk::{GjkCache, GjkSettings, wide};
use carom_math::{WidePose, tol};
use glam::DVec3;

/// The distance below which a figure is too near, in units of the distance to keep.
const MIN_KEEP_RATIO: f64 = 0.875;

/// The tolerance above that at which the search ends, in units of the distance to keep.
const NEAR_ENOUGH: f64 = 1.0 / 64.0;

/// The maximum number of steps of the search. Polytopes need four, round shapes eight.
const MAX_STEPS: usize = 32;

/// A figure and its displacement, in the frame of a shape.
pub(crate) struct Approach<'a> {
    pub(crate) figure: &'a Figure,
    /// The figure's frame at the start.
    pub(crate) start: WidePose,
    pub(crate) displacement: DVec3,
    /// A length above 0.
    pub(crate) keep: f64,
}

impl<'a> Approach<'a> {
    /// Returns the figure in the frame of a shape; `frame` is the pose of the shape in the world.
    pub(crate) fn new(
        figure: &'a Figure,
        from: DVec3,
        displacement: DVec3,
        keep: f64,
        frame: &WidePose,
    ) -> Approach<'a> {
        let start = WidePose { rotation: *figure.rotation(), translation: from };
        Approach {
            figure,
            start: start.relative_to(frame),
            displacement: frame.inverse_transform_vector(displacement),
            keep,
        }
    }

    /// Returns the extent of the figure along a unit vector of this frame.
    pub(crate) fn reach(&self, normal: DVec3) -> f64 {
        let support = self.figure.support(self.start.inverse_transform_vector(normal)).point;
        self.start.transform_vector(support).dot(normal) + self.figure.margin()
    }

    /// Whether the figure keeps its distance from the plane through a point with this unit normal,
    /// on the side where it starts.
    pub(crate) fn is_beside(&self, normal: DVec3, point: DVec3) -> bool {
        let height = normal.dot(self.start.translation - point);
        let normal = if height < 0.0 { -normal } else { normal };
        let least = height.abs() + normal.dot(self.displacement).min(0.0);
        // Figures are symmetric, so the extent is the same on either side.
        self.reach(normal) + self.too_near() < least
    }

    /// Returns the distance below which the figure is too near.
    pub(crate) fn too_near(&self) -> f64 {
        MIN_KEEP_RATIO * self.keep
    }

    /// Returns the distance that the figure comes nearer on its path if it moves along a surface,
    /// up to rounding.
    pub(crate) fn least_rate(&self) -> f64 {
        tol::CHARACTER_INTO * self.displacement.length()
    }

    /// Returns the first time, at most `until`, at which the figure is too near to the shape. The
    /// hit is in this frame.
    pub(crate) fn to(&self, shape: &dyn SupportMap, until: f64) -> Option<SweepHit> {
        let settings = GjkSettings::default();
        let mut cache = GjkCache::new();
        let (too_near, near_enough) = (self.too_near(), (MIN_KEEP_RATIO + NEAR_ENOUGH) * self.keep);
        let along = self.least_rate();
        let mut t = 0.0;
        for step in 0..=MAX_STEPS {
            let pose = WidePose { translation: self.start.translation + self.displacement * t, ..self.start };
            let gap = wide::distance(shape, self.figure, &pose, &settings, Some(&mut cache));
            if !(0.0 < gap.distance) {
                // Rounding may make the distance 0 after a step.
                return Some(SweepHit { t, ..SweepHit::inside(pose.translation) });
            }
            let rate = -gap.normal.dot(self.displacement);
            let next = t + (gap.distance - too_near) / rate;
            // It moves along or away, or is not too near on the rest of the path.
            if !(along < rate) || (too_near < gap.distance && !(next <= until)) {
                return None;
            }
            if gap.distance <= near_enough || step == MAX_STEPS {
                let back = ((self.keep - gap.distance) / rate).clamp(0.0, t);
                let left = gap.distance + back * rate;
                return Some(SweepHit::new(t - back, left, gap.normal, gap.point_a));
            }
            t = next;
        }
        None
    }
}
