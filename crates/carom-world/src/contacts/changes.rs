//! Changes of the pairs: the difference of two sorted lists, and the edits that update the table of
//! pair states.
//!
//! The pair states are a sorted table with gaps (a packed-memory array). Without gaps, each change
//! would move all pair states behind it. Pair states are large, so this would be slow in a pile.
//!
//! - A removed pair state becomes a gap. The narrow phase skips gaps.
//! - A new pair gets the place of the nearest gap, and only the pair states between them move.
//! - If no gap is near, a range around the new pair is rebuilt with regular gaps.
//! - If there are too many gaps, they are removed in parts. Each step moves some pair states
//!   towards the start. The gaps collect in one run, the *compaction front*, which moves to the end
//!   of the table.
//! - If there are far too many gaps or too few, or the table is small, the whole table is rebuilt.
//!
//! All moves are first computed on the list of pairs, which is small. The resulting edits are then
//! applied to pair states and caches, each on its own thread.
//!
//! Reference: A. Itai, A. Konheim, M. Rodeh, A Sparse Table Implementation of Priority Queues,
//! ICALP 1981 (a sorted table with gaps).
//! Differs: gaps are redistributed only when they run out or become too many.
//! Tried: a table without gaps; removing all gaps at once. See `benches/notes/carom-world.md`.

use crate::contacts::pair_state::PairState;
use crate::contacts::pair_states::{Edit, PairStates};
use alloc::vec::Vec;
use carom_broad::Pair;
use carom_response::shrink_unused;
use core::ops::Range;

/// The number of pairs that are compared at once.
const BLOCK_PAIRS: usize = 32;

/// A table of fewer pair states has no gaps.
const MIN_GAPPED_PAIRS: usize = 4096;

/// A rebuilt range has one gap in each run of this many places.
const GAP_SPACING: usize = 64;

/// If more than one in `COMPACTION_SPACING` places is a gap, gaps are removed in parts. If more
/// than one in `REBUILD_SPACING` is, all are removed at once.
const COMPACTION_SPACING: usize = 16;
const REBUILD_SPACING: usize = 4;

/// The number of pair states that a step moves while gaps are removed, and the number that it
/// moves in addition for each removed pair. The 32 moves for a new gap close two old ones, because
/// one in 16 places is a gap. So compaction ends.
const PAIRS_PER_COMPACTION: usize = 2048;
const PAIRS_PER_REMOVAL: usize = 2 * COMPACTION_SPACING;

/// Words of the bit set that are searched for a gap on each side. With 16, twice as many pair
/// states moved in a falling pile.
const MAX_SEARCH_WORDS: usize = 2;

/// The least number of places on each side that are rebuilt if no gap is near.
const MIN_REBUILD_REACH: usize = 512;

/// The places that are gaps, one bit for each. Places beyond the last word are not gaps.
#[derive(Clone, Debug, Default)]
pub(crate) struct FreeSlots {
    words: Vec<u64>,
    n: usize,
    /// Whether gaps are being removed in parts.
    is_compacting: bool,
    /// The front of the compaction: a run of gaps. Places before it are rebuilt already.
    front: Range<usize>,
}

