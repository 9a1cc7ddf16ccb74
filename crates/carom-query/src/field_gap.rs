//! The gap between two fields that do not overlap: the least sum of the samples at two points and
//! of the distance between them.
//!
//! The boxes of both fields are bisected. In each part a field has a linear lower bound. The
//! distance between two parts is bounded by its projection on any direction. Pairs of parts are
//! pruned by the sum of these bounds, and searched best bound first. So a search that runs out of
//! pairs has the best bound for that number of pairs.
//!
//! Reference: R. Moore, R. Kearfott, M. Cloud, Introduction to Interval Analysis, 2009, 11.2
//! (branch and bound, the best bound first).

use crate::field_search::{MAX_PARTS, MAX_STEPS, Other, SMALLEST, corner_of_box, surface_point_near};
use alloc::collections::BinaryHeap;
use alloc::vec;
use alloc::vec::Vec;
use carom_geom::{DistanceField, DistanceSample, LinearFloor};
use carom_math::scaling::{length, unit};
use core::cmp::Ordering;
use core::ops::Range;
use glam::DVec3;

/// The points of two fields with the least sum of samples and gap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeastPair {
    pub(crate) sum: f64,
    /// A lower bound of all sums.
    pub(crate) at_least: f64,
    /// In the first field's frame.
    pub(crate) positions: [DVec3; 2],
    pub(crate) sample: DistanceSample,
}

/// Returns the least sum over points near the surfaces of two fields that do not overlap, to within
/// the tolerance. `None` if no sum is below the limit.
pub(crate) fn least_gap(
    a: &dyn DistanceField,
    b: &Other<'_>,
    limit: f64,
    tolerance: f64,
) -> Option<LeastPair> {
    let whole = |field: &dyn DistanceField| {
        let [low, high] = field.search_box();
        let (center, half) = ((low + high) * 0.5, (high - low) * 0.5);
        FieldCell { center, half, floor: field.floor(center, half) }
    };
    let smallest = SMALLEST * a.resolution();
    let n_left = MAX_PARTS / 16;
    let parts = [whole(a), whole(b.field)].map(FieldCells::new);
    let mut search = GapSearch { a, b, best: None, limit, tolerance, smallest, n_left, parts };
    search.begin();
    let at_least = search.run();
    search.polish();
    search.best.map(|best| LeastPair { at_least: at_least.min(best.sum), ..best })
}

/// A part of a field's box.
#[derive(Clone, Copy)]
struct FieldCell {
    center: DVec3,
    half: DVec3,
    floor: LinearFloor,
}

/// Parts of a field's box that were bisected, each once.
struct FieldCells {
    list: Vec<FieldCell>,
    /// For each part, the index of the first of its eight children; 0 if it was not bisected.
    halves: Vec<usize>,
}

impl FieldCells {
    fn new(whole: FieldCell) -> FieldCells {
        FieldCells { list: vec![whole], halves: vec![0] }
    }

    /// Returns the eight children of a part.
    fn halves_of(&mut self, number: usize, field: &dyn DistanceField) -> Range<usize> {
        if self.halves[number] == 0 {
            self.halves[number] = self.list.len();
            let FieldCell { center, half, .. } = self.list[number];
            let half = half * 0.5;
            self.list.extend((0..8).map(|corner| {
                let center = center + half * corner_of_box(corner);
                FieldCell { center, half, floor: field.floor(center, half) }
            }));
            self.halves.resize(self.list.len(), 0);
        }
        self.halves[number]..self.halves[number] + 8
    }
}

/// A pair of parts in the queue.
struct Open {
    /// A lower bound of its sums.
    at_least: f64,
    parts: [usize; 2],
}

impl Ord for Open {
    /// The pair with the least bound is the greatest.
    fn cmp(&self, other: &Open) -> Ordering {
        other.at_least.total_cmp(&self.at_least).then(other.parts.cmp(&self.parts))
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Open) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Open) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Open {}

/// A search for the least gap, best bound first. Its bound is the best one for the number of pairs
/// that it visits.
struct GapSearch<'a> {
    a: &'a dyn DistanceField,
    b: &'a Other<'a>,
    best: Option<LeastPair>,
    /// The least sum so far.
    limit: f64,
    tolerance: f64,
    /// Half extents of parts that are not bisected.
    smallest: f64,
    /// Pairs that may still be visited.
    n_left: u32,
    parts: [FieldCells; 2],
}

