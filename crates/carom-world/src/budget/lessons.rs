//! What a step on a budget teaches of the pace: what each kind of work took, and how much of a budget can be planned.
//!
//! Reference: H. Robbins, S. Monro, A Stochastic Approximation Method, Annals of Mathematical Statistics 22(3), 1951 (the share that is
//! planned).

use crate::budget::course::Course;
use crate::budget::pace::{
    FIRST_WAIT, FORGETTING, LEAST_SHARE, LEAST_WHOLE_SHARE, LONGEST_WAIT, MOST_SHARE, Pace, Prices, SHARE,
    WHOLE_SHARE,
};
use crate::budget::time_critical::Plan;

impl Pace {
    /// So many manifolds were found in so many records; of those of bodies that move, `n_moving`.
    pub(crate) fn note_found(
        &mut self,
        (n_manifolds, n_records): (usize, usize),
        n_moving: usize,
        plan: &Plan,
    ) {
        // Nearly every pair is in two bodies.
        blend(&mut self.whole_density, n_manifolds as f64, 2.0 * n_records as f64);
        if plan.has_halted() {
            blend(&mut self.part_density, n_moving as f64, plan.n_links() as f64);
        }
    }

    /// It was chosen who moves.
    pub(crate) fn note_choice(&mut self, plan: &Plan) {
        self.is_turning = plan.is_turning();
        if plan.has_halted() {
            self.n_whole = 0;
            self.n_halting += 1;
            if self.wait < self.n_halting {
                // All did not fit.
                self.n_halting = 0;
                if let (Some(whole), Some(part)) = (self.whole, self.part) {
                    let least = part.scaled(LEAST_OF_PART);
                    self.whole = Some(whole.scaled(FORGETTING).at_least(&least));
                }
            }
        } else {
            if 0 < self.n_halting {
                self.n_halting = 0;
                self.wait = (2 * self.wait).min(LONGEST_WAIT);
            }
            self.n_whole = self.n_whole.saturating_add(1);
            if LASTS <= self.n_whole {
                self.wait = FIRST_WAIT;
            }
        }
        if let Some(known) = self.known(plan) {
            blend(&mut known.before, plan.since_start(), 1.0);
        }
    }

    /// `n_tested` pairs were looked at, and `n_carried` carried over: put off or recycled.
    pub(crate) fn note_pairs(&mut self, seconds: f64, n_tested: usize, n_carried: usize, plan: &Plan) {
        let (n_tested, n_carried) = (n_tested as f64, n_carried as f64);
        let Some(known) = self.known(plan) else { return };
        let (tests, carries) = (known.pair * n_tested, known.carry * n_carried);
        // What most of the time went into.
        if carries <= tests {
            blend(&mut known.pair, seconds - carries, n_tested);
        } else {
            blend(&mut known.carry, seconds - tests, n_carried);
        }
    }

    /// What the narrow phase did beside, with so many records, and what is done for all of them.
    pub(crate) fn note_around(&mut self, seconds: f64, n_busy: usize, always: f64, plan: &Plan) {
        let Some(known) = self.known(plan) else { return };
        blend(&mut known.around, seconds, n_busy as f64);
        blend(&mut known.always, always, 1.0);
    }

    /// So many pairs were to be looked at, and so many recycled.
    pub(crate) fn note_due(&mut self, n_due: usize, n_recycled: usize, plan: &Plan) {
        self.n_wanted = n_due;
        if 0 < n_due + n_recycled && 0 < plan.n_due() && !plan.counts_work() {
            let part = (n_due + n_recycled) as f64 / plan.n_due() as f64;
            if let Some(known) = self.known(plan) {
                known.due = (0.5 * (known.due + part)).min(1.0);
            }
        }
    }

