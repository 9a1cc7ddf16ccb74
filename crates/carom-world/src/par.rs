//! The narrow phase on several threads: pieces of the list of pairs, their contacts put together in the order of the
//! pairs, so the same bits as on one.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5.

use crate::handed::Handed;
use crate::narrow::{Record, Scene, look};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::ProxyId;
use carom_geom::Manifold;
use carom_math::Vec3;
use carom_response::ContactPair;
use rayon::prelude::*;

/// Pairs per piece: some 50 microseconds of work.
const PIECE: usize = 64;

/// Records or bodies per piece of what is only carried from place to place.
const CARRIED: usize = 512;

/// As [`look`] into the empty `out`; `pieces` is memory.
pub(crate) fn look_at_all(
    scene: &Scene<'_>,
    records: &mut [Record],
    pieces: &mut Vec<Vec<Manifold>>,
    out: &mut Vec<Manifold>,
) -> usize {
    if records.len() <= PIECE || rayon::current_num_threads() == 1 {
        out.clear();
        return look(scene, records, out);
    }
    pieces.resize_with(records.len().div_ceil(PIECE), Vec::new);
    let of_pieces = records.par_chunks_mut(PIECE).zip(pieces.par_iter_mut()).map(|(records, found)| {
        found.clear();
        look(scene, records, found)
    });
    let n_tested = of_pieces.sum();
    let mut starts = Vec::with_capacity(pieces.len());
    let mut n = 0;
    for found in pieces.iter() {
        starts.push(n);
        n += found.len();
    }
    // Those of the step before are written over.
    out.resize(n, Manifold::new(Vec3::ZERO));
    put_together(pieces, &starts, out);
    n_tested
}

/// Pieces, of which each begins where `starts` says, from the start of the first.
fn put_together(pieces: &[Vec<Manifold>], starts: &[usize], out: &mut [Manifold]) {
    if pieces.len() <= CARRIED / PIECE {
        let mut rest = out;
        for piece in pieces {
            let (own, behind) = rest.split_at_mut(piece.len());
            own.copy_from_slice(piece);
            rest = behind;
        }
        return;
    }
    let middle = pieces.len() / 2;
    let (low, high) = out.split_at_mut(starts[middle] - starts[0]);
    rayon::join(
        || put_together(&pieces[..middle], &starts[..middle], low),
        || put_together(&pieces[middle..], &starts[middle..], high),
    );
}

/// As [`Handed::hand_over`]; the contacts of each record begin where `starts` says, from the start of the first.
pub(crate) fn hand_over(handed: &Handed<'_>, busy: &[u32], starts: &[u32], out: &mut [ContactPair]) {
    if busy.len() <= CARRIED || rayon::current_num_threads() == 1 {
        return handed.hand_over(busy, out);
    }
    let middle = busy.len() / 2;
    let (low, high) = out.split_at_mut((starts[middle] - starts[0]) as usize);
    rayon::join(
        || hand_over(handed, &busy[..middle], &starts[..middle], low),
        || hand_over(handed, &busy[middle..], &starts[middle..], high),
    );
}

/// The boxes of what moved, in the order of the bodies.
pub(crate) fn refit(
    movers: &[u32],
    refit: &(impl Fn(&u32) -> Option<(ProxyId, Aabb)> + Sync),
    out: &mut Vec<(ProxyId, Aabb)>,
) {
    if movers.len() <= CARRIED || rayon::current_num_threads() == 1 {
        out.extend(movers.iter().filter_map(refit));
        return;
    }
    out.par_extend(movers.par_iter().with_min_len(CARRIED).filter_map(refit));
}
