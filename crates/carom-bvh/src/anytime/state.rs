//! The state of one pair of trees in an anytime search, and bounds of the distances between their
//! volumes.
//!
//! Bounds are squares of lengths times a power of two, as in the other walks of two trees: see
//! [`crate::relative`].
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6; S. Quinlan, Efficient
//! Distance Computation between Non-Convex Objects, 1994 (bounds from above and below by balls).

use super::settings::{AnytimeGoal, AnytimeSettings};
use crate::counters::Counters;
use crate::distance::{WIDE_SLACK, gap_sq_wide};
use crate::relative::Relative;
use crate::scale::{UNIT, reach, size};
use crate::tree::{Bvh, TreeVolume};
use crate::visit_pairs::resolve;
use crate::volumes::Volumes8;
use carom_bounds::{Aabb, BoundingVolume};
use carom_lanes::{F32Lanes, Simd};
use carom_math::{WidePose, ops::sqrt};
use core::hash::{Hash, Hasher};

/// Stands for the volume around a whole tree.
pub(crate) const ROOT: u32 = u32::MAX;

/// The volume that a reference stands for.
#[inline(always)]
pub(crate) fn volume_of<V: TreeVolume>(tree: &Bvh<V>, reference: u32) -> V {
    match resolve(&tree.nodes, reference) {
        Some((node, lane)) => node.volumes.get(lane),
        None => tree.bounds,
    }
}

/// The state of a pair of trees.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairState {
    a_to_b: Relative,
    b_to_a: Relative,
    pub(crate) b_in_a: WidePose,
    a_in_b: WidePose,
    /// Tree coordinate = length times this.
    pub(crate) unit: f64,
    /// The slack of bounds in `f64`, a scaled length. `None` if the bounds are in `f32`.
    wide_slack: Option<f64>,
    pub(crate) stamp: u64,
    pub(crate) run: u32,
    pub(crate) is_finished: bool,
    /// Entries with a larger bound are refuted: the square of a scaled length.
    limit_sq: f64,
    /// The least distance that the caller has returned.
    pub(crate) best: f64,
    /// An upper bound of the distance.
    pub(crate) upper: f64,
    /// The least bound of the refuted entries: the square of a scaled length.
    pub(crate) refuted_sq: f64,
    /// A lower bound of the distances between the contents of the tested pairs of leaves, a
    /// length.
    pub(crate) tested_lower: f64,
    pub(crate) n_refuted: u64,
    pub(crate) n_found: u64,
    pub(crate) counters: Counters,
}

impl PairState {
    pub(crate) fn new<V: TreeVolume>(
        a: &Bvh<V>,
        b: &Bvh<V>,
        b_in_a: &WidePose,
        unit: f64,
        settings: &AnytimeSettings,
    ) -> PairState {
        let (bounds_a, bounds_b) = (a.bounds.to_aabb(), b.bounds.to_aabb());
        let is_somewhere = is_somewhere(b_in_a) && !a.is_empty() && !b.is_empty();
        let pose = if is_somewhere { *b_in_a } else { WidePose::IDENTITY };
        let (a_to_b, b_to_a) = Relative::both(&pose, &bounds_a, &bounds_b);
        let size = size(&pose, &bounds_a, &bounds_b);
        let extent = (bounds_a.extents().as_dvec3() + bounds_b.extents().as_dvec3()).element_sum();
        // For trees far apart the bounds must be more precise than `f32`. This slack covers the
        // rounding of the trees' boxes to `f32`.
        let rounded = (reach(&bounds_a) + reach(&bounds_b)) * b_to_a.wide_scale * f64::from(4.0 * UNIT);
        let mut state = PairState {
            a_to_b,
            b_to_a,
            b_in_a: pose,
            a_in_b: pose.inverse(),
            unit,
            wide_slack: (64.0 * extent < size).then_some(WIDE_SLACK + rounded),
            stamp: stamp(a, b),
            run: 0,
            is_finished: !is_somewhere,
            limit_sq: 0.0,
            best: f64::INFINITY,
            upper: f64::INFINITY,
            refuted_sq: f64::INFINITY,
            tested_lower: f64::INFINITY,
            n_refuted: 0,
            n_found: 0,
            counters: Counters::default(),
        };
        state.limit_to(settings.max_distance);
        state
    }

    /// The power of two that scales the bounds.
    #[inline(always)]
    fn scale(&self) -> f64 {
        self.b_to_a.wide_scale * self.unit
    }

    /// Entries farther apart than this length are refuted from now on.
    #[inline(always)]
    pub(crate) fn limit_to(&mut self, distance: f64) {
        let scaled = distance * self.scale();
        // False for a NaN.
        self.limit_sq =
            if 0.0 <= distance { scaled * scaled * (1.0 + 4.0 * f64::EPSILON) } else { f64::NEG_INFINITY };
    }

