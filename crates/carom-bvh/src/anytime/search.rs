//! An interruptible search over pairs of trees: it stops at any time, returns its bounds, and
//! resumes later.
//!
//! One queue holds the undecided pairs of volumes of all pairs of trees. Breadth first, all pairs
//! of trees advance level by level. The caller may give priorities instead; depth first is for
//! comparison. A step takes one entry: it compares two whole trees, opens a node, or passes two
//! leaves to the caller. The search holds all state, so any split into runs gives the same search
//! (test: `anytime::however_the_steps_are_split`).
//!
//! A child's lower bound is at least its parent's, so bounds only tighten.
//!
//! Reference: P. Hubbard, Approximating Polyhedra with Spheres for Time-Critical Collision
//! Detection, 1996, 5; J. Dingliana, C. O'Sullivan, Graceful Degradation of Collision Handling in
//! Physically Based Animation, Eurographics 2000; Akenine-Moller et al., Real-Time Rendering, 4th
//! ed., 25.6.
//! Differs: eight volumes at a time; distances as well as yes and no. The queue has a limit,
//! beyond which the search goes depth first.

use super::contact::Sum;
use super::pairs::{AnytimePairs, LeafPair, Undecided};
use super::queue::{Entry, Queue};
use super::settings::{AnytimeGoal, AnytimeOrder, AnytimeSettings};
use super::state::{PairState, ROOT, stamp, volume_of};
use super::until::{Ended, Meter, Until};
use crate::counters::Counters;
use crate::tree::{LEAF, TreeVolume};
use crate::visit_pairs::resolve;
use crate::volumes::Volumes8;
use alloc::vec::Vec;
use carom_lanes::{Kernel, Simd, dispatch};
use core::marker::PhantomData;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnytimeRun {
    /// The reason.
    pub ended: Ended,
    /// The steps of this run.
    pub steps: u64,
}

impl AnytimeRun {
    /// Whether nothing is left to do: all pairs are decided.
    pub fn is_done(&self) -> bool {
        self.ended == Ended::Done
    }
}

/// Why a search could not continue. It keeps its state, and can continue with the right trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnytimeError {
    /// The trees of this pair differ from those with which it was begun. The numbers of nodes,
    /// leaves and primitives are compared, and the first and last volumes of the first and the
    /// last node. Another change may go unnoticed.
    OtherTrees {
        /// The number of the pair.
        pair: u32,
    },
}

impl core::fmt::Display for AnytimeError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            AnytimeError::OtherTrees { pair } => {
                write!(f, "the trees of pair {pair} are not those with which its search was begun")
            }
        }
    }
}

impl core::error::Error for AnytimeError {}

/// An interruptible search over pairs of trees. It is also the memory: once it has grown, no
/// search allocates.
#[derive(Clone, Debug, Default)]
pub struct AnytimeSearch {
    pub(crate) settings: AnytimeSettings,
    pub(crate) n_pairs: u32,
    /// The states of the pairs that were begun, which are the first ones.
    pub(crate) states: Vec<PairState>,
    pub(crate) queue: Queue,
    /// Leaves in which two primitives touch.
    pub(crate) touching: Vec<Entry>,
    pub(crate) sums: Vec<Sum>,
    /// The number of the run. Trees are compared once in each run.
    run: u32,
}

impl AnytimeSearch {
    /// Starts a new search over the pairs of trees `0..n_pairs`, without a step.
    pub fn start(&mut self, n_pairs: u32, settings: &AnytimeSettings) {
        self.settings = *settings;
        if !(0.0 <= settings.max_distance) {
            self.settings.max_distance = -1.0;
        }
        self.n_pairs = n_pairs;
        self.states.clear();
        self.touching.clear();
        self.queue.start(settings.order, settings.max_queue);
        self.run = 0;
    }

    /// The number of pairs of trees in the search.
    pub fn n_pairs(&self) -> u32 {
        self.n_pairs
    }

    /// The number of waiting pairs of volumes; see [`AnytimeSettings::max_queue`].
    pub fn n_waiting(&self) -> usize {
        self.queue.len()
    }

    /// The work since the start.
    pub fn counters(&self) -> Counters {
        let mut all = Counters::default();
        for state in &self.states {
            all += state.counters;
        }
        all
    }

    /// Continues until all pairs are decided, or until the first stop condition.
    ///
    /// After the same number of steps the state is the same, whatever the split into runs (test:
    /// `anytime::however_the_steps_are_split`).
    pub fn run<V: TreeVolume>(
        &mut self,
        pairs: &mut impl AnytimePairs<V>,
        until: Until<'_>,
    ) -> Result<AnytimeRun, AnytimeError> {
        self.run = self.run.wrapping_add(1);
        dispatch(Run { search: self, pairs, meter: Meter::new(until), volumes: PhantomData })
    }

