//! Relation of two solids bounded by meshes: clear, touching, or overlapping.
//!
//! Solids overlap if their interiors share a point.
//!
//! - If the surfaces do not meet, solids overlap only if one contains a whole component of the
//!   other.
//! - If they meet along a line, exact signs in the plane across it decide. The cases are two faces
//!   that cross, a face and the wedge at an edge, and two wedges.
//! - Triangles that share a part of one plane prove an overlap behind them if they face the same
//!   way.
//! - All other solids whose surfaces meet are touching. They overlap in two cases: a vertex is
//!   inside the other solid, or so is the centre of a triangle whose corners touch it.
//!
//! Reference: A. Requicha, H. Voelcker, Boolean Operations in Solid Modeling: Boundary Evaluation
//! and Merging Algorithms, Proceedings of the IEEE 73(1), 1985, section III (neighbourhoods of
//! points of edges and faces).
//! Differs: a decision, no boundary; exact predicates on the given corners.

use crate::contains_point::solid_placement_of;
use crate::mesh_mesh;
use crate::mesh_shape::{MeshShape, Sides};
use alloc::borrow::Cow;
use alloc::vec;
use alloc::vec::Vec;
use carom_geom::WideMesh;
use carom_geom::mesh_topology::{MeshTopology, NO_TRIANGLE};
use carom_geom::ray_mesh::Placement;
use carom_geom::tri_intersection::{Intersection, intersection};
use carom_math::predicates::{orient2d_along, orient3d};
use carom_math::{WidePose, scaling};
use glam::DVec3;

/// The relation of two solids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolidRelation {
    /// They have no point in common.
    Clear,
    /// They share points of their surfaces, but no interior points.
    Touching,
    /// Their interiors share a point; one may contain the other.
    Overlapping,
}

/// Implements the public function of this name, for poses in `f64`.
pub(crate) fn holds_component(
    outer: &MeshShape<impl WideMesh>,
    of_outer: &WidePose,
    inner: &MeshShape<impl WideMesh>,
    of_inner: &WidePose,
) -> Option<bool> {
    let (low, high) = outer.mesh().wide_bounds();
    let mut is_known = true;
    for component in Components::new(inner.topology()).in_order(inner.topology()) {
        let mut corners =
            component.iter().map(|v| of_outer.inverse_transform_point(of_inner.transform_point(*v)));
        let is_beside = |p: DVec3| p.cmplt(low).any() || high.cmplt(p).any();
        let Some(first) = corners.next() else { continue };
        if is_beside(first) || corners.any(is_beside) {
            continue;
        }
        match solid_placement_of(outer, first, ()) {
            Some(Placement::Inside) => return Some(true),
            Some(_) => {}
            None => is_known = false,
        }
    }
    is_known.then_some(false)
}

/// Returns the mesh in the world, with its triangles facing outwards; `None` if the orientation is
/// not known.
pub(crate) fn placed<'a, M: WideMesh>(
    mesh: &'a MeshShape<M>,
    wide: &WidePose,
) -> Option<Cow<'a, MeshShape<M>>> {
    let Sides::Known(is_turned) = mesh.sides() else { return None };
    if is_turned.is_empty() && *wide == WidePose::IDENTITY {
        return Some(Cow::Borrowed(mesh));
    }
    let n_vertices = mesh.mesh().n_vertices() as u32;
    let vertices = (0..n_vertices).map(|v| wide.transform_point(mesh.mesh().position(v)));
    let mut indices = mesh.mesh().indices().to_vec();
    for (t, _) in indices.iter_mut().zip(is_turned).filter(|(_, is_turned)| **is_turned) {
        t.swap(1, 2);
    }
    let placed = M::from_wide(vertices, indices)?;
    MeshShape::new(placed).ok().map(Cow::Owned)
}

