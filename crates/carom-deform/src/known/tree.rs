//! One walk for all known deformations.
//!
//! The tree is built once, over the rest positions, and its structure stays. A query goes down
//! from the root. The volume of a node is computed when a query first comes to it, and kept until
//! the parameters change; so are the vertices of a leaf. A face is an answer if the box of its
//! three computed vertices touches the query, or their k-DOP if queries are k-DOPs. So the answers
//! are those of computing all vertices and testing each face (test:
//! `known::answers_are_those_of_brute_force`). Volumes decide only the cost. If a volume is inside
//! the query, all its faces are answers, and no vertex is computed.
//!
//! Reference: D. James, D. Pai, BD-Tree: Output-Sensitive Collision Detection for Reduced
//! Deformable Models, 2004, 4.

use super::{Deformation, KnownError, QueryVolume};
use crate::update::{Layout, build_tree};
use crate::{MAX_ELEMENTS, MAX_POSITION};
use alloc::vec;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_bvh::{Bvh, Child};
use glam::Vec3;

/// A tree over triangles whose vertices are a known function of a few parameters.
#[derive(Clone, Debug)]
pub struct KnownTree<D: Deformation> {
    deformation: D,
    faces: Vec<[u32; 3]>,
    tree: Bvh,
    layout: Layout,
    /// The volumes tested against queries, by reference, for the parameters numbered in
    /// `tested_steps`.
    tested: Vec<D::Query>,
    tested_steps: Vec<u64>,
    /// By vertex, for the parameters numbered in `vertex_steps`.
    vertices: Vec<Vec3>,
    vertex_steps: Vec<u64>,
    /// The number of the present parameters.
    step: u64,
    work: KnownWork,
    stack: Vec<u32>,
}

/// The work of a tree since it was built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownWork {
    /// Volumes of nodes computed.
    pub volumes: u64,
    /// Vertices computed.
    pub vertices: u64,
    /// Volumes of nodes and volumes of faces tested against a query.
    pub box_tests: u64,
}

impl<D: Deformation> KnownTree<D> {
    /// Builds a tree over faces.
    pub(super) fn with_deformation(
        mut deformation: D,
        faces: Vec<[u32; 3]>,
    ) -> Result<KnownTree<D>, KnownError> {
        let n_vertices = deformation.rest().len();
        if MAX_ELEMENTS < faces.len() {
            return Err(KnownError::TooMany);
        }
        let is_face = |face: &[u32; 3]| face.iter().all(|&vertex| (vertex as usize) < n_vertices);
        if let Some(face) = faces.iter().position(|face| !is_face(face)) {
            return Err(KnownError::NoSuchVertex { face });
        }
        let rest = deformation.rest();
        let boxes: Vec<Aabb> = faces.iter().map(|face| volume_of(face, rest)).collect();
        let tree = build_tree(&boxes);
        let layout = Layout::new(&tree);
        let n_references = 8 * tree.n_nodes();
        let mut vertices = Vec::new();
        for reference in 0..n_references {
            vertices.clear();
            let range = layout.range(reference);
            vertices.extend(layout.order[range].iter().flat_map(|&face| faces[face as usize]));
            vertices.sort_unstable();
            vertices.dedup();
            deformation.add_node(&vertices);
        }
        Ok(KnownTree {
            faces,
            layout,
            tested: vec![D::Query::EMPTY; n_references],
            tested_steps: vec![0; n_references],
            vertices: deformation.rest().to_vec(),
            vertex_steps: vec![0; n_vertices],
            deformation,
            tree,
            step: 1,
            work: KnownWork::default(),
            stack: Vec::new(),
        })
    }

    /// Returns the deformation for a change of its parameters. Volumes and vertices computed
    /// before are discarded.
    pub(super) fn deformation_mut(&mut self) -> &mut D {
        self.step += 1;
        &mut self.deformation
    }

