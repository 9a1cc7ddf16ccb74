//! The broad phase of a step: finds the pairs of overlapping boxes, and updates the pair states.

use crate::BodyId;
use crate::bodies::BodySet;
use crate::contacts::ContactSet;
use crate::contacts::crowd;
use crate::contacts::narrow::{self};
use crate::contacts::pair_state::PairState;
use crate::joints::Joints;
use crate::stats::StepStats;
use carom_broad::{BroadPhase, Pair};
use carom_response::shrink_unused;
use core::mem;

impl ContactSet {
    /// Updates the pair states to the pairs whose boxes overlap. Pairs that remain keep their
    /// state.
    ///
    /// Calls `note_change` with 1 for each new pair, and with -1 for each pair that ended.
    pub(crate) fn find_pairs<B: BroadPhase>(
        &mut self,
        broad: &mut B,
        bodies: &BodySet,
        joints: &Joints,
        stats: &mut StepStats,
        mut note_change: impl FnMut(Pair, i32),
    ) {
        let mut new = mem::take(&mut self.scratch.pairs);
        broad.pairs(&mut new);
        let (traits, n_bodies) = (&bodies.traits, bodies.motions.len());
        let ContactSet { rules, scratch, .. } = self;
        let has_sensor = |pair: Pair| {
            let is_one = |body: u32| traits[body as usize].has_sensor;
            narrow::is_sensor_pair(pair, traits, rules) || is_one(pair.a) || is_one(pair.b)
        };
        stats.n_crowded = crowd::thin_out(&mut new, n_bodies, &mut scratch.counts, has_sensor);
        stats.n_pairs = new.len();
        stats.n_box_tests = broad.counters().tests;
        let is_renumbered = mem::take(&mut self.is_renumbered);
        let mut changes = mem::take(&mut self.scratch.changes);
        // A pair counts as new if a number was reused by another body, or if it became a sensor
        // pair or ceased to be one.
        let is_same = |old: usize| {
            let (state, pair) = (&self.states[old], self.pairs[old]);
            state.a == bodies.id_at(pair.a)
                && state.b == bodies.id_at(pair.b)
                && state.is_sensor == narrow::is_sensor_pair(pair, &bodies.traits, &self.rules)
        };
        changes.find((&self.pairs, &self.gaps), &new, is_renumbered.then_some(is_same));
        if !changes.is_empty() {
            let gone = changes.gone.iter().map(|&old| self.pairs[old as usize]);
            let added = changes.added.iter().map(|&slot| new[slot as usize]);
            self.pairs_by_body.change(gone, added);
            changes.gone.iter().for_each(|&old| self.end(old as usize));
            let gone = changes.gone.iter().map(|&slot| self.pairs[slot as usize]);
            gone.for_each(|pair| note_change(pair, -1));
            changes.added.iter().for_each(|&slot| note_change(new[slot as usize], 1));
            let (mut states, mut pairs) = (mem::take(&mut self.states), mem::take(&mut self.pairs));
            let mut gaps = mem::take(&mut self.gaps);
            let BodySet { generations, traits, motions, .. } = bodies;
            let (rules, joints) = (&self.rules, joints);
            changes.apply((&mut states, &mut pairs, &mut gaps), &new, |pair| {
                let id = |index| BodyId { index, generation: generations[index as usize] };
                let is_sensor = narrow::is_sensor_pair(pair, traits, rules);
                let is_wanted = narrow::is_wanted(pair, traits, motions, joints);
                PairState::new(id(pair.a), id(pair.b), is_wanted, is_sensor)
            });
            shrink_unused(&mut pairs);
            (self.states, self.pairs, self.gaps) = (states, pairs, gaps);
        }
        #[cfg(not(feature = "std"))]
        self.pairs_by_body.prepare(&new);
        self.scratch.changes = changes;
        self.scratch.pairs = new;
    }
}
