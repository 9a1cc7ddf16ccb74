//! The narrow phase on several threads, in chunks of the list of active pairs. The results have
//! the same bits as on one thread.
//!
//! Each chunk writes its manifolds to its own range (room) of the common list:
//!
//! - The room has slightly more than the size that the chunk needed in the last step. Unused
//!   entries cost memory, and later phases have to skip them.
//! - Manifolds that do not fit are appended behind all rooms. Pair states refer to their manifolds
//!   by index, so their order does not matter.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5.
//! Tried: an output for each chunk, joined or copied afterwards; 1.01x to 1.05x slower. See
//! `benches/notes/carom-world.md`.

use crate::contacts::narrow::{self, Row, Tally};
use crate::contacts::scene::Scene;
use crate::contacts::sink::Sink;
use alloc::vec::Vec;
use carom_geom::Manifold;
use carom_math::Vec3;
use rayon::prelude::*;

/// The number of pairs of a chunk: about 20 to 60 microseconds of work.
const CHUNK_PAIRS: usize = 256;

/// Less new memory than this, in bytes, is written by one thread.
const MIN_PARALLEL_BYTES: usize = 1 << 16;

/// Updates pair states like [`narrow::update_all`], but leaves unused entries between the
/// manifolds of chunks.
///
/// `counts` is the number of manifolds of each chunk in the last call, and is updated.
pub(crate) fn update_all(
    scene: &Scene<'_>,
    row: Row<'_>,
    counts: &mut Vec<u32>,
    out: &mut Vec<Manifold>,
) -> Tally {
    let n_states = row.states.len();
    if n_states <= CHUNK_PAIRS || rayon::current_num_threads() == 1 {
        counts.clear();
        return narrow::update_all(scene, row, out);
    }
    let n_chunks = n_states.div_ceil(CHUNK_PAIRS);
    // If the number of chunks changed much, chunks have other pairs, and old counts are useless.
    let is_like_before = counts.len().abs_diff(n_chunks) <= n_chunks / 64;
    counts.resize(n_chunks, 0);
    let least = if is_like_before { 0 } else { CHUNK_PAIRS / 2 };
    let room_for = |&count: &u32| least.max((count + count / 64) as usize + 2);
    // Old contents are overwritten.
    resize(out, counts.iter().map(room_for).sum(), Manifold::new(Vec3::ZERO));
    let mut rest = &mut out[..];
    let Row { states, indices, caches } = row;
    let mut row = Row { states: &mut *states, indices, caches };
    let mut begin = 0;
    let mut chunks = Vec::with_capacity(n_chunks);
    for count in counts.iter_mut() {
        let n = room_for(count);
        let (room, behind) = core::mem::take(&mut rest).split_at_mut(n);
        let (own, others) = row.split_at(CHUNK_PAIRS);
        chunks.push((own, begin, room, count));
        (row, rest) = (others, behind);
        begin += n;
    }
    // Without a maximal length, rayon makes tasks so large that threads wait for the last one.
    let of_chunks = chunks.into_par_iter().enumerate().with_max_len(1).fold(
        || (ChunkResult::default(), Vec::new()),
        |(mut result, mut pair_scratch), (chunk, (row, begin, room, count))| {
            let mut room = Room::new(room, &mut pair_scratch);
            narrow::update_pairs(scene, (row, chunk * CHUNK_PAIRS), begin, &mut room, &mut result.tally);
            *count = (room.n + room.beyond.len()) as u32;
            if room.is_full {
                result.beyond.push((chunk, begin + room.room.len(), room.beyond));
            }
            (result, pair_scratch)
        },
    );
    let ChunkResult { tally, beyond } =
        of_chunks.map(|(result, _)| result).reduce(ChunkResult::default, ChunkResult::and);
    for (chunk, end, found) in beyond {
        let places_behind = (out.len() - end) as u32;
        let own = states.chunks_mut(CHUNK_PAIRS).nth(chunk).unwrap_or_default();
        for state in own.iter_mut().filter(|state| end <= state.first as usize) {
            state.first += places_behind;
        }
        out.extend_from_slice(&found);
    }
    tally
}

/// Resizes a list like [`Vec::resize`]. The first write to new memory is slow (page faults), so
/// all threads share it.
fn resize<T: Clone + Send>(list: &mut Vec<T>, n: usize, value: T) {
    let n_more = n.saturating_sub(list.len());
    if size_of::<T>() * n_more <= MIN_PARALLEL_BYTES {
        return list.resize(n, value);
    }
    list.reserve(n_more);
    list.par_extend(rayon::iter::repeat_n(value, n_more));
}

