//! Colours: contacts of one colour share no moving body, so they can be solved at once, in lanes or by threads.
//!
//! Greedy, in the order of the contacts: the lowest colour that neither body has yet. Contacts with something
//! that cannot move come after all others, so that the floor has the last word. The colours, and so the answer,
//! depend on the order of contacts alone. A body with more contacts than colours gets the rest from another set of colours, and
//! so on: one at a time they would be 1.5 GB of lanes of ten thousand bodies at one point, and most of them empty.
//!
//! Reference: E. Catto, Simulation Islands and Solver2D, box2d.org, 2023 and 2024 (graph colouring); D. J. A. Welsh,
//! M. B. Powell, An upper bound for the chromatic number of a graph, Computer Journal 10, 1967.

use alloc::vec::Vec;
use carom_geom::MAX_CONTACTS;

/// Bits of a word: colours for contacts of two moving bodies, and as many for those of one.
const N_COLORS: usize = 64;

/// Manifolds of one colour that are sorted by how many contacts they have, in the mean: as few as can be, so that the bodies of a colour
/// stay in their order, by which threads divide it.
const BLOCK: usize = 256;

/// Colours that a pile has.
const USUAL_COLORS: usize = 16;

/// A manifold, as the colours see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides {
    /// The bodies that it moves.
    pub(crate) movable: [Option<u32>; 2],
    /// At most [`MAX_CONTACTS`].
    pub(crate) n_contacts: u8,
}

/// Which manifolds make up which colour.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coloring {
    /// Per body, the colours it has: with moving bodies, with others.
    used: Vec<[u64; 2]>,
    /// The manifolds that have no colour of this set.
    left: Vec<u32>,
    /// Per manifold, where it is sorted: by colour, block, and number of contacts, the most first.
    bins: Vec<u32>,
    n_blocks: usize,
    /// Per bin: where its manifolds begin in `order`. One more at the end.
    starts: Vec<u32>,
    /// Manifolds sorted by their bins.
    order: Vec<u32>,
}

impl Coloring {
    /// Colours so many manifolds of bodies numbered below `n_bodies`.
    ///
    /// In a colour those with equally many contacts come together, so that lanes with few of them do not wait for those with many: of a pile
    /// of 10,000 boxes, 2.6 contacts in the mean, the most of eight are 4 nearly always.
    pub(crate) fn color(&mut self, n_bodies: usize, n_manifolds: usize, sides: impl Fn(usize) -> Sides) {
        let Coloring { used, left, bins, n_blocks, starts, order } = self;
        *n_blocks = (n_manifolds / (USUAL_COLORS * BLOCK)).clamp(1, 32);
        if 1 < *n_blocks {
            // Two threads have equally many.
            *n_blocks &= !1;
        }
        let per_block = n_manifolds.div_ceil(*n_blocks).max(1);
        bins.clear();
        bins.resize(n_manifolds, 0);
        left.clear();
        left.extend(0..n_manifolds as u32);
        starts.clear();
        starts.push(0);
        let mut n_colors = 0;
        while !left.is_empty() || n_colors == 0 {
            used.clear();
            used.resize(n_bodies, [0; 2]);
            starts.resize(starts.len() + 2 * N_COLORS * *n_blocks * MAX_CONTACTS, 0);
            left.retain(|&manifold| {
                let Sides { movable, n_contacts } = sides(manifold as usize);
                let kind = usize::from(movable.contains(&None));
                let mut taken = 0;
                for body in movable.into_iter().flatten() {
                    taken |= used[body as usize][kind];
                }
                let free = (!taken).trailing_zeros() as usize;
                if free == N_COLORS {
                    return true;
                }
                for body in movable.into_iter().flatten() {
                    used[body as usize][kind] |= 1 << free;
                }
                let color = n_colors + kind * N_COLORS + free;
                let block = color * *n_blocks + manifold as usize / per_block;
                let bin = block * MAX_CONTACTS + MAX_CONTACTS.saturating_sub(usize::from(n_contacts));
                bins[manifold as usize] = bin as u32;
                starts[bin + 1] += 1;
                false
            });
            n_colors += 2 * N_COLORS;
        }
        // Counting sort.
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        order.clear();
        order.resize(n_manifolds, 0);
        for (manifold, &bin) in bins.iter().enumerate() {
            let place = &mut starts[bin as usize];
            order[*place as usize] = manifold as u32;
            *place += 1;
        }
        // The starts have moved to where the next bin begins.
        starts.rotate_right(1);
        starts[0] = 0;
    }

    /// The manifolds, colour by colour.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Of each colour that has any, the manifolds, and where each of its blocks begins among them.
    ///
    /// All colours have equally many blocks, and a manifold is in the same block whatever its colour.
    pub(crate) fn classes(&self) -> impl Iterator<Item = (&[u32], impl Iterator<Item = u32>)> {
        let n_blocks = self.n_blocks();
        let starts = self.starts.chunks(n_blocks * MAX_CONTACTS);
        let ends = self.starts.iter().skip(n_blocks * MAX_CONTACTS).step_by(n_blocks * MAX_CONTACTS);
        let classes = starts.zip(ends).map(|(starts, &end)| {
            let first = starts[0];
            let blocks = starts.iter().step_by(MAX_CONTACTS).map(move |start| start - first);
            (&self.order[first as usize..end as usize], blocks)
        });
        classes.filter(|(members, _)| !members.is_empty())
    }

    /// Blocks of a colour.
    pub(crate) fn n_blocks(&self) -> usize {
        self.n_blocks.max(1)
    }
}
