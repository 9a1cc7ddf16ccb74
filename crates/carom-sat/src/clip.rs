//! Contact candidates where two supporting features cover each other, seen along the contact normal.
//!
//! Both features are polygons, segments or points. Polygon against polygon: B's is clipped by the planes through
//! A's edges that hold the normal (Sutherland-Hodgman); every corner of what is left lies on B and is carried along
//! the normal to A's plane. A corner remembers the edges it lies between, which makes feature ids that
//! are the same whichever body is clipped. A segment is clipped by the planes of the other body's polygon; two
//! segments give the ends of what they share when nearly parallel, else the crossing.
//!
//! Reference: I. E. Sutherland, G. W. Hodgman, Reentrant Polygon Clipping, CACM 17(1), 1974; C. Ericson, Real-Time
//! Collision Detection, 2005, 5.1.8 (lines) and 8.3.4.
//! Differs: it clips along the contact normal, not along a face's, so that no contact can be deeper than the depth
//! along that normal, also when the two faces are a little tilted.

use crate::reduce::Candidate;
use carom_geom::{Feature, FeatureId};
use carom_math::tol;
use glam::DVec3;

/// The candidates of one pair of features.
///
/// `N` is how many there may be: a segment makes at most two, two polygons as many as they have corners together, and
/// clearing room for more would cost more than the clipping.
pub(crate) struct Candidates<const N: usize> {
    list: [Candidate; N],
    len: usize,
}

impl<const N: usize> Candidates<N> {
    pub(crate) const fn new() -> Candidates<N> {
        Candidates { list: [Candidate::NONE; N], len: 0 }
    }

