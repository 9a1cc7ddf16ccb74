//! The features of pairs of leaves whose boxes touch, each pair once, without neighbours; and the
//! test of each.
//!
//! The boxes of a leaf are stored side by side, so one box is tested against eight at once. Two
//! features that share a vertex are neighbours: they are counted, not listed. The pairs found
//! depend on the boxes alone, not on the tree.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.13.1 and 25.7.

use crate::counters::DeformCounters;
use crate::pair::{FeaturePair, PairKind};
use crate::view::Sides;
use alloc::vec::Vec;
use carom_bounds::Aabb8;
use carom_bvh::Bvh;
use carom_lanes::{Kernel, Simd, dispatch};

/// Leaf pairs tested between two checks of the budget.
pub(crate) const CHUNK: usize = 64;

/// The test of candidates that a question needs.
pub trait PairTest: Sync {
    /// One answer.
    type Answer: Copy + Send;

    /// Tests candidates of one kind, and adds the answers.
    fn test(
        &self,
        kind: PairKind,
        pairs: &[[u32; 2]],
        found: &mut Vec<Self::Answer>,
        counters: &mut DeformCounters,
    );

    /// The pair by which answers are sorted.
    fn pair(found: &Self::Answer) -> FeaturePair;
}

/// The features of one side of a stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side<'a> {
    pub(crate) tree: &'a Bvh,
    /// The boxes of each leaf.
    pub(crate) blocks: &'a [Aabb8],
}

/// Pairs of leaves of two kinds of features, ready to be tested.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stage<'a> {
    pub(crate) kind: PairKind,
    pub(crate) a: Side<'a>,
    pub(crate) b: Side<'a>,
    /// The features of one tree with each other.
    pub(crate) is_one_tree: bool,
    pub(crate) leaf_pairs: &'a [[u32; 2]],
}

/// The test of the leaf pairs of one stage.
pub(crate) struct LeafPairTest<'a, J> {
    pub(crate) pair_test: &'a J,
    pub(crate) sides: &'a Sides<'a>,
    pub(crate) stage: Stage<'a>,
}

impl<J: PairTest> LeafPairTest<'_, J> {
    /// Finds the candidates of these leaf pairs, and tests each. `pairs` is scratch memory.
    pub(crate) fn run(
        &self,
        leaf_pairs: &[[u32; 2]],
        pairs: &mut Vec<[u32; 2]>,
        found: &mut Vec<J::Answer>,
        counters: &mut DeformCounters,
    ) {
        // The candidates of so few leaf pairs stay in the cache.
        for chunk in leaf_pairs.chunks(CHUNK) {
            pairs.clear();
            find(self.sides, &self.stage, chunk, pairs, counters);
            counters.candidates += pairs.len() as u64;
            self.pair_test.test(self.stage.kind, pairs, found, counters);
        }
    }
}

/// Adds the candidates of these leaf pairs, by the numbers that they have in answers.
fn find(
    sides: &Sides<'_>,
    stage: &Stage<'_>,
    leaf_pairs: &[[u32; 2]],
    out: &mut Vec<[u32; 2]>,
    counters: &mut DeformCounters,
) {
    match (stage.kind, sides.is_self) {
        (_, false) => visit_candidates(stage, leaf_pairs, out, counters, |_, _| false),
        (PairKind::VertexFace | PairKind::FaceVertex, true) => {
            let view = &sides.a;
            visit_candidates(stage, leaf_pairs, out, counters, |vertex, face| {
                let vertex = view.representative(view.vertices[vertex as usize]);
                view.faces[face as usize].iter().any(|&v| view.representative(v) == vertex)
            });
        }
        (PairKind::EdgeEdge, true) => {
            let edges = sides.a.edges;
            let of = |edge: u32| edges[edge as usize].map(|v| sides.a.representative(v));
            visit_candidates(stage, leaf_pairs, out, counters, |a, b| shares(of(a), of(b)));
        }
        (PairKind::FaceFace, true) => {
            let faces = sides.a.faces;
            let of = |face: u32| faces[face as usize].map(|v| sides.a.representative(v));
            visit_candidates(stage, leaf_pairs, out, counters, |a, b| shares(of(a), of(b)));
        }
    }
    // Up to here a vertex is its index in the list of surface vertices.
    match stage.kind {
        PairKind::VertexFace => out.iter_mut().for_each(|pair| pair[0] = sides.a.vertices[pair[0] as usize]),
        PairKind::FaceVertex => out.iter_mut().for_each(|pair| pair[1] = sides.b.vertices[pair[1] as usize]),
        PairKind::EdgeEdge | PairKind::FaceFace => {}
    }
}

#[inline]
fn shares<const N: usize>(a: [u32; N], b: [u32; N]) -> bool {
    let mut found = false;
    for v in a {
        for w in b {
            found |= v == w;
        }
    }
    found
}

fn visit_candidates(
    stage: &Stage<'_>,
    leaf_pairs: &[[u32; 2]],
    out: &mut Vec<[u32; 2]>,
    counters: &mut DeformCounters,
    shares: impl Fn(u32, u32) -> bool,
) {
    dispatch(CandidateKernel { stage, leaf_pairs, out, counters, shares });
}

struct CandidateKernel<'a, F> {
    stage: &'a Stage<'a>,
    leaf_pairs: &'a [[u32; 2]],
    out: &'a mut Vec<[u32; 2]>,
    counters: &'a mut DeformCounters,
    shares: F,
}

impl<F: Fn(u32, u32) -> bool> Kernel for CandidateKernel<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Stage { a, b, is_one_tree, .. } = *self.stage;
        let (mut n_tests, mut n_neighbours) = (0, 0);
        for &[leaf_a, leaf_b] in self.leaf_pairs {
            let (features_a, features_b) = (a.tree.leaf(leaf_a).primitives, b.tree.leaf(leaf_b).primitives);
            let (block_a, block_b) = (&a.blocks[leaf_a as usize], &b.blocks[leaf_b as usize]);
            let is_one_leaf = is_one_tree && leaf_a == leaf_b;
            n_tests += features_a.len() as u64;
            for (lane, &feature_a) in features_a.iter().enumerate() {
                let mut touching = block_b.overlaps_lanes(simd, &block_a.get(lane));
                if is_one_leaf {
                    // Keep only the features after this one.
                    touching &= !((2_u32 << lane) - 1);
                }
                while touching != 0 {
                    let feature_b = features_b[touching.trailing_zeros() as usize & 7];
                    touching &= touching - 1;
                    if (self.shares)(feature_a, feature_b) {
                        n_neighbours += 1;
                        continue;
                    }
                    let is_turned = is_one_tree && feature_b < feature_a;
                    self.out.push(if is_turned { [feature_b, feature_a] } else { [feature_a, feature_b] });
                }
            }
        }
        self.counters.box_tests += n_tests;
        self.counters.neighbours += n_neighbours;
    }
}
