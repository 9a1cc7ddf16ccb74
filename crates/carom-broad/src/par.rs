//! Batches of queries on several threads, with the answers of one.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5 (parallel by pieces).

use crate::batch::{Answers, answer_piece};
use alloc::vec::Vec;
use rayon::prelude::*;

/// Queries per piece: some 50 microseconds of work.
const PIECE: usize = 64;

/// As [`answer_piece`], with memory for each piece.
pub(crate) fn answer<Q: Sync, T: Send, M>(
    queries: &[Q],
    out: &mut Answers<T>,
    memory: impl Fn() -> M + Sync,
    ask: impl Fn(&mut M, usize, &Q, &mut Vec<T>) + Sync,
) {
    if queries.len() <= PIECE || rayon::current_num_threads() == 1 {
        return answer_piece(queries, 0, out, memory(), ask);
    }
    let of_pieces: Vec<Answers<T>> = queries
        .par_chunks(PIECE)
        .enumerate()
        .map(|(number, piece)| {
            let mut answers = Answers::new();
            answer_piece(piece, number * PIECE, &mut answers, memory(), &ask);
            answers
        })
        .collect();
    of_pieces.into_iter().for_each(|piece| out.append(piece));
}
