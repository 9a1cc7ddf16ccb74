//! Boxes around neighbouring particles, so that a boundary visits only those near it.
//!
//! - Slots are sorted by cells, so the particles of a run of slots are near each other. Runs form
//!   a tree.
//! - The distance from a boundary changes by at most the distance of two points. So one distance,
//!   at the middle of a box, excludes all particles whose boxes and paths are short enough.

use crate::solver::boundary::{MARGIN, Motion};
use crate::solver::paths::Bends;
use crate::solver::store::{Store, vector};
use crate::solver::surroundings::DistanceFn;
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use carom_math::rotation;
use core::ops::Range;
use glam::Vec3;

/// The number of slots in a run of the lowest level.
const RUN: usize = 16;

/// The number of runs in one of the level above.
const FAN_OUT: usize = 8;

/// The particles of a run.
#[derive(Clone, Copy, Debug)]
struct Cluster {
    /// The box around them at the start of the substep.
    min: Vec3,
    max: Vec3,
    /// The length of the longest path in the substep.
    longest: f32,
    /// The largest radius.
    radius: f32,
}

/// The tree of clusters; its memory is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clusters {
    /// From the lowest level on. The last one has at most [`FAN_OUT`] clusters.
    levels: Vec<Vec<Cluster>>,
    n_slots: usize,
}

/// Returns the run of a slot.
pub(crate) fn run_of(slot: usize) -> usize {
    slot / RUN
}

impl Cluster {
    /// Returns the cluster of a particle alone.
    fn of(store: &Store, slot: usize) -> Cluster {
        let [start, end] = [&store.positions[slot], &store.predicted[slot]].map(vector);
        Cluster { min: start, max: start, longest: start.distance(end), radius: store.radius(slot) }
    }

    fn union(a: Cluster, b: Cluster) -> Cluster {
        let (longest, radius) = (a.longest.max(b.longest), a.radius.max(b.radius));
        Cluster { min: a.min.min(b.min), max: a.max.max(b.max), longest, radius }
    }

    /// Whether no path of its particles comes within the margin of a field. `turn` is at least how
    /// far the field moves a point at distance 1 by its rotation.
    fn is_far(&self, distance: DistanceFn<'_>, motion: &Motion, turn: f32) -> bool {
        let (middle, size) = (0.5 * (self.min + self.max), 0.5 * self.min.distance(self.max));
        let start = motion.start.inverse_transform_point(middle);
        let travel = start.distance(motion.end.inverse_transform_point(middle)) + size * turn;
        size + self.longest + travel + (1.0 + MARGIN) * self.radius < distance(start).0
    }
}

impl Clusters {
    /// Takes the positions and the predicted positions of all particles.
    pub(crate) fn update(&mut self, store: &Store) {
        self.n_slots = store.len();
        let mut n = store.len().div_ceil(RUN);
        let mut n_levels = 0;
        loop {
            if self.levels.len() == n_levels {
                self.levels.push(Vec::new());
            }
            let (below, from) = self.levels.split_at_mut(n_levels);
            let level = &mut from[0];
            level.clear();
            match below.last() {
                None => level.extend((0..n).filter_map(|run| {
                    let slots = run * RUN..((run + 1) * RUN).min(store.len());
                    slots.map(|slot| Cluster::of(store, slot)).reduce(Cluster::union)
                })),
                Some(below) => level.extend(
                    below.chunks(FAN_OUT).filter_map(|some| some.iter().copied().reduce(Cluster::union)),
                ),
            }
            n_levels += 1;
            if n <= FAN_OUT {
                break;
            }
            n = n.div_ceil(FAN_OUT);
        }
        self.levels.truncate(n_levels);
    }

    /// Takes new ends of some paths.
    pub(crate) fn include(&mut self, store: &Store, bends: &Bends) {
        for &(slot, _) in bends {
            let (cluster, mut index) = (Cluster::of(store, slot), run_of(slot));
            for level in &mut self.levels {
                level[index] = Cluster::union(level[index], cluster);
                index /= FAN_OUT;
            }
        }
    }

    /// Calls `visit` for runs of slots, ascending. The paths of all others are farther from a field
    /// than the margin of candidates.
    pub(crate) fn visit_near(
        &self,
        distance: DistanceFn<'_>,
        motion: &Motion,
        visit: &mut impl FnMut(Range<usize>),
    ) {
        let [start, end] = [motion.start.rotation, motion.end.rotation];
        let apart = rotation::length_squared(end - start).min(rotation::length_squared(end + start));
        let turn = 2.0 * sqrt(apart);
        if let Some(highest) = self.levels.len().checked_sub(1) {
            let is_far = |cluster: &Cluster| cluster.is_far(distance, motion, turn);
            self.visit_level(highest, 0..self.levels[highest].len(), &is_far, visit);
        }
    }

    fn visit_level(
        &self,
        level: usize,
        clusters: Range<usize>,
        is_far: &impl Fn(&Cluster) -> bool,
        visit: &mut impl FnMut(Range<usize>),
    ) {
        for index in clusters {
            if is_far(&self.levels[level][index]) {
                continue;
            }
            if level == 0 {
                visit(index * RUN..((index + 1) * RUN).min(self.n_slots));
            } else {
                let end = ((index + 1) * FAN_OUT).min(self.levels[level - 1].len());
                self.visit_level(level - 1, index * FAN_OUT..end, is_far, visit);
            }
        }
    }
}
