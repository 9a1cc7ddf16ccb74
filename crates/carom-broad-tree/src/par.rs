//! Builds the tree and searches for pairs on several threads, with bitwise the same result as on
//! one.
//!
//! Chunks of a list are processed separately, and their results are joined in order. For the sort,
//! each chunk first partitions its entries by their upper digit. Then the entries of each digit
//! are joined and sorted. The sorted order of distinct keys is unique.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5 (parallel traversal by
//! pieces of the front); C. Lauterbach et al., Fast BVH Construction on GPUs, 2009, 3 (all steps
//! of the build in parallel).

use crate::find::{self, Tasks};
use crate::order::{self, Range};
use crate::tree::{self, Block, Tree, WIDTH};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::PairBuffer;
use rayon::prelude::*;

/// Pairs of blocks per chunk, at least: some 50 microseconds of work.
const CHUNK_PAIRS: usize = 512;

/// A long search is divided into this many chunks per thread.
const CHUNKS_PER_THREAD: usize = 4;

/// Boxes per chunk, a multiple of eight lanes: some 20 microseconds of work.
const BOXES: usize = 4096;

/// A tree of at most this many boxes is built by one thread, because starting others takes longer.
const MIN_PARALLEL_BOXES: usize = 1 << 15;

/// Boxes in crowds per chunk: some 20 microseconds of work.
const CROWDED: usize = 256;

/// Blocks per chunk, with [`BOXES`] boxes.
const BLOCKS: usize = BOXES / WIDTH;

/// Bits of the upper digit; the size class takes at most four of them.
const DIGIT_BITS: u32 = 10;

/// Like [`find::open_leaves`].
pub(crate) fn open_leaves(tree: &Tree, pairs: &[(u32, u32)], tasks: &mut Tasks, out: &mut PairBuffer) {
    if pairs.len() <= CHUNK_PAIRS || rayon::current_num_threads() == 1 {
        return find::open_leaves(tree, pairs, tasks, out);
    }
    // The buffers are kept: fresh ones in each frame went back to the system, and caused page
    // faults again.
    let mut chunks = core::mem::take(&mut tasks.chunks);
    let n_threads = rayon::current_num_threads();
    // All threads get the same number of chunks.
    let n_each = (pairs.len() / (CHUNK_PAIRS * n_threads)).clamp(1, CHUNKS_PER_THREAD);
    let size = pairs.len().div_ceil(n_each * n_threads);
    let (first, others) = pairs.split_at(size);
    let n_others = others.len().div_ceil(size);
    chunks.resize_with(n_others.max(chunks.len()), PairBuffer::new);
    rayon::join(
        || find::open_leaves(tree, first, tasks, out),
        || {
            let others = others.par_chunks(size).zip(&mut chunks);
            others.for_each_init(Tasks::default, |tasks, (pairs, found)| {
                found.clear();
                find::open_leaves(tree, pairs, tasks, found);
            });
        },
    );
    chunks[..n_others].iter().for_each(|found| out.append(found));
    tasks.chunks = chunks;
}

/// Like [`order::measure_chunk`].
pub(crate) fn measure(boxes: &[Aabb], centers: [&mut [f32]; 3], exponents: &mut [u8]) -> Range {
    if boxes.len() <= MIN_PARALLEL_BOXES {
        return order::measure_chunk(boxes, centers, exponents);
    }
    let [x, y, z] = centers;
    let of_chunks = (boxes.par_chunks(BOXES))
        .zip(x.par_chunks_mut(BOXES).zip(y.par_chunks_mut(BOXES)).zip(z.par_chunks_mut(BOXES)))
        .zip(exponents.par_chunks_mut(BOXES))
        .map(|((boxes, ((x, y), z)), exponents)| order::measure_chunk(boxes, [x, y, z], exponents));
    let nothing = [[f32::INFINITY, f32::NEG_INFINITY]; 3];
    of_chunks.reduce(|| nothing, |a, b| [0, 1, 2].map(|i| [a[i][0].min(b[i][0]), a[i][1].max(b[i][1])]))
}

/// Like [`order::keys_of_chunk`].
pub(crate) fn find_keys(
    [x, y, z]: [&[f32]; 3],
    classes: &[u8],
    range: &Range,
    axis_bits: u32,
    keys: &mut [u32],
) {
    if keys.len() <= MIN_PARALLEL_BOXES {
        return order::keys_of_chunk([x, y, z], classes, range, axis_bits, keys);
    }
    keys.par_chunks_mut(BOXES).enumerate().for_each(|(chunk, keys)| {
        let own = chunk * BOXES..chunk * BOXES + keys.len();
        let centers = [&x[own.clone()], &y[own.clone()], &z[own.clone()]];
        order::keys_of_chunk(centers, &classes[own], range, axis_bits, keys);
    });
}

