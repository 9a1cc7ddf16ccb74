//! Boxes of linear blend skinning, from the placements of the bones alone.
//!
//! Each node has a list of the bones of its vertices, and for each bone the rest box of those
//! vertices that have it. A vertex is a convex combination of its images under its bones, and each
//! image lies in the image of the bone's box. So the box around these images holds the vertex.
//!
//! Slack. The images of boxes hold the computed images of vertices with none (`affine.rs`). Let Q
//! be the largest coordinate of the box, m the most bones of a vertex, u = 2^-53. Weights are
//! rounded quotients, so their sum differs from 1 by at most (m + 1) u. The sum of m products is
//! off by (m + 1) u of the sum of their sizes, which is at most Q. Together these are (2 m + 2) u
//! Q. The box grows by [`tol::SKIN_ROUNDING`] times m Q, 512 m u Q, before it is rounded outwards.
//!
//! Reference: L. Kavan, J. Zara, Fast Collision Detection for Skeletally Deformable Models, 2005
//! (bounds from convex combinations of the images). Differs: boxes instead of spheres, and a rest
//! box for each node and bone.

use super::affine::Affine;
use super::morph::box_of;
use super::node_lists::NodeLists;
use super::sealed::Sealed;
use super::tree::check_rest;
use super::{BoneWeights, Deformation, KnownError, KnownTree};
use crate::MAX_POSITION;
use alloc::vec;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_math::tol;
use glam::{Affine3A, DMat3, DVec3, Vec3};

/// A tree over a skin that is blended linearly.
pub type LinearSkinTree = KnownTree<LinearSkin>;

/// A skin that is blended linearly, for [`LinearSkinTree`].
#[derive(Clone, Debug)]
pub struct LinearSkin {
    rest: Vec<Vec3>,
    /// The largest coordinates of rest positions, in absolute value.
    largest: Vec3,
    weights: BoneWeights,
    /// By bone.
    maps: Vec<Affine>,
    lists: NodeLists<Aabb>,
    scratch: Vec<(u32, u32)>,
}

impl LinearSkinTree {
    /// Returns a tree over triangles. Their vertices are at `rest` if all bones are at the
    /// identity, as they are at first. An error names the first bad vertex or face.
    pub fn new(
        rest: &[Vec3],
        weights: BoneWeights,
        faces: Vec<[u32; 3]>,
    ) -> Result<LinearSkinTree, KnownError> {
        check_skin(rest, &weights)?;
        let maps = vec![Affine::IDENTITY; weights.n_bones()];
        let largest = rest.iter().fold(Vec3::ZERO, |most, p| most.max(p.abs()));
        let (lists, scratch) = (NodeLists::default(), Vec::new());
        let skin = LinearSkin { rest: rest.to_vec(), largest, weights, maps, lists, scratch };
        KnownTree::with_deformation(skin, faces)
    }

    /// Sets the placements, one for each bone: it takes the rest position of a vertex to that of a
    /// vertex with this bone alone. In glTF that is the joint's global transform times the inverse
    /// bind matrix. Scales and shears are allowed. On an error nothing changes.
    pub fn set_bones(&mut self, bones: &[Affine3A]) -> Result<(), KnownError> {
        let skin = self.deformation_mut();
        if bones.len() != skin.maps.len() {
            return Err(KnownError::WrongCount { expected: skin.maps.len(), given: bones.len() });
        }
        if let Some(parameter) = bones.iter().position(|bone| !bone.is_finite()) {
            return Err(KnownError::BadParameter { parameter });
        }
        // A position exceeds the limit by less than the rounding to `f32`.
        let limit = f64::from(MAX_POSITION.next_down());
        if let Some(parameter) = bones.iter().position(|bone| limit < affine(bone).reach(skin.largest)) {
            return Err(KnownError::TooLarge { parameter });
        }
        for (map, bone) in skin.maps.iter_mut().zip(bones) {
            *map = affine(bone);
        }
        Ok(())
    }
}

impl Sealed for LinearSkin {}

impl Deformation for LinearSkin {
    type Volume = Aabb;
    type Query = Aabb;

    fn rest(&self) -> &[Vec3] {
        &self.rest
    }

    fn add_node(&mut self, vertices: &[u32]) {
        let LinearSkin { rest, weights, lists, scratch, .. } = self;
        scratch.clear();
        scratch.extend(
            vertices.iter().flat_map(|&vertex| weights.of(vertex).iter().map(move |e| (e.0, vertex))),
        );
        push_boxes(lists, scratch, rest);
    }

    fn volume(&self, node: usize) -> Aabb {
        let list = self.lists.of(node);
        if list.is_empty() {
            return Aabb::EMPTY;
        }
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for (bone, rest) in list {
            let (low, high) = self.maps[*bone as usize].range(rest);
            (min, max) = (min.min(low), max.max(high));
        }
        let slack = min.abs().max(max.abs()) * (tol::SKIN_ROUNDING * self.weights.max_bones());
        Aabb::around(min - slack, max + slack)
    }

    fn tested(volume: &Aabb) -> Aabb {
        *volume
    }

    fn position(&self, vertex: u32) -> Vec3 {
        let p = self.rest[vertex as usize].as_dvec3();
        let bones = self.weights.of(vertex).iter();
        bones
            .fold(DVec3::ZERO, |sum, (bone, weight)| sum + self.maps[*bone as usize].point(p) * *weight)
            .as_vec3()
    }
}

fn affine(bone: &Affine3A) -> Affine {
    let m = &bone.matrix3;
    let column = |axis: glam::Vec3A| Vec3::from(axis).as_dvec3();
    Affine {
        linear: DMat3::from_cols(column(m.x_axis), column(m.y_axis), column(m.z_axis)),
        translation: column(bone.translation),
    }
}

/// Whether rest positions are allowed, and each has a list of bones.
pub(super) fn check_skin(rest: &[Vec3], weights: &BoneWeights) -> Result<(), KnownError> {
    check_rest(rest)?;
    if rest.len() != weights.n_vertices() {
        return Err(KnownError::WrongListCount { expected: rest.len(), given: weights.n_vertices() });
    }
    Ok(())
}

/// Adds the list of the next node: for each map the rest box of the vertices that have it. `pairs`
/// are maps and vertices.
pub(super) fn push_boxes(lists: &mut NodeLists<Aabb>, pairs: &mut [(u32, u32)], rest: &[Vec3]) {
    pairs.sort_unstable();
    lists.push(
        pairs
            .chunk_by(|v, w| v.0 == w.0)
            .map(|same| (same[0].0, box_of(same.iter().map(|&(_, vertex)| rest[vertex as usize])))),
    );
}
