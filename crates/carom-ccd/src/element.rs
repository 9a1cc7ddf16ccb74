//! When a vertex meets a triangle, or an edge an edge, while every vertex moves along a line of its own: certified.
//!
//! The differences `w_i(t)` between the vertices of B and of A span a triangle or a parallelogram, and the question is when
//! it comes near the origin. An axis `n(t) = n + n' t` that turns with the features nearest each other makes every `n . w_i` a
//! quadratic in t; until the first of them falls to the separation asked for, nothing touches, and no search need be trusted.
//! There the nearest features are found anew. A contact is proved where a line pierces the figure all through a short
//! interval, from one side at its beginning and from the other at its end.
//!
//! Reference: X. Provot, Collision and Self-Collision Handling in Cloth Model, 1997 (the two questions); B. Wang,
//! Z. Ferguson, T. Schneider, X. Jiang, M. Attene, D. Panozzo, A Large-Scale Benchmark and an Inclusion-Based Algorithm
//! for Continuous Collision Detection, ACM TOG 40(5), 2021 (minimum separation, no false negatives).
//! Differs: separating axes instead of cubics or boxes in (t, u, v); the rounding of everything is one number that grows with the
//! data; what cannot be proved either way says so.

use crate::nearest::{Nearest, Part, level_axis, on_parallelogram, on_triangle};
use crate::{Clear, Impact, Proof, TimeOfImpact, Undecided, Why};
use carom_geom::{FeatureId, ShapeError, check, tri_distance};
use carom_math::ops::sqrt;
use carom_math::predicates::orient3d;
use carom_math::scaling::{scale_of, unit};
use carom_math::tol;
use glam::DVec3;

/// A vertex and a triangle, or two edges, whose vertices move in straight lines from the time 0 to the time 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Element {
    kind: ElementKind,
    start: [DVec3; 4],
    end: [DVec3; 4],
}

/// Which of the two questions it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// The vertex 0 is A, the triangle 1, 2, 3 is B.
    VertexFace,
    /// The edge 0, 1 is A, the edge 2, 3 is B.
    EdgeEdge,
}

/// How near, how exactly, and for how long.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ElementSettings {
    /// The target distance: features as near as this count as touching. A length, not negative, 0 by default.
    pub minimum_separation: f64,
    /// Relative to the largest difference of two vertices: once so near the target distance, the search ends.
    pub tolerance: f64,
    /// The search for the nearest features is made at most so often.
    pub max_steps: u32,
}

impl Default for ElementSettings {
    fn default() -> ElementSettings {
        ElementSettings { minimum_separation: 0.0, tolerance: tol::ELEMENT_GAP, max_steps: 64 }
    }
}

impl ElementSettings {
    /// With this target distance.
    pub const fn with_minimum_separation(mut self, minimum_separation: f64) -> ElementSettings {
        self.minimum_separation = minimum_separation;
        self
    }

    /// With this tolerance.
    pub const fn with_tolerance(mut self, tolerance: f64) -> ElementSettings {
        self.tolerance = tolerance;
        self
    }

    /// With at most so many steps.
    pub const fn with_max_steps(mut self, max_steps: u32) -> ElementSettings {
        self.max_steps = max_steps;
        self
    }
}

impl Element {
    /// A vertex, and then the corners of a triangle, at the time 0 and at the time 1.
    pub fn vertex_face(start: [DVec3; 4], end: [DVec3; 4]) -> Result<Element, ShapeError> {
        Element::new(ElementKind::VertexFace, start, end)
    }

    /// The ends of one edge, and then those of the other, at the time 0 and at the time 1.
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

    /// Which of the two questions it is.
    #[inline]
    pub fn kind(&self) -> ElementKind {
        self.kind
    }

    /// The vertices at the time 0.
    #[inline]
    pub fn start(&self) -> &[DVec3; 4] {
        &self.start
    }

    /// The vertices at the time 1.
    #[inline]
    pub fn end(&self) -> &[DVec3; 4] {
        &self.end
    }

