//! A step that ends on time: what the budget allows, what is put off, and what stands in for it.
//!
//! The broad phase is always run to its end. Of the pairs that moved, those never looked at come first, then the others in
//! turn, from where the last step stopped; so every pair has its turn. Contacts of pairs that are put off move with their
//! bodies; of pairs never looked at, only the approach is stopped. What is left goes to the solver, in fewer and longer
//! substeps, at least one. So the time that passes in the world is always the whole step.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6; J. Dingliana, C. O'Sullivan, Graceful Degradation
//! of Collision Handling in Physically Based Animation, Eurographics 2000.
//! Differs: pairs are interrupted, not the tests of one pair.

use crate::narrow::Record;
use crate::stats::Clock;
use carom_bounds::Aabb;
use carom_broad::Pair;
use carom_geom::Manifold;
use carom_math::{Budget, Pose, Vec3};

/// Seconds that pieces of work took lately; what a budget in seconds is divided by.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    /// A pair of shapes looked at.
    pub(crate) pair: f64,
    /// A manifold solved in one substep.
    pub(crate) manifold: f64,
    /// The boxes of what moved, all together.
    pub(crate) refit: f64,
}

/// Takes a new measurement; half of it is what was known.
pub(crate) fn blend(known: &mut f64, seconds: f64, n: usize) {
    if 0 < n && 0.0 < seconds {
        let new = seconds / n as f64;
        *known = if *known == 0.0 { new } else { 0.5 * (*known + new) };
    }
}

/// The budget of one step, while it is spent.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    budget: Budget,
    clock: Clock,
    pace: Pace,
    /// Manifolds times substeps that the solver is expected to have to do.
    n_to_solve: usize,
}

/// What the narrow phase may do.
#[derive(Clone, Copy)]
pub(crate) struct Allowance {
    /// Pairs to be looked at; `None`: all.
    pub(crate) n_pairs: Option<usize>,
    /// Seconds after the start of the step at which it stops.
    until: f64,
    clock: Clock,
}

impl Allowance {
    /// Time is out.
    pub(crate) fn is_over(&self) -> bool {
        self.until < f64::INFINITY && self.until <= self.clock.since_start()
    }
}

impl Plan {
    /// From now on.
    pub(crate) fn start(budget: Budget, pace: Pace, n_manifolds: usize, substeps: u32) -> Plan {
        Plan {
            budget,
            clock: Clock::start(),
            pace,
            n_to_solve: n_manifolds.saturating_mul(substeps as usize),
        }
    }

    /// What the narrow phase may do after the broad phase: all but what the solver will need, and never less than half.
    pub(crate) fn allowance(&self) -> Allowance {
        let all = Allowance { n_pairs: None, until: f64::INFINITY, clock: self.clock };
        match self.budget {
            Budget::Steps(n) => {
                let n = usize::try_from(n).unwrap_or(usize::MAX);
                Allowance { n_pairs: Some(n - self.n_to_solve.min(n / 2)), ..all }
            }
            Budget::Time(limit) => {
                let left = (limit.as_secs_f64() - self.clock.since_start()).max(0.0);
                let response = self.pace.manifold * self.n_to_solve as f64 + self.pace.refit;
                let own = left - response.min(0.5 * left);
                let n_pairs = (0.0 < self.pace.pair).then(|| (own / self.pace.pair) as usize);
                Allowance { n_pairs, until: self.clock.since_start() + own, ..all }
            }
            _ => all,
        }
    }

    /// How many of the substeps are made, at least one, after `n_tested` pairs were looked at.
    pub(crate) fn substeps(&self, n_tested: usize, n_manifolds: usize, wanted: u32) -> u32 {
        let n = n_manifolds.max(1);
        let allowed = match self.budget {
            Budget::Steps(steps) => (steps.saturating_sub(n_tested as u64) / n as u64).min(u64::from(wanted)),
            Budget::Time(limit) if 0.0 < self.pace.manifold => {
                let left = limit.as_secs_f64() - self.clock.since_start() - self.pace.refit;
                // A conversion that saturates.
                (left.max(0.0) / (self.pace.manifold * n as f64)) as u64
            }
            _ => u64::from(wanted),
        };
        // A wish for none is the solver's to refuse.
        wanted.min(allowed.max(1) as u32)
    }
}

/// Chooses which records are looked at: those never seen first, then the others that are due, from `from` on, in a ring.
pub(crate) fn choose(records: &mut [Record], is_due: impl Fn(&Record) -> bool, from: Pair, mut n: usize) {
    let mut take = |record: &mut Record| {
        record.is_skipped = n == 0;
        n -= usize::from(0 < n);
    };
    records.iter_mut().filter(|record| record.is_new && is_due(record)).for_each(&mut take);
    let first = records.partition_point(|record| record.pair() < from);
    let (front, back) = records.split_at_mut(first);
    let in_turn = back.iter_mut().chain(front);
    in_turn.filter(|record| !record.is_new && is_due(record)).for_each(&mut take);
}

/// The pair whose turn it is in the next step.
pub(crate) fn next_turn(records: &[Record], from: Pair) -> Pair {
    let first = records.partition_point(|record| record.pair() < from);
    let mut in_turn = records[first..].iter().chain(&records[..first]);
    in_turn.find(|record| record.is_put_off && !record.is_new).map_or(Pair { a: 0, b: 0 }, Record::pair)
}

/// A manifold whose bodies went from the first to the second pose since it was found.
///
/// Points stay where they are on their bodies; what is farther apart than `reach`, along the normal or across it, is no
/// contact any more.
pub(crate) fn carry(manifold: &Manifold, a: [&Pose; 2], b: [&Pose; 2], reach: f32) -> Manifold {
    let moved = |p: Vec3, [from, to]: [&Pose; 2]| to.transform_point(from.inverse_transform_point(p));
    let normal = manifold.normal();
    let mut carried = Manifold::new(normal);
    for contact in manifold.contacts() {
        let (point_a, point_b) = (moved(contact.point_a, a), moved(contact.point_b, b));
        let distance = (point_b - point_a).dot(normal);
        let was_across = contact.point_b - contact.point_a - normal * contact.distance;
        let across = point_b - point_a - normal * distance - was_across;
        // NaN, of numbers out of range, is dropped too.
        if distance <= reach && across.length_squared() <= reach * reach {
            let mut kept = *contact;
            (kept.point_a, kept.point_b, kept.distance) = (point_a, point_b, distance);
            carried.push(kept);
        }
    }
    carried
}

/// The axis, a unit vector from A to B, along which two boxes overlap least.
pub(crate) fn least_overlap(a: &Aabb, b: &Aabb) -> Vec3 {
    let overlap = a.max.min(b.max) - a.min.max(b.min);
    let axis = if overlap.x <= overlap.y && overlap.x <= overlap.z {
        Vec3::X
    } else if overlap.y <= overlap.z {
        Vec3::Y
    } else {
        Vec3::Z
    };
    // Twice the centres; halves first, so that they stay finite.
    let apart = (b.min * 0.5 + b.max * 0.5) - (a.min * 0.5 + a.max * 0.5);
    if apart.dot(axis) < 0.0 { -axis } else { axis }
}
