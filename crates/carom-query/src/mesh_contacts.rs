//! Contacts of two meshes: pairs of features that face each other.
//!
//! | features | normal |
//! |---|---|
//! | a corner and a face | that of the face |
//! | two edges that cross | perpendicular to both |
//! | a corner and an edge or a corner, only while apart | the line between the two |
//!
//! The normal must lie in the normal cones of both features. That is, all edges of a corner, and
//! both faces of an edge, lie behind the plane perpendicular to the normal. So a contact pushes
//! away from the surface as a whole, not along it. The cones have a slack angle, so that a face
//! slightly tilted against another one keeps its corners as contacts. Edges inside a flat face are
//! not features. The cones also give the sign of the distance; a negative one is the depth.
//!
//! A feature that is deep along a normal may belong to the far side of a thin body. Let d be the
//! depth. The way out along the opposite normal is the sum of both thicknesses there, less d. So a
//! depth counts only if 2 d is at most that sum. Rays through the bodies give the thicknesses. If d
//! exceeds the prediction, it must also be at most each thickness: all between the two features is
//! then inside both bodies.
//!
//! A mesh that bounds a solid has one side, the outside. Any other mesh has two: the normal is on
//! the side of the other body's corner. The thickness of such a mesh is 0 against a solid. Against
//! another such mesh it is the width of its triangle.
//!
//! Reference: B. Mirtich, V-Clip: Fast and Robust Polyhedral Collision Detection, ACM TOG 17(3),
//! 1998; K. Erleben, Methodology for Assessing Mesh-Based Contact Point Methods, ACM TOG 37(3),
//! 2018; C. Ericson, Real-Time Collision Detection, 2005, 9.5 (features and their regions).
//! Differs: the cones have slack, so that a body at rest keeps its corners; the rule of the shorter
//! way out.

use crate::mesh_shape::MeshShape;
use crate::workspace::{Facing, MeshContact};
use alloc::vec::Vec;
use carom_geom::mesh_topology::{EdgeKind, MeshTopology, height_of};
use carom_geom::ray_mesh::line_touches;
use carom_geom::{FeatureId, WideMesh};
use carom_math::ops::sqrt;
use carom_math::{WidePose, tol};
use core::ops::ControlFlow;
use glam::DVec3;

/// Rays that measure a thickness start this far inside the triangles at a feature, as a fraction
/// of their size. So they do not run in the planes of the triangles.
const INSIDE: f64 = 0.05;

/// The offset is also at most this fraction of the depth. So the start stays inside a body that is
/// thicker.
const INSIDE_DEPTH: f64 = 0.0625;

/// Two meshes and the contacts found so far.
pub(crate) struct Facings<'a, M> {
    bodies: [Surface<'a, M>; 2],
    b_in_a: &'a WidePose,
    limit: f64,
    out: &'a mut Vec<MeshContact>,
}

struct Surface<'a, M> {
    shape: &'a MeshShape<M>,
    topology: &'a MeshTopology,
    is_solid: bool,
}

/// One triangle, in the frame of A.
#[derive(Clone, Copy)]
pub(crate) struct Face {
    triangle: u32,
    corners: [DVec3; 3],
    /// The normal of its facet.
    normal: DVec3,
}

impl<M> Clone for Surface<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Surface<'_, M> {}