    /// When the features first come within the minimum separation of each other, in the time from 0 to 1.
    ///
    /// Never clear where they do. Features that only graze each other, or are near from the start, are undecided within
    /// rounding: nearer than the tolerance, which is for whoever moves things a hit.
    pub fn time_of_impact(&self, settings: &ElementSettings) -> TimeOfImpact {
        match self.kind {
            ElementKind::VertexFace => Search::new(self, settings, vertex_face_differences).run(on_triangle),
            ElementKind::EdgeEdge => Search::new(self, settings, edge_edge_differences).run(on_parallelogram),
        }
    }

    /// The points of the two features with these parameters, at the time `t`.
    pub(crate) fn points_at(&self, t: f64, weights: [f64; 2]) -> [DVec3; 2] {
        let p: [DVec3; 4] = core::array::from_fn(|i| self.start[i] * (1.0 - t) + self.end[i] * t);
        let [u, v] = weights;
        match self.kind {
            ElementKind::VertexFace => [p[0], p[1] + (p[2] - p[1]) * u + (p[3] - p[1]) * v],
            ElementKind::EdgeEdge => [p[0] + (p[1] - p[0]) * u, p[2] + (p[3] - p[2]) * v],
        }
    }

    /// The features have a point in common, decided exactly.
    fn meets(&self, p: &[DVec3; 4]) -> bool {
        // Corners that are not in one plane have none: nearly always the end of it, and half the time of all queries was spent
        // on nearest points in many digits.
        if orient3d(p[0], p[1], p[2], p[3]) != 0.0 {
            return false;
        }
        let found = match self.kind {
            ElementKind::VertexFace => tri_distance::point_triangle(p[0], &[p[1], p[2], p[3]]),
            ElementKind::EdgeEdge => tri_distance::segment_segment(&[p[0], p[1]], &[p[2], p[3]]),
        };
        found.distance == 0.0
    }

    fn features(&self, part: Part) -> [FeatureId; 2] {
        match (self.kind, part) {
            (ElementKind::VertexFace, Part::Corner(i)) => [FeatureId::vertex(0), FeatureId::vertex(i as u32)],
            (ElementKind::VertexFace, Part::Side(i)) => [FeatureId::vertex(0), FeatureId::edge(i as u32)],
            (ElementKind::VertexFace, Part::Inside) => [FeatureId::vertex(0), FeatureId::face(0)],
            // Corners of the parallelogram go round: 00, 01, 11, 10, the first digit that of A.
            (ElementKind::EdgeEdge, Part::Corner(i)) => {
                [FeatureId::vertex((i / 2) as u32), FeatureId::vertex(u32::from(i == 1 || i == 2))]
            }
            // Sides 0 and 2 are B's edge seen from one end of A.
            (ElementKind::EdgeEdge, Part::Side(i)) if i % 2 == 0 => {
                [FeatureId::vertex((i / 2) as u32), FeatureId::edge(0)]
            }
            (ElementKind::EdgeEdge, Part::Side(i)) => {
                [FeatureId::edge(0), FeatureId::vertex(u32::from(i == 1))]
            }
            (ElementKind::EdgeEdge, Part::Inside) => [FeatureId::edge(0), FeatureId::edge(0)],
        }
    }
}

/// The triangle seen from the vertex.
pub(crate) fn vertex_face_differences(p: &[DVec3; 4]) -> [DVec3; 3] {
    [p[1] - p[0], p[2] - p[0], p[3] - p[0]]
}

/// The parallelogram of the differences of the two edges, going round.
pub(crate) fn edge_edge_differences(p: &[DVec3; 4]) -> [DVec3; 4] {
    [p[2] - p[0], p[3] - p[0], p[3] - p[1], p[2] - p[1]]
}

/// So many steps are made with axes alone, and nearly all searches end within them.
const N_AXES: u32 = 8;

/// Halvings of the time in which features may come to lie in one plane: the next step goes on from there.
const N_HALVINGS: u32 = 16;

/// The differences, scaled to about 1, and what rounding may take off a separation.
struct Search<'a, const N: usize> {
    element: &'a Element,
    max_steps: u32,
    /// Differences at the time 0, and by how much they change until the time 1.
    w: [DVec3; N],
    dw: [DVec3; N],
    /// A power of two: scaled lengths are lengths times it.
    scale: f64,
    /// The largest sum of the coordinates of a difference, in absolute value.
    size: f64,
    target: f64,
    /// Nearer than this to the target the search ends.
    enough: f64,
    /// Bounds the rounding of a separation along a unit axis. A difference, its change, its value at a time and the product
    /// with the axis are 12 u of `size`, the length of the axis 3 u, the coefficients of a quadratic and its root 16 u.
    delta: f64,
}

