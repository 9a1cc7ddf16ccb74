//! A buffer to which pairs are written quickly and in any order.
//!
//! Reference: D. Lemire et al., SIMD Compression and the Intersection of Sorted Integers, 2016
//! (the selected lanes of eight are stored at once).

use alloc::vec::Vec;

/// The pairs of a search, unsorted. Inner loops may write eight at a time; see
/// [`PairBuffer::room`].
///
/// Memory: 8 bytes per pair, and up to as much again while it grows.
#[derive(Clone, Debug, Default)]
pub struct PairBuffer {
    low: Vec<u32>,
    high: Vec<u32>,
    n: usize,
    /// Box against box tests, counted per lane.
    pub tests: u64,
    /// Cells, lists or nodes visited.
    pub nodes: u64,
    /// Candidates kept for the next search.
    pub candidates: u64,
    /// Number of rebuilds of a persistent structure.
    pub rebuilds: u64,
}

impl PairBuffer {
    /// Returns a buffer without pairs.
    pub const fn new() -> PairBuffer {
        PairBuffer { low: Vec::new(), high: Vec::new(), n: 0, tests: 0, nodes: 0, candidates: 0, rebuilds: 0 }
    }

    /// Removes everything and keeps the capacity.
    pub fn clear(&mut self) {
        self.n = 0;
        (self.tests, self.nodes, self.candidates, self.rebuilds) = (0, 0, 0, 0);
    }

    /// Returns the number of pairs.
    #[inline]
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Adds the pair of two different indices, in either order.
    #[inline]
    pub fn push(&mut self, a: u32, b: u32) {
        let n = self.n;
        let (low, high) = self.room(1);
        if let (Some(low), Some(high)) = (low.first_mut(), high.first_mut()) {
            (*low, *high) = if a < b { (a, b) } else { (b, a) };
        }
        self.n = n + 1;
    }

    /// Returns room for at least `more` pairs: the smaller indices and the larger ones. Written
    /// pairs count after [`PairBuffer::advance`].
    #[inline]
    pub fn room(&mut self, more: usize) -> (&mut [u32], &mut [u32]) {
        if self.low.len() < self.n + more {
            let size = (self.n + more).max(self.low.len() * 2);
            self.low.resize(size, 0);
            self.high.resize(size, 0);
        }
        (&mut self.low[self.n..], &mut self.high[self.n..])
    }

    /// Counts this many of the pairs written to the room. A count larger than the room is reduced.
    #[inline]
    pub fn advance(&mut self, n: usize) {
        self.n = (self.n + n).min(self.low.len());
    }

    /// Adds the pairs and the counts of another.
    pub fn append(&mut self, other: &PairBuffer) {
        let n = other.len();
        let (low, high) = self.room(n);
        low[..n].copy_from_slice(other.low());
        high[..n].copy_from_slice(other.high());
        self.advance(n);
        self.tests += other.tests;
        self.nodes += other.nodes;
        self.candidates += other.candidates;
        self.rebuilds += other.rebuilds;
    }

    /// Returns the smaller index of each pair.
    #[inline]
    pub fn low(&self) -> &[u32] {
        &self.low[..self.n]
    }

    /// Returns the larger index of each pair.
    #[inline]
    pub fn high(&self) -> &[u32] {
        &self.high[..self.n]
    }

    /// Returns the bytes of memory in use or kept.
    pub fn bytes(&self) -> usize {
        4 * (self.low.capacity() + self.high.capacity())
    }
}
