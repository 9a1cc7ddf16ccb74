//! Push-out by rays: how deep a vertex of a body is in a closed collider, along its normal.
//!
//! - Each vertex casts a ray against its normal, into its own body. If the first face of the
//!   collider on the ray is hit from behind, the vertex is in the collider, and leaves it there.
//! - A ray keeps its face. In the next update that face is tested first. The tree is searched only
//!   if the ray misses it.
//! - A kept face may no longer be the first one. So each ray is cast anew every few updates, a
//!   different part of the rays each time.
//!
//! Reference: E. Hermann, F. Faure, B. Raffin, Ray-traced Collision Detection for Deformable
//! Bodies, 2008; F. Lehericey, V. Gouranton, B. Arnaldi, GPU Ray-Traced Collision Detection: Fine
//! Pipeline Reorganization, 2015 (rays kept over time); Akenine-Moller et al., Real-Time
//! Rendering, 4th ed., 25.4.

use crate::bounds::TimeSpan;
use crate::deformable::{DeformableMesh, Features};
use crate::push_out::{PushOut, unit};
use crate::sheets::NO_FACE;
use crate::sides::{PushOutCounters, PushOuts};
use crate::surface::Surface;
use crate::update::FollowingTree;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_bvh::Bvh;
use carom_geom::ray_mesh::{TriangleHit, line_crosses};
use core::ops::ControlFlow;
use glam::{DVec3, Vec3};

/// The face at which the ray of each vertex leaves a collider. Keep one for each pair of body and
/// collider.
#[derive(Clone, Debug)]
pub struct RayDepths {
    period: u32,
    update: u32,
    /// For each vertex of the body.
    faces: Vec<u32>,
    /// The count of renumberings of the body in the last update. `faces` has its numbers of
    /// vertices.
    n_renumberings: u32,
    next: Vec<u32>,
    normals: Vec<DVec3>,
    found: Vec<PushOut>,
}

/// An update in progress. It borrows the meshes, so nothing moves meanwhile.
#[must_use = "an update does nothing until `run` or `finish` is called"]
pub struct RayUpdate<'a> {
    memory: &'a mut RayDepths,
    surface: Surface<'a>,
    tree: &'a Bvh,
    bounds: Aabb,
    positions: &'a [Vec3],
    vertices: &'a [u32],
    thickness: f64,
    vertex: usize,
    counters: PushOutCounters,
    is_done: bool,
}

impl RayDepths {
    /// Returns an empty memory. Each ray is cast anew in one of `period` updates; 0 counts as 1.
    pub fn new(period: u32) -> RayDepths {
        RayDepths {
            period: period.max(1),
            update: 0,
            faces: Vec::new(),
            n_renumberings: 0,
            next: Vec::new(),
            normals: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Finds the vertices of the body that are inside the collider. The depth is the distance to
    /// the collider's exit along the ray, plus half of each thickness. Faces of both turn
    /// outwards, and the collider must be closed: for an open one the answer has no meaning. A
    /// vertex without faces has no ray. An update that is dropped before its end keeps the exits
    /// of the last one, except faces that this collider does not have. If vertices of the body were
    /// removed, all rays are cast anew (test: `ray_depths::removed_vertices_pass_no_face_on`).
    pub fn update<'a, T: FollowingTree, U: FollowingTree>(
        &'a mut self,
        body: &'a DeformableMesh<T>,
        collider: &'a mut DeformableMesh<U>,
    ) -> RayUpdate<'a> {
        collider.complete(&[Features::Faces], TimeSpan::Now, 0.0);
        let collider = &*collider;
        let n_vertices = body.positions().len();
        let n_faces = collider.faces().len() as u32;
        if self.n_renumberings != body.n_renumberings() {
            self.n_renumberings = body.n_renumberings();
            self.faces.clear();
        }
        self.faces.resize(n_vertices, NO_FACE);
        // Another collider may have fewer faces.
        self.faces.iter_mut().filter(|face| n_faces <= **face).for_each(|face| *face = NO_FACE);
        self.next.clear();
        self.next.resize(n_vertices, NO_FACE);
        self.normals.clear();
        self.normals.resize(n_vertices, DVec3::ZERO);
        let of_body = Surface::of(body);
        for (face, vertices) in (0..).zip(body.faces()) {
            let [a, b, c] = of_body.wide_corners(face);
            let normal = (b - a).cross(c - a);
            for &vertex in vertices {
                self.normals[vertex as usize] += normal;
            }
        }
        self.found.clear();
        let surface = Surface::of(collider);
        RayUpdate {
            memory: self,
            surface,
            tree: collider.view().trees[Features::Faces as usize].0,
            bounds: surface.bounds(),
            positions: body.positions(),
            vertices: body.surface_vertices(),
            thickness: 0.5 * (f64::from(body.thickness()) + f64::from(collider.thickness())),
            vertex: 0,
            counters: PushOutCounters::default(),
            is_done: false,
        }
    }
}

