//! The axis of least overlap of two convex polytopes, by their Gauss maps.
//!
//! - On the Gauss map a face is a point of the unit sphere. An edge is the arc between the normals
//!   of its faces.
//! - Two edges make a face of the Minkowski difference only if an arc of A crosses an arc of -B.
//!   All other pairs need no test.
//! - So the true minimum is among faces of A, faces of B, and crossing edges.
//! - A ball inside each body bounds an overlap from below, which saves most supports.
//! - An edge pair that improves the minimum is tested by true supports. A nearly parallel pair then
//!   cannot report too little.
//!
//! Reference: D. Gregorius, The Separating Axis Test between Convex Polyhedra, Game Developers
//! Conference, 2013; Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.3.2 (inner-sphere
//! cull).

use crate::Tally;
use crate::few_vertices;
use carom_geom::WideHull;
use carom_math::scaling::{balanced, unit};
use carom_math::{WidePose, ops::sqrt, tol};
use glam::DVec3;

/// The kind of an axis: faces by their number, edges by that of a half-edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HullAxis {
    /// The normal of a face of A.
    FaceA(u32),
    /// The normal of a face of B.
    FaceB(u32),
    /// The cross product of a half-edge of A and one of B.
    Edges(u32, u32),
}

/// The least overlap of two hulls, in A's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overlap {
    /// Unit vector from A to B.
    pub(crate) normal: DVec3,
    /// A length. Negative is a gap.
    pub(crate) overlap: f64,
    pub(crate) axis: HullAxis,
    /// The point of A farthest along the normal. `extreme_b` is that of B, farthest against it.
    pub(crate) extreme_a: DVec3,
    pub(crate) extreme_b: DVec3,
}

/// The number of B's edges that are rotated into A's frame at a time.
const BLOCK: usize = 24;

/// An edge of -B in A's frame.
#[derive(Clone, Copy)]
pub(crate) struct EdgeB {
    pub(crate) along: DVec3,
    /// The negated normals of the faces to the left and to the right.
    pub(crate) left: DVec3,
    pub(crate) right: DVec3,
    pub(crate) half_edge: u32,
}

pub(crate) struct Search<'a, H> {
    pub(crate) a: &'a H,
    pub(crate) b: &'a H,
    pub(crate) b_in_a: &'a WidePose,
    /// The vector between the centres of the inner balls. `inner` is the sum of their radii.
    between: DVec3,
    inner: f64,
    size: f64,
}

/// Returns the axis of least overlap, or `None` if an axis shows a gap larger than `prediction`.
/// `first` is an axis to test before all others: that of the last query.
pub(crate) fn least_overlap<H: WideHull>(
    a: &H,
    b: &H,
    b_in_a: &WidePose,
    prediction: f64,
    first: Option<HullAxis>,
    tally: impl Tally,
) -> Option<Overlap> {
    let count = || tally.count(|counters| counters.axes += 1);
    let search = Search {
        a,
        b,
        b_in_a,
        between: b_in_a.transform_point(b.inscribed_center()) - a.inscribed_center(),
        inner: a.inscribed_radius() + b.inscribed_radius(),
        size: a.radius() + b.radius(),
    };
    let tie = tol::SAT_TIE * search.size;
    let mut best: Option<Overlap> = None;
    // A gap of the last query is nearly always still there. Exactly at the limit the whole search
    // decides, because its overlaps are rounded differently.
    if let Some(overlap) = first.and_then(|axis| search.measure(axis)) {
        count();
        if overlap.overlap < -prediction - tie {
            return None;
        }
    }
    if few_vertices::fits(a, b) {
        return few_vertices::least_overlap(&search, prediction, tie, tally);
    }
    for axis in
        (0..a.n_faces() as u32).map(HullAxis::FaceA).chain((0..b.n_faces() as u32).map(HullAxis::FaceB))
    {
        let least = best.map_or(f64::INFINITY, |b| b.overlap);
        let normal = search.face_normal(axis);
        if least <= search.inner - normal.dot(search.between) {
            continue;
        }
        let Some(found) = search.measure(axis) else { continue };
        count();
        if found.overlap < -prediction {
            return None;
        }
        if found.overlap < least - tie {
            best = Some(found);
        }
    }
    let mut best = best?;

    let mut block =
        [EdgeB { along: DVec3::ZERO, left: DVec3::ZERO, right: DVec3::ZERO, half_edge: 0 }; BLOCK];
    let mut next = 0;
    while next < b.half_edges().len() {
        let mut n = 0;
        while n < BLOCK && next < b.half_edges().len() {
            if let Some(edge) = search.edge_b(next as u32) {
                block[n] = edge;
                n += 1;
            }
            next += 1;
        }
        for (half_edge, edge) in a.half_edges().iter().enumerate() {
            if edge.twin < half_edge as u32 {
                continue;
            }
            let (left, right) =
                (a.face_normal(edge.face), a.face_normal(a.half_edges()[edge.twin as usize].face));
            let start = a.position(edge.origin);
            // Scaled to unit size: squares of products of short edges would vanish.
            let along = balanced(a.position(a.half_edges()[edge.twin as usize].origin) - start);
            for other in &block[..n] {
                // Three conditions: the ends of B's arc lie on different sides of the plane of A's
                // arc. The same holds for A's arc and B's plane. Both arcs lie in one hemisphere.
                let (c, d) = (other.left.dot(along), other.right.dot(along));
                let (e, f) = (left.dot(other.along), right.dot(other.along));
                if !(c * d < 0.0 && e * f < 0.0 && 0.0 < c * f) {
                    continue;
                }
                let cross = along.cross(other.along);
                let length_sq = cross.length_squared();
                if !(0.0 < length_sq) {
                    continue; // Parallel.
                }
                // The sum of the two normals also gives the sign, but not if they are opposite, as
                // on a flat hull.
                let outward = if e < 0.0 { -cross } else { cross };
                // The least possible overlap by the inner balls, before any division.
                let along_between = outward.dot(search.between);
                let limit = best.overlap - tie;
                let room = search.inner - limit;
                if along_between * along_between.abs() <= room * room.abs() * length_sq {
                    continue;
                }
                let normal = outward * (1.0 / sqrt(length_sq));
                let axis = HullAxis::Edges(half_edge as u32, other.half_edge);
                let start_b =
                    b_in_a.transform_point(b.position(b.half_edges()[other.half_edge as usize].origin));
                if limit <= normal.dot(start - start_b) {
                    continue;
                }
                let found = search.along(normal, axis);
                count();
                if found.overlap < -prediction {
                    return None;
                }
                if found.overlap < limit {
                    best = found;
                }
            }
        }
    }
    Some(best)
}

