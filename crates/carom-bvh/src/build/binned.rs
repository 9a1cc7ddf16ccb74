//! Top-down build by the surface area heuristic, over bins of the centres.
//!
//! One pass puts each box into a bin on each axis. A sweep over the bins finds the cheapest split.
//! A second pass partitions the boxes and measures the centres of both sides. If all centres are
//! equal, or the tree is too deep, the range is halved in its order.
//!
//! Reference: I. Wald, On fast Construction of SAH-based Bounding Volume Hierarchies, 2007; J.
//! Goldsmith, J. Salmon, Automatic Creation of Object Hierarchies for Ray Tracing, 1987.
//! Differs: a row has eight lanes, so a bin grows by one maximum. Ties go to the more even split,
//! because flat and thin data have areas of 0. The depth is bounded.

use super::binary::MAX_DEPTH;
use super::rows::{Row, half_area};
use crate::scale::{LARGEST_SCALE, inverse_power_of_two};
use alloc::vec::Vec;
#[cfg(feature = "parallel")]
use carom_lanes::dispatch;
use carom_lanes::{F32Lanes, Kernel, Simd, U32Lanes};

/// The maximum number of bins on an axis.
const BINS: usize = 16;

/// A range of rows to be split.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    node: u32,
    first: u32,
    end: u32,
    depth: u32,
    /// Twice the centres' least and largest coordinates.
    low: [f32; 4],
    high: [f32; 4],
}

/// Splits the rows on one thread, by areas or with `VOLUME` by volumes. It permutes the rows, and
/// builds the tree over them.
pub(super) struct Split<'a, const VOLUME: bool> {
    pub(super) rows: &'a mut [Row],
    pub(super) max_leaf: u32,
    pub(super) tasks: &'a mut Vec<Task>,
    pub(super) nodes: &'a mut Vec<Row>,
}

/// Half the area of a box, or its volume, for the cost function. Lengths are multiplied by `unit`.
#[inline(always)]
fn size<const VOLUME: bool>(r: &[f32; 8], unit: f32) -> f32 {
    if VOLUME {
        ((r[0] + r[4]) * unit) * ((r[1] + r[5]) * unit) * ((r[2] + r[6]) * unit)
    } else {
        half_area(r, unit)
    }
}

#[inline(always)]
fn center2<S: Simd>(simd: S, row: &Row) -> S::F32x4 {
    let halves = row.0.as_chunks::<4>().0;
    S::F32x4::load(simd, &halves[1]) - S::F32x4::load(simd, &halves[0])
}

/// The bins of a row on the three axes. Both passes use this expression; otherwise a side could be
/// empty.
#[inline(always)]
fn bins_of<S: Simd>(center: S::F32x4, low: S::F32x4, scale: S::F32x4, last: S::F32x4) -> [u32; 4] {
    // On an axis without extent, 0 times infinity is NaN. `min` keeps it, and it goes to bin 0.
    last.min((center - low) * scale).trunc_to_u32().to_array()
}

impl<const VOLUME: bool> Kernel for Split<'_, VOLUME> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Split { rows, max_leaf, tasks, nodes } = self;
        let (root, task, unit) = whole::<S>(simd, rows);
        nodes.push(root);
        tasks.clear();
        tasks.push(task);
        run_tasks::<S, VOLUME>(simd, rows, max_leaf, unit, tasks, nodes);
    }
}

/// The root, its task, and the factor for lengths. It scales boxes to about 1, so that areas
/// neither overflow nor underflow.
#[inline(always)]
fn whole<S: Simd>(simd: S, rows: &[Row]) -> (Row, Task, f32) {
    let (root, (low, high)) = measure::<S>(simd, rows);
    let extent = (0..3).fold(0.0_f32, |e, k| e.max(root.0[k] + root.0[k + 4]));
    let unit = inverse_power_of_two(f64::from(extent)).min(LARGEST_SCALE) as f32;
    (root, Task { node: 0, first: 0, end: rows.len() as u32, depth: 0, low, high }, unit)
}

/// Splits until no task is left. The tasks refer to these rows and nodes.
#[inline(always)]
fn run_tasks<S: Simd, const VOLUME: bool>(
    simd: S,
    rows: &mut [Row],
    max_leaf: u32,
    unit: f32,
    tasks: &mut Vec<Task>,
    nodes: &mut Vec<Row>,
) {
    let mut bins = Bins { rows: [[Row::EMPTY; BINS]; 3], counts: [[0; BINS]; 3] };
    while let Some(task) = tasks.pop() {
        let node = task.node as usize;
        let (first, end) = (task.first as usize, task.end as usize);
        let total = nodes[node].count();
        if total <= max_leaf || end - first < 2 {
            // The tag stays 0.
            continue;
        }
        let cut = cut::<S, VOLUME>(simd, &mut rows[first..end], &task, unit, &mut bins);
        let child = nodes.len() as u32;
        nodes[node].set_numbers(child, total);
        nodes.extend(cut.rows);
        let middle = first + cut.n_left;
        for (i, (from, to)) in [(first, middle), (middle, end)].into_iter().enumerate() {
            tasks.push(Task {
                node: child + i as u32,
                first: from as u32,
                end: to as u32,
                depth: task.depth + 1,
                low: cut.centers[i].0,
                high: cut.centers[i].1,
            });
        }
    }
}

