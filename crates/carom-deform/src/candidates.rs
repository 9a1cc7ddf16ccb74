//! Pairs of features whose boxes touch, each once, without neighbours.
//!
//! The boxes of a leaf are stored side by side, so one box is tested against eight at once. Two
//! features that share a vertex are neighbours: they are counted, not listed. The pairs found
//! depend on the boxes alone, not on the tree.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.13.1 and 25.7.

use crate::bounds::TimeSpan;
use crate::counters::DeformCounters;
use crate::pair::{FeaturePair, PairKind};
use crate::search::{
    FeatureSearch, PairTest, Search, SearchKind, SearchTarget, Sides, Stage, half_margin, prepare,
};
use alloc::vec::Vec;
use carom_lanes::{Kernel, Simd, dispatch};

/// Pairs of a vertex and a face, and of two edges, whose boxes touch.
pub enum Candidates {}

/// The kinds of pairs with which two surfaces touch.
pub(crate) const SURFACE_KINDS: [PairKind; 3] =
    [PairKind::VertexFace, PairKind::FaceVertex, PairKind::EdgeEdge];

/// Every candidate is an answer.
#[derive(Debug)]
pub struct AcceptAll;

impl PairTest for AcceptAll {
    type Answer = FeaturePair;

    fn test(
        &self,
        kind: PairKind,
        pairs: &[[u32; 2]],
        found: &mut Vec<FeaturePair>,
        _counters: &mut DeformCounters,
    ) {
        found.extend(pairs.iter().map(|&[a, b]| FeaturePair { kind, a, b }));
    }

    fn pair(found: &FeaturePair) -> FeaturePair {
        *found
    }
}

impl SearchKind for Candidates {
    type Answer = FeaturePair;
    type Judge<'a> = AcceptAll;
}

impl FeatureSearch {
    /// Finds pairs of a vertex and a face, and of two edges, that may be within a distance of each
    /// other at present. Each box is grown by half of the distance and of the thickness, and a
    /// pair is found if its boxes touch. The distance is a length; negative and NaN count as 0.
    pub fn candidates_within<'a>(
        &'a mut self,
        subject: impl SearchTarget<'a>,
        max_distance: f32,
    ) -> Search<'a, Candidates> {
        let margin = half_margin(f64::from(max_distance.max(0.0)) + subject.thickness());
        self.candidates(subject, TimeSpan::Now, margin)
    }

    /// Finds pairs of a vertex and a face, and of two edges, that may touch during the step. Each
    /// box holds the feature during the whole step and is grown by half of the thickness, and a
    /// pair is found if its boxes touch.
    pub fn candidates_over_step<'a>(&'a mut self, subject: impl SearchTarget<'a>) -> Search<'a, Candidates> {
        let margin = half_margin(subject.thickness());
        self.candidates(subject, TimeSpan::Step, margin)
    }

    fn candidates<'a>(
        &'a mut self,
        subject: impl SearchTarget<'a>,
        over: TimeSpan,
        margin: f32,
    ) -> Search<'a, Candidates> {
        let memory = (&mut self.stages, &mut self.blocks, &mut self.pairs);
        let prepared = prepare(memory, subject, &SURFACE_KINDS, over, margin);
        Search { run: prepared.start(AcceptAll, &mut self.candidates) }
    }
}

/// Adds the candidates of these leaf pairs, by the numbers that they have in answers.
pub(crate) fn find(
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
