//! Depth of meshes by rays: every vertex of one body inside the other casts a ray inwards, and
//! where that leaves the other body is where the vertex should be.
//!
//! Vertices in the box of the other body ask along their inward normals against that body only. A
//! ray that first meets the other body from behind started inside of it: vertex and place are a
//! pair, with a contact and a penalty as long as the way between them. A ray that would leave its
//! own body before that says nothing about the overlap, and is dropped. The temporal variant starts
//! at the triangles of the last frame, before and behind the vertex, and walks to those on the ray
//! now; it asks no tree, and a vertex that it cannot follow asks in full.
//!
//! Reference: E. Hermann, F. Faure, B. Raffin, Ray-traced Collision Detection for Deformable
//! Bodies, GRAPP 2008; F. Lehericey, V. Gouranton, B. Arnaldi, New Iterative Ray-Traced Collision
//! Detection Algorithm for GPU Architectures, VRST 2013; vertex normals by angles: J. A.
//! Baerentzen, H. Aanaes, Signed Distance Computation Using the Angle Weighted Pseudonormal, 2005.
//! Differs: the surface behind the vertex is followed too, so that one that comes free is noticed
//! at once.

use super::super::num::geom::Contact;
use super::super::num::{Pose, Vec3, narrow, narrow_real, widen};
use super::mesh_shape::MeshShape;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_bvh::Leaf;
use carom_geom::line_lanes::BlockLine;
use carom_geom::ray_mesh::line_touches;
use carom_math::{ops, scaling};
use core::ops::ControlFlow;
use glam::DVec3;

/// No triangle, no vertex.
const NONE: u32 = u32::MAX;

/// The most triangles on the way from last frame's to this frame's; farther, and the tree is as
/// fast.
const MOST_STEPS: u32 = 16;

/// A mesh whose vertices can cast rays: with the normals of the vertices, and the neighbours of the
/// triangles. Built once for each mesh.
#[derive(Clone, Debug)]
pub struct RayMesh {
    mesh: Arc<MeshShape>,
    /// Outward, of length 1; zero for a vertex without a triangle that has an area.
    normals: Vec<DVec3>,
    /// Across the edge from corner k to the next one.
    neighbours: Vec<[u32; 3]>,
}

impl RayMesh {
    /// Of a mesh whose triangles face outwards. Vertices are what their numbers say: of two at one
    /// place each sees its own triangles.
    pub fn new(mesh: Arc<MeshShape>) -> RayMesh {
        let triangles = mesh.mesh();
        let mut normals = vec![DVec3::ZERO; triangles.vertices().len()];
        let mut edges = Vec::with_capacity(3 * triangles.n_triangles());
        for (number, indices) in triangles.indices().iter().enumerate() {
            let corners = triangles.corners(number as u32);
            let [a, b, c] = corners;
            let normal = scaling::unit((b - a).cross(c - a)).unwrap_or(DVec3::ZERO);
            for k in 0..3 {
                let [at, to, from] = [corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]];
                let (u, v) = (to - at, from - at);
                let angle = ops::atan2(scaling::length(u.cross(v)), u.dot(v));
                normals[indices[k] as usize] += normal * angle;
                let (i, j) = (indices[k], indices[(k + 1) % 3]);
                edges.push(([i.min(j), i.max(j)], number as u32, k));
            }
        }
        for normal in &mut normals {
            *normal = scaling::unit(*normal).unwrap_or(DVec3::ZERO);
        }
        edges.sort_unstable();
        let mut neighbours = vec![[NONE; 3]; triangles.n_triangles()];
        for pair in edges.windows(2) {
            let [(edge, triangle, k), (twin, other, l)] = [pair[0], pair[1]];
            if edge == twin {
                neighbours[triangle as usize][k] = other;
                neighbours[other as usize][l] = triangle;
            }
        }
        RayMesh { mesh, normals, neighbours }
    }

    /// The mesh.
    pub fn mesh(&self) -> &Arc<MeshShape> {
        &self.mesh
    }

    /// The outward normal of a vertex, of length 1 or zero, in the mesh's frame.
    pub fn vertex_normal(&self, vertex: u32) -> Option<Vec3> {
        self.normals.get(vertex as usize).map(|n| narrow(*n))
    }
}