impl GapSearch<'_> {
    /// Returns a lower bound of the sum for a point of each part near its surface.
    fn floor(&self, a: &FieldCell, b: &FieldCell) -> f64 {
        let least = [a.floor.least(a.half), b.floor.least(b.half)];
        if self.a.error_bound() < least[0] || self.b.field.error_bound() < least[1] {
            return f64::INFINITY;
        }
        let between = self.b.pose.transform_point(b.center) - a.center;
        let slope = self.b.pose.transform_vector(b.floor.gradient);
        let reach = length(a.half) + length(b.half);
        let gap = (length(between) - reach).max(0.0);
        let mut at_least = least[0] + least[1] + gap;
        // A gap is at least its projection on any direction.
        for along in [between, a.floor.gradient - slope] {
            let Some(along) = unit(along) else { continue };
            let missed = (a.floor.gradient - along).abs().dot(a.half)
                + self.b.pose.inverse_transform_vector(slope + along).abs().dot(b.half);
            at_least = at_least.max(a.floor.value + b.floor.value + along.dot(between) - missed);
        }
        at_least
    }

    /// Offers points near both surfaces, by alternating projection from the centre of the second
    /// field. These points are needed to prune: the centres of parts larger than a field have no
    /// sample.
    fn begin(&mut self) {
        let [low, high] = self.b.field.bounds();
        let middle = self.b.pose.transform_point((low + high) * 0.5);
        let mut near_a = surface_point_near(self.a, middle);
        for _ in 0..2 {
            let Some((point_a, sample_a)) = near_a else { return };
            let Some((own, other)) =
                surface_point_near(self.b.field, self.b.pose.inverse_transform_point(point_a))
            else {
                return;
            };
            let point_b = self.b.pose.transform_point(own);
            // The known samples are used: at the border of a band rounding may move a point to
            // where there is no sample.
            self.take([point_a, point_b], sample_a, &other);
            near_a = surface_point_near(self.a, point_b);
            if let Some((point_a, sample_a)) = near_a {
                self.take([point_a, point_b], sample_a, &other);
            }
        }
    }

    fn offer(&mut self, positions: [DVec3; 2]) {
        let own = self.b.pose.inverse_transform_point(positions[1]);
        if let (Some(sample), Some(other)) = (self.a.sample(positions[0]), self.b.field.sample(own)) {
            self.take(positions, sample, &other);
        }
    }

    fn take(&mut self, positions: [DVec3; 2], sample: DistanceSample, other: &DistanceSample) {
        let sum = sample.distance + other.distance + length(positions[1] - positions[0]);
        if sum < self.limit {
            self.limit = sum;
            self.best = Some(LeastPair { sum, at_least: sum, positions, sample });
        }
    }

    /// Visits pairs of parts until no sum can be less by more than the tolerance. Returns a lower
    /// bound of all sums.
    fn run(&mut self) -> f64 {
        let mut left_out = self.limit;
        let mut open = BinaryHeap::new();
        let at_least = self.floor(&self.parts[0].list[0], &self.parts[1].list[0]);
        open.push(Open { at_least, parts: [0, 0] });
        while let Some(Open { at_least, parts: [a, b] }) = open.pop() {
            if self.limit - self.tolerance <= at_least || self.n_left == 0 {
                return left_out.min(at_least);
            }
            self.n_left -= 1;
            let (part_a, part_b) = (self.parts[0].list[a], self.parts[1].list[b]);
            self.offer([part_a.center, self.b.pose.transform_point(part_b.center)]);
            let (size_a, size_b) = (part_a.half.max_element(), part_b.half.max_element());
            if size_a.max(size_b) < self.smallest {
                left_out = left_out.min(at_least);
                continue;
            }
            let is_a_halved = size_b <= size_a;
            let halves = if is_a_halved {
                self.parts[0].halves_of(a, self.a)
            } else {
                self.parts[1].halves_of(b, self.b.field)
            };
            for half in halves {
                let parts = if is_a_halved { [half, b] } else { [a, half] };
                let own = self.floor(&self.parts[0].list[parts[0]], &self.parts[1].list[parts[1]]);
                let at_least = at_least.max(own);
                if self.limit - self.tolerance <= at_least {
                    left_out = left_out.min(at_least);
                } else {
                    open.push(Open { at_least, parts });
                }
            }
        }
        left_out
    }

    /// Slides both points along their surfaces towards each other, while that reduces the sum.
    fn polish(&mut self) {
        for _ in 0..2 * MAX_STEPS {
            let Some(best) = self.best else { return };
            let [point_a, point_b] = best.positions;
            let Some(along) = unit(point_b - point_a) else { return };
            let gap = length(point_b - point_a);
            let own = self.b.pose.inverse_transform_point(point_b);
            let Some(other) = self.b.field.sample(own) else { return };
            let down_a = best.sample.gradient - along;
            let down_b = self.b.pose.transform_vector(other.gradient) + along;
            for part in [1.0, 0.25, 0.0625] {
                self.offer([point_a - down_a * (gap * part), point_b]);
                self.offer([point_a, point_b - down_b * (gap * part)]);
                if self.limit < best.sum {
                    break;
                }
            }
            if !(self.limit < best.sum - SMALLEST * self.a.resolution()) {
                return;
            }
        }
    }
}
