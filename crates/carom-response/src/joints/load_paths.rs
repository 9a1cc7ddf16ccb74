//! The loads that bodies carry between others, by the graph of joints.
//!
//! A body between two heavy ones transmits the force that accelerates the lighter of these. A
//! light body at the end of a chain transmits nothing, whatever the chain hangs on. So consider
//! the paths through a body, without repeated bodies, that connect two other bodies. The load of
//! the body is the mass of the lighter end, for the path on which this mass is largest.
//!
//! 1. Two bodies are the ends of such a path through a third one in two cases. They are on
//!    different sides of it, or all three are in one block. A block is a set of bodies that stays
//!    connected if any one of them is removed.
//! 2. A depth-first search finds the blocks. They form a tree with the bodies that connect them.
//! 3. One pass from the leaves and one from the root find, for each body of a block, the heaviest
//!    body behind it. The second largest of these values around a body is its load.
//! 4. The time is linear in the number of joints. The order of the joints does not matter (test:
//!    `the_load_is_that_of_the_best_path`).
//!
//! Reference: J. Hopcroft, R. Tarjan, Algorithm 447: Efficient Algorithms for Graph Manipulation,
//! CACM 16(6), 1973 (blocks).

use alloc::vec::Vec;
use carom_math::Real;

#[cfg(test)]
mod tests;

/// The two least values around a body, and the least values that came from two different blocks.
#[derive(Clone, Copy, Debug)]
struct Around {
    least: [Real; 2],
    /// By block: the least value with its block, and the least value of the other blocks.
    of_blocks: [Real; 2],
    block: u32,
}

impl Around {
    const NONE: Around =
        Around { least: [Real::INFINITY; 2], of_blocks: [Real::INFINITY; 2], block: u32::MAX };

    fn add(&mut self, value: Real) {
        if value < self.least[0] {
            self.least = [value, self.least[0]];
        } else {
            self.least[1] = self.least[1].min(value);
        }
    }

    fn add_block(&mut self, block: u32, value: Real) {
        if value < self.of_blocks[0] {
            (self.of_blocks, self.block) = ([value, self.of_blocks[0]], block);
        } else {
            self.of_blocks[1] = self.of_blocks[1].min(value);
        }
    }

    /// Returns the least value of the blocks other than this one.
    fn behind(&self, block: u32) -> Real {
        self.of_blocks[usize::from(self.block == block)]
    }
}

/// The search for blocks, with its result and its reused memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoadPaths {
    /// The neighbours of vertex `v` are `neighbours[starts[v]..starts[v + 1]]`.
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    /// The position in the order of the visit, from 1; 0 before the visit.
    visited: Vec<u32>,
    /// The earliest vertex that the subtree of a vertex reaches.
    low: Vec<u32>,
    /// The vertices on the path of the search, with their parents and the next neighbour.
    path: Vec<(u32, u32, u32)>,
    /// The vertices whose block is not complete.
    open: Vec<u32>,
    /// The bodies of all blocks. The last one of each block is its root.
    members: Vec<u32>,
    /// The end of each block in `members`. Blocks come before those nearer to the root.
    ends: Vec<u32>,
    around: Vec<Around>,
}

impl LoadPaths {
    /// Finds the loads. `inverse` has the inverse mass of each vertex; it is 0 for a fixed one.
    /// `links` are pairs of vertices, and a pair may repeat.
    pub(crate) fn find(&mut self, inverse: &[Real], links: impl Iterator<Item = (usize, usize)> + Clone) {
        let n = inverse.len();
        self.connect(n, links);
        for list in [&mut self.visited, &mut self.low] {
            list.clear();
            list.resize(n, 0);
        }
        self.around.clear();
        self.around.resize(n, Around::NONE);
        self.members.clear();
        self.ends.clear();
        let mut time = 0;
        for root in 0..n {
            if self.visited[root] == 0 && self.starts[root] < self.starts[root + 1] {
                self.search(root as u32, &mut time, inverse);
            }
        }
        self.pass_down(inverse);
    }