impl FreeSlots {
    #[cfg(test)]
    fn has(&self, index: usize) -> bool {
        self.words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    fn add(&mut self, index: usize) {
        if self.words.len() <= index / 64 {
            self.words.resize(index / 64 + 1, 0);
        }
        self.words[index / 64] |= 1 << (index % 64);
        self.n += 1;
    }

    fn remove(&mut self, index: usize) {
        self.words[index / 64] &= !(1 << (index % 64));
        self.n -= 1;
        let Range { start, end } = self.front;
        if self.front.contains(&index) {
            self.front = if index - start < end - index { index + 1..end } else { start..index };
        }
    }

    /// Clears the bits of these places.
    fn clear(&mut self, range: Range<usize>) {
        let mut index = range.start;
        while index < range.end {
            let end = range.end.min((index / 64 + 1) * 64);
            if let Some(word) = self.words.get_mut(index / 64) {
                let mask = (!0 << (index % 64)) & (!0 >> (63 - (end - 1) % 64));
                self.n -= (*word & mask).count_ones() as usize;
                *word &= !mask;
            }
            index = end;
        }
    }

    /// Counts the gaps in these places. The range starts at a multiple of 64.
    fn count(&self, range: Range<usize>) -> usize {
        let words = self.words.iter().take(range.end.div_ceil(64)).skip(range.start / 64);
        let beyond = self.words.get(range.end / 64).map_or(0, |word| word >> (range.end % 64));
        let beyond = if range.end.is_multiple_of(64) { 0 } else { beyond.count_ones() };
        words.map(|word| word.count_ones()).sum::<u32>().saturating_sub(beyond) as usize
    }

    /// Returns the end of a range from `start` on with at least `n_kept` pair states.
    fn end_of(&self, start: usize, n_kept: usize) -> usize {
        let (mut word, mut n) = (start / 64, 0);
        while n < n_kept + start % 64 {
            n += self.words.get(word).map_or(64, |bits| bits.count_zeros() as usize);
            word += 1;
        }
        word * 64
    }

    /// Returns the compaction front, a run of gaps; usually it is empty.
    pub(crate) fn front(&self) -> Range<usize> {
        self.front.clone()
    }

    /// Returns the first gap from `index` on, or `end` if that comes first.
    fn next(&self, index: usize, end: usize) -> usize {
        let mut word = index / 64;
        let mut bits = self.words.get(word).map_or(0, |bits| bits & (!0 << (index % 64)));
        while bits == 0 {
            word += 1;
            match self.words.get(word) {
                Some(&more) if word * 64 < end => bits = more,
                _ => return end,
            }
        }
        end.min(word * 64 + bits.trailing_zeros() as usize)
    }

    /// Returns the place after a gap, or after the whole compaction front.
    fn after(&self, gap: usize) -> usize {
        if self.front.contains(&gap) { self.front.end } else { gap + 1 }
    }

    /// Returns the nearest gap before `index` and the nearest one from there on, if they are near.
    fn around(&self, index: usize) -> [Option<usize>; 2] {
        let word = index / 64;
        let above = !0 << (index % 64);
        let bits = |word: usize| self.words.get(word).copied().unwrap_or(0);
        let below_in = |at: usize| if at == word { bits(at) & !above } else { bits(at) };
        let above_in = |at: usize| if at == word { bits(at) & above } else { bits(at) };
        let last = |at: usize| at * 64 + 63 - below_in(at).leading_zeros() as usize;
        let first = |at: usize| at * 64 + above_in(at).trailing_zeros() as usize;
        let below =
            (word.saturating_sub(MAX_SEARCH_WORDS)..=word).rev().find(|&at| below_in(at) != 0).map(last);
        let above = (word..=word + MAX_SEARCH_WORDS).find(|&at| above_in(at) != 0).map(first);
        [below, above]
    }
}

/// Places of ended pairs in the old list, and indices of new pairs in the new list, both
/// ascending.
pub(crate) type Difference<'a> = (&'a mut Vec<u32>, &'a mut Vec<u32>);

/// The value of the argument `is_same` if equal pairs are always the same.
#[cfg(any(feature = "parallel", test))]
pub(crate) const ALL_SAME: Option<fn(usize) -> bool> = None;

/// Two lists of pairs; the old one has gaps.
pub(crate) struct Lists<'a> {
    old: &'a [Pair],
    gaps: &'a FreeSlots,
    new: &'a [Pair],
}

