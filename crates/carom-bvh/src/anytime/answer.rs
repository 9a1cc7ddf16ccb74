//! The state of an interrupted search: bounds of the distance of each pair, and certain results.
//!
//! Each pair of primitives is in a refuted pair of volumes, a tested pair of leaves, or a waiting
//! pair of volumes. The least bound over the three kinds is a bound of the whole distance.
//!
//! Reference: J. Dingliana, C. O'Sullivan, Graceful Degradation of Collision Handling in
//! Physically Based Animation, Eurographics 2000; Akenine-Moller et al., Real-Time Rendering, 4th
//! ed., 25.6.

use super::pairs::{AnytimePairs, Undecided};
use super::queue::Entry;
use super::search::AnytimeSearch;
use super::state::{PairState, volume_of};
use crate::counters::Counters;
use crate::tree::TreeVolume;
use alloc::vec::Vec;

/// Whether two bodies touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Certainty {
    /// They are surely apart.
    Apart,
    /// They surely touch: two primitives do.
    Touching,
    /// The volumes tested so far do not decide it.
    #[default]
    Unknown,
}

/// The current result for a pair of trees.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct AnytimeAnswer {
    /// Whether they touch.
    pub certainty: Certainty,
    /// A lower bound of the distance: a length.
    pub lower: f64,
    /// An upper bound of the distance: a length. `INFINITY` before the pair was begun, and if
    /// there is no distance.
    pub upper: f64,
    /// The least distance of two primitives that the caller has returned so far.
    pub found: Option<f64>,
    /// The number of waiting pairs of volumes: 1 before the pair was begun, 0 at the end.
    pub n_undecided: u64,
    /// The number of nodes opened on the path to the shallowest waiting pair: all levels above it
    /// are decided.
    pub level: u32,
    /// The number of pairs of volumes that are too far apart to matter.
    pub n_refuted: u64,
    /// The number of pairs of leaves with primitives within the maximum distance.
    pub n_found: u64,
    /// The work in counts.
    pub counters: Counters,
}

impl AnytimeAnswer {
    /// The result before a pair was begun.
    const NOTHING: AnytimeAnswer = AnytimeAnswer {
        certainty: Certainty::Unknown,
        lower: 0.0,
        upper: f64::INFINITY,
        found: None,
        n_undecided: 1,
        level: 0,
        n_refuted: 0,
        n_found: 0,
        counters: Counters { nodes: 0, volume_tests: 0, leaves: 0, primitives: 0, volume_updates: 0 },
    };

    /// The result without the waiting pairs. The lower bound stays a scaled square until the end.
    fn decided(state: &PairState) -> AnytimeAnswer {
        AnytimeAnswer {
            lower: state.refuted_sq,
            upper: state.upper,
            found: (state.best < f64::INFINITY).then_some(state.best),
            n_undecided: 0,
            level: u32::MAX,
            n_refuted: state.n_refuted,
            n_found: state.n_found,
            counters: state.counters,
            ..AnytimeAnswer::NOTHING
        }
    }

    fn waits(&mut self, state: &PairState, entry: &Entry) {
        self.lower = self.lower.min(entry.gap_sq);
        if state.is_open(entry.gap_sq) {
            self.n_undecided += 1;
            self.level = self.level.min(entry.level);
        }
    }

    fn finish(&mut self, state: &PairState) {
        let may_touch = self.lower == 0.0;
        self.certainty = match state.best <= 0.0 {
            true => Certainty::Touching,
            false if may_touch => Certainty::Unknown,
            false => Certainty::Apart,
        };
        self.lower = state.length_below(self.lower).min(state.tested_lower).min(self.upper);
        self.level = if self.n_undecided == 0 { 0 } else { self.level };
    }
}

impl AnytimeSearch {
    /// The current result of one pair of trees. It reads the waiting entries of all pairs.
    pub fn answer(&self, pair: u32) -> AnytimeAnswer {
        let Some(state) = self.states.get(pair as usize) else { return AnytimeAnswer::NOTHING };
        let mut answer = AnytimeAnswer::decided(state);
        for entry in self.queue.iter().filter(|entry| entry.pair == pair) {
            answer.waits(state, entry);
        }
        answer.finish(state);
        answer
    }

    /// Writes the current results of all pairs of trees to `out`, in their order, in one pass over
    /// the waiting entries.
    pub fn answers(&self, out: &mut Vec<AnytimeAnswer>) {
        out.clear();
        out.extend(self.states.iter().map(AnytimeAnswer::decided));
        for entry in self.queue.iter() {
            let pair = entry.pair as usize;
            if let (Some(answer), Some(state)) = (out.get_mut(pair), self.states.get(pair)) {
                answer.waits(state, entry);
            }
        }
        for (answer, state) in out.iter_mut().zip(&self.states) {
            answer.finish(state);
        }
        out.resize(self.n_pairs as usize, AnytimeAnswer::NOTHING);
    }

    /// The waiting pairs of volumes of all pairs of trees that were begun, in no order. The trees
    /// must be those of the search.
    pub fn undecided<V: TreeVolume, P: AnytimePairs<V>>(
        &self,
        pairs: &P,
    ) -> impl Iterator<Item = Undecided<V>> {
        self.queue.iter().filter_map(move |entry| {
            let state = self.states.get(entry.pair as usize)?;
            let (a, b) = pairs.trees(entry.pair);
            state.is_open(entry.gap_sq).then(|| Undecided {
                pair: entry.pair,
                level: entry.level,
                gap: state.length_below(entry.gap_sq),
                volume_a: volume_of(a, entry.a),
                volume_b: volume_of(b, entry.b),
            })
        })
    }
}
