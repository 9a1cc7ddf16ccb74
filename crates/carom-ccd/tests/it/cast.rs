//! Shared by the tests of times of impact: bodies with their motions, and a search that proposes
//! with GJK.

use carom_ccd::{
    Impact, ImpactCounters, ImpactSettings, Motion, Proof, Proposal, TimeOfImpact, conservative_advancement,
    conservative_advancement_counted, time_of_impact,
};
use carom_geom::{NO_VERTEX, SupportMap, SupportPoint};
use carom_gjk::{GjkCache, GjkSettings, nearest_simplex};
use carom_math::WidePose;
use carom_testkit::oracle::impact::{Figure, Path};
use glam::DVec3;
use std::cell::Cell;

/// The hull of points, by looking at all of them, with a radius around it.
#[derive(Debug)]
pub(crate) struct Points {
    pub(crate) points: Vec<DVec3>,
    pub(crate) margin: f64,
}

impl SupportMap for Points {
    fn support(&self, direction: DVec3) -> SupportPoint {
        let mut best = (f64::NEG_INFINITY, 0);
        for (i, point) in self.points.iter().enumerate() {
            if best.0 < point.dot(direction) {
                best = (point.dot(direction), i);
            }
        }
        SupportPoint { point: self.points[best.1], vertex: best.1 as u32 }
    }

    fn vertex(&self, number: u32) -> Option<DVec3> {
        assert_ne!(number, NO_VERTEX);
        self.points.get(number as usize).copied()
    }

    fn center(&self) -> DVec3 {
        self.points.iter().sum::<DVec3>() / self.points.len() as f64
    }

    fn radius(&self) -> f64 {
        let center = self.center();
        self.points.iter().map(|p| p.distance(center)).fold(0.0, f64::max) * (1.0 + 1e-15)
    }

    fn margin(&self) -> f64 {
        self.margin
    }
}

/// A body, for the search and for the truth.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) shape: Points,
    pub(crate) figure: Figure,
    pub(crate) path: Path,
}

impl Body {
    pub(crate) fn cuboid(half: DVec3, path: Path) -> Body {
        let figure = Figure::cuboid(half);
        Body { shape: Points { points: figure.points.clone(), margin: 0.0 }, figure, path }
    }

    pub(crate) fn hull(points: &[DVec3], path: Path) -> Body {
        let figure = Figure::hull(points);
        Body { shape: Points { points: figure.points.clone(), margin: 0.0 }, figure, path }
    }

    pub(crate) fn motion(&self) -> Motion {
        motion(&self.path)
    }
}

pub(crate) fn motion(path: &Path) -> Motion {
    let translation = path.center - path.rotation.normalize() * path.local_center;
    Motion::new(path.rotation, translation, path.local_center, path.linear, path.angular).unwrap()
}

/// The answer, and how many proposals it took.
pub(crate) fn cast(a: &Body, b: &Body, settings: &ImpactSettings) -> (TimeOfImpact, u32) {
    cast_maps(&a.shape, &a.motion(), &b.shape, &b.motion(), settings)
}

pub(crate) fn cast_maps<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    motion_a: &Motion,
    b: &B,
    motion_b: &Motion,
    settings: &ImpactSettings,
) -> (TimeOfImpact, u32) {
    let mut n_proposals = 0;
    let propose = proposer(a, b, &mut n_proposals);
    let answer = time_of_impact(a, motion_a, b, motion_b, settings, propose);
    (answer, n_proposals)
}

/// [`cast`] by conservative advancement.
pub(crate) fn advanced(a: &Body, b: &Body, settings: &ImpactSettings) -> (TimeOfImpact, u32) {
    let mut n_proposals = 0;
    let propose = proposer(&a.shape, &b.shape, &mut n_proposals);
    let (motion_a, motion_b) = (a.motion(), b.motion());
    let answer = conservative_advancement(&a.shape, &motion_a, &b.shape, &motion_b, settings, propose);
    // The same, counted.
    let (mut counters, mut n_counted) = (ImpactCounters::default(), 0);
    let propose = proposer(&a.shape, &b.shape, &mut n_counted);
    let tally = Cell::from_mut(&mut counters);
    let counted =
        conservative_advancement_counted(&a.shape, &motion_a, &b.shape, &motion_b, settings, tally, propose);
    assert_eq!((answer, n_proposals), (counted, n_counted));
    assert_eq!((counters.searches, counters.proposals), (1, u64::from(n_counted)));
    assert!(counters.separations <= counters.proposals);
    (answer, n_proposals)
}

pub(crate) fn proposer<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    n_proposals: &mut u32,
) -> impl FnMut(&WidePose, f64) -> Proposal {
    let mut propose = by_gjk(a, b);
    move |b_in_a, tolerance| {
        *n_proposals += 1;
        propose(b_in_a, tolerance)
    }
}

/// Proposals by GJK.
pub(crate) fn by_gjk<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
) -> impl FnMut(&WidePose, f64) -> Proposal {
    let mut cache = GjkCache::new();
    move |b_in_a, tolerance| {
        let gjk = GjkSettings::default().with_distance_tolerance(tolerance);
        let nearest = nearest_simplex(a, b, b_in_a, &gjk, Some(&mut cache));
        Proposal {
            axis: nearest.axis,
            points_a: nearest.points_a,
            points_b: nearest.points_b,
            n_points: nearest.n_points,
            weights: nearest.weights,
        }
    }
}

/// The points of an impact lie on or in the bodies' supporting planes at `t_hi`, where they are
/// said to be.
pub(crate) fn contact_of(a: &Body, b: &Body, impact: &Impact, what: &str) {
    let n = impact.normal;
    assert!((n.length() - 1.0).abs() < 1e-12, "{what}: {impact:?}");
    let height = |body: &Body, n: DVec3| {
        let (turn, at) = body.path.at(impact.t_hi);
        body.shape.points.iter().map(|&p| (turn * p + at).dot(n)).fold(f64::NEG_INFINITY, f64::max)
            + body.shape.margin
    };
    let slack = 1e-9;
    assert!((height(a, n) - impact.point_a.dot(n)).abs() < slack, "{what}: {impact:?}");
    assert!((height(b, -n) + impact.point_b.dot(n)).abs() < slack, "{what}: {impact:?}");
    let apart = (impact.point_b - impact.point_a).dot(n);
    match impact.proof {
        Proof::Within(distance) => assert!(apart <= distance + slack, "{what}: {impact:?}"),
        _ => assert!(apart <= slack, "{what}: {impact:?}"),
    }
}