impl Lists<'_> {
    /// Writes the difference of these ranges of the old and the new list to `gone` and `added`.
    ///
    /// A pair in both lists counts as the same, unless `is_same` is false for its old place.
    /// Without `is_same`, equal pairs are skipped in blocks.
    pub(crate) fn compare(
        &self,
        (olds, news): (Range<usize>, Range<usize>),
        is_same: Option<impl Fn(usize) -> bool>,
        (gone, added): Difference<'_>,
    ) {
        let (old, new) = (&self.old[..olds.end], &self.new[..news.end]);
        gone.clear();
        added.clear();
        let (mut at, mut to) = (olds.start, news.start);
        while at < old.len() {
            let gap = self.gaps.next(at, old.len());
            while at < gap {
                if is_same.is_none() {
                    let n = n_equal(&old[at..gap.min(at + BLOCK_PAIRS)], &new[to..]);
                    (at, to) = (at + n, to + n);
                    if n == BLOCK_PAIRS || at == gap {
                        continue;
                    }
                }
                let is_gone = to == new.len() || old[at] < new[to];
                let is_added = to < new.len() && new[to] < old[at];
                let is_other = !is_gone && !is_added && is_same.as_ref().is_some_and(|is_same| !is_same(at));
                if is_gone || is_other {
                    gone.push(at as u32);
                }
                if is_added || is_other {
                    added.push(to as u32);
                }
                at += usize::from(!is_added);
                to += usize::from(!is_gone);
            }
            at = self.gaps.after(gap);
        }
        added.extend(to as u32..new.len() as u32);
    }

    /// Returns the positions at which both lists can be cut, near the middle of the old one. Equal
    /// pairs are then on the same side.
    #[cfg(feature = "parallel")]
    pub(crate) fn middle(&self) -> (usize, usize) {
        let n = self.old.len();
        let mut at = n / 2;
        // A gap may have the same pair as the state before it.
        while at < n && self.gaps.next(at, n) == at {
            at = self.gaps.after(at);
        }
        (at, self.old.get(at).map_or(self.new.len(), |old| self.new.partition_point(|new| new < old)))
    }
}

/// The difference of two lists, and the edits for the pair states.
#[derive(Default)]
pub(crate) struct PairChanges {
    pub(crate) gone: Vec<u32>,
    pub(crate) added: Vec<u32>,
    /// Scratch memory for the rear half.
    #[cfg(feature = "parallel")]
    behind: (Vec<u32>, Vec<u32>),
    /// Runs of pair states that stay: first old place, first new place, length.
    runs: Vec<[usize; 3]>,
    /// In a rebuilt range: indices of new pairs (or `GAP`), with their places.
    coming: Vec<(u32, u32)>,
    /// The edits of the pair states.
    edits: Vec<Edit>,
}

impl PairChanges {
    /// Finds the difference of two lists; the old one has gaps: see [`Lists::compare`].
    pub(crate) fn find(
        &mut self,
        (old, gaps): (&[Pair], &FreeSlots),
        new: &[Pair],
        is_same: Option<impl Fn(usize) -> bool>,
    ) {
        let lists = Lists { old, gaps, new };
        let (all, difference) = ((0..old.len(), 0..new.len()), (&mut self.gone, &mut self.added));
        #[cfg(feature = "parallel")]
        if is_same.is_none() {
            return compare_in_halves(&lists, all, difference, &mut self.behind);
        }
        lists.compare(all, is_same, difference);
    }

