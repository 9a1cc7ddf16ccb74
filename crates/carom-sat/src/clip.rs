//! Contact candidates of two supporting features that overlap, seen along the contact normal.
//!
//! Each feature is a polygon, a segment or a point:
//!
//! - Two polygons: B's is clipped by the planes through A's edges that hold the normal
//!   (Sutherland-Hodgman). The remaining corners lie on B and are projected along the normal to A's
//!   plane.
//! - Feature ids are the same whichever body is clipped, because a corner stores its two edges.
//! - A segment is clipped by the planes of the other body's polygon.
//! - Two segments give their crossing, or the ends of their common part if they are nearly
//!   parallel.
//! - A polygon without width counts as a segment. A thin one is also cut at its ends, because its
//!   sides meet at no angle there.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1.8 (lines) and 8.3.4.
//! Differs: it clips along the contact normal, not along a face's. Then no contact is deeper than
//! the depth along that normal, even if the faces are tilted. If the bodies are apart, no contact
//! is nearer than they are.

use crate::clip_side::{Corner, clip_side};
use crate::reduce::Candidate;
use carom_geom::{Feature, FeatureId};
use carom_math::{ops::sqrt, scaling::unit, tol};
use glam::DVec3;

/// The candidates of one pair of features.
///
/// `N` is the capacity. A segment gives at most two candidates, two polygons at most the number of
/// their corners together. More room would cost more to clear than the clipping.
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

    /// Keeps the candidates whose distance is in the range, in order. Returns the least distance.
    pub(crate) fn keep_within(&mut self, least: f64, most: f64) -> f64 {
        let mut deepest = f64::INFINITY;
        let mut n_kept = 0;
        for k in 0..self.len {
            if least <= self.list[k].distance && self.list[k].distance <= most {
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

/// A ratio, squared, to the size of the coordinates. A wide polygon is at least a thousandth as
/// wide as long. A polygon of this length is then as wide as [`tol::CLIP_ON_PLANE`].
const SPECK_SQ: f64 = tol::CLIP_ON_PLANE * tol::CLIP_ON_PLANE / tol::THIN_POLYGON_SQ;

/// A feature ready for clipping, in A's frame.
pub(crate) struct Face<'a> {
    pub(crate) points: &'a [DVec3],
    pub(crate) ids: &'a [FeatureId],
    pub(crate) id: FeatureId,
    /// Outward unit normal, if there are three or more `points`.
    pub(crate) normal: DVec3,
    /// The radius of the rounded surface around the points.
    pub(crate) margin: f64,
    /// The corners at both ends of a thin polygon, because its sides alone do not bound it there.
    ends: Option<[usize; 2]>,
}

impl<'a> Face<'a> {
    /// Creates a feature for clipping. `points` and `ids` have equal length. `normal` is used if
    /// there are three or more points.
    pub(crate) fn new(
        points: &'a [DVec3],
        ids: &'a [FeatureId],
        id: FeatureId,
        normal: DVec3,
        margin: f64,
    ) -> Face<'a> {
        Face { points, ids, id, normal, margin, ends: None }
    }

    pub(crate) fn of(feature: &'a Feature, margin: f64) -> Face<'a> {
        Face::new(feature.points(), feature.ids(), feature.id, feature.normal, margin)
    }

    /// Whether the polygon is certainly wide, seen along a plane's outward normal, so that clipping
    /// is accurate. `size` is the largest of all coordinates.
    #[inline]
    fn is_wide(&self, outward: DVec3, size: f64) -> bool {
        // The cross product of the diagonals is twice the area. The longer diagonal is at least
        // half the polygon's length.
        let (d, e) = match *self.points {
            [] | [_] | [_, _] => return true,
            [p, q, r] => (r - p, p - q),
            [p, q, r, s] => (r - p, s - q),
            _ => return self.is_wide_with_many_corners(outward, size),
        };
        let (dd, ee, de) = (d.length_squared(), e.length_squared(), d.dot(e));
        let longest = dd.max(ee);
        tol::THIN_POLYGON_SQ * longest * longest < dd * ee - de * de
            && size * size * SPECK_SQ < longest
            && tol::FACE_SEEN_EDGE_ON < self.normal.dot(outward)
    }

    #[inline(never)]
    fn is_wide_with_many_corners(&self, outward: DVec3, size: f64) -> bool {
        let (mut area, mut longest) = (DVec3::ZERO, 0.0_f64);
        let start = self.points[0];
        for pair in self.points[1..].windows(2) {
            let (d, e) = (pair[0] - start, pair[1] - start);
            area += d.cross(e);
            longest = longest.max(d.length_squared()).max(e.length_squared());
        }
        tol::THIN_POLYGON_SQ * longest * longest < area.length_squared()
            && size * size * SPECK_SQ < longest
            && tol::FACE_SEEN_EDGE_ON < self.normal.dot(outward)
    }

    /// Returns a polygon that is not wide as a feature. It becomes a segment if it has no width or
    /// is seen edge-on. Otherwise its ends are set. `kept` holds the segment.
    #[cold]
    fn narrowed<'k>(&self, outward: DVec3, size: f64, kept: &'k mut ([DVec3; 2], [FeatureId; 2])) -> Face<'k>
    where
        'a: 'k,
    {
        let p = self.points;
        let n = p.len();
        let whole = Face { ends: None, ..*self };
        if self.is_wide(outward, size) {
            return whole;
        }
        let farthest = |from: DVec3| {
            (0..n).fold(0, |best, k| {
                if p[best].distance_squared(from) < p[k].distance_squared(from) { k } else { best }
            })
        };
        let first = farthest(p[0]);
        let last = farthest(p[first]);
        let Some(along) = unit(p[last] - p[first]) else {
            // All points coincide.
            return Face { points: &p[..1], ids: &self.ids[..1], ..whole };
        };
        let mut width = 0.0_f64;
        for &point in p {
            let offset = point - p[first];
            width = width.max((offset - along * along.dot(offset)).abs().max_element());
        }
        let edge = if width <= tol::CLIP_ON_PLANE * size {
            [first, last]
        } else if tol::FACE_SEEN_EDGE_ON < self.normal.dot(outward) {
            return Face { ends: Some([first, last]), ..whole };
        } else {
            // Seen edge-on: the extreme edge is the feature.
            let height = |k: usize| outward.dot(p[k] + p[(k + 1) % n]);
            let top = (0..n).fold(0, |best, k| if height(best) < height(k) { k } else { best });
            [top, (top + 1) % n]
        };
        *kept = (edge.map(|k| p[k]), edge.map(|k| self.ids[k]));
        let id = edge_id(kept.1[0], kept.1[1]);
        Face { points: &kept.0, ids: &kept.1, id, normal: DVec3::ZERO, ..whole }
    }

    /// Returns the number of cutting planes: one for each edge, and two for the ends of a thin
    /// polygon.
    #[inline]
    fn n_cuts(&self) -> usize {
        self.points.len() + if self.ends.is_some() { 2 } else { 0 }
    }

    /// Returns cutting plane `k`: the edge that names it, a point, and an outward vector. `outward`
    /// is the contact normal seen from this body. Against it the polygon is counter-clockwise.
    #[inline]
    fn cut(&self, k: usize, outward: DVec3) -> (usize, DVec3, DVec3) {
        let p = self.points;
        let n = p.len();
        if k < n {
            return (k, p[k], (p[if k + 1 == n { 0 } else { k + 1 }] - p[k]).cross(outward));
        }
        let [first, last] = self.ends.unwrap_or_default();
        if k == n { (first, p[first], p[first] - p[last]) } else { (last, p[last], p[last] - p[first]) }
    }

    fn edge_id(&self, k: usize) -> FeatureId {
        match self.points.len() {
            0 | 1 => self.id,
            n => edge_id(self.ids[k], self.ids[(k + 1) % n]),
        }
    }

    /// Returns the offset from a core point to the rounded surface. `outward` is the contact normal
    /// seen from this body.
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

/// Returns the id of the edge between two vertices, the same in both directions.
pub(crate) fn edge_id(a: FeatureId, b: FeatureId) -> FeatureId {
    let (low, high) = if a.0 <= b.0 { (a.0, b.0) } else { (b.0, a.0) };
    FeatureId::edge((low & 0x7fff) << 15 | high & 0x7fff)
}

/// Adds every corner of the common part of two features, seen along the unit `normal` from A to B.
///
/// Both are in A's frame. Nothing is added if the features do not overlap along the normal, or if
/// one is a point. The contact of a point is the pair of closest points, which the caller has.
pub(crate) fn clip<const N: usize>(a: &Face, b: &Face, normal: DVec3, out: &mut Candidates<N>) {
    let size = a.points.iter().chain(b.points).fold(DVec3::ZERO, |size, p| size.max(p.abs())).max_element();
    if a.is_wide(normal, size) && b.is_wide(-normal, size) {
        clip_wide(a, b, normal, size, out);
    } else {
        clip_narrow(a, b, normal, size, out);
    }
}

#[cold]
fn clip_narrow<const N: usize>(a: &Face, b: &Face, normal: DVec3, size: f64, out: &mut Candidates<N>) {
    let nothing = || ([DVec3::ZERO; 2], [FeatureId::UNKNOWN; 2]);
    let (mut kept_a, mut kept_b) = (nothing(), nothing());
    let (a, b) = (a.narrowed(normal, size, &mut kept_a), b.narrowed(-normal, size, &mut kept_b));
    clip_wide(&a, &b, normal, size, out);
}

#[inline]
fn clip_wide<const N: usize>(a: &Face, b: &Face, normal: DVec3, size: f64, out: &mut Candidates<N>) {
    match (a.points.len(), b.points.len()) {
        (0 | 1, _) | (_, 0 | 1) => {}
        (2, 2) => segment_segment(a, b, normal, out),
        (2, _) => segment_polygon(a, b, normal, out, false),
        (_, 2) => segment_polygon(b, a, -normal, out, true),
        _ => polygon_polygon(a, b, normal, size, out),
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

/// The number of A's first cutting plane. Smaller numbers are edges of B.
const PLANE: u8 = 32;

fn polygon_polygon<const N: usize>(a: &Face, b: &Face, normal: DVec3, size: f64, out: &mut Candidates<N>) {
    let (mut first, mut second) = ([Corner::NONE; N], [Corner::NONE; N]);
    let (mut now, mut next) = (&mut first, &mut second);
    let n_b = b.points.len().min(N);
    let mut n = n_b;
    for k in 0..n_b {
        let edge_in = if k == 0 { n_b - 1 } else { k - 1 };
        now[k] = Corner { point: b.points[k], edge_in: edge_in as u8, edge_out: k as u8 };
    }
    for k in 0..a.n_cuts() {
        let (k, start, side) = a.cut(k, normal);
        let on_plane = tol::CLIP_ON_PLANE * size * side.abs().max_element();
        let height = |p: DVec3| side.dot(p - start);
        if let Some(n_next) = clip_side(now, n, PLANE + k as u8, on_plane, height, next) {
            n = n_next;
            core::mem::swap(&mut now, &mut next);
        }
    }
    let slope = a.normal.dot(normal);
    for corner in &now[..n] {
        // Project along the normal to A's plane.
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

/// Returns the id of A's vertex between two of its edges.
fn corner_of_planes(a: &Face, k: u8, m: u8) -> FeatureId {
    let (k, m) = (usize::from(k), usize::from(m));
    let n = a.points.len();
    if (k + 1) % n == m {
        a.ids[m]
    } else if (m + 1) % n == k {
        a.ids[k]
    } else {
        // Edges that are not neighbours meet only if the edges between them have no length.
        a.ids[k.max(m)]
    }
}

/// Clips a segment `s` by a polygon `f`. `normal` points from `s` to `f`. `swapped` is set if `s`
/// is B.
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
    for k in 0..f.n_cuts() {
        let (k, corner, side) = f.cut(k, -normal);
        let (height, slope) = (side.dot(start - corner), side.dot(along));
        if slope == 0.0 {
            // The segment is parallel to the edge.
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
    // Project along the normal to two dimensions.
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
        // Parallel: B's ends as parameters of A, and the common part.
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
        let pairs = [from, to].map(|(t, ..)| {
            let s = if last == first { 0.0 } else { ((t - first) / (last - first)).clamp(0.0, 1.0) };
            (start_a + full_a * t, start_b + full_b * s)
        });
        if !is_beside(&pairs, along_a, normal) {
            for ((p, q), (_, id_a, id_b)) in pairs.into_iter().zip([from, to]) {
                out.push(finish(a, b, normal, p, q, [id_a, id_b]));
            }
        }
        return;
    }
    let t = between.cross(along_b).dot(normal) / cross;
    let s = between.cross(along_a).dot(normal) / cross;
    if (0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&s) {
        out.push(finish(a, b, normal, start_a + full_a * t, start_b + full_b * s, [a.id, b.id]));
    }
}

/// Whether two nearly parallel segments that are apart lie side by side, seen along the normal.
/// `pairs` are the points at the ends of their common part. The segments do not cross between them.
/// The distance along the normal would then be less than their distance.
fn is_beside(pairs: &[(DVec3, DVec3); 2], along: DVec3, normal: DVec3) -> bool {
    let side = along.cross(normal);
    let [between_from, between_to] = pairs.map(|(p, q)| q - p);
    let (w_from, w_to) = (side.dot(between_from), side.dot(between_to));
    let apart = normal.dot(between_from).max(normal.dot(between_to));
    if !(0.0 < apart && 0.0 < w_from * w_to) {
        return false;
    }
    let size = pairs.iter().fold(0.0, |size: f64, (p, q)| size.max(p.abs().max(q.abs()).max_element()));
    let room = tol::CLIP_ON_PLANE * size + tol::OVER_EACH_OTHER * apart;
    room * sqrt(side.length_squared()) < w_from.abs().min(w_to.abs())
}
