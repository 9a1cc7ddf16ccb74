//! Depth of meshes by rays. Every vertex of one body inside the other casts a ray inwards; the exit
//! point from the other body is its contact.
//!
//! 1. Each vertex in the box of the other body casts a ray along its inward normal against that
//!    body.
//! 2. If the first hit is from behind, the vertex is inside. Vertex and hit are a contact, with a
//!    penalty as long as the distance between them.
//! 3. A ray that leaves its own body earlier says nothing about the overlap, and is dropped.
//! 4. The temporal variant starts at the triangles that the last query found, ahead of the vertex
//!    and behind it. From these it walks to the triangles now on the line. It needs no tree. If
//!    the walk fails, the full query runs.
//!
//! Reference: E. Hermann, F. Faure, B. Raffin, Ray-traced Collision Detection for Deformable
//! Bodies, GRAPP 2008; F. Lehericey, V. Gouranton, B. Arnaldi, New Iterative Ray-Traced Collision
//! Detection Algorithm for GPU Architectures, VRST 2013; vertex normals by angles: J. A.
//! Baerentzen, H. Aanaes, Signed Distance Computation Using the Angle Weighted Pseudonormal, 2005.
//! Differs: the surface behind the vertex is tracked too, so a vertex that leaves the body is
//! detected at once.

use crate::mesh_shape::MeshShape;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_bvh::Leaf;
use carom_geom::WideMesh;
use carom_geom::line_lanes::BlockLine;
use carom_geom::ray_mesh::line_touches;
use carom_math::{WidePose, ops, scaling};
use core::ops::ControlFlow;
use glam::DVec3;

/// No triangle or no vertex.
const NONE: u32 = u32::MAX;

/// The most steps of a walk from the triangle of the last query. For a longer walk the tree is as
/// fast.
const MAX_STEPS: u32 = 16;

/// A mesh with vertex normals and adjacency, for casting rays from its vertices. Build it once for
/// each mesh.
#[derive(Clone, Debug)]
pub struct RayMesh<M> {
    mesh: Arc<MeshShape<M>>,
    /// Outward unit normals; zero for a vertex without a triangle that has an area.
    normals: Vec<DVec3>,
    /// The triangle across the edge from corner k to the next one.
    neighbours: Vec<[u32; 3]>,
}

impl<M: WideMesh> RayMesh<M> {
    /// Creates the ray mesh from a mesh whose triangles face outwards. Vertices are distinguished
    /// by index: two at one position have separate normals.
    pub fn new(mesh: Arc<MeshShape<M>>) -> RayMesh<M> {
        let triangles = mesh.mesh();
        let mut normals = vec![DVec3::ZERO; triangles.n_vertices()];
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

    /// Returns the mesh.
    pub fn mesh(&self) -> &Arc<MeshShape<M>> {
        &self.mesh
    }

    /// Returns the outward unit normal of a vertex, or zero, in the mesh's frame.
    pub(crate) fn wide_vertex_normal(&self, vertex: u32) -> Option<DVec3> {
        self.normals.get(vertex as usize).copied()
    }
}

/// Settings of the depth by rays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RayDepthSettings {
    /// Every vertex runs a full query once in this many queries, in rotation. In between it walks
    /// from the triangles of the last query. With 1 all queries are full, and the answer does not
    /// depend on earlier queries. With a larger number, a new surface on the ray, or the vertex's
    /// own body, is detected at most this many queries late. Default: 1.
    pub full_every: u32,
}

impl RayDepthSettings {
    /// Sets how often a vertex runs a full query; 0 counts as 1.
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

/// The state of the last query for one pair of meshes. Keep one for each pair.
#[derive(Clone, Debug, Default)]
pub struct RayDepthCache {
    /// For each vertex of A, and of B, the triangles of the other body on its line: exit and entry.
    last: [Vec<[u32; 2]>; 2],
    /// For each vertex, the index of its last query.
    last_query: [Vec<u32>; 2],
    query: u32,
    counters: RayDepthCounters,
}

/// The cost of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RayDepthCounters {
    /// Rays, one for each vertex in the box of the other mesh.
    pub rays: u32,
    /// Rays that were answered by walking from the triangles of the last query.
    pub walked: u32,
    /// Nodes of the trees that were opened.
    pub nodes: u64,
}

impl RayDepthCache {
    /// Returns the cost of the last query.
    pub fn counters(&self) -> RayDepthCounters {
        self.counters
    }

    /// Clears the triangles of the last query.
    pub fn clear(&mut self) {
        self.last.iter_mut().for_each(|last| last.fill([NONE; 2]));
    }
}

/// A vertex of one body inside the other, and the exit point of its ray. World frame.
pub(crate) struct Exit {
    pub(crate) point_a: DVec3,
    pub(crate) point_b: DVec3,
    /// From A to B.
    pub(crate) normal: DVec3,
    /// Minus the length of the ray.
    pub(crate) distance: f64,
    pub(crate) part_a: u32,
    pub(crate) part_b: u32,
    pub(crate) is_vertex_of_a: bool,
    pub(crate) vertex: u32,
}