    /// Whether the contents of an entry with this bound may still matter.
    #[inline(always)]
    pub(crate) fn is_open(&self, gap_sq: f64) -> bool {
        !self.is_finished && gap_sq <= self.limit_sq
    }

    /// A lower bound of the length with this scaled square.
    pub(crate) fn length_below(&self, gap_sq: f64) -> f64 {
        sqrt(gap_sq) * (1.0 - 2.0 * f64::EPSILON) / self.scale()
    }

    /// Counts a refuted entry with this bound.
    #[inline(always)]
    pub(crate) fn refute(&mut self, gap_sq: f64) {
        self.n_refuted += u64::from(!self.is_finished);
        self.refuted_sq = self.refuted_sq.min(gap_sq);
    }

    /// The distance beyond which nothing matters, a length.
    #[inline(always)]
    pub(crate) fn within(&self, settings: &AnytimeSettings) -> f64 {
        match settings.goal {
            AnytimeGoal::Distance => settings.max_distance.min(self.upper),
            _ => settings.max_distance,
        }
    }

    /// Lower bounds of the squared distances between a volume of A and those in a node of B, in
    /// scaled lengths.
    #[inline(always)]
    pub(crate) fn gaps_in_b<S: Simd, W: Volumes8>(
        &self,
        simd: S,
        volume_a: &W::Volume,
        inside: &W,
    ) -> [f64; 8] {
        gaps(simd, volume_a, inside, &self.a_to_b, &self.a_in_b, self.wide_slack)
    }

    /// The same between a volume of B and those in a node of A.
    #[inline(always)]
    pub(crate) fn gaps_in_a<S: Simd, W: Volumes8>(
        &self,
        simd: S,
        volume_b: &W::Volume,
        inside: &W,
    ) -> [f64; 8] {
        gaps(simd, volume_b, inside, &self.b_to_a, &self.b_in_a, self.wide_slack)
    }

    /// An upper bound of the distance between the contents of two volumes: the distance of the
    /// centres of their balls, plus both radii.
    #[inline(always)]
    pub(crate) fn farthest<V: TreeVolume>(&self, volume_a: &V, volume_b: &V) -> f64 {
        let ((center_a, radius_a), (center_b, radius_b)) =
            (V::Volumes8::ball(volume_a), V::Volumes8::ball(volume_b));
        let apart = (self.b_in_a.transform_point(center_b) - center_a).length();
        let slack = f64::from(self.b_to_a.slack) / self.b_to_a.wide_scale;
        ((apart + radius_a + radius_b) * (1.0 + 8.0 * f64::EPSILON) + slack) / self.unit
    }
}

/// Lower bounds of the squared distances between a volume and those in a node, in scaled lengths.
#[inline(always)]
fn gaps<S: Simd, W: Volumes8>(
    simd: S,
    volume: &W::Volume,
    inside: &W,
    relative: &Relative,
    source_in_target: &WidePose,
    wide_slack: Option<f64>,
) -> [f64; 8] {
    let mut gaps = [0.0; 8];
    if let Some(slack) = wide_slack {
        let source = volume.to_aabb();
        for lane in 0..8 {
            let target = inside.get(lane).to_aabb();
            gaps[lane] = gap_sq_wide(&source, source_in_target, &target, relative.wide_scale, slack);
        }
        return gaps;
    }
    let narrow = inside.gap_sq(simd, &W::to_frame(volume, relative), relative).to_array();
    for lane in 0..8 {
        gaps[lane] = f64::from(narrow[lane]);
    }
    gaps
}

/// Whether the pose is finite, and its squares too.
fn is_somewhere(pose: &WidePose) -> bool {
    pose.rotation.is_finite() && pose.translation.abs().max_element() <= 1e300
}

/// A fast hash of two trees: their sizes, their bounds, and the outer volumes of their first and
/// last nodes.
pub(crate) fn stamp<V: TreeVolume>(a: &Bvh<V>, b: &Bvh<V>) -> u64 {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for tree in [a, b] {
        (tree.nodes.len(), tree.leaf_starts.len(), tree.len()).hash(&mut hash);
        let mut volume = |aabb: Aabb| {
            for x in aabb.min.to_array().into_iter().chain(aabb.max.to_array()) {
                x.to_bits().hash(&mut hash);
            }
        };
        volume(tree.bounds.to_aabb());
        let ends = [tree.nodes.first(), tree.nodes.last()];
        for node in ends.into_iter().flatten() {
            volume(node.volumes.get(0).to_aabb());
            volume(node.volumes.get(node.len.saturating_sub(1) as usize).to_aabb());
        }
    }
    hash.finish()
}

/// The FNV hash, on four bytes at a time.
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(u32::from(byte));
        }
    }

    fn write_u32(&mut self, word: u32) {
        self.0 = (self.0 ^ u64::from(word)).wrapping_mul(0x100_0000_01b3);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u32(word as u32);
    }
}
