//! The pairs of trees of a timed search, as their owner sees them: which they are, where they are,
//! what is in the leaves.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6 (priorities: visibility,
//! eccentricity, distance).

use crate::tree::{Bvh, TreeVolume};
use carom_math::WidePose;

/// The pairs of trees that a search is about, and what only their owner can say of them.
pub trait TimedPairs<V: TreeVolume> {
    /// The trees of the pair with this number; asked at every step.
    fn trees(&self, pair: u32) -> (&Bvh<V>, &Bvh<V>);

    /// The pose of the second tree in the frame of the first, in the trees' coordinates; asked
    /// once, when the search comes to the pair.
    fn begin(&mut self, pair: u32) -> WidePose;

    /// The coordinates of the trees are lengths times this, a power of two: for meshes so large or
    /// small that `f32` would not do. All distances of this search are lengths. Asked once, after
    /// [`TimedPairs::begin`].
    fn unit(&self, _pair: u32) -> f64 {
        1.0
    }

    /// The least distance of two primitives of two leaves, 0 when two touch; `INFINITY` where all
    /// are farther apart than [`LeafPair::within`]. The search of a pair that is only about
    /// touching may answer 0 or `INFINITY`.
    fn distance(&mut self, leaves: &LeafPair) -> f64;

    /// How urgent it is to look into two volumes, for
    /// [`TimedOrder::Priority`](crate::TimedOrder::Priority): the largest number comes first, of
    /// equal ones the older; NaN comes last. Unless told otherwise, those that are nearest.
    fn priority(&mut self, undecided: &Undecided<V>) -> f64 {
        -undecided.gap
    }
}

/// Two leaves to be looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LeafPair {
    /// The number of the pair of trees.
    pub pair: u32,
    /// The number of a leaf of the first tree: see [`Bvh::leaf`].
    pub leaf_a: u32,
    /// The number of a leaf of the second tree.
    pub leaf_b: u32,
    /// Primitives farther apart than this do not matter any more.
    pub within: f64,
}

/// Two volumes whose contents may be near each other, or touch: nobody knows yet.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Undecided<V> {
    /// The number of the pair of trees.
    pub pair: u32,
    /// How many nodes were opened on the way from the roots.
    pub level: u32,
    /// Their contents are at least so far apart.
    pub gap: f64,
    /// The first, in the frame of its tree.
    pub volume_a: V,
    /// The second, in the frame of its tree.
    pub volume_b: V,
}

/// One pair of trees, for which the distance of two primitives is known as for
/// [`closest_pair`](crate::closest_pair).
#[derive(Clone, Debug)]
pub struct TimedPair<'t, V: TreeVolume, F> {
    a: &'t Bvh<V>,
    b: &'t Bvh<V>,
    b_in_a: WidePose,
    distance: F,
}

impl<'t, V: TreeVolume, F: FnMut(u32, u32, f64) -> Option<f64>> TimedPair<'t, V, F> {
    /// The pair of `a` and of `b` placed by `b_in_a`: `distance(primitive_a, primitive_b, bound)`
    /// gives the distance of two primitives, or `None` when it is above the bound.
    pub fn new(a: &'t Bvh<V>, b: &'t Bvh<V>, b_in_a: &WidePose, distance: F) -> TimedPair<'t, V, F> {
        TimedPair { a, b, b_in_a: *b_in_a, distance }
    }
}

impl<V: TreeVolume, F: FnMut(u32, u32, f64) -> Option<f64>> TimedPairs<V> for TimedPair<'_, V, F> {
    fn trees(&self, _: u32) -> (&Bvh<V>, &Bvh<V>) {
        (self.a, self.b)
    }

    fn begin(&mut self, _: u32) -> WidePose {
        self.b_in_a
    }

    fn distance(&mut self, leaves: &LeafPair) -> f64 {
        let (leaf_a, leaf_b) = (self.a.leaf(leaves.leaf_a), self.b.leaf(leaves.leaf_b));
        let mut least = f64::INFINITY;
        for &primitive_a in leaf_a.primitives {
            for &primitive_b in leaf_b.primitives {
                let bound = least.min(leaves.within);
                match (self.distance)(primitive_a, primitive_b, bound) {
                    Some(distance) if distance <= bound => least = distance,
                    _ => {}
                }
            }
        }
        least
    }
}
