//! Detection, the first half of a step: boxes, pairs, contacts, events.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1 and figure 25.2.

use crate::World;
use crate::bodies::BodySet;
use crate::budget::time_critical::{self, Plan};
use crate::contacts::internal_edges;
#[cfg(not(feature = "parallel"))]
use crate::contacts::narrow;
use crate::contacts::narrow::{Row, Tally};
use crate::contacts::records::Records;
use crate::contacts::scene::Scene;
use crate::hooks::Hooks;
use crate::memory::trim;
use crate::stats::{Clock, PhaseTimes, Undone};
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_response::StepStats;

impl<B: BroadPhase> World<B> {
    /// Finds contacts and reports events. `filter` is asked about pairs; without it the answers of
    /// the last step count.
    pub(crate) fn detect_within(&mut self, plan: &mut Plan, recycling: f32, filter: Option<&dyn Hooks>) {
        let mut clock = Clock::start();
        self.contacts.responses.clear();
        self.contacts.impulse_events.clear();
        self.joints.broken.clear();
        self.stats.n_bodies = self.bodies.n_live;
        (self.stats.n_tested, self.stats.n_recycled) = (0, 0);
        self.stats.n_steps = 0;
        self.stats.undone = Undone::default();
        self.stats.times = PhaseTimes::default();
        // Phases that do not run count zero.
        self.stats.solver = StepStats::default();
        self.stats.n_fallen = 0;
        (self.stats.n_swept, self.stats.n_stopped, self.stats.n_box_tests) = (0, 0, 0);
        let had_halted = self.bodies.active.has_halted();
        if had_halted {
            // Pairs that are not active keep their last event.
            core::mem::swap(&mut self.contacts.events, &mut self.contacts.scratch.last_events);
        }
        let filter = filter.filter(|_| 0 < self.bodies.n_hooked);
        // The answers may change though nothing moved.
        self.contacts.is_changed |= filter.is_some() && self.bodies.are_moving();
        if self.contacts.is_changed {
            let World { bodies, joints, contacts, broad, budget, stats, .. } = self;
            contacts.find_pairs(broad, bodies, joints, stats, |pair, change| {
                budget.round_robin.note_change(pair, change)
            });
        }
        let World { settings, bodies, joints, contacts, budget, .. } = self;
        budget.select_moving(plan, bodies, contacts, joints, &settings.solver);
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
            self.find_contacts(plan, recycling);
            let narrow = clock.lap();
            self.wake_newly_touched();
            self.stats.times.narrow = always + narrow;
        } else {
            self.contacts.records.iter_mut().for_each(|record| record.was_touching = record.is_touching);
        }
        if had_halted && self.bodies.active.has_halted() {
            self.stats.n_touching = self.contacts.report_events_of_active();
        } else {
            self.stats.n_touching = self.contacts.report_events();
        }
        // Not earlier: a filter may panic before they are reported.
        self.contacts.scratch.ended.clear();
        self.report_colliders(was_changed);
        let events = clock.lap();
        self.stats.times.narrow += events;
        plan.note_always(always + events);
    }

    /// Narrow phase: finds the contacts of the active pairs, or of as many as the plan allows.
    ///
    /// 1. Copies the records of the active pairs into one row, unless all are active.
    /// 2. On a budget: selects the pairs that are tested; the others are deferred.
    /// 3. Updates the row: tests, recycles, copies or defers each pair (`narrow`). Smooths internal
    ///    edges.
    /// 4. Counts the deferred pairs. Moves manifolds of pairs in which nothing moves to
    ///    `ContactSet::sleeping`.
    /// 5. Writes the records back, and notes the poses of the bodies.
    pub(crate) fn find_contacts(&mut self, plan: &mut Plan, recycling: f32) {
        let mut found = core::mem::take(&mut self.contacts.scratch.manifolds);
        // If all pairs are active, no record is copied. The caches stay in place.
        let Records { list: mut records, mut caches } = core::mem::take(&mut self.contacts.records);
        let mut all = Vec::new();
        if self.contacts.active_pairs.len() < records.len() {
            all =
                core::mem::replace(&mut records, core::mem::take(&mut self.contacts.scratch.active_records));
            records.clear();
            records.extend(self.contacts.active_pairs.iter().map(|&place| all[place as usize]));
        }
        let unit = self.settings.solver.length_unit;
        let mut scene = Scene {
            shapes: &self.bodies.shapes,
            solids: self.bodies.solids([&self.contacts.hooked.apart, &[]]),
            sizes: &self.bodies.sizes,
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
            narrow_budget: plan.narrow_budget(records.len()),
            prediction: self.settings.prediction * unit,
            slop: self.settings.solver.slop * unit,
            // A halted body presses on moving ones without end. With recycled contacts a box then
            // sank into the floor by a fifth of its size.
            recycling: if self.bodies.active.has_halted() { 0.0 } else { recycling },
            dt: self.last.dt,
            smooths_internal_edges: self.settings.smooths_internal_edges,
        };
        let may_be_too_many = |n: usize| n < records.len() && !plan.is_ample(n);
        scene.narrow_budget.note_most(records.len());
        if scene.narrow_budget.n_pairs(records.len()).is_some_and(may_be_too_many) {
            let (n_due, n_all) = time_critical::mark_candidates(&mut records, &scene);
            let mut n = scene.narrow_budget.n_pairs(n_due).unwrap_or(n_all);
            if plan.decide_hold(n, n_all) {
                scene.narrow_budget = plan.narrow_budget(records.len());
                n = scene.narrow_budget.n_pairs(n_due).unwrap_or(n_all);
            }
            scene.narrow_budget.note_most(n);
            if n < n_all {
                time_critical::select_pairs(&mut records, self.budget.next_pair, n);
            } else {
                records.iter_mut().for_each(|record| record.is_skipped = false);
            }
        }
        let first = self.contacts.active_pairs.first().map_or(0, |&place| place as usize);
        let row =
            Row { records: &mut records, places: &self.contacts.active_pairs, caches: &mut caches[first..] };
        #[cfg(feature = "parallel")]
        let tally =
            crate::contacts::chunks::update_all(&scene, row, &mut self.contacts.scratch.found_in, &mut found);
        #[cfg(not(feature = "parallel"))]
        let tally = narrow::update_all(&scene, row, &mut found);
        let Tally { n_tested, n_recycled, mut n_found, n_deferred, n_still, left, resting } = tally;
        if self.settings.smooths_internal_edges {
            n_found -= internal_edges::smooth(&scene, &mut records, &mut found, resting);
        }
        let mut undone = Undone { n_suspended: self.bodies.active.n_suspended(), ..Undone::default() };
        // The list is walked only if some are deferred.
        let deferred = if n_deferred == 0 { &[] } else { &records[..] };
        for record in deferred {
            if record.is_deferred {
                undone.n_pairs += 1;
                undone.n_unknown += usize::from(record.is_new);
                undone.n_carried += found[record.range()].iter().map(|m| m.contacts().len()).sum::<usize>();
            }
        }
        self.budget.next_pair = time_critical::next_pair(deferred, self.budget.next_pair);
        left.iter().for_each(|&(first, n)| self.contacts.sleeping.release(first, n));
        // With halted bodies most manifolds become those of pairs in which nothing moves.
        if self.bodies.active.has_halted() {
            self.contacts.sleeping.make_room(self.contacts.pairs.len());
        }
        let mut n_moving = n_found;
        let still = if n_still == 0 { &mut [] } else { &mut records[..] };
        for record in still {
            let waits = record.is_deferred && !self.bodies.active.has_halted();
            if !waits
                && !self.bodies.active.moves(record.a.index)
                && !self.bodies.active.moves(record.b.index)
            {
                n_moving -= record.n as usize;
                self.contacts.sleeping.take(record, &found);
            }
        }
        self.stats.n_manifolds = n_moving + self.contacts.sleeping.len();
        plan.note_found(n_moving, records.len(), self.bodies.active.moving().len());
        if !all.is_empty() {
            for (&place, record) in self.contacts.active_pairs.iter().zip(&records) {
                all[place as usize] = *record;
            }
            self.contacts.scratch.active_records = core::mem::replace(&mut records, all);
        }
        self.contacts.sleeping.compact(&mut records);
        self.contacts.records = Records { list: records, caches };
        self.contacts.scratch.manifolds = core::mem::replace(&mut self.contacts.manifolds, found);
        trim(&mut self.contacts.manifolds);
        trim(&mut self.contacts.scratch.manifolds);
        trim(&mut self.contacts.scratch.active_records);
        trim(&mut self.contacts.scratch.contacts);
        self.bodies.note_detected_poses();
        let BodySet { moved, active, motions, .. } = &mut self.bodies;
        moved.clear();
        moved.extend((0..motions.len() as u32).map(|body| active.moves(body)));
        // Deferred pairs are due in the next step.
        self.contacts.is_changed = 0 < undone.n_pairs || self.bodies.active.has_halted();
        // With halted bodies, a pair becomes due only when one of its bodies moves.
        self.contacts.is_unsettled = 0 < undone.n_pairs && !self.bodies.active.has_halted();
        self.stats.undone = undone;
        self.stats.n_steps = n_tested as u64;
        (self.stats.n_tested, self.stats.n_recycled) = (n_tested, n_recycled);
    }
}
