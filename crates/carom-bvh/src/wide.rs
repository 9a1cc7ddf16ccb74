//! The interface of a node to the walks, for any storage: the number of children, their references
//! and volumes.
//!
//! A node of any kind is decoded to eight volumes side by side, so each walk is written once. Some
//! kinds have a faster test for rays.
//!
//! Reference: I. Wald, C. Benthin, S. Boulos, Getting Rid of Packets, 2008 (nodes of several
//! widths).

use crate::counters::Counters;
use crate::ray_lanes::RayLanes;
use crate::relative::Relative;
use crate::tree::{Bvh, Node8, TreeVolume};
use crate::volumes::{Volumes8, sealed::Sealed};
use carom_bounds::BoundingVolume as _;
use carom_lanes::{Simd, U32Lanes};
use core::borrow::Borrow;

/// A node of a tree, with slots for up to eight children. `W` is its decoded form. The trait is
/// sealed.
pub trait WideNode<W: Volumes8>: Copy + core::fmt::Debug + Send + Sync + Sealed {
    /// The number of slots, at most 8.
    const WIDTH: usize;

    /// Packs a node of eight slots, of which at most [`WideNode::WIDTH`] are used.
    fn pack(node: &Node8<W>) -> Self;

    /// The tree, if its nodes are [`Node8`], which can be changed; otherwise `None`.
    fn as_eight<V: TreeVolume<Volumes8 = W>>(tree: &mut Bvh<V, Self>) -> Option<&mut Bvh<V>> {
        let _ = tree;
        None
    }

    /// The number of children; they are in the lanes below this number.
    fn n_children(&self) -> u32;

    /// The number of a node, or `1 << 31` and that of a leaf; without meaning for an unused lane.
    fn child(&self, lane: usize) -> u32;

    /// All children, side by side; without meaning for unused lanes.
    #[inline(always)]
    fn children<S: Simd>(&self, simd: S) -> S::U32x8 {
        let mut children = [0; 8];
        for lane in 0..Self::WIDTH.min(8) {
            children[lane] = self.child(lane);
        }
        S::U32x8::load(simd, &children)
    }

    /// Replaces a child.
    fn set_child(&mut self, lane: usize, child: u32);

    /// The reference to this node in its parent, if this kind of node stores it.
    fn parent(&self) -> Option<u32> {
        None
    }

    /// The volume of a child.
    fn volume(&self, lane: usize) -> W::Volume;

    /// The volumes of all children; unused lanes may hold anything.
    fn opened<S: Simd>(&self, simd: S) -> impl Borrow<W>;

    /// A length that orders volumes by size.
    #[inline(always)]
    fn size(&self, lane: usize) -> f32 {
        self.volume(lane).to_aabb().extents().element_sum()
    }

    /// The volume of a child in the frame of another tree.
    #[inline(always)]
    fn placed<S: Simd>(&self, _simd: S, lane: usize, relative: &Relative<W::Turn>) -> W::Placed {
        W::to_frame(&self.volume(lane), relative)
    }

    /// Bit i: the ray may meet child i. Also returns lower bounds of its entry parameters. Bits of
    /// unused lanes may be anything.
    #[inline(always)]
    fn enters<S: Simd>(&self, simd: S, ray: &RayLanes<S>, t_max: f32) -> (u32, S::F32x8) {
        self.opened(simd).borrow().enters(simd, ray, t_max)
    }

    /// A mask with one bit for each child.
    #[inline(always)]
    fn used(&self) -> u32 {
        (1_u32 << self.n_children()) - 1
    }

    /// Counts an opened node.
    #[inline(always)]
    fn count(&self, counters: &mut Counters) {
        counters.nodes += 1;
        counters.volume_tests += u64::from(self.n_children());
    }
}

impl<W: Volumes8> Sealed for Node8<W> {}

impl<W: Volumes8> WideNode<W> for Node8<W> {
    const WIDTH: usize = 8;

    fn as_eight<V: TreeVolume<Volumes8 = W>>(tree: &mut Bvh<V>) -> Option<&mut Bvh<V>> {
        Some(tree)
    }

    #[inline(always)]
    fn pack(node: &Node8<W>) -> Node8<W> {
        *node
    }

    #[inline(always)]
    fn n_children(&self) -> u32 {
        self.len
    }

    #[inline(always)]
    fn child(&self, lane: usize) -> u32 {
        self.child[lane & 7]
    }

    #[inline(always)]
    fn children<S: Simd>(&self, simd: S) -> S::U32x8 {
        S::U32x8::load(simd, &self.child)
    }

    #[inline(always)]
    fn set_child(&mut self, lane: usize, child: u32) {
        self.child[lane & 7] = child;
    }

    fn parent(&self) -> Option<u32> {
        Some(self.parent)
    }

    #[inline(always)]
    fn volume(&self, lane: usize) -> W::Volume {
        self.volumes.get(lane & 7)
    }

    #[inline(always)]
    fn opened<S: Simd>(&self, _simd: S) -> impl Borrow<W> {
        &self.volumes
    }

    #[inline(always)]
    fn size(&self, lane: usize) -> f32 {
        self.volumes.size(lane & 7)
    }

    #[inline(always)]
    fn placed<S: Simd>(&self, simd: S, lane: usize, relative: &Relative<W::Turn>) -> W::Placed {
        self.volumes.placed(simd, lane & 7, relative)
    }

    #[inline(always)]
    fn enters<S: Simd>(&self, simd: S, ray: &RayLanes<S>, t_max: f32) -> (u32, S::F32x8) {
        self.volumes.enters(simd, ray, t_max)
    }
}