/// Calls `out` with the exits of the vertices of one mesh that are inside the other. The inward
/// ray of such a vertex leaves the other mesh before its own. The order is not defined.
pub(crate) fn ray_depth<M: WideMesh>(
    a: &RayMesh<M>,
    pose_a: &WidePose,
    b: &RayMesh<M>,
    pose_b: &WidePose,
    settings: &RayDepthSettings,
    cache: &mut RayDepthCache,
    mut out: impl FnMut(Exit),
) {
    let b_in_a = pose_b.relative_to(pose_a);
    let a_in_b = b_in_a.inverse();
    cache.query = cache.query.wrapping_add(1);
    cache.counters = RayDepthCounters::default();
    let (query, full_every) = (cache.query, settings.full_every);
    for (k, (own, other, other_in_own, pose)) in
        [(a, b, &b_in_a, pose_a), (b, a, &a_in_b, pose_b)].into_iter().enumerate()
    {
        let n = own.normals.len();
        if cache.last[k].len() != n {
            // The mesh changed.
            cache.last[k].clear();
            cache.last[k].resize(n, [NONE; 2]);
            cache.last_query[k].clear();
            cache.last_query[k].resize(n, query.wrapping_sub(1));
        }
        let (last, last_query, counters) =
            (&mut cache.last[k], &mut cache.last_query[k], &mut cache.counters);
        let region = other.mesh.placed_box(other_in_own);
        // The region is the box around the oriented box of the other mesh. A vertex outside the
        // oriented box is not in the mesh.
        let bounds = other.mesh.placed_box(&WidePose::IDENTITY);
        let visit = own.mesh.tree().visit_box(&own.mesh.in_tree(&region), |leaf| {
            for &triangle in leaf.primitives {
                let numbers = own.mesh.mesh().indices()[triangle as usize];
                for vertex in numbers {
                    let is_new = core::mem::replace(&mut last_query[vertex as usize], query) != query;
                    let start = own.mesh.mesh().position(vertex);
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
                    // Full queries rotate over the vertices.
                    let is_full = full_every <= 1 || query.wrapping_add(vertex).is_multiple_of(full_every);
                    let mut found = if is_full { None } else { follow(other, last, line) };
                    if found.is_some() {
                        counters.walked += 1;
                    } else {
                        found = cast(own, other, start, inward, line, counters);
                        let entered = if 1 < full_every && found.is_some() {
                            let back = first_on(other, [line[0], -line[1]], counters);
                            back.map_or(NONE, |(_, triangle, _)| triangle)
                        } else {
                            NONE
                        };
                        *last = [found.map_or(NONE, |(_, triangle)| triangle), entered];
                    }
                    let Some((t, left_by)) = found else { continue };
                    let (point, end) =
                        (pose.transform_point(start), pose.transform_point(start + inward * t));
                    let along = pose.transform_vector(inward);
                    // The normal points from A to B: A's vertex is beyond the exit point.
                    let is_vertex_of_a = k == 0;
                    let (point_a, point_b) = if is_vertex_of_a { (point, end) } else { (end, point) };
                    let (part_a, part_b) =
                        if is_vertex_of_a { (triangle, left_by) } else { (left_by, triangle) };
                    let normal = if is_vertex_of_a { -along } else { along };
                    out(Exit {
                        point_a,
                        point_b,
                        normal,
                        distance: -t,
                        part_a,
                        part_b,
                        is_vertex_of_a,
                        vertex,
                    });
                }
            }
            ControlFlow::Continue(())
        });
        counters.nodes += visit.counters.nodes;
    }
}

/// Whether the point is in the box.
fn is_in(aabb: &Aabb, p: DVec3) -> bool {
    (aabb.min.as_dvec3().cmple(p) & p.cmple(aabb.max.as_dvec3())).all()
}

/// Returns the triangles of a leaf that a line may touch, tested eight at once. The line surely
/// misses the others.
fn may_touch<'a, M: WideMesh>(
    mesh: &'a MeshShape<M>,
    leaf: &Leaf<'_>,
    line: &BlockLine,
) -> impl Iterator<Item = u32> + 'a {
    let block = mesh.line_block(leaf.index);
    let mut left = block.map_or(0, |block| block.touched(line).may);
    core::iter::from_fn(move || {
        let lane = (left != 0).then(|| left.trailing_zeros())?;
        left &= left - 1;
        block.map(|block| block.number(lane as usize))
    })
}

/// Returns the depth at which the ray of a vertex leaves the other body, and the triangle. `None`
/// if it does not start in that body, or leaves its own body first.
fn cast(
    own: &RayMesh<impl WideMesh>,
    other: &RayMesh<impl WideMesh>,
    start: DVec3,
    inward: DVec3,
    line: [DVec3; 2],
    counters: &mut RayDepthCounters,
) -> Option<(f64, u32)> {
    // A hit from behind: the vertex is inside.
    let (t, left_by, true) = first_on(other, line, counters)? else { return None };
    let scale = own.mesh.scale();
    let own_line = BlockLine::new(start * scale, inward);
    let visit = own.mesh.tree().visit_ray(start * scale, inward * scale, 0.0, t, |leaf, limit| {
        for triangle in may_touch(&own.mesh, &leaf, &own_line) {
            let corners = own.mesh.mesh().corners(triangle);
            // The ray starts on its own triangles.
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

/// Returns the first triangle ahead on a line: distance, index, and whether it is hit from behind.
/// The lowest index wins a tie.
fn first_on(
    body: &RayMesh<impl WideMesh>,
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

/// Returns the result of [`cast`] from the triangles of the last query alone. It is the exit if
/// the vertex is still between the surfaces of exit and entry.
fn follow(body: &RayMesh<impl WideMesh>, last: &mut [u32; 2], line: [DVec3; 2]) -> Option<(f64, u32)> {
    let (left_at, left_by, true) = walk(body, last[0], line)? else { return None };
    let (entered_at, entered_by, false) = walk(body, last[1], line)? else { return None };
    *last = [left_by, entered_by];
    (entered_at <= 0.0 && 0.0 < left_at).then_some((left_at, left_by))
}

/// Walks over the surface from a triangle to one that the line passes through.
fn walk(
    body: &RayMesh<impl WideMesh>,
    from: u32,
    [origin, direction]: [DVec3; 2],
) -> Option<(f64, u32, bool)> {
    let mut triangle = from;
    for _ in 0..MAX_STEPS {
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
