//! Sorts boxes along the Morton curve of their centres and splits at the bits of the codes.
//!
//! The centres are quantized to 1024 steps on a cube, and the bits of the coordinates are
//! interleaved. A radix sort orders the codes, in three passes of ten bits. A range of codes is
//! split at its highest differing bit; equal codes are halved.
//!
//! Reference: C. Lauterbach et al., Fast BVH Construction on GPUs, 2009; T. Karras, Maximizing
//! Parallelism in the Construction of BVHs, Octrees, and k-d Trees, 2012.
//! Differs: the split is found by bisection from the top down, on one thread; [`super::one_pass`]
//! goes from the leaves up.

use super::binary::Binary;
use super::rows::Row;
use crate::stack::Stack;
use crate::tree::{BvhError, are_in_order, check_boxes, corners};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_lanes::{F32Lanes, Kernel, Simd, U32Lanes, dispatch};

/// Steps per axis, 2^10.
const STEPS: f32 = 1024.0;

/// Below this many keys a comparison sort is faster than counting.
const COUNTING: usize = 256;

/// Computes the keys of boxes, and a histogram of each ten bits of their codes. The output is
/// false if a box is not allowed in a tree; then the keys have no meaning.
struct Codes<'a> {
    boxes: &'a [Aabb],
    keys: &'a mut Vec<u64>,
    counts: &'a mut [[u32; 1024]; 3],
}

impl Kernel for Codes<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> bool {
        let Codes { boxes, keys, counts } = self;
        let zero = S::F32x4::splat(simd, 0.0);
        let (mut least, mut most, mut in_order) = (zero, zero, zero.le(zero));
        let mut low = S::F32x4::splat(simd, f32::INFINITY);
        let mut high = S::F32x4::splat(simd, f32::NEG_INFINITY);
        for aabb in boxes {
            let (min, max) = corners::<S>(simd, aabb);
            // A NaN fails the comparison, whatever `min` returns for it.
            in_order = in_order & min.le(max);
            (least, most) = (min.min(least), max.max(most));
            let center = max + min;
            (low, high) = (center.min(low), center.max(high));
        }
        if !are_in_order::<S>(simd, least, most, in_order) {
            return false;
        }
        let extent = (high - low).to_array();
        let largest = extent[0].max(extent[1]).max(extent[2]);
        let scale = S::F32x4::splat(simd, STEPS / largest);
        let last = U32Lanes::splat(simd, STEPS as u32 - 1);
        for i in 0..boxes.len().min(keys.len()) {
            let (min, max) = corners::<S>(simd, &boxes[i]);
            // If all centres are equal, 0 times infinity is NaN, which becomes step 0.
            let step: S::U32x4 = ((max + min - low) * scale).trunc_to_u32().min(last);
            let [x, y, z, _] = spread::<S>(simd, step).to_array();
            let code = x << 2 | y << 1 | z;
            keys[i] = u64::from(code) << 32 | i as u64;
            counts[0][code as usize & 1023] += 1;
            counts[1][(code >> 10) as usize & 1023] += 1;
            counts[2][(code >> 20) as usize & 1023] += 1;
        }
        true
    }
}

/// Inserts two zeros between the ten lowest bits.
#[inline(always)]
fn spread<S: Simd>(simd: S, x: S::U32x4) -> S::U32x4 {
    let mask = |bits| S::U32x4::splat(simd, bits);
    let x = (x | x.shl::<16>()) & mask(0x030000ff);
    let x = (x | x.shl::<8>()) & mask(0x0300f00f);
    let x = (x | x.shl::<4>()) & mask(0x030c30c3);
    (x | x.shl::<2>()) & mask(0x09249249)
}

/// Resizes the list; its contents do not matter. New memory from the system is already zero, so it
/// is not written.
fn make_room(list: &mut Vec<u64>, n: usize) {
    if list.capacity() < n {
        *list = alloc::vec![0; n];
    } else {
        list.resize(n, 0);
    }
}

/// Computes the keys of boxes and sorts them. The upper half of a key is a code, the lower half
/// the number of its box. The error names the first box that is not allowed in a tree.
pub(crate) fn sort(boxes: &[Aabb], keys: &mut Vec<u64>, swap: &mut Vec<u64>) -> Result<(), BvhError> {
    let mut counts = [[0_u32; 1024]; 3];
    make_room(keys, boxes.len());
    if !dispatch(Codes { boxes, keys, counts: &mut counts }) {
        return check_boxes(boxes);
    }
    if keys.len() < COUNTING {
        keys.sort_unstable();
        return Ok(());
    }
    make_room(swap, keys.len());
    for (pass, counts) in counts.iter_mut().enumerate() {
        let mut start = 0;
        for count in counts.iter_mut() {
            start += core::mem::replace(count, start);
        }
        for &key in keys.iter() {
            let entry = &mut counts[(key >> (32 + 10 * pass)) as usize & 1023];
            if let Some(to) = swap.get_mut(*entry as usize) {
                *to = key;
            }
            *entry += 1;
        }
        core::mem::swap(keys, swap);
    }
    Ok(())
}

