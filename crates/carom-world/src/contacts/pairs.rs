//! The broad phase of a step: which boxes touch, what went and what came since the last step, and in which pairs something moves.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1 and figure 25.2 (broad phase).

use crate::bodies::BodySet;
use crate::contacts::ContactSet;
use crate::contacts::crowd;
use crate::contacts::narrow::{self};
use crate::contacts::record::Record;
use crate::memory::trim;
use crate::{BodyId, World};
use carom_broad::{BroadPhase, Pair};
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
            record.a == self.bodies.id_at(pair.a)
                && record.b == self.bodies.id_at(pair.b)
                && record.is_sensor == narrow::is_sensor_pair(pair, &self.bodies.traits, &self.contacts.rules)
        };
        changes.find((&self.contacts.pairs, &self.contacts.gaps), &new, is_renumbered.then_some(is_same));
        if !changes.is_empty() {
            self.contacts.meetings.forget();
            changes.gone.iter().for_each(|&old| self.contacts.end(old as usize));
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
}
