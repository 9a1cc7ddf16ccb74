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

/// Bits of a word: colours for contacts of two moving bodies, and as many for those of one.
const N_COLORS: usize = 64;

/// Which contacts make up which colour.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coloring {
    /// Per body, the colours it has: with moving bodies, with others.
    used: Vec<[u64; 2]>,
    /// Per contact, whom it moves.
    sides: Vec<(Option<u32>, Option<u32>)>,
    /// The contacts that have no colour of this set.
    left: Vec<u32>,
    /// Per contact, its colour.
    color: Vec<u32>,
    /// Per colour, in the order in which they are solved: where its contacts begin in `order`. One more at the end.
    starts: Vec<u32>,
    /// Contacts sorted by colour.
    order: Vec<u32>,
}

impl Coloring {
    /// Colours contacts between bodies numbered below `n_bodies`; `None` for a side that cannot move.
    pub(crate) fn color(
        &mut self,
        n_bodies: usize,
        contacts: impl Iterator<Item = (Option<u32>, Option<u32>)>,
    ) {
        self.sides.clear();
        self.sides.extend(contacts);
        self.color.clear();
        self.color.resize(self.sides.len(), 0);
        self.left.clear();
        self.left.extend(0..self.sides.len() as u32);
        let mut n_colors = 0;
        loop {
            self.used.clear();
            self.used.resize(n_bodies, [0; 2]);
            let Coloring { used, color, sides, left, .. } = self;
            left.retain(|&contact| {
                let (a, b) = sides[contact as usize];
                let kind = usize::from(a.is_none() || b.is_none());
                let mut taken = 0;
                for body in [a, b].into_iter().flatten() {
                    taken |= used[body as usize][kind];
                }
                let free = (!taken).trailing_zeros();
                if free as usize == N_COLORS {
                    return true;
                }
                for body in [a, b].into_iter().flatten() {
                    used[body as usize][kind] |= 1 << free;
                }
                color[contact as usize] = n_colors + (kind * N_COLORS) as u32 + free;
                false
            });
            n_colors += 2 * N_COLORS as u32;
            if left.is_empty() {
                break;
            }
        }
        // Counting sort.
        self.starts.clear();
        self.starts.resize(n_colors as usize + 1, 0);
        for &color in &self.color {
            self.starts[color as usize + 1] += 1;
        }
        for k in 0..n_colors as usize {
            self.starts[k + 1] += self.starts[k];
        }
        self.order.clear();
        self.order.resize(self.color.len(), 0);
        for (contact, &color) in self.color.iter().enumerate() {
            let place = &mut self.starts[color as usize];
            self.order[*place as usize] = contact as u32;
            *place += 1;
        }
        // The starts have moved to where the next colour begins.
        for k in (0..n_colors as usize).rev() {
            self.starts[k + 1] = self.starts[k];
        }
        self.starts[0] = 0;
    }

    /// The contacts, colour by colour.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// The contacts of each colour that has any.
    pub(crate) fn classes(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|w| &self.order[w[0] as usize..w[1] as usize]).filter(|c| !c.is_empty())
    }
}