    /// Checks that the trees are those with which the pair was begun.
    pub(crate) fn check<V: TreeVolume>(
        &self,
        pairs: &impl AnytimePairs<V>,
        pair: u32,
    ) -> Result<(), AnytimeError> {
        let (a, b) = pairs.trees(pair);
        match self.states.get(pair as usize) {
            Some(state) if state.stamp != stamp(a, b) => Err(AnytimeError::OtherTrees { pair }),
            _ => Ok(()),
        }
    }
}

struct Run<'s, 'u, V, P> {
    search: &'s mut AnytimeSearch,
    pairs: &'s mut P,
    meter: Meter<'u>,
    volumes: PhantomData<V>,
}

impl<V: TreeVolume, P: AnytimePairs<V>> Kernel for Run<'_, '_, V, P> {
    type Output = Result<AnytimeRun, AnytimeError>;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> Result<AnytimeRun, AnytimeError> {
        let ended = loop {
            let begun = self.search.states.len() as u32;
            let is_begun = self.search.n_pairs <= begun;
            if is_begun && self.search.queue.len() == 0 {
                break Ended::Done;
            }
            if let Some(ended) = self.meter.stop_reason() {
                break ended;
            }
            if !is_begun && self.search.queue.lets_begin() {
                self.begin(simd, begun);
                self.meter.step();
                continue;
            }
            let Some(entry) = self.search.queue.peek() else { break Ended::Done };
            let Some(state) = self.search.states.get_mut(entry.pair as usize) else { break Ended::Done };
            if !state.is_open(entry.gap_sq) {
                state.refute(entry.gap_sq);
                self.search.queue.pop();
                self.meter.spend(1);
                continue;
            }
            if state.run != self.search.run {
                state.run = self.search.run;
                self.search.check(self.pairs, entry.pair)?;
                self.meter.spend(1);
            }
            self.search.queue.pop();
            self.step(simd, &entry);
            self.meter.step();
        };
        Ok(AnytimeRun { ended, steps: self.meter.steps })
    }
}

impl<V: TreeVolume, P: AnytimePairs<V>> Run<'_, '_, V, P> {
    /// Begins a pair of trees: compares the volumes around both.
    #[inline(always)]
    fn begin<S: Simd>(&mut self, simd: S, pair: u32) {
        let b_in_a = self.pairs.begin(pair);
        let (a, b) = self.pairs.trees(pair);
        let mut state = PairState::new(a, b, &b_in_a, self.pairs.unit(pair), &self.search.settings);
        state.run = self.search.run;
        self.meter.spend(4);
        // An empty tree, or a pose that is not finite, touches nothing.
        let mut gaps = [f64::INFINITY; 8];
        if !state.is_finished {
            let mut whole = V::Volumes8::EMPTY;
            whole.set(0, &b.bounds);
            gaps = state.gaps_in_b(simd, &a.bounds, &whole);
            state.counters.volume_tests += 1;
        }
        let root = Entry { gap_sq: 0.0, pair, level: 0, a: ROOT, b: ROOT };
        let is_finished = state.is_finished;
        self.search.states.push(state);
        if !is_finished {
            self.queue_children(&root, &gaps, 1, &[(ROOT, ROOT); 8], 0);
        }
    }

    /// Opens a node, or tests two leaves.
    #[inline(always)]
    fn step<S: Simd>(&mut self, simd: S, entry: &Entry) {
        let (a, b) = self.pairs.trees(entry.pair);
        let Some(state) = self.search.states.get_mut(entry.pair as usize) else { return };
        if entry.a == ROOT {
            let (n_a, n_b) = (a.nodes.first().map_or(0, |n| n.len), b.nodes.first().map_or(0, |n| n.len));
            for lane_a in 0..n_a {
                self.open_in_b(simd, entry, lane_a, 0, n_b);
            }
            return;
        }
        let (Some((node_a, lane_a)), Some((node_b, lane_b))) =
            (resolve(&a.nodes, entry.a), resolve(&b.nodes, entry.b))
        else {
            return;
        };
        let (child_a, child_b) = (node_a.child[lane_a], node_b.child[lane_b]);
        let (leaf_a, leaf_b) = (child_a & LEAF != 0, child_b & LEAF != 0);
        if leaf_a && leaf_b {
            let (leaf_a, leaf_b) = (child_a & !LEAF, child_b & !LEAF);
            let n = a.leaf(leaf_a).primitives.len() * b.leaf(leaf_b).primitives.len();
            state.counters.leaves += 1;
            state.counters.primitives += n as u64;
            self.meter.spend(n as u32);
            let within = state.within(&self.search.settings);
            let distance = self.pairs.distance(&LeafPair { pair: entry.pair, leaf_a, leaf_b, within });
            self.record_distance(entry, distance, within);
        } else if !leaf_b && (leaf_a || node_a.volumes.size(lane_a) <= node_b.volumes.size(lane_b)) {
            let len = b.nodes.get(child_b as usize).map_or(0, |n| n.len);
            self.open_in_b(simd, entry, entry.a, child_b, len);
        } else {
            let Some(inside) = a.nodes.get(child_a as usize) else { return };
            let (gaps, len) =
                (state.gaps_in_a(simd, &node_b.volumes.get(lane_b), &inside.volumes), inside.len);
            let mut children = [(0, entry.b); 8];
            for lane in 0..8 {
                children[lane as usize].0 = child_a * 8 + lane;
            }
            self.count(entry.pair, len);
            self.queue_children(entry, &gaps, len, &children, 1);
        }
    }

