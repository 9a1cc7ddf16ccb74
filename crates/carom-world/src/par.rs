//! The narrow phase on several threads: pieces of the list of pairs, whose contacts each record finds again, so the same
//! bits as on one.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5.

use crate::contacts::changes::{ALL_SAME, Difference, Lists};
use crate::contacts::events::{self, Event};
use crate::contacts::handed::{Handed, Part};
use crate::contacts::narrow::{self, Record, Row, Scene, Sink, Tally};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::ProxyId;
use carom_geom::Manifold;
use carom_math::{Pose, Vec3};
use carom_response::{Body, ContactLink};
use core::ops::Range;
use rayon::prelude::*;

/// Pairs per piece: some 20 to 60 microseconds of work.
const PIECE: usize = 256;

/// So much is little memory to be written the first time.
const FRESH: usize = 1 << 16;

/// Records or bodies per piece of what is only carried from place to place.
const CARRIED: usize = 512;

/// As [`narrow::look_at_all`], but with room between the manifolds of pieces; `counts` is how many each piece had when this was called
/// before, and has now.
///
/// Each piece has room for one or two more than it had; those that have none come behind all. Room that nobody needs is read past by
/// all that comes after: with an eighth more and four for every 64 pairs a step of a pile took 3 in 100 longer. With room for one of each
/// record a pile of 10,000 boxes took 12 MB more; nor is there so much where little is known of what they have, for memory that is
/// touched the first time takes a millisecond for 3 MB. To write pieces apart and put them together cost on two threads 2 of 45 milliseconds; to
/// write each piece apart and copy it to its room, half of one; where all of a piece came behind that had no room for one, a twelfth of all.
pub(crate) fn look_at_all(
    scene: &Scene<'_>,
    row: Row<'_>,
    counts: &mut Vec<u32>,
    out: &mut Vec<Manifold>,
) -> Tally {
    let n_records = row.records.len();
    if n_records <= PIECE || rayon::current_num_threads() == 1 {
        counts.clear();
        return narrow::look_at_all(scene, row, out);
    }
    let n_pieces = n_records.div_ceil(PIECE);
    // Where pieces came or went the others have moved along: what they had says little.
    let is_like_before = counts.len().abs_diff(n_pieces) <= n_pieces / 64;
    counts.resize(n_pieces, 0);
    let least = if is_like_before { 0 } else { PIECE / 2 };
    let room_for = |&count: &u32| least.max((count + count / 64) as usize + 2);
    // Those of the step before are written over.
    resize(out, counts.iter().map(room_for).sum(), Manifold::new(Vec3::ZERO));
    let mut rest = &mut out[..];
    let Row { records, places, caches } = row;
    let mut row = Row { records: &mut *records, places, caches };
    let mut begin = 0;
    let mut pieces = Vec::with_capacity(n_pieces);
    for count in counts.iter_mut() {
        let n = room_for(count);
        let (room, behind) = core::mem::take(&mut rest).split_at_mut(n);
        let (own, others) = row.split_at(PIECE);
        pieces.push((own, begin, room, count));
        (row, rest) = (others, behind);
        begin += n;
    }
    // Left to itself rayon makes tasks so large that one thread waits for the last of the other's for a tenth of the whole.
    let of_pieces = pieces.into_par_iter().enumerate().with_max_len(1).fold(
        || (Looked::default(), Vec::new()),
        |(mut looked, mut few), (piece, (row, begin, room, count))| {
            let mut room = Room::new(room, &mut few);
            narrow::look(scene, (row, piece * PIECE), begin, &mut room, &mut looked.tally);
            *count = (room.n + room.beyond.len()) as u32;
            if room.is_full {
                looked.beyond.push((piece, begin + room.room.len(), room.beyond));
            }
            (looked, few)
        },
    );
    let Looked { tally, beyond } = of_pieces.map(|(looked, _)| looked).reduce(Looked::default, Looked::and);
    for (piece, end, found) in beyond {
        let places_behind = (out.len() - end) as u32;
        let own = records.chunks_mut(PIECE).nth(piece).unwrap_or_default();
        for record in own.iter_mut().filter(|record| end <= record.first as usize) {
            record.first += places_behind;
        }
        out.extend_from_slice(&found);
    }
    tally
}

/// As [`Vec::resize`]: fresh memory is slow when it is written the first time, and then by all.
fn resize<T: Clone + Send>(list: &mut Vec<T>, n: usize, value: T) {
    let n_more = n.saturating_sub(list.len());
    if size_of::<T>() * n_more <= FRESH {
        return list.resize(n, value);
    }
    list.reserve(n_more);
    list.par_extend(rayon::iter::repeat_n(value, n_more));
}