impl<H: WideHull> Search<'_, H> {
    fn face_normal(&self, axis: HullAxis) -> DVec3 {
        match axis {
            HullAxis::FaceA(face) => self.a.face_normal(face),
            HullAxis::FaceB(face) => -self.b_in_a.transform_vector(self.b.face_normal(face)),
            HullAxis::Edges(..) => DVec3::ZERO,
        }
    }

    /// Returns the overlap along an axis. `None` for parallel edges and for numbers that are not
    /// valid.
    pub(crate) fn measure(&self, axis: HullAxis) -> Option<Overlap> {
        match axis {
            HullAxis::FaceA(face) if (face as usize) < self.a.n_faces() => {
                Some(self.along(self.a.face_normal(face), axis))
            }
            HullAxis::FaceB(face) if (face as usize) < self.b.n_faces() => {
                Some(self.along(self.face_normal(axis), axis))
            }
            HullAxis::Edges(a, b) if (a as usize) < self.a.half_edges().len() => {
                let other =
                    self.edge_b(b).or_else(|| self.edge_b(self.b.half_edges().get(b as usize)?.twin))?;
                let edge = self.a.half_edges()[a as usize];
                let twin = self.a.half_edges()[edge.twin as usize];
                let along = self.a.position(twin.origin) - self.a.position(edge.origin);
                let (left, right) = (self.a.face_normal(edge.face), self.a.face_normal(twin.face));
                let normal = unit(balanced(along).cross(other.along))?;
                let is_inward = (left - right).dot(other.along) < 0.0;
                Some(self.along(if is_inward { -normal } else { normal }, axis))
            }
            _ => None,
        }
    }

    /// Returns the overlap along a unit vector, by supports exact to rounding.
    pub(crate) fn along(&self, normal: DVec3, axis: HullAxis) -> Overlap {
        let extreme_a = self.a.support_exact(normal, self.a.support(normal)).point;
        let own = self.b_in_a.inverse_transform_vector(-normal);
        let extreme_b = self.b_in_a.transform_point(self.b.support_exact(own, self.b.support(own)).point);
        Overlap { normal, overlap: normal.dot(extreme_a - extreme_b), axis, extreme_a, extreme_b }
    }

    /// Returns the edge of -B for a half-edge, or `None` for the second half-edge of an edge.
    pub(crate) fn edge_b(&self, half_edge: u32) -> Option<EdgeB> {
        let edges = self.b.half_edges();
        let edge = edges.get(half_edge as usize)?;
        if edge.twin < half_edge {
            return None;
        }
        let twin = edges[edge.twin as usize];
        let vertex = |v: u32| self.b.position(v);
        Some(EdgeB {
            along: self.b_in_a.transform_vector(balanced(vertex(twin.origin) - vertex(edge.origin))),
            left: -self.b_in_a.transform_vector(self.b.face_normal(edge.face)),
            right: -self.b_in_a.transform_vector(self.b.face_normal(twin.face)),
            half_edge,
        })
    }
}
