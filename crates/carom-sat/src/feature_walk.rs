//! The distance of two hulls by walking from feature to feature, starting at the end of the last
//! walk on the pair.
//!
//! - Two features hold the nearest points if each point lies in the other feature's Voronoi region.
//!   That is the part of space nearest to the feature.
//! - If a point is beyond a plane of the region, the plane names a nearer feature, and the walk
//!   goes there.
//! - If the bodies moved little, the walk ends where it began, after one test of two features.
//! - The end is a proof: the vector between the points lies in the normal cones of both features.
//!
//! Reference: B. Mirtich, V-Clip: Fast and Robust Polyhedral Collision Detection, ACM Trans.
//! Graphics 17(3), 1998; M. Lin, J. Canny, A Fast Algorithm for Incremental Distance Calculation,
//! ICRA 1991.
//! Differs: nearest points of vertices and edges are computed, as Lin and Canny do. Edges are
//! clipped only against faces. A doubtful case ends the walk without an answer, and the caller
//! uses GJK. Such cases are bodies that meet or nearly meet, parallel features, faces with corners
//! off their plane, and walks that are long or cyclic. Figures are in
//! `benches/notes/carom-sat.md`.

use crate::Tally;
use carom_geom::WideHull;
use carom_lanes::{Kernel, Simd, dispatch};
use carom_math::ops::{greater, sqrt};
use carom_math::scaling::largest;
use carom_math::{WidePose, tol};
use glam::{DMat3, DVec3};

/// A feature of a hull by its number. An edge is given by one of its half-edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FeatureIndex {
    /// A vertex.
    Vertex(u32),
    /// An edge.
    Edge(u32),
    /// A face.
    Face(u32),
}

/// The features at which the last walk on a pair ended. Keep one per pair. Numbers that a hull
/// does not have are safe. They occur if a hull of the pair is exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FeaturePair {
    /// The feature of A.
    pub a: FeatureIndex,
    /// The feature of B.
    pub b: FeatureIndex,
}

impl FeatureIndex {
    /// Returns the number of corners, at most 3.
    #[inline(always)]
    fn corners(self) -> u32 {
        match self {
            FeatureIndex::Vertex(_) => 1,
            FeatureIndex::Edge(_) => 2,
            FeatureIndex::Face(_) => 3,
        }
    }
}

impl FeaturePair {
    /// Returns start features for a new pair: the vertices farthest along the line of centres.
    /// `None` if that line does not separate the hulls. GJK is then the better start.
    pub fn apart<H: WideHull>(a: &H, b: &H, b_in_a: &WidePose) -> Option<FeaturePair> {
        apart_inside(a, b, b_in_a, 0.0)
    }
}

/// The distance of two hulls that are apart, in A's frame. It is exact to the rounding of `f64`,
/// about 1e-15 of the size.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Walked {
    /// Length, above 0.
    pub distance: f64,
    /// On A, nearest to B.
    pub point_a: DVec3,
    /// On B, nearest to A.
    pub point_b: DVec3,
    /// Unit vector from A to B.
    pub normal: DVec3,
    /// The number of pairs of features tested.
    pub n_tests: u32,
}

/// Returns the distance by a walk that starts at `features`, and stores the features at its end
/// there. `None` if the walk decides nothing; the caller then uses GJK.
pub fn distance<H: WideHull>(a: &H, b: &H, b_in_a: &WidePose, features: &mut FeaturePair) -> Option<Walked> {
    let mut known = Some(*features);
    let walked = dispatch(WalkKernel { a, b, b_in_a, features: &mut known });
    *features = known.unwrap_or(*features);
    walked
}

