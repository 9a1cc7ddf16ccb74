//! Pairs of features that touch or may touch during a step, with the times; and the largest part
//! of the step before any impact.
//!
//! Every vertex moves along a straight line from its previous position to the present one.
//! Candidates come from the whole step. First two cheap tests try to prove that a candidate stays
//! apart, then carom-ccd's certified search. A pair is left out only with a proof. So the result
//! contains every contact, and perhaps pairs that come within rounding of one.
//!
//! Reference: M. Li et al., Incremental Potential Contact, ACM TOG 39(4), 2020, 4.2 (the free
//! step); the search is that of carom-ccd's `Element`.

use crate::bounds::TimeSpan;
use crate::counters::DeformCounters;
use crate::cull::{Apart, edge_edge_stays_apart, vertex_face_stays_apart};
use crate::leaf_pairs::PairTest;
use crate::pair::{FeatureImpact, FeaturePair, PairKind, SURFACE_KINDS};
use crate::search::{FeatureSearch, Search, SearchKind, SearchResult, SearchTarget, half_margin, prepare};
use crate::view::Sides;
use alloc::vec::Vec;
use carom_ccd::{Element, ElementSettings, TimeOfImpact};

/// Pairs of a vertex and a face, and of two edges, that touch or may touch during the step.
pub enum Impacts {}

/// The part of a step that is free of impacts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FreeStep {
    /// The part of the step, from 0 to 1, before which nothing touches. This is proved for
    /// vertices on the exact straight lines. Positions rounded to `f32` in between are slightly
    /// off these lines.
    pub fraction: f64,
    /// The pair that ends it, the lowest of several; `None` if the whole step is free.
    pub pair: Option<FeaturePair>,
    /// The number of pairs that touch, or are not proved to be apart, at the very beginning.
    pub n_at_start: usize,
}

/// Keeps pairs that are not proved to stay apart.
pub struct ImpactTest<'a> {
    sides: Sides<'a>,
    reach: f64,
    settings: ElementSettings,
}

impl SearchKind for Impacts {
    type Answer = FeatureImpact;
    type Judge<'a> = ImpactTest<'a>;
}

impl FeatureSearch {
    /// Finds pairs of a vertex and a face, and of two edges, that touch or may touch during the
    /// step. They touch if they come as near as the thickness, or meet if it is 0. A pair without
    /// `Hit` or `Undecided` stays apart, by proof.
    pub fn impacts<'a>(&'a mut self, subject: impl SearchTarget<'a>) -> Search<'a, Impacts> {
        let reach = subject.thickness();
        let memory = (&mut self.stages, &mut self.blocks, &mut self.pairs);
        let prepared = prepare(memory, subject, &SURFACE_KINDS, TimeSpan::Step, half_margin(reach));
        let settings = ElementSettings::default().with_minimum_separation(reach);
        let pair_test = ImpactTest { sides: prepared.sides, reach, settings };
        Search { run: prepared.start(pair_test, &mut self.impacts) }
    }
}

impl SearchResult<'_, FeatureImpact> {
    /// Returns the largest part of the step, from its start, during which nothing touches.
    pub fn free_step(&self) -> FreeStep {
        let mut step = FreeStep { fraction: 1.0, pair: None, n_at_start: 0 };
        for impact in self.pairs {
            let until = impact.time.safe_until(1.0);
            step.n_at_start += usize::from(until <= 0.0);
            if until < step.fraction || (step.pair.is_none() && until == step.fraction) {
                (step.fraction, step.pair) = (until, Some(impact.pair));
            }
        }
        step
    }
}

impl PairTest for ImpactTest<'_> {
    type Answer = FeatureImpact;

    fn test(
        &self,
        kind: PairKind,
        pairs: &[[u32; 2]],
        found: &mut Vec<FeatureImpact>,
        counters: &mut DeformCounters,
    ) {
        let (a, b) = (&self.sides.a, &self.sides.b);
        for &[first, second] in pairs {
            let (apart, start, end) = match kind {
                PairKind::VertexFace | PairKind::FaceVertex => {
                    let ([vertex, face], v, f) = if kind == PairKind::VertexFace {
                        ([first, second], a, b)
                    } else {
                        ([second, first], b, a)
                    };
                    let corners = f.faces[face as usize];
                    let start = joined(v.at_start([vertex]), f.at_start(corners));
                    let end = joined(v.at([vertex]), f.at(corners));
                    (vertex_face_stays_apart(&start, &end, self.reach), start, end)
                }
                PairKind::EdgeEdge | PairKind::FaceFace => {
                    let (s, t) = (a.edges[first as usize], b.edges[second as usize]);
                    let start = joined(a.at_start(s), b.at_start(t));
                    let end = joined(a.at(s), b.at(t));
                    (edge_edge_stays_apart(&start, &end, self.reach), start, end)
                }
            };
            match apart {
                Some(Apart::ByAxis) => counters.apart_by_axis += 1,
                Some(Apart::BySign) => counters.apart_by_sign += 1,
                None => {
                    counters.exact_tests += 1;
                    let element = match kind {
                        PairKind::EdgeEdge | PairKind::FaceFace => Element::edge_edge(start, end),
                        PairKind::VertexFace | PairKind::FaceVertex => Element::vertex_face(start, end),
                    };
                    debug_assert!(element.is_ok(), "the mesh checks its positions: {element:?}");
                    let Ok(element) = element else { continue };
                    let time = element.time_of_impact(&self.settings);
                    if !matches!(time, TimeOfImpact::Clear(_)) {
                        found.push(FeatureImpact { pair: FeaturePair { kind, a: first, b: second }, time });
                    }
                }
            }
        }
    }

    fn pair(found: &FeatureImpact) -> FeaturePair {
        found.pair
    }
}

/// Vertices of A and then of B, four together.
#[inline]
fn joined<const N: usize, const M: usize, V: Copy + Default>(a: [V; N], b: [V; M]) -> [V; 4] {
    core::array::from_fn(|i| if i < N { a[i] } else { b[i - N] })
}
