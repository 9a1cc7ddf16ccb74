//! Refits volumes other than axis-aligned boxes. A refit to points keeps the orientation of each
//! volume. A refit to boxes gives it the orientation of the frame.
//!
//! Reference: G. van den Bergen, Efficient Collision Detection of Complex Deformable Models using
//! AABB Trees, 1997, for boxes.
//! Differs: contents are projected on the old axes of each volume. Spheres are centred in the box
//! around their contents.

use super::{Source, Subtree};
use crate::tree::{HOLE, LEAF, TreeVolume};
use crate::volumes::Volumes8;
use carom_bounds::BoundingVolume;
use glam::Vec3;

/// The maximum number of points in one fit. A leaf of a built tree has at most as many: sixteen
/// tetrahedra.
const MAX_POINTS: usize = 64;

/// See [`super::refit_part`].
pub(super) fn refit<V: TreeVolume, B: Source>(part: Subtree<'_, V>, source: &mut B) -> Option<V> {
    // An empty volume has the orientation of the frame.
    let kept = |before: V| if B::KEEPS_ORIENTATION { before } else { V::EMPTY };
    let Subtree { nodes, base, leaf_starts, primitives, before } = part;
    for i in (0..nodes.len()).rev() {
        let node = &mut nodes[i];
        let len = (node.len as usize).min(8);
        let mut children = [V::EMPTY; 8];
        for (lane, volume) in children[..len].iter_mut().enumerate() {
            // The volume of a node was written when the node was visited, later in the list.
            *volume = node.volumes.get(lane);
            let child = node.child[lane];
            if child & LEAF != 0 {
                let leaf = (child & !LEAF) as usize;
                let (first, end) = (leaf_starts[leaf], leaf_starts[leaf + 1]);
                let numbers = primitives.get(first as usize..end as usize).unwrap_or(&[]);
                *volume = source.volume(volume, first, numbers);
                node.volumes.set(lane, volume);
            }
        }
        let parent = node.parent as usize;
        if i == 0 {
            return Some(kept(before).refitted_around(&children[..len]));
        }
        match nodes.get_mut((parent / 8).wrapping_sub(base)) {
            Some(above) => {
                let before = kept(above.volumes.get(parent % 8));
                above.volumes.set(parent % 8, &before.refitted_around(&children[..len]));
            }
            // The node is unused since an edit of the tree.
            None if parent == HOLE as usize => {}
            None => return None,
        }
    }
    None
}

/// A volume around points by their numbers, with the orientation of another.
pub(super) fn around_points<V: BoundingVolume>(before: &V, numbers: &[u32], points: &[Vec3]) -> V {
    let mut all = V::EMPTY;
    for some in numbers.chunks(MAX_POINTS) {
        let mut own = [Vec3::ZERO; MAX_POINTS];
        let mut n = 0;
        for point in some.iter().filter_map(|&number| points.get(number as usize)) {
            own[n] = *point;
            n += 1;
        }
        let volume = before.refitted(&own[..n]);
        all = if all == V::EMPTY { volume } else { before.refitted_around(&[all, volume]) };
    }
    all
}
