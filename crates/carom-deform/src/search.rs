//! The steps of every search: trees, pairs of leaves, pairs of features, and a test of each pair.
//!
//! - The trees are brought up to date. Their boxes are grown by half the distance, or swept over
//!   the step.
//! - One walk lists the pairs of leaves whose boxes touch.
//! - For each pair of leaves, each box of one leaf is tested against the eight of the other at
//!   once. Features that share a vertex are neighbours, and left out. Each pair comes once.
//! - The test of the kind of search decides about the remaining pairs, a chunk of leaf pairs at a
//!   time. So a search can stop after each chunk, resume later, and be shared by threads.
//! - The answers are joined in one fixed order, and sorted at the end.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.2 and 25.7; J. Dingliana,
//! C. O'Sullivan, Graceful Degradation of Collision Handling in Physically Based Animation, 2000
//! (searches that can be stopped).

use crate::bounds::TimeSpan;
use crate::cones::{ConeMemory, Cones};
use crate::counters::DeformCounters;
use crate::deformable::{DeformableMesh, Features, MAX_POSITION};
use crate::leaf_pairs::{CHUNK, LeafPairTest, PairTest, Side, Stage};
use crate::pair::{FeatureImpact, FeaturePair, NearPair, PairKind};
use crate::update::FollowingTree;
use crate::view::{Sides, View};
use alloc::vec::Vec;
use carom_bounds::Aabb8;
use carom_bvh::visit_leaf_pairs;
use carom_math::WidePose;
use core::ops::ControlFlow;

/// The memory of searches: keep one, and a search that is no larger than those before does not
/// allocate.
#[derive(Debug, Default)]
pub struct FeatureSearch {
    pub(crate) stages: Vec<StageMemory>,
    /// For vertices, edges and faces, of the first mesh and of the second.
    pub(crate) blocks: [Vec<Aabb8>; 6],
    pub(crate) pairs: Vec<[u32; 2]>,
    pub(crate) candidates: Vec<FeaturePair>,
    pub(crate) near: Vec<NearPair>,
    pub(crate) impacts: Vec<FeatureImpact>,
    pub(crate) cones: ConeMemory,
}

impl FeatureSearch {
    /// The search with another use of cones, [`Cones::Never`] by default. They speed up searches
    /// for crossings of smooth surfaces, and change no answer (test:
    /// `cones::cones_change_no_answer`).
    #[must_use]
    pub fn with_cones(mut self, cones: Cones) -> FeatureSearch {
        self.cones.cones = cones;
        self
    }
}

/// Pairs of leaves of two kinds of features.
#[derive(Debug)]
pub(crate) struct StageMemory {
    kind: PairKind,
    leaf_pairs: Vec<[u32; 2]>,
}

/// One mesh, or two: `&mut mesh`, or `(&mut a, &mut b)`.
pub trait SearchTarget<'a>: sealed::Sealed<'a> {}

impl<'a, S: sealed::Sealed<'a>> SearchTarget<'a> for S {}

pub(crate) mod sealed {
    use super::{Features, Sides, TimeSpan};

    /// How to prepare the trees of one or two meshes.
    pub trait Sealed<'a> {
        /// The thickness that counts between the two sides.
        fn thickness(&self) -> f64;
        /// Brings the trees of these features up to date.
        fn prepare(self, kinds: &[Features], over: TimeSpan, margin: f32) -> Sides<'a>;
    }
}

impl<'a, T: FollowingTree> sealed::Sealed<'a> for &'a mut DeformableMesh<T> {
    fn thickness(&self) -> f64 {
        f64::from(DeformableMesh::thickness(self))
    }

    fn prepare(self, kinds: &[Features], over: TimeSpan, margin: f32) -> Sides<'a> {
        let updates = self.complete(kinds, over, margin);
        let view = self.view();
        Sides { a: view, b: view, is_self: true, updates }
    }
}

impl<'a, T: FollowingTree, U: FollowingTree> sealed::Sealed<'a>
    for (&'a mut DeformableMesh<T>, &'a mut DeformableMesh<U>)
{
    fn thickness(&self) -> f64 {
        0.5 * (f64::from(DeformableMesh::thickness(self.0)) + f64::from(DeformableMesh::thickness(self.1)))
    }

    fn prepare(self, kinds: &[Features], over: TimeSpan, margin: f32) -> Sides<'a> {
        let updates = self.0.complete(kinds, over, margin) + self.1.complete(kinds, over, margin);
        Sides { a: self.0.view(), b: self.1.view(), is_self: false, updates }
    }
}

/// A search in progress. It borrows the mesh, so nothing moves meanwhile.
#[must_use = "a search does nothing until `run` or `finish` is called"]
pub struct Search<'a, Q: SearchKind> {
    pub(crate) run: Run<'a, Q::Judge<'a>>,
}