/// The code of the key at an index.
#[inline(always)]
pub(crate) fn code(keys: &[u64], index: usize) -> u32 {
    keys.get(index).map_or(0, |key| (key >> 32) as u32)
}

/// The split of a range of at least two sorted keys: at the highest differing bit, or in the
/// middle.
#[inline(always)]
pub(crate) fn split_at(keys: &[u64], first: usize, end: usize) -> usize {
    let differ = code(keys, first) ^ code(keys, end - 1);
    if differ == 0 {
        return first + (end - first) / 2;
    }
    let bit = 31 - differ.leading_zeros();
    // A bisection without branches finds the last key without that bit. A branch would be
    // unpredictable.
    let (mut low, mut size) = (first, end - 1 - first);
    while 1 < size {
        let half = size / 2;
        let is_clear = code(keys, low + half) >> bit & 1 == 0;
        low += if is_clear { half } else { 0 };
        size -= half;
    }
    low + 1
}

struct Boxes<'a> {
    sorted: &'a [Row],
    firsts: &'a [u32],
    nodes: &'a mut [Row],
}

impl Kernel for Boxes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Boxes { sorted, firsts, nodes } = self;
        for i in (0..nodes.len()).rev() {
            let (tag, count) = (nodes[i].tag(), nodes[i].count());
            let below = if tag == 0 {
                let first = firsts[i] as usize;
                sorted.get(first..first + count as usize)
            } else {
                nodes.get(tag as usize..tag as usize + 2)
            };
            let mut all = S::F32x8::load(simd, &Row::EMPTY.0);
            for row in below.unwrap_or(&[]) {
                all = all.max(S::F32x8::load(simd, &row.0));
            }
            all.store(&mut nodes[i].0);
            nodes[i].set_numbers(tag, count);
        }
    }
}

/// Builds the binary tree by the bits of the codes, over rows in the order of their keys. A leaf
/// has at most `max_leaf` rows. `firsts` is scratch memory.
pub(crate) fn split(sorted: &[Row], keys: &[u64], max_leaf: u32, firsts: &mut Vec<u32>, binary: &mut Binary) {
    binary.order.extend(keys.iter().map(|&key| key as u32));
    let nodes = &mut binary.nodes;
    firsts.clear();
    let mut root = Row::EMPTY;
    root.set_numbers(0, keys.len() as u32);
    nodes.push(root);
    firsts.push(0);
    // Depth first, so that nodes used together are near each other. The stack holds one node for
    // each level.
    let mut stack = Stack::<u32, 64>::new(0);
    stack.push(0);
    while let Some(i) = stack.pop() {
        let i = i as usize;
        let (first, count) = (firsts[i] as usize, nodes[i].count());
        if count <= max_leaf {
            continue;
        }
        let end = first + count as usize;
        let middle = split_at(keys, first, end);
        let child = nodes.len() as u32;
        nodes[i].set_numbers(child, count);
        for (from, to) in [(first, middle), (middle, end)] {
            let mut child = Row::EMPTY;
            child.set_numbers(0, (to - from) as u32);
            nodes.push(child);
            firsts.push(from as u32);
        }
        stack.push(child + 1);
        stack.push(child);
    }
    dispatch(Boxes { sorted, firsts, nodes });
}

struct Clusters<'a> {
    sorted: &'a [Row],
    keys: &'a [u64],
    max_cluster: usize,
    out: &'a mut Vec<Row>,
}

impl Kernel for Clusters<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        self.out.clear();
        let mut stack = Vec::with_capacity(64);
        stack.push((0_usize, self.sorted.len()));
        while let Some((first, end)) = stack.pop() {
            if self.max_cluster < end - first {
                let middle = split_at(self.keys, first, end);
                stack.push((middle, end));
                stack.push((first, middle));
                continue;
            }
            let mut all = S::F32x8::load(simd, &Row::EMPTY.0);
            for row in self.sorted.get(first..end).unwrap_or(&[]) {
                all = all.max(S::F32x8::load(simd, &row.0));
            }
            let mut cluster = Row::EMPTY;
            all.store(&mut cluster.0);
            cluster.set_numbers(first as u32, (end - first) as u32);
            self.out.push(cluster);
        }
    }
}

/// Merges runs of at most `max_cluster` neighbouring rows into one row each. Its tag is the index
/// of its first row.
pub(crate) fn clusters(sorted: &[Row], keys: &[u64], max_cluster: u32, out: &mut Vec<Row>) {
    dispatch(Clusters { sorted, keys, max_cluster: max_cluster.max(1) as usize, out });
}
