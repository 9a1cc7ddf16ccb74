//! Times of impact of convex shapes, with nearest points from GJK.
//!
//! Reference: G. van den Bergen, Ray Casting against General Convex Objects with Application to Continuous Collision Detection, 2004.

use carom_ccd::{ImpactSettings, Motion, Proposal, TimeOfImpact, time_of_impact};
use carom_geom::{SupportMap, SupportPoint};
use carom_gjk::{GjkCache, GjkSettings, nearest_simplex};
use glam::DVec3;

/// When two moving convex shapes first come within the target distance of each other.
pub(crate) fn convex<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    motion_a: &Motion,
    b: &B,
    motion_b: &Motion,
    settings: &ImpactSettings,
) -> TimeOfImpact {
    // The features of one time are nearly those of the next.
    let mut cache = GjkCache::new();
    time_of_impact(a, motion_a, b, motion_b, settings, |b_in_a, tolerance| {
        let gjk = GjkSettings::default().with_distance_tolerance(tolerance);
        let nearest = nearest_simplex(a, b, b_in_a, &gjk, Some(&mut cache));
        Proposal {
            axis: nearest.axis,
            points_a: nearest.points_a,
            points_b: nearest.points_b,
            n_points: nearest.n_points,
            weights: nearest.weights,
        }
    })
}

/// A box along the axes of its frame, anywhere: a part of a tree.
pub(crate) struct PlacedBox {
    center: DVec3,
    half: DVec3,
}

impl PlacedBox {
    /// From the least and the greatest corner.
    pub(crate) fn new(min: DVec3, max: DVec3) -> PlacedBox {
        // What halving and adding round off.
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