impl<'a, M: WideMesh> Facings<'a, M> {
    /// Writes contacts up to this distance to `out`, unsorted and with duplicates.
    pub(crate) fn new(
        a: &'a MeshShape<M>,
        b: &'a MeshShape<M>,
        b_in_a: &'a WidePose,
        limit: f64,
        out: &'a mut Vec<MeshContact>,
    ) -> Facings<'a, M> {
        let surface = |shape: &'a MeshShape<M>| Surface {
            shape,
            topology: shape.topology(),
            is_solid: shape.is_solid(),
        };
        Facings { bodies: [surface(a), surface(b)], b_in_a, limit, out }
    }

    /// Returns a triangle of A (0) or of B (1); `None` without area.
    pub(crate) fn face(&self, body: usize, triangle: u32) -> Option<Face> {
        let Surface { shape, topology, .. } = self.bodies[body];
        let normal = topology.normal(triangle);
        if normal == DVec3::ZERO {
            return None;
        }
        let corners = shape.mesh().corners(triangle);
        if body == 0 {
            return Some(Face { triangle, corners, normal });
        }
        let corners = corners.map(|p| self.b_in_a.transform_point(p));
        Some(Face { triangle, corners, normal: self.b_in_a.transform_vector(normal) })
    }

    /// Tests all features of two triangles that are near each other.
    pub(crate) fn test_faces(&mut self, a: &Face, b: &Face) {
        let faces = [a, b];
        for body in 0..2 {
            let (own, other) = (faces[body], faces[1 - body]);
            let vertices = self.bodies[body].topology.vertices(own.triangle);
            for (corner, vertex) in vertices.into_iter().enumerate() {
                if self.bodies[body].topology.is_feature(vertex) {
                    self.corner_over_face(body, own, corner, vertex, other);
                    self.corner_near_edges(body, own, corner, vertex, other);
                }
            }
        }
        for edge_a in 0..3 {
            if !self.stands_out(0, a, edge_a) {
                continue;
            }
            for edge_b in 0..3 {
                if self.stands_out(1, b, edge_b) {
                    self.edges(a, edge_a, b, edge_b);
                }
            }
        }
    }

    /// Whether another body can touch the edge itself from outside, not only its faces.
    fn stands_out(&self, body: usize, face: &Face, edge: usize) -> bool {
        let Surface { topology, is_solid, .. } = self.bodies[body];
        match topology.kinds(face.triangle)[edge] {
            EdgeKind::Open | EdgeKind::Convex => true,
            EdgeKind::Flat => false,
            EdgeKind::Concave => !is_solid,
        }
    }

    /// Transforms a vector of A's frame to the frame of one of the two.
    fn own_vector(&self, body: usize, v: DVec3) -> DVec3 {
        if body == 0 { v } else { self.b_in_a.inverse_transform_vector(v) }
    }

    fn own_point(&self, body: usize, p: DVec3) -> DVec3 {
        if body == 0 { p } else { self.b_in_a.inverse_transform_point(p) }
    }

    fn corner_over_face(&mut self, body: usize, own: &Face, corner: usize, vertex: u32, face: &Face) {
        let other = 1 - body;
        let position = own.corners[corner];
        let height = face.normal.dot(position - face.corners[0]);
        let sides: &[f64] = if self.bodies[other].is_solid { &[1.0] } else { &[1.0, -1.0] };
        let topology = self.bodies[body].topology;
        for &side in sides {
            let distance = height * side;
            // Within the limit, the first triangle of the corner finds this contact too.
            let is_owned_elsewhere = distance.abs() <= self.limit && topology.owner(vertex) != own.triangle;
            if !(distance <= self.limit) || is_owned_elsewhere {
                continue;
            }
            let Some(is_beyond) = self.is_over(other, face, position, distance, side) else { continue };
            let out = face.normal * -side;
            let own_out = self.own_vector(body, out);
            if !self.is_extreme(body, vertex, own_out, tol::FEATURE_SINE) {
                continue;
            }
            let on_face = position + out * distance;
            if distance < 0.0 {
                let inside = self.inside_corner(body, vertex, -distance);
                let of_face = self.own_point(other, on_face);
                let corners = self.bodies[other].shape.mesh().corners(face.triangle);
                let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
                let within = of_face + (middle - of_face) * INSIDE;
                let facet = self.bodies[other].topology.facet(face.triangle);
                let no_facet = u32::MAX;
                let starts = [(inside, no_facet, own.triangle), (within, facet, face.triangle)];
                if !self.leads_out(body, out, -distance, &starts) {
                    continue;
                }
            }
            let facet = self.bodies[other].topology.facet(face.triangle);
            let facing = if body == 0 { Facing::CornerOfA } else { Facing::CornerOfB };
            let (own_id, face_id) = (FeatureId::vertex(vertex), FeatureId::face(facet));
            let owner = topology.owner(vertex);
            let is_strict = self.is_extreme(body, vertex, own_out, tol::DIRECTION_KNOWN);
            self.push(
                body,
                [position, on_face],
                out,
                distance,
                [owner, face.triangle],
                [own_id, face_id],
                facing,
                [is_beyond, is_strict],
            );
        }
    }

    /// Returns `Some` if a point is over a face, or over its extension beyond edges that bend up.
    /// The value says whether the point is over the extension.
    fn is_over(&self, body: usize, face: &Face, position: DVec3, distance: f64, side: f64) -> Option<bool> {
        let kinds = self.bodies[body].topology.kinds(face.triangle);
        let mut is_beyond = false;
        for (k, kind) in kinds.into_iter().enumerate() {
            let start = face.corners[k];
            let along = face.corners[(k + 1) % 3] - start;
            let beyond = along.cross(face.normal).dot(position - start);
            let length_sq = along.length_squared();
            if beyond <= tol::OVER_FACE * length_sq {
                continue;
            }
            let bends_up = kind == if 0.0 < side { EdgeKind::Concave } else { EdgeKind::Convex };
            // A corner that has sunk into a fold may be under neither of its sides. Such a corner
            // counts up to twice its depth beyond the edge: enough for folds blunter than 53
            // degrees.
            let sunk = 2.0 * distance;
            if !(distance < 0.0 && bends_up && beyond * beyond <= sunk * sunk * length_sq) {
                return None;
            }
            is_beyond = true;
        }
        Some(is_beyond)
    }

    /// Whether all edges of the corner lie behind the plane perpendicular to `out`, or in it.
    /// `out` is in the body's own frame.
    fn is_extreme(&self, body: usize, vertex: u32, out: DVec3, sine: f64) -> bool {
        let Surface { topology, is_solid, .. } = self.bodies[body];
        let position = topology.position(vertex);
        let mut is_flat = true;
        for &end in topology.ring(vertex) {
            let edge = topology.position(end) - position;
            let rise = edge.dot(out);
            let is_level = rise * rise <= sine * sine * edge.length_squared();
            if 0.0 < rise && !is_level {
                return false;
            }
            is_flat = is_flat && is_level;
        }
        // The edges of a nearly flat corner do not give the outer side.
        !(is_solid && is_flat) || 0.0 < topology.vertex_normal(vertex).dot(out)
    }

    /// Whether both faces of an edge lie behind the plane perpendicular to `out`, or in it. `out`
    /// is in the body's own frame.
    fn is_ridge(&self, body: usize, face: &Face, edge: usize, out: DVec3, sine: f64) -> bool {
        let Surface { topology, is_solid, .. } = self.bodies[body];
        let (_, wings, normal) = topology.wings(face.triangle, edge);
        wings[0].dot(out) <= sine && wings[1].dot(out) <= sine && (!is_solid || 0.0 <= normal.dot(out))
    }

    fn edges(&mut self, a: &Face, edge_a: usize, b: &Face, edge_b: usize) {
        let (p, q) = (a.corners[edge_a], b.corners[edge_b]);
        let (u, v) = (a.corners[(edge_a + 1) % 3] - p, b.corners[(edge_b + 1) % 3] - q);
        let (uu, vv) = (u.length_squared(), v.length_squared());
        let r = q - p;
        let across = u.cross(v);
        let across_sq = across.length_squared();
        // Parallel edges touch along a segment, and its ends are corners over faces.
        if !(tol::PARALLEL_EDGES_SQ * uu * vv < across_sq) {
            return;
        }
        let ends = -tol::OVER_FACE..=1.0 + tol::OVER_FACE;
        let (s, t) = (r.cross(v).dot(across) / across_sq, r.cross(u).dot(across) / across_sq);
        if !ends.contains(&s) || !ends.contains(&t) {
            return;
        }
        let normal = across / sqrt(across_sq);
        let apart = normal.dot(r);
        let (of_a, of_b) = (self.bodies[0].topology, self.bodies[1].topology);
        let is_owner = of_a.is_owner(a.triangle, edge_a) && of_b.is_owner(b.triangle, edge_b);
        if apart.abs() <= self.limit && !is_owner {
            return;
        }
        for side in [1.0, -1.0] {
            let (out, distance) = (normal * side, apart * side);
            let are_ridges = |sine: f64| {
                self.is_ridge(0, a, edge_a, out, sine)
                    && self.is_ridge(1, b, edge_b, self.own_vector(1, -out), sine)
            };
            if !(distance <= self.limit) || !are_ridges(tol::FEATURE_SINE) {
                continue;
            }
            let is_strict = are_ridges(tol::DIRECTION_KNOWN);
            let points = [p + u * s, q + v * t];
            if distance < 0.0 {
                let inside = |body: usize, face: &Face, edge: usize, point: DVec3| {
                    let topology = self.bodies[body].topology;
                    let (_, wings, _) = topology.wings(face.triangle, edge);
                    let step = (INSIDE * height_of(&face.corners)).min(-INSIDE_DEPTH * distance);
                    self.own_point(body, point) + (wings[0] + wings[1]) * step
                };
                let starts = [
                    (inside(0, a, edge_a, points[0]), u32::MAX, a.triangle),
                    (inside(1, b, edge_b, points[1]), u32::MAX, b.triangle),
                ];
                if !self.leads_out(0, out, -distance, &starts) {
                    continue;
                }
            }
            let id = |topology: &MeshTopology, triangle: u32, edge: usize| {
                let beyond = topology.neighbours(triangle)[edge];
                if topology.is_owner(triangle, edge) {
                    return (triangle, FeatureId::edge(3 * triangle + edge as u32));
                }
                let there = topology.neighbours(beyond).iter().position(|&t| t == triangle).unwrap_or(0);
                (beyond, FeatureId::edge(3 * beyond + there as u32))
            };
            let (a, b) = (id(of_a, a.triangle, edge_a), id(of_b, b.triangle, edge_b));
            self.push(0, points, out, distance, [a.0, b.0], [a.1, b.1], Facing::Edges, [false, is_strict]);
        }
    }

    /// Tests a corner against the edges and corners of a triangle, for the case that these are
    /// nearest.
    fn corner_near_edges(&mut self, body: usize, own: &Face, corner: usize, vertex: u32, face: &Face) {
        let (other, position) = (1 - body, own.corners[corner]);
        let (topology, theirs) = (self.bodies[body].topology, self.bodies[other].topology);
        if topology.owner(vertex) != own.triangle {
            return;
        }
        let limit_sq = self.limit * self.limit;
        let vertices = theirs.vertices(face.triangle);
        for k in 0..3 {
            let start = face.corners[k];
            let along = face.corners[(k + 1) % 3] - start;
            let (length_sq, offset) = (along.length_squared(), position - start);
            let known_sq = tol::DIRECTION_KNOWN * tol::DIRECTION_KNOWN * length_sq;
            let t = offset.dot(along) / length_sq;
            let is_edge = 0.0 < t && t < 1.0;
            if is_edge && (!theirs.is_owner(face.triangle, k) || !self.stands_out(other, face, k)) {
                continue;
            }
            // Each corner of the face is the first of one edge. A pair of corners is tested once.
            let is_corner = t <= 0.0
                && body == 0
                && theirs.is_feature(vertices[k])
                && theirs.owner(vertices[k]) == face.triangle;
            if !is_edge && !is_corner {
                continue;
            }
            let nearest = if is_edge { start + along * t } else { start };
            let gap = nearest - position;
            let gap_sq = gap.length_squared();
            if !(gap_sq <= limit_sq && known_sq < gap_sq) {
                continue;
            }
            let distance = sqrt(gap_sq);
            let out = gap / distance;
            let back = self.own_vector(other, -out);
            // If an adjacent feature is nearer, this one is not the nearest.
            let is_nearest = if is_edge {
                self.is_ridge(other, face, k, back, tol::DIRECTION_KNOWN)
            } else {
                self.is_extreme(other, vertices[k], back, tol::DIRECTION_KNOWN)
            };
            let sine = if is_edge { tol::FEATURE_SINE } else { tol::DIRECTION_KNOWN };
            if !is_nearest || !self.is_extreme(body, vertex, self.own_vector(body, out), sine) {
                continue;
            }
            let id = if is_edge {
                FeatureId::edge(3 * face.triangle + k as u32)
            } else {
                FeatureId::vertex(vertices[k])
            };
            let ids = [FeatureId::vertex(vertex), id];
            let parts = [own.triangle, face.triangle];
            self.push(body, [position, nearest], out, distance, parts, ids, Facing::Apart, [false, true]);
        }
    }

    /// Returns a point slightly inside the corner, among its triangles, in the body's own frame.
    fn inside_corner(&self, body: usize, vertex: u32, depth: f64) -> DVec3 {
        let topology = self.bodies[body].topology;
        let (position, ring) = (topology.position(vertex), topology.ring(vertex));
        let sum = ring.iter().fold(DVec3::ZERO, |sum, &end| sum + (topology.position(end) - position));
        let mean = sum / ring.len().max(1) as f64;
        let most = INSIDE_DEPTH * depth;
        let length = mean.length();
        position + mean * if INSIDE * length <= most { INSIDE } else { most / length }
    }

    /// Whether the way out along a normal is no longer than along the opposite one, and leads
    /// through both bodies. `out` points from the first body to the second. Each start is in the
    /// frame of its own body, with the facet that contains the start and the nearest triangle.
    fn leads_out(&self, first: usize, out: DVec3, depth: f64, starts: &[(DVec3, u32, u32); 2]) -> bool {
        let is_soft = !self.bodies[0].is_solid && !self.bodies[1].is_solid;
        let mut missing = 2.0 * depth;
        for (i, &(start, facet, triangle)) in starts.iter().enumerate() {
            let body = if i == 0 { first } else { 1 - first };
            let Surface { shape, topology, is_solid } = self.bodies[body];
            let direction = self.own_vector(body, if i == 0 { -out } else { out });
            let thickness = if is_solid {
                thickness(shape, topology, start, direction, 2.0 * depth, facet)
            } else if is_soft {
                height_of(&shape.mesh().corners(triangle))
            } else {
                0.0
            };
            if is_solid && self.limit < depth && thickness < depth {
                return false;
            }
            missing -= thickness;
        }
        missing <= 0.0
    }

    /// Appends a contact. Points and parts are those of `first`, then those of the other; `out`
    /// points from the first to the other.
    fn push(
        &mut self,
        first: usize,
        points: [DVec3; 2],
        out: DVec3,
        distance: f64,
        parts: [u32; 2],
        features: [FeatureId; 2],
        facing: Facing,
        [is_beyond, is_strict]: [bool; 2],
    ) {
        let (a, b) = (first, 1 - first);
        self.out.push(MeshContact {
            normal: if first == 0 { out } else { -out },
            point_a: points[a],
            point_b: points[b],
            distance,
            part_a: parts[a],
            part_b: parts[b],
            feature_a: features[a],
            feature_b: features[b],
            facing,
            is_beyond,
            is_strict,
        });
    }
}

/// Returns the thickness of a solid from an inner point along a unit vector, at most `most`. 0 if
/// the point is outside. Everything is in the mesh's frame. The triangles of one facet are ignored.
fn thickness(
    shape: &MeshShape<impl WideMesh>,
    topology: &MeshTopology,
    start: DVec3,
    direction: DVec3,
    most: f64,
    facet: u32,
) -> f64 {
    let scale = shape.scale();
    let (mut nearest, mut leaves) = (most, true);
    shape.tree().visit_ray(start * scale, direction, 0.0, most * scale, |leaf, _| {
        for &triangle in leaf.primitives {
            if topology.facet(triangle) == facet {
                continue;
            }
            if let Some(hit) = line_touches(start, direction, &shape.mesh().corners(triangle))
                && 0.0 < hit.t
                && hit.t < nearest
            {
                (nearest, leaves) = (hit.t, hit.is_back_face);
            }
        }
        ControlFlow::Continue(nearest * scale)
    });
    if leaves { nearest } else { 0.0 }
}
