//! The certified time at which a vertex meets a triangle, or an edge an edge. Each vertex moves
//! along its own line.
//!
//! - The differences `w_i(t)` between the vertices of B and of A span a triangle or a
//!   parallelogram. The search is for the time at which it comes near the origin.
//! - An axis `n(t) = n + n' t` that turns with the nearest features makes every `n . w_i` a
//!   quadratic in t. Nothing touches until the first of them falls to the target distance. At that
//!   time the nearest features are found again.
//! - A contact is proved if a line pierces the figure throughout a short interval, and the figure
//!   changes sides.
//!
//! Reference: X. Provot, Collision and Self-Collision Handling in Cloth Model, 1997 (the two
//! element tests); B. Wang, Z. Ferguson, T. Schneider, X. Jiang, M. Attene, D. Panozzo, A
//! Large-Scale Benchmark and an Inclusion-Based Algorithm for Continuous Collision Detection, ACM
//! TOG 40(5), 2021 (minimum separation, no false negatives).
//! Differs: separating axes instead of cubics or boxes in (t, u, v). The rounding bound is one
//! number that scales with the data. A case that cannot be proved either way is reported as
//! undecided.

use crate::nearest::{Nearest, NearestFeature, level_axis, on_parallelogram, on_triangle};
use crate::{Clear, Impact, Proof, TimeOfImpact, Undecided, Why};
use carom_geom::{FeatureId, ShapeError, check, tri_distance};
use carom_math::ops::sqrt;
use carom_math::predicates::{orient2d_along, orient3d};
use carom_math::scaling::{scale_of, unit};
use carom_math::tol;
use glam::DVec3;

/// A vertex and a triangle, or two edges. Their vertices move along straight lines from the time 0
/// to the time 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Element {
    kind: ElementKind,
    start: [DVec3; 4],
    end: [DVec3; 4],
}

/// The kind of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// The vertex 0 is A, and the triangle 1, 2, 3 is B.
    VertexFace,
    /// The edge 0, 1 is A, and the edge 2, 3 is B.
    EdgeEdge,
}

/// The target distance, accuracy and limits of an element test.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ElementSettings {
    /// The target distance: features at most this far apart count as touching. A length, not
    /// negative. Default: 0.
    pub minimum_separation: f64,
    /// The search ends this close to the target distance. It is a fraction of the largest
    /// difference of two vertices. Default: 2^-43.
    pub tolerance: f64,
    /// The most searches for the nearest features. Default: 64.
    pub max_steps: u32,
}

impl Default for ElementSettings {
    fn default() -> ElementSettings {
        ElementSettings { minimum_separation: 0.0, tolerance: tol::ELEMENT_GAP, max_steps: 64 }
    }
}

impl ElementSettings {
    /// Sets the target distance.
    pub const fn with_minimum_separation(mut self, minimum_separation: f64) -> ElementSettings {
        self.minimum_separation = minimum_separation;
        self
    }

    /// Sets the tolerance.
    pub const fn with_tolerance(mut self, tolerance: f64) -> ElementSettings {
        self.tolerance = tolerance;
        self
    }

    /// Sets the most steps.
    pub const fn with_max_steps(mut self, max_steps: u32) -> ElementSettings {
        self.max_steps = max_steps;
        self
    }
}

impl Element {
    /// Builds an element from a vertex, then the corners of a triangle, at the time 0 and at the
    /// time 1.
    pub fn vertex_face(start: [DVec3; 4], end: [DVec3; 4]) -> Result<Element, ShapeError> {
        Element::new(ElementKind::VertexFace, start, end)
    }

    /// Builds an element from the ends of one edge, then those of the other, at the time 0 and at
    /// the time 1.
    pub fn edge_edge(start: [DVec3; 4], end: [DVec3; 4]) -> Result<Element, ShapeError> {
        Element::new(ElementKind::EdgeEdge, start, end)
    }