/// As [`distance`], for use inside a [`Kernel`]. If no features are known, it starts at those of
/// [`FeaturePair::apart`]. The work is counted in `tally`, even for a walk without an answer.
#[inline(always)]
pub fn distance_inside<H: WideHull>(
    a: &H,
    b: &H,
    b_in_a: &WidePose,
    features: &mut Option<FeaturePair>,
    overlap: f64,
    tally: impl Tally,
) -> Option<Walked> {
    let features = match features {
        Some(features) => features,
        None => features.insert(apart_inside(a, b, b_in_a, overlap)?),
    };
    distance_here(a, b, b_in_a, features, tally)
}

/// The walk compiled for each instruction set. It uses no lanes, but needs fewer instructions with
/// newer sets.
struct WalkKernel<'k, H> {
    a: &'k H,
    b: &'k H,
    b_in_a: &'k WidePose,
    features: &'k mut Option<FeaturePair>,
}

impl<H: WideHull> Kernel for WalkKernel<'_, H> {
    type Output = Option<Walked>;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> Option<Walked> {
        distance_inside(self.a, self.b, self.b_in_a, self.features, 0.0, ())
    }
}

/// As [`FeaturePair::apart`], but the hulls may overlap along the line of centres by this fraction
/// of its length.
#[inline(always)]
fn apart_inside<H: WideHull>(a: &H, b: &H, b_in_a: &WidePose, overlap: f64) -> Option<FeaturePair> {
    let offset = b_in_a.transform_point(b.center()) - a.center();
    let (p, q) = (a.support(offset), b.support(b_in_a.inverse_transform_vector(-offset)));
    let gap = (b_in_a.transform_point(q.point) - p.point).dot(offset);
    let is_apart = -overlap * offset.length_squared() < gap;
    is_apart.then_some(FeaturePair { a: FeatureIndex::Vertex(p.vertex), b: FeatureIndex::Vertex(q.vertex) })
}

#[inline(always)]
fn distance_here<H: WideHull>(
    a: &H,
    b: &H,
    b_in_a: &WidePose,
    features: &mut FeaturePair,
    tally: impl Tally,
) -> Option<Walked> {
    // If bodies move little, one test is enough, or about three if a feature changes. A walk
    // without known features takes about thirty on hulls with many vertices.
    const MAX_TESTS: u32 = 48;
    let to_b = b_in_a.rotation.transpose();
    let a = Body::new(a, &b_in_a.rotation, b_in_a.translation);
    let b = Body::new(b, &to_b, -(to_b * b_in_a.translation));
    let size = a.size + b.size + largest(b_in_a.translation);
    let rounding = tol::GJK_ROUNDING * size;
    for n_tests in 1..=MAX_TESTS {
        tally.count(|counters| counters.feature_pairs += 1);
        let (feature_a, feature_b) = (a.known(features.a), b.known(features.b));
        // The simpler kind of feature comes first, so each test has one copy.
        let is_swapped = feature_b.corners() < feature_a.corners();
        let (x, feature_x, y, feature_y) =
            if is_swapped { (&b, feature_b, &a, feature_a) } else { (&a, feature_a, &b, feature_b) };
        let step = match (feature_x, feature_y) {
            (FeatureIndex::Vertex(v), FeatureIndex::Vertex(w)) => vertex_vertex(x, v, y, w, rounding),
            (FeatureIndex::Vertex(v), FeatureIndex::Edge(e)) => vertex_edge(x, v, y, e, rounding),
            (FeatureIndex::Vertex(v), FeatureIndex::Face(f)) => vertex_face(x, v, y, f, rounding),
            (FeatureIndex::Edge(e), FeatureIndex::Edge(f)) => edge_edge(x, e, y, f, rounding),
            (FeatureIndex::Edge(e), FeatureIndex::Face(f)) => edge_face(x, e, y, f),
            // No walk reaches this case.
            _ => return None,
        };
        let (is_second, feature) = match step {
            Step::First(feature) => (false, feature),
            Step::Second(feature) => (true, feature),
            Step::Along { is_second, vertex, neighbour, direction } => {
                let body = if is_second { y } else { x };
                (is_second, body.edge_to(vertex, neighbour, direction)?)
            }
            Step::Doubt => return None,
            Step::End { on_first: p, between } => {
                let length_sq = between.length_squared();
                let least = MIN_WALK_GAP * size;
                // Also true if a number is NaN.
                if !(least * least < length_sq && length_sq < f64::INFINITY) {
                    return None;
                }
                let distance = sqrt(length_sq);
                let normal = between * (1.0 / distance);
                let walked =
                    |point_a, point_b, normal| Walked { distance, point_a, point_b, normal, n_tests };
                // The result is in the frame of the second body.
                return Some(if is_swapped {
                    walked(p + between, p, -normal)
                } else {
                    let position_of = |p: DVec3| b_in_a.transform_point(p);
                    walked(position_of(p), position_of(p + between), b_in_a.transform_vector(normal))
                });
            }
        };
        if is_second == is_swapped {
            features.a = feature;
        } else {
            features.b = feature;
        }
    }
    None
}