    /// Whether the lists are the same.
    pub(crate) fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.added.is_empty()
    }

    /// Updates the pair states and the list of pairs to the new list, with gaps. `make` creates the
    /// state of a pair.
    pub(crate) fn apply(
        &mut self,
        (states, pairs, gaps): (&mut PairStates, &mut Vec<Pair>, &mut FreeSlots),
        new: &[Pair],
        make: impl Fn(Pair) -> PairState + Sync,
    ) {
        // The first step of a large world had one edit for each pair.
        shrink_unused(&mut self.edits);
        shrink_unused(&mut self.coming);
        shrink_unused(&mut self.runs);
        self.edits.clear();
        for &index in &self.gone {
            let to = index as usize;
            self.edits.push(Edit::Gap { to: index, pair: pairs[to] });
            gaps.add(to);
        }
        let (mut n_done, mut last) = (0, 0);
        if MIN_GAPPED_PAIRS <= pairs.len() && gaps.n * REBUILD_SPACING <= pairs.len() {
            while let Some(&index) = self.added.get(n_done) {
                let pair = new[index as usize];
                if let Some(to) = make_room((&mut self.edits, pairs, gaps), last, pair) {
                    last = to;
                    self.edits.push(Edit::Put { to: to as u32, pair });
                    pairs[to] = pair;
                    n_done += 1;
                } else if let Some((range, n)) = self.room_around(n_done, (pairs, gaps), new) {
                    last = range.start;
                    let spacing = range.len().div_ceil(gaps.count(range.clone()) - n);
                    self.rebuild((n_done..n_done + n, range, spacing), (pairs, gaps), new);
                    n_done += n;
                } else {
                    break;
                }
            }
        }
        let n_left = self.added.len() - n_done;
        if 0 < n_left
            || gaps.n * REBUILD_SPACING > pairs.len()
            || (pairs.len() < MIN_GAPPED_PAIRS && 0 < gaps.n)
        {
            let spacing = if new.len() < MIN_GAPPED_PAIRS { usize::MAX } else { GAP_SPACING };
            let all = 0..usize::MAX;
            self.rebuild((n_done..n_done + n_left, all, spacing), (pairs, gaps), new);
            (gaps.is_compacting, gaps.front) = (false, 0..0);
        } else if gaps.is_compacting || gaps.n * COMPACTION_SPACING > pairs.len() {
            let start = if gaps.is_compacting { gaps.front.start } else { 0 };
            let end = gaps.end_of(start, PAIRS_PER_COMPACTION + PAIRS_PER_REMOVAL * self.gone.len());
            let range = start..if end < pairs.len() { end } else { usize::MAX };
            gaps.is_compacting = end < pairs.len();
            let to = self.rebuild((0..0, range, GAP_SPACING), (pairs, gaps), new);
            gaps.front = if gaps.is_compacting { to..end } else { 0..0 };
        }
        states.edit(&self.edits, make);
    }

    /// Returns a range of places around the new pair with index `n_done`, and the number of new
    /// pairs that belong there. The range is large enough for gaps after insertion. `None` if it
    /// would be a large part of the table.
    fn room_around(
        &self,
        n_done: usize,
        (pairs, gaps): (&[Pair], &FreeSlots),
        new: &[Pair],
    ) -> Option<(Range<usize>, usize)> {
        let added = &self.added[n_done..];
        let at = pairs.partition_point(|&other| other < new[added[0] as usize]);
        let mut reach = MIN_REBUILD_REACH;
        while 4 * reach <= pairs.len() {
            let range = at.saturating_sub(reach) / 64 * 64..pairs.len().min(at + reach);
            let is_before = |pair: Pair| pairs.get(range.end).is_none_or(|&end| pair < end);
            let n = added.partition_point(|&number| is_before(new[number as usize]));
            if n + range.len() / (2 * GAP_SPACING) < gaps.count(range.clone()) {
                return Some((range, n));
            }
            reach *= 2;
        }
        None
    }

    /// Rebuilds the pair states in these places, and the new pairs that belong there, with a gap
    /// in every `spacing`.
    ///
    /// Returns the place after the last pair state. The remaining places become gaps, or are cut
    /// off if the range reaches beyond the table.
    fn rebuild(
        &mut self,
        (numbers, range, spacing): (Range<usize>, Range<usize>, usize),
        (pairs, gaps): (&mut Vec<Pair>, &mut FreeSlots),
        new: &[Pair],
    ) -> usize {
        let PairChanges { added, runs, coming, edits, .. } = self;
        runs.clear();
        coming.clear();
        let (start, end) = (range.start, range.end.min(pairs.len()));
        let is_none_added = numbers.is_empty();
        let mut added = added[numbers].iter().map(|&number| {
            let pair = new[number as usize];
            (number, start + pairs[start..end].partition_point(|&other| other < pair))
        });
        let mut next = added.next();
        let (mut at, mut to) = (start, start);
        // With a spacing of 1 the loop would not end.
        let spacing = spacing.max(2);
        // No pair is inserted, and the pair states behind the range stay. So no pair state may move
        // towards the end.
        let is_compacting = is_none_added && range.end == end;
        loop {
            let mut until_spaced = spacing - 1 - (to - start) % spacing;
            if until_spaced == 0 && is_compacting && to == at {
                until_spaced = spacing;
            }
            if until_spaced == 0 {
                coming.push((GAP, to as u32));
                to += 1;
            } else if let Some((number, _)) = next.filter(|&(_, before)| before == at) {
                coming.push((number, to as u32));
                to += 1;
                next = added.next();
            } else if at == end {
                break;
            } else {
                let stop = next.map_or(end, |(_, before)| before);
                let n = until_spaced.min(gaps.next(at, stop) - at);
                if 0 < n {
                    runs.push([at, to, n]);
                }
                // A gap is dropped.
                (at, to) = (at + n.max(1), to + n);
            }
        }
        gaps.clear(start..end);
        if start < gaps.front.end && gaps.front.start < end {
            let first = start.min(gaps.front.start);
            gaps.front = first..first;
        }
        if pairs.len() < to {
            pairs.resize(to, Pair { a: 0, b: 0 });
            edits.push(Edit::Resize(to as u32));
        }
        // First the runs that move to lower places, ascending; then the others, descending. So no
        // run overwrites one that still has to move.
        let backwards = runs.iter().filter(|[from, to, _]| to < from);
        for &[from, to, n] in backwards.chain(runs.iter().rev().filter(|[from, to, _]| from < to)) {
            edits.push(Edit::Move { from: from as u32, to: to as u32, n: n as u32 });
            pairs.copy_within(from..from + n, to);
        }
        if end < range.end {
            edits.push(Edit::Resize(to as u32));
            pairs.truncate(to);
        } else {
            coming.extend((to..end).map(|index| (GAP, index as u32)));
        }
        for &(number, index) in &*coming {
            let to = index as usize;
            if number == GAP {
                // The same pair as the one before.
                pairs[to] = pairs[to - 1];
                gaps.add(to);
                edits.push(Edit::Gap { to: index, pair: pairs[to] });
            } else {
                pairs[to] = new[number as usize];
                edits.push(Edit::Put { to: index, pair: pairs[to] });
            }
        }
        to
    }
}