/// A vertex of one body in the other, and where its ray leaves that one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RayContact {
    /// World frame; the distance is minus the way from the vertex to the place, the normal along
    /// it, from A to B. The part of the body whose vertex it is is one of the vertex's triangles,
    /// that of the other body the triangle where the ray leaves it.
    pub contact: Contact,
    /// The vertex is one of A; else of B.
    pub is_vertex_of_a: bool,
    /// Its number.
    pub vertex: u32,
}

impl RayContact {
    /// The way that B has to go, and A the other way, for this vertex to come free: a penalty force
    /// is a stiffness times this. World frame, a length.
    pub fn penalty(&self) -> Vec3 {
        self.contact.normal * -self.contact.distance
    }
}

/// How [`ray_depth`] asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RayDepthSettings {
    /// A vertex asks in full in one query of so many, the vertices in turn; between, it follows the
    /// surface from the triangles of the last query. 1: always in full, and the answer does not
    /// depend on the queries before. More: a part of the surface that came between, or the vertex's
    /// own body, is noticed so many queries later at most.
    pub full_every: u32,
}

impl RayDepthSettings {
    /// In full in one query of so many; 0 counts as 1.
    #[must_use]
    pub const fn with_full_every(mut self, full_every: u32) -> RayDepthSettings {
        self.full_every = full_every;
        self
    }
}

impl Default for RayDepthSettings {
    fn default() -> RayDepthSettings {
        RayDepthSettings { full_every: 1 }
    }
}

/// What the queries on one pair of meshes did last; keep one for each pair.
#[derive(Clone, Debug, Default)]
pub struct RayDepthCache {
    /// For each vertex of A, and of B, the triangles of the other body on its line: where it
    /// leaves, and where it came in.
    last: [Vec<[u32; 2]>; 2],
    /// For each vertex the last query that asked about it.
    asked: [Vec<u32>; 2],
    query: u32,
    counters: RayDepthCounters,
}

/// What a query did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RayDepthCounters {
    /// Rays, one for each vertex in the box of the other mesh.
    pub rays: u32,
    /// Those that were answered by walking from the triangles of the last query.
    pub walked: u32,
    /// Nodes of the trees that were opened.
    pub nodes: u64,
}

impl RayDepthCache {
    /// What the last query did.
    pub fn counters(&self) -> RayDepthCounters {
        self.counters
    }

    /// Forgets the triangles of the last query.
    pub fn clear(&mut self) {
        self.last.iter_mut().for_each(|last| last.fill([NONE; 2]));
    }
}

