//! Refits on several threads, with the same bits as on one.
//!
//! A built tree is in depth-first order, so the nodes of a subtree are a slice. The tree is cut
//! into subtrees of similar size, and each is refitted by one thread. The calling thread then
//! refits the few nodes above. An edited tree may have another order. Two checks detect this: the
//! cut fails, or a node has its parent in another slice. Then the refit is repeated on one thread.
//!
//! Reference: I. Wald, S. Boulos, P. Shirley, Ray Tracing Deformable Scenes using Dynamic Bounding
//! Volume Hierarchies, 2007 (the tree is kept and refitted; subtrees are independent).

use super::{Source, Subtree, refit_part};
use crate::tree::{Bvh, LEAF, Node8, TreeVolume};
use crate::volumes::Volumes8 as _;
use alloc::vec::Vec;
use rayon::prelude::*;

/// The minimum size of a chunk in nodes, except for small subtrees: some 20 microseconds.
const MIN_CHUNK_NODES: usize = 512;

/// Chunks for each thread, so that idle threads can help.
const CHUNKS_PER_THREAD: usize = 4;

/// Whether there are several threads and enough work for them.
pub(super) fn pays(n_nodes: usize) -> bool {
    4 * MIN_CHUNK_NODES < n_nodes && 1 < rayon::current_num_threads()
}

/// Refits the whole tree. Returns false if its nodes are not in the order of a built tree; then
/// only some of the volumes are new.
pub(super) fn refit<V: TreeVolume>(tree: &mut Bvh<V>, source: impl Source + Copy + Send + Sync) -> bool {
    let Bvh { nodes, leaf_starts, primitives, bounds } = tree;
    let size = nodes.len() / (CHUNKS_PER_THREAD * rayon::current_num_threads());
    let Some(TreeCut { above, subtrees }) = cut(nodes, size.max(MIN_CHUNK_NODES)) else {
        return false;
    };
    let before: Vec<V> = subtrees.iter().map(|&(first, _)| around(nodes, first, bounds)).collect();
    let around: Vec<Option<V>> = slices(nodes, &subtrees)
        .into_par_iter()
        .zip(before)
        .map(|((base, nodes), before)| {
            refit_part(Subtree { nodes, base, leaf_starts, primitives, before }, &mut { source })
        })
        .collect();
    for (&(first, _), around) in subtrees.iter().zip(around) {
        let Some(around) = around else { return false };
        update_parent(nodes, first, &around);
    }
    for &i in above.iter().rev() {
        let before = self::around(nodes, i, bounds);
        let part = Subtree { nodes: &mut nodes[i..=i], base: i, leaf_starts, primitives, before };
        let around = refit_part(part, &mut { source });
        let Some(around) = around else { return false };
        if i == 0 {
            *bounds = around;
        } else {
            update_parent(nodes, i, &around);
        }
    }
    true
}

/// The volume of a node, from its parent; for the root it is `bounds`.
fn around<V: TreeVolume>(nodes: &[Node8<V::Volumes8>], i: usize, bounds: &V) -> V {
    let parent = nodes[i].parent as usize;
    if i == 0 { *bounds } else { nodes[parent / 8].volumes.get(parent % 8) }
}

fn update_parent<V: TreeVolume>(nodes: &mut [Node8<V::Volumes8>], i: usize, around: &V) {
    let parent = nodes[i].parent as usize;
    nodes[parent / 8].volumes.set(parent % 8, around);
}

/// A tree in chunks. Both lists are in the order of the nodes.
struct TreeCut {
    /// Nodes that are in no chunk.
    above: Vec<usize>,
    /// The first node of each subtree, and the end.
    subtrees: Vec<(usize, usize)>,
}

/// Cuts the tree into subtrees of at most `size` nodes. Returns `None` if the nodes are not in
/// depth-first order.
fn cut<W>(nodes: &[Node8<W>], size: usize) -> Option<TreeCut> {
    let mut parts = TreeCut { above: Vec::new(), subtrees: Vec::new() };
    let mut stack = alloc::vec![(0, nodes.len())];
    while let Some((first, end)) = stack.pop() {
        if end - first <= size {
            parts.subtrees.push((first, end));
            continue;
        }
        parts.above.push(first);
        let node = &nodes[first];
        let mut behind = end;
        for lane in (0..node.len as usize).rev() {
            let child = node.child[lane];
            if child & LEAF == 0 {
                let child = child as usize;
                if child <= first || behind <= child || nodes[child].parent as usize != 8 * first + lane {
                    return None;
                }
                stack.push((child, behind));
                behind = child;
            }
        }
        if behind != first + 1 {
            return None;
        }
    }
    Some(parts)
}

/// The nodes of each chunk, with the number of its first.
fn slices<'a, W>(
    mut nodes: &'a mut [Node8<W>],
    subtrees: &[(usize, usize)],
) -> Vec<(usize, &'a mut [Node8<W>])> {
    let mut at = 0;
    let mut slices = Vec::with_capacity(subtrees.len());
    for &(first, end) in subtrees {
        let (own, behind) = nodes.split_at_mut(first - at).1.split_at_mut(end - first);
        slices.push((first, own));
        (nodes, at) = (behind, end);
    }
    slices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BuildSettings, EditedBvh};
    use carom_bounds::Aabb;
    use glam::{Vec3, Vec3Swizzles as _};

    fn row(n: usize) -> Vec<Aabb> {
        (0..n).map(|i| Vec3::new(i as f32, (i * 37 % 101) as f32, (i * i % 89) as f32)).map(around).collect()
    }

    fn around(p: Vec3) -> Aabb {
        Aabb { min: p, max: p + Vec3::ONE }
    }

    fn on_two_threads<T: Send>(work: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap().install(work)
    }

    #[test]
    fn a_built_tree_comes_apart_and_every_node_is_in_one_part() {
        let tree = Bvh::<Aabb>::build(&row(20_000), &BuildSettings::default()).unwrap();
        let n = tree.nodes.len();
        assert!(on_two_threads(|| pays(n)), "{n} nodes");
        let TreeCut { above, subtrees } = cut(&tree.nodes, MIN_CHUNK_NODES).unwrap();
        assert!(8 <= subtrees.len() && !above.is_empty());
        let in_subtrees: usize = subtrees.iter().map(|(first, end)| end - first).sum();
        assert_eq!(in_subtrees + above.len(), n);
        assert!(subtrees.windows(2).all(|pair| pair[0].1 <= pair[1].0));
    }

    #[test]
    fn an_edited_tree_is_refitted_whatever_its_order() {
        let boxes = row(20_000);
        let mut edited = EditedBvh::build(&boxes).unwrap();
        for round in 0..3000_u32 {
            let part = edited.part(round * 7 % 20_000).unwrap();
            edited.remove(part).unwrap();
            edited.insert(boxes[(round * 11 % 20_000) as usize]).unwrap();
        }
        let mut tree = edited.tree().clone();
        let moved: Vec<Aabb> = boxes.iter().map(|b| around(b.min.yzx() * 1.5)).collect();
        on_two_threads(|| tree.refit(&moved)).unwrap();
        tree.validate(&moved).unwrap();
    }
}