    /// The faces, by their numbers.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// The number of vertices.
    pub fn n_vertices(&self) -> usize {
        self.vertices.len()
    }

    /// The position of a vertex for the present parameters: computed in `f64`, rounded once.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn position(&self, vertex: u32) -> Vec3 {
        self.deformation.position(vertex)
    }

    /// Replaces `out` by the positions of all vertices, for
    /// [`DeformableMesh::set_positions`](crate::DeformableMesh::set_positions) and searches of the
    /// whole mesh.
    pub fn positions_into(&self, out: &mut Vec<Vec3>) {
        out.clear();
        out.extend((0..self.vertices.len() as u32).map(|vertex| self.deformation.position(vertex)));
    }

    /// Adds the faces whose boxes touch the query to `out`, in ascending order. A box is that of
    /// the face's three positions. A query without a point, whose `min` is above `max` or NaN,
    /// touches none. For [`MorphKDopTree`](super::MorphKDopTree) read k-DOP for box.
    pub fn collect_faces_touching(&mut self, query: &D::Query, out: &mut Vec<u32>) {
        if !query.is_query() {
            return;
        }
        let first = out.len();
        self.stack.clear();
        if 0 < self.tree.n_nodes() {
            self.stack.push(0);
        }
        while let Some(node) = self.stack.pop() {
            for (reference, child) in self.tree.children(node) {
                if self.tested_steps[reference] != self.step {
                    self.tested_steps[reference] = self.step;
                    self.tested[reference] = D::tested(&self.deformation.volume(reference));
                    self.work.volumes += 1;
                }
                let tested = &self.tested[reference];
                self.work.box_tests += 1;
                if !tested.overlaps(query) {
                    continue;
                }
                if query.holds(tested) {
                    out.extend_from_slice(&self.layout.order[self.layout.range(reference)]);
                    continue;
                }
                let leaf = match child {
                    Child::Node(inner) => {
                        self.stack.push(inner);
                        continue;
                    }
                    Child::Leaf(leaf) => leaf.primitives,
                };
                self.work.box_tests += leaf.len() as u64;
                for &number in leaf {
                    let face = &self.faces[number as usize];
                    for &vertex in face {
                        let vertex_step = &mut self.vertex_steps[vertex as usize];
                        if *vertex_step != self.step {
                            *vertex_step = self.step;
                            self.vertices[vertex as usize] = self.deformation.position(vertex);
                            self.work.vertices += 1;
                        }
                    }
                    if volume_of::<D::Query>(face, &self.vertices).overlaps(query) {
                        out.push(number);
                    }
                }
            }
        }
        out[first..].sort_unstable();
    }

    /// Calls `visit` with the volume of each node for the present parameters and the numbers of
    /// the faces below it: for drawing and tests.
    pub fn visit_volumes(&self, mut visit: impl FnMut(&D::Volume, &[u32])) {
        for node in 0..self.tree.n_nodes() as u32 {
            for (reference, _) in self.tree.children(node) {
                let faces = &self.layout.order[self.layout.range(reference)];
                visit(&self.deformation.volume(reference), faces);
            }
        }
    }

    /// The work since the tree was built.
    pub fn work(&self) -> KnownWork {
        self.work
    }
}

/// The volume of a face.
#[inline]
fn volume_of<Q: QueryVolume>(face: &[u32; 3], positions: &[Vec3]) -> Q {
    Q::of_triangle(face.map(|vertex| positions[vertex as usize]))
}

/// Checks that rest positions are finite and not too large or too many.
pub(super) fn check_rest(rest: &[Vec3]) -> Result<(), KnownError> {
    if MAX_ELEMENTS < rest.len() {
        return Err(KnownError::TooMany);
    }
    let is_bad = |p: &Vec3| !(p.is_finite() && p.abs().max_element() <= MAX_POSITION);
    match rest.iter().position(is_bad) {
        Some(vertex) => Err(KnownError::BadPosition { vertex }),
        None => Ok(()),
    }
}