/// Returns the relation of two solids in one frame, both facing outwards.
pub(crate) fn relation<M: WideMesh>(a: &MeshShape<M>, b: &MeshShape<M>) -> SolidRelation {
    let mut pairs = Vec::new();
    mesh_mesh::triangle_pairs(a, b, &WidePose::IDENTITY, &mut pairs, ());
    let pair = SolidPair { a: Side::new(a), b: Side::new(b) };
    let is_overlapping = pairs.iter().any(|&(t_a, t_b)| pair.shows_overlap(t_a, t_b))
        || pair.a.is_partly_in(b, !pairs.is_empty())
        || pair.b.is_partly_in(a, !pairs.is_empty());
    match (is_overlapping, pairs.is_empty()) {
        (true, _) => SolidRelation::Overlapping,
        (false, false) => SolidRelation::Touching,
        (false, true) => SolidRelation::Clear,
    }
}

/// One of the two solids.
struct Side<'a, M> {
    shape: &'a MeshShape<M>,
    topology: &'a MeshTopology,
}

/// An edge and the wedge between its two faces.
struct Wedge {
    /// The edge, in the winding direction of the triangle.
    edge: [DVec3; 2],
    /// The corner of the triangle opposite the edge.
    apex: DVec3,
    /// The corner of the adjacent triangle opposite the edge.
    beyond: DVec3,
}

impl<'a, M: WideMesh> Side<'a, M> {
    fn new(shape: &'a MeshShape<M>) -> Side<'a, M> {
        Side { shape, topology: shape.topology() }
    }

    fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.shape.mesh().corners(triangle)
    }

    /// Returns the wedge at an edge; `None` if the adjacent triangle is not known.
    fn wedge(&self, triangle: u32, edge: usize) -> Option<Wedge> {
        let t = self.corners(triangle);
        let other = self.topology.neighbours(triangle)[edge];
        if other == NO_TRIANGLE {
            return None;
        }
        let vertices = self.topology.vertices(triangle);
        let (from, to) = (vertices[edge], vertices[(edge + 1) % 3]);
        let beyond = self.topology.vertices(other).into_iter().find(|v| *v != from && *v != to)?;
        Some(Wedge {
            edge: [t[edge], t[(edge + 1) % 3]],
            apex: t[(edge + 2) % 3],
            beyond: self.topology.position(beyond),
        })
    }

    /// Whether a component, a vertex or the centre of a triangle lies inside another solid. A point
    /// on its surface decides nothing. If the surfaces do not meet, one vertex of each component is
    /// enough.
    fn is_partly_in(&self, other: &MeshShape<impl WideMesh>, do_surfaces_meet: bool) -> bool {
        let (low, high) = other.mesh().wide_bounds();
        let is_beside = |p: DVec3| p.cmplt(low).any() || high.cmplt(p).any();
        let mut component = Components::new(self.topology);
        for triangle in 0..self.topology.n_triangles() as u32 {
            let (vertices, corners) = (self.topology.vertices(triangle), self.corners(triangle));
            if !do_surfaces_meet && !component.is_new(vertices[0]) {
                continue;
            }
            let mut n_on = 0;
            for (vertex, corner) in vertices.into_iter().zip(corners) {
                if is_beside(corner) {
                    continue;
                }
                // Each vertex is tested once, unless all corners of the triangle may touch.
                match solid_placement_of(other, corner, ()) {
                    Some(Placement::Inside) => return true,
                    Some(Placement::Surface) => n_on += 1,
                    _ if self.topology.owner(vertex) != triangle => break,
                    _ => {}
                }
            }
            if n_on == 3 && self.is_middle_in(triangle, other) {
                return true;
            }
        }
        false
    }

    /// Whether a point close behind the centre of a triangle is inside both solids.
    fn is_middle_in(&self, triangle: u32, other: &MeshShape<impl WideMesh>) -> bool {
        let [a, b, c] = self.corners(triangle);
        let normal = self.topology.normal(triangle);
        let size = scaling::length(b - a).max(scaling::length(c - a));
        [40, 30, 20, 10].into_iter().any(|bits| {
            let depth = size / (1_u64 << bits) as f64;
            let p = (a + b + c) / 3.0 - normal * depth;
            solid_placement_of(other, p, ()) == Some(Placement::Inside)
                && solid_placement_of(self.shape, p, ()) == Some(Placement::Inside)
        })
    }
}