/// A fraction of the size. If the bodies are nearer than this, GJK decides whether they meet.
const MIN_WALK_GAP: f64 = 64.0 * tol::GJK_TOUCHING;

struct Body<'h, H> {
    hull: &'h H,
    /// The rotation from the other body's frame.
    turn: &'h DMat3,
    shift: DVec3,
    /// The size of its coordinates.
    size: f64,
}

/// The result of testing one pair of features. The first feature's body comes first.
enum Step {
    First(FeatureIndex),
    Second(FeatureIndex),
    /// From a vertex along the edge to this neighbour. Without such an edge, along the edge that
    /// leads farthest.
    Along {
        is_second: bool,
        vertex: u32,
        neighbour: u32,
        direction: DVec3,
    },
    /// These are the nearest features: a point on the first and the vector to the second, in the
    /// second's frame.
    End {
        on_first: DVec3,
        between: DVec3,
    },
    Doubt,
}

/// The region that a direction from a feature leads to.
enum Region {
    /// The feature's own region.
    Own,
    /// The region of a neighbour.
    Over(FeatureIndex),
    /// From a vertex towards this neighbour.
    Along(u32),
    /// Along the border, within rounding.
    Doubt,
}

impl<'h, H: WideHull> Body<'h, H> {
    #[inline(always)]
    fn new(hull: &'h H, turn: &'h DMat3, shift: DVec3) -> Body<'h, H> {
        Body { hull, turn, shift, size: hull.radius() + largest(hull.center()) }
    }

    /// Returns the feature, or vertex 0 if the hull does not have it.
    #[inline(always)]
    fn known(&self, feature: FeatureIndex) -> FeatureIndex {
        let (number, n) = match feature {
            FeatureIndex::Vertex(v) => (v, self.hull.n_vertices()),
            FeatureIndex::Edge(e) => (e, self.hull.half_edges().len()),
            FeatureIndex::Face(f) => (f, self.hull.n_faces()),
        };
        if (number as usize) < n { feature } else { FeatureIndex::Vertex(0) }
    }

    #[inline(always)]
    fn vertex(&self, v: u32) -> DVec3 {
        self.hull.position(v)
    }

    /// Transforms a point from the other body's frame.
    #[inline(always)]
    fn transform_point(&self, p: DVec3) -> DVec3 {
        *self.turn * p + self.shift
    }

    /// Returns the region that a direction leads to from a vertex. If no neighbour is farther
    /// along the direction, no point of the hull is.
    #[inline(always)]
    fn step_from_vertex(&self, v: u32, direction: DVec3, rounding: f64) -> Region {
        let from = self.vertex(v);
        let (mut best, mut most) = (v, f64::NEG_INFINITY);
        for &neighbour in self.hull.neighbours(v) {
            let along = direction.dot(self.vertex(neighbour) - from);
            if most < along {
                (best, most) = (neighbour, along);
            }
        }
        let noise = rounding * largest(direction);
        if most < -noise {
            Region::Own
        } else if noise < most {
            Region::Along(best)
        } else {
            Region::Doubt
        }
    }

    /// Returns the end at a vertex of this body, the first, if a direction in its frame stays in
    /// the vertex's region.
    #[inline(always)]
    fn end_at_vertex(
        &self,
        v: u32,
        direction: DVec3,
        rounding: f64,
        on_first: DVec3,
        between: DVec3,
    ) -> Step {
        match self.step_from_vertex(v, direction, rounding) {
            Region::Own => Step::End { on_first, between },
            Region::Along(neighbour) => Step::Along { is_second: false, vertex: v, neighbour, direction },
            Region::Over(feature) => Step::First(feature),
            Region::Doubt => Step::Doubt,
        }
    }

    /// Returns the edge from a vertex to a neighbour. If the neighbour is across a face, returns
    /// the edge that leads farthest along a direction.
    #[inline(always)]
    fn edge_to(&self, v: u32, neighbour: u32, direction: DVec3) -> Option<FeatureIndex> {
        let edges = self.hull.half_edges();
        let first = self.hull.vertex_half_edge(v);
        let mut e = first;
        // A safe bound: a vertex cannot have more edges than the hull.
        for _ in 0..edges.len() {
            let twin = edges[e as usize].twin;
            if edges[twin as usize].origin == neighbour {
                return Some(FeatureIndex::Edge(e));
            }
            e = self.hull.next(twin);
            if e == first {
                break;
            }
        }
        self.edge_along(v, direction)
    }

    /// Returns the edge from a vertex that leads farthest along a direction.
    #[cold]
    #[inline(never)]
    fn edge_along(&self, v: u32, direction: DVec3) -> Option<FeatureIndex> {
        let edges = self.hull.half_edges();
        let from = self.vertex(v);
        let (mut best, mut most) = (None, 0.0);
        let first = self.hull.vertex_half_edge(v);
        let mut e = first;
        // A safe bound: a vertex cannot have more edges than the hull.
        for _ in 0..edges.len() {
            let twin = edges[e as usize].twin;
            let along = direction.dot(self.vertex(edges[twin as usize].origin) - from);
            if most < along {
                (best, most) = (Some(FeatureIndex::Edge(e)), along);
            }
            e = self.hull.next(twin);
            if e == first {
                break;
            }
        }
        best
    }

    /// Returns the region that a direction across an edge leads to. It is the edge's own if the
    /// direction lies between the normals of both faces, and their planes hold the edge. The edge
    /// is then farthest along the direction.
    #[inline(always)]
    fn step_from_edge(&self, e: u32, start: DVec3, along: DVec3, direction: DVec3, rounding: f64) -> Region {
        let edges = self.hull.half_edges();
        let edge = edges[e as usize];
        let (left, right) = (edge.face, edges[edge.twin as usize].face);
        let (to_left, to_right) = (self.hull.face_normal(left), self.hull.face_normal(right));
        let side = direction.cross(along);
        // direction . (normal x along), with the opposite sign for the other face.
        if side.dot(to_left) < 0.0 {
            return Region::Over(FeatureIndex::Face(left));
        }
        if 0.0 < side.dot(to_right) {
            return Region::Over(FeatureIndex::Face(right));
        }
        let low = |face: u32, normal: DVec3| self.hull.face_offset(face) - normal.dot(start);
        let tilt = greater(to_left.dot(along).abs(), to_right.dot(along).abs()) * self.size;
        let is_plane = low(left, to_left) <= rounding
            && low(right, to_right) <= rounding
            && tilt * tilt <= rounding * rounding * along.length_squared();
        if is_plane { Region::Own } else { Region::Doubt }
    }
}

