//! The contract of every search for contacts of linearly moving elements: it misses none, and its
//! claims are true.
//!
//! There are three kinds of queries: the published ones, if present; queries with exactly known
//! contacts; and random ones. In the second kind all numbers are small multiples of a power of two.
//!
//! All are judged in rational arithmetic. Each search states how near to a contact it may stay
//! undecided.
//!
//! Reference: B. Wang, Z. Ferguson, T. Schneider, X. Jiang, M. Attene, D. Panozzo, A Large-Scale
//! Benchmark and an Inclusion-Based Algorithm for Continuous Collision Detection, ACM TOG 40(5),
//! 2021 (the published queries and their truth).

use crate::data;
use crate::oracle::moving::{Vector, between, point_triangle_sq, segment_segment_sq};
use crate::oracle::rational::{exact, exact3};
use crate::random::Random;
use glam::DVec3;
use num_rational::BigRational;

/// The elements that move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Vertex 0, and the triangle 1, 2, 3.
    VertexFace,
    /// The edge 0, 1, and the edge 2, 3.
    EdgeEdge,
}

/// Four vertices that move linearly from time 0 to time 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Query {
    /// The elements that they form.
    pub kind: Kind,
    /// Positions at time 0.
    pub start: [DVec3; 4],
    /// Positions at time 1.
    pub end: [DVec3; 4],
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// The elements are never nearer than this.
    Clear(f64),
    /// The contact is not before the first time and not after the second.
    Hit(f64, f64),
    /// The search is undecided; there is no contact before this time.
    Open(f64),
}

/// The number of answers of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Surely apart.
    pub clear: usize,
    /// Surely touching.
    pub hits: usize,
    /// Undecided answers to queries that touch.
    pub open: usize,
    /// Undecided answers to queries that do not touch, or for which it is not known.
    pub open_beside: usize,
}

impl Query {
    /// Returns the squared distance of the features at time `t`.
    pub fn distance_sq(&self, t: f64) -> BigRational {
        let t = exact(t);
        let [a, b, c, d]: [Vector; 4] =
            core::array::from_fn(|i| between(&exact3(self.start[i]), &exact3(self.end[i]), &t));
        match self.kind {
            Kind::VertexFace => point_triangle_sq(&a, &[b, c, d]),
            Kind::EdgeEdge => segment_segment_sq(&[a, b], &[c, d]),
        }
    }

    /// Whether the features are at most `distance` apart at time `t`.
    pub fn is_within(&self, t: f64, distance: f64) -> bool {
        let distance = exact(distance);
        self.distance_sq(t) <= &distance * &distance
    }

    /// Returns the largest coordinate difference between vertices of the two elements.
    pub fn size(&self) -> f64 {
        let n_a = if self.kind == Kind::VertexFace { 1 } else { 2 };
        let farthest = |p: &[DVec3; 4]| {
            let pairs = (0..n_a).flat_map(|i| (n_a..4).map(move |j| (i, j)));
            pairs.map(|(i, j)| (p[i] - p[j]).length()).fold(0.0, f64::max)
        };
        farthest(&self.start).max(farthest(&self.end))
    }
}

/// Returns the 4,779 published queries, and whether each touches. Prints a line and returns `None`
/// if they are not present.
pub fn published() -> Option<Vec<(bool, Query)>> {
    let index = data::json("ccd/index.json")?;
    let mut all = Vec::new();
    for file in index["files"].as_array()? {
        let kind = if file["kind"].as_str()? == "edge-edge" { Kind::EdgeEdge } else { Kind::VertexFace };
        let text = std::fs::read_to_string(data::find(file["f64_file"].as_str()?)?).ok()?;
        for line in text.lines() {
            let x: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            let p: Vec<DVec3> = x.get(1..25)?.chunks(3).map(DVec3::from_slice).collect();
            let query = Query { kind, start: [p[0], p[1], p[2], p[3]], end: [p[4], p[5], p[6], p[7]] };
            all.push((x[0] != 0.0, query));
        }
    }
    assert_eq!((all.len(), all.iter().filter(|query| query.0).count()), (4779, 288));
    Some(all)
}

/// Knowledge about the contact of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Truth {
    /// At this time at the latest.
    Touches(f64),
    /// At a time that is not known.
    TouchesOnce,
    Apart,
    Unknown,
}

/// Judges one answer. `tolerance` is the largest distance at which the search may be undecided,
/// relative to the size.
fn judge(query: &Query, truth: Truth, verdict: Verdict, tolerance: f64, counts: &mut Counts) {
    let near = tolerance * query.size();
    match verdict {
        Verdict::Clear(distance) => {
            counts.clear += 1;
            assert!(
                matches!(truth, Truth::Apart | Truth::Unknown),
                "a contact is missed: {query:?} {verdict:?}"
            );
            assert!(0.0 <= distance);
            // Among queries known to be apart, only one in twenty is tested, because rational
            // arithmetic is slow.
            let times: &[f64] = match truth {
                Truth::Apart if !counts.clear.is_multiple_of(20) => &[],
                _ => &[0.0, 0.375, 1.0],
            };
            let distance_sq = exact(distance) * exact(distance);
            for &t in times {
                assert!(distance_sq <= query.distance_sq(t), "nearer at {t}: {query:?} {verdict:?}");
            }
        }
        Verdict::Hit(t_lo, t_hi) => {
            counts.hits += 1;
            assert!(truth != Truth::Apart, "a contact is claimed that is not there: {query:?} {verdict:?}");
            assert!(0.0 <= t_lo && t_lo <= t_hi && t_hi <= 1.0);
            assert!(query.is_within(t_lo, near) && query.is_within(t_hi, near), "{query:?} {verdict:?}");
            check_before(query, truth, t_lo, &verdict);
        }
        Verdict::Open(t_safe) => {
            if matches!(truth, Truth::Touches(_) | Truth::TouchesOnce) {
                counts.open += 1;
            } else {
                counts.open_beside += 1;
            }
            assert!(0.0 <= t_safe && t_safe <= 1.0);
            assert!(query.is_within(t_safe, near), "nothing is near there: {query:?} {verdict:?}");
            check_before(query, truth, t_safe, &verdict);
        }
    }
}

