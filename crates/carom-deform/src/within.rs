//! Pairs of features that are within a distance of each other at present, decided exactly.
//!
//! - A guess of the nearest points gives an axis. If the axis separates by more than the distance,
//!   the pair is out.
//! - The guessed points belong to the features. If they are nearer than the distance by more than
//!   rounding, the pair is in. Their weights are in the unit range but for rounding, so the
//!   computed difference is off by less than 32 u of the size of the differences.
//! - Otherwise exact arithmetic decides. The first two steps are right for any guess.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1.5 and 5.1.9 (nearest points).
//! Differs: their nearest points are a guess here, which the later steps prove.

use crate::bounds::TimeSpan;
use crate::counters::DeformCounters;
use crate::leaf_pairs::PairTest;
use crate::pair::{FeaturePair, NearPair, PairKind, SURFACE_KINDS};
use crate::search::{FeatureSearch, Search, SearchKind, SearchTarget, half_margin, prepare};
use crate::separation::{edge_edge, separates, size_of, vertex_face};
use crate::view::Sides;
use alloc::vec::Vec;
use carom_geom::tri_distance;
use carom_math::ops::sqrt;
use glam::DVec3;

/// rounding: 32 u, more than the guessed difference of two points takes.
const POINT_ERROR: f64 = 16.0 * f64::EPSILON;

/// Pairs of a vertex and a face, and of two edges, within a distance.
pub enum Within {}

/// Keeps pairs within reach.
pub struct WithinTest<'a> {
    sides: Sides<'a>,
    reach: f64,
}

impl SearchKind for Within {
    type Answer = NearPair;
    type Judge<'a> = WithinTest<'a>;
}

impl FeatureSearch {
    /// Finds pairs of a vertex and a face, and of two edges, that are at most `max_distance` plus
    /// the thickness apart at present, decided exactly. The distance is a length; negative and NaN
    /// count as 0.
    pub fn within<'a>(&'a mut self, subject: impl SearchTarget<'a>, max_distance: f32) -> Search<'a, Within> {
        let reach = f64::from(max_distance.max(0.0)) + subject.thickness();
        let memory = (&mut self.stages, &mut self.blocks, &mut self.pairs);
        let prepared = prepare(memory, subject, &SURFACE_KINDS, TimeSpan::Now, half_margin(reach));
        let pair_test = WithinTest { sides: prepared.sides, reach };
        Search { run: prepared.start(pair_test, &mut self.near) }
    }
}

impl PairTest for WithinTest<'_> {
    type Answer = NearPair;

    fn test(
        &self,
        kind: PairKind,
        pairs: &[[u32; 2]],
        found: &mut Vec<NearPair>,
        counters: &mut DeformCounters,
    ) {
        let (a, b) = (&self.sides.a, &self.sides.b);
        let reach = self.reach;
        for &[first, second] in pairs {
            let pair = FeaturePair { kind, a: first, b: second };
            let closest = match kind {
                PairKind::VertexFace => {
                    let ([p], t) = (a.at([first]), b.at(b.faces[second as usize]));
                    vertex_face_within(p, t, reach, counters).then(|| tri_distance::point_triangle(p, &t))
                }
                PairKind::FaceVertex => {
                    let (t, [p]) = (a.at(a.faces[first as usize]), b.at([second]));
                    vertex_face_within(p, t, reach, counters).then(|| {
                        let mut closest = tri_distance::point_triangle(p, &t);
                        core::mem::swap(&mut closest.point_a, &mut closest.point_b);
                        closest
                    })
                }
                PairKind::EdgeEdge | PairKind::FaceFace => {
                    let (s, t) = (a.at(a.edges[first as usize]), b.at(b.edges[second as usize]));
                    edge_edge_within(s, t, reach, counters).then(|| tri_distance::segment_segment(&s, &t))
                }
            };
            if let Some(closest) = closest {
                let (distance, point_a, point_b) = (closest.distance, closest.point_a, closest.point_b);
                found.push(NearPair { pair, distance, point_a, point_b });
            }
        }
    }

    fn pair(found: &NearPair) -> FeaturePair {
        found.pair
    }
}

fn vertex_face_within(p: DVec3, t: [DVec3; 3], reach: f64, counters: &mut DeformCounters) -> bool {
    let w = vertex_face(p, t);
    decide(&w, nearest_on_triangle(&w), reach, counters)
        .unwrap_or_else(|| tri_distance::point_triangle_within(p, &t, reach))
}

fn edge_edge_within(s: [DVec3; 2], t: [DVec3; 2], reach: f64, counters: &mut DeformCounters) -> bool {
    let w = edge_edge(s, t);
    decide(&w, nearest_of_edges(&w), reach, counters)
        .unwrap_or_else(|| tri_distance::segment_segment_within(&s, &t, reach))
}

/// Returns whether the features are within reach, if plain arithmetic can decide. `guess` is a
/// difference of two of their points.
#[inline]
fn decide(w: &[DVec3], guess: DVec3, reach: f64, counters: &mut DeformCounters) -> Option<bool> {
    let size = size_of(w);
    if separates(guess, w, size, reach) {
        counters.apart_by_axis += 1;
        return Some(false);
    }
    let distance = sqrt(guess.length_squared());
    if (distance + POINT_ERROR * size) * (1.0 + POINT_ERROR) < reach {
        return Some(true);
    }
    counters.exact_tests += 1;
    None
}

/// Returns the point of a triangle nearest the origin, to within rounding.
fn nearest_on_triangle(&[a, b, c]: &[DVec3; 3]) -> DVec3 {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if 0.0 <= d3 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && 0.0 <= d1 && d3 <= 0.0 {
        return a + ab * share(d1, d1 - d3);
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if 0.0 <= d6 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && 0.0 <= d2 && d6 <= 0.0 {
        return a + ac * share(d2, d2 - d6);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && 0.0 <= d4 - d3 && 0.0 <= d5 - d6 {
        return b + (c - b) * share(d4 - d3, (d4 - d3) + (d5 - d6));
    }
    let sum = va + vb + vc;
    a + ab * share(vb, sum) + ac * share(vc, sum)
}

/// Returns the difference of the nearest points of two edges, to within rounding.
fn nearest_of_edges(w: &[DVec3; 4]) -> DVec3 {
    // r(s, t) = r + v t - u s.
    let (r, u, v) = (w[0], w[0] - w[3], w[1] - w[0]);
    let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
    let (ur, vr) = (u.dot(r), v.dot(r));
    let s = share(ur * vv - uv * vr, uu * vv - uv * uv);
    let t = share(uv * s - vr, vv);
    let s = share(ur + uv * t, uu);
    r + v * t - u * s
}

/// A quotient brought into the unit range; 0 if it is no number.
#[inline]
fn share(part: f64, whole: f64) -> f64 {
    let share = part / whole;
    if 0.0 < share { share.min(1.0) } else { 0.0 }
}