#[inline(always)]
fn vertex_vertex<H: WideHull>(x: &Body<'_, H>, v: u32, y: &Body<'_, H>, w: u32, rounding: f64) -> Step {
    let p = y.transform_point(x.vertex(v));
    let between = y.vertex(w) - p;
    match y.step_from_vertex(w, -between, rounding) {
        Region::Own => {}
        Region::Along(neighbour) => {
            return Step::Along { is_second: true, vertex: w, neighbour, direction: -between };
        }
        Region::Over(feature) => return Step::Second(feature),
        Region::Doubt => return Step::Doubt,
    }
    x.end_at_vertex(v, *x.turn * between, rounding, p, between)
}

#[inline(always)]
fn vertex_edge<H: WideHull>(x: &Body<'_, H>, v: u32, y: &Body<'_, H>, e: u32, rounding: f64) -> Step {
    let [from, to] = y.hull.ends(e);
    let start = y.vertex(from);
    let along = y.vertex(to) - start;
    let p = y.transform_point(x.vertex(v));
    let offset = p - start;
    let t = offset.dot(along);
    if t <= 0.0 {
        return Step::Second(FeatureIndex::Vertex(from));
    }
    let length_sq = along.length_squared();
    if length_sq <= t {
        return Step::Second(FeatureIndex::Vertex(to));
    }
    match y.step_from_edge(e, start, along, offset, rounding) {
        Region::Own => {}
        Region::Over(feature) => return Step::Second(feature),
        Region::Along(_) | Region::Doubt => return Step::Doubt,
    }
    // The second step removes what rounding left along the edge.
    let across = offset - along * (t / length_sq);
    let between = along * (across.dot(along) / length_sq) - across;
    x.end_at_vertex(v, *x.turn * between, rounding, p, between)
}