/// An axis that turns: `n + turn * t`, `n` a unit vector and `turn` at right angles to it.
#[derive(Clone, Copy)]
struct Axis {
    n: DVec3,
    turn: DVec3,
}

impl<'a, const N: usize> Search<'a, N> {
    fn new(
        element: &'a Element,
        settings: &ElementSettings,
        differences: fn(&[DVec3; 4]) -> [DVec3; N],
    ) -> Self {
        let (start, end) = (differences(&element.start), differences(&element.end));
        let mut most = DVec3::ZERO;
        for v in start.iter().chain(&end) {
            most = most.max(v.abs());
        }
        let scale = scale_of(most.max_element());
        let w = start.map(|v| v * scale);
        let dw = core::array::from_fn(|i| end[i] * scale - w[i]);
        let size = (most.x + most.y + most.z) * scale;
        let target = settings.minimum_separation.max(0.0) * scale;
        // Below some 2^-46 of the size a gap is rounding.
        let enough = settings.tolerance.max(tol::ELEMENT_GAP) * (size + target);
        let delta = 32.0 * (0.5 * f64::EPSILON) * (size + target);
        Search { element, max_steps: settings.max_steps, w, dw, scale, size, target, enough, delta }
    }

    fn run(&self, nearest_on: fn(&[DVec3; N]) -> Nearest) -> TimeOfImpact {
        if let Some(distance) = self.box_gap() {
            return TimeOfImpact::Clear(Clear::new(distance / self.scale));
        }
        let (mut t, mut w) = (0.0, self.w);
        let mut low = f64::INFINITY;
        for i in 0..self.max_steps {
            let nearest = nearest_on(&w);
            let distance = sqrt(nearest.point.length_squared());
            if !(self.target + self.enough < distance) {
                return self.conclude(t, &w, &nearest, distance, nearest_on);
            }
            let axis = self.axis(&w, &nearest);
            // An axis that does not turn is cheaper, and enough for most that are clear.
            let (mut step, mut least) = self.advance(t, &w, Axis { n: axis.n, turn: DVec3::ZERO });
            if step < 1.0 - t && axis.turn != DVec3::ZERO {
                let turning = self.advance(t, &w, axis);
                if step < turning.0 {
                    (step, least) = turning;
                }
            }
            if N_AXES <= i && nearest.part == Part::Inside && self.target == 0.0 && step < 1.0 - t {
                // Features that turn against each other as they come near, and the volume that they span.
                let by_volume = self.advance_by_volume(t, &w);
                if step < by_volume.0 {
                    (step, least) = by_volume;
                }
            }
            if !(0.0 < step) {
                // Thin features, whose nearest points rounding displaced: any other axis that separates will do.
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

    /// The differences at the time `t`.
    #[inline]
    fn at(&self, t: f64) -> [DVec3; N] {
        core::array::from_fn(|i| self.w[i] + self.dw[i] * t)
    }

    /// How far the box around all differences at all times is from the origin, where this is enough: the boxes swept in space and
    /// time do not meet.
    #[inline]
    fn box_gap(&self) -> Option<f64> {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for i in 0..N {
            let end = self.w[i] + self.dw[i];
            low = low.min(self.w[i].min(end));
            high = high.max(self.w[i].max(end));
        }
        let gap = low.max(-high).max_element() - self.delta;
        (self.target < gap).then_some(gap)
    }

    /// The axis from what is nearest, turning so that the edges of the nearest features stay level.
    #[inline]
    fn axis(&self, w: &[DVec3; N], nearest: &Nearest) -> Axis {
        let Some(n) = level_axis(w, nearest) else { return Axis { n: DVec3::ZERO, turn: DVec3::ZERO } };
        let turn = match nearest.part {
            Part::Corner(_) => DVec3::ZERO,
            Part::Side(i) => {
                let j = if i + 1 < N { i + 1 } else { 0 };
                let edge = w[j] - w[i];
                edge * (-n.dot(self.dw[j] - self.dw[i]) / edge.length_squared())
            }
            Part::Inside => {
                // Of the normal e x f, as its edges turn; only what is across the normal.
                let (e, f) = (w[1] - w[0], w[N - 1] - w[0]);
                let (de, df) = (self.dw[1] - self.dw[0], self.dw[N - 1] - self.dw[0]);
                let turn = (de.cross(f) + e.cross(df)) / e.cross(f).dot(n);
                turn - n * n.dot(turn)
            }
        };
        // Edges and triangles without extent do not turn.
        Axis { n, turn: if turn.is_finite() { turn } else { DVec3::ZERO } }
    }

    /// For how long after `t` every difference stays beyond the target along the axis, at most to the end, and how near they
    /// come at least; not positive where they are not beyond it now.
    #[inline]
    fn advance(&self, t: f64, w: &[DVec3; N], axis: Axis) -> (f64, f64) {
        let Axis { n, turn } = axis;
        let is_turning = turn != DVec3::ZERO;
        let rest = 1.0 - t;
        // The length of the axis is at most 1 + turn^2 t^2 / 2.
        let turn_sq = if is_turning { turn.length_squared() } else { 0.0 };
        let rate = if is_turning { sqrt(turn_sq) } else { 0.0 };
        let (off_0, off_1) = (self.target + self.delta, self.delta * (rate + 2.0));
        let off_2 = 2.0 * self.delta * rate + 0.5 * self.target * turn_sq;
        let goal = 0.25 * self.enough;
        let (mut step, mut least) = (rest, f64::INFINITY);
        for i in 0..N {
            let q_0 = n.dot(w[i]) - off_0;
            let mut q_1 = n.dot(self.dw[i]) - off_1;
            let mut q_2 = -off_2;
            if is_turning {
                q_1 += turn.dot(w[i]);
                q_2 += turn.dot(self.dw[i]);
            }
            if !(goal < q_0) {
                return (0.0, 0.0);
            }
            let first = first_fall(q_0 - goal, q_1, q_2);
            if first < step {
                step = first;
            }
            if !is_turning {
                least = least.min(q_0.min(q_0 + q_1 * rest));
            }
        }
        // On the way of a turning axis, or to a root, all that is known is the goal.
        let reached =
            if !is_turning && rest <= step { least } else { 0.5 * goal / sqrt(1.0 + turn_sq * step * step) };
        (step, self.target + reached)
    }

    /// For how long after `t` the features do not lie in one plane: the volume that they span is a cubic in time, and keeps its sign
    /// where its Bernstein coefficients have it.
    #[cold]
    fn advance_by_volume(&self, t: f64, w: &[DVec3; N]) -> (f64, f64) {
        let (e, f, r) = (w[1] - w[0], w[N - 1] - w[0], w[0]);
        let (de, df, dr) = (self.dw[1] - self.dw[0], self.dw[N - 1] - self.dw[0], self.dw[0]);
        // n(t) = e x f in powers of time, and the volume n . r.
        let n = [e.cross(f), e.cross(df) + de.cross(f), de.cross(df)];
        let side = if n[0].dot(r) < 0.0 { -1.0 } else { 1.0 };
        let c = [n[0].dot(r), n[1].dot(r) + n[0].dot(dr), n[2].dot(r) + n[1].dot(dr), n[2].dot(dr)]
            .map(|c| c * side);
        // Three factors of at most two, two and one sizes, twelve terms of each power, 16 roundings: 400 u size^3.
        let error = 200.0 * f64::EPSILON * (self.size * self.size * self.size);
        let goal = 0.25 * self.enough;
        let is_apart = |time: f64| {
            // The distance is the volume divided by the length of n, which is at most that of a Bernstein coefficient.
            let n_end = n[0] + (n[1] + n[2] * time) * time;
            let n_middle = n[0] + n[1] * (0.5 * time);
            let n_sq = n[0].length_squared().max(n_middle.length_squared()).max(n_end.length_squared());
            let least = error + goal * sqrt(n_sq);
            let b_1 = c[0] + c[1] * time / 3.0;
            let b_2 = c[0] + (2.0 * c[1] + c[2] * time) * time / 3.0;
            let b_3 = c[0] + (c[1] + (c[2] + c[3] * time) * time) * time;
            least < c[0] && least < b_1 && least < b_2 && least < b_3
        };
        let rest = 1.0 - t;
        if is_apart(rest) {
            return (rest, goal);
        }
        let (mut low, mut high) = (0.0, rest);
        for _ in 0..N_HALVINGS {
            let middle = 0.5 * (low + high);
            if is_apart(middle) { low = middle } else { high = middle }
        }
        (low, goal)
    }

    /// The best of the axes that do not depend on the nearest points alone.
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
                    let found = self.advance(t, w, Axis { n, turn: DVec3::ZERO });
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

    /// At the time `t` the features are as near as the tolerance: proves the contact, or says that it cannot.
    #[cold]
    fn conclude(
        &self,
        t: f64,
        w: &[DVec3; N],
        nearest: &Nearest,
        distance: f64,
        nearest_on: fn(&[DVec3; N]) -> Nearest,
    ) -> TimeOfImpact {
        if distance + self.delta <= self.target {
            // So near from the beginning: later, the search would have stopped before.
            let proof = Proof::Within((distance + self.delta) / self.scale);
            return self.hit(t, t, nearest, self.axis(w, nearest).n, proof);
        }
        if self.target == 0.0 {
            // Features that meet at the very beginning or end meet exactly, or not at all.
            for (time, vertices) in [(0.0, &self.element.start), (1.0, &self.element.end)] {
                if (t == 0.0 || time == 1.0) && self.element.meets(vertices) {
                    let w = self.at(time);
                    let there = nearest_on(&w);
                    return self.hit(t, time, &there, self.axis(&w, &there).n, Proof::Overlap);
                }
            }
        }
        let n = self.axis(w, nearest).n;
        let mut closing = 0.0;
        for i in 0..N {
            closing -= nearest.weights_of::<N>()[i] * n.dot(self.dw[i]);
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

    /// The line along `n` through the origin pierces the figure at all times from the one to the other, `time` later, and the
    /// figure goes from one side of the origin to the other: somewhere between it contains it.
    fn crosses(&self, w: &[DVec3; N], later: &[DVec3; N], n: DVec3, time: f64) -> bool {
        // The products move by less than 8 size^2 in a unit of time, and are rounded by less than 32 u size^2.
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
        let normal = if normal == DVec3::ZERO { self.way_together(nearest) } else { normal };
        let mut impact =
            Impact::new([t_lo, t_hi], self.element.points_at(t_hi, nearest.parameters), normal, proof);
        [impact.feature_a, impact.feature_b] = self.element.features(nearest.part);
        TimeOfImpact::Hit(impact)
    }

    /// Features that are at one place and have no extent, as two ends of edges, have no normal: the unit vector against which B goes
    /// as A sees it stands for it, or any where neither moves.
    #[cold]
    fn way_together(&self, nearest: &Nearest) -> DVec3 {
        let weights = nearest.weights_of::<N>();
        let way = (0..N).fold(DVec3::ZERO, |sum, i| sum - self.dw[i] * weights[i]);
        unit(way).unwrap_or(DVec3::X)
    }

    fn undecided(&self, t: f64, distance: f64, why: Why) -> TimeOfImpact {
        TimeOfImpact::Undecided(Undecided::new(t, (distance + self.delta) / self.scale, why))
    }
}

/// The first positive t at which `q_0 + q_1 t + q_2 t^2`, positive at 0, is zero; infinite where it never is.
#[inline]
fn first_fall(q_0: f64, q_1: f64, q_2: f64) -> f64 {
    let discriminant = q_1 * q_1 - 4.0 * q_0 * q_2;
    if discriminant < 0.0 || (0.0 <= q_1 && 0.0 <= q_2) {
        return f64::INFINITY;
    }
    let root = sqrt(discriminant);
    // The stable one of two formulas: nothing is subtracted from its like.
    if q_1 < 0.0 { 2.0 * q_0 / (root - q_1) } else { (q_1 + root) / (-2.0 * q_2) }
}
