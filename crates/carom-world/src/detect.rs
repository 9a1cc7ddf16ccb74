//! Detection, the first half of a step: boxes, pairs, contacts, events.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1 and figure 25.2.

use crate::World;
use crate::bodies::BodySet;
use crate::budget::time_critical::{self, StepBudget};
use crate::contacts::internal_edges;
#[cfg(not(feature = "parallel"))]
use crate::contacts::narrow;
use crate::contacts::narrow::{Row, Tally};
use crate::contacts::pair_states::PairStates;
use crate::contacts::scene::Scene;
use crate::hooks::Hooks;
use crate::stats::{Clock, PhaseTimes, Shortfall};
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_response::SolverStats;
use carom_response::shrink_unused;

impl<B: BroadPhase> World<B> {
    /// Finds contacts and reports events. `filter` decides which pairs meet; without it the
    /// decisions of the last step stay.
    pub(crate) fn detect_within(
        &mut self,
        step_budget: &mut StepBudget,
        recycling: f32,
        filter: Option<&dyn Hooks>,
    ) {
        let mut clock = Clock::start();
        self.contacts.responses.clear();
        self.contacts.impulse_events.clear();
        self.joints.broken.clear();
        self.stats.n_bodies = self.bodies.n_live;
        (self.stats.n_tested, self.stats.n_recycled) = (0, 0);
        self.stats.n_steps = 0;
        self.stats.shortfall = Shortfall::default();
        self.stats.times = PhaseTimes::default();
        // Phases that do not run count zero.
        self.stats.solver = SolverStats::default();
        self.stats.n_fallen = 0;
        (self.stats.n_swept, self.stats.n_stopped, self.stats.n_box_tests) = (0, 0, 0);
        let had_suspended = self.bodies.active.has_suspended();
        if had_suspended {
            // Pairs that are not active keep their last event.
            core::mem::swap(&mut self.contacts.events, &mut self.contacts.scratch.last_events);
        }
        let filter = filter.filter(|_| 0 < self.bodies.n_hooked);
        // The filter may decide differently although nothing moved.
        self.contacts.is_changed |= filter.is_some() && self.bodies.are_moving();
        if self.contacts.is_changed {
            let World { bodies, joints, contacts, broad, budget, stats, .. } = self;
            contacts.find_pairs(broad, bodies, joints, stats, |pair, change| {
                budget.round_robin.note_change(pair, change)
            });
        }
        let World { settings, bodies, joints, contacts, budget, .. } = self;
        budget.select_moving(step_budget, bodies, contacts, joints, &settings.solver);
        self.continuous_step().find_swift();
        self.stats.times.broad = clock.lap();
        let mut always = 0.0;
        let was_changed = self.contacts.is_changed;
        if was_changed {
            self.contacts.collect_active_pairs(&self.bodies);
            if let Some(filter) = filter {
                self.filter_pairs(filter);
            }
            always = clock.lap();
            self.find_contacts(step_budget, recycling);
            let narrow = clock.lap();
            self.wake_newly_touched();
            self.stats.times.narrow = always + narrow;
        } else {
            self.contacts.states.iter_mut().for_each(|state| state.was_touching = state.is_touching);
        }
        if had_suspended && self.bodies.active.has_suspended() {
            self.stats.n_touching = self.contacts.report_events_of_active();
        } else {
            self.stats.n_touching = self.contacts.report_events();
        }
        // Not earlier: a filter may panic before they are reported.
        self.contacts.scratch.ended.clear();
        self.report_colliders(was_changed);
        let events = clock.lap();
        self.stats.times.narrow += events;
        step_budget.note_always(always + events);
    }

