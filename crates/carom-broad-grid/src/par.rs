//! The search for pairs on several threads; the same pairs as on one, because they are sorted afterwards.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5 (parallel by pieces).

use crate::find::{self, Found};
use crate::level::Level;
use alloc::vec::Vec;
use rayon::prelude::*;

/// Boxes per piece: some 50 microseconds of work.
const PIECE: usize = 4096;

/// As [`find::ask`], with all boxes asking.
pub(crate) fn ask(askers: &Level, asked: Option<&Level>, out: &mut Found) {
    if askers.n <= PIECE || rayon::current_num_threads() == 1 {
        return find::ask(askers, asked, 0, askers.n, out);
    }
    let n_pieces = askers.n.div_ceil(PIECE);
    let pieces: Vec<Found> = (0..n_pieces)
        .into_par_iter()
        .map(|piece| {
            let mut found = Found::default();
            find::ask(askers, asked, piece * PIECE, askers.n.min((piece + 1) * PIECE), &mut found);
            found
        })
        .collect();
    out.reserve(pieces.iter().map(|piece| piece.n).sum());
    for piece in &pieces {
        out.append(piece);
    }
}
