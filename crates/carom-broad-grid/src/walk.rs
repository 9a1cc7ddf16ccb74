//! Finds the cells that must be searched against each other.
//!
//! For loose cells, one walk descends from the top. Each cell is visited with its 26 neighbours.
//! The neighbours of a child are children of these, so no lookup is needed. Each cell also has a
//! list of cells of higher levels whose boxes may reach into it. Its children keep those that may
//! reach them. Tight cells are searched only against the cells that contain them.
//!
//! Reference: H. Samet, Neighbor Finding in Images Represented by Octrees, 1989 (neighbours of a
//! child from those of its parent); T. Ulrich, Loose Octrees, Game Programming Gems, 2000.

use crate::nodes::{Key, N_LEVELS, NONE, Nodes, REACH};
use alloc::vec::Vec;

/// A cell and its neighbours, x fastest, itself in the middle; [`NONE`] for a missing one.
type Around = [u32; 27];

/// The index of the middle of [`Around`].
const SELF: usize = 13;

/// The result of the walk.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellPartners {
    /// The nodes with members.
    pub(crate) occupied: Vec<u32>,
    /// For each of them, the end of its partners, which begin at the end of the previous ones.
    ends: Vec<u32>,
    partners: Vec<u32>,
    /// Nodes with members, of higher levels, that may reach the current cell.
    upper: Vec<u32>,
}

impl CellPartners {
    /// Finds the partners of loose cells: neighbours, and cells of other levels that may reach
    /// them. It walks from the top.
    pub(crate) fn find_loose(&mut self, nodes: &Nodes) {
        self.clear();
        for &root in &nodes.roots {
            let own = nodes.nodes[root as usize].key.at;
            let mut around = [NONE; 27];
            for &other in &nodes.roots {
                // Top cells touch the origin, so all are neighbours.
                let at = nodes.nodes[other as usize].key.at;
                let [x, y, z] = [0, 1, 2].map(|axis| (at[axis] - own[axis] + 1) as usize);
                around[(z * 3 + y) * 3 + x] = other;
            }
            self.walk(nodes, &around, 0);
        }
    }

    /// Finds the partners of tight cells: the one cell around them on each higher level. There are
    /// few levels, so these are looked up.
    pub(crate) fn find_tight(&mut self, nodes: &Nodes) {
        self.clear();
        let occupied = || (0..nodes.nodes.len() as u32).filter(|&i| 0 < nodes.nodes[i as usize].n);
        let mut is_used = [false; N_LEVELS];
        for number in occupied() {
            is_used[nodes.nodes[number as usize].key.level as usize] = true;
        }
        let levels = &mut self.upper;
        levels.extend((0..N_LEVELS as u32).filter(|&level| is_used[level as usize]));
        for number in occupied() {
            let key = nodes.nodes[number as usize].key;
            self.occupied.push(number);
            let above = levels.iter().map(|&level| level as i32).filter(|&level| key.level < level);
            let above = above.filter_map(|level| nodes.find(key.ancestor(level)));
            self.partners.extend(above.filter(|&other| 0 < nodes.nodes[other as usize].n));
            self.ends.push(self.partners.len() as u32);
        }
    }

    fn clear(&mut self) {
        let CellPartners { occupied, ends, partners, upper } = self;
        [occupied, ends, partners, upper].into_iter().for_each(Vec::clear);
    }

    /// Returns the partners of a node, by its index in the list of occupied ones.
    pub(crate) fn partners(&self, index: usize) -> &[u32] {
        let begin = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.partners[begin..self.ends[index] as usize]
    }

    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        let CellPartners { occupied, ends, partners, upper } = self;
        4 * [occupied, ends, partners, upper].map(Vec::capacity).iter().sum::<usize>()
    }

    /// Walks the middle cell and its descendants; `upper` from `first` on belongs to this cell.
    fn walk(&mut self, nodes: &Nodes, around: &Around, first: usize) {
        let is_occupied = |other: u32| other != NONE && 0 < nodes.nodes[other as usize].n;
        let number = around[SELF];
        if is_occupied(number) {
            self.occupied.push(number);
            self.partners.extend_from_slice(&self.upper[first..]);
            // For two neighbours, the first in order makes the query.
            self.partners.extend(around[SELF + 1..].iter().copied().filter(|&other| is_occupied(other)));
            self.ends.push(self.partners.len() as u32);
        }
        let children = nodes.nodes[number as usize].children;
        for octant in (0..8).filter(|&octant| children[octant] != NONE) {
            let begin = self.upper.len();
            let child = nodes.nodes[children[octant] as usize].key;
            for i in first..begin {
                let other = self.upper[i];
                if reaches(nodes.nodes[other as usize].key, child) {
                    self.upper.push(other);
                }
            }
            let near = around.iter().copied().filter(|&other| is_occupied(other));
            self.upper.extend(near.filter(|&other| reaches(nodes.nodes[other as usize].key, child)));
            let mut around_child = [NONE; 27];
            for (index, slot) in around_child.iter_mut().enumerate() {
                let (parent, of_parent) = AROUND_CHILD[octant][index];
                if let Some(parent) = nodes.nodes.get(around[parent as usize] as usize) {
                    *slot = parent.children[of_parent as usize];
                }
            }
            self.walk(nodes, &around_child, begin);
            self.upper.truncate(begin);
        }
    }
}

/// Whether boxes of the first cell or its descendants may touch boxes of the second or its
/// descendants.
fn reaches(a: Key, b: Key) -> bool {
    let ((a, side_a), (b, side_b)) = (a.corner(), b.corner());
    (0..3).all(|axis| {
        a[axis] - REACH * side_a <= b[axis] + (1.0 + REACH) * side_b
            && b[axis] - REACH * side_b <= a[axis] + (1.0 + REACH) * side_a
    })
}

/// For each child of a cell and each neighbour of the child: the neighbour of the cell, and which
/// child of that it is.
static AROUND_CHILD: [[(u8, u8); 27]; 8] = around_child();

const fn around_child() -> [[(u8, u8); 27]; 8] {
    let mut table = [[(0, 0); 27]; 8];
    let mut octant = 0;
    while octant < 8 {
        let mut index = 0;
        while index < 27 {
            // In cells of the child's size, from the cell's least corner, plus 2 to stay positive.
            let x = (octant & 1) + index % 3 + 1;
            let y = (octant >> 1 & 1) + index / 3 % 3 + 1;
            let z = (octant >> 2) + index / 9 + 1;
            table[octant][index] =
                (((z / 2 * 3 + y / 2) * 3 + x / 2) as u8, ((z % 2 * 2 + y % 2) * 2 + x % 2) as u8);
            index += 1;
        }
        octant += 1;
    }
    table
}
