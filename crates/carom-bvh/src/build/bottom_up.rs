//! Bottom-up build: joins clusters on the Morton curve that are each other's best neighbour.
//!
//! Each cluster tests a few neighbours before and after it on the curve for the smallest common
//! box. On ties, the neighbour is taken whose index differs in the lower bits. So even and odd
//! indices of equal boxes pair up. Mutual pairs are joined, and the list is compacted. Rounds go
//! on until one cluster is left.
//!
//! Reference: D. Meister, J. Bittner, Parallel Locally-Ordered Clustering for Bounding Volume
//! Hierarchy Construction, 2018.
//! Differs: if few pairs are mutual, as in a row of ever smaller gaps, each cluster in turn gets
//! its choice, if both are free. If that joins few as well, adjacent clusters are joined. So each
//! round removes at least an eighth of the clusters, and the time is O(n).

use super::links::{Links, NONE};
use alloc::vec::Vec;

/// The number of neighbours that a cluster tests on either side.
const RADIUS: usize = 8;

/// In each round there is at least one join for this many clusters.
const MAX_CLUSTERS_PER_JOIN: usize = 8;

/// Builds a tree from leaves.
pub(crate) fn join(links: &mut Links) {
    let mut active: Vec<u32> = (0..links.rows.len() as u32).collect();
    let mut next = Vec::new();
    let mut best: Vec<u64> = Vec::new();
    let mut mates: Vec<u32> = Vec::new();
    while 1 < active.len() {
        find_best_neighbours(links, &active, &mut best);
        let n_joined = choose_mates(&best, &mut mates);
        debug_assert!(active.len() <= MAX_CLUSTERS_PER_JOIN * n_joined, "every round makes progress");
        next.clear();
        for (i, &mate) in mates.iter().enumerate() {
            if mate == NONE {
                next.push(active[i]);
            } else if i < mate as usize {
                next.push(links.join(active[i], active[mate as usize]));
            }
        }
        core::mem::swap(&mut active, &mut next);
    }
    links.root = active.first().copied().unwrap_or(0);
}

/// Finds for each index the least pair (area of the common box, index xor other index), packed
/// into one number.
fn find_best_neighbours(links: &Links, active: &[u32], best: &mut Vec<u64>) {
    best.clear();
    best.resize(active.len(), u64::MAX);
    let key = |i: usize, j: usize| {
        // Areas are not negative, so the order of their bits is their order.
        let area = links.area_of_both(active[i], active[j]).to_bits();
        u64::from(area) << 32 | (i ^ j) as u64
    };
    #[cfg(feature = "parallel")]
    if super::par::pays(active.len()) {
        return super::par::find_best_neighbours(best, RADIUS, key);
    }
    for i in 0..active.len() {
        let last = (i + RADIUS).min(active.len() - 1);
        for j in i + 1..=last {
            let key = key(i, j);
            best[i] = best[i].min(key);
            best[j] = best[j].min(key);
        }
    }
}

/// Chooses the mate of each index. Returns the number of pairs.
fn choose_mates(best: &[u64], mates: &mut Vec<u32>) -> usize {
    let choice = |i: usize| i ^ best[i] as u32 as usize;
    let n = best.len();
    mates.clear();
    mates.resize(n, NONE);
    let mut n_joined = 0;
    let join = |mates: &mut [u32], i: usize, j: usize| {
        mates[i] = j as u32;
        mates[j] = i as u32;
    };
    for i in 0..n {
        let j = choice(i);
        if i < j && choice(j) == i {
            join(mates, i, j);
            n_joined += 1;
        }
    }
    if n <= MAX_CLUSTERS_PER_JOIN * n_joined {
        return n_joined;
    }
    for i in 0..n {
        let j = choice(i);
        if mates[i] == NONE && mates[j] == NONE {
            join(mates, i, j);
            n_joined += 1;
        }
    }
    if n <= MAX_CLUSTERS_PER_JOIN * n_joined {
        return n_joined;
    }
    mates.fill(NONE);
    for i in (1..n).step_by(2) {
        join(mates, i - 1, i);
    }
    n / 2
}