    fn new(kind: ElementKind, start: [DVec3; 4], end: [DVec3; 4]) -> Result<Element, ShapeError> {
        const AT_START: [&str; 4] = [
            "vertex 0 at the time 0",
            "vertex 1 at the time 0",
            "vertex 2 at the time 0",
            "vertex 3 at the time 0",
        ];
        const AT_END: [&str; 4] = [
            "vertex 0 at the time 1",
            "vertex 1 at the time 1",
            "vertex 2 at the time 1",
            "vertex 3 at the time 1",
        ];
        for i in 0..4 {
            check::point(AT_START[i], start[i])?;
            check::point(AT_END[i], end[i])?;
        }
        Ok(Element { kind, start, end })
    }

    /// Returns the kind of the element.
    #[inline]
    pub fn kind(&self) -> ElementKind {
        self.kind
    }

    /// Returns the vertices at the time 0.
    #[inline]
    pub fn start(&self) -> &[DVec3; 4] {
        &self.start
    }

    /// Returns the vertices at the time 1.
    #[inline]
    pub fn end(&self) -> &[DVec3; 4] {
        &self.end
    }

    /// Returns the first time from 0 to 1 at which the features come within the minimum separation.
    ///
    /// The answer is never clear if they do. Features that only graze each other, or are near from
    /// the start, may be undecided within rounding. They are then nearer than the tolerance, and a
    /// simulation treats this as a hit.
    pub fn time_of_impact(&self, settings: &ElementSettings) -> TimeOfImpact {
        match self.kind {
            ElementKind::VertexFace => search(self, settings, vertex_face_differences, on_triangle),
            ElementKind::EdgeEdge => search(self, settings, edge_edge_differences, on_parallelogram),
        }
    }

    /// Returns the points of the two features with these parameters, at the time `t`.
    pub(crate) fn points_at(&self, t: f64, weights: [f64; 2]) -> [DVec3; 2] {
        let p: [DVec3; 4] = core::array::from_fn(|i| self.start[i] * (1.0 - t) + self.end[i] * t);
        let [u, v] = weights;
        match self.kind {
            ElementKind::VertexFace => [p[0], p[1] + (p[2] - p[1]) * u + (p[3] - p[1]) * v],
            ElementKind::EdgeEdge => [p[0] + (p[1] - p[0]) * u, p[2] + (p[3] - p[2]) * v],
        }
    }

    /// Whether the features, which lie exactly in one plane, have a common point. The decision is
    /// exact.
    #[cold]
    fn meets(&self, p: &[DVec3; 4]) -> bool {
        let &[a, b, c, d] = p;
        let normal = match self.kind {
            ElementKind::VertexFace => (c - b).cross(d - b),
            ElementKind::EdgeEdge => (b - a).cross(d - c),
        };
        // The projection along this axis keeps the plane, unless all points are on a line.
        let along = normal.abs().max_position();
        let side = |u, v, w| orient2d_along(along, u, v, w);
        let are_alike = |x: f64, y: f64| 0.0 < x && 0.0 < y || x < 0.0 && y < 0.0;
        match self.kind {
            ElementKind::VertexFace => {
                let face = side(b, c, d);
                if face != 0.0 {
                    let of_a = [side(b, c, a), side(c, d, a), side(d, b, a)];
                    return of_a.iter().all(|&of_a| !are_alike(face, -of_a));
                }
                tri_distance::point_triangle(a, &[b, c, d]).distance == 0.0
            }
            ElementKind::EdgeEdge => {
                let of_b = [side(a, b, c), side(a, b, d)];
                let of_a = [side(c, d, a), side(c, d, b)];
                if of_a != [0.0; 2] || of_b != [0.0; 2] {
                    return !are_alike(of_a[0], of_a[1]) && !are_alike(of_b[0], of_b[1]);
                }
                // All points are on a line. This path uses extended precision and costs a dozen
                // times as much as others.
                tri_distance::segment_segment(&[a, b], &[c, d]).distance == 0.0
            }
        }
    }

