//! Which points of two convex cores are nearest, corner by corner: for those who follow features
//! over time.
//!
//! The search is that of [`crate::wide::distance`]; what it ended with is handed out instead of
//! being summed up, margins left aside. Nothing in it is deeper than the search: where cores
//! overlap it says so, and no depth.
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
    /// Points of A's core, in A's frame; the first `n_points` count.
    pub points_a: [DVec3; 4],
    /// Points of B's core, in B's frame, each paired with the one of A.
    pub points_b: [DVec3; 4],
    /// From 1 to 4; 0 where a number of the input is not finite.
    pub n_points: usize,
    /// Sum to 1, none is negative: the nearest point of a core is the sum of its points, so
    /// weighted. Of four points zeros: the cores have the origin of their difference inside.
    pub weights: [f64; 4],
    /// Unit vector from A towards B in A's frame, along which the cores were found to be farthest
    /// apart; zero when they meet.
    pub axis: DVec3,
    /// What it cost.
    pub counters: Counters,
}

/// The nearest features of two convex shapes without their margins, B placed by `b_in_a`.
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
