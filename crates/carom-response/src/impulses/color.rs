//! Graph colouring: contacts of one colour share no moving body, so lanes and threads can solve
//! them in parallel.
//!
//! - The colouring is greedy, in the order of the contacts: each contact gets the lowest colour
//!   that neither of its bodies has yet.
//! - Contacts with a body that cannot move come after all others, so that the floor is solved last.
//! - The colours, and so the results, depend only on the order of contacts.
//! - If a body has more contacts than there are colours, its remaining contacts are coloured with
//!   another set. With one colour for each of them, almost all lanes would be empty.
//!
//! Reference: E. Catto, Simulation Islands and Solver2D, box2d.org, 2023 and 2024 (graph
//! colouring); D. J. A. Welsh, M. B. Powell, An upper bound for the chromatic number of a graph,
//! Computer Journal 10, 1967.

use alloc::vec::Vec;
use carom_geom::MAX_CONTACTS;

/// The number of colours for contacts of two moving bodies, and for contacts of one: bits of a
/// word.
const N_COLORS: usize = 64;

/// The mean number of manifolds of one colour that are sorted by their number of contacts. A small
/// number keeps manifolds of neighbouring bodies together.
const BLOCK: usize = 256;

const MAX_BLOCKS: usize = 32;

/// The usual number of colours of a pile.
const USUAL_COLORS: usize = 16;

/// An empty entry of an order.
pub(crate) const EMPTY_LANE: u32 = u32::MAX;

/// A manifold, as input of the colouring.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides {
    /// The bodies that it moves.
    pub(crate) movable: [Option<u32>; 2],
    /// At most [`MAX_CONTACTS`].
    pub(crate) n_contacts: u8,
}

/// The colour and position of each manifold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coloring {
    /// By body, the colours in use: for contacts of two moving bodies, and for contacts of one.
    used: Vec<[u64; 2]>,
    /// The manifolds without a colour of this set.
    uncolored: Vec<u32>,
    /// By manifold, its position in `order`. Before sorting: its bin, by colour, block, and number
    /// of contacts in descending order.
    lanes: Vec<u32>,
    n_blocks: usize,
    /// The first body of each block. The last entry is the number of bodies.
    bounds: Vec<u32>,
    /// The block of each body.
    block_of: Vec<u8>,
    /// The end of the manifolds of each bin in `order`.
    ends: Vec<u32>,
    /// Manifolds sorted by bin. Each colour begins at a multiple of eight; [`EMPTY_LANE`] fills the
    /// gaps.
    order: Vec<u32>,
}

impl Coloring {
    /// Colours `n_manifolds` manifolds of bodies with indices below `n_bodies`.
    ///
    /// Within a colour, manifolds with equal numbers of contacts are adjacent. Otherwise almost
    /// every group of eight would have a manifold with four contacts, and lanes with fewer would
    /// be wasted.
    ///
    /// Returns false, without an order, if a manifold has no movable body.
    pub(crate) fn color(
        &mut self,
        n_bodies: usize,
        n_manifolds: usize,
        sides: impl Fn(usize) -> Sides,
    ) -> bool {
        self.divide(n_bodies, n_manifolds);
        let Coloring { used, uncolored, lanes, n_blocks, bounds, block_of, ends, order } = self;
        let mut n_in = [0; MAX_BLOCKS];
        // All entries are overwritten.
        lanes.resize(n_manifolds, 0);
        uncolored.clear();
        uncolored.extend(0..n_manifolds as u32);
        ends.clear();
        let mut n_colors = 0;
        let mut are_all_moved = true;
        while !uncolored.is_empty() || n_colors == 0 {
            used.clear();
            used.resize(n_bodies, [0; 2]);
            ends.resize(ends.len() + 2 * N_COLORS * *n_blocks * MAX_CONTACTS, 0);
            uncolored.retain(|&manifold| {
                let Sides { movable, n_contacts } = sides(manifold as usize);
                are_all_moved &= movable != [None; 2];
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
                let block = movable.into_iter().flatten().next().map_or(0, |body| block_of[body as usize]);
                n_in[usize::from(block)] += 1;
                let block = color * *n_blocks + usize::from(block);
                let bin = block * MAX_CONTACTS + MAX_CONTACTS.saturating_sub(usize::from(n_contacts));
                lanes[manifold as usize] = bin as u32;
                ends[bin] += 1;
                false
            });
            n_colors += 2 * N_COLORS;
        }
        if !are_all_moved {
            return false;
        }
        balance(bounds, &n_in[..*n_blocks]);
        // Counting sort: `ends` first has the begin of each bin. When its manifolds are placed, it
        // moves to the end.
        let mut sum = 0;
        for bins in ends.chunks_mut(*n_blocks * MAX_CONTACTS) {
            for bin in bins {
                sum += core::mem::replace(bin, sum);
            }
            sum = sum.next_multiple_of(8);
        }
        order.clear();
        order.resize(sum as usize, EMPTY_LANE);
        for (manifold, entry) in lanes.iter_mut().enumerate() {
            let end = &mut ends[*entry as usize];
            *entry = *end;
            order[*end as usize] = manifold as u32;
            *end += 1;
        }
        true
    }

