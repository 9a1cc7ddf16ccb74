//! Times of impact of convex shapes, with nearest points from GJK.
//!
//! Reference: G. van den Bergen, Ray Casting against General Convex Objects with Application to
//! Continuous Collision Detection, 2004.

use carom_bvh::Counters;
use carom_ccd::{ImpactSettings, Motion, Proposal, Tally, TimeOfImpact, time_of_impact_counted};
use carom_geom::{SupportMap, SupportPoint};
use carom_gjk::{GjkCache, GjkSettings, nearest_simplex};
use carom_math::WidePose;
use glam::DVec3;

/// A cast of two shapes: motions, settings and counters.
pub(crate) struct CastQuery<'q, T> {
    pub(crate) motion_a: &'q Motion,
    pub(crate) motion_b: &'q Motion,
    pub(crate) settings: ImpactSettings,
    pub(crate) tally: &'q T,
}

// A derived impl would require `T: Clone`.
impl<T> Clone for CastQuery<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for CastQuery<'_, T> {}

impl<T: Tally> CastQuery<'_, T> {
    /// Returns the same cast with A and B swapped.
    pub(crate) fn swapped(self) -> Self {
        CastQuery { motion_a: self.motion_b, motion_b: self.motion_a, ..self }
    }

    /// Returns the same cast over another time interval.
    pub(crate) fn with_times(self, [from, to]: [f64; 2]) -> Self {
        CastQuery { settings: self.settings.with_times(from, to), ..self }
    }

    /// Returns the target distance, at least 0.
    pub(crate) fn target(&self) -> f64 {
        self.settings.target_distance.max(0.0)
    }

    /// Returns the pose of B in A's frame at time `t`.
    pub(crate) fn b_in_a(&self, t: f64) -> WidePose {
        self.motion_b.pose_at(t).relative_to(&self.motion_a.pose_at(t))
    }

    /// Adds the cost of a walk through a tree.
    pub(crate) fn count_walk(&self, walk: &Counters) {
        self.tally.count(|counters| {
            counters.nodes += walk.nodes;
            counters.volume_tests += walk.volume_tests;
            counters.leaves += walk.leaves;
            counters.primitives += walk.primitives;
        });
    }

    /// Counts a box around the sweep of a body or of a part.
    pub(crate) fn count_volume(&self) {
        self.tally.count(|counters| counters.volume_updates += 1);
    }
}

/// Returns when two moving convex shapes first come within the target distance of each other.
pub(crate) fn convex<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    query: &CastQuery<'_, impl Tally>,
) -> TimeOfImpact {
    let CastQuery { motion_a, motion_b, settings, tally } = query;
    // The features at one time are close to those at the next.
    let mut cache = GjkCache::new();
    time_of_impact_counted(a, motion_a, b, motion_b, settings, *tally, |b_in_a, tolerance| {
        let gjk = GjkSettings::default().with_distance_tolerance(tolerance);
        let nearest = nearest_simplex(a, b, b_in_a, &gjk, Some(&mut cache));
        tally.count(|counters| {
            counters.iterations += u64::from(nearest.counters.iterations);
            counters.supports += u64::from(nearest.counters.supports);
        });
        Proposal {
            axis: nearest.axis,
            points_a: nearest.points_a,
            points_b: nearest.points_b,
            n_points: nearest.n_points,
            weights: nearest.weights,
        }
    })
}

/// An axis-aligned box anywhere in its frame: a node of a tree.
pub(crate) struct PlacedBox {
    center: DVec3,
    half: DVec3,
}

impl PlacedBox {
    /// Creates a box from its minimum and maximum corner.
    pub(crate) fn new(min: DVec3, max: DVec3) -> PlacedBox {
        // The rounding of halving and adding.
        let slack = (min.abs() + max.abs()) * f64::EPSILON;
        PlacedBox { center: (min + max) * 0.5, half: (max - min) * 0.5 + slack }
    }
}

impl SupportMap for PlacedBox {
    #[inline]
    fn support(&self, direction: DVec3) -> SupportPoint {
        let side = |d: f64, half: f64| if d < 0.0 { -half } else { half };
        let (d, h) = (direction, self.half);
        let corner = DVec3::new(side(d.x, h.x), side(d.y, h.y), side(d.z, h.z));
        SupportPoint { point: self.center + corner, vertex: carom_geom::NO_VERTEX }
    }

    #[inline]
    fn center(&self) -> DVec3 {
        self.center
    }

    #[inline]
    fn radius(&self) -> f64 {
        self.half.length() * (1.0 + 4.0 * f64::EPSILON)
    }
}