    /// Tests a volume of A against those in a node of B.
    #[inline(always)]
    fn open_in_b<S: Simd>(&mut self, simd: S, entry: &Entry, ref_a: u32, opened: u32, len: u32) {
        let (a, b) = self.pairs.trees(entry.pair);
        let Some(state) = self.search.states.get(entry.pair as usize) else { return };
        let Some(inside) = b.nodes.get(opened as usize) else { return };
        let gaps = state.gaps_in_b(simd, &volume_of(a, ref_a), &inside.volumes);
        let mut children = [(ref_a, 0); 8];
        for lane in 0..8 {
            children[lane as usize].1 = opened * 8 + lane;
        }
        self.count(entry.pair, len);
        self.queue_children(entry, &gaps, len, &children, 1);
    }

    /// Counts an opened node.
    #[inline(always)]
    fn count(&mut self, pair: u32, n_volumes: u32) {
        self.meter.spend(1);
        let Some(state) = self.search.states.get_mut(pair as usize) else { return };
        state.counters.nodes += 1;
        state.counters.volume_tests += u64::from(n_volumes);
    }

    /// Queues those of the first `len` children of an entry that may still matter, near ones
    /// first. `gaps` has lower bounds of their squared distances.
    #[inline(always)]
    fn queue_children(
        &mut self,
        entry: &Entry,
        gaps: &[f64; 8],
        len: u32,
        children: &[(u32, u32); 8],
        deeper: u32,
    ) {
        let (a, b) = self.pairs.trees(entry.pair);
        let settings = &self.search.settings;
        let Some(state) = self.search.states.get_mut(entry.pair as usize) else { return };
        // Insertion sort; equal bounds keep the order of the lanes.
        let mut order = [*entry; 8];
        let mut n = 0;
        for lane in 0..len as usize & 15 {
            let (gap_sq, (a, b)) = (gaps[lane & 7].max(entry.gap_sq), children[lane & 7]);
            let mut index = n;
            while 0 < index && gap_sq < order[(index - 1) & 7].gap_sq {
                order[index & 7] = order[(index - 1) & 7];
                index -= 1;
            }
            order[index & 7] = Entry { gap_sq, a, b, level: entry.level + deeper, pair: entry.pair };
            n += 1;
        }
        if 0 < n && (settings.goal == AnytimeGoal::Distance || entry.level == 0) {
            let farthest = state.farthest(&volume_of(a, order[0].a), &volume_of(b, order[0].b));
            state.upper = state.upper.min(farthest);
            state.limit_to(state.within(settings));
        }
        let mut keys = [0.0; 8];
        let mut n_open = 0;
        for child in &order[..n & 15] {
            n_open += usize::from(state.is_open(child.gap_sq));
            if !state.is_open(child.gap_sq) {
                state.refute(child.gap_sq);
            }
        }
        if settings.order == AnytimeOrder::Priority {
            for (key, child) in keys.iter_mut().zip(&order[..n_open & 15]) {
                let Some(state) = self.search.states.get(child.pair as usize) else { return };
                let (a, b) = self.pairs.trees(child.pair);
                let undecided = Undecided {
                    pair: child.pair,
                    level: child.level,
                    gap: state.length_below(child.gap_sq),
                    volume_a: volume_of(a, child.a),
                    volume_b: volume_of(b, child.b),
                };
                *key = self.pairs.priority(&undecided);
            }
        }
        self.search.queue.push(&order[..n_open & 15], &keys);
    }

    /// Records the caller's result for two leaves.
    #[inline(always)]
    fn record_distance(&mut self, entry: &Entry, distance: f64, within: f64) {
        let settings = &self.search.settings;
        let Some(state) = self.search.states.get_mut(entry.pair as usize) else { return };
        // NaN counts as no distance.
        let distance = if distance.is_nan() { f64::INFINITY } else { distance.max(0.0) };
        let at_least = if distance < f64::INFINITY { distance } else { within };
        state.tested_lower = state.tested_lower.min(at_least.max(state.length_below(entry.gap_sq)));
        if distance <= settings.max_distance {
            state.n_found += u64::from(distance < f64::INFINITY);
            state.best = state.best.min(distance);
            state.upper = state.upper.min(distance);
            state.limit_to(state.within(settings));
            state.is_finished |= match settings.goal {
                AnytimeGoal::Distance => distance <= 0.0,
                AnytimeGoal::Any => distance < f64::INFINITY,
                AnytimeGoal::All => false,
            };
        }
        if distance <= 0.0 {
            self.search.touching.push(*entry);
        }
    }
}
