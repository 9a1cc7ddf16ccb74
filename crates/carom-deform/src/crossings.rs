//! Pairs of faces that have a point in common at present, decided exactly: where a mesh passes
//! through itself or another.
//!
//! Faces that share a vertex are neighbours, and left out. Faces that coincide without a shared
//! vertex are found. On request, parts that `cones` proves to be free of crossings are left out.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.2.10; the exact test is
//! carom-geom's.

use crate::bounds::TimeSpan;
use crate::counters::DeformCounters;
use crate::leaf_pairs::PairTest;
use crate::pair::{FeaturePair, PairKind};
use crate::search::{FeatureSearch, Search, SearchKind, SearchTarget, prepare_filtered};
use crate::view::Sides;
use alloc::vec::Vec;
use carom_geom::tri_tri;

/// Pairs of faces that have a point in common.
pub enum Crossings {}

/// Keeps pairs that have a point in common.
pub struct CrossingTest<'a> {
    sides: Sides<'a>,
}

impl SearchKind for Crossings {
    type Answer = FeaturePair;
    type Judge<'a> = CrossingTest<'a>;
}

impl FeatureSearch {
    /// Finds pairs of faces that have a point in common at present, decided exactly. Touching
    /// counts, the thickness does not.
    pub fn crossings<'a>(&'a mut self, subject: impl SearchTarget<'a>) -> Search<'a, Crossings> {
        let memory = (&mut self.stages, &mut self.blocks, &mut self.pairs);
        let cones = &mut self.cones;
        let sift = |sides: &Sides<'a>, leaf_pairs: &mut _, counters: &mut _| {
            if sides.is_self {
                cones.sift(&sides.a, leaf_pairs, counters);
            }
        };
        let prepared = prepare_filtered(memory, subject, &[PairKind::FaceFace], TimeSpan::Now, 0.0, sift);
        let pair_test = CrossingTest { sides: prepared.sides };
        Search { run: prepared.start(pair_test, &mut self.candidates) }
    }
}

impl PairTest for CrossingTest<'_> {
    type Answer = FeaturePair;

    fn test(
        &self,
        kind: PairKind,
        pairs: &[[u32; 2]],
        found: &mut Vec<FeaturePair>,
        counters: &mut DeformCounters,
    ) {
        let (a, b) = (&self.sides.a, &self.sides.b);
        counters.exact_tests += pairs.len() as u64;
        for &[first, second] in pairs {
            let (s, t) = (a.at(a.faces[first as usize]), b.at(b.faces[second as usize]));
            if tri_tri::intersects(&s, &t) {
                found.push(FeaturePair { kind, a: first, b: second });
            }
        }
    }

    fn pair(found: &FeaturePair) -> FeaturePair {
        *found
    }
}
