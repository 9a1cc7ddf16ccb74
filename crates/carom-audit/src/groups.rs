//! Groups of bodies that meet: a disjoint-set forest over the numbers of the bodies.
//!
//! Reference: R. Tarjan, Efficiency of a Good but not Linear Set Union Algorithm, 1975 (path halving; the smaller number leads).

use alloc::vec::Vec;

/// Disjoint sets of numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    leader: Vec<u32>,
}

impl Groups {
    /// All of `n` numbers in sets of their own.
    pub(crate) fn reset(&mut self, n: usize) {
        self.leader.clear();
        self.leader.extend(0..n as u32);
    }

    /// The leader of the set of a number.
    pub(crate) fn leader(&mut self, mut number: usize) -> usize {
        while self.leader[number] as usize != number {
            let next = self.leader[self.leader[number] as usize];
            self.leader[number] = next;
            number = next as usize;
        }
        number
    }

    /// Joins the sets of two numbers.
    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.leader(a), self.leader(b));
        self.leader[a.max(b)] = a.min(b) as u32;
    }
}
