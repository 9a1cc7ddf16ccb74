//! Reinsertion: removes subtrees and puts them back at the least total area.
//!
//! In a round, each of the largest subtrees searches for a better position. The search goes up
//! from the subtree, and from each ancestor down the other side. It continues while the area
//! saved, less the growth so far, can beat the best position. Then moves are made in order of
//! gain. A move is skipped if an earlier one in the round has changed a node beside it.
//!
//! Reference: D. Meister, J. Bittner, Parallel Reinsertion for Bounding Volume Hierarchy
//! Optimization, 2018; J. Bittner, M. Hapala, V. Havran, Fast Insertion-Based Optimization of
//! Bounding Volume Hierarchies, 2013.
//! Differs: a search is made only for the larger half of the nodes. A search has a limit, so that
//! boxes that all overlap take no more time. Moves are made in a fixed order.

use super::links::{Links, NONE};
use alloc::vec::Vec;

/// One node in this many searches for a better position in a round: the larger half.
const NODES_PER_SEARCH: usize = 2;

/// The maximum number of nodes in a search.
const MAX_SEARCHED_NODES: u32 = 1024;

/// A better position: under a new node beside `to`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    node: u32,
    to: u32,
    gain: f32,
}

/// Runs a number of rounds, or until no move is left.
pub(crate) fn reinsert(links: &mut Links, rounds: u32) {
    let mut touched: Vec<bool> = Vec::new();
    for _ in 0..rounds {
        let candidates = largest(links);
        let mut moves = search_all(links, &candidates);
        moves.sort_unstable_by(|a, b| b.gain.total_cmp(&a.gain).then(a.node.cmp(&b.node)));
        touched.clear();
        touched.resize(links.rows.len(), false);
        let mut n_moved = 0_usize;
        for m in &moves {
            n_moved += usize::from(apply(links, m, &mut touched));
        }
        if n_moved == 0 {
            return;
        }
    }
}

/// The largest of the nodes that have a grandparent.
fn largest(links: &Links) -> Vec<u32> {
    let n = links.rows.len() as u32;
    let mut nodes: Vec<(u32, u32)> = (0..n)
        .filter(|&i| links.parents[i as usize] != NONE && links.parents[i as usize] != links.root)
        // Areas are not negative, so the order of their bits is their order.
        .map(|i| (links.area(i).to_bits(), i))
        .collect();
    let n_largest = nodes.len().div_ceil(NODES_PER_SEARCH);
    if n_largest < nodes.len() {
        nodes.select_nth_unstable_by(n_largest, |a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        nodes.truncate(n_largest);
    }
    let mut nodes: Vec<u32> = nodes.into_iter().map(|(_, i)| i).collect();
    nodes.sort_unstable();
    nodes
}

/// The moves that reduce the area.
fn search_all(links: &Links, candidates: &[u32]) -> Vec<Move> {
    #[cfg(feature = "parallel")]
    if super::par::pays(candidates.len()) {
        return super::par::search_all(candidates, |node, stack| search(links, node, stack));
    }
    let mut stack = Vec::new();
    candidates.iter().filter_map(|&node| search(links, node, &mut stack)).collect()
}

/// The best position of a node, given by its new sibling.
fn search(links: &Links, node: u32, stack: &mut Vec<(f32, u32)>) -> Option<Move> {
    let parent = links.parents[node as usize];
    let row = &links.rows[node as usize];
    let own_area = row.half_area(links.unit);
    let mut best = Move { node, to: NONE, gain: 0.0 };
    let mut n_searched = 0;
    // The area saved above and at the pivot if the node is removed.
    let mut shrunk = links.area(parent);
    let mut pivot = parent;
    let mut without = links.rows[links.sibling(node) as usize];
    let mut other = links.sibling(node);
    loop {
        stack.push((shrunk, other));
        while let Some((gain_so_far, at)) = stack.pop() {
            // A position below costs at least the node's own area.
            if gain_so_far - own_area <= best.gain || n_searched == MAX_SEARCHED_NODES {
                continue;
            }
            n_searched += 1;
            let at_row = &links.rows[at as usize];
            let both = at_row.merged(row).half_area(links.unit);
            let gain = gain_so_far - both;
            if best.gain < gain {
                best = Move { to: at, gain, ..best };
            }
            if !links.is_leaf(at) {
                let gain_below = gain + at_row.half_area(links.unit);
                let [left, right] = links.children[at as usize];
                stack.push((gain_below, left));
                stack.push((gain_below, right));
            }
        }
        if pivot == links.root {
            break;
        }
        if pivot != parent {
            without = without.merged(&links.rows[other as usize]);
            shrunk += links.area(pivot) - without.half_area(links.unit);
        }
        other = links.sibling(pivot);
        pivot = links.parents[pivot as usize];
    }
    // A position beside the current sibling is no move.
    (best.to != NONE && best.to != links.sibling(node)).then_some(best)
}

/// Makes a move, unless another move has changed its surroundings in this round.
fn apply(links: &mut Links, m: &Move, touched: &mut [bool]) -> bool {
    let parent = links.parents[m.node as usize];
    if parent == NONE {
        return false;
    }
    let grandparent = links.parents[parent as usize];
    let sibling = links.sibling(m.node);
    let to_parent = links.parents[m.to as usize];
    if grandparent == NONE || m.to == sibling || m.to == parent {
        return false;
    }
    let around = [m.node, parent, grandparent, sibling, m.to, to_parent];
    if around.iter().any(|&i| i != NONE && touched[i as usize]) {
        return false;
    }
    // An earlier move may have brought the position below the node.
    let mut up = m.to;
    while up != NONE {
        if up == m.node {
            return false;
        }
        up = links.parents[up as usize];
    }
    for i in around {
        if i != NONE {
            touched[i as usize] = true;
        }
    }
    links.replace_child(sibling, grandparent, parent);
    // The parent is free now, and becomes the parent at the new position. The parent may have been
    // beside that position before.
    let to_parent = links.parents[m.to as usize];
    links.children[parent as usize] = [m.to, m.node];
    links.replace_child(parent, to_parent, m.to);
    links.parents[m.to as usize] = parent;
    links.parents[m.node as usize] = parent;
    for from in [grandparent, parent] {
        let mut up = from;
        while up != NONE {
            links.refit(up);
            up = links.parents[up as usize];
        }
    }
    true
}
