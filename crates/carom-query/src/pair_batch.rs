//! Intersection tests of many pairs: sorted by kind, eight pairs at a time.
//!
//! A broad phase returns pairs of mixed kinds. After sorting, eight pairs of one kind run the same
//! arithmetic in SIMD lanes.
//!
//! Lanes of `f32` decide a pair only with a proof. A gap above a rounding bound proves that the
//! shapes are apart, an overlap above it that they touch. Pairs in between, within a
//! hundred-thousandth of their size, go to [`intersects`], and so do pairs of other kinds. So the
//! answers equal those of [`intersects`] (test: `pair_batch::answers_are_those_of_single_pairs`).
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.3.1 (lists of primitives,
//! sorted for SIMD).

mod boxes;
mod gather;
mod round;
mod verdict;

pub use gather::PlacedPair;

use crate::kernel::{Shape, intersects};
use alloc::vec::Vec;
use carom_lanes::{Kernel, Simd, dispatch};
use verdict::Verdict;

/// The memory and the counters of [`intersects_batch`].
#[derive(Clone, Debug, Default)]
pub struct PairBatch {
    /// The indices of the pairs of each kind.
    by_kind: [Vec<u32>; KINDS.len()],
    n_by_lanes: usize,
}

impl PairBatch {
    /// Returns how many pairs of the last list were decided in lanes; the others went to
    /// [`intersects`].
    pub fn n_by_lanes(&self) -> usize {
        self.n_by_lanes
    }
}

/// The kinds of pairs that run in lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    TwoSpheres,
    SphereAndCuboid,
    /// One of the two may be a ball: a capsule of height zero.
    TwoCapsules,
    TwoCuboids,
}

const KINDS: [Kind; 4] = [Kind::TwoSpheres, Kind::SphereAndCuboid, Kind::TwoCapsules, Kind::TwoCuboids];

impl Kind {
    fn of(a: &Shape, b: &Shape) -> Option<Kind> {
        match (a, b) {
            (Shape::Sphere(_), Shape::Sphere(_)) => Some(Kind::TwoSpheres),
            (Shape::Sphere(_), Shape::Cuboid(_)) | (Shape::Cuboid(_), Shape::Sphere(_)) => {
                Some(Kind::SphereAndCuboid)
            }
            (Shape::Capsule(_), Shape::Capsule(_) | Shape::Sphere(_))
            | (Shape::Sphere(_), Shape::Capsule(_)) => Some(Kind::TwoCapsules),
            (Shape::Cuboid(_), Shape::Cuboid(_)) => Some(Kind::TwoCuboids),
            _ => None,
        }
    }
}

/// [`intersects`] for many pairs: replaces `out` by one answer for each, in their order.
///
/// Takes at most `u32::MAX` pairs. Once the memory has grown, a call does not allocate.
pub fn intersects_batch(pairs: &[PlacedPair<'_>], memory: &mut PairBatch, out: &mut Vec<bool>) {
    out.clear();
    out.resize(pairs.len(), false);
    memory.by_kind.iter_mut().for_each(Vec::clear);
    for (number, pair) in (0..).zip(pairs) {
        match Kind::of(pair.a, pair.b) {
            Some(kind) => memory.by_kind[kind as usize].push(number),
            None => out[number as usize] = is_hit(pair),
        }
    }
    memory.n_by_lanes = KINDS
        .iter()
        .map(|&kind| dispatch(OneKind { kind, numbers: &memory.by_kind[kind as usize], pairs, out }))
        .sum();
}

fn is_hit(pair: &PlacedPair<'_>) -> bool {
    intersects(pair.a, pair.pose_a, pair.b, pair.pose_b)
}

/// A kernel for all pairs of one kind. Its output is the number of pairs that were decided in
/// lanes.
struct OneKind<'a> {
    kind: Kind,
    numbers: &'a [u32],
    pairs: &'a [PlacedPair<'a>],
    out: &'a mut [bool],
}

impl Kernel for OneKind<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let mut n_decided = 0;
        for numbers in self.numbers.chunks(8) {
            let verdict = match self.kind {
                _ if numbers.len() < LEAST_LANES => Verdict { apart: 0, meet: 0 },
                Kind::TwoSpheres => round::two_spheres(simd, self.pairs, numbers),
                Kind::SphereAndCuboid => round::sphere_and_cuboid(simd, self.pairs, numbers),
                Kind::TwoCapsules => round::two_capsules(simd, self.pairs, numbers),
                Kind::TwoCuboids => boxes::two_cuboids(simd, self.pairs, numbers),
            };
            for (lane, &number) in numbers.iter().enumerate() {
                let (apart, meet) = (verdict.apart >> lane & 1 == 1, verdict.meet >> lane & 1 == 1);
                let is_decided = apart || meet;
                n_decided += usize::from(is_decided);
                self.out[number as usize] =
                    if is_decided { meet } else { is_hit(&self.pairs[number as usize]) };
            }
        }
        n_decided
    }
}

/// With fewer pairs of a kind, single tests were at least as fast for all kinds (bench
/// `pair_lists`).
const LEAST_LANES: usize = 3;
