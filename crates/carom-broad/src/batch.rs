//! Batches of spatial queries: the answers to each query, in the order of the queries.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5 (independent queries are
//! split among threads).

use crate::{BoxHit, SpatialIndex};
use alloc::vec::Vec;
use carom_bounds::{Aabb, Frustum};
use carom_math::{Interval, Ray};
use glam::Vec3;
#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// The answers to many queries, in one array.
///
/// Memory: 8 bytes per query on 64-bit machines, and the answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Answers<T> {
    /// For each query, the end of its answers.
    ends: Vec<usize>,
    items: Vec<T>,
}

impl<T> Default for Answers<T> {
    fn default() -> Answers<T> {
        Answers::new()
    }
}

impl<T> Answers<T> {
    /// Returns the answers to no queries.
    pub const fn new() -> Answers<T> {
        Answers { ends: Vec::new(), items: Vec::new() }
    }

    /// Returns the number of queries.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there were no queries.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the answers to this query; none if there was no such query.
    pub fn of(&self, query: usize) -> &[T] {
        let begin = query.checked_sub(1).map_or(Some(&0), |before| self.ends.get(before));
        match (begin, self.ends.get(query)) {
            (Some(&begin), Some(&end)) => &self.items[begin..end],
            _ => &[],
        }
    }

    /// Returns the answers to each query in turn.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        (0..self.len()).map(|query| self.of(query))
    }

    /// Returns all answers, those to the first query first.
    pub fn all(&self) -> &[T] {
        &self.items
    }

    /// Replaces these by the answers to `queries`. `query_fn` gets scratch memory, the number of
    /// the query, the query, and an empty vector to fill. `memory` makes the scratch, which is
    /// reused from query to query. An answer must not depend on earlier use of the scratch,
    /// because rayon threads run the queries with the feature `parallel`.
    ///
    /// ```
    /// use carom_broad::Answers;
    ///
    /// let mut divisors = Answers::new();
    /// divisors.gather(&[6, 7], || (), |_, _, n, out| out.extend((1..=*n).filter(|d| n % d == 0)));
    /// assert_eq!(divisors.of(0), [1, 2, 3, 6]);
    /// assert_eq!(divisors.of(1), [1, 7]);
    /// ```
    pub fn gather<Q: Sync, M>(
        &mut self,
        queries: &[Q],
        memory: impl Fn() -> M + Sync,
        query_fn: impl Fn(&mut M, usize, &Q, &mut Vec<T>) + Sync,
    ) where
        T: Send,
    {
        self.clear();
        #[cfg(feature = "parallel")]
        answer_in_chunks(queries, self, memory, query_fn);
        #[cfg(not(feature = "parallel"))]
        answer_chunk(queries, 0, self, memory(), query_fn);
    }

    /// Removes all answers and keeps the capacity.
    pub(crate) fn clear(&mut self) {
        self.ends.clear();
        self.items.clear();
    }

    /// Moves the answers to one more query out of `items`.
    pub(crate) fn push(&mut self, items: &mut Vec<T>) {
        self.items.append(items);
        self.ends.push(self.items.len());
    }

    /// Appends the answers to more queries.
    #[cfg(feature = "parallel")]
    pub(crate) fn append(&mut self, mut more: Answers<T>) {
        let n = self.items.len();
        self.items.append(&mut more.items);
        self.ends.extend(more.ends.iter().map(|end| n + end));
    }
}

/// Batches of queries to a [`SpatialIndex`]. With the feature `parallel` they run on rayon threads
/// and give the same answers.
pub trait SpatialBatch: SpatialIndex + Sync {
    /// Makes `out` the answers of [`SpatialIndex::overlapping`].
    fn overlapping_batch(&self, queries: &[Aabb], out: &mut Answers<u32>) {
        answer(queries, out, |query, out| self.overlapping(query, out));
    }

    /// Makes `out` the answers of [`SpatialIndex::in_frustum`].
    fn in_frustum_batch(&self, queries: &[Frustum], out: &mut Answers<u32>) {
        answer(queries, out, |query, out| self.in_frustum(query, out));
    }

    /// Makes `out` the answers of [`SpatialIndex::ray_hits`].
    fn ray_hits_batch(&self, queries: &[(Ray, Interval)], out: &mut Answers<BoxHit>) {
        answer(queries, out, |(ray, interval), out| self.ray_hits(ray, *interval, out));
    }

    /// Makes `out` the answers of [`SpatialIndex::first_hit`]: one or none per query.
    fn first_hit_batch(&self, queries: &[(Ray, Interval)], out: &mut Answers<BoxHit>) {
        answer(queries, out, |(ray, interval), out| out.extend(self.first_hit(ray, *interval)));
    }

    /// Makes `out` the answers of [`SpatialIndex::nearest`]: one or none per query.
    fn nearest_batch(&self, queries: &[(Vec3, f32)], out: &mut Answers<BoxHit>) {
        answer(queries, out, |(point, max_distance), out| out.extend(self.nearest(*point, *max_distance)));
    }
}

impl<I: SpatialIndex + Sync + ?Sized> SpatialBatch for I {}

/// Answers the queries in order; the first has the number `first`.
pub(crate) fn answer_chunk<Q, T, M>(
    queries: &[Q],
    first: usize,
    out: &mut Answers<T>,
    mut memory: M,
    query_fn: impl Fn(&mut M, usize, &Q, &mut Vec<T>),
) {
    let mut items = Vec::new();
    for (number, query) in (first..).zip(queries) {
        query_fn(&mut memory, number, query, &mut items);
        out.push(&mut items);
    }
}

/// Answers queries that need no scratch memory.
fn answer<Q: Sync, T: Send>(queries: &[Q], out: &mut Answers<T>, query_fn: impl Fn(&Q, &mut Vec<T>) + Sync) {
    out.gather(queries, || (), |(), _, query, found| query_fn(query, found));
}

/// Queries per chunk: some 50 microseconds of work.
#[cfg(feature = "parallel")]
const CHUNK_QUERIES: usize = 64;

/// Like [`answer_chunk`], with scratch memory for each chunk.
#[cfg(feature = "parallel")]
fn answer_in_chunks<Q: Sync, T: Send, M>(
    queries: &[Q],
    out: &mut Answers<T>,
    memory: impl Fn() -> M + Sync,
    query_fn: impl Fn(&mut M, usize, &Q, &mut Vec<T>) + Sync,
) {
    if queries.len() <= CHUNK_QUERIES || rayon::current_num_threads() == 1 {
        return answer_chunk(queries, 0, out, memory(), query_fn);
    }
    let from_chunks: Vec<Answers<T>> = queries
        .par_chunks(CHUNK_QUERIES)
        .enumerate()
        .map(|(number, chunk)| {
            let mut answers = Answers::new();
            answer_chunk(chunk, number * CHUNK_QUERIES, &mut answers, memory(), &query_fn);
            answers
        })
        .collect();
    from_chunks.into_iter().for_each(|chunk| out.append(chunk));
}
