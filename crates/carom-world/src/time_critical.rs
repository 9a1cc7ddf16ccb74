//! A step that ends on time: what the budget allows, what is put off, and what stands in for it.
//!
//! The broad phase is always run to its end. Of the pairs that moved, those never looked at come first, then the others in
//! turn, from where the last step stopped; so every pair has its turn. Contacts of pairs that are put off move with their
//! bodies; of pairs never looked at, only the approach is stopped. Looking comes before substeps: what is left goes to the solver, in
//! fewer and longer ones, at least one. So the time that passes in the world is always the whole step.
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
use carom_query::Shape;

/// What is done once with a manifold, whatever the substeps, takes as long as so many of them: to look at it, lay it out in lanes
/// and read it again (10,000 boxes: 1.0 of 3.0 billion instructions; November 2026).
const SUBSTEPS_AROUND: u32 = 3;

/// To carry a pair's contacts takes this part of looking at it.
const CARRY: f64 = 0.25;

/// Seconds that pieces of work took lately; what a budget in seconds is divided by.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    /// A pair of shapes looked at.
    pub(crate) pair: f64,
    /// What the narrow phase does beside, all together.
    pub(crate) around: f64,
    /// A manifold solved in one substep.
    pub(crate) manifold: f64,
    /// The boxes of what moved, all together.
    pub(crate) refit: f64,
}

impl Pace {
    /// `n_tested` pairs were looked at, and `n_put_off` carried over.
    pub(crate) fn note_pairs(&mut self, seconds: f64, n_tested: usize, n_put_off: usize) {
        blend(&mut self.pair, seconds, n_tested as f64 + CARRY * n_put_off as f64);
    }

    /// So many manifolds were solved in so many substeps.
    pub(crate) fn note_response(&mut self, seconds: f64, n_manifolds: usize, substeps: u32) {
        blend(&mut self.manifold, seconds, n_manifolds as f64 * f64::from(substeps + SUBSTEPS_AROUND));
    }
}

/// Takes a new measurement; half of it is what was known, and one while the system did something else counts for little.
pub(crate) fn blend(known: &mut f64, seconds: f64, n: f64) {
    if 0.0 < n && 0.0 < seconds {
        let new = seconds / n;
        *known = if *known == 0.0 { new } else { 0.5 * (*known + new.min(3.0 * *known)) };
    }
}

/// The budget of one step, while it is spent.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    budget: Budget,
    clock: Clock,
    pace: Pace,
    /// Manifolds that the solver is expected to have to do.
    n_manifolds: usize,
}

/// What the narrow phase may do.
#[derive(Clone, Copy)]
pub(crate) struct Allowance {
    /// Pairs to be looked at, or seconds for them and how many one takes; `None`: all.
    pairs: Option<Share>,
    /// Seconds after the start of the step at which it stops.
    until: f64,
    clock: Clock,
}

/// What there is for pairs.
#[derive(Clone, Copy)]
enum Share {
    Pairs(usize),
    Seconds { own: f64, pair: f64 },
}

impl Allowance {
    /// How many of the pairs that are due may be looked at; `None`: all.
    pub(crate) fn n_pairs(&self, n_due: impl FnOnce() -> usize) -> Option<usize> {
        match self.pairs? {
            Share::Pairs(n) => Some(n),
            // The others are carried. A conversion that saturates.
            Share::Seconds { own, pair } => {
                Some(((own / pair - CARRY * n_due() as f64) / (1.0 - CARRY)) as usize)
            }
        }
    }

    /// Time is out.
    pub(crate) fn is_over(&self) -> bool {
        self.until < f64::INFINITY && self.until <= self.clock.since_start()
    }
}

impl Plan {
    /// From now on.
    pub(crate) fn start(budget: Budget, pace: Pace, n_manifolds: usize) -> Plan {
        // As many as in the last step, and a quarter more.
        Plan { budget, clock: Clock::start(), pace, n_manifolds: n_manifolds + n_manifolds / 4 }
    }

    /// What the narrow phase may do after the broad phase: all but what the solver needs for one substep, and never less than half.
    ///
    /// More substeps for the solver were tried, for pairs put off: a heap on half its steps then had pairs put off in every step, and still
    /// one substep.
    pub(crate) fn allowance(&self) -> Allowance {
        let all = Allowance { pairs: None, until: f64::INFINITY, clock: self.clock };
        match self.budget {
            Budget::Steps(n) => {
                let n = usize::try_from(n).unwrap_or(usize::MAX);
                Allowance { pairs: Some(Share::Pairs(n - self.n_manifolds.min(n / 2))), ..all }
            }
            Budget::Time(limit) => {
                let Pace { pair, around, manifold, refit } = self.pace;
                let left = (limit.as_secs_f64() - self.clock.since_start()).max(0.0);
                let response = manifold * self.n_manifolds as f64 * f64::from(1 + SUBSTEPS_AROUND);
                let own = left - (response + refit + around).min(0.5 * left);
                let pairs = (0.0 < pair).then_some(Share::Seconds { own, pair });
                Allowance { pairs, until: self.clock.since_start() + own, ..all }
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
                let fits = left.max(0.0) / (self.pace.manifold * n as f64);
                (fits as u64).saturating_sub(u64::from(SUBSTEPS_AROUND))
            }
            _ => u64::from(wanted),
        };
        // A wish for none is the solver's to refuse.
        wanted.min(allowed.clamp(1, u64::from(u32::MAX)) as u32)
    }
}