/// Connected components of the vertices.
struct Components {
    parents: Vec<u32>,
    is_visited: Vec<bool>,
}

impl Components {
    fn new(topology: &MeshTopology) -> Components {
        let n = topology.n_vertices();
        let mut components = Components { parents: (0..n as u32).collect(), is_visited: vec![false; n] };
        for triangle in 0..topology.n_triangles() as u32 {
            let [p, q, r] = topology.vertices(triangle);
            for (p, q) in [(p, q), (q, r)] {
                let (p, q) = (components.root(p), components.root(q));
                components.parents[p.max(q) as usize] = p.min(q);
            }
        }
        components
    }

    fn root(&mut self, mut vertex: u32) -> u32 {
        while self.parents[vertex as usize] != vertex {
            let above = self.parents[self.parents[vertex as usize] as usize];
            self.parents[vertex as usize] = above;
            vertex = above;
        }
        vertex
    }

    /// Returns the positions of the vertices of each component.
    fn in_order(mut self, topology: &MeshTopology) -> Vec<Vec<DVec3>> {
        let mut lists = vec![Vec::new(); self.parents.len()];
        for vertex in 0..self.parents.len() as u32 {
            lists[self.root(vertex) as usize].push(topology.position(vertex));
        }
        lists.retain(|list| !list.is_empty());
        lists
    }

    /// Whether this is the first vertex of its component.
    fn is_new(&mut self, vertex: u32) -> bool {
        let root = self.root(vertex) as usize;
        !core::mem::replace(&mut self.is_visited[root], true)
    }
}

struct SolidPair<'a, M> {
    a: Side<'a, M>,
    b: Side<'a, M>,
}

impl<M: WideMesh> SolidPair<'_, M> {
    /// Whether two triangles that meet prove that the interiors intersect beside them.
    fn shows_overlap(&self, triangle_a: u32, triangle_b: u32) -> bool {
        let (a, b) = (self.a.corners(triangle_a), self.b.corners(triangle_b));
        match intersection(&a, &b) {
            Intersection::Segment(_) => {}
            Intersection::Polygon { .. } => {
                let face = |axis: usize, t: &[DVec3; 3]| orient2d_along(axis, t[0], t[1], t[2]);
                return (0..3).any(|axis| {
                    let (of_a, of_b) = (face(axis, &a), face(axis, &b));
                    (0.0 < of_a && 0.0 < of_b) || (of_a < 0.0 && of_b < 0.0)
                });
            }
            _ => return false,
        }
        // The edges on the common line: those in the plane of the other triangle; if both are in
        // one plane, those on a line.
        let heights =
            |plane: &[DVec3; 3], t: &[DVec3; 3]| t.map(|p| orient3d(plane[0], plane[1], plane[2], p));
        let (of_a, of_b) = (heights(&b, &a), heights(&a, &b));
        let edges = if of_a == [0.0; 3] {
            let pairs = (0..9).map(|i| (i / 3, i % 3));
            let mut pairs = pairs.filter(|&(i, j)| share_a_line(&a, i, &b, j));
            let Some((i, j)) = pairs.next() else { return false };
            (Some(i), Some(j))
        } else {
            let flat = |h: [f64; 3]| (0..3).find(|&i| h[i] == 0.0 && h[(i + 1) % 3] == 0.0);
            (flat(of_a), flat(of_b))
        };
        match edges {
            // Two faces cross, so all four quadrants exist.
            (None, None) => true,
            (Some(i), None) => self.a.wedge(triangle_a, i).is_some_and(|w| w.reaches_below(&b)),
            (None, Some(j)) => self.b.wedge(triangle_b, j).is_some_and(|w| w.reaches_below(&a)),
            (Some(i), Some(j)) => match (self.a.wedge(triangle_a, i), self.b.wedge(triangle_b, j)) {
                (Some(w), Some(v)) => w.overlaps(&v),
                _ => false,
            },
        }
    }
}