    /// Divides the bodies into blocks of consecutive indices.
    fn divide(&mut self, n_bodies: usize, n_manifolds: usize) {
        let Coloring { n_blocks, bounds, block_of, .. } = self;
        *n_blocks = (n_manifolds / (USUAL_COLORS * BLOCK)).clamp(1, MAX_BLOCKS);
        if 1 < *n_blocks {
            // An even number, so that two threads have equally many.
            *n_blocks &= !1;
        }
        if bounds.len() != *n_blocks + 1 {
            bounds.clear();
            bounds.extend((0..=*n_blocks).map(|block| (block * n_bodies / *n_blocks) as u32));
        }
        for bound in bounds.iter_mut() {
            *bound = (*bound).min(n_bodies as u32);
        }
        bounds[*n_blocks] = n_bodies as u32;
        block_of.resize(n_bodies, 0);
        for (block, bounds) in bounds.windows(2).enumerate() {
            block_of[bounds[0] as usize..bounds[1] as usize].fill(block as u8);
        }
    }

    /// Returns the manifolds in groups of eight, colour by colour. The last group of a colour is
    /// filled with [`EMPTY_LANE`].
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Returns the position of each manifold in that order: its lane among the lanes of all groups.
    pub(crate) fn lanes(&self) -> &[u32] {
        &self.lanes
    }

    /// Returns the number of groups.
    pub(crate) fn n_groups(&self) -> usize {
        self.order.len() / 8
    }

    /// Returns the first group of each block, for each colour that is not empty. A group that two
    /// blocks share belongs to the earlier block.
    ///
    /// All colours have the same number of blocks. The block of a manifold depends on its first
    /// movable body, not on its colour.
    pub(crate) fn classes(&self) -> impl Iterator<Item = impl Iterator<Item = u32>> {
        let mut first = 0;
        let classes = self.ends.chunks(self.n_blocks() * MAX_CONTACTS).filter_map(move |ends| {
            let end = ends.last().map_or(first, |end| end.next_multiple_of(8));
            (first < end).then(|| (core::mem::replace(&mut first, end), ends))
        });
        classes.map(|(first, ends)| {
            let ends_before = ends.iter().skip(MAX_CONTACTS - 1).step_by(MAX_CONTACTS);
            core::iter::once(first)
                .chain(ends_before.copied())
                .take(self.n_blocks())
                .map(|end| end.div_ceil(8))
        })
    }

    /// Returns the number of blocks of a colour.
    pub(crate) fn n_blocks(&self) -> usize {
        self.n_blocks.max(1)
    }
}

/// Moves the bounds of blocks so that the next step has about as many manifolds in each. It assumes
/// that neighbouring bodies have similar numbers of manifolds. The division into blocks does not
/// change results.
fn balance(bounds: &mut [u32], n_in: &[u32]) {
    let n: u64 = n_in.iter().map(|&n| u64::from(n)).sum();
    let before: Vec<u32> = bounds.to_vec();
    let (mut block, mut sum) = (0, 0);
    for k in 1..n_in.len() {
        let wanted = n * k as u64 / n_in.len() as u64;
        while block + 1 < n_in.len() && sum + u64::from(n_in[block]) < wanted {
            sum += u64::from(n_in[block]);
            block += 1;
        }
        let (first, size) = (before[block], before[block + 1] - before[block]);
        let part = (wanted - sum) * u64::from(size) / u64::from(n_in[block].max(1));
        bounds[k] = first + part.min(u64::from(size)) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_move_to_where_blocks_have_equally_many() {
        // 10 manifolds a body in the second half of 1000 bodies, 1 in the first.
        let n_of = |body: u32| if body < 500 { 1 } else { 10 };
        let mut bounds = [0, 250, 500, 750, 1000];
        let count = |bounds: &[u32; 5]| -> Vec<u32> {
            bounds.windows(2).map(|b| (b[0]..b[1]).map(n_of).sum()).collect()
        };
        for _ in 0..4 {
            let n_in = count(&bounds);
            balance(&mut bounds, &n_in);
            assert!(bounds.is_sorted() && bounds[0] == 0 && bounds[4] == 1000);
        }
        let n_in = count(&bounds);
        assert!(n_in.iter().all(|&n| n.abs_diff(5500 / 4) <= 20), "{n_in:?}");
        // No manifolds at all, and none in some blocks.
        for n_in in [[0; 4], [0, 7, 0, 0], [0, 0, 0, 5]] {
            let mut bounds = [0, 10, 10, 40, 50];
            balance(&mut bounds, &n_in);
            assert!(bounds.is_sorted() && bounds[4] == 50, "{bounds:?}");
        }
    }
}
