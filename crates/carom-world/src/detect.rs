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
use crate::memory::trim;
use crate::stats::{Clock, PhaseTimes, Undone};
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_response::StepStats;

impl<B: BroadPhase> World<B> {
    pub(crate) fn detect_within(&mut self, plan: &mut Plan, recycling: f32) {
        let mut clock = Clock::start();
        self.contacts.work.ended.clear();
        self.contacts.responses.clear();
        self.stats.n_bodies = self.bodies.n_live;
        (self.stats.n_tested, self.stats.n_recycled) = (0, 0);
        self.stats.n_steps = 0;
        self.stats.undone = Undone::default();
        self.stats.times = PhaseTimes::default();
        // What is not done counts nothing.
        self.stats.solver = StepStats::default();
        (self.stats.n_swept, self.stats.n_stopped, self.stats.n_box_tests) = (0, 0, 0);
        let had_halted = self.bodies.movers.has_halted();
        if had_halted {
            // Of who is not busy it is told what was told before.
            core::mem::swap(&mut self.contacts.events, &mut self.contacts.work.told);
        }
        if self.contacts.is_changed {
            self.find_pairs();
        }
        self.choose_movers(plan);
        self.find_swift();
        self.stats.times.broad = clock.lap();
        let mut always = 0.0;
        if self.contacts.is_changed {
            self.contacts.find_busy(&self.bodies);
            always = clock.lap();
            self.find_contacts(plan, recycling);
            let narrow = clock.lap();
            let n_due = self.stats.n_tested + self.stats.undone.n_pairs;
            self.budget.pace.note_due(n_due, self.stats.n_recycled, plan);
            self.wake_newly_touched();
            self.budget.pace.note_around(narrow - self.budget.looking, self.contacts.busy.len(), 0.0, plan);
            self.stats.times.narrow = always + narrow;
        } else {
            self.contacts.records.iter_mut().for_each(|record| record.was_touching = record.is_touching);
        }
        if had_halted && self.bodies.movers.has_halted() {
            self.stats.n_touching = self.contacts.tell_events_of_busy();
        } else {
            self.stats.n_touching = self.contacts.tell_events();
        }
        self.budget.pace.note_around(0.0, 0, always + clock.lap(), plan);
    }