/// Whether two edges overlap along a line.
fn share_a_line(a: &[DVec3; 3], i: usize, b: &[DVec3; 3], j: usize) -> bool {
    let ([p, q], [r, s]) = ([a[i], a[(i + 1) % 3]], [b[j], b[(j + 1) % 3]]);
    let is_on = |r: DVec3| (0..3).all(|axis| orient2d_along(axis, p, q, r) == 0.0);
    let (low, high) = (p.min(q).max(r.min(s)), p.max(q).min(r.max(s)));
    is_on(r) && is_on(s) && low.cmplt(high).any()
}

impl Wedge {
    /// Whether a part of the wedge lies below the plane of a triangle with area that contains its
    /// edge.
    fn reaches_below(&self, t: &[DVec3; 3]) -> bool {
        // Positive below.
        let side = |p: DVec3| orient3d(t[0], t[1], t[2], p);
        if 0.0 < side(self.apex) || 0.0 < side(self.beyond) {
            return true;
        }
        // Both faces are above. The part below is inside if the wedge is concave.
        let [p, q] = self.edge;
        orient3d(p, q, self.apex, self.beyond) < 0.0
    }

    /// Whether two wedges at edges of one line overlap.
    fn overlaps(&self, other: &Wedge) -> bool {
        let [p, q] = self.edge;
        let offset = q - p;
        let [r, s] = other.edge;
        let is_same_direction = 0.0 < offset.dot(s - r);
        let line = Line { p, q };
        // The inside of a wedge is an arc from the outside of one face to that of the other.
        let own = [self.beyond, self.apex];
        let others = if is_same_direction { [other.beyond, other.apex] } else { [other.apex, other.beyond] };
        let is_thin = |arc: [DVec3; 2]| line.angle(arc[0], arc[1]) == Angle::Zero;
        if is_thin(own) || is_thin(others) {
            // Two coincident faces enclose nothing or everything. Other triangles decide.
            return false;
        }
        line.is_in_arc(others[0], own) || line.is_in_arc(own[0], others)
    }
}

/// The angle between two half-planes about a line, classified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Angle {
    Zero,
    BelowHalf,
    Half,
    AboveHalf,
}

/// The axis of half-planes; each half-plane is given by one of its points.
#[derive(Clone, Copy)]
struct Line {
    p: DVec3,
    q: DVec3,
}

impl Line {
    /// Returns the angle from one half-plane to another, counter-clockwise if seen against the
    /// direction of the line.
    fn angle(self, from: DVec3, to: DVec3) -> Angle {
        let Line { p, q } = self;
        let side = orient3d(p, q, from, to);
        if side < 0.0 {
            return Angle::BelowHalf;
        }
        if 0.0 < side {
            return Angle::AboveHalf;
        }
        let is_same_side = (0..3).any(|axis| {
            let (u, v) = (orient2d_along(axis, p, q, from), orient2d_along(axis, p, q, to));
            (0.0 < u && 0.0 < v) || (u < 0.0 && v < 0.0)
        });
        if is_same_side { Angle::Zero } else { Angle::Half }
    }

    /// Whether a half-plane is in an arc, including its start, excluding its end.
    fn is_in_arc(self, at: DVec3, [start, end]: [DVec3; 2]) -> bool {
        let (of_at, of_end) = (self.angle(start, at), self.angle(start, end));
        if of_at != of_end {
            return of_at < of_end;
        }
        // Both are in the same half turn, so they are compared directly.
        matches!(of_at, Angle::BelowHalf | Angle::AboveHalf) && self.angle(at, end) == Angle::BelowHalf
    }
}
