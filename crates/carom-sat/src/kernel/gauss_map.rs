//! The axis of least overlap of two convex polytopes, by their Gauss maps.
//!
//! A face is a point on the unit sphere, an edge the arc between its faces' normals. Two edges make
//! a face of the Minkowski difference only where an arc of A crosses an arc of -B; all other pairs
//! need no test. So the true minimum is found among faces of A, faces of B, and crossing edges. A
//! ball inside each body bounds an overlap from below, which spares most supports. Edge candidates
//! that improve the best are measured by true supports, so that no nearly parallel pair can claim
//! less than there is.
//!
//! Reference: D. Gregorius, The Separating Axis Test between Convex Polyhedra, Game Developers
//! Conference, 2013; Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.3.2 (inner-sphere
//! cull).

use super::super::num::{ConvexHull, widen};
use super::few_vertices;
use crate::Tally;
use carom_geom::SupportMap;
use carom_math::scaling::{balanced, unit};
use carom_math::{WidePose, ops::sqrt, tol};
use glam::DVec3;

/// Which axis: faces by their number, edges by that of a half-edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HullAxis {
    /// The normal of a face of A.
    FaceA(u32),
    /// The normal of a face of B.
    FaceB(u32),
    /// At right angles to a half-edge of A and one of B.
    Edges(u32, u32),
}

/// The least overlap, in A's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Overlap {
    /// Unit vector from A to B.
    pub(super) normal: DVec3,
    /// Negative is a gap.
    pub(super) overlap: f64,
    pub(super) axis: HullAxis,
    /// The point of A farthest along the normal, and of B against it.
    pub(super) extreme_a: DVec3,
    pub(super) extreme_b: DVec3,
}

/// How many of B's edges are turned into A's frame at a time.
const BLOCK: usize = 24;

/// An edge of -B in A's frame.
#[derive(Clone, Copy)]
pub(super) struct EdgeB {
    pub(super) along: DVec3,
    /// Negated normals of the faces to the left and to the right.
    pub(super) left: DVec3,
    pub(super) right: DVec3,
    pub(super) half_edge: u32,
}

pub(super) struct Search<'a> {
    pub(super) a: &'a ConvexHull,
    pub(super) b: &'a ConvexHull,
    pub(super) b_in_a: &'a WidePose,
    /// Centres of the balls inside, and the sum of their radii.
    between: DVec3,
    inner: f64,
    size: f64,
}

/// `None` when an axis shows a gap larger than `prediction`. `first` is an axis to look at before
/// all others: that of the last query.
pub(super) fn least_overlap(
    a: &ConvexHull,
    b: &ConvexHull,
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
    // A gap that was there last time is nearly always there still. Just at the limit the whole
    // search decides, whose overlaps are rounded otherwise.
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
            let start = widen(a.vertices()[edge.origin as usize]);
            // Of unit size: squares of products of short edges would vanish.
            let along =
                balanced(widen(a.vertices()[a.half_edges()[edge.twin as usize].origin as usize]) - start);
            for other in &block[..n] {
                // The ends of B's arc lie on different sides of the plane of A's, the ends of A's
                // on different sides of the plane of B's, and both arcs in one hemisphere.
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
                // The sum of the two normals would tell as well, but not where they are opposite,
                // as of a flat hull.
                let outward = if e < 0.0 { -cross } else { cross };
                // Least possible overlap by the inner balls, before anything is divided.
                let along_between = outward.dot(search.between);
                let limit = best.overlap - tie;
                let room = search.inner - limit;
                if along_between * along_between.abs() <= room * room.abs() * length_sq {
                    continue;
                }
                let normal = outward * (1.0 / sqrt(length_sq));
                let axis = HullAxis::Edges(half_edge as u32, other.half_edge);
                let start_b = b_in_a.transform_point(widen(
                    b.vertices()[b.half_edges()[other.half_edge as usize].origin as usize],
                ));
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

impl Search<'_> {
    fn face_normal(&self, axis: HullAxis) -> DVec3 {
        match axis {
            HullAxis::FaceA(face) => self.a.face_normal(face),
            HullAxis::FaceB(face) => -self.b_in_a.transform_vector(self.b.face_normal(face)),
            HullAxis::Edges(..) => DVec3::ZERO,
        }
    }

    /// The overlap along an axis; `None` for edges that are parallel, and numbers that are none.
    pub(super) fn measure(&self, axis: HullAxis) -> Option<Overlap> {
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
                let along = widen(self.a.vertices()[twin.origin as usize])
                    - widen(self.a.vertices()[edge.origin as usize]);
                let (left, right) = (self.a.face_normal(edge.face), self.a.face_normal(twin.face));
                let normal = unit(balanced(along).cross(other.along))?;
                let is_inward = (left - right).dot(other.along) < 0.0;
                Some(self.along(if is_inward { -normal } else { normal }, axis))
            }
            _ => None,
        }
    }

    /// The overlap along a unit vector, by supports exact to rounding.
    pub(super) fn along(&self, normal: DVec3, axis: HullAxis) -> Overlap {
        let extreme_a = self.a.support_exact(normal, self.a.support(normal)).point;
        let own = self.b_in_a.inverse_transform_vector(-normal);
        let extreme_b = self.b_in_a.transform_point(self.b.support_exact(own, self.b.support(own)).point);
        Overlap { normal, overlap: normal.dot(extreme_a - extreme_b), axis, extreme_a, extreme_b }
    }

    /// One of the two half-edges of each edge.
    pub(super) fn edge_b(&self, half_edge: u32) -> Option<EdgeB> {
        let edges = self.b.half_edges();
        let edge = edges.get(half_edge as usize)?;
        if edge.twin < half_edge {
            return None;
        }
        let twin = edges[edge.twin as usize];
        let vertex = |v: u32| widen(self.b.vertices()[v as usize]);
        Some(EdgeB {
            along: self.b_in_a.transform_vector(balanced(vertex(twin.origin) - vertex(edge.origin))),
            left: -self.b_in_a.transform_vector(self.b.face_normal(edge.face)),
            right: -self.b_in_a.transform_vector(self.b.face_normal(twin.face)),
            half_edge,
        })
    }
}