/// The entry for a gap instead of an index.
const GAP: u32 = u32::MAX;

/// Moves the pair states between the position of a new pair and the nearest gap by one. Returns the
/// place that became free, or `None` if no gap is near.
///
/// All pair states before place `from` precede the pair.
fn make_room(
    (edits, pairs, gaps): (&mut Vec<Edit>, &mut [Pair], &mut FreeSlots),
    from: usize,
    pair: Pair,
) -> Option<usize> {
    // The place is found by doubling steps, then by bisection.
    let (mut low, mut step) = (from, 1);
    while pairs.get(low + step).is_some_and(|&other| other < pair) {
        low += step;
        step *= 2;
    }
    let high = pairs.len().min(low + step);
    let at = low + pairs[low..high].partition_point(|&other| other < pair);
    let (gap, index, moved, to) = match gaps.around(at) {
        [below, Some(above)] if below.is_none_or(|below| above - at < at - below) => {
            (above, at, at..above, at + 1)
        }
        [Some(below), _] => (below, at - 1, below + 1..at, below),
        _ => return None,
    };
    if !moved.is_empty() {
        edits.push(Edit::Move { from: moved.start as u32, to: to as u32, n: moved.len() as u32 });
        pairs.copy_within(moved, to);
    }
    gaps.remove(gap);
    Some(index)
}