    /// After a response in so many substeps.
    pub(crate) fn note_response(&mut self, seconds: f64, course: &Course, plan: &Plan, substeps: u32) {
        let Some(known) = self.known(plan) else { return };
        let Prices { lay, substep, store, .. } = *known;
        let parts = course.parts(seconds).unwrap_or_else(|| {
            // Of few substeps only the sum is known.
            let times = seconds / (lay + substep * f64::from(substeps) + store);
            [lay, substep, store].map(|price| price * times)
        });
        let prices = [&mut known.lay, &mut known.substep, &mut known.store];
        prices.into_iter().zip(parts).for_each(|(price, part)| blend(price, part, plan.load()));
    }

    /// The boxes of so many bodies, and the end of the step, which was as short as it could be or not.
    pub(crate) fn note_end(&mut self, seconds: f64, n_bodies: usize, plan: &Plan, is_cut: bool) {
        if let Some(known) = self.known(plan) {
            blend(&mut known.refit, seconds, n_bodies as f64);
        }
        (self.n_held, self.is_turning) = (0, false);
        self.learn_share(plan, is_cut);
    }

    /// After a step in which nothing moved.
    pub(crate) fn note_held(&mut self, plan: &Plan) {
        self.n_held += 1;
        self.learn_share(plan, true);
    }

    fn learn_share(&mut self, plan: &Plan, is_cut: bool) {
        let Some(limit) = plan.limit().filter(|_| is_cut) else {
            return;
        };
        let took = plan.since_start();
        self.n_steps = self.n_steps.saturating_add(1);
        let is_first = self.n_steps <= FIRST_STEPS;
        if is_first || plan.is_spent() || DISTURBED * limit < took {
            return;
        }
        let is_late = limit < took;
        self.n_kept = if is_late { 0 } else { self.n_kept.saturating_add(1) };
        let n_kept = self.n_kept;
        let (least, first) =
            if plan.has_halted() { (LEAST_SHARE, SHARE) } else { (LEAST_WHOLE_SHARE, WHOLE_SHARE) };
        let Some(Prices { share, .. }) = self.known(plan) else { return };
        // The longer all went well, the bolder.
        let most_bolder = if *share < first { MOST_BOLDER } else { 1 };
        let bolder = LESSON / KEPT_FOR_ONE * f64::from(1 << (n_kept / BOLDER_AFTER).min(most_bolder));
        let lesson = if is_late { -LESSON } else { bolder };
        *share = (*share + lesson).clamp(least, MOST_SHARE);
    }

    /// What is measured now, if something is to be learned of it; at first it is what was taken for granted.
    fn known(&mut self, plan: &Plan) -> Option<&mut Prices> {
        let prices = self.prices(plan.has_halted());
        let known = if plan.has_halted() { &mut self.part } else { &mut self.whole };
        (!plan.is_turning()).then(|| known.get_or_insert(prices))
    }
}

/// By this the share becomes less after a step that was late, and by a [`KEPT_FOR_ONE`]th of it more after one that was not.
const LESSON: f64 = 0.03;

/// A step that takes so many times its budget teaches nothing, as one that had nothing left to plan with: the system did something else,
/// or the budget is beyond reach.
const DISTURBED: f64 = 1.5;

/// After so many steps in time it becomes more twice as fast; that is so once, or so often where it was less than it is at first.
const BOLDER_AFTER: u32 = 500;

const MOST_BOLDER: u32 = 6;

/// For one step that is late so many are not.
const KEPT_FOR_ONE: f64 = 4000.0;

/// So many steps teach nothing of the share: memory grows, and nobody knows yet what work takes.
const FIRST_STEPS: u32 = 16;

/// It lasted.
const LASTS: u32 = 64;

const LEAST_OF_PART: f64 = 0.25;

/// A measurement that is more than so many times as long as others was disturbed; what has become slower is known a few steps later.
const MOST_GROWTH: f64 = 1.5;

