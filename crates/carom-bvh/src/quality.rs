//! The quality of a tree: expected cost of a query, overlap, depth, memory.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., eq. 25.2 (surface area
//! heuristic).

use crate::tree::{Bvh, LEAF, TreeVolume};
use crate::wide::WideNode;
use alloc::vec;
use alloc::vec::Vec;
use carom_bounds::Aabb;

/// A report on a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Quality {
    /// The expected number of volumes and primitives that a random line through the tree meets. A
    /// leaf counts once for its volume and once for each primitive. Areas are relative to that of
    /// the root.
    pub sah_cost: f64,
    /// The overlap of siblings: their pairwise common areas over the sum of all areas. It is 0 if
    /// no boxes overlap. At 1, a query that meets one child usually meets another.
    pub overlap: f64,
    /// The longest path from the root to a leaf, in nodes.
    pub depth: u32,
    /// The number of nodes.
    pub nodes: usize,
    /// The number of leaves.
    pub leaves: usize,
    /// The average number of used slots in a node.
    pub mean_children: f64,
    /// The average number of primitives in a leaf.
    pub mean_leaf: f64,
    /// Bytes of the tree per primitive.
    pub bytes_per_primitive: f64,
}

impl<V: TreeVolume, N: WideNode<V::Volumes8>> Bvh<V, N> {
    /// Measures the tree. The cost is 0 if the tree is empty or its box has no area.
    pub fn quality(&self) -> Quality {
        if self.is_empty() {
            return Quality::default();
        }
        // Lengths are scaled to about 1, so a scaled tree has the same report.
        let size = f64::from(self.bounds.to_aabb().extents().max_element());
        let area = |aabb: &Aabb| {
            let e = aabb.extents().as_dvec3() / if size == 0.0 { 1.0 } else { size };
            e.x * e.y + e.y * e.z + e.z * e.x
        };
        let root = area(&self.bounds.to_aabb());
        let (mut sum, mut used, mut deepest) = (0.0, 0_usize, 0);
        let (mut common, mut all) = (0.0, 0.0);
        let mut depths: Vec<u32> = vec![1; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            let depth = depths[i];
            deepest = deepest.max(depth);
            used += node.n_children() as usize;
            for lane in 0..node.n_children() as usize & 15 {
                let child = node.child(lane);
                let volume = node.volume(lane);
                let share = area(&volume.to_aabb());
                all += share;
                for other in lane + 1..node.n_children() as usize & 15 {
                    let both = volume.to_aabb().intersection(&node.volume(other).to_aabb());
                    common += both.map_or(0.0, |aabb| area(&aabb));
                }
                if child & LEAF == 0 {
                    depths[child as usize] = depth + 1;
                    sum += share;
                } else {
                    sum += share * (1 + self.leaf(child & !LEAF).primitives.len()) as f64;
                }
            }
        }
        let bytes = size_of::<N>() * self.nodes.len()
            + size_of::<u32>() * (self.leaf_starts.len() + self.primitives.len());
        Quality {
            sah_cost: if root == 0.0 { 0.0 } else { 1.0 + sum / root },
            overlap: if all == 0.0 { 0.0 } else { common / all },
            depth: deepest,
            nodes: self.nodes.len(),
            leaves: self.n_leaves(),
            mean_children: used as f64 / self.nodes.len() as f64,
            mean_leaf: self.len() as f64 / self.n_leaves() as f64,
            bytes_per_primitive: bytes as f64 / self.len() as f64,
        }
    }
}