/// The room for the manifolds of a chunk, and a list of the manifolds that do not fit.
struct Room<'a> {
    room: &'a mut [Manifold],
    /// The number of manifolds in the room.
    n: usize,
    /// Whether a manifold did not fit. All later ones go to `beyond` too, so that they stay in
    /// order.
    is_full: bool,
    beyond: Vec<Manifold>,
    /// Scratch memory for one pair.
    pair_scratch: &'a mut Vec<Manifold>,
}

impl<'a> Room<'a> {
    fn new(room: &'a mut [Manifold], pair_scratch: &'a mut Vec<Manifold>) -> Room<'a> {
        Room { room, n: 0, is_full: false, beyond: Vec::new(), pair_scratch }
    }
}

impl Sink for Room<'_> {
    fn len(&self) -> usize {
        if self.is_full { self.room.len() + self.beyond.len() } else { self.n }
    }
    #[inline]
    fn make_room(&mut self, n: usize) {
        self.is_full |= self.room.len() < self.n + n;
    }
    #[inline]
    fn push(&mut self, manifold: &Manifold) -> &mut Manifold {
        if self.is_full {
            return Sink::push(&mut self.beyond, manifold);
        }
        let place = &mut self.room[self.n];
        *place = *manifold;
        self.n += 1;
        place
    }
    fn find(&mut self, find: impl FnOnce(&mut Vec<Manifold>)) -> &[Manifold] {
        let mut pair_scratch = core::mem::take(self.pair_scratch);
        pair_scratch.clear();
        pair_scratch.find(find);
        self.make_room(pair_scratch.len());
        for manifold in &pair_scratch {
            self.push(manifold);
        }
        *self.pair_scratch = pair_scratch;
        self.pair_scratch
    }
}

/// Counts of some chunks.
#[derive(Default)]
struct ChunkResult {
    tally: Tally,
    /// Chunks with more manifolds than room: the chunk, the end of its room, and the manifolds that
    /// did not fit.
    beyond: Vec<(usize, usize, Vec<Manifold>)>,
}

impl ChunkResult {
    /// Joins these counts with those of the chunks that follow.
    fn and(mut self, mut other: ChunkResult) -> ChunkResult {
        let (all, own) = (&mut self.tally, &mut other.tally);
        all.n_tested += own.n_tested;
        all.n_recycled += own.n_recycled;
        all.n_found += own.n_found;
        all.n_deferred += own.n_deferred;
        all.n_still += own.n_still;
        all.left.append(&mut own.left);
        all.resting.append(&mut own.resting);
        self.beyond.append(&mut other.beyond);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifolds_without_room_come_behind_and_stay_together() {
        let numbered = |k: usize| Manifold::new(Vec3::splat(k as f32));
        let all: Vec<Manifold> = (0..5).map(numbered).collect();
        for n_room in 0..7 {
            let mut room = alloc::vec![Manifold::new(Vec3::ZERO); n_room];
            let mut pair_scratch = Vec::new();
            let mut sink = Room::new(&mut room, &mut pair_scratch);
            sink.make_room(1);
            sink.push(&numbered(0));
            let found = sink.find(|out| (1..4).for_each(|k| out.push(numbered(k)))).to_vec();
            assert_eq!(found, [numbered(1), numbered(2), numbered(3)]);
            // One and three manifolds: all, the first, or none fit. So it is for the place behind
            // the last.
            let index_of = |n: usize, n_in: usize| if n <= n_in { n } else { n_room + n - n_in };
            let n_in = [1, 4].into_iter().rfind(|&n| n <= n_room).unwrap_or(0);
            assert_eq!(sink.len(), index_of(4, n_in), "{n_room}");
            assert!(sink.find(|_| {}).is_empty());
            sink.make_room(1);
            sink.push(&numbered(4));
            let n_in = if n_in == 4 && 5 <= n_room { 5 } else { n_in };
            assert_eq!(sink.len(), index_of(5, n_in), "{n_room}");
            let (n, beyond) = (sink.n, sink.beyond);
            assert_eq!((n, beyond.len()), (n_in, 5 - n_in), "{n_room}");
            assert_eq!(room[..n_in], all[..n_in]);
            assert_eq!(beyond, all[n_in..]);
        }
    }
}