    fn features(&self, part: NearestFeature) -> [FeatureId; 2] {
        match (self.kind, part) {
            (ElementKind::VertexFace, NearestFeature::Corner(i)) => {
                [FeatureId::vertex(0), FeatureId::vertex(i as u32)]
            }
            (ElementKind::VertexFace, NearestFeature::Side(i)) => {
                [FeatureId::vertex(0), FeatureId::edge(i as u32)]
            }
            (ElementKind::VertexFace, NearestFeature::Inside) => [FeatureId::vertex(0), FeatureId::face(0)],
            // The corners of the parallelogram in order: 00, 01, 11, 10. The first digit is A's.
            (ElementKind::EdgeEdge, NearestFeature::Corner(i)) => {
                [FeatureId::vertex((i / 2) as u32), FeatureId::vertex(u32::from(i == 1 || i == 2))]
            }
            // Sides 0 and 2 are B's edge relative to one end of A.
            (ElementKind::EdgeEdge, NearestFeature::Side(i)) if i % 2 == 0 => {
                [FeatureId::vertex((i / 2) as u32), FeatureId::edge(0)]
            }
            (ElementKind::EdgeEdge, NearestFeature::Side(i)) => {
                [FeatureId::edge(0), FeatureId::vertex(u32::from(i == 1))]
            }
            (ElementKind::EdgeEdge, NearestFeature::Inside) => [FeatureId::edge(0), FeatureId::edge(0)],
        }
    }
}

/// Returns the triangle relative to the vertex.
pub(crate) fn vertex_face_differences(p: &[DVec3; 4]) -> [DVec3; 3] {
    [p[1] - p[0], p[2] - p[0], p[3] - p[0]]
}

/// Returns the parallelogram of the differences of the two edges, in order.
pub(crate) fn edge_edge_differences(p: &[DVec3; 4]) -> [DVec3; 4] {
    [p[2] - p[0], p[3] - p[0], p[3] - p[1], p[2] - p[1]]
}

/// The most steps of the search for the time at which the features lie in one plane. Nearly always
/// 4 to 7 are enough. If not, the next step continues from there.
const MAX_STEPS: u32 = 16;

/// The differences, scaled to about 1, and the rounding bound of a separation.
struct Search<'a, const N: usize> {
    element: &'a Element,
    max_steps: u32,
    /// The differences at the time 0. `dw` is their change until the time 1.
    w: [DVec3; N],
    dw: [DVec3; N],
    /// A power of two: scaled length = length * `scale`.
    scale: f64,
    /// The largest sum of the absolute coordinates of a difference.
    size: f64,
    target: f64,
    /// The search ends if it is nearer than this to the target.
    enough: f64,
    /// A bound on the rounding of a separation along a unit axis.
    delta: f64,
}

/// Relative to the size. A difference, its change, its value at a time and the product with the
/// axis are 12 u. The length of the axis is 3 u. The coefficients of a quadratic and its root are
/// 16 u.
const ROUNDING: f64 = 32.0 * (0.5 * f64::EPSILON);

/// Tests first whether the boxes swept in space and time meet. If they do not, the answer is
/// clear. Otherwise it runs the search.
#[inline(always)]
fn search<const N: usize>(
    element: &Element,
    settings: &ElementSettings,
    differences: impl Fn(&[DVec3; 4]) -> [DVec3; N],
    nearest_on: impl Fn(&[DVec3; N]) -> Nearest,
) -> TimeOfImpact {
    let (start, end) = (differences(&element.start), differences(&element.end));
    // `DVec3::min` and `max` handle NaN, at four times the instructions. This is half of the cost
    // of a query.
    let lesser = |a: f64, b: f64| if b < a { b } else { a };
    let (mut low, mut high) = (start[0], start[0]);
    for v in start.iter().chain(&end) {
        low = DVec3::new(lesser(low.x, v.x), lesser(low.y, v.y), lesser(low.z, v.z));
        high = DVec3::new(-lesser(-high.x, -v.x), -lesser(-high.y, -v.y), -lesser(-high.z, -v.z));
    }
    let most = low.abs().max(high.abs());
    let size = most.x + most.y + most.z;
    let target = settings.minimum_separation.max(0.0);
    let delta = ROUNDING * (size + target);
    let gap = low.max(-high).max_element() - delta;
    if target < gap {
        return TimeOfImpact::Clear(Clear::new(gap));
    }
    let scale = scale_of(most.max_element());
    let (size, target) = (size * scale, target * scale);
    // Below about 2^-46 of the size a gap is rounding.
    let enough = settings.tolerance.max(tol::ELEMENT_GAP) * (size + target);
    Search {
        element,
        max_steps: settings.max_steps,
        w: core::array::from_fn(|i| start[i] * scale),
        dw: core::array::from_fn(|i| (end[i] - start[i]) * scale),
        scale,
        size,
        target,
        enough,
        delta: ROUNDING * (size + target),
    }
    .run(nearest_on)
}

