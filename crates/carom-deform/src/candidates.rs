//! The search for pairs of features whose boxes touch.

use crate::bounds::TimeSpan;
use crate::counters::DeformCounters;
use crate::leaf_pairs::PairTest;
use crate::pair::{FeaturePair, PairKind, SURFACE_KINDS};
use crate::search::{FeatureSearch, Search, SearchKind, SearchTarget, half_margin, prepare};
use alloc::vec::Vec;

/// Pairs of a vertex and a face, and of two edges, whose boxes touch.
pub enum Candidates {}

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