/// A kind of search: [`Candidates`](crate::Candidates), [`Within`](crate::Within),
/// [`Crossings`](crate::Crossings) or [`Impacts`](crate::Impacts).
pub trait SearchKind {
    /// One answer.
    type Answer: Copy + Send;
    #[doc(hidden)]
    type Judge<'a>: PairTest<Answer = Self::Answer>;
}

/// The result of a search.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SearchResult<'a, F> {
    /// Sorted by kind and numbers, each pair once.
    pub pairs: &'a [F],
    /// The cost of the search.
    pub counters: DeformCounters,
}

impl<'a, Q: SearchKind> Search<'a, Q> {
    /// Continues until about `budget` leaf pairs and candidates were tested. Returns whether the
    /// search is complete. The answer does not depend on how the budget is split (test:
    /// `budget::any_split_gives_the_same_answer`).
    pub fn run(&mut self, budget: u64) -> bool {
        self.run.run(budget)
    }

    /// Runs to the end and returns the answers.
    pub fn finish(mut self) -> SearchResult<'a, Q::Answer> {
        self.run.run(u64::MAX);
        let Run { found, counters, .. } = self.run;
        SearchResult { pairs: found, counters }
    }

    /// The answers found so far, in no order, each pair once.
    pub fn found_so_far(&self) -> &[Q::Answer] {
        self.run.found
    }

    /// The cost of the search so far.
    pub fn counters(&self) -> DeformCounters {
        self.run.counters
    }

    /// The fraction of the leaf pairs tested so far, from 0 to 1.
    pub fn progress(&self) -> f64 {
        self.run.progress()
    }
}

pub(crate) struct Run<'a, J: PairTest> {
    sides: Sides<'a>,
    blocks: &'a [Vec<Aabb8>; 6],
    stages: &'a [StageMemory],
    pair_test: J,
    pairs: &'a mut Vec<[u32; 2]>,
    found: &'a mut Vec<J::Answer>,
    counters: DeformCounters,
    /// The stage, and the leaf pair in it, that are next.
    stage: usize,
    next: usize,
    is_sorted: bool,
}

/// The two kinds of features of a kind of pairs.
fn features(kind: PairKind) -> [Features; 2] {
    match kind {
        PairKind::VertexFace => [Features::Vertices, Features::Faces],
        PairKind::FaceVertex => [Features::Faces, Features::Vertices],
        PairKind::EdgeEdge => [Features::Edges; 2],
        PairKind::FaceFace => [Features::Faces; 2],
    }
}

/// A search without its list of answers, whose type depends on the kind of search.
pub(crate) struct Prepared<'a> {
    pub(crate) sides: Sides<'a>,
    blocks: &'a [Vec<Aabb8>; 6],
    stages: &'a [StageMemory],
    pairs: &'a mut Vec<[u32; 2]>,
    counters: DeformCounters,
}

/// Returns the margin of each box for pairs up to this distance: half of it, rounded up.
pub(crate) fn half_margin(distance: f64) -> f32 {
    // Four times the largest position covers all of the mesh.
    let most = 4.0 * f64::from(MAX_POSITION);
    let half = 0.5 * if distance < most { distance } else { most };
    if 0.0 < half { carom_math::rounding::up(half) } else { 0.0 }
}

/// Brings the trees up to date, and lists the leaf pairs for these kinds of pairs.
pub(crate) fn prepare<'a>(
    memory: (&'a mut Vec<StageMemory>, &'a mut [Vec<Aabb8>; 6], &'a mut Vec<[u32; 2]>),
    subject: impl SearchTarget<'a>,
    kinds: &[PairKind],
    over: TimeSpan,
    margin: f32,
) -> Prepared<'a> {
    prepare_filtered(memory, subject, kinds, over, margin, |_, _, _| {})
}

