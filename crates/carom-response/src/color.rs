//! Colours: contacts of one colour share no moving body, so they can be solved at once, in lanes or
//! by threads.
//!
//! Greedy, in the order of the contacts: the lowest colour that neither body has yet. Contacts with
//! something that cannot move come after all others, so that the floor has the last word. The
//! colours, and so the answer, depend on the order of contacts alone. A body with more contacts
//! than colours gets the rest from another set of colours, and so on: one at a time they would be
//! 1.5 GB of lanes of ten thousand bodies at one point, and most of them empty.
//!
//! Reference: E. Catto, Simulation Islands and Solver2D, box2d.org, 2023 and 2024 (graph
//! colouring); D. J. A. Welsh, M. B. Powell, An upper bound for the chromatic number of a graph,
//! Computer Journal 10, 1967.

use alloc::vec::Vec;
use carom_geom::MAX_CONTACTS;

/// Bits of a word: colours for contacts of two moving bodies, and as many for those of one.
const N_COLORS: usize = 64;

/// Manifolds of one colour that are sorted by how many contacts they have, in the mean: as few as
/// can be, so that bodies stay near those whose numbers are near.
const BLOCK: usize = 256;

const MOST_BLOCKS: usize = 32;

/// Colours that a pile has.
const USUAL_COLORS: usize = 16;

/// Where there is no manifold in an order.
pub(crate) const NOBODY: u32 = u32::MAX;

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
    /// Per manifold, its place in `order`; before that its bin, by colour, block, and number of
    /// contacts, the most first.
    places: Vec<u32>,
    n_blocks: usize,
    /// The first body of each block; one more at the end.
    bounds: Vec<u32>,
    /// The block of each body.
    block_of: Vec<u8>,
    /// Per bin, where its manifolds end in `order`.
    ends: Vec<u32>,
    /// Manifolds sorted by their bins; each colour begins at a multiple of eight, and [`NOBODY`]
    /// fills the places between.
    order: Vec<u32>,
}

impl Coloring {
    /// Colours so many manifolds of bodies numbered below `n_bodies`.
    ///
    /// In a colour those with equally many contacts come together, so that lanes with few of them
    /// do not wait for those with many: of a pile of 10,000 boxes, 2.6 contacts in the mean, the
    /// most of eight are 4 nearly always.
    ///
    /// False, and they are in no order, if there is one that moves nobody.
    pub(crate) fn color(
        &mut self,
        n_bodies: usize,
        n_manifolds: usize,
        sides: impl Fn(usize) -> Sides,
    ) -> bool {
        self.divide(n_bodies, n_manifolds);
        let Coloring { used, left, places, n_blocks, bounds, block_of, ends, order } = self;
        let mut n_in = [0; MOST_BLOCKS];
        // All are written over.
        places.resize(n_manifolds, 0);
        left.clear();
        left.extend(0..n_manifolds as u32);
        ends.clear();
        let mut n_colors = 0;
        let mut move_somebody = true;
        while !left.is_empty() || n_colors == 0 {
            used.clear();
            used.resize(n_bodies, [0; 2]);
            ends.resize(ends.len() + 2 * N_COLORS * *n_blocks * MAX_CONTACTS, 0);
            left.retain(|&manifold| {
                let Sides { movable, n_contacts } = sides(manifold as usize);
                move_somebody &= movable != [None; 2];
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
                places[manifold as usize] = bin as u32;
                ends[bin] += 1;
                false
            });
            n_colors += 2 * N_COLORS;
        }
        if !move_somebody {
            return false;
        }
        balance(bounds, &n_in[..*n_blocks]);
        // Counting sort: where bins begin, and then, one manifold after the other, end.
        let mut sum = 0;
        for bins in ends.chunks_mut(*n_blocks * MAX_CONTACTS) {
            for bin in bins {
                sum += core::mem::replace(bin, sum);
            }
            sum = sum.next_multiple_of(8);
        }
        order.clear();
        order.resize(sum as usize, NOBODY);
        for (manifold, place) in places.iter_mut().enumerate() {
            let end = &mut ends[*place as usize];
            *place = *end;
            order[*end as usize] = manifold as u32;
            *end += 1;
        }
        true
    }

    /// Puts bodies that follow each other into blocks.
    fn divide(&mut self, n_bodies: usize, n_manifolds: usize) {
        let Coloring { n_blocks, bounds, block_of, .. } = self;
        *n_blocks = (n_manifolds / (USUAL_COLORS * BLOCK)).clamp(1, MOST_BLOCKS);
        if 1 < *n_blocks {
            // Two threads have equally many.
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

    /// The manifolds, in groups of eight of one colour, colour by colour; [`NOBODY`] stands in the
    /// last group of a colour where there are no more.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Of each manifold, its place in that order.
    pub(crate) fn places(&self) -> &[u32] {
        &self.places
    }

    /// How many groups there are.
    pub(crate) fn n_groups(&self) -> usize {
        self.order.len() / 8
    }

    /// Of each colour that has any manifolds, the first group of each of its blocks. Who shares a
    /// group with the block before is in that one.
    ///
    /// All colours have equally many blocks. In which one a manifold is depends on the first body
    /// that it moves, whatever its colour.
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

    /// Blocks of a colour.
    pub(crate) fn n_blocks(&self) -> usize {
        self.n_blocks.max(1)
    }
}

/// Moves the bounds of blocks that have so many manifolds to where all would have equally many, if
/// bodies had as many as their neighbours: for the next step, which is much like this one. Which
/// manifolds are in one block does not change what they do.
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
        // Nobody, and nobody in some blocks.
        for n_in in [[0; 4], [0, 7, 0, 0], [0, 0, 0, 5]] {
            let mut bounds = [0, 10, 10, 40, 50];
            balance(&mut bounds, &n_in);
            assert!(bounds.is_sorted() && bounds[4] == 50, "{bounds:?}");
        }
    }
}