#[inline(always)]
fn vertex_face<H: WideHull>(x: &Body<'_, H>, v: u32, y: &Body<'_, H>, f: u32, rounding: f64) -> Step {
    let p = y.transform_point(x.vertex(v));
    let normal = y.hull.face_normal(f);
    let offset = y.hull.face_offset(f);
    let range = y.hull.face_half_edges(f);
    let ring = y.hull.face_vertices(f);
    let (mut outside, mut most, mut lowest) = (None, 0.0, f64::INFINITY);
    // Edge by edge: the first half-edge starts at the first corner.
    let mut from = y.vertex(ring[0]);
    for k in 0..ring.len() {
        let to = y.vertex(ring[if k + 1 == ring.len() { 0 } else { k + 1 }]);
        let beyond = (to - from).cross(normal).dot(p - from);
        if most < beyond {
            (outside, most) = (Some(range.start + k as u32), beyond);
        }
        let height = normal.dot(from);
        lowest = if height < lowest { height } else { lowest };
        from = to;
    }
    if let Some(e) = outside {
        return Step::Second(FeatureIndex::Edge(e));
    }
    let height = normal.dot(p) - offset;
    // Below the plane: on the wrong side of the body, or the bodies meet. If a corner is below the
    // plane, the hull may lie farther below it.
    if !(0.0 < height && offset - lowest <= rounding) {
        return Step::Doubt;
    }
    x.end_at_vertex(v, *x.turn * -normal, rounding, p, normal * -height)
}

