//! The narrow phase on several threads: pieces of the list of pairs, their contacts put together in the order of the
//! pairs, so the same bits as on one.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5.

use crate::narrow::{Record, Scene, look};
use alloc::vec::Vec;
use carom_geom::Manifold;
use rayon::prelude::*;

/// Pairs per piece: some 50 microseconds of work.
const PIECE: usize = 64;

/// As [`look`].
pub(crate) fn look_at_all(scene: &Scene<'_>, records: &mut [Record], out: &mut Vec<Manifold>) -> usize {
    if records.len() <= PIECE || rayon::current_num_threads() == 1 {
        return look(scene, records, out);
    }
    let pieces: Vec<(usize, Vec<Manifold>)> = records
        .par_chunks_mut(PIECE)
        .map(|piece| {
            let mut found = Vec::with_capacity(piece.len());
            (look(scene, piece, &mut found), found)
        })
        .collect();
    let mut n_tested = 0;
    for (n, found) in &pieces {
        n_tested += n;
        out.extend_from_slice(found);
    }
    n_tested
}
