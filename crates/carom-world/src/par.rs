//! The narrow phase on several threads: pieces of the list of pairs, whose contacts each record finds again, so the same
//! bits as on one.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5.

use crate::events::{self, Event, EventKind};
use crate::handed::Handed;
use crate::internal_edges;
use crate::narrow::{self, Record, Scene, Tally};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::ProxyId;
use carom_geom::Manifold;
use carom_math::Vec3;
use carom_response::ContactLink;
use rayon::prelude::*;

/// Pairs per piece: some 30 microseconds of work.
const PIECE: usize = 64;

/// Pieces that are never divided among threads.
const PIECES_PER_TASK: usize = 4;

/// Records or bodies per piece of what is only carried from place to place.
const CARRIED: usize = 512;

/// As [`narrow::look_at_all`], but with room between the manifolds of pieces.
///
/// Most pairs have one manifold or none, so there is a place for each record; pieces of those that have more come behind all. To write
/// pieces apart and put them together cost a pile of 10,000 boxes on two threads 2 of 45 milliseconds.
pub(crate) fn look_at_all(scene: &Scene<'_>, records: &mut [Record], out: &mut Vec<Manifold>) -> Tally {
    if records.len() <= PIECE || rayon::current_num_threads() == 1 {
        return narrow::look_at_all(scene, records, out);
    }
    // Those of the step before are written over.
    out.resize(records.len(), Manifold::new(Vec3::ZERO));
    let pieces = records.par_chunks_mut(PIECE).zip(out.par_chunks_mut(PIECE)).enumerate();
    // Left to itself rayon makes tasks so large that one thread waits for the last of the other's for a tenth of the whole.
    let of_pieces = pieces.with_max_len(PIECES_PER_TASK).fold(
        || (Looked::default(), Vec::with_capacity(PIECE)),
        |(mut looked, mut found), (piece, (records, room))| {
            found.clear();
            narrow::look(scene, records, piece * PIECE, &mut found, &mut looked.tally);
            match room.get_mut(..found.len()) {
                Some(room) => room.copy_from_slice(&found),
                None => looked.beyond.push((piece, core::mem::take(&mut found))),
            }
            (looked, found)
        },
    );
    let Looked { tally, beyond } = of_pieces.map(|(looked, _)| looked).reduce(Looked::default, Looked::and);
    for (piece, found) in beyond {
        let places_behind = (out.len() - piece * PIECE) as u32;
        let own = records.chunks_mut(PIECE).nth(piece).unwrap_or_default();
        own.iter_mut().for_each(|record| record.first += places_behind);
        out.extend_from_slice(&found);
    }
    tally
}

/// What was found in some pieces.
#[derive(Default)]
struct Looked {
    tally: Tally,
    /// Pieces that had more manifolds than records, and these.
    beyond: Vec<(usize, Vec<Manifold>)>,
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
        self.beyond.append(&mut other.beyond);
        self
    }
}

/// So much is only carried that it is not shared.
fn is_little(n: usize) -> bool {
    n <= CARRIED || rayon::current_num_threads() == 1
}

/// As [`internal_edges::find_resting`].
pub(crate) fn find_resting(
    scene: &Scene<'_>,
    records: &[Record],
    first: usize,
    resting: &mut Vec<(u32, u32)>,
) {
    if is_little(records.len()) {
        return internal_edges::find_resting(scene, records, first, resting);
    }
    let middle = records.len() / 2;
    let (low, high) = records.split_at(middle);
    let mut of_high = Vec::new();
    rayon::join(
        || find_resting(scene, low, first, resting),
        || find_resting(scene, high, first + middle, &mut of_high),
    );
    resting.append(&mut of_high);
}

/// As [`events::tell`].
///
/// Lists of pieces that were put together took more time than was gained: memory for them came from the system page by page.
pub(crate) fn tell(records: &mut [Record], out: &mut Vec<Event>) -> usize {
    if is_little(records.len()) {
        return events::tell(records, out);
    }
    let first = out.len();
    let mut starts: Vec<usize> = records.par_chunks(CARRIED).map(events::count).collect();
    let mut n_events = first;
    for start in &mut starts {
        n_events += core::mem::replace(start, n_events);
    }
    // Any event, to be written over.
    let Some(any) = records.first().map(|record| events::event_of(record, EventKind::Ended)) else {
        return 0;
    };
    out.resize(n_events, any);
    tell_from(records, &starts, &mut out[first..])
}

/// Writes the events of these records; those of each piece begin where `starts` says.
fn tell_from(records: &mut [Record], starts: &[usize], out: &mut [Event]) -> usize {
    if starts.len() <= 1 {
        return events::tell_into(records, out);
    }
    let middle = starts.len() / 2;
    let (low, high) = out.split_at_mut(starts[middle] - starts[0]);
    let (records, above) = records.split_at_mut(middle * CARRIED);
    let (n, n_above) = rayon::join(
        || tell_from(records, &starts[..middle], low),
        || tell_from(above, &starts[middle..], high),
    );
    n + n_above
}

/// As [`Handed::count`].
pub(crate) fn count(handed: &Handed<'_>, records: &[Record], busy: &[u32], counts: &mut [u32]) {
    if is_little(busy.len()) {
        return handed.count(records, busy, counts);
    }
    (busy.par_chunks(CARRIED).zip(counts.par_chunks_mut(CARRIED)))
        .for_each(|(busy, counts)| handed.count(records, busy, counts));
}

/// As [`Handed::hand_over`].
pub(crate) fn hand_over(
    handed: &Handed<'_>,
    (records, first): (&mut [Record], u32),
    busy: &[u32],
    starts: &[u32],
    out: &mut [ContactLink],
) {
    if is_little(busy.len()) {
        return handed.hand_over((records, first), busy, starts, out);
    }
    let middle = busy.len() / 2;
    let (low, high) = out.split_at_mut((starts[middle] - starts[0]) as usize);
    let (records, records_above) = records.split_at_mut((busy[middle] - first) as usize);
    rayon::join(
        || hand_over(handed, (records, first), &busy[..middle], &starts[..middle], low),
        || hand_over(handed, (records_above, busy[middle]), &busy[middle..], &starts[middle..], high),
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