impl<'a> RayUpdate<'a> {
    /// Continues until about `budget` vertices and faces were tested; one ray may exceed it.
    /// Returns whether the update is complete. The answer does not depend on how the budget is
    /// split (test: `ray_depths::any_split_gives_the_same_answer`).
    pub fn run(&mut self, budget: u64) -> bool {
        let spent = |counters: &PushOutCounters| counters.vertices + counters.face_tests;
        let start = spent(&self.counters);
        while let Some(&vertex) = self.vertices.get(self.vertex) {
            if budget <= spent(&self.counters) - start {
                return false;
            }
            self.update_vertex(vertex);
            self.vertex += 1;
            self.counters.vertices += 1;
        }
        if !self.is_done {
            core::mem::swap(&mut self.memory.faces, &mut self.memory.next);
            self.memory.update = (self.memory.update + 1) % self.memory.period;
            self.is_done = true;
        }
        true
    }

    fn update_vertex(&mut self, vertex: u32) {
        let at = self.positions[vertex as usize];
        let Some(normal) = unit(self.memory.normals[vertex as usize]) else { return };
        if !self.bounds.contains_point(at) {
            return;
        }
        let (origin, direction) = (at.as_dvec3(), -normal);
        let kept = self.memory.faces[vertex as usize];
        let is_due = vertex % self.memory.period == self.memory.update;
        let mut hit = None;
        if kept != NO_FACE {
            self.counters.followed += 1;
            if !is_due {
                hit = self.exit(origin, direction, kept).map(|hit| (kept, hit));
                self.counters.forgotten += u64::from(hit.is_none());
            }
        }
        let Some((face, hit)) = hit.or_else(|| self.cast(origin, direction)) else { return };
        if !hit.is_back_face {
            return;
        }
        self.memory.next[vertex as usize] = face;
        let depth = hit.t + self.thickness;
        if 0.0 < depth {
            self.memory.found.push(PushOut { vertex, face: Some(face), direction, depth });
        }
    }

    /// Returns the point at which the ray leaves the collider through a face, if it does.
    fn exit(&mut self, origin: DVec3, direction: DVec3, face: u32) -> Option<TriangleHit> {
        self.counters.face_tests += 1;
        let hit = line_crosses(origin, direction, &self.surface.wide_corners(face))?;
        (0.0 <= hit.t && hit.is_back_face).then_some(hit)
    }

    /// Returns the first face that the ray meets; the lowest number among equals.
    fn cast(&mut self, origin: DVec3, direction: DVec3) -> Option<(u32, TriangleHit)> {
        self.counters.casts += 1;
        let (surface, counters) = (self.surface, &mut self.counters);
        let mut first: Option<(u32, TriangleHit)> = None;
        self.tree.visit_ray(origin, direction, 0.0, f64::INFINITY, |leaf, t_max| {
            for &face in leaf.primitives {
                counters.face_tests += 1;
                let Some(hit) = line_crosses(origin, direction, &surface.wide_corners(face)) else {
                    continue;
                };
                let is_first = first.is_none_or(|(other, best)| (hit.t, face) < (best.t, other));
                if 0.0 <= hit.t && is_first {
                    first = Some((face, hit));
                }
            }
            ControlFlow::Continue(first.map_or(t_max, |(_, hit)| hit.t))
        });
        first
    }

    /// Runs to the end and returns the push-outs.
    pub fn finish(mut self) -> PushOuts<'a> {
        self.run(u64::MAX);
        let RayUpdate { memory, counters, .. } = self;
        PushOuts { push_outs: &memory.found, counters }
    }

    /// The push-outs found so far, sorted by vertex.
    pub fn found_so_far(&self) -> &[PushOut] {
        &self.memory.found
    }

    /// The cost of the update so far.
    pub fn counters(&self) -> PushOutCounters {
        self.counters
    }

    /// The fraction of the vertices tested so far, from 0 to 1.
    pub fn progress(&self) -> f64 {
        if self.vertices.is_empty() { 1.0 } else { self.vertex as f64 / self.vertices.len() as f64 }
    }
}