/// Takes a new measurement; half of it is what was known, and one while the system did something else counts for little.
fn blend(known: &mut f64, seconds: f64, n: f64) {
    if 0.0 < n && 0.0 < seconds {
        let new = seconds / n;
        *known = if *known == 0.0 { new } else { 0.5 * (*known + new.min(MOST_GROWTH * *known)) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::turns::Crowd;
    use carom_math::Budget;
    use core::time::Duration;

    const CROWD: Crowd = Crowd { n_bodies: 100, n_looks: 1000, n_manifolds: 0, n_due: 1000 };

    /// A step of so many seconds of response, with 400 manifolds where all move, half of them where some are halted.
    fn step(pace: &mut Pace, was_halting: bool, is_halting: bool, response: f64) {
        let mut plan = Plan::start(Budget::Time(Duration::from_secs(100)), *pace, 6);
        if is_halting {
            plan.halt_others(&crate::budget::turns::Chosen { n_bodies: 50, n_links: 500, n_looks: 500 }, 0);
        }
        plan.note_choice(was_halting);
        pace.note_choice(&plan);
        let n = if is_halting { 200 } else { 400 };
        plan.note_found(n);
        pace.note_found((400, 500), n, &plan);
        pace.note_response(response, &Course::new(0.0, 100.0, [0.0; 3]), &plan, 1);
        pace.note_end(response, 100, &plan, true);
    }

    #[test]
    fn what_halted_steps_take_says_nothing_of_steps_of_all() {
        let mut pace = Pace::default();
        (0..40).for_each(|_| step(&mut pace, false, false, 0.001));
        assert!(pace.all_fit(&CROWD, 0.004, false));
        let known = pace.prices(false).solving();
        step(&mut pace, false, true, 1.0);
        assert_eq!(
            pace.prices(true).solving(),
            known,
            "a step in which some are halted first teaches nothing"
        );
        (2..FIRST_WAIT).for_each(|_| step(&mut pace, true, true, 0.010));
        assert!(known * 2.0 < pace.prices(true).solving());
        assert_eq!(pace.prices(false).solving(), known);
        assert!(pace.all_fit(&CROWD, 0.004, true));
        assert!(!pace.all_fit(&CROWD, 0.001, true));
    }

    #[test]
    fn steps_of_all_that_do_not_fit_are_tried_ever_more_seldom() {
        let mut pace = Pace::default();
        let (mut n_tried, mut is_halting, mut last, mut longest) = (0, false, 0, 0);
        for k in 0..20_000 {
            let fits = pace.all_fit(&CROWD, 0.010, is_halting);
            // A step of all takes thrice as long as there is, one of half of the bodies just as long.
            step(&mut pace, is_halting, !fits, if fits { 0.030 } else { 0.010 });
            if fits && is_halting {
                n_tried += 1;
                longest = longest.max(k - last);
                last = k;
            }
            is_halting = !fits;
        }
        println!("{n_tried} trials in 20,000 steps, {longest} steps between two at most");
        assert!((2..60).contains(&n_tried) && 500 < longest, "{n_tried} {longest}");
        // All fit as soon as they take less.
        let mut n_waiting = 0;
        while !pace.all_fit(&CROWD, 0.2, true) {
            step(&mut pace, true, true, 0.010);
            n_waiting += 1;
        }
        assert!(n_waiting <= LONGEST_WAIT, "{n_waiting}");
    }

    /// As long as no step is late more and more is planned, but so slowly that one in two thousand may be; what is less than at first becomes
    /// what it was sooner.
    #[test]
    fn boldness_comes_slowly() {
        let mut pace = Pace::default();
        (0..6000).for_each(|_| step(&mut pace, true, true, 0.010));
        let share = pace.prices(true).share;
        assert!(SHARE + 0.04 < share && share <= SHARE + 6000.0 * 2.0 * LESSON / KEPT_FOR_ONE, "{share}");
        let mut pace = Pace { part: Some(Prices { share: LEAST_SHARE, ..Prices::SLOW }), ..Pace::default() };
        (0..4000).for_each(|_| step(&mut pace, true, true, 0.010));
        let share = pace.prices(true).share;
        assert!((SHARE..SHARE + 0.02).contains(&share), "{share}");
    }
}