    /// Narrow phase: the contacts of all records in which something moved, or of as many as the plan allows.
    pub(crate) fn find_contacts(&mut self, plan: &mut Plan, recycling: f32) {
        let mut found = core::mem::take(&mut self.contacts.work.manifolds);
        // Where all are busy nothing is moved. The caches stay.
        let Records { list: mut records, mut caches } = core::mem::take(&mut self.contacts.records);
        let mut all = Vec::new();
        if self.contacts.busy.len() < records.len() {
            all = core::mem::replace(&mut records, core::mem::take(&mut self.contacts.work.busy_records));
            records.clear();
            records.extend(self.contacts.busy.iter().map(|&place| all[place as usize]));
        }
        let unit = self.settings.solver.length_unit;
        let mut scene = Scene {
            shapes: &self.bodies.shapes,
            sizes: &self.bodies.sizes,
            bodies: &self.bodies.motions,
            traits: &self.bodies.traits,
            girths: &self.bodies.girths,
            swift: &self.continuous.swift,
            movers: &self.bodies.movers,
            deforming: &self.bodies.deforming,
            is_stale: &self.bodies.is_stale,
            seen: &self.bodies.seen,
            old: &self.contacts.manifolds,
            rest: &self.contacts.rest,
            allowance: plan.allowance(records.len()),
            prediction: self.settings.prediction * unit,
            slop: self.settings.solver.slop * unit,
            // Who is halted presses without end on those that move a little: recycled, a box sank deeper into the floor by a fifth of its size.
            recycling: if self.bodies.movers.has_halted() { 0.0 } else { recycling },
            dt: self.last.dt,
            smooths_internal_edges: self.settings.smooths_internal_edges,
        };
        let may_be_too_many = |n: usize| n < records.len() && !plan.is_ample(n);
        scene.allowance.note_most(records.len());
        if scene.allowance.n_pairs(records.len()).is_some_and(may_be_too_many) {
            let (n_due, n_all) = time_critical::mark(&mut records, &scene);
            let mut n = scene.allowance.n_pairs(n_due).unwrap_or(n_all);
            if plan.hold_for(n, n_all) {
                scene.allowance = plan.allowance(records.len());
                n = scene.allowance.n_pairs(n_due).unwrap_or(n_all);
            }
            scene.allowance.note_most(n);
            if n < n_all {
                time_critical::choose(&mut records, self.budget.turn, n);
            } else {
                records.iter_mut().for_each(|record| record.is_skipped = false);
            }
        }
        let mut clock = Clock::start();
        let first = self.contacts.busy.first().map_or(0, |&place| place as usize);
        let row = Row { records: &mut records, places: &self.contacts.busy, caches: &mut caches[first..] };
        #[cfg(feature = "parallel")]
        let tally =
            crate::contacts::pieces::look_at_all(&scene, row, &mut self.contacts.work.found_in, &mut found);
        #[cfg(not(feature = "parallel"))]
        let tally = narrow::look_at_all(&scene, row, &mut found);
        let Tally { n_tested, n_recycled, mut n_found, n_put_off, n_still, left, resting } = tally;
        let looking = clock.lap();
        if self.settings.smooths_internal_edges {
            n_found -= internal_edges::smooth(&scene, &mut records, &mut found, resting);
        }
        let mut undone = Undone { n_halted: self.bodies.movers.n_halted(), ..Undone::default() };
        // Mostly none are.
        let put_off = if n_put_off == 0 { &[] } else { &records[..] };
        for record in put_off {
            if record.is_put_off {
                undone.n_pairs += 1;
                undone.n_unknown += usize::from(record.is_new);
                undone.n_carried += found[record.range()].iter().map(|m| m.contacts().len()).sum::<usize>();
            }
        }
        self.budget.turn = time_critical::next_turn(put_off, self.budget.turn);
        self.budget.pace.note_pairs(looking, n_tested, undone.n_pairs + n_recycled, plan);
        self.budget.looking = looking;
        left.iter().for_each(|&(first, n)| self.contacts.rest.give_back(first, n));
        // What nothing moves is put to rest; where some are halted it is in the end most of all there is.
        if self.bodies.movers.has_halted() {
            self.contacts.rest.make_room(self.contacts.pairs.len());
        }
        let mut n_moving = n_found;
        let still = if n_still == 0 { &mut [] } else { &mut records[..] };
        for record in still {
            let waits = record.is_put_off && !self.bodies.movers.has_halted();
            if !waits && !self.bodies.movers.has(record.a.index) && !self.bodies.movers.has(record.b.index) {
                n_moving -= record.n as usize;
                self.contacts.rest.take(record, &found);
            }
        }
        self.stats.n_manifolds = n_moving + self.contacts.rest.len();
        plan.note_found(n_moving);
        self.budget.pace.note_found((n_found, records.len()), n_moving, plan);
        if !all.is_empty() {
            for (&place, record) in self.contacts.busy.iter().zip(&records) {
                all[place as usize] = *record;
            }
            self.contacts.work.busy_records = core::mem::replace(&mut records, all);
        }
        self.contacts.rest.tidy(&mut records);
        self.contacts.records = Records { list: records, caches };
        self.contacts.work.manifolds = core::mem::replace(&mut self.contacts.manifolds, found);
        trim(&mut self.contacts.manifolds);
        trim(&mut self.contacts.work.manifolds);
        trim(&mut self.contacts.work.busy_records);
        trim(&mut self.contacts.work.contacts);
        self.bodies.note_seen();
        let BodySet { moved, movers, motions, .. } = &mut self.bodies;
        moved.clear();
        moved.extend((0..motions.len() as u32).map(|body| movers.has(body)));
        // What was put off is still to be done.
        self.contacts.is_changed = 0 < undone.n_pairs || self.bodies.movers.has_halted();
        // Where some are halted it is when one of the two has moved, or moves.
        self.contacts.is_unsettled = 0 < undone.n_pairs && !self.bodies.movers.has_halted();
        self.stats.undone = undone;
        self.stats.n_steps = n_tested as u64;
        (self.stats.n_tested, self.stats.n_recycled) = (n_tested, n_recycled);
    }
}
