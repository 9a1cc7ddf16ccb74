//! The pairs of trees of an anytime search, as callbacks: the trees, their poses, and the contents
//! of leaves.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6 (priorities: visibility,
//! eccentricity, distance).

use crate::tree::{Bvh, TreeVolume};
use carom_math::WidePose;

/// The pairs of trees of a search, and the callbacks about them.
pub trait AnytimePairs<V: TreeVolume> {
    /// The trees of the pair with this number. Called at each step.
    fn trees(&self, pair: u32) -> (&Bvh<V>, &Bvh<V>);

    /// The pose of the second tree in the frame of the first, in the trees' coordinates. Called
    /// once, when the search begins the pair.
    fn begin(&mut self, pair: u32) -> WidePose;

    /// The factor from lengths to the coordinates of the trees, a power of two; other than 1 for
    /// very large or small meshes. All distances of this search are lengths. Called once, after
    /// [`AnytimePairs::begin`].
    fn unit(&self, _pair: u32) -> f64 {
        1.0
    }

    /// The least distance of two primitives of two leaves, 0 if two touch. Return `INFINITY` if
    /// all are farther apart than [`LeafPair::within`]. If the goal is only touching, 0 or
    /// `INFINITY` is enough.
    fn distance(&mut self, leaves: &LeafPair) -> f64;

    /// The priority of two volumes, for [`AnytimeOrder::Priority`](crate::AnytimeOrder::Priority).
    /// The largest number comes first, NaN last. Ties go to the older pair of volumes. The default
    /// prefers the nearest.
    fn priority(&mut self, undecided: &Undecided<V>) -> f64 {
        -undecided.gap
    }
}

/// Two leaves to test.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LeafPair {
    /// The number of the pair of trees.
    pub pair: u32,
    /// The number of a leaf of the first tree: see [`Bvh::leaf`].
    pub leaf_a: u32,
    /// The number of a leaf of the second tree.
    pub leaf_b: u32,
    /// Primitives farther apart than this do not matter.
    pub within: f64,
}

/// Two volumes whose contents may be near each other, or touch; this is not decided.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Undecided<V> {
    /// The number of the pair of trees.
    pub pair: u32,
    /// The number of nodes opened on the path from the roots.
    pub level: u32,
    /// A lower bound of the distance of their contents.
    pub gap: f64,
    /// The first, in the frame of its tree.
    pub volume_a: V,
    /// The second, in the frame of its tree.
    pub volume_b: V,
}

/// One pair of trees with a distance function of primitives, as for
/// [`closest_pair`](crate::closest_pair).
#[derive(Clone, Debug)]
pub struct AnytimePair<'t, V: TreeVolume, F> {
    a: &'t Bvh<V>,
    b: &'t Bvh<V>,
    b_in_a: WidePose,
    distance: F,
}

impl<'t, V: TreeVolume, F: FnMut(u32, u32, f64) -> Option<f64>> AnytimePair<'t, V, F> {
    /// Creates the pair; `b_in_a` is the pose of `b` in the frame of `a`.
    /// `distance(primitive_a, primitive_b, bound)` returns the distance of two primitives, or
    /// `None` if it is above the bound.
    pub fn new(a: &'t Bvh<V>, b: &'t Bvh<V>, b_in_a: &WidePose, distance: F) -> AnytimePair<'t, V, F> {
        AnytimePair { a, b, b_in_a: *b_in_a, distance }
    }
}

impl<V: TreeVolume, F: FnMut(u32, u32, f64) -> Option<f64>> AnytimePairs<V> for AnytimePair<'_, V, F> {
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
