//! The data of a tree: nodes of eight volumes, parents before children, leaves with ranges of
//! primitives.
//!
//! A node stores the volumes of its eight children side by side, so one query is tested against
//! all eight at once. A reference to a volume is `node * 8 + lane`. Primitives are in the order of
//! the leaves. A caller may store its own geometry in that order too.
//!
//! Reference: H. Dammertz, J. Hanika, A. Keller, Shallow Bounding Volume Hierarchies for Fast SIMD
//! Ray Tracing of Incoherent Rays, 2008; I. Wald, C. Benthin, S. Boulos, Getting Rid of Packets,
//! 2008.

use crate::volumes::Volumes8;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, dispatch};

/// Marks a child reference as the number of a leaf.
pub(crate) const LEAF: u32 = 1 << 31;

/// The parent of an unused node, which has no children.
pub(crate) const HOLE: u32 = u32::MAX;

/// The maximum absolute coordinate of tree boxes: 2^100. Products with rotations and short sums
/// then stay finite.
pub const MAX_COORDINATE: f32 = 1.267_650_6e30;

/// A tree over primitives, each given by its number and its bounds.
///
/// `V` is the volume of the nodes. [`Aabb`] builds and refits fastest. [`Obb`](carom_bounds::Obb)
/// separates close parallel surfaces best. [`Sphere`](carom_bounds::Sphere) is invariant under
/// rotation. [`KDop`](carom_bounds::KDop) is tight if little rotates. [`Rss`](carom_bounds::Rss)
/// and [`Lss`](carom_bounds::Lss) are made for distances.
///
/// `N` is the kind of nodes; the default is eight volumes. [`Bvh4`](crate::Bvh4),
/// [`QuantizedBvh`](crate::QuantizedBvh) and [`QuantizedBvh4`](crate::QuantizedBvh4) are trees of
/// boxes for queries only.
#[derive(Clone, Debug)]
pub struct Bvh<V: TreeVolume = Aabb, N = Node8<<V as TreeVolume>::Volumes8>> {
    pub(crate) nodes: Vec<N>,
    /// The start of each leaf in `primitives`, and one end.
    pub(crate) leaf_starts: Vec<u32>,
    /// The primitives' numbers in the order of the leaves.
    pub(crate) primitives: Vec<u32>,
    /// A volume around everything.
    pub(crate) bounds: V,
}

/// A volume for the nodes of trees.
pub trait TreeVolume: BoundingVolume {
    /// Eight of them, by component.
    type Volumes8: Volumes8<Volume = Self>;
}

/// A node of eight children, the default kind. Lanes `0..len` are used; the others are empty.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Node8<W> {
    pub(crate) volumes: W,
    /// The number of a node, or `LEAF` and the number of a leaf.
    pub(crate) child: [u32; 8],
    /// The reference to this node in its parent; without meaning in the root.
    pub(crate) parent: u32,
    pub(crate) len: u32,
}

impl<W: Volumes8> Node8<W> {
    pub(crate) const EMPTY: Node8<W> = Node8 { volumes: W::EMPTY, child: [LEAF; 8], parent: 0, len: 0 };

    /// The children in the used lanes.
    #[inline(always)]
    pub(crate) fn used_children(&self) -> &[u32] {
        &self.child[..self.len as usize & 15]
    }

    /// The children in the used lanes, to change them.
    #[inline(always)]
    pub(crate) fn used_children_mut(&mut self) -> &mut [u32] {
        &mut self.child[..self.len as usize & 15]
    }
}

/// A leaf of a tree: a few primitives that are near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Leaf<'a> {
    /// The number of the leaf, below [`Bvh::n_leaves`].
    pub index: u32,
    /// The index of its first primitive in [`Bvh::primitives`].
    pub first: u32,
    /// The numbers of its primitives; at least one, at most the maximum of the build.
    pub primitives: &'a [u32],
}