impl<const N: usize> Search<'_, N> {
    fn run(&self, nearest_on: impl Fn(&[DVec3; N]) -> Nearest) -> TimeOfImpact {
        let (mut t, mut w) = (0.0, self.w);
        let mut low = f64::INFINITY;
        for _ in 0..self.max_steps {
            let nearest = nearest_on(&w);
            let distance = sqrt(nearest.point.length_squared());
            if !(self.target + self.enough < distance) {
                return self.conclude(t, &w, &nearest, distance, nearest_on);
            }
            let n = level_axis(&w, &nearest).unwrap_or(DVec3::ZERO);
            // A fixed axis is cheaper, and enough for most elements that are clear.
            let (mut step, mut least) = self.advance(t, &w, n);
            if step < 1.0 - t {
                let (further, bound) = self.advance_turning(t, &w, &nearest, n);
                if step < further {
                    (step, least) = (further, bound);
                }
            }
            if !(0.0 < step) {
                // Thin features: rounding displaced their nearest points. Any other axis that
                // separates will do.
                (step, least) = self.advance_by_any(t, &w, nearest.point);
            }
            if !(0.0 < step && t < t + step) {
                return self.undecided(t, distance, Why::WithinRounding);
            }
            low = low.min(least);
            if 1.0 - t <= step {
                return TimeOfImpact::Clear(Clear::new(low / self.scale));
            }
            t += step;
            w = self.at(t);
        }
        let distance = sqrt(nearest_on(&w).point.length_squared());
        self.undecided(t, distance, Why::StepsSpent)
    }

    /// Returns the differences at the time `t`.
    #[inline]
    fn at(&self, t: f64) -> [DVec3; N] {
        core::array::from_fn(|i| self.w[i] + self.dw[i] * t)
    }

    /// Returns the rate at which the unit axis `n` turns so that it stays perpendicular to the
    /// edges of the nearest features.
    fn turn(&self, w: &[DVec3; N], nearest: &Nearest, n: DVec3) -> DVec3 {
        let turn = match nearest.part {
            NearestFeature::Corner(_) => DVec3::ZERO,
            NearestFeature::Side(i) => {
                let j = if i + 1 < N { i + 1 } else { 0 };
                let edge = w[j] - w[i];
                edge * (-n.dot(self.dw[j] - self.dw[i]) / edge.length_squared())
            }
            NearestFeature::Inside => {
                // The derivative of the normal e x f as its edges turn, without the component along
                // the normal.
                let (e, f) = (w[1] - w[0], w[N - 1] - w[0]);
                let (de, df) = (self.dw[1] - self.dw[0], self.dw[N - 1] - self.dw[0]);
                let turn = (de.cross(f) + e.cross(df)) / e.cross(f).dot(n);
                turn - n * n.dot(turn)
            }
        };
        // Edges and triangles without extent do not turn.
        if turn.is_finite() { turn } else { DVec3::ZERO }
    }

    /// Returns how long after `t`, at most to the end, every difference stays beyond the target
    /// along the unit axis `n`. Also returns a lower bound of the distance in that time. The time
    /// is not positive if they are not beyond it now.
    #[inline(always)]
    fn advance(&self, t: f64, w: &[DVec3; N], n: DVec3) -> (f64, f64) {
        let rest = 1.0 - t;
        let goal = 0.25 * self.enough;
        let mut heights = [(0.0, 0.0); N];
        let (mut least, mut at_end) = (f64::INFINITY, f64::INFINITY);
        for i in 0..N {
            let height = n.dot(w[i]) - (self.target + self.delta);
            let rate = n.dot(self.dw[i]) - 2.0 * self.delta;
            // False for NaN.
            if !(goal < height) {
                return (0.0, 0.0);
            }
            let last = height + rate * rest;
            least = if height < least { height } else { least };
            at_end = if last < at_end { last } else { at_end };
            heights[i] = (height - goal, rate);
        }
        if goal < at_end {
            return (rest, self.target + if at_end < least { at_end } else { least });
        }
        let mut step = rest;
        for (height, rate) in heights {
            // Before the end, or not at all.
            if height + rate * step < 0.0 {
                step = height / -rate;
            }
        }
        // On the way to a root only the goal is known as a bound.
        (step, self.target + 0.5 * goal)
    }

    /// As [`Search::advance`], for cases in which that stops early. It uses an axis that turns with
    /// the features, or the volume that they span.
    fn advance_turning(&self, t: f64, w: &[DVec3; N], nearest: &Nearest, n: DVec3) -> (f64, f64) {
        let turn = self.turn(w, nearest, n);
        if turn == DVec3::ZERO {
            return (0.0, 0.0);
        }
        if nearest.part == NearestFeature::Inside && self.target == 0.0 {
            let by_volume = self.advance_by_volume(t, w);
            if 0.0 < by_volume.0 {
                return by_volume;
            }
        }
        let rest = 1.0 - t;
        // The length of the axis `n + turn * t` is at most 1 + turn^2 t^2 / 2.
        let turn_sq = turn.length_squared();
        let rate = sqrt(turn_sq);
        let off_2 = 2.0 * self.delta * rate + 0.5 * self.target * turn_sq;
        let goal = 0.25 * self.enough;
        let mut step = rest;
        for i in 0..N {
            let q_0 = n.dot(w[i]) - (self.target + self.delta);
            let q_1 = n.dot(self.dw[i]) + turn.dot(w[i]) - self.delta * (rate + 2.0);
            let q_2 = turn.dot(self.dw[i]) - off_2;
            if !(goal < q_0) {
                return (0.0, 0.0);
            }
            let first = first_fall(q_0 - goal, q_1, q_2);
            if first < step {
                step = first;
            }
        }
        (step, self.target + 0.5 * goal / sqrt(1.0 + turn_sq * step * step))
    }

    /// Returns how long after `t` the features do not lie in one plane. The volume that they span
    /// is a cubic in time. It keeps its sign while its Bernstein coefficients have that sign.
    fn advance_by_volume(&self, t: f64, w: &[DVec3; N]) -> (f64, f64) {
        let (e, f, r) = (w[1] - w[0], w[N - 1] - w[0], w[0]);
        let (de, df, dr) = (self.dw[1] - self.dw[0], self.dw[N - 1] - self.dw[0], self.dw[0]);
        // n(t) = e x f as a polynomial in time, and the volume n . r.
        let n = [e.cross(f), e.cross(df) + de.cross(f), de.cross(df)];
        let side = if n[0].dot(r) < 0.0 { -1.0 } else { 1.0 };
        let c = [n[0].dot(r), n[1].dot(r) + n[0].dot(dr), n[2].dot(r) + n[1].dot(dr), n[2].dot(dr)]
            .map(|c| c * side);
        // The distance is the volume divided by the length of n. That length is at most that of a
        // Bernstein coefficient.
        let rest = 1.0 - t;
        let n_end = n[0] + (n[1] + n[2] * rest) * rest;
        let n_middle = n[0] + n[1] * (0.5 * rest);
        let n_sq = n[0].length_squared().max(n_middle.length_squared()).max(n_end.length_squared());
        // Three factors of at most two, two and one sizes, twelve terms for each power, 16
        // roundings: 400 u size^3.
        let error = 200.0 * f64::EPSILON * (self.size * self.size * self.size);
        let goal = 0.25 * self.enough;
        let least = error + goal * sqrt(n_sq);
        let lowest = |time: f64| {
            let b_1 = c[0] + c[1] * time * (1.0 / 3.0);
            let b_2 = c[0] + (2.0 * c[1] + c[2] * time) * time * (1.0 / 3.0);
            let b_3 = c[0] + (c[1] + (c[2] + c[3] * time) * time) * time;
            let b_12 = if b_2 < b_1 { b_2 } else { b_1 };
            if b_12 < b_3 { b_12 } else { b_3 }
        };
        // False for NaN.
        if !(least < c[0]) {
            return (0.0, 0.0);
        }
        let at_rest = lowest(rest);
        if least < at_rest {
            return (rest, goal);
        }
        // The Illinois method finds a time at which the lowest coefficient is slightly above the
        // required value.
        let wanted = 1.5 * least;
        let (mut low, mut high) = ((0.0, c[0] - wanted), (rest, at_rest - wanted));
        let (mut safe, mut moved) = (0.0, 0);
        for _ in 0..MAX_STEPS {
            let time = low.0 + (high.0 - low.0) * (low.1 / (low.1 - high.1));
            if !(low.0 < time && time < high.0) {
                break;
            }
            let value = lowest(time) - wanted;
            if -0.5 * least < value {
                safe = time;
                if value < 0.5 * least {
                    break;
                }
                low = (time, value);
                high.1 *= if moved == 1 { 0.5 } else { 1.0 };
                moved = 1;
            } else {
                high = (time, value);
                low.1 *= if moved == 2 { 0.5 } else { 1.0 };
                moved = 2;
            }
        }
        (safe, goal)
    }

    /// Tries axes that do not depend on the nearest points alone, and returns the best result.
    #[cold]
    fn advance_by_any(&self, t: f64, w: &[DVec3; N], point: DVec3) -> (f64, f64) {
        let normal = (w[1] - w[0]).cross(w[N - 1] - w[0]);
        let mut best = (0.0, 0.0);
        let mut consider = |v: DVec3| {
            let v = v * scale_of(v.abs().max_element());
            let length_sq = v.length_squared();
            if 0.0 < length_sq && length_sq < f64::INFINITY {
                let n = v * (1.0 / sqrt(length_sq));
                for n in [n, -n] {
                    let found = self.advance(t, w, n);
                    if best.0 < found.0 {
                        best = found;
                    }
                }
            }
        };
        consider(point);
        consider(normal);
        for i in 0..N {
            let edge = w[(i + 1) % N] - w[i];
            consider(edge.cross(normal));
            consider(edge.cross(w[i]).cross(edge));
        }
        for axis in DVec3::AXES {
            consider(axis);
        }
        best
    }

    /// Proves the contact of features that are within the tolerance at the time `t`, or returns
    /// that the answer is undecided.
    #[cold]
    fn conclude(
        &self,
        t: f64,
        w: &[DVec3; N],
        nearest: &Nearest,
        distance: f64,
        nearest_on: impl Fn(&[DVec3; N]) -> Nearest,
    ) -> TimeOfImpact {
        let axis = |w: &[DVec3; N], nearest: &Nearest| level_axis(w, nearest).unwrap_or(DVec3::ZERO);
        if distance + self.delta <= self.target {
            // They were this near from the start: otherwise the search would have stopped before.
            let proof = Proof::Within((distance + self.delta) / self.scale);
            return self.hit(t, t, nearest, axis(w, nearest), proof);
        }
        if self.target == 0.0 {
            // Features that meet at the very start or end either meet exactly or do not.
            for (time, vertices) in [(0.0, &self.element.start), (1.0, &self.element.end)] {
                // Corners that are not in one plane have no common point. This test nearly always
                // ends the case.
                // Tried: a distance test first; 25 % faster on the slowest published query, no gain
                // overall.
                let [a, b, c, d] = *vertices;
                if !(t == 0.0 || time == 1.0) || orient3d(a, b, c, d) != 0.0 {
                    continue;
                }
                let w = self.at(time);
                let there = nearest_on(&w);
                let n = axis(&w, &there);
                if !(0..N).all(|i| self.delta < n.dot(w[i])) && self.element.meets(vertices) {
                    return self.hit(t, time, &there, n, Proof::Overlap);
                }
            }
        }
        let n = axis(w, nearest);
        let mut closing = 0.0;
        let weights = nearest.weights_of::<N>();
        for i in 0..N {
            closing -= weights[i] * n.dot(self.dw[i]);
        }
        let mut ahead = (distance - self.target + 4.0 * self.delta) / closing;
        for _ in 0..6 {
            if !(0.0 < ahead && t < 1.0) {
                break;
            }
            let t_hi = (t + ahead).min(1.0);
            let later = self.at(t_hi);
            let there = nearest_on(&later);
            let distance = sqrt(there.point.length_squared());
            if 0.0 < self.target && distance + self.delta <= self.target {
                let proof = Proof::Within((distance + self.delta) / self.scale);
                return self.hit(t, t_hi, &there, n, proof);
            }
            if self.crosses(w, &later, n, t_hi - t) {
                return self.hit(t, t_hi, &there, n, Proof::Overlap);
            }
            ahead *= 2.0;
        }
        self.undecided(t, distance, Why::WithinRounding)
    }

    /// Whether the figure certainly contains the origin at some time between two states, `time`
    /// apart. The line along `n` through the origin must pierce the figure at all times between.
    /// The figure must move from one side of the origin to the other.
    fn crosses(&self, w: &[DVec3; N], later: &[DVec3; N], n: DVec3, time: f64) -> bool {
        // The products change by less than 8 size^2 per unit of time, and are rounded by less than
        // 32 u size^2.
        let margin = (8.0 * time + 16.0 * f64::EPSILON) * self.size * self.size;
        let turns = |sign: f64| (0..N).all(|i| margin < sign * n.dot(w[i].cross(w[(i + 1) % N])));
        if !(turns(1.0) || turns(-1.0)) {
            return false;
        }
        let normal = (later[1] - later[0]).cross(later[N - 1] - later[0]);
        let length_sq = normal.length_squared();
        if !(0.0 < length_sq) {
            return false;
        }
        let mut m = normal * (1.0 / sqrt(length_sq));
        if m.dot(n) < 0.0 {
            m = -m;
        }
        0.5 < m.dot(n)
            && (0..N).all(|i| self.delta < n.dot(w[i]))
            && (0..N).all(|i| m.dot(later[i]) < -self.delta)
    }

    fn hit(&self, t_lo: f64, t_hi: f64, nearest: &Nearest, normal: DVec3, proof: Proof) -> TimeOfImpact {
        let normal = if normal == DVec3::ZERO { self.displacement_together(nearest) } else { normal };
        let mut impact =
            Impact::new([t_lo, t_hi], self.element.points_at(t_hi, nearest.parameters), normal, proof);
        [impact.feature_a, impact.feature_b] = self.element.features(nearest.part);
        TimeOfImpact::Hit(impact)
    }

    /// Returns a normal for coincident features without extent, such as two ends of edges. It is
    /// opposite to the velocity of B relative to A, or arbitrary if neither moves.
    #[cold]
    fn displacement_together(&self, nearest: &Nearest) -> DVec3 {
        let weights = nearest.weights_of::<N>();
        let offset = (0..N).fold(DVec3::ZERO, |sum, i| sum - self.dw[i] * weights[i]);
        unit(offset).unwrap_or(DVec3::X)
    }

    fn undecided(&self, t: f64, distance: f64, why: Why) -> TimeOfImpact {
        TimeOfImpact::Undecided(Undecided::new(t, (distance + self.delta) / self.scale, why))
    }
}

/// Returns the first positive t at which `q_0 + q_1 t + q_2 t^2`, positive at 0, is zero. Infinite
/// if it has no such root.
#[inline]
fn first_fall(q_0: f64, q_1: f64, q_2: f64) -> f64 {
    let discriminant = q_1 * q_1 - 4.0 * q_0 * q_2;
    if discriminant < 0.0 || (0.0 <= q_1 && 0.0 <= q_2) {
        return f64::INFINITY;
    }
    let root = sqrt(discriminant);
    // The stable one of two formulas: it avoids cancellation.
    if q_1 < 0.0 { 2.0 * q_0 / (root - q_1) } else { (q_1 + root) / (-2.0 * q_2) }
}