    pub(crate) fn push(&mut self, candidate: Candidate) {
        if self.len < N {
            self.list[self.len] = candidate;
            self.len += 1;
        }
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [Candidate] {
        &mut self.list[..self.len]
    }

    /// Keeps those not farther apart than this, in their order, and says how near the nearest is.
    pub(crate) fn keep_within(&mut self, prediction: f64) -> f64 {
        let mut deepest = f64::INFINITY;
        let mut n_kept = 0;
        for k in 0..self.len {
            if self.list[k].distance <= prediction {
                deepest = deepest.min(self.list[k].distance);
                self.list[n_kept] = self.list[k];
                n_kept += 1;
            }
        }
        self.len = n_kept;
        deepest
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// A feature ready for clipping, in A's frame.
pub(crate) struct Face<'a> {
    pub(crate) points: &'a [DVec3],
    pub(crate) ids: &'a [FeatureId],
    pub(crate) id: FeatureId,
    /// Outward unit normal where `points` are three or more.
    pub(crate) normal: DVec3,
    /// Radius all around, added to the surface points.
    pub(crate) margin: f64,
}

impl<'a> Face<'a> {
    pub(crate) fn of(feature: &'a Feature, margin: f64) -> Face<'a> {
        Face { points: feature.points(), ids: feature.ids(), id: feature.id, normal: feature.normal, margin }
    }

    /// What is left of the feature when the plane that rests on it has the outward unit normal `outward`: a polygon
    /// seen edge-on is no face, its extreme edge is the feature.
    pub(crate) fn facing(self, outward: DVec3) -> Face<'a> {
        if self.points.len() < 3 || tol::FACE_SEEN_EDGE_ON < self.normal.dot(outward) {
            return self;
        }
        let n = self.points.len();
        let mut best = 0;
        let mut best_height = f64::NEG_INFINITY;
        for k in 0..n - 1 {
            let height = outward.dot(self.points[k] + self.points[k + 1]);
            if best_height < height {
                best_height = height;
                best = k;
            }
        }
        Face {
            points: &self.points[best..best + 2],
            ids: &self.ids[best..best + 2],
            id: edge_id(self.ids[best], self.ids[best + 1]),
            normal: DVec3::ZERO,
            margin: self.margin,
        }
    }

    fn edge_id(&self, k: usize) -> FeatureId {
        match self.points.len() {
            0 | 1 => self.id,
            n => edge_id(self.ids[k], self.ids[(k + 1) % n]),
        }
    }

    /// From a core point of the feature to the rounded surface; `outward` is the contact normal seen from this body.
    fn offset(&self, outward: DVec3) -> DVec3 {
        if self.margin == 0.0 {
            return DVec3::ZERO;
        }
        let direction = match self.points {
            [] | [_] => outward,
            [p, q] => {
                let along = (*q - *p).normalize_or_zero();
                (outward - along * along.dot(outward)).try_normalize().unwrap_or(outward)
            }
            _ => self.normal,
        };
        direction * self.margin
    }
}

/// The id of the edge between two vertices, the same in both directions.
pub(crate) fn edge_id(a: FeatureId, b: FeatureId) -> FeatureId {
    let (low, high) = if a.0 <= b.0 { (a.0, b.0) } else { (b.0, a.0) };
    FeatureId::edge((low & 0x7fff) << 15 | high & 0x7fff)
}

/// Adds every corner of the common part of two features, seen along the unit `normal` from A to B.
///
/// Both in A's frame. Nothing is added when the features do not cover each other. A point as a feature adds nothing
/// either: its contact is the pair of closest points, which the caller has.
pub(crate) fn clip<const N: usize>(a: &Face, b: &Face, normal: DVec3, out: &mut Candidates<N>) {
    match (a.points.len(), b.points.len()) {
        (0 | 1, _) | (_, 0 | 1) => {}
        (2, 2) => segment_segment(a, b, normal, out),
        (2, _) => segment_polygon(a, b, normal, out, false),
        (_, 2) => segment_polygon(b, a, -normal, out, true),
        _ => polygon_polygon(a, b, normal, out),
    }
}

fn finish(
    a: &Face,
    b: &Face,
    normal: DVec3,
    point_a: DVec3,
    point_b: DVec3,
    ids: [FeatureId; 2],
) -> Candidate {
    let surface_a = point_a + a.offset(normal);
    let surface_b = point_b + b.offset(-normal);
    Candidate {
        a: surface_a,
        b: surface_b,
        distance: (surface_b - surface_a).dot(normal),
        feature_a: ids[0],
        feature_b: ids[1],
    }
}

#[derive(Clone, Copy)]
struct Corner {
    point: DVec3,
    /// The edges that it lies between: below 32 of B, from 32 on planes of A.
    edge_in: u8,
    edge_out: u8,
}

const PLANE: u8 = 32;

fn polygon_polygon<const N: usize>(a: &Face, b: &Face, normal: DVec3, out: &mut Candidates<N>) {
    let none = Corner { point: DVec3::ZERO, edge_in: 0, edge_out: 0 };
    let (mut now, mut next) = ([none; N], [none; N]);
    let n_b = b.points.len().min(N);
    let mut n = n_b;
    for k in 0..n_b {
        let edge_in = if k == 0 { n_b - 1 } else { k - 1 };
        now[k] = Corner { point: b.points[k], edge_in: edge_in as u8, edge_out: k as u8 };
    }
    let n_a = a.points.len();
    let size = a.points.iter().chain(b.points).fold(0.0, |size: f64, p| size.max(p.abs().max_element()));
    for k in 0..n_a {
        let start = a.points[k];
        // Outward where A's polygon is counter-clockwise seen from outside, that is, against the normal.
        let side = (a.points[(k + 1) % n_a] - start).cross(normal);
        let on_plane = tol::CLIP_ON_PLANE * size * side.abs().max_element();
        let height = |p: DVec3| {
            let height = side.dot(p - start);
            if height.abs() <= on_plane { 0.0 } else { height }
        };
        let plane = PLANE + k as u8;
        let mut n_next = 0;
        let mut push = |corner: Corner| {
            if n_next < N {
                next[n_next] = corner;
                n_next += 1;
            }
        };
        for m in 0..n {
            let (p, q) = (now[m], now[if m + 1 == n { 0 } else { m + 1 }]);
            let (height_p, height_q) = (height(p.point), height(q.point));
            if height_p <= 0.0 {
                push(p);
            }
            if (height_p < 0.0 && 0.0 < height_q) || (height_q < 0.0 && 0.0 < height_p) {
                let t = height_p / (height_p - height_q);
                let point = p.point + (q.point - p.point) * t;
                let (edge_in, edge_out) =
                    if height_p < 0.0 { (p.edge_out, plane) } else { (plane, p.edge_out) };
                push(Corner { point, edge_in, edge_out });
            }
        }
        n = n_next;
        core::mem::swap(&mut now, &mut next);
    }
    let slope = a.normal.dot(normal);
    for corner in &now[..n] {
        // Along the normal to A's plane.
        let point_a = corner.point - normal * (a.normal.dot(corner.point - a.points[0]) / slope);
        let (e_in, e_out) = (corner.edge_in, corner.edge_out);
        let ids = match (e_in < PLANE, e_out < PLANE) {
            (true, true) => [a.id, b.ids[usize::from(e_out)]],
            (true, false) => [a.edge_id(usize::from(e_out - PLANE)), b.edge_id(usize::from(e_in))],
            (false, true) => [a.edge_id(usize::from(e_in - PLANE)), b.edge_id(usize::from(e_out))],
            (false, false) => [corner_of_planes(a, e_in - PLANE, e_out - PLANE), b.id],
        };
        out.push(finish(a, b, normal, point_a, corner.point, ids));
    }
}

/// The vertex of A between two of its edges.
fn corner_of_planes(a: &Face, k: u8, m: u8) -> FeatureId {
    let (k, m) = (usize::from(k), usize::from(m));
    let n = a.points.len();
    if (k + 1) % n == m {
        a.ids[m]
    } else if (m + 1) % n == k {
        a.ids[k]
    } else {
        // Edges that are not neighbours meet only where edges between them have no length.
        a.ids[k.max(m)]
    }
}

/// `s` is a segment, `f` a polygon; `normal` points from `s` to `f`; `swapped` when `s` is B.
fn segment_polygon<const N: usize>(
    s: &Face,
    f: &Face,
    normal: DVec3,
    out: &mut Candidates<N>,
    swapped: bool,
) {
    let (start, along) = (s.points[0], s.points[1] - s.points[0]);
    let mut from = (0.0, s.ids[0], f.id);
    let mut to = (1.0, s.ids[1], f.id);
    let n = f.points.len();
    for k in 0..n {
        // The polygon is counter-clockwise seen against -normal.
        let side = (f.points[(k + 1) % n] - f.points[k]).cross(-normal);
        let (height, slope) = (side.dot(start - f.points[k]), side.dot(along));
        if slope == 0.0 {
            // Parallel to the edge.
            if 0.0 < height {
                return;
            }
            continue;
        }
        let t = -height / slope;
        if slope < 0.0 {
            if from.0 < t {
                from = (t, s.id, f.edge_id(k));
            }
        } else if t < to.0 {
            to = (t, s.id, f.edge_id(k));
        }
    }
    if !(from.0 <= to.0) {
        return;
    }
    let slope = f.normal.dot(normal);
    for (t, id_s, id_f) in [from, to] {
        let on_segment = start + along * t;
        let on_face = on_segment - normal * (f.normal.dot(on_segment - f.points[0]) / slope);
        out.push(if swapped {
            finish(f, s, -normal, on_face, on_segment, [id_f, id_s])
        } else {
            finish(s, f, normal, on_segment, on_face, [id_s, id_f])
        });
    }
}

fn segment_segment<const N: usize>(a: &Face, b: &Face, normal: DVec3, out: &mut Candidates<N>) {
    // Seen along the normal: two dimensions.
    let flat = |v: DVec3| v - normal * normal.dot(v);
    let (start_a, start_b) = (a.points[0], b.points[0]);
    let (full_a, full_b) = (a.points[1] - start_a, b.points[1] - start_b);
    let (along_a, along_b) = (flat(full_a), flat(full_b));
    let between = flat(start_b - start_a);
    let (aa, bb) = (along_a.length_squared(), along_b.length_squared());
    if aa == 0.0 || bb == 0.0 {
        return; // Seen end-on: a point.
    }
    let cross = along_a.cross(along_b).dot(normal);
    if cross * cross <= tol::PARALLEL_EDGES_SQ * aa * bb {
        // Parallel: B's ends as parameters of A, and the part in common.
        let (first, last) = (between.dot(along_a) / aa, (between + along_b).dot(along_a) / aa);
        let mut ends = [(first, b.ids[0]), (last, b.ids[1])];
        if ends[1].0 < ends[0].0 {
            ends.swap(0, 1);
        }
        let from = if ends[0].0 < 0.0 { (0.0, a.ids[0], b.id) } else { (ends[0].0, a.id, ends[0].1) };
        let to = if 1.0 < ends[1].0 { (1.0, a.ids[1], b.id) } else { (ends[1].0, a.id, ends[1].1) };
        if !(from.0 <= to.0) {
            return;
        }
        for (t, id_a, id_b) in [from, to] {
            let s = if last == first { 0.0 } else { ((t - first) / (last - first)).clamp(0.0, 1.0) };
            out.push(finish(a, b, normal, start_a + full_a * t, start_b + full_b * s, [id_a, id_b]));
        }
        return;
    }
    let t = between.cross(along_b).dot(normal) / cross;
    let s = between.cross(along_a).dot(normal) / cross;
    if (0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&s) {
        out.push(finish(a, b, normal, start_a + full_a * t, start_b + full_b * s, [a.id, b.id]));
    }
}