impl<V: TreeVolume> Bvh<V> {
    /// An empty tree; all queries find nothing.
    pub const fn empty() -> Bvh<V> {
        Bvh { nodes: Vec::new(), leaf_starts: Vec::new(), primitives: Vec::new(), bounds: V::EMPTY }
    }
}

impl<V: TreeVolume, N> Bvh<V, N> {
    /// Whether there is no primitive.
    pub fn is_empty(&self) -> bool {
        self.primitives.is_empty()
    }

    /// The number of primitives.
    pub fn len(&self) -> usize {
        self.primitives.len()
    }

    /// The number of leaves.
    pub fn n_leaves(&self) -> usize {
        self.leaf_starts.len().saturating_sub(1)
    }

    /// The number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// A volume around everything; `V::EMPTY` for an empty tree.
    pub fn bounds(&self) -> V {
        self.bounds
    }

    /// The primitives' numbers in the order of the leaves: a permutation of `0..len`.
    pub fn primitives(&self) -> &[u32] {
        &self.primitives
    }

    /// The leaf with this number; an empty leaf if there is none.
    #[inline]
    pub fn leaf(&self, index: u32) -> Leaf<'_> {
        let i = index as usize;
        let (Some(&first), Some(&end)) = (self.leaf_starts.get(i), self.leaf_starts.get(i + 1)) else {
            return Leaf { index, first: 0, primitives: &[] };
        };
        Leaf { index, first, primitives: self.primitives.get(first as usize..end as usize).unwrap_or(&[]) }
    }

    /// All leaves in their order.
    pub fn leaves(&self) -> impl Iterator<Item = Leaf<'_>> {
        (0..self.n_leaves() as u32).map(|i| self.leaf(i))
    }
}

impl<V: TreeVolume, N> Default for Bvh<V, N> {
    fn default() -> Bvh<V, N> {
        Bvh { nodes: Vec::new(), leaf_starts: Vec::new(), primitives: Vec::new(), bounds: V::EMPTY }
    }
}

/// Why a tree could not be built or refitted. The number is that of the first invalid primitive,
/// except for [`Bvh::refit_with`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BvhError {
    /// A bound is NaN or infinite.
    NotFinite {
        /// The primitive's number.
        primitive: usize,
    },
    /// On some axis the minimum lies above the maximum.
    Inverted {
        /// The primitive's number.
        primitive: usize,
    },
    /// A coordinate is beyond [`MAX_COORDINATE`]: scale the data by a power of two.
    TooLarge {
        /// The primitive's number.
        primitive: usize,
    },
    /// A corner names a point that does not exist.
    NoSuchPoint {
        /// The primitive's number.
        primitive: usize,
    },
    /// There are 2^28 primitives or more.
    TooMany,
    /// The number of primitives of a refit differs from that of the tree.
    WrongCount {
        /// The number in the tree.
        expected: usize,
        /// The number in the refit.
        given: usize,
    },
}

impl core::fmt::Display for BvhError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            BvhError::NotFinite { primitive } => {
                write!(f, "primitive {primitive} has a bound that is NaN or infinite")
            }
            BvhError::Inverted { primitive } => {
                write!(f, "primitive {primitive} has an inverted box: min > max")
            }
            BvhError::TooLarge { primitive } => {
                write!(f, "primitive {primitive} has a coordinate beyond 2^100; scale by a power of two")
            }
            BvhError::NoSuchPoint { primitive } => {
                write!(f, "primitive {primitive} has a corner whose point is not there")
            }
            BvhError::TooMany => write!(f, "2^28 primitives or more"),
            BvhError::WrongCount { expected, given } => {
                write!(f, "the tree has {expected} primitives, {given} were given")
            }
        }
    }
}

impl core::error::Error for BvhError {}

/// Checks the bounds of all primitives. The error names the first that is not allowed in a tree.
pub(crate) fn check_boxes(boxes: &[Aabb]) -> Result<(), BvhError> {
    if dispatch(AreInOrder { boxes }) {
        return Ok(());
    }
    for (i, aabb) in boxes.iter().enumerate() {
        check_box(aabb, i)?;
    }
    Ok(())
}

