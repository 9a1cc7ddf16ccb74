//! The radix tree of the Morton codes in one bottom-up pass, which finds the hierarchy and the
//! boxes.
//!
//! - A node is a run of sorted keys. Its parent is the adjacent gap whose two keys differ less, so
//!   no search is needed.
//! - Equal codes are distinguished by their index, so all keys differ.
//! - The second of two siblings merges both boxes and continues upwards.
//! - The children of gap `k` are the rows `2 k + 1` and `2 k + 2`; the root is row 0.
//! - On several threads, each chunk of the keys climbs as far as its own runs reach. One thread
//!   joins the rest, at most two runs for each level. The keys determine the tree and unions are
//!   exact, so the result has the same bits.
//!
//! Reference: C. Apetrei, Fast and Simple Agglomerative LBVH Construction, 2014.
//! Differs: leaves come in order, so a stack replaces the atomic flags of siblings. Short runs
//! become leaves.

use super::binary::Binary;
use super::morton::code;
use super::rows::Row;
use alloc::vec::Vec;

/// The difference of the two keys beside gap `k`. The two gaps at the ends of a run have different
/// values.
#[inline(always)]
fn gap(keys: &[u64], k: usize) -> u64 {
    let differ = code(keys, k) ^ code(keys, k + 1);
    if differ == 0 { (k ^ (k + 1)) as u64 } else { u64::from(differ) << 32 }
}

/// A subtree: its box, and its keys from the first to the last.
#[derive(Clone, Copy, Debug)]
struct Run {
    row: Row,
    first: usize,
    last: usize,
}

/// A left child that waits for its sibling: its gap, and its first key. Its box is among the rows.
type Waiting = (usize, usize);

/// Joins runs of neighbouring keys.
struct Pass<'a> {
    keys: &'a [u64],
    max_leaf: u32,
    /// Two rows for each gap from `base` on: its children.
    rows: &'a mut [Row],
    base: usize,
    waiting: Vec<Waiting>,
}

impl Pass<'_> {
    /// Joins a run with its siblings upwards, until it must wait for one. Returns the run if its
    /// sibling is in another chunk, or if it is the root.
    #[inline(always)]
    fn climb(&mut self, mut run: Run) -> Option<Run> {
        let end = self.keys.len() - 1;
        loop {
            let Run { row, first, last } = run;
            if first == 0 && last == end {
                return Some(run);
            }
            if first == 0 || (last < end && gap(self.keys, last) < gap(self.keys, first - 1)) {
                self.rows[2 * (last - self.base)] = row;
                self.waiting.push((last, first));
                return None;
            }
            let Some((parent, first)) = self.waiting.pop() else { return Some(run) };
            let at = 2 * (parent - self.base);
            self.rows[at + 1] = row;
            let mut joined = self.rows[at].merged(&row);
            let count = (last + 1 - first) as u32;
            joined.set_numbers(if count <= self.max_leaf { 0 } else { 2 * parent as u32 + 1 }, count);
            run = Run { row: joined, first, last };
        }
    }

    /// Climbs from each of the boxes, whose keys begin at `first`. Returns the runs without a
    /// sibling, in order.
    fn climb_all(&mut self, boxes: &[Row], first: usize) -> Vec<Run> {
        let mut open = Vec::new();
        for (i, row) in (first..).zip(boxes) {
            let mut row = *row;
            row.set_numbers(0, 1);
            open.extend(self.climb(Run { row, first: i, last: i }));
        }
        open
    }
}

/// Builds the binary tree over rows in the order of their keys. A leaf has at most `max_leaf`
/// rows, and there is at least one row. Children may come before their parent.
pub(crate) fn build(sorted: &[Row], keys: &[u64], max_leaf: u32, binary: &mut Binary) {
    binary.order.extend(keys.iter().map(|&key| key as u32));
    // Two more rows for the end of the keys, which is no gap. So the chunks of both lists match.
    binary.nodes.resize(2 * keys.len() + 1, Row::EMPTY);
    let Some((root, rows)) = binary.nodes.split_first_mut() else { return };
    let mut pass = Pass { keys, max_leaf, rows, base: 0, waiting: Vec::new() };
    #[cfg(feature = "parallel")]
    let whole = if super::par::pays(keys.len()) {
        on_threads(sorted, &mut pass)
    } else {
        pass.climb_all(sorted, 0).pop()
    };
    #[cfg(not(feature = "parallel"))]
    let whole = pass.climb_all(sorted, 0).pop();
    if let Some(whole) = whole {
        *root = whole.row;
    }
}

