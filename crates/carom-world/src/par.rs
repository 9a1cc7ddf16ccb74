//! The narrow phase on several threads: pieces of the list of pairs, whose contacts each record finds again, so the same
//! bits as on one.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5.

use crate::events::{self, Event};
use crate::handed::Handed;
use crate::internal_edges;
use crate::narrow::{PIECE, Record, Scene, Tally, look};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::ProxyId;
use carom_geom::Manifold;
use carom_math::Vec3;
use carom_response::ContactPair;
use rayon::prelude::*;

/// Records or bodies per piece of what is only carried from place to place.
const CARRIED: usize = 512;

/// As [`look`] into the empty `out`, but with room between the manifolds of pieces: where those of each piece begin is in `starts`; none
/// are there where nothing lies between.
///
/// Most pairs have one manifold or none, so there is a place for each record; pieces of those that have more come behind all. To write
/// pieces apart and put them together cost a pile of 10,000 boxes on two threads 2 of 45 milliseconds.
pub(crate) fn look_at_all(
    scene: &Scene<'_>,
    records: &mut [Record],
    starts: &mut Vec<u32>,
    out: &mut Vec<Manifold>,
) -> Tally {
    starts.clear();
    if records.len() <= PIECE || rayon::current_num_threads() == 1 {
        out.clear();
        return look(scene, records, out);
    }
    // Those of the step before are written over.
    out.resize(records.len(), Manifold::new(Vec3::ZERO));
    let of_pieces: Vec<(Tally, Vec<Manifold>)> = (records.par_chunks_mut(PIECE))
        .zip(out.par_chunks_mut(PIECE))
        .map_init(Vec::new, |found, (records, room)| {
            found.clear();
            let tally = look(scene, records, found);
            match room.get_mut(..found.len()) {
                Some(room) => {
                    room.copy_from_slice(found);
                    (tally, Vec::new())
                }
                None => (tally, core::mem::take(found)),
            }
        })
        .collect();
    let mut all = Tally::default();
    for (piece, (tally, beyond)) in of_pieces.iter().enumerate() {
        all.n_tested += tally.n_tested;
        all.n_recycled += tally.n_recycled;
        starts.push(if beyond.is_empty() { piece * PIECE } else { out.len() } as u32);
        out.extend_from_slice(beyond);
    }
    all
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
pub(crate) fn tell(records: &mut [Record], out: &mut Vec<Event>) -> usize {
    if is_little(records.len()) {
        return events::tell(records, out);
    }
    let of_pieces: Vec<(Vec<Event>, usize)> = (records.par_chunks_mut(8 * CARRIED))
        .map(|records| {
            let mut events = Vec::with_capacity(records.len());
            let n_touching = events::tell(records, &mut events);
            (events, n_touching)
        })
        .collect();
    of_pieces.iter().for_each(|(events, _)| out.extend_from_slice(events));
    of_pieces.iter().map(|(_, n_touching)| n_touching).sum()
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
    out: &mut [ContactPair],
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
