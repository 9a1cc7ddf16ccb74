//! The nearest points of two convex cores, as the corners of a simplex. A caller can track these
//! features over time.
//!
//! The search is that of [`crate::wide::distance`]. The final simplex is returned instead of its
//! weighted sum, and margins are ignored. If the cores overlap, the result says so, without a
//! depth.
//!
//! Reference: E. G. Gilbert, D. W. Johnson, S. S. Keerthi, A Fast Procedure for Computing the
//! Distance Between Complex Objects in Three-Dimensional Space, IEEE J. Robotics and Automation 4,
//! 1988.

use crate::gjk::{Goal, Search, Verdict, remember, search};
use crate::minkowski::Minkowski;
use crate::simplex::weights;
use crate::wide::unit;
use crate::{Counters, GjkCache, GjkSettings};
use carom_geom::SupportMap;
use carom_math::WidePose;
use glam::DVec3;

/// The nearest features of two cores, as up to four pairs of support points.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NearestSimplex {
    /// Points of A's core, in A's frame. The first `n_points` are valid.
    pub points_a: [DVec3; 4],
    /// Points of B's core, in B's frame, each paired with the point of A at the same index.
    pub points_b: [DVec3; 4],
    /// From 1 to 4, or 0 if a number of the input is not finite.
    pub n_points: usize,
    /// The weights: not negative, and their sum is 1. The nearest point of a core is the weighted
    /// sum of its points. With four points all weights are 0: the cores overlap.
    pub weights: [f64; 4],
    /// Unit vector from A towards B in A's frame, along which the cores have the largest proved
    /// gap. Zero if they overlap.
    pub axis: DVec3,
    /// The work of the query.
    pub counters: Counters,
}

/// Returns the nearest features of two convex shapes without their margins. `b_in_a` is the pose
/// of B in A's frame.
///
/// Stops early if the shapes, margins included, are proved to be farther apart than
/// `settings.max_distance`. The features are then not the nearest ones.
pub fn nearest_simplex<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &WidePose,
    settings: &GjkSettings,
    cache: Option<&mut GjkCache>,
) -> NearestSimplex {
    let mut counters = Counters::default();
    let c = Minkowski::new(a, b, b_in_a);
    let mut found = Search::new();
    if c.is_finite {
        search(&c, Goal::Cores, settings, cache.as_deref(), &mut counters, &mut found);
        if let Some(cache) = cache {
            remember(cache, &found);
        }
    }
    let simplex = &found.simplex;
    let mut nearest = NearestSimplex {
        points_a: [DVec3::ZERO; 4],
        points_b: [DVec3::ZERO; 4],
        n_points: simplex.n.min(4),
        weights: [0.0; 4],
        axis: DVec3::ZERO,
        counters,
    };
    for i in 0..nearest.n_points {
        let vertex = simplex.vertex(i);
        (nearest.points_a[i], nearest.points_b[i]) = (vertex.a.point, vertex.b.point);
    }
    if 0 < nearest.n_points && nearest.n_points < 4 {
        nearest.weights = weights(&simplex.points, simplex.nearest.keep);
    }
    if found.verdict != Verdict::Meet && 0 < nearest.n_points {
        nearest.axis = unit(-found.axis);
    }
    nearest
}
