//! Detection, the first half of a step: boxes, pairs, contacts, events.

use crate::budget::time_critical::{self, StepBudget};
use crate::contacts::internal_edges;
#[cfg(not(feature = "parallel"))]
use crate::contacts::narrow;
use crate::contacts::narrow::{Row, Tally};
use crate::contacts::scene::Scene;
use crate::hooks::Hooks;
use crate::stats::{Clock, StepStats};
use crate::{BodyId, World};
use carom_broad::BroadPhase;
use carom_response::BodyKind;

impl<B: BroadPhase> World<B> {
    /// Finds contacts and reports events. `filter` decides which pairs may touch; without it the
    /// decisions of the last step stay.
    pub(crate) fn detect_within(
        &mut self,
        step_budget: &mut StepBudget,
        recycling: f32,
        filter: Option<&dyn Hooks>,
    ) {
        let mut clock = Clock::start();
        let had_suspended = self.begin_reports();
        let filter = filter.filter(|_| 0 < self.bodies.n_hooked);
        self.update_pairs(step_budget, filter.is_some());
        self.last.stats.times.broad = clock.lap();
        let is_changed = self.contacts.is_changed;
        let (mut collect_seconds, mut test_seconds) = (0.0, 0.0);
        if is_changed {
            self.contacts.collect_active_pairs(&self.bodies);
            if let Some(filter) = filter {
                self.filter_pairs(filter);
            }
            collect_seconds = clock.lap();
            self.find_contacts(step_budget, recycling);
            test_seconds = clock.lap();
            self.wake_newly_touched();
        } else {
            self.contacts.states.iter_mut().for_each(|state| state.was_touching = state.is_touching);
        }
        self.report_events(had_suspended, is_changed);
        let report_seconds = clock.lap();
        self.last.stats.times.narrow = collect_seconds + test_seconds + report_seconds;
        step_budget.note_always(collect_seconds + report_seconds);
    }

    /// Clears the counts and events of the last step. Returns whether bodies were suspended in it.
    fn begin_reports(&mut self) -> bool {
        self.note_begun();
        self.contacts.are_events_taken = false;
        self.contacts.responses.clear();
        self.contacts.impulse_events.clear();
        let bodies = &self.bodies;
        let is_kinematic = |body: BodyId| {
            bodies.index_of(body).is_ok_and(|index| bodies.motions[index].kind == BodyKind::Kinematic)
        };
        self.contacts.pushes.age(is_kinematic);
        self.joints.broken.clear();
        let StepStats { n_pairs, n_crowded, n_touching, n_manifolds, .. } = self.last.stats;
        // These stay until they are counted again. Phases that do not run count zero.
        self.last.stats = StepStats { n_pairs, n_crowded, n_touching, n_manifolds, ..StepStats::default() };
        self.last.stats.n_bodies = self.bodies.n_live;
        let had_suspended = self.bodies.active.has_suspended();
        if had_suspended {
            // Pairs that are not active keep their last event.
            core::mem::swap(&mut self.contacts.events, &mut self.contacts.scratch.last_events);
        }
        had_suspended
    }

    /// Broad phase: updates the pairs of boxes that overlap. Then selects the bodies that move.
    fn update_pairs(&mut self, step_budget: &mut StepBudget, has_filter: bool) {
        // The filter may decide differently although nothing moved.
        self.contacts.is_changed |= has_filter && self.bodies.are_moving();
        let World { settings, last, bodies, joints, contacts, broad, budget, .. } = self;
        if contacts.is_changed {
            contacts.find_pairs(broad, bodies, joints, &mut last.stats, |pair, change| {
                budget.round_robin.note_change(pair, change)
            });
        }
        budget.select_moving(step_budget, bodies, contacts, joints, &settings.solver);
        self.continuous_step().find_swift();
    }

    /// Reports which contacts began, persisted and ended. `has_detected` says whether any pair was
    /// tested.
    fn report_events(&mut self, had_suspended: bool, has_detected: bool) {
        self.last.stats.n_touching = if had_suspended && self.bodies.active.has_suspended() {
            self.contacts.report_events_of_active()
        } else {
            self.contacts.report_events()
        };
        // They are not cleared earlier, because a filter may panic before they are reported.
        self.contacts.scratch.ended.clear();
        self.report_colliders(has_detected);
    }

    /// Narrow phase: finds the contacts of the active pairs, or of as many as the budget allows.
    ///
    /// 1. Copies the pair states of the active pairs into one row, unless all are active.
    /// 2. With a budget: selects the pairs that are tested; the others are deferred.
    /// 3. Updates the pair states of the row: tests, recycles, copies or defers each pair
    ///    (`narrow`). Smooths internal edges.
    /// 4. Counts the deferred pairs. Moves manifolds of pairs in which nothing moves to
    ///    `ContactSet::sleeping`.
    /// 5. Writes the pair states back, and notes the poses of the bodies.
    fn find_contacts(&mut self, step_budget: &mut StepBudget, recycling: f32) {
        let mut found = core::mem::take(&mut self.contacts.scratch.manifolds);
        let (mut states, mut caches, all) = self.contacts.take_active_states();
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
        time_critical::plan_tests(&mut states, &mut scene, step_budget, self.budget.next_pair);
        let first = self.contacts.active_pairs.first().map_or(0, |&index| index as usize);
        let row =
            Row { states: &mut states, indices: &self.contacts.active_pairs, caches: &mut caches[first..] };
        #[cfg(feature = "parallel")]
        let mut tally =
            crate::contacts::chunks::update_all(&scene, row, &mut self.contacts.scratch.found_in, &mut found);
        #[cfg(not(feature = "parallel"))]
        let mut tally = narrow::update_all(&scene, row, &mut found);
        if self.settings.smooths_internal_edges {
            let resting = core::mem::take(&mut tally.resting);
            tally.n_found -= internal_edges::smooth(&scene, &mut states, &mut found, resting);
        }
        // The list is scanned only if some are deferred.
        let deferred = if tally.n_deferred == 0 { &[] } else { &states[..] };
        let n_suspended = self.bodies.active.n_suspended();
        let shortfall = time_critical::shortfall(deferred, &found, n_suspended);
        self.budget.next_pair = time_critical::next_pair(deferred, self.budget.next_pair);
        let n_moving =
            tally.n_found - self.contacts.put_to_rest(&mut states, &found, &tally, &self.bodies.active);
        self.last.stats.n_manifolds = n_moving + self.contacts.sleeping.len();
        step_budget.note_found(n_moving, states.len(), self.bodies.active.moving().len());
        self.contacts.put_back_active_states(states, caches, all);
        self.contacts.scratch.manifolds = core::mem::replace(&mut self.contacts.manifolds, found);
        self.contacts.shrink_unused();
        self.bodies.note_detection();
        // Deferred pairs are due in the next step.
        self.contacts.is_changed = 0 < shortfall.n_pairs || 0 < n_suspended;
        // With suspended bodies, a pair becomes due only when one of its bodies moves.
        self.contacts.is_unsettled = 0 < shortfall.n_pairs && !self.bodies.active.has_suspended();
        let Tally { n_tested, n_recycled, .. } = tally;
        self.last.stats =
            StepStats { n_tested, n_recycled, n_steps: n_tested as u64, shortfall, ..self.last.stats };
    }
}
