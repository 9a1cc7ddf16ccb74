//! A step that ends on time: what the budget allows, what is put off, and what stands in for it.
//!
//! The broad phase is always run to its end. Of the pairs that moved, those never looked at come first, then the others in
//! turn, from where the last step stopped; so every pair has its turn. Contacts of pairs that are put off move with their
//! bodies; of pairs never looked at, only the approach is stopped. Looking comes before substeps: what is left goes to the solver, in
//! fewer and longer ones, at least one. Where one substep of all, with a quarter of the pairs looked at, does not fit, some bodies
//! are halted ([`crate::turns`]). The time that passes for those that move is always the whole step.
//!
//! A budget in seconds is planned with what a unit of each kind of work took lately, and not all of it is planned: of a step that was over
//! the budget the share learns to be less, at once, and of one that was not to be more, two thousand times more slowly. So it settles where
//! one step in two thousand is late, whatever the machine does beside (a stochastic approximation of that quantile).
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6; J. Dingliana, C. O'Sullivan, Graceful Degradation
//! of Collision Handling in Physically Based Animation, Eurographics 2000; H. Robbins, S. Monro, A Stochastic Approximation Method, Annals of
//! Mathematical Statistics 22(3), 1951 (the share that is planned).
//! Differs: pairs are interrupted, not the tests of one pair.

use crate::narrow::Record;
use crate::stats::Clock;
use crate::turns::{Chosen, Crowd, Terms};
use carom_bounds::Aabb;
use carom_broad::Pair;
use carom_geom::Manifold;
use carom_math::{Budget, Pose, Vec3};
use carom_query::Shape;

/// What is done once with a manifold, whatever the substeps, takes as long as so many of them: to look at it, lay it out in lanes,
/// relax it and read it again (10,000 boxes: 8.6 of 14 milliseconds; November 2026).
const SUBSTEPS_AROUND: u32 = 8;

/// To look at a pair instead of moving its contacts takes at least this part of looking at it.
const LEAST_PART: f64 = 0.25;

/// In nanoseconds.
const SECOND: f64 = 1.0e9;

/// Of the pairs that moved at least this part is looked at where nobody is halted.
const LOOKED: f64 = 0.25;

/// By this part of them the manifolds may become more in a step.
const GROWTH: f64 = 1.0 / 16.0;

/// To move a body takes as long as to solve so many manifolds.
const BODY: f64 = 2.0;

/// Who is halted moves again when all fit in this part of what there is: to halt all of a pile takes time by itself.
const SURE: f64 = 0.9;

/// The share of the budget that is planned, at first, and its bounds.
const SHARE: f64 = 0.8;
const LEAST_SHARE: f64 = 0.6;
const MOST_SHARE: f64 = 0.97;

/// By this the share becomes less after a step that was late, and by a [`KEPT_FOR_ONE`]th of it more after one that was not.
const LESSON: f64 = 0.03;

/// A step that takes so many times its budget teaches nothing, as one that had nothing left to plan with: the system did something else,
/// or the budget is beyond reach.
const DISTURBED: f64 = 1.5;

/// After so many steps in time it becomes more twice as fast.
const BOLDER_AFTER: u32 = 500;

/// For one step that is late so many are not.
const KEPT_FOR_ONE: f64 = 2000.0;

/// So many steps teach nothing of the share: memory grows, and nobody knows yet what work takes.
const FIRST_STEPS: u32 = 16;

/// Seconds that pieces of work took lately; what a budget in seconds is divided by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// From the start of a step until it is chosen who moves: the broad phase, all together.
    before: f64,
    /// What is done for all pairs after that: to see in which of them something moves, and to tell what touches, all together.
    always: f64,
    /// Of the pairs of each body that moved, summed, the part that has to be looked at; less than 1, for some have two such bodies.
    due: f64,
    /// A pair of shapes looked at, and one whose contacts are moved with its bodies.
    pair: f64,
    carry: f64,
    /// A record in which something moves, in the narrow phase beside.
    around: f64,
    /// A manifold solved in one substep.
    load: f64,
    /// The box of a body that moved.
    refit: f64,
    /// The part of the budget that is planned.
    share: f64,
    /// Steps since one was late.
    n_kept: u32,
    /// Steps on a budget of time.
    n_steps: u32,
}