/// Room for the manifolds of a piece, and a list of those that have none: their places are behind it.
struct Room<'a> {
    room: &'a mut [Manifold],
    /// How many are in it.
    n: usize,
    /// All that come have no room: also those that would, so that they stay in order.
    is_full: bool,
    beyond: Vec<Manifold>,
    /// Those of one pair: memory.
    few: &'a mut Vec<Manifold>,
}

impl<'a> Room<'a> {
    fn new(room: &'a mut [Manifold], few: &'a mut Vec<Manifold>) -> Room<'a> {
        Room { room, n: 0, is_full: false, beyond: Vec::new(), few }
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
        let mut few = core::mem::take(self.few);
        few.clear();
        few.find(find);
        self.make_room(few.len());
        for manifold in &few {
            self.push(manifold);
        }
        *self.few = few;
        self.few
    }
}

/// What was found in some pieces.
#[derive(Default)]
struct Looked {
    tally: Tally,
    /// Pieces that had more manifolds than room, where that ended, and those that had none.
    beyond: Vec<(usize, usize, Vec<Manifold>)>,
}

impl Looked {
    /// This, and what was found in the pieces behind.
    fn and(mut self, mut other: Looked) -> Looked {
        let (all, own) = (&mut self.tally, &mut other.tally);
        all.n_tested += own.n_tested;
        all.n_recycled += own.n_recycled;
        all.n_found += own.n_found;
        all.n_put_off += own.n_put_off;
        all.n_still += own.n_still;
        all.left.append(&mut own.left);
        all.resting.append(&mut own.resting);
        self.beyond.append(&mut other.beyond);
        self
    }
}

/// So much is only carried that it is not shared.
fn is_little(n: usize) -> bool {
    n <= CARRIED || rayon::current_num_threads() == 1
}

/// So many edits of a list are one piece of work: some 30 microseconds, if each moves its neighbours.
const EDITS: usize = 128;

/// Two pieces of work of so many edits each, neither of which waits for the other.
pub(crate) fn both(n_edits: usize, a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    if n_edits <= EDITS || rayon::current_num_threads() == 1 {
        a();
        b();
    } else {
        rayon::join(a, b);
    }
}

/// Pairs that are compared by one thread: some 10 microseconds of work.
const COMPARED: usize = 1 << 14;