/// Returns how many pairs of a block equal those at the start of a list. Usually it is all of them,
/// so all are compared first, without branches.
#[inline]
fn n_equal(block: &[Pair], list: &[Pair]) -> usize {
    let differs = |(x, y): (&Pair, &Pair)| (x.a ^ y.a) | (x.b ^ y.b);
    match list.get(..block.len()) {
        Some(list) if block.iter().zip(list).fold(0, |sum, pairs| sum | differs(pairs)) == 0 => block.len(),
        _ => block.iter().zip(list).take_while(|&pairs| differs(pairs) == 0).count(),
    }
}

/// The number of pairs that one thread compares: about 10 microseconds of work.
#[cfg(feature = "parallel")]
const MIN_PARALLEL_PAIRS: usize = 1 << 14;

/// Like [`Lists::compare`] without `is_same`, on two threads. `behind` is scratch memory.
#[cfg(feature = "parallel")]
pub(crate) fn compare_in_halves(
    lists: &Lists<'_>,
    (olds, news): (Range<usize>, Range<usize>),
    (gone, added): Difference<'_>,
    behind: &mut (Vec<u32>, Vec<u32>),
) {
    if olds.end <= MIN_PARALLEL_PAIRS || rayon::current_num_threads() == 1 {
        return lists.compare((olds, news), ALL_SAME, (gone, added));
    }
    let (old, new) = lists.middle();
    let (gone_behind, added_behind) = behind;
    rayon::join(
        || lists.compare((0..old, 0..new), ALL_SAME, (gone, added)),
        || lists.compare((old..olds.end, new..news.end), ALL_SAME, (gone_behind, added_behind)),
    );
    gone.append(gone_behind);
    added.append(added_behind);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BodyId;
    use carom_geom::Cylinder;
    use carom_math::{Pose, Vec3};
    use carom_query::{ManifoldCache, Shape, manifolds};
    use carom_testkit::conform::dice::Dice;

    fn state(pair: Pair, generation: u32) -> PairState {
        let id = |index| BodyId { index, generation };
        PairState::new(id(pair.a), id(pair.b), true, false)
    }

    /// Caches that differ from each other.
    fn some_caches() -> Vec<ManifoldCache> {
        let cylinder = Shape::Cylinder(Cylinder::new(0.5, 0.5).unwrap());
        let cache_at = |k: u8| {
            let (mut cache, mut out) = (ManifoldCache::new(), Vec::new());
            let pose = Pose::from_translation(Vec3::new(f32::from(k), 2.0, 0.3));
            manifolds(&cylinder, &Pose::IDENTITY, &cylinder, &pose, 0.02, &mut cache, &mut out);
            cache
        };
        let caches: Vec<_> = (0..23).map(cache_at).collect();
        assert!((1..23).all(|k| !caches[..k].contains(&caches[k])));
        caches
    }

    /// For all pairs of small lists: the pair states become those of the new list, and pairs that
    /// stay keep theirs.
    #[test]
    fn states_follow_their_pairs() {
        let all: Vec<Pair> = (0..7).map(|k| Pair { a: k, b: k + 1 }).collect();
        let chosen = |bits: u32| -> Vec<Pair> {
            all.iter().zip(0..).filter(|(_, k)| bits >> k & 1 == 1).map(|(pair, _)| *pair).collect()
        };
        let mut changes = PairChanges::default();
        for bits in 0..128 {
            for (others, replaced) in (0..128).flat_map(|others| [(others, 9), (others, 3)]) {
                let (old, new) = (chosen(bits), chosen(others));
                let mut gaps = FreeSlots::default();
                let is_same = |index: usize| old[index].a != replaced;
                changes.find((&old, &gaps), &new, (replaced == 3).then_some(is_same));
                assert_eq!(changes.is_empty(), bits == others && (replaced == 9 || bits >> 3 & 1 == 0));
                let list: Vec<PairState> = old.iter().map(|&pair| state(pair, 1)).collect();
                let mut states = PairStates { caches: alloc::vec![ManifoldCache::new(); list.len()], list };
                let mut pairs = old.clone();
                changes.apply((&mut states, &mut pairs, &mut gaps), &new, |pair| state(pair, 3));
                assert_eq!((&pairs, gaps.n), (&new, 0));
                assert_eq!(states.iter().map(PairState::pair).collect::<Vec<_>>(), new);
                for state in &*states {
                    let stays = bits >> state.a.index & 1 == 1 && state.a.index != replaced;
                    assert_eq!(state.a.generation, if stays { 1 } else { 3 }, "{bits:b} {others:b}");
                }
            }
        }
    }

    /// Long lists with small and large changes, which also grow from short to long and shrink
    /// again.
    #[test]
    fn states_follow_between_gaps() {
        let mut dice = Dice::new(5);
        let mut born = alloc::collections::BTreeMap::new();
        let (mut states, mut pairs, mut gaps) = (PairStates::default(), Vec::new(), FreeSlots::default());
        let mut changes = PairChanges::default();
        let caches = some_caches();
        let cache_of = |state: &PairState| {
            let number = 7 * state.a.index + 5 * state.b.index + 3 * state.a.generation;
            caches[number as usize % caches.len()]
        };
        let (mut n_near, mut n_rebuilt, mut most_gaps) = (0, 0, 0);
        for round in 1..400_u32 {
            let n_changes = match round % 40 {
                1 if round < 200 => 3000,
                20 if 200 < round => 2500,
                _ => dice.below(40),
            };
            let (mut renewed, mut left) = (Vec::new(), Vec::new());
            for _ in 0..n_changes {
                let pair = Pair { a: dice.below(300) as u32, b: 300 + dice.below(100) as u32 };
                let goes = if round < 200 { dice.below(5) == 0 } else { dice.below(5) != 0 };
                let any = born.range(pair..).next().map(|(&pair, _)| pair);
                match any {
                    Some(any) if goes => {
                        born.remove(&any);
                        left.push(any);
                    }
                    Some(any) if any == pair => renewed.push(any),
                    // A pair that leaves and returns at once would count as the same.
                    _ if !left.contains(&pair) => {
                        born.insert(pair, round);
                    }
                    _ => {}
                }
            }
            // Sometimes numbers pass to other bodies.
            let has_others = round % 7 == 0;
            if has_others {
                for pair in renewed {
                    if let Some(since) = born.get_mut(&pair) {
                        *since = round;
                    }
                }
            }
            let new: Vec<Pair> = born.keys().copied().collect();
            let old: &[PairState] = &states;
            let is_same = |index: usize| born[&pairs[index]] == old[index].a.generation;
            changes.find((&pairs, &gaps), &new, has_others.then_some(is_same));
            let before = gaps.n;
            changes.apply((&mut states, &mut pairs, &mut gaps), &new, |pair| state(pair, round));
            let is_near = before + changes.gone.len() == gaps.n + changes.added.len();
            n_near += usize::from(is_near && MIN_GAPPED_PAIRS < pairs.len() && !changes.is_empty());
            n_rebuilt += usize::from(!is_near);
            most_gaps = gaps.n.max(most_gaps);

            assert_eq!(pairs.len(), states.len());
            assert!(pairs.is_sorted());
            assert!(states.iter().map(PairState::pair).eq(pairs.iter().copied()), "round {round}");
            let PairStates { list, caches } = &mut states;
            assert_eq!(list.len(), caches.len());
            for (state, cache) in list.iter_mut().zip(caches).filter(|(state, _)| !state.is_gap()) {
                if !core::mem::replace(&mut state.has_cache, true) {
                    *cache = cache_of(state);
                }
                assert!(*cache == cache_of(state), "round {round}");
            }
            let range = 0..states.len();
            assert!(range.clone().all(|index| states[index].is_gap() == gaps.has(index)), "round {round}");
            assert_eq!(states.iter().filter(|state| state.is_gap()).count(), gaps.n);
            assert!(gaps.n * REBUILD_SPACING <= pairs.len());
            assert!(gaps.front().all(|index| gaps.has(index)) && gaps.front().end <= pairs.len());
            let living = states.iter().filter(|state| !state.is_gap());
            let found: Vec<(Pair, u32)> = living.map(|state| (state.pair(), state.a.generation)).collect();
            assert!(found.into_iter().eq(born.iter().map(|(&pair, &since)| (pair, since))), "round {round}");
        }
        assert!(100 < n_near && 20 < n_rebuilt && 200 < most_gaps, "{n_near} {n_rebuilt} {most_gaps}");
    }

    /// A long list shrinks to half, while pairs come and go in each round, more of them at its
    /// front. No round moves more than a few pair states, and there are never many gaps.
    #[test]
    fn few_states_move_at_a_time() {
        let mut dice = Dice::new(11);
        let mut pairs: Vec<Pair> =
            (0..60_000).map(|k| Pair { a: 3 * k / 10, b: 20_000 + 3 * (k % 10) }).collect();
        let list: Vec<PairState> = pairs.iter().map(|&pair| state(pair, 1)).collect();
        let mut states = PairStates { caches: alloc::vec![ManifoldCache::new(); list.len()], list };
        let (mut gaps, mut changes) = (FreeSlots::default(), PairChanges::default());
        let mut living: alloc::collections::BTreeSet<Pair> = pairs.iter().copied().collect();
        let (mut n_chunks, mut n_around, mut most_moved, mut most_gaps) = (0, 0, 0, 0);
        for round in 0..2200 {
            let any =
                |dice: &mut Dice| Pair { a: dice.below(18_000) as u32, b: 20_000 + dice.below(30) as u32 };
            for _ in 0..30 {
                let from = any(&mut dice);
                let gone = living.range(from..).next().copied();
                gone.inspect(|gone| _ = living.remove(gone));
            }
            living.insert(Pair { a: 5, b: 20_050 + dice.below(9000) as u32 });
            living.extend((0..14).map(|_| any(&mut dice)));
            let new: Vec<Pair> = living.iter().copied().collect();
            let before: Vec<(usize, Pair)> =
                pairs.iter().copied().enumerate().filter(|&(index, _)| !gaps.has(index)).collect();
            changes.find((&pairs, &gaps), &new, ALL_SAME);
            changes.apply((&mut states, &mut pairs, &mut gaps), &new, |pair| state(pair, 2));

            let found = (0..pairs.len()).filter(|&index| !gaps.has(index)).map(|index| pairs[index]);
            assert!(found.eq(new.iter().copied()), "round {round}");
            assert!(states.iter().map(PairState::pair).eq(pairs.iter().copied()), "round {round}");
            assert!((0..pairs.len()).all(|index| states[index].is_gap() == gaps.has(index)));
            assert!(gaps.front().all(|index| gaps.has(index)) && gaps.front().end <= pairs.len());
            let stays = |&(index, pair): &(usize, Pair)| pairs.get(index) == Some(&pair) && !gaps.has(index);
            let n_moved =
                before.len() - before.iter().filter(|known| stays(known)).count() - changes.gone.len();
            // At first there are no gaps.
            if 0 < round {
                most_moved = n_moved.max(most_moved);
                most_gaps = (1000 * gaps.n / pairs.len()).max(most_gaps);
            }
            n_chunks += usize::from(gaps.is_compacting);
            n_around += usize::from(!gaps.is_compacting && MIN_REBUILD_REACH < n_moved);
        }
        println!(
            "{most_moved} moved at most, {most_gaps} gaps in 1000, {n_chunks} parts, {n_around} around, {}",
            pairs.len()
        );
        assert!(most_moved < 10_000 && most_gaps < 80, "{most_moved} moved, {most_gaps} gaps in 1000");
        assert!(
            pairs.len() < 30_000 && 100 < n_chunks && 20 < n_around,
            "{} {n_chunks} {n_around}",
            pairs.len()
        );
    }
}
