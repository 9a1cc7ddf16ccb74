//! Boxes of morph targets, from the weights alone.
//!
//! Each node has the box of its rest positions, and for each target the box of its displacements.
//! The box for present weights is the sum of the first and of weight times the others: for a
//! negative weight the minimum and the maximum change places. It holds the computed vertices with
//! no slack: `displacements.rs` sums in the order of the targets, so does the box, and rounding is
//! monotone. If each term is not below the other's, neither is the rounded sum.
//!
//! Weights may have any sign and sum. A blend of whole boxes would need weights that are not
//! negative and have the sum 1.
//!
//! Reference: T. Larsson, T. Akenine-Moller, Efficient Collision Detection for Models Deformed by
//! Morphing, 2003. Differs: displacements instead of whole targets, and weights of any sign, as in
//! glTF 2.0, 3.7.2.2.

use super::displacements::Displacements;
use super::node_lists::NodeLists;
use super::sealed::Sealed;
use super::{Deformation, KnownError, KnownTree};
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use glam::Vec3;

/// A tree over a mesh of morph targets.
pub type MorphTree = KnownTree<Morph>;

/// Morph targets, for [`MorphTree`].
#[derive(Clone, Debug)]
pub struct Morph {
    fields: Displacements,
    /// The box of the rest positions of each node.
    rest: Vec<Aabb>,
    lists: NodeLists<Aabb>,
    scratch: Vec<u32>,
}

impl MorphTree {
    /// Returns a tree over triangles. A vertex is at its `rest` position plus the sum of weight
    /// times displacement. Each target has a displacement for each vertex. All weights are 0 at
    /// first.
    ///
    /// Errors: the first bad position or displacement, a wrong number of displacements, a face
    /// with a vertex that does not exist, or too many elements: see [`KnownError`].
    pub fn new<T: AsRef<[Vec3]>>(
        rest: &[Vec3],
        targets: &[T],
        faces: Vec<[u32; 3]>,
    ) -> Result<MorphTree, KnownError> {
        let fields = Displacements::new(rest, targets)?;
        let (rest, lists, scratch) = (Vec::new(), NodeLists::default(), Vec::new());
        KnownTree::with_deformation(Morph { fields, rest, lists, scratch }, faces)
    }

    /// Sets the weights, one for each target, of any sign. On an error nothing changes.
    pub fn set_weights(&mut self, weights: &[f32]) -> Result<(), KnownError> {
        self.deformation_mut().fields.set(weights)
    }
}

impl Sealed for Morph {}

impl Deformation for Morph {
    type Volume = Aabb;
    type Query = Aabb;

    fn rest(&self) -> &[Vec3] {
        &self.fields.rest
    }

    fn add_node(&mut self, vertices: &[u32]) {
        let Morph { fields, rest, lists, scratch } = self;
        rest.push(box_of(vertices.iter().map(|&vertex| fields.rest[vertex as usize])));
        fields.targets_of(vertices, scratch);
        lists.push(scratch.iter().map(|&target| {
            (target, box_of(vertices.iter().map(|&vertex| fields.by_target(vertex, target))))
        }));
    }

    fn volume(&self, node: usize) -> Aabb {
        let rest = &self.rest[node];
        let (mut min, mut max) = (rest.min.as_dvec3(), rest.max.as_dvec3());
        for (target, range) in self.lists.of(node) {
            let weight = f64::from(self.fields.weights[*target as usize]);
            if weight == 0.0 {
                continue;
            }
            let (low, high) = (range.min.as_dvec3() * weight, range.max.as_dvec3() * weight);
            (min, max) = if weight < 0.0 { (min + high, max + low) } else { (min + low, max + high) };
        }
        // Rounded to the nearest number, as the vertices are.
        Aabb { min: min.as_vec3(), max: max.as_vec3() }
    }

    fn tested(volume: &Aabb) -> Aabb {
        *volume
    }

    fn position(&self, vertex: u32) -> Vec3 {
        self.fields.position(vertex)
    }
}

/// The box of points.
pub(super) fn box_of(points: impl Iterator<Item = Vec3>) -> Aabb {
    points.fold(Aabb::EMPTY, |all, p| Aabb { min: all.min.min(p), max: all.max.max(p) })
}