/// Appends a contact for every vertex of one mesh inside the other whose ray along the inward
/// normal leaves the other before its own body: A's vertices by number, then B's. World frame.
///
/// The depths are local, and for bodies that overlap little: the deepest vertex, and what a force
/// that pushes all vertices out needs. For the least translation of convex bodies see
/// [`contact`](super::contact).
///
/// Allocates nothing once the cache has grown, but for what `out` takes.
pub fn ray_depth(
    a: &RayMesh,
    pose_a: &Pose,
    b: &RayMesh,
    pose_b: &Pose,
    settings: &RayDepthSettings,
    cache: &mut RayDepthCache,
    out: &mut Vec<RayContact>,
) {
    let (place_a, place_b) = (pose_a.wide(), pose_b.wide());
    let b_in_a = place_b.relative_to(&place_a);
    let a_in_b = b_in_a.inverse();
    cache.query = cache.query.wrapping_add(1);
    cache.counters = RayDepthCounters::default();
    let (query, full_every) = (cache.query, settings.full_every);
    for (k, (own, other, other_in_own, place)) in
        [(a, b, &b_in_a, &place_a), (b, a, &a_in_b, &place_b)].into_iter().enumerate()
    {
        let first = out.len();
        let n = own.normals.len();
        if cache.last[k].len() != n {
            // Another mesh than last time.
            cache.last[k].clear();
            cache.last[k].resize(n, [NONE; 2]);
            cache.asked[k].clear();
            cache.asked[k].resize(n, query.wrapping_sub(1));
        }
        let (last, asked, counters) = (&mut cache.last[k], &mut cache.asked[k], &mut cache.counters);
        let region = other.mesh.placed_box(other_in_own);
        // The region is around the turned box of the other mesh; what is outside of that box itself
        // is not in the mesh.
        let bounds = other.mesh.placed_box(&Pose::IDENTITY.wide());
        let visit = own.mesh.tree().visit_box(&own.mesh.in_tree(&region), |leaf| {
            for &triangle in leaf.primitives {
                let numbers = own.mesh.mesh().indices()[triangle as usize];
                for vertex in numbers {
                    let is_new = core::mem::replace(&mut asked[vertex as usize], query) != query;
                    let start = widen(own.mesh.mesh().vertices()[vertex as usize]);
                    if !(is_new && is_in(&region, start)) {
                        continue;
                    }
                    let inward = -own.normals[vertex as usize];
                    if inward == DVec3::ZERO {
                        continue;
                    }
                    let origin = other_in_own.inverse_transform_point(start);
                    if !is_in(&bounds, origin) {
                        continue;
                    }
                    counters.rays += 1;
                    let line = [origin, other_in_own.inverse_transform_vector(inward)];
                    let last = &mut last[vertex as usize];
                    // Vertices ask in full in turn.
                    let is_full = full_every <= 1 || query.wrapping_add(vertex).is_multiple_of(full_every);
                    let mut found = if is_full { None } else { follow(other, last, line) };
                    if found.is_some() {
                        counters.walked += 1;
                    } else {
                        found = cast(own, other, start, inward, line, counters);
                        let came_in = if 1 < full_every && found.is_some() {
                            let back = first_on(other, [line[0], -line[1]], counters);
                            back.map_or(NONE, |(_, triangle, _)| triangle)
                        } else {
                            NONE
                        };
                        *last = [found.map_or(NONE, |(_, triangle)| triangle), came_in];
                    }
                    let Some((t, left_by)) = found else { continue };
                    let (point, end) =
                        (place.transform_point(start), place.transform_point(start + inward * t));
                    let along = place.transform_vector(inward);
                    // From A to B: A's vertex is beyond the place where it should be.
                    let contact = if k == 0 {
                        Contact::new(narrow(point), narrow(end), narrow(-along), narrow_real(-t))
                            .with_parts(triangle, left_by)
                    } else {
                        Contact::new(narrow(end), narrow(point), narrow(along), narrow_real(-t))
                            .with_parts(left_by, triangle)
                    };
                    out.push(RayContact { contact, is_vertex_of_a: k == 0, vertex });
                }
            }
            ControlFlow::Continue(())
        });
        counters.nodes += visit.counters.nodes;
        out[first..].sort_unstable_by_key(|contact| contact.vertex);
    }
}

/// The point is in the box.
fn is_in(aabb: &Aabb, p: DVec3) -> bool {
    (aabb.min.as_dvec3().cmple(p) & p.cmple(aabb.max.as_dvec3())).all()
}

/// The triangles of a leaf that a line may touch, eight tested at once. It misses the others for
/// certain.
fn may_touch<'a>(mesh: &'a MeshShape, leaf: &Leaf<'_>, line: &BlockLine) -> impl Iterator<Item = u32> + 'a {
    let block = mesh.line_block(leaf.index);
    let mut left = block.map_or(0, |block| block.touched(line).may);
    core::iter::from_fn(move || {
        let lane = (left != 0).then(|| left.trailing_zeros())?;
        left &= left - 1;
        block.map(|block| block.number(lane as usize))
    })
}