/// Like [`order::divide_runs`].
pub(crate) fn divide_all(
    entries: &mut [u64],
    first: usize,
    crowds: &[(usize, usize)],
    centers: &[Vec<f32>; 3],
) {
    let size = |crowds: &[(usize, usize)]| crowds.iter().map(|(start, end)| end - start).sum::<usize>();
    let middle = crowds.len() / 2;
    if middle == 0 || size(crowds) <= CROWDED || rayon::current_num_threads() == 1 {
        return order::divide_runs(entries, first, crowds, centers);
    }
    let (low, high) = crowds.split_at(middle);
    let (below, above) = entries.split_at_mut(high[0].0 - first);
    rayon::join(|| divide_all(below, first, low, centers), || divide_all(above, high[0].0, high, centers));
}

/// Like [`order::radix_sort`] for distinct entries.
pub(crate) fn sort_entries(entries: &mut Vec<u64>, scratch: &mut Vec<u64>, n_bits: u32) {
    let n_threads = rayon::current_num_threads();
    if entries.len() <= MIN_PARALLEL_BOXES || n_threads == 1 {
        return order::radix_sort(entries, scratch, n_bits);
    }
    let digit_bits = n_bits.min(DIGIT_BITS);
    let digit_of = |entry: u64| (entry >> (32 + n_bits - digit_bits)) as usize & ((1 << digit_bits) - 1);
    let chunk = entries.len().div_ceil(n_threads).max(BOXES);
    scratch.resize(entries.len(), 0);
    // The ends of the digits in each chunk.
    let ends: Vec<Vec<u32>> = (entries.par_chunks(chunk).zip(scratch.par_chunks_mut(chunk)))
        .map(|(from, to)| {
            let mut indices = alloc::vec![0; 1 << digit_bits];
            from.iter().for_each(|&entry| indices[digit_of(entry)] += 1);
            let mut sum = 0;
            for slot in &mut indices {
                sum += core::mem::replace(slot, sum);
            }
            for &entry in from {
                let slot = &mut indices[digit_of(entry)];
                to[*slot as usize] = entry;
                *slot += 1;
            }
            indices
        })
        .collect();
    let runs = |digit: usize| {
        (ends.iter().zip(scratch.chunks(chunk))).map(move |(ends, of_chunk)| {
            let begin = if digit == 0 { 0 } else { ends[digit - 1] as usize };
            &of_chunk[begin..ends[digit] as usize]
        })
    };
    let mut rest = &mut entries[..];
    let mut of_digits = Vec::new();
    for digit in 0..1 << digit_bits {
        let n = runs(digit).map(<[u64]>::len).sum();
        let (own, behind) = rest.split_at_mut(n);
        of_digits.push(own);
        rest = behind;
    }
    of_digits.into_par_iter().enumerate().for_each(|(digit, own)| {
        let mut n = 0;
        for run in runs(digit) {
            own[n..n + run.len()].copy_from_slice(run);
            n += run.len();
        }
        if own.len() <= BOXES {
            own.sort_unstable();
        } else {
            // Many entries share one digit.
            own.par_sort_unstable();
        }
    });
}

/// Like [`tree::gather_chunk`].
pub(crate) fn gather(slots: &[[u32; WIDTH]], boxes: &[Aabb], leaves: &mut [Block]) {
    if slots.len() * WIDTH <= MIN_PARALLEL_BOXES {
        return tree::gather_chunk(slots, boxes, leaves);
    }
    (slots.par_chunks(BLOCKS).zip(leaves.par_chunks_mut(BLOCKS)))
        .for_each(|(slots, leaves)| tree::gather_chunk(slots, boxes, leaves));
}

/// Like [`tree::merge_chunk`].
pub(crate) fn merge(children: &[Block], parents: &mut [Block]) {
    if children.len() * WIDTH <= MIN_PARALLEL_BOXES {
        return tree::merge_chunk(children, parents);
    }
    (children.par_chunks(BLOCKS * WIDTH).zip(parents.par_chunks_mut(BLOCKS)))
        .for_each(|(children, parents)| tree::merge_chunk(children, parents));
}
