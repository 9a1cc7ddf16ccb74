//! Batches of queries, moves and candidates on several threads, with the answers of one.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5 (parallel by pieces).

use crate::batch::{Answers, answer_piece};
use crate::coherent::candidates::{self, Recheck, SPARE, recheck_piece};
use crate::coherent::ingest::Ingest;
use crate::{Pair, ProxyId, ProxyTable};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_lanes::dispatch;
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

/// More candidates are looked through by two threads: some 50 microseconds of work each.
const CANDIDATES: usize = 1 << 15;

/// As [`recheck_piece`].
pub(crate) fn recheck(all: Recheck<'_>) -> usize {
    if all.pairs.len() <= CANDIDATES || rayon::current_num_threads() == 1 {
        return recheck_piece(all);
    }
    let Recheck { reached, base, pairs, recheck_at, touches, due, boxes } = all;
    let middle = pairs.len() / 2;
    let (low_pairs, high_pairs) = pairs.split_at(middle);
    let (low_at, high_at) = recheck_at.split_at_mut(middle);
    let (low_touches, high_touches) = touches.split_at_mut(middle);
    let (low_due, high_due) = due.split_at_mut(middle + SPARE);
    let piece = |pairs, recheck_at, touches, due| {
        recheck_piece(Recheck { reached, base, pairs, recheck_at, touches, due, boxes })
    };
    let (low, high) = rayon::join(
        || piece(low_pairs, low_at, low_touches, low_due),
        || piece(high_pairs, high_at, high_touches, high_due),
    );
    low + high
}

/// As [`candidates::emit_all`].
pub(crate) fn emit(pairs: &[Pair], touches: &[bool], out: &mut Vec<Pair>) {
    if pairs.len() <= CANDIDATES || rayon::current_num_threads() == 1 {
        return candidates::emit_all(pairs, touches, out);
    }
    let middle = pairs.len() / 2;
    let ((low_pairs, high_pairs), (low_touches, high_touches)) =
        (pairs.split_at(middle), touches.split_at(middle));
    let n_low = candidates::count(low_touches);
    candidates::make_room(n_low + candidates::count(high_touches), out);
    let (low_out, high_out) = out.split_at_mut(n_low);
    rayon::join(
        || candidates::emit_piece(low_pairs, low_touches, low_out),
        || candidates::emit_piece(high_pairs, high_touches, high_out),
    );
}

/// More moves are taken in by two threads: some 30 microseconds of work each.
const MOVES: usize = 1 << 12;

/// As [`ProxyTable::are_good`].
pub(crate) fn are_good(proxies: &ProxyTable, moves: &[(ProxyId, Aabb)]) -> bool {
    if moves.len() <= MOVES || rayon::current_num_threads() == 1 {
        return proxies.are_good(moves);
    }
    let (low, high) = moves.split_at(moves.len() / 2);
    let (low, high) = rayon::join(|| proxies.are_good(low), || proxies.are_good(high));
    low & high
}

/// Takes in moves, those of the slots below one apart from the others, where they stand apart.
pub(crate) fn ingest(all: Ingest<'_>) -> (f32, u64) {
    let middle = all.moves.len() / 2;
    let is_little = all.moves.len() <= MOVES || rayon::current_num_threads() == 1;
    let (low_moves, high_moves) = all.moves.split_at(middle);
    let Some((id, _)) = high_moves.first().filter(|_| !is_little) else { return dispatch(all) };
    let slot = id.index();
    let (low_is_below, high_is_not) = rayon::join(
        || low_moves.iter().all(|(id, _)| id.index() < slot),
        || high_moves.iter().all(|(id, _)| slot <= id.index()),
    );
    if !(low_is_below && high_is_not) {
        return dispatch(all);
    }
    let Ingest { first, boxes, fat, pace, limit, escaped, .. } = all;
    let place = slot as usize - first;
    let n = boxes.len();
    let (low_boxes, high_boxes) = boxes.split_at_mut(place);
    let (low_fat, high_fat) = fat[..n].split_at(place);
    let (low_pace, high_pace) = pace[..n].split_at_mut(place);
    let mut beyond = Vec::new();
    let low =
        Ingest { moves: low_moves, first, boxes: low_boxes, fat: low_fat, pace: low_pace, limit, escaped };
    let high = Ingest {
        moves: high_moves,
        first: slot as usize,
        boxes: high_boxes,
        fat: high_fat,
        pace: high_pace,
        limit,
        escaped: &mut beyond,
    };
    let ((a, n_a), (b, n_b)) = rayon::join(|| dispatch(low), || dispatch(high));
    escaped.append(&mut beyond);
    (a.max(b), n_a + n_b)
}