#[inline(always)]
fn edge_edge<H: WideHull>(x: &Body<'_, H>, e: u32, y: &Body<'_, H>, f: u32, rounding: f64) -> Step {
    // Squared sine. The cross product of edges that are more parallel has no reliable direction.
    const PARALLEL_SQ: f64 = 1.0 / (1u64 << 20) as f64;
    let ([from_x, to_x], [from_y, to_y]) = (x.hull.ends(e), y.hull.ends(f));
    let (start_x, start_y) = (x.vertex(from_x), y.vertex(from_y));
    let (own, along_y) = (x.vertex(to_x) - start_x, y.vertex(to_y) - start_y);
    let along_x = *y.turn * own;
    let r = y.transform_point(start_x) - start_y;
    let (a, b, c) = (along_x.length_squared(), along_x.dot(along_y), along_y.length_squared());
    let (d, g) = (along_x.dot(r), along_y.dot(r));
    let across = along_x.cross(along_y);
    let under = across.length_squared();
    // Parallel: start from an end.
    let s = if 0.0 < under { ((b * g - d * c) / under).clamp(0.0, 1.0) } else { 0.0 };
    let t = (b * s + g) / c;
    let (s, t) = if t <= 0.0 {
        ((-d / a).clamp(0.0, 1.0), 0.0)
    } else if 1.0 <= t {
        (((b - d) / a).clamp(0.0, 1.0), 1.0)
    } else {
        (s, t)
    };
    if s <= 0.0 {
        return Step::First(FeatureIndex::Vertex(from_x));
    }
    if 1.0 <= s {
        return Step::First(FeatureIndex::Vertex(to_x));
    }
    if t <= 0.0 {
        return Step::Second(FeatureIndex::Vertex(from_y));
    }
    if 1.0 <= t {
        return Step::Second(FeatureIndex::Vertex(to_y));
    }
    if !(PARALLEL_SQ * (a * c) < under) {
        return Step::Doubt;
    }
    // Not the difference of the two points, whose direction suffers from rounding.
    let between = across * (-across.dot(r) / under);
    match y.step_from_edge(f, start_y, along_y, -between, rounding) {
        Region::Own => {}
        Region::Over(feature) => return Step::Second(feature),
        Region::Along(_) | Region::Doubt => return Step::Doubt,
    }
    match x.step_from_edge(e, start_x, own, *x.turn * between, rounding) {
        Region::Own => Step::End { on_first: start_y + along_y * t - between, between },
        Region::Over(feature) => Step::First(feature),
        Region::Along(_) | Region::Doubt => Step::Doubt,
    }
}

/// Tests an edge and a face. The nearest point of an edge over a face is one of its ends, or a
/// point where it leaves the face.
fn edge_face<H: WideHull>(x: &Body<'_, H>, e: u32, y: &Body<'_, H>, f: u32) -> Step {
    let [from, to] = x.hull.ends(e);
    let (p, q) = (y.transform_point(x.vertex(from)), y.transform_point(x.vertex(to)));
    let normal = y.hull.face_normal(f);
    let range = y.hull.face_half_edges(f);
    let ring = y.hull.face_vertices(f);
    // The part of the edge over the face, and the face's edges at which it begins and ends.
    let (mut low, mut high) = ((0.0, None), (1.0, None));
    let mut corner = y.vertex(ring[0]);
    for k in 0..ring.len() {
        let next = y.vertex(ring[if k + 1 == ring.len() { 0 } else { k + 1 }]);
        let out = (next - corner).cross(normal);
        let (beyond_p, beyond_q) = (out.dot(p - corner), out.dot(q - corner));
        corner = next;
        let edge = range.start + k as u32;
        if 0.0 < beyond_p && 0.0 < beyond_q {
            return Step::Second(FeatureIndex::Edge(edge));
        }
        let s = beyond_p / (beyond_p - beyond_q);
        if 0.0 < beyond_p && low.0 < s {
            low = (s, Some(edge));
        } else if 0.0 < beyond_q && s < high.0 {
            high = (s, Some(edge));
        }
    }
    if high.0 < low.0 {
        // The edge passes by a corner of the face.
        return match low.1.or(high.1) {
            Some(edge) => Step::Second(FeatureIndex::Edge(edge)),
            None => Step::Doubt,
        };
    }
    let (height_p, height_q) = (normal.dot(p - corner), normal.dot(q - corner));
    let height = |s: f64| height_p + (height_q - height_p) * s;
    let (at_low, at_high) = (height(low.0), height(high.0));
    if !(0.0 < at_low && 0.0 < at_high) {
        // The edge goes through the face, or below it.
        return Step::Doubt;
    }
    let (end, vertex) = if at_low <= at_high { (low.1, from) } else { (high.1, to) };
    match end {
        Some(edge) => Step::Second(FeatureIndex::Edge(edge)),
        None => Step::First(FeatureIndex::Vertex(vertex)),
    }
}
