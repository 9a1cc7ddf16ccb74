//! The broad phase of a step: which boxes touch, what went and what came since the last step, and in which pairs something moves.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1 and figure 25.2 (broad phase).

use crate::bodies::BodySet;
use crate::contacts::ContactSet;
use crate::contacts::crowd;
use crate::contacts::events::{Event, EventKind};
use crate::contacts::narrow::{self, Record};
use crate::world::trim;
use crate::{BodyId, World};
use carom_broad::{BroadPhase, Pair};
use carom_response::{Body, BodyKind};
use core::mem;

impl<B: BroadPhase> World<B> {
    /// Broad phase: the pairs whose boxes touch become the records, the old ones with what they know.
    pub(crate) fn find_pairs(&mut self) {
        let mut new = mem::take(&mut self.contacts.work.pairs);
        self.broad.pairs(&mut new);
        let (traits, n_bodies) = (&self.bodies.traits, self.bodies.motions.len());
        let ContactSet { rules, work, .. } = &mut self.contacts;
        let has_sensor = |pair: Pair| narrow::is_sensor_pair(pair, traits, rules);
        self.stats.n_crowded = crowd::thin_out(&mut new, n_bodies, &mut work.counts, has_sensor);
        self.stats.n_pairs = new.len();
        self.stats.n_box_tests = self.broad.counters().tests;
        let is_renumbered = mem::take(&mut self.contacts.is_renumbered);
        let mut changes = mem::take(&mut self.contacts.work.changes);
        // If a number passed to another body, or bodies pass that pushed before, the pair is another one.
        let is_same = |old: usize| {
            let (record, pair) = (&self.contacts.records[old], self.contacts.pairs[old]);
            record.a == self.id_at(pair.a)
                && record.b == self.id_at(pair.b)
                && record.is_sensor == narrow::is_sensor_pair(pair, &self.bodies.traits, &self.contacts.rules)
        };
        changes.find((&self.contacts.pairs, &self.contacts.gaps), &new, is_renumbered.then_some(is_same));
        if !changes.is_empty() {
            self.contacts.meetings.forget();
            changes.gone.iter().for_each(|&old| self.end(old as usize));
            let gone = changes.gone.iter().map(|&place| self.contacts.pairs[place as usize]);
            self.budget.turns.note_changes(gone, changes.added.iter().map(|&place| new[place as usize]));
            let (mut records, mut pairs) =
                (mem::take(&mut self.contacts.records), mem::take(&mut self.contacts.pairs));
            let mut gaps = mem::take(&mut self.contacts.gaps);
            let BodySet { generations, traits, motions, .. } = &self.bodies;
            let (rules, joints) = (&self.contacts.rules, &self.joints);
            changes.apply((&mut records, &mut pairs, &mut gaps), &new, |pair| {
                let id = |index| BodyId { index, generation: generations[index as usize] };
                let is_sensor = narrow::is_sensor_pair(pair, traits, rules);
                let is_wanted = narrow::is_wanted(pair, traits, motions, joints);
                Record::new(id(pair.a), id(pair.b), is_wanted, is_sensor)
            });
            trim(&mut pairs);
            (self.contacts.records, self.contacts.pairs, self.contacts.gaps) = (records, pairs, gaps);
        }
        self.contacts.work.changes = changes;
        self.contacts.work.pairs = new;
    }

    /// A record that is gone has ended, if it touched.
    fn end(&mut self, place: usize) {
        let record = &self.contacts.records[place];
        self.contacts.rest.leave(record);
        if record.is_touching {
            let (a, b) = (record.a, record.b);
            self.contacts.work.ended.push(Event {
                a,
                b,
                kind: EventKind::Ended,
                is_sensor: record.is_sensor,
            });
        }
    }

    /// The records in which something moves or moved, or all.
    pub(crate) fn find_busy(&mut self) {
        let BodySet { motions, movers, is_stale, moved, .. } = &self.bodies;
        let ContactSet { busy, pairs, gaps, is_unsettled, work, .. } = &mut self.contacts;
        let is_busy = &mut work.is_busy;
        is_busy.clear();
        is_busy.extend((0..).zip(is_stale).map(|(body, is_stale)| *is_stale | movers.has(body)));
        is_busy.iter_mut().zip(moved).for_each(|(is_busy, moved)| *is_busy |= *moved);
        // No pair is of two fixed bodies.
        let could_be = |(body, is_busy): (&Body, &bool)| *is_busy || body.kind == BodyKind::Fixed;
        if *is_unsettled || motions.iter().zip(&*is_busy).all(could_be) {
            busy.clear();
            busy.extend(0..pairs.len() as u32);
            return;
        }
        // Written always, kept when something moves: a branch would be a guess. What is there already is written over.
        busy.resize(pairs.len(), 0);
        let mut n = 0;
        // But for where there are many gaps together.
        let clearing = gaps.clearing();
        for part in [0..clearing.start, clearing.end..pairs.len()] {
            for (place, pair) in (part.start as u32..).zip(&pairs[part]) {
                busy[n] = place;
                n += usize::from(is_busy[pair.a as usize] | is_busy[pair.b as usize]);
            }
        }
        busy.truncate(n);
    }
}