/// A range cut in two: the number of rows on the left, and the boxes and the centres of both
/// sides.
pub(crate) struct Cut {
    pub(crate) n_left: usize,
    pub(crate) rows: [Row; 2],
    centers: [Centers; 2],
}

/// Cuts the rows of a task, at least two, in place.
#[inline(always)]
fn cut<S: Simd, const VOLUME: bool>(
    simd: S,
    rows: &mut [Row],
    task: &Task,
    unit: f32,
    bins: &mut Bins,
) -> Cut {
    let found = if task.depth < MAX_DEPTH { best::<S, VOLUME>(simd, rows, task, unit, bins) } else { None };
    if let Some(best) = found {
        let (n_left, centers) = part::<S>(simd, rows, task, &best);
        return Cut { n_left, rows: [best.left, best.right], centers };
    }
    let n_left = rows.len() / 2;
    let (left, centers_left) = measure::<S>(simd, &rows[..n_left]);
    let (right, centers_right) = measure::<S>(simd, &rows[n_left..]);
    Cut { n_left, rows: [left, right], centers: [centers_left, centers_right] }
}

/// The single steps of a split, for the parallel build.
#[cfg(feature = "parallel")]
pub(crate) mod steps {
    use super::*;

    struct Whole<'a>(&'a [Row]);

    impl Kernel for Whole<'_> {
        type Output = (Row, Task, f32);

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> (Row, Task, f32) {
            super::whole::<S>(simd, self.0)
        }
    }

    /// As [`super::whole`].
    pub(crate) fn whole(rows: &[Row]) -> (Row, Task, f32) {
        dispatch(Whole(rows))
    }

    struct One<'a, const VOLUME: bool>(&'a mut [Row], &'a Task, f32);

    impl<const VOLUME: bool> Kernel for One<'_, VOLUME> {
        type Output = Cut;

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> Cut {
            let mut bins = Bins { rows: [[Row::EMPTY; BINS]; 3], counts: [[0; BINS]; 3] };
            super::cut::<S, VOLUME>(simd, self.0, self.1, self.2, &mut bins)
        }
    }

    /// Cuts the rows of a task in two. Also returns the tasks of both sides, whose rows and nodes
    /// are numbered from 0.
    pub(crate) fn cut<const VOLUME: bool>(rows: &mut [Row], task: &Task, unit: f32) -> (Cut, [Task; 2]) {
        let n = rows.len();
        let cut = dispatch(One::<VOLUME>(rows, task, unit));
        let ends = [cut.n_left, n - cut.n_left];
        let tasks = [0, 1].map(|i| Task {
            node: 0,
            first: 0,
            end: ends[i] as u32,
            depth: task.depth + 1,
            low: cut.centers[i].0,
            high: cut.centers[i].1,
        });
        (cut, tasks)
    }

    struct Rest<'a, const VOLUME: bool> {
        rows: &'a mut [Row],
        max_leaf: u32,
        unit: f32,
        task: Task,
        nodes: &'a mut Vec<Row>,
    }

    impl<const VOLUME: bool> Kernel for Rest<'_, VOLUME> {
        type Output = ();

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) {
            let mut tasks = alloc::vec![self.task];
            run_tasks::<S, VOLUME>(simd, self.rows, self.max_leaf, self.unit, &mut tasks, self.nodes);
        }
    }

    /// Builds the subtree of a task. Its node is the first of the result.
    pub(crate) fn rest<const VOLUME: bool>(
        rows: &mut [Row],
        max_leaf: u32,
        unit: f32,
        task: Task,
        node: Row,
    ) -> Vec<Row> {
        let mut nodes = alloc::vec![node];
        dispatch(Rest::<VOLUME> { rows, max_leaf, unit, task, nodes: &mut nodes });
        nodes
    }
}

/// The centres' least and largest coordinates, doubled.
type Centers = ([f32; 4], [f32; 4]);

/// The boxes and the primitives in each bin of the three axes.
struct Bins {
    rows: [[Row; BINS]; 3],
    counts: [[u32; BINS]; 3],
}

/// The cheapest split.
struct Best {
    axis: usize,
    /// The last bin of the left side.
    bin: u32,
    n_bins: usize,
    left: Row,
    right: Row,
}

#[inline(always)]
fn scale_of<S: Simd>(simd: S, task: &Task, n_bins: usize) -> (S::F32x4, S::F32x4, S::F32x4) {
    let low = S::F32x4::load(simd, &task.low);
    let extent = S::F32x4::load(simd, &task.high) - low;
    let scale = S::F32x4::splat(simd, n_bins as f32) / extent;
    (low, scale, S::F32x4::splat(simd, (n_bins - 1) as f32))
}

