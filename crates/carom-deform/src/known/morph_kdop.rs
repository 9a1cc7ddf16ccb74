//! k-DOPs of morph targets, from the weights alone.
//!
//! Each node has the k-DOP of its rest positions, and for each target that of its displacements.
//! Take the extent of the node along a direction for the present weights. It is at most the sum of
//! the extents of the parts, each times its weight. For a negative weight the opposite direction
//! counts. The axes are bounded as in `morph.rs`, with no slack. Along the other directions a
//! bound grows:
//! - A sum of k + 1 terms in `f64` is off by k u of the terms' sizes, with u = 2^-53. So is each
//!   of the three coordinates of a vertex. [`tol::MODAL_ROUNDING`] covers both.
//! - Rounding a vertex to `f32` moves it along a direction by at most 3 * 2^-24 of its largest
//!   coordinate, or by 3 * 2^-150.
//!
//! Queries are k-DOPs too. A slanted needle touches fewer faces by its k-DOP than by its box.
//!
//! Reference: T. Larsson, T. Akenine-Moller, Efficient Collision Detection for Models Deformed by
//! Morphing, 2003 (boxes, k-DOPs and spheres). Differs: displacements instead of whole targets,
//! and weights of any sign.

use super::displacements::Displacements;
use super::node_lists::NodeLists;
use super::sealed::Sealed;
use super::{Deformation, KnownError, KnownTree};
use alloc::vec::Vec;
use carom_bounds::{BoundingVolume, KDop, Slabs};
use carom_math::{rounding, tol};
use glam::Vec3;

/// A tree of k-DOPs over a mesh of morph targets; K is 6, 14, 18 or 26.
pub type MorphKDopTree<const K: usize> = KnownTree<MorphKDop<K>>;

/// Morph targets, for [`MorphKDopTree`].
#[derive(Clone, Debug)]
pub struct MorphKDop<const K: usize> {
    fields: Displacements,
    /// The k-DOP of the rest positions of each node.
    rest: Vec<KDop<K>>,
    lists: NodeLists<KDop<K>>,
    scratch: Vec<u32>,
    points: Vec<Vec3>,
}

impl<const K: usize> MorphKDopTree<K>
where
    KDop<K>: Slabs,
{
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
    ) -> Result<MorphKDopTree<K>, KnownError> {
        let fields = Displacements::new(rest, targets)?;
        let (rest, lists) = (Vec::new(), NodeLists::default());
        let (scratch, points) = (Vec::new(), Vec::new());
        KnownTree::with_deformation(MorphKDop { fields, rest, lists, scratch, points }, faces)
    }

    /// Sets the weights, one for each target, of any sign. On an error nothing changes.
    pub fn set_weights(&mut self, weights: &[f32]) -> Result<(), KnownError> {
        self.deformation_mut().fields.set(weights)
    }
}

impl<const K: usize> Sealed for MorphKDop<K> {}

impl<const K: usize> Deformation for MorphKDop<K>
where
    KDop<K>: Slabs,
{
    type Volume = KDop<K>;
    type Query = KDop<K>;

    fn rest(&self) -> &[Vec3] {
        &self.fields.rest
    }

    fn add_node(&mut self, vertices: &[u32]) {
        let MorphKDop { fields, rest, lists, scratch, points } = self;
        rest.push(kdop_of(vertices.iter().map(|&vertex| fields.rest[vertex as usize]), points));
        fields.targets_of(vertices, scratch);
        lists.push(scratch.iter().map(|&target| {
            let displacements = vertices.iter().map(|&vertex| fields.by_target(vertex, target));
            (target, kdop_of(displacements, points))
        }));
    }

    fn volume(&self, node: usize) -> KDop<K> {
        let rest = &self.rest[node];
        if rest.is_empty() {
            return KDop::EMPTY;
        }
        let mut sums = rest.offsets.map(f64::from);
        let list = self.lists.of(node);
        for (target, reaches) in list {
            let weight = f64::from(self.fields.weights[*target as usize]);
            if weight == 0.0 {
                continue;
            }
            let turn = if weight < 0.0 { K / 2 } else { 0 };
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum += f64::from(reaches.offsets[(i + turn) % K]) * weight.abs();
            }
        }
        let is_axis = |i: usize| i % (K / 2) < 3;
        let largest = (0..K).filter(|&i| is_axis(i)).fold(0.0, |most: f64, i| most.max(sums[i].abs()));
        // rounding: a vertex exceeds the sum by at most this, as the head of this file says.
        let of_vertex = 2.0 * (largest * f64::from(f32::EPSILON) + f64::from(f32::from_bits(1)));
        let slack = tol::MODAL_ROUNDING * (list.len() as f64 + 4.0) * self.fields.reach + of_vertex;
        let mut found = KDop::EMPTY;
        for (i, offset) in found.offsets.iter_mut().enumerate() {
            // Axes are rounded to the nearest number, as the vertices are.
            *offset = if is_axis(i) { sums[i] as f32 } else { rounding::up(sums[i] + slack) };
        }
        found
    }

    fn tested(volume: &KDop<K>) -> KDop<K> {
        *volume
    }

    fn position(&self, vertex: u32) -> Vec3 {
        self.fields.position(vertex)
    }
}

/// The k-DOP of points; `points` is memory.
fn kdop_of<const K: usize>(all: impl Iterator<Item = Vec3>, points: &mut Vec<Vec3>) -> KDop<K>
where
    KDop<K>: Slabs,
{
    points.clear();
    points.extend(all);
    KDop::from_points(points)
}