/// Chooses which records are looked at: those never seen first, then those that have lost contacts since they were, then the others that
/// are due, from `from` on, in a ring.
pub(crate) fn choose(records: &mut [Record], is_due: impl Fn(&Record) -> bool, from: Pair, mut n: usize) {
    let mut take = |record: &mut Record| {
        record.is_skipped = n == 0;
        n -= usize::from(0 < n);
    };
    let is_lost = |record: &Record| !record.is_new && record.has_lost;
    records.iter_mut().filter(|record| record.is_new && is_due(record)).for_each(&mut take);
    records.iter_mut().filter(|record| is_lost(record) && is_due(record)).for_each(&mut take);
    let first = records.partition_point(|record| record.pair() < from);
    let (front, back) = records.split_at_mut(first);
    let in_turn = back.iter_mut().chain(front);
    let waits = |record: &&mut Record| !record.is_new && !record.has_lost && is_due(record);
    in_turn.filter(waits).for_each(&mut take);
}

/// The pair whose turn it is in the next step.
pub(crate) fn next_turn(records: &[Record], from: Pair) -> Pair {
    let first = records.partition_point(|record| record.pair() < from);
    let mut in_turn = records[first..].iter().chain(&records[..first]);
    in_turn
        .find(|record| record.is_put_off && !record.is_new && !record.has_lost)
        .map_or(Pair { a: 0, b: 0 }, Record::pair)
}

/// One body of a manifold that is carried over.
#[derive(Clone, Copy)]
pub(crate) struct Carrier<'a> {
    /// Where it was when the manifold was found.
    pub(crate) from: &'a Pose,
    /// Where it is.
    pub(crate) to: &'a Pose,
    /// Radius of what it rolls on; 0 for what has edges.
    pub(crate) round: f32,
}

impl Carrier<'_> {
    /// Where a point goes that is on the surface where it looks along `outwards`: with the core of what is round, not with its skin.
    fn carry(&self, point: Vec3, outwards: Vec3) -> Vec3 {
        let skin = outwards * self.round;
        self.to.transform_point(self.from.inverse_transform_point(point - skin)) + skin
    }
}

/// A manifold whose bodies have moved since it was found.
///
/// Points stay where they are on their bodies; what is farther apart than `reach`, along the normal or across it, is no
/// contact any more. Where a body is round its point goes with its middle instead, and that of the other is opposite: a point that
/// turned with a rolling ball would be behind it, and drive it faster and faster.
pub(crate) fn carry(manifold: &Manifold, a: Carrier<'_>, b: Carrier<'_>, reach: f32) -> Manifold {
    let normal = manifold.normal();
    let across_reach = reach + 0.5 * a.round.max(b.round);
    let mut carried = Manifold::new(normal);
    for contact in manifold.contacts() {
        let (mut point_a, mut point_b) =
            (a.carry(contact.point_a, normal), b.carry(contact.point_b, -normal));
        let distance = (point_b - point_a).dot(normal);
        let was_across = contact.point_b - contact.point_a - normal * contact.distance;
        let across = point_b - point_a - normal * distance - was_across;
        // NaN, of numbers out of range, is dropped too.
        if distance <= reach && across.length_squared() <= across_reach * across_reach {
            if a.round < b.round {
                point_a = point_b - normal * distance;
            } else if 0.0 < a.round {
                point_b = point_a + normal * distance;
            }
            let mut kept = *contact;
            (kept.point_a, kept.point_b, kept.distance) = (point_a, point_b, distance);
            carried.push(kept);
        }
    }
    carried
}

/// The radius of what a shape rolls on, if it is the same everywhere; 0 otherwise.
pub(crate) fn round_of(shape: &Shape) -> f32 {
    match shape {
        Shape::Sphere(sphere) => sphere.radius(),
        Shape::Capsule(capsule) => capsule.radius(),
        Shape::Rounded(rounded) => rounded.radius(),
        _ => 0.0,
    }
}

/// A shape that is round, but not alike everywhere: when it turns, where it was touched says little.
pub(crate) fn is_otherwise_round(shape: &Shape) -> bool {
    matches!(
        shape,
        Shape::Cylinder(_) | Shape::Cone(_) | Shape::Ellipsoid(_) | Shape::TaperedCapsule(_) | Shape::User(_)
    )
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