impl Default for Pace {
    /// Before anything was measured: a slow machine.
    fn default() -> Pace {
        Pace {
            before: 0.0,
            always: 0.0,
            due: 1.0,
            pair: 800.0 / SECOND,
            carry: 200.0 / SECOND,
            around: 100.0 / SECOND,
            load: 30.0 / SECOND,
            refit: 200.0 / SECOND,
            share: SHARE,
            n_kept: 0,
            n_steps: 0,
        }
    }
}

impl Pace {
    /// It took so long to choose who moves.
    pub(crate) fn note_before(&mut self, seconds: f64) {
        blend(&mut self.before, seconds, 1.0);
    }

    /// `n_tested` pairs were looked at, and `n_carried` carried over: put off or recycled.
    pub(crate) fn note_pairs(&mut self, seconds: f64, n_tested: usize, n_carried: usize) {
        let (n_tested, n_carried) = (n_tested as f64, n_carried as f64);
        let (tests, carries) = (self.pair * n_tested, self.carry * n_carried);
        // What most of the time went into.
        if carries <= tests {
            blend(&mut self.pair, seconds - carries, n_tested);
        } else {
            blend(&mut self.carry, seconds - tests, n_carried);
        }
    }

    /// What the narrow phase did beside, with so many records, and what is done for all of them.
    pub(crate) fn note_around(&mut self, seconds: f64, n_busy: usize, always: f64) {
        blend(&mut self.around, seconds, n_busy as f64);
        blend(&mut self.always, always, 1.0);
    }

    /// So many pairs were to be looked at, and so many recycled.
    pub(crate) fn note_due(&mut self, n_due: usize, n_recycled: usize, plan: &Plan) {
        if 0 < n_due + n_recycled && 0 < plan.n_due && !plan.counts_work() {
            let part = (n_due + n_recycled) as f64 / plan.n_due as f64;
            self.due = (0.5 * (self.due + part)).min(1.0);
        }
    }

    /// After a step that was made as planned, in so many substeps.
    pub(crate) fn note_response(&mut self, seconds: f64, plan: &Plan, substeps: u32) {
        blend(&mut self.load, seconds, plan.load * f64::from(substeps + SUBSTEPS_AROUND));
    }

    /// The boxes of so many bodies, and the end of the step, which was as short as it could be or not.
    pub(crate) fn note_end(&mut self, seconds: f64, n_bodies: usize, plan: &Plan, is_cut: bool) {
        blend(&mut self.refit, seconds, n_bodies as f64);
        if let (Budget::Time(limit), true) = (plan.budget, is_cut) {
            let took = plan.clock.since_start();
            self.n_steps = self.n_steps.saturating_add(1);
            let is_first = self.n_steps <= FIRST_STEPS;
            if is_first || plan.is_spent || DISTURBED * limit.as_secs_f64() < took {
                return;
            }
            let is_late = limit.as_secs_f64() < took;
            self.n_kept = if is_late { 0 } else { self.n_kept.saturating_add(1) };
            // The longer all went well, the bolder.
            let bolder = LESSON / KEPT_FOR_ONE * f64::from(1 << (self.n_kept / BOLDER_AFTER).min(6));
            let lesson = if is_late { -LESSON } else { bolder };
            self.share = (self.share + lesson).clamp(LEAST_SHARE, MOST_SHARE);
        }
    }
}

/// A measurement that is more than so many times as long as others was disturbed; what has become slower is known a few steps later.
const MOST_GROWTH: f64 = 1.5;

/// Takes a new measurement; half of it is what was known, and one while the system did something else counts for little.
fn blend(known: &mut f64, seconds: f64, n: f64) {
    if 0.0 < n && 0.0 < seconds {
        let new = seconds / n;
        *known = if *known == 0.0 { new } else { 0.5 * (*known + new.min(MOST_GROWTH * *known)) };
    }
}

/// The budget of one step, while it is spent.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    budget: Budget,
    clock: Clock,
    pace: Pace,
    /// What the solver has to do in a substep, in manifolds; bodies count as [`BODY`] of them where there is a clock.
    load: f64,
    /// Bodies that move.
    n_bodies: usize,
    /// The pairs of each body that moved in the step before, summed.
    n_due: usize,
    has_halted: bool,
    /// Nothing was left when it was chosen who moves: whatever is planned, it could not have been less.
    is_spent: bool,
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
    Seconds { own: f64, pair: f64, carry: f64 },
}