/// Whether no box has a NaN, is inverted or too large: all boxes at once, four lanes to a corner.
struct AreInOrder<'a> {
    boxes: &'a [Aabb],
}

impl Kernel for AreInOrder<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> bool {
        let zero = S::F32x4::splat(simd, 0.0);
        let mut range = Range { least: zero, most: zero, in_order: zero.le(zero) };
        for pair in self.boxes.windows(2) {
            range.add(simd, &pair[0], &pair[1]);
        }
        if let Some(last) = self.boxes.last() {
            range.add(simd, last, last);
        }
        are_in_order::<S>(simd, range.least, range.most, range.in_order | !S::Mask4::first(simd, 3))
    }
}

/// The minimum and maximum of boxes, and whether none is inverted.
struct Range<S: Simd> {
    least: S::F32x4,
    most: S::F32x4,
    in_order: S::Mask4,
}

impl<S: Simd> Range<S> {
    /// Adds a box with three loads of adjacent data; `after` is the next box in memory. The fourth
    /// lane of `low` and the first lane of the last load repeat other coordinates of this box.
    /// Only the fourth lane of `in_order` has no meaning.
    #[inline(always)]
    fn add(&mut self, simd: S, aabb: &Aabb, after: &Aabb) {
        let (min, max) = (aabb.min, aabb.max);
        let low = S::F32x4::load(simd, &[min.x, min.y, min.z, max.x]);
        let high = S::F32x4::load(simd, &[max.x, max.y, max.z, after.min.x]);
        // A NaN fails the comparison, whatever `min` returns for it.
        self.in_order = self.in_order & low.le(high);
        self.least = low.min(self.least);
        self.most = S::F32x4::load(simd, &[min.z, max.x, max.y, max.z]).max(self.most);
    }
}

/// The corners of a box, the fourth lanes 0.
#[inline(always)]
pub(crate) fn corners<S: Simd>(simd: S, aabb: &Aabb) -> (S::F32x4, S::F32x4) {
    let (min, max) = (aabb.min, aabb.max);
    (S::F32x4::load(simd, &[min.x, min.y, min.z, 0.0]), S::F32x4::load(simd, &[max.x, max.y, max.z, 0.0]))
}

/// Whether boxes with this minimum and maximum (over all boxes and 0) are allowed in a tree.
/// `in_order` says for each axis whether no box is inverted.
#[inline(always)]
pub(crate) fn are_in_order<S: Simd>(
    simd: S,
    least: S::F32x4,
    most: S::F32x4,
    in_order: <S::F32x4 as F32Lanes<4>>::Mask,
) -> bool {
    let limit = S::F32x4::splat(simd, MAX_COORDINATE);
    in_order.all() && (-limit).le(least).all() && most.le(limit).all()
}

/// Checks that the bounds of one primitive are allowed in a tree.
#[inline]
pub(crate) fn check_box(aabb: &Aabb, primitive: usize) -> Result<(), BvhError> {
    let (low, high) = (aabb.min, aabb.max);
    // Nine comparisons without a branch in the good case; NaN fails them.
    let in_order = (low.x <= high.x) & (low.y <= high.y) & (low.z <= high.z);
    let above = (-MAX_COORDINATE <= low.x) & (-MAX_COORDINATE <= low.y) & (-MAX_COORDINATE <= low.z);
    let below = (high.x <= MAX_COORDINATE) & (high.y <= MAX_COORDINATE) & (high.z <= MAX_COORDINATE);
    if in_order & above & below {
        return Ok(());
    }
    if !(aabb.min.is_finite() && aabb.max.is_finite()) {
        return Err(BvhError::NotFinite { primitive });
    }
    if !aabb.min.cmple(aabb.max).all() {
        return Err(BvhError::Inverted { primitive });
    }
    Err(BvhError::TooLarge { primitive })
}
