//! Joins clusters from below: on the Morton curve, two that each find the other the best of their
//! neighbours.
//!
//! Every cluster looks at a few to either side on the curve for the one with which the common box
//! is smallest; of equals, the one whose place differs in the lower bits, so that even and odd
//! places of equal boxes find each other. Pairs that chose each other are joined, and the list
//! closes up. Rounds go on until one is left.
//!
//! Reference: D. Meister, J. Bittner, Parallel Locally-Ordered Clustering for Bounding Volume
//! Hierarchy Construction, 2018.
//! Differs: where few chose each other, as in a row of ever smaller gaps, choices are granted in
//! order; where that joins few as well, neighbours are joined as they stand. So every round takes
//! an eighth away, and the time is that of O(n) looks.

use super::links::{Links, NONE};
use alloc::vec::Vec;

/// How far a cluster looks to either side.
const RADIUS: usize = 8;

/// At least one in this many clusters is joined to another in each round.
const SLOWEST: usize = 8;

/// From leaves to a tree.
pub(crate) fn join(links: &mut Links) {
    let mut active: Vec<u32> = (0..links.rows.len() as u32).collect();
    let mut next = Vec::new();
    let mut best: Vec<u64> = Vec::new();
    let mut mates: Vec<u32> = Vec::new();
    while 1 < active.len() {
        look(links, &active, &mut best);
        let n_joined = choose(&best, &mut mates);
        debug_assert!(active.len() <= SLOWEST * n_joined, "every round makes progress");
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

/// For every place the least of (area of the common box, place xor other place), as one number.
fn look(links: &Links, active: &[u32], best: &mut Vec<u64>) {
    best.clear();
    best.resize(active.len(), u64::MAX);
    let key = |i: usize, j: usize| {
        // Areas are not negative, so their bits are ordered as they are.
        let area = links.area_of_both(active[i], active[j]).to_bits();
        u64::from(area) << 32 | (i ^ j) as u64
    };
    #[cfg(feature = "parallel")]
    if super::par::pays(active.len()) {
        return super::par::look(best, RADIUS, key);
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

/// Who is joined with whom, by place; how many pairs.
fn choose(best: &[u64], mates: &mut Vec<u32>) -> usize {
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
    if n <= SLOWEST * n_joined {
        return n_joined;
    }
    for i in 0..n {
        let j = choice(i);
        if mates[i] == NONE && mates[j] == NONE {
            join(mates, i, j);
            n_joined += 1;
        }
    }
    if n <= SLOWEST * n_joined {
        return n_joined;
    }
    mates.fill(NONE);
    for i in (1..n).step_by(2) {
        join(mates, i - 1, i);
    }
    n / 2
}