    /// Narrow phase: finds the contacts of the active pairs, or of as many as the plan allows.
    ///
    /// 1. Copies the pair states of the active pairs into one row, unless all are active.
    /// 2. On a budget: selects the pairs that are tested; the others are deferred.
    /// 3. Updates the pair states of the row: tests, recycles, copies or defers each pair
    ///    (`narrow`). Smooths internal edges.
    /// 4. Counts the deferred pairs. Moves manifolds of pairs in which nothing moves to
    ///    `ContactSet::sleeping`.
    /// 5. Writes the pair states back, and notes the poses of the bodies.
    pub(crate) fn find_contacts(&mut self, step_budget: &mut StepBudget, recycling: f32) {
        let mut found = core::mem::take(&mut self.contacts.scratch.manifolds);
        // If all pairs are active, no pair state is copied. The caches stay in place.
        let PairStates { list: mut states, mut caches } = core::mem::take(&mut self.contacts.states);
        let mut all = Vec::new();
        if self.contacts.active_pairs.len() < states.len() {
            all = core::mem::replace(&mut states, core::mem::take(&mut self.contacts.scratch.active_states));
            states.clear();
            states.extend(self.contacts.active_pairs.iter().map(|&place| all[place as usize]));
        }
        let unit = self.settings.solver.length_unit;
        let mut scene = Scene {
            shapes: &self.bodies.shapes,
            solids: self.bodies.solids([&self.contacts.hooked.apart, &[]]),
            sizes: &self.bodies.sizes,
            roundness: &self.bodies.roundness,
            bodies: &self.bodies.motions,
            traits: &self.bodies.traits,
            girths: &self.bodies.girths,
            swift: &self.continuous.swift,
            active: &self.bodies.active,
            deforming: &self.bodies.deforming,
            is_stale: &self.bodies.is_stale,
            detected_poses: &self.bodies.detected_poses,
            old: &self.contacts.manifolds,
            sleeping: &self.contacts.sleeping,
            narrow_budget: step_budget.narrow_budget(states.len()),
            prediction: self.settings.prediction * unit,
            slop: self.settings.solver.slop * unit,
            // A suspended body keeps pressing on moving ones. With recycled contacts a box then
            // sank into the floor by a fifth of its size.
            recycling: if self.bodies.active.has_suspended() { 0.0 } else { recycling },
            dt: self.last.dt,
            smooths_internal_edges: self.settings.smooths_internal_edges,
        };
        let may_be_too_many = |n: usize| n < states.len() && !step_budget.is_ample(n);
        scene.narrow_budget.note_most(states.len());
        if scene.narrow_budget.n_pairs(states.len()).is_some_and(may_be_too_many) {
            let (n_due, n_all) = time_critical::mark_candidates(&mut states, &scene);
            let mut n = scene.narrow_budget.n_pairs(n_due).unwrap_or(n_all);
            if step_budget.decide_deferral(n, n_all) {
                scene.narrow_budget = step_budget.narrow_budget(states.len());
                n = scene.narrow_budget.n_pairs(n_due).unwrap_or(n_all);
            }
            scene.narrow_budget.note_most(n);
            if n < n_all {
                time_critical::select_pairs(&mut states, self.budget.next_pair, n);
            } else {
                states.iter_mut().for_each(|state| state.is_skipped = false);
            }
        }
        let first = self.contacts.active_pairs.first().map_or(0, |&place| place as usize);
        let row =
            Row { states: &mut states, places: &self.contacts.active_pairs, caches: &mut caches[first..] };
        #[cfg(feature = "parallel")]
        let tally =
            crate::contacts::chunks::update_all(&scene, row, &mut self.contacts.scratch.found_in, &mut found);
        #[cfg(not(feature = "parallel"))]
        let tally = narrow::update_all(&scene, row, &mut found);
        let Tally { n_tested, n_recycled, mut n_found, n_deferred, n_still, left, resting } = tally;
        if self.settings.smooths_internal_edges {
            n_found -= internal_edges::smooth(&scene, &mut states, &mut found, resting);
        }
        let mut shortfall =
            Shortfall { n_suspended: self.bodies.active.n_suspended(), ..Shortfall::default() };
        // The list is scanned only if some are deferred.
        let deferred = if n_deferred == 0 { &[] } else { &states[..] };
        for state in deferred {
            if state.is_deferred {
                shortfall.n_pairs += 1;
                shortfall.n_unknown += usize::from(state.is_new);
                shortfall.n_carried += found[state.range()].iter().map(|m| m.contacts().len()).sum::<usize>();
            }
        }
        self.budget.next_pair = time_critical::next_pair(deferred, self.budget.next_pair);
        left.iter().for_each(|&(first, n)| self.contacts.sleeping.release(first, n));
        // With suspended bodies most manifolds become those of pairs in which nothing moves.
        if self.bodies.active.has_suspended() {
            self.contacts.sleeping.make_room(self.contacts.pairs.len());
        }
        let mut n_moving = n_found;
        let still = if n_still == 0 { &mut [] } else { &mut states[..] };
        for state in still {
            let waits = state.is_deferred && !self.bodies.active.has_suspended();
            if !waits && !self.bodies.active.moves(state.a.index) && !self.bodies.active.moves(state.b.index)
            {
                n_moving -= state.n as usize;
                self.contacts.sleeping.take(state, &found);
            }
        }
        self.stats.n_manifolds = n_moving + self.contacts.sleeping.len();
        step_budget.note_found(n_moving, states.len(), self.bodies.active.moving().len());
        if !all.is_empty() {
            for (&place, state) in self.contacts.active_pairs.iter().zip(&states) {
                all[place as usize] = *state;
            }
            self.contacts.scratch.active_states = core::mem::replace(&mut states, all);
        }
        self.contacts.sleeping.compact(&mut states);
        self.contacts.states = PairStates { list: states, caches };
        self.contacts.scratch.manifolds = core::mem::replace(&mut self.contacts.manifolds, found);
        shrink_unused(&mut self.contacts.manifolds);
        shrink_unused(&mut self.contacts.scratch.manifolds);
        shrink_unused(&mut self.contacts.scratch.active_states);
        shrink_unused(&mut self.contacts.scratch.contacts);
        self.bodies.note_detected_poses();
        let BodySet { moved, active, motions, .. } = &mut self.bodies;
        moved.clear();
        moved.extend((0..motions.len() as u32).map(|body| active.moves(body)));
        // Deferred pairs are due in the next step.
        self.contacts.is_changed = 0 < shortfall.n_pairs || self.bodies.active.has_suspended();
        // With suspended bodies, a pair becomes due only when one of its bodies moves.
        self.contacts.is_unsettled = 0 < shortfall.n_pairs && !self.bodies.active.has_suspended();
        self.stats.shortfall = shortfall;
        self.stats.n_steps = n_tested as u64;
        (self.stats.n_tested, self.stats.n_recycled) = (n_tested, n_recycled);
    }
}