impl Allowance {
    /// How many of so many pairs may be looked at, of which so many are due; `None`: all, whichever are.
    pub(crate) fn n_pairs(&self, n_all: usize, n_due: impl FnOnce() -> usize) -> Option<usize> {
        let n = match self.pairs? {
            Share::Pairs(n) => n,
            Share::Seconds { own, pair, carry } => {
                if n_all as f64 * pair <= own {
                    return None;
                }
                // The others are carried. A conversion that saturates.
                ((own - carry * n_due() as f64) / (pair - carry).max(LEAST_PART * pair)) as usize
            }
        };
        (n < n_all).then_some(n)
    }

    /// Time is out.
    pub(crate) fn is_over(&self) -> bool {
        self.until < f64::INFINITY && self.until <= self.clock.since_start()
    }
}

impl Plan {
    /// From now on.
    pub(crate) fn start(budget: Budget, pace: Pace) -> Plan {
        Plan {
            budget,
            clock: Clock::start(),
            pace,
            load: 0.0,
            n_bodies: 0,
            n_due: 0,
            has_halted: false,
            is_spent: false,
        }
    }

    /// There is no budget.
    pub(crate) fn is_free(&self) -> bool {
        matches!(self.budget, Budget::Unlimited)
    }

    /// What was done where there was nothing to plan: the pace is good for later steps.
    pub(crate) fn note_free(&mut self, n_pairs: usize, n_bodies: usize) {
        if self.is_free() {
            // Nearly every pair is in two bodies.
            self.load = 2.0 * n_pairs as f64 + BODY * n_bodies as f64;
        }
    }

    /// What counts is manifolds, not seconds.
    pub(crate) fn counts_work(&self) -> bool {
        matches!(self.budget, Budget::Steps(_))
    }

    /// Seconds since the step began.
    pub(crate) fn since_start(&self) -> f64 {
        self.clock.since_start()
    }

    /// What there is for bodies, or none if all of them fit; `is_halting`: some were halted until now.
    pub(crate) fn terms(&mut self, crowd: &Crowd, is_halting: bool) -> Option<Terms> {
        let (n_looks, n_bodies) = (crowd.n_looks as f64, crowd.n_bodies as f64);
        (self.n_bodies, self.n_due) = (crowd.n_bodies, crowd.n_due);
        self.load = n_looks + BODY * n_bodies;
        // Nearly every pair is in two bodies.
        let n_pairs = 0.5 * n_looks;
        let (mut terms, least_look, beside) = match self.budget {
            Budget::Steps(n) => {
                self.load = crowd.n_manifolds as f64;
                let steady = n as f64;
                let now = steady - crowd.n_due as f64;
                // Of all together each counts once.
                let least = self.load + LOOKED * n_pairs;
                if least <= steady {
                    return None;
                }
                (Terms { body: 0.0, link: 1.0, look: 1.0, now, steady }, 0.0, 0.0)
            }
            Budget::Time(limit) => {
                let Pace { before, always, due, pair, carry, around, load, refit, share, .. } = self.pace;
                let link = load * f64::from(1 + SUBSTEPS_AROUND);
                let (body, look) = (refit + BODY * link, due * (pair + around));
                let left = limit.as_secs_f64() * share - always;
                let now = left - self.clock.since_start() - crowd.n_due as f64 * look;
                let terms = Terms { body, link, look, now, steady: left - before };
                (terms, around + carry + (pair - carry).max(0.0) * LOOKED, due * around)
            }
            _ => return None,
        };
        self.is_spent = terms.now <= 0.0;
        let least = n_bodies * terms.body + n_looks * terms.link + n_pairs * least_look;
        let sure = if is_halting { SURE } else { 1.0 };
        // Where some are halted, others move than did, and the records of both are gone through.
        terms.link += beside;
        (self.counts_work() || sure * terms.steady < least).then_some(terms)
    }