/// Does the same as [`prepare`], with only those leaf pairs that `filter` keeps.
pub(crate) fn prepare_filtered<'a>(
    (stages, blocks, pairs): (&'a mut Vec<StageMemory>, &'a mut [Vec<Aabb8>; 6], &'a mut Vec<[u32; 2]>),
    subject: impl SearchTarget<'a>,
    kinds: &[PairKind],
    over: TimeSpan,
    margin: f32,
    mut filter: impl FnMut(&Sides<'a>, &mut Vec<[u32; 2]>, &mut DeformCounters),
) -> Prepared<'a> {
    let is_needed = |of: &Features| kinds.iter().any(|&kind| features(kind).contains(of));
    let all = [Features::Vertices, Features::Edges, Features::Faces];
    let mut needed = [Features::Vertices; 3];
    let mut n = 0;
    for of in all.into_iter().filter(is_needed) {
        needed[n] = of;
        n += 1;
    }
    let sides = subject.prepare(&needed[..n], over, margin);
    for &of in &needed[..n] {
        fill_blocks(&sides.a, of, &mut blocks[of as usize]);
        if !sides.is_self {
            fill_blocks(&sides.b, of, &mut blocks[3 + of as usize]);
        }
    }
    let mut counters = DeformCounters { updates: sides.updates, ..DeformCounters::default() };
    let mut n_stages = 0;
    for &kind in kinds {
        if sides.is_self && kind == PairKind::FaceVertex {
            continue;
        }
        if stages.len() <= n_stages {
            stages.push(StageMemory { kind, leaf_pairs: Vec::new() });
        }
        let stage = &mut stages[n_stages];
        stage.kind = kind;
        stage.leaf_pairs.clear();
        n_stages += 1;
        let [of_a, of_b] = features(kind);
        let (tree_a, tree_b) = (sides.a.trees[of_a as usize].0, sides.b.trees[of_b as usize].0);
        if sides.is_self && of_a == of_b {
            tree_a.visit_self_leaf_pairs(|a, b| {
                stage.leaf_pairs.push([a.index, b.index]);
                ControlFlow::Continue(())
            });
        } else {
            visit_leaf_pairs(tree_a, tree_b, &WidePose::IDENTITY, |a, b| {
                stage.leaf_pairs.push([a.index, b.index]);
                ControlFlow::Continue(())
            });
        }
        counters.leaf_pairs += stage.leaf_pairs.len() as u64;
        filter(&sides, &mut stage.leaf_pairs, &mut counters);
    }
    Prepared { sides, blocks, stages: &stages[..n_stages], pairs, counters }
}

fn fill_blocks(view: &View<'_>, of: Features, blocks: &mut Vec<Aabb8>) {
    let (tree, boxes) = view.trees[of as usize];
    blocks.clear();
    blocks.extend(tree.leaves().map(|leaf| {
        let mut block = Aabb8::EMPTY;
        for (lane, &feature) in leaf.primitives.iter().enumerate() {
            block.set(lane, &boxes[feature as usize]);
        }
        block
    }));
}

impl<'a> Prepared<'a> {
    pub(crate) fn start<J: PairTest>(self, pair_test: J, found: &'a mut Vec<J::Answer>) -> Run<'a, J> {
        let Prepared { sides, blocks, stages, pairs, counters } = self;
        found.clear();
        Run { sides, blocks, stages, pair_test, pairs, found, counters, stage: 0, next: 0, is_sorted: false }
    }
}

impl<'a, J: PairTest> Run<'a, J> {
    fn stage(&self) -> Option<Stage<'a>> {
        let memory = self.stages.get(self.stage)?;
        let [of_a, of_b] = features(memory.kind);
        let blocks_b = &self.blocks[of_b as usize + if self.sides.is_self { 0 } else { 3 }];
        Some(Stage {
            kind: memory.kind,
            a: Side { tree: self.sides.a.trees[of_a as usize].0, blocks: &self.blocks[of_a as usize] },
            b: Side { tree: self.sides.b.trees[of_b as usize].0, blocks: blocks_b },
            is_one_tree: self.sides.is_self && of_a == of_b,
            leaf_pairs: &memory.leaf_pairs,
        })
    }

    fn run(&mut self, budget: u64) -> bool {
        let mut spent = 0;
        while let Some(stage) = self.stage() {
            let rest = &stage.leaf_pairs[self.next..];
            if rest.is_empty() {
                (self.stage, self.next) = (self.stage + 1, 0);
                continue;
            }
            if budget <= spent {
                return false;
            }
            // With an unlimited budget, threads share all of it.
            let most = if budget == u64::MAX { rest.len() } else { CHUNK };
            let chunk = &rest[..rest.len().min(most)];
            let before = self.counters.candidates;
            let test = LeafPairTest { pair_test: &self.pair_test, sides: &self.sides, stage };
            test_leaf_pairs(&test, chunk, self.pairs, self.found, &mut self.counters);
            spent += chunk.len() as u64 + (self.counters.candidates - before);
            self.next += chunk.len();
        }
        if !self.is_sorted {
            self.found.sort_unstable_by_key(J::pair);
            self.is_sorted = true;
        }
        true
    }

    fn progress(&self) -> f64 {
        let all: usize = self.stages.iter().map(|stage| stage.leaf_pairs.len()).sum();
        let done: usize = self.stages[..self.stage].iter().map(|stage| stage.leaf_pairs.len()).sum();
        if all == 0 { 1.0 } else { (done + self.next) as f64 / all as f64 }
    }
}

/// Tests leaf pairs, on several threads if there are enough.
fn test_leaf_pairs<J: PairTest>(
    test: &LeafPairTest<'_, J>,
    leaf_pairs: &[[u32; 2]],
    pairs: &mut Vec<[u32; 2]>,
    found: &mut Vec<J::Answer>,
    counters: &mut DeformCounters,
) {
    #[cfg(feature = "parallel")]
    if crate::par::is_worthwhile(leaf_pairs.len()) {
        return crate::par::test_leaf_pairs(test, leaf_pairs, found, counters);
    }
    test.run(leaf_pairs, pairs, found, counters);
}
