//! Inserts leaves one by one at the least growth of the tree, and rotates on the way back.
//!
//! A search from the root finds the node whose new sibling the leaf becomes. At each node it
//! enters the child that grows less first. The other child is searched later, if it may still be
//! better. On the way up, each node may exchange a child with a grandchild if a box becomes
//! smaller. Leaves are inserted in random order: in spatial order the tree would lean towards its
//! growing side.
//!
//! Reference: J. Goldsmith, J. Salmon, Automatic Creation of Object Hierarchies for Ray Tracing,
//! 1987; Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.1 and figure 25.6; A. Kensler,
//! Tree Rotations for Improving Bounding Volume Hierarchies, 2008; J. Bittner, M. Hapala, V.
//! Havran, Incremental BVH Construction for Ray Tracing, 2015 (the search beyond the first path).
//! Differs: the search is limited in nodes and in depth. So nested boxes, whose best tree is a
//! chain, take no more time.

use super::links::{Links, NONE};
use alloc::vec::Vec;
use carom_math::splitmix;

/// The maximum number of nodes in a search. Greedy descent alone makes trees twice as expensive
/// over real parts.
const MAX_SEARCHED_NODES: u32 = 128;

/// The maximum depth of a search. The written tree has the depth bound of all builders: see
/// [`Links::write`].
const DEEPEST: u32 = 64;

/// Builds a tree from leaves.
pub(crate) fn insert_all(links: &mut Links) {
    let n = links.rows.len() as u32;
    let mut order: Vec<u32> = (0..n).collect();
    shuffle(&mut order);
    let mut order = order.into_iter();
    links.root = order.next().unwrap_or(0);
    let mut stack = Vec::new();
    for leaf in order {
        insert(links, leaf, &mut stack);
    }
}

/// Shuffles a list, in the same way every time.
pub(crate) fn shuffle(order: &mut [u32]) {
    let mut state = 0_u64;
    for i in (1..order.len()).rev() {
        let bits = splitmix::next(&mut state);
        // The upper half times the length, shifted back: without a division.
        let other = ((bits >> 32) * (i as u64 + 1)) >> 32;
        order.swap(i, other as usize);
    }
}

fn insert(links: &mut Links, leaf: u32, stack: &mut Vec<Candidate>) {
    let node = find_sibling(links, leaf, stack);
    let above = links.parents[node as usize];
    let parent = links.join(node, leaf);
    links.replace_child(parent, above, node);
    let mut up = above;
    while up != NONE {
        rotate(links, up);
        links.refit(up);
        up = links.parents[up as usize];
    }
}

/// A node that the new leaf may become the sibling of, or go below.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    node: u32,
    depth: u32,
    /// The sum of the growths of the areas above.
    growth: f32,
}

/// The node whose new sibling makes the tree grow least.
fn find_sibling(links: &Links, leaf: u32, stack: &mut Vec<Candidate>) -> u32 {
    let own_area = links.area(leaf);
    let (mut best, mut least) = (links.root, f32::INFINITY);
    let mut max_nodes = 0;
    stack.push(Candidate { node: links.root, depth: 0, growth: 0.0 });
    while let Some(at) = stack.pop() {
        // A position below costs at least the leaf's own area.
        if least <= at.growth + own_area || max_nodes == MAX_SEARCHED_NODES {
            continue;
        }
        max_nodes += 1;
        let both = links.area_of_both(at.node, leaf);
        if at.growth + both < least {
            (best, least) = (at.node, at.growth + both);
        }
        if links.is_leaf(at.node) || DEEPEST <= at.depth {
            continue;
        }
        let growth = at.growth + (both - links.area(at.node));
        let [left, right] = links.children[at.node as usize];
        let cost = |child: u32| links.area_of_both(child, leaf) - links.area(child);
        // Ties go to the child with fewer primitives, so equal boxes make a balanced tree.
        let n = |child: u32| links.rows[child as usize].count();
        let (cost_left, cost_right) = (cost(left), cost(right));
        let left_first = cost_left < cost_right || (cost_left == cost_right && n(left) <= n(right));
        let [first, second] = if left_first { [left, right] } else { [right, left] };
        stack.push(Candidate { node: second, depth: at.depth + 1, growth });
        stack.push(Candidate { node: first, depth: at.depth + 1, growth });
    }
    best
}

/// Exchanges a child and a grandchild if the box between them becomes smaller. The best of four
/// exchanges is made.
fn rotate(links: &mut Links, node: u32) {
    let mut gain = 0.0;
    let mut best = None;
    let children = links.children[node as usize];
    for (side, &inner) in children.iter().enumerate() {
        if links.is_leaf(inner) {
            continue;
        }
        let other = children[1 - side];
        let area = links.area(inner);
        for i in 0..2 {
            let kept = links.children[inner as usize][1 - i];
            let gained = area - links.area_of_both(kept, other);
            if gain < gained {
                (gain, best) = (gained, Some((side, i)));
            }
        }
    }
    let Some((side, i)) = best else { return };
    let (inner, other) = (children[side], children[1 - side]);
    let moved = links.children[inner as usize][i];
    links.children[inner as usize][i] = other;
    links.children[node as usize][1 - side] = moved;
    links.parents[other as usize] = inner;
    links.parents[moved as usize] = node;
    links.refit(inner);
}