/// Checks that there is no contact before `t`.
fn check_before(query: &Query, truth: Truth, t: f64, verdict: &Verdict) {
    if let Truth::Touches(time) = truth {
        assert!(t <= time, "past the contact at {time}: {query:?} {verdict:?}");
    }
    for share in [0.5, 0.9375] {
        assert!(t == 0.0 || exact(0.0) < query.distance_sq(t * share), "{query:?} {verdict:?}");
    }
}

/// Judges the answers to the published queries, and counts them.
pub fn check_published(tolerance: f64, test: impl Fn(&Query) -> Verdict) -> Option<Counts> {
    let mut counts = Counts::default();
    for (touches, query) in published()? {
        let truth = if touches { Truth::TouchesOnce } else { Truth::Apart };
        judge(&query, truth, test(&query), tolerance, &mut counts);
    }
    Some(counts)
}

/// Judges the answers to queries with an exactly known contact.
pub fn check_known(n: usize, tolerance: f64, test: impl Fn(&Query) -> Verdict) -> Counts {
    let mut random = Random::new(9);
    let mut counts = Counts::default();
    for i in 0..n {
        let (query, time) = known(&mut random, i);
        judge(&query, Truth::Touches(time), test(&query), tolerance, &mut counts);
    }
    counts
}

/// Returns a query and the time of a contact, both exact.
fn known(random: &mut Random, i: usize) -> (Query, f64) {
    let kind = [Kind::VertexFace, Kind::EdgeEdge][i % 2];
    let n = [2, 5, 40][i % 3];
    let grid = |random: &mut Random| (random.grid_point(2 * n) - DVec3::splat(n as f64)) * 16.0;
    // Places at the time of contact, and a common point with shares in quarters.
    let mut p: [DVec3; 4] = core::array::from_fn(|_| grid(random));
    let quarter = |random: &mut Random| random.below(5) as f64 * 0.25;
    match kind {
        Kind::VertexFace => {
            let u = quarter(random);
            let v = quarter(random).min(1.0 - u);
            p[0] = p[1] + (p[2] - p[1]) * u + (p[3] - p[1]) * v;
        }
        Kind::EdgeEdge => {
            let (u, v) = (quarter(random), quarter(random));
            let by = p[0] + (p[1] - p[0]) * u - (p[2] + (p[3] - p[2]) * v);
            (p[2], p[3]) = (p[2] + by, p[3] + by);
        }
    }
    let time = [0.0, 0.125, 0.25, 0.5, 0.75, 1.0][random.below(6)];
    let velocity: [DVec3; 4] = core::array::from_fn(|k| match i % 7 {
        0 => DVec3::ZERO,
        // The motion stays within a plane.
        1 => grid(random) * DVec3::new(1.0, 0.0, 1.0),
        2 if k < 2 => DVec3::ZERO,
        _ => grid(random),
    });
    let scale = [1.0, 1024.0, 1_048_576.0, 2.0_f64.powi(-40)][i % 4];
    let far = if i.is_multiple_of(5) { DVec3::new(1_048_576.0, -524_288.0, 4096.0) } else { DVec3::ZERO };
    let start = core::array::from_fn(|k| (p[k] - velocity[k] * time + far) * scale);
    let end = core::array::from_fn(|k| (p[k] + velocity[k] * (1.0 - time) + far) * scale);
    (Query { kind, start, end }, time)
}

/// Judges the answers to random queries of sizes up to a million.
pub fn check_random(n: usize, tolerance: f64, test: impl Fn(&Query) -> Verdict) -> Counts {
    let mut random = Random::new(10);
    let mut counts = Counts::default();
    for i in 0..n {
        let kind = [Kind::VertexFace, Kind::EdgeEdge][i % 2];
        let scale = [1.0, 1e-3, 1e3, 1e6][i / 2 % 4];
        let mut points = || -> [DVec3; 4] { core::array::from_fn(|_| random.cube_point()) };
        let (mut start, mut end) = (points(), points());
        match i % 9 {
            0 => end = start,
            1 => start[2] = start[3] + (start[2] - start[3]) * 1e-9,
            2 => end[1] = end[2],
            3 => end = start.map(|p| DVec3::new(-p.z, p.y, p.x)),
            4 => {
                // The elements pass each other at a distance of 1e-6.
                let left = DVec3::new(-1.0, 1e-6, 0.1);
                start = [left, left - DVec3::Z * 0.4, DVec3::X, DVec3::Z];
                end = start;
                end[0].x = 2.0;
                end[1].x = 2.0;
            }
            _ => {}
        }
        let query = Query { kind, start: start.map(|p| p * scale), end: end.map(|p| p * scale) };
        judge(&query, Truth::Unknown, test(&query), tolerance, &mut counts);
    }
    counts
}