#[inline(always)]
fn best<S: Simd, const VOLUME: bool>(
    simd: S,
    rows: &[Row],
    task: &Task,
    unit: f32,
    bins: &mut Bins,
) -> Option<Best> {
    let n_bins = if 128 < rows.len() {
        BINS
    } else if 24 < rows.len() {
        8
    } else {
        4
    };
    let (low, scale, last) = scale_of(simd, task, n_bins);
    // Only the bins in use are cleared, because most nodes are small.
    for axis in 0..3 {
        bins.rows[axis][..n_bins].fill(Row::EMPTY);
        bins.counts[axis][..n_bins].fill(0);
    }
    let Bins { rows: bins, counts } = bins;
    for row in rows {
        let bin = bins_of::<S>(center2(simd, row), low, scale, last);
        let lanes = S::F32x8::load(simd, &row.0);
        let count = row.count();
        for axis in 0..3 {
            let i = bin[axis] as usize & (BINS - 1);
            let grown = S::F32x8::load(simd, &bins[axis][i].0).max(lanes);
            grown.store(&mut bins[axis][i].0);
            counts[axis][i] += count;
        }
    }
    let (mut least, mut uneven, mut found) = (f32::INFINITY, u32::MAX, None);
    let empty = S::F32x8::load(simd, &Row::EMPTY.0);
    for axis in 0..3 {
        let mut right_cost = [0.0_f32; BINS];
        let mut right_count = [0_u32; BINS];
        let (mut side, mut n) = (empty, 0);
        let mut bin = n_bins - 1;
        while 0 < bin {
            side = side.max(S::F32x8::load(simd, &bins[axis][bin].0));
            n += counts[axis][bin];
            right_count[bin] = n;
            right_cost[bin] = if n == 0 { 0.0 } else { size::<VOLUME>(&side.to_array(), unit) * n as f32 };
            bin -= 1;
        }
        let (mut side, mut n) = (empty, 0);
        for bin in 0..n_bins - 1 {
            side = side.max(S::F32x8::load(simd, &bins[axis][bin].0));
            n += counts[axis][bin];
            let other = right_count[bin + 1];
            if n == 0 || other == 0 {
                continue;
            }
            let cost = size::<VOLUME>(&side.to_array(), unit) * n as f32 + right_cost[bin + 1];
            if cost < least || (cost == least && n.abs_diff(other) < uneven) {
                (least, uneven, found) = (cost, n.abs_diff(other), Some((axis, bin)));
            }
        }
    }
    let (axis, bin) = found?;
    let (mut left, mut right) = (Row::EMPTY, Row::EMPTY);
    let (mut n_left, mut n_right) = (0, 0);
    let (mut side_left, mut side_right) = (empty, empty);
    for i in 0..n_bins {
        let lanes = S::F32x8::load(simd, &bins[axis][i].0);
        if i <= bin {
            side_left = side_left.max(lanes);
            n_left += counts[axis][i];
        } else {
            side_right = side_right.max(lanes);
            n_right += counts[axis][i];
        }
    }
    side_left.store(&mut left.0);
    side_right.store(&mut right.0);
    left.set_numbers(0, n_left);
    right.set_numbers(0, n_right);
    Some(Best { axis, bin: bin as u32, n_bins, left, right })
}

/// Partitions the rows in place. Returns the number on the left, and the centres of both sides.
#[inline(always)]
fn part<S: Simd>(simd: S, rows: &mut [Row], task: &Task, best: &Best) -> (usize, [Centers; 2]) {
    let (low, scale, last) = scale_of(simd, task, best.n_bins);
    let (inf, neg) = (S::F32x4::splat(simd, f32::INFINITY), S::F32x4::splat(simd, f32::NEG_INFINITY));
    let (mut left_low, mut left_high, mut right_low, mut right_high) = (inf, neg, inf, neg);
    let (mut i, mut end) = (0, rows.len());
    while i < end {
        let center = center2(simd, &rows[i]);
        if bins_of::<S>(center, low, scale, last)[best.axis & 3] <= best.bin {
            left_low = center.min(left_low);
            left_high = center.max(left_high);
            i += 1;
        } else {
            right_low = center.min(right_low);
            right_high = center.max(right_high);
            end -= 1;
            rows.swap(i, end);
        }
    }
    (i, [(left_low.to_array(), left_high.to_array()), (right_low.to_array(), right_high.to_array())])
}

/// Returns the box around rows, and the range of their centres, for rows that were not binned.
#[inline(always)]
fn measure<S: Simd>(simd: S, rows: &[Row]) -> (Row, Centers) {
    let (mut low, mut high) =
        (S::F32x4::splat(simd, f32::INFINITY), S::F32x4::splat(simd, f32::NEG_INFINITY));
    let mut all = S::F32x8::load(simd, &Row::EMPTY.0);
    let mut total = 0;
    for row in rows {
        let center = center2(simd, row);
        low = center.min(low);
        high = center.max(high);
        all = all.max(S::F32x8::load(simd, &row.0));
        total += row.count();
    }
    let mut out = Row::EMPTY;
    all.store(&mut out.0);
    out.set_numbers(0, total);
    (out, (low.to_array(), high.to_array()))
}