/// As [`Lists::compare`] of all, where a pair that stays is the same; `behind` is memory.
pub(crate) fn compare(
    lists: &Lists<'_>,
    (olds, news): (Range<usize>, Range<usize>),
    (gone, added): Difference<'_>,
    behind: &mut (Vec<u32>, Vec<u32>),
) {
    if olds.end <= COMPARED || rayon::current_num_threads() == 1 {
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

/// As [`events::tell`]. Those of the first part of the records go to where they stay and those of the others to lists, whose memory is kept, and
/// then behind them: to count them before, so that all go to where they stay, took on two threads as long as to tell them on one.
pub(crate) fn tell(records: &mut [Record], out: &mut Vec<Event>, parts: &mut Vec<Vec<Event>>) -> usize {
    if is_little(records.len()) {
        return events::tell(records, out);
    }
    let n_threads = rayon::current_num_threads();
    let of_part = records.len().div_ceil(n_threads);
    parts.resize_with(n_threads - 1, Vec::new);
    let lists: Vec<&mut Vec<Event>> = core::iter::once(&mut *out).chain(parts.iter_mut()).collect();
    let records = records.par_chunks_mut(of_part);
    let n_lists = records.len();
    let n_touching = records.zip(lists).map(|(records, out)| events::tell(records, out)).sum();
    for part in &mut parts[..n_lists - 1] {
        crate::world::trim(part);
        out.append(part);
    }
    n_touching
}

/// As [`crate::bodies::note_seen`].
pub(crate) fn note_seen(is_stale: &mut [bool], bodies: &[Body], seen: &mut [Option<Pose>]) {
    if is_little(bodies.len()) {
        return crate::bodies::note_seen(is_stale, bodies, seen);
    }
    let rows = is_stale.par_chunks_mut(CARRIED).zip(bodies.par_chunks(CARRIED));
    rows.zip(seen.par_chunks_mut(CARRIED))
        .for_each(|((is_stale, bodies), seen)| crate::bodies::note_seen(is_stale, bodies, seen));
}

/// As [`Handed::choose`], of so many records at a time as the answer says; the places of the solved ones of each part stand where those of the
/// part begin.
pub(crate) fn choose(
    handed: &Handed<'_>,
    (records, first): (&mut [Record], u32),
    busy: &[u32],
    solved: &mut [u32],
    parts: &mut [Part],
) {
    if parts.len() <= 1 {
        parts.iter_mut().for_each(|part| *part = handed.choose((&mut *records, first), busy, solved));
        return;
    }
    let middle = parts.len() / 2;
    let (parts, parts_above) = parts.split_at_mut(middle);
    let (busy, busy_above) = busy.split_at(middle * CARRIED);
    let (solved, solved_above) = solved.split_at_mut(middle * CARRIED);
    let (records, records_above) = records.split_at_mut((busy_above[0] - first) as usize);
    rayon::join(
        || choose(handed, (records, first), busy, solved, parts),
        || choose(handed, (records_above, busy_above[0]), busy_above, solved_above, parts_above),
    );
}

/// How many parts there are of so many records that are only carried.
pub(crate) fn n_parts(n: usize) -> usize {
    if is_little(n) { 1 } else { n.div_ceil(CARRIED) }
}

/// As [`Handed::hand_over`], of what [`choose`] found of the records at places `busy`; the first contact has number `number`.
pub(crate) fn hand_over(
    handed: &Handed<'_>,
    (records, first): (&mut [Record], u32),
    (busy, solved): (&[u32], &[u32]),
    (parts, number): (&[Part], u32),
    out: &mut [ContactLink],
) {
    if parts.len() <= 1 {
        let n_solved = parts.first().map_or(0, |part| part.n_solved);
        return handed.hand_over((records, first), &solved[..n_solved as usize], number, out);
    }
    let middle = parts.len() / 2;
    let (parts, parts_above) = parts.split_at(middle);
    let n_contacts = parts.iter().map(|part| part.n_contacts).sum::<u32>();
    let (out, out_above) = out.split_at_mut(n_contacts as usize);
    let (busy, busy_above) = busy.split_at(middle * CARRIED);
    let (solved, solved_above) = solved.split_at(middle * CARRIED);
    let (records, records_above) = records.split_at_mut((busy_above[0] - first) as usize);
    let above = (parts_above, number + n_contacts);
    rayon::join(
        || hand_over(handed, (records, first), (busy, solved), (parts, number), out),
        || hand_over(handed, (records_above, busy_above[0]), (busy_above, solved_above), above, out_above),
    );
}

/// The boxes of what moved, in the order of the bodies.
pub(crate) fn refit(
    movers: &[u32],
    refit: &(impl Fn(&u32) -> Option<(ProxyId, Aabb)> + Sync),
    out: &mut Vec<(ProxyId, Aabb)>,
) {
    let first = if is_little(movers.len()) { None } else { refit(&movers[0]) };
    let Some(any) = first else {
        out.extend(movers.iter().filter_map(refit));
        return;
    };
    // Each where it stays: lists that are put together afterwards took as long as was gained.
    out.resize(movers.len(), any);
    let fill = |(movers, out): (&[u32], &mut [(ProxyId, Aabb)])| {
        movers.iter().zip(out).all(|(mover, out)| refit(mover).map(|new| *out = new).is_some())
    };
    let has_all =
        movers.par_chunks(CARRIED).zip(out.par_chunks_mut(CARRIED)).map(fill).reduce(|| true, |a, b| a & b);
    if !has_all {
        // Somebody has no box: what follows moves up.
        out.clear();
        out.extend(movers.iter().filter_map(refit));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_room_comes_behind_and_stays_together() {
        let numbered = |k: usize| Manifold::new(Vec3::splat(k as f32));
        let all: Vec<Manifold> = (0..5).map(numbered).collect();
        for n_room in 0..7 {
            let mut room = alloc::vec![Manifold::new(Vec3::ZERO); n_room];
            let mut few = Vec::new();
            let mut sink = Room::new(&mut room, &mut few);
            sink.make_room(1);
            sink.push(&numbered(0));
            let found = sink.find(|out| (1..4).for_each(|k| out.push(numbered(k)))).to_vec();
            assert_eq!(found, [numbered(1), numbered(2), numbered(3)]);
            // Of one and three, all or the first or none have room; so with the place behind the last.
            let place = |n: usize, n_in: usize| if n <= n_in { n } else { n_room + n - n_in };
            let n_in = [1, 4].into_iter().rfind(|&n| n <= n_room).unwrap_or(0);
            assert_eq!(sink.len(), place(4, n_in), "{n_room}");
            assert!(sink.find(|_| {}).is_empty());
            sink.make_room(1);
            sink.push(&numbered(4));
            let n_in = if n_in == 4 && 5 <= n_room { 5 } else { n_in };
            assert_eq!(sink.len(), place(5, n_in), "{n_room}");
            let (n, beyond) = (sink.n, sink.beyond);
            assert_eq!((n, beyond.len()), (n_in, 5 - n_in), "{n_room}");
            assert_eq!(room[..n_in], all[..n_in]);
            assert_eq!(beyond, all[n_in..]);
        }
    }
}