    /// These bodies move, and no others; their manifolds are so many, where they were counted.
    pub(crate) fn halt_others(&mut self, chosen: &Chosen, n_manifolds: usize) {
        self.has_halted = true;
        self.n_bodies = chosen.n_bodies;
        self.load = if self.counts_work() {
            n_manifolds as f64
        } else {
            chosen.n_links as f64 + BODY * chosen.n_bodies as f64
        };
    }

    /// What the narrow phase may do after the broad phase, with so many busy records: all but what the solver needs for one substep.
    ///
    /// More substeps for the solver were tried, for pairs put off: a heap on half its steps then had pairs put off in every step, and still
    /// one substep.
    pub(crate) fn allowance(&self, n_busy: usize) -> Allowance {
        let all = Allowance { pairs: None, until: f64::INFINITY, clock: self.clock };
        match self.budget {
            Budget::Steps(n) => {
                let n = usize::try_from(n).unwrap_or(usize::MAX);
                // Some more manifolds come than were there. A conversion that saturates.
                let n_manifolds = (self.load * (1.0 + GROWTH)) as usize + 1;
                Allowance { pairs: Some(Share::Pairs(n.saturating_sub(n_manifolds))), ..all }
            }
            Budget::Time(limit) => {
                let Pace { pair, carry, around, always, load, refit, share, .. } = self.pace;
                let left = limit.as_secs_f64() * share - self.clock.since_start();
                let response =
                    load * self.load * f64::from(1 + SUBSTEPS_AROUND) + refit * self.n_bodies as f64;
                let own = (left - response - around * n_busy as f64 - always).max(0.0);
                Allowance {
                    pairs: Some(Share::Seconds { own, pair, carry }),
                    until: self.clock.since_start() + own,
                    ..all
                }
            }
            _ => all,
        }
    }

    /// How many of the substeps are made, at least one, after `n_tested` pairs were looked at. Where bodies are halted it is one: their
    /// impulses are kept, for substeps of that length.
    pub(crate) fn substeps(&self, n_tested: usize, n_manifolds: usize, wanted: u32) -> u32 {
        let allowed = match self.budget {
            _ if self.has_halted => 1,
            Budget::Steps(steps) => {
                (steps.saturating_sub(n_tested as u64) / n_manifolds.max(1) as u64).min(u64::from(wanted))
            }
            Budget::Time(limit) if 0.0 < self.load => {
                let Pace { load, refit, share, .. } = self.pace;
                let left =
                    limit.as_secs_f64() * share - self.clock.since_start() - refit * self.n_bodies as f64;
                // A conversion that saturates.
                let fits = left.max(0.0) / (load * self.load);
                (fits as u64).saturating_sub(u64::from(SUBSTEPS_AROUND))
            }
            _ => u64::from(wanted),
        };
        // A wish for none is the solver's to refuse.
        wanted.min(allowed.clamp(1, u64::from(u32::MAX)) as u32)
    }
}

/// Chooses which of the records that are to be looked at are, so many of them: those never seen first, then those that have lost contacts since
/// they were, then the others, from `from` on, in a ring.
pub(crate) fn choose(
    records: &mut [Record],
    is_to_be_looked_at: impl Fn(&Record) -> bool,
    from: Pair,
    mut n: usize,
) {
    // It is asked once of each, not in each pass: it takes longer than the choice.
    let mut n_all = 0;
    for record in records.iter_mut() {
        record.is_skipped = is_to_be_looked_at(record);
        n_all += usize::from(record.is_skipped);
    }
    if n_all <= n {
        records.iter_mut().for_each(|record| record.is_skipped = false);
        return;
    }
    let mut take = |record: &mut Record| {
        record.is_skipped = n == 0;
        n -= usize::from(0 < n);
    };
    let is_lost = |record: &Record| !record.is_new && record.has_lost;
    records.iter_mut().filter(|record| record.is_skipped && record.is_new).for_each(&mut take);
    records.iter_mut().filter(|record| record.is_skipped && is_lost(record)).for_each(&mut take);
    let first = records.partition_point(|record| record.pair() < from);
    let (front, back) = records.split_at_mut(first);
    let in_turn = back.iter_mut().chain(front);
    let waits = |record: &&mut Record| record.is_skipped && !record.is_new && !record.has_lost;
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