    /// Returns the inverse of the load of a vertex. It is infinite if the vertex carries none.
    pub(crate) fn inverse_load(&self, vertex: usize) -> Real {
        self.around[vertex].least[1]
    }

    /// Sorts the neighbours by vertex.
    fn connect(&mut self, n: usize, links: impl Iterator<Item = (usize, usize)> + Clone) {
        self.starts.clear();
        self.starts.resize(n + 2, 0);
        for (a, b) in links.clone() {
            self.starts[a + 2] += 1;
            self.starts[b + 2] += 1;
        }
        for v in 2..n + 2 {
            self.starts[v] += self.starts[v - 1];
        }
        self.neighbours.clear();
        self.neighbours.resize(self.starts[n + 1] as usize, 0);
        for (a, b) in links {
            for (from, to) in [(a, b), (b, a)] {
                let entry = &mut self.starts[from + 1];
                self.neighbours[*entry as usize] = to as u32;
                *entry += 1;
            }
        }
    }

    /// Finds the blocks of a connected part, leaves first.
    fn search(&mut self, root: u32, time: &mut u32, inverse: &[Real]) {
        self.enter(root, root, time);
        while let Some(top) = self.path.last_mut() {
            let (vertex, parent, next) = *top;
            if next < self.starts[vertex as usize + 1] {
                top.2 += 1;
                let other = self.neighbours[next as usize];
                if self.visited[other as usize] == 0 {
                    self.enter(other, vertex, time);
                } else if other != parent {
                    let low = &mut self.low[vertex as usize];
                    *low = (*low).min(self.visited[other as usize]);
                }
                continue;
            }
            self.path.pop();
            if vertex == root {
                self.open.pop();
                continue;
            }
            let low = self.low[vertex as usize];
            self.low[parent as usize] = self.low[parent as usize].min(low);
            if self.visited[parent as usize] <= low {
                self.close_block(vertex, parent, inverse);
            }
        }
    }

    fn enter(&mut self, vertex: u32, parent: u32, time: &mut u32) {
        *time += 1;
        (self.visited[vertex as usize], self.low[vertex as usize]) = (*time, *time);
        self.path.push((vertex, parent, self.starts[vertex as usize]));
        self.open.push(vertex);
    }

    /// Makes a block of `root` and the open vertices from `first` on. The heaviest bodies behind
    /// these are known, so `root` gets the heaviest of all.
    fn close_block(&mut self, first: u32, root: u32, inverse: &[Real]) {
        let block = self.ends.len() as u32;
        let mut least = Real::INFINITY;
        while let Some(member) = self.open.pop() {
            self.members.push(member);
            least = least.min(inverse[member as usize].min(self.around[member as usize].of_blocks[0]));
            if member == first {
                break;
            }
        }
        self.members.push(root);
        self.ends.push(self.members.len() as u32);
        self.around[root as usize].add_block(block, least);
    }

    /// Visits the blocks from the root on. When a block is visited, the values behind its root are
    /// complete.
    fn pass_down(&mut self, inverse: &[Real]) {
        for block in (0..self.ends.len()).rev() {
            let start = if block == 0 { 0 } else { self.ends[block - 1] };
            let members = &self.members[start as usize..self.ends[block] as usize];
            // The three least values, and their members.
            let mut least = [(Real::INFINITY, u32::MAX); 3];
            for &member in members {
                let value = inverse[member as usize].min(self.around[member as usize].behind(block as u32));
                let index = least.iter().take_while(|other| other.0 <= value).count();
                if index < 3 {
                    least[index..].rotate_right(1);
                    least[index] = (value, member);
                }
            }
            let (last, root) = (members.len() - 1, members[members.len() - 1]);
            for (k, &member) in members.iter().enumerate() {
                let around = &mut self.around[member as usize];
                let mut others = least.iter().filter(|other| other.1 != member).map(|other| other.0);
                let first = others.next().unwrap_or(Real::INFINITY);
                around.add(first);
                around.add(others.next().unwrap_or(Real::INFINITY));
                if k < last {
                    debug_assert!(member != root, "a body is in a block once");
                    around.add_block(block as u32, first);
                }
            }
        }
    }
}