/// Computes the same root and rows in chunks of the keys.
#[cfg(feature = "parallel")]
fn on_threads(sorted: &[Row], pass: &mut Pass<'_>) -> Option<Run> {
    use super::par::CHUNK_ROWS;
    use rayon::prelude::*;

    let (keys, max_leaf) = (pass.keys, pass.max_leaf);
    let work = pass.rows.par_chunks_mut(2 * CHUNK_ROWS).zip(sorted.par_chunks(CHUNK_ROWS)).enumerate();
    let parts: Vec<(Vec<Run>, Vec<Waiting>)> = work
        .map(|(i, (rows, boxes))| {
            let base = i * CHUNK_ROWS;
            let mut pass = Pass { keys, max_leaf, rows, base, waiting: Vec::new() };
            (pass.climb_all(boxes, base), pass.waiting)
        })
        .collect();
    let mut root = None;
    for (open, waiting) in parts {
        // The open runs of a chunk lack a left sibling, so they lie before its waiting runs and
        // climb first. The waiting runs lack a right sibling, from a later chunk.
        for run in open {
            root = pass.climb(run);
        }
        pass.waiting.extend(waiting);
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Builder;
    use crate::{BuildMethod, BuildSettings};
    use carom_bounds::Aabb;
    use glam::Vec3;

    /// Boxes with codes of many kinds: all different, all equal, few places, one far away.
    fn sets() -> Vec<Vec<Aabb>> {
        let at = |p: Vec3| Aabb { min: p, max: p + 0.125 };
        let hash = |i: usize, k: usize| (i * 7919 + k * 104_729) * 2_654_435_761 % 100_003;
        let position_of = |i: usize, n: usize| {
            Vec3::new((hash(i, 1) % n) as f32, (hash(i, 2) % n) as f32, (hash(i, 3) % n) as f32)
        };
        let mut sets = Vec::new();
        for n in [1, 2, 3, 4, 5, 8, 63, 64, 65, 700, 8193, 13_000] {
            sets.push((0..n).map(|i| at(position_of(i, 1024))).collect());
            sets.push((0..n).map(|i| at(position_of(i, 2))).collect());
            sets.push((0..n).map(|_| at(Vec3::ONE)).collect());
            sets.push(
                (0..n).map(|i| at(if i == n / 2 { Vec3::splat(1e20) } else { position_of(i, 9) })).collect(),
            );
            sets.push((0..n).map(|i| at(Vec3::X * 2.0_f32.powi(i as i32 % 40))).collect());
        }
        sets
    }

    /// The split of a run of keys at the highest differing bit. This oracle tests each key.
    fn split_by_force(keys: &[u64], first: usize, end: usize) -> usize {
        let whole = |i: usize| u128::from(keys[i] >> 32) << 64 | i as u128;
        let bit = (0..96).rev().find(|&bit| (first..end).any(|i| (whole(i) ^ whole(first)) >> bit & 1 == 1));
        let bit = bit.expect("keys differ");
        (first..end).find(|&i| whole(i) >> bit & 1 == 1).expect("some key has the bit")
    }

    /// Checks a node and its subtree by brute force.
    fn check(binary: &Binary, keys: &[u64], boxes: &[Aabb], max_leaf: u32, node: usize, run: [usize; 2]) {
        let [first, end] = run;
        let row = &binary.nodes[node];
        assert_eq!(row.count() as usize, end - first);
        let numbers = &binary.order[first..end];
        let around = |low: bool| {
            let corners = numbers.iter().map(|&i| boxes[i as usize]).map(|b| if low { b.min } else { b.max });
            corners.reduce(|a, b| if low { a.min(b) } else { a.max(b) }).expect("a node has boxes")
        };
        assert_eq!(row.aabb(), Aabb { min: around(true), max: around(false) });
        if end - first <= max_leaf as usize {
            assert_eq!(row.tag(), 0);
            return;
        }
        let middle = split_by_force(keys, first, end);
        let left = row.tag() as usize;
        check(binary, keys, boxes, max_leaf, left, [first, middle]);
        check(binary, keys, boxes, max_leaf, left + 1, [middle, end]);
    }

    #[test]
    fn it_is_the_radix_tree_by_force() {
        for boxes in sets() {
            for max_leaf in [1, 2, 4, 16] {
                let method = BuildMethod::OnePass;
                let settings = BuildSettings::default().with_method(method).with_max_leaf(max_leaf);
                let mut builder = Builder::default();
                builder.binary(&boxes, &settings).unwrap();
                check(&builder.binary, &builder.keys, &boxes, max_leaf, 0, [0, boxes.len()]);
            }
        }
    }

    /// Compares with the top-down build by the same codes. Both split at the same bits if codes
    /// differ.
    #[test]
    fn it_is_the_top_down_tree_if_codes_differ() {
        let at = |x: usize, y: usize, z: usize| Vec3::new(x as f32, y as f32, z as f32);
        let boxes: Vec<Aabb> = (0..4096)
            .map(|i| at(i % 16, i / 16 % 16, i / 256))
            .map(|p| Aabb { min: p, max: p + 0.5 })
            .collect();
        let settings = BuildSettings::default().with_max_leaf(1);
        let [one, other] = [BuildMethod::OnePass, BuildMethod::Morton].map(|method| {
            let mut builder = Builder::default();
            builder.binary(&boxes, &settings.with_method(method)).unwrap();
            builder.binary.reorder_depth_first();
            let nodes: Vec<_> = builder.binary.nodes.iter().map(|r| (r.aabb(), r.tag(), r.count())).collect();
            (nodes, builder.binary.order)
        });
        assert!(one == other);
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn pieces_give_the_same_rows() {
        for boxes in sets() {
            let settings = BuildSettings::default().with_method(BuildMethod::OnePass).with_max_leaf(1);
            let with = |n: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
                let mut builder = Builder::default();
                pool.install(|| builder.binary(&boxes, &settings).unwrap());
                format!("{:?}", builder.binary)
            };
            let one = with(1);
            assert!(with(2) == one && with(7) == one, "{} boxes", boxes.len());
        }
    }
}