/// How far inwards the ray of a vertex leaves the other body, and by which triangle; `None` where
/// it does not start in that body, or leaves its own before.
fn cast(
    own: &RayMesh,
    other: &RayMesh,
    start: DVec3,
    inward: DVec3,
    line: [DVec3; 2],
    counters: &mut RayDepthCounters,
) -> Option<(f64, u32)> {
    // From behind: the vertex is inside.
    let (t, left_by, true) = first_on(other, line, counters)? else { return None };
    let scale = own.mesh.scale();
    let own_line = BlockLine::new(start * scale, inward);
    let visit = own.mesh.tree().visit_ray(start * scale, inward * scale, 0.0, t, |leaf, limit| {
        for triangle in may_touch(&own.mesh, &leaf, &own_line) {
            let corners = own.mesh.mesh().corners(triangle);
            // Its own triangles are where it starts.
            let leaves = !corners.contains(&start)
                && line_touches(start, inward, &corners).is_some_and(|hit| 0.0 < hit.t && hit.t < t);
            if leaves {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(limit)
    });
    counters.nodes += visit.counters.nodes;
    (!visit.stopped).then_some((t, left_by))
}

/// The first triangle ahead on a line: how far, its number, and whether from behind. Of several the
/// one with the lowest number.
fn first_on(
    body: &RayMesh,
    [origin, direction]: [DVec3; 2],
    counters: &mut RayDepthCounters,
) -> Option<(f64, u32, bool)> {
    let scale = body.mesh.scale();
    let mut nearest: Option<(f64, u32, bool)> = None;
    let tree = body.mesh.tree();
    let line = BlockLine::new(origin * scale, direction);
    let visit = tree.visit_ray(origin * scale, direction * scale, 0.0, f64::INFINITY, |leaf, mut limit| {
        for triangle in may_touch(&body.mesh, &leaf, &line) {
            let Some(hit) = line_touches(origin, direction, &body.mesh.mesh().corners(triangle)) else {
                continue;
            };
            let is_nearer = nearest.is_none_or(|(t, number, _)| (hit.t, triangle) < (t, number));
            if 0.0 < hit.t && is_nearer {
                nearest = Some((hit.t, triangle, hit.is_back_face));
                limit = limit.min(hit.t.next_up());
            }
        }
        ControlFlow::Continue(limit)
    });
    counters.nodes += visit.counters.nodes;
    nearest
}

/// The answer of [`cast`] by the triangles of the last query alone: where the line leaves, if the
/// vertex is still between that place and the one where the line came in.
fn follow(body: &RayMesh, last: &mut [u32; 2], line: [DVec3; 2]) -> Option<(f64, u32)> {
    let (left_at, left_by, true) = walk(body, last[0], line)? else { return None };
    let (came_at, came_by, false) = walk(body, last[1], line)? else { return None };
    *last = [left_by, came_by];
    (came_at <= 0.0 && 0.0 < left_at).then_some((left_at, left_by))
}

/// Walks over the surface from a triangle to one that the line passes through.
fn walk(body: &RayMesh, from: u32, [origin, direction]: [DVec3; 2]) -> Option<(f64, u32, bool)> {
    let mut triangle = from;
    for _ in 0..MOST_STEPS {
        let neighbours = *body.neighbours.get(triangle as usize)?;
        let corners = body.mesh.mesh().corners(triangle);
        if let Some(hit) = line_touches(origin, direction, &corners) {
            return Some((hit.t, triangle, hit.is_back_face));
        }
        // Across the edge that the line passes farthest outside.
        let [a, b, c] = corners.map(|p| p - origin);
        let sides = [a.cross(b), b.cross(c), c.cross(a)].map(|side| side.dot(direction));
        let sum: f64 = sides.iter().sum();
        let mut worst = 0;
        for k in 1..3 {
            if sides[k] * sum < sides[worst] * sum {
                worst = k;
            }
        }
        triangle = neighbours[worst];
    }
    None
}
