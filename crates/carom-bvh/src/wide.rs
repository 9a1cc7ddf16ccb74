//! A node as the walks see it, whatever it is stored as: how many children there are, which, and
//! where.
//!
//! A node of any kind is opened into eight volumes side by side, so every walk is written once.
//! Kinds that know a shorter way for a ray take it.
//!
//! Reference: I. Wald, C. Benthin, S. Boulos, Getting Rid of Packets, 2008 (nodes of several
//! widths).

use crate::counters::Counters;
use crate::ray::RayLanes;
use crate::relative::Relative;
use crate::tree::{Bvh, Node8, TreeVolume};
use crate::volumes::{Volumes8, sealed::Sealed};
use carom_bounds::BoundingVolume as _;
use carom_lanes::{Simd, U32Lanes};
use core::borrow::Borrow;

/// A node of a tree, with places for up to eight children; W is what it is opened into. It is
/// implemented here.
pub trait WideNode<W: Volumes8>: Copy + core::fmt::Debug + Send + Sync + Sealed {
    /// How many children it has places for, at most 8.
    const WIDTH: usize;

    /// From a node of eight in which no more places are used than this kind has.
    fn pack(node: &Node8<W>) -> Self;

    /// A tree of such nodes, if they are those that trees are changed in.
    fn as_eight<V: TreeVolume<Volumes8 = W>>(tree: &mut Bvh<V, Self>) -> Option<&mut Bvh<V>> {
        let _ = tree;
        None
    }

    /// How many children it has: the lanes below this number.
    fn n_children(&self) -> u32;

    /// The number of a node, or `1 << 31` and that of a leaf; of no meaning for an unused lane.
    fn child(&self, lane: usize) -> u32;

    /// All children, side by side; of no meaning for unused lanes.
    #[inline(always)]
    fn children<S: Simd>(&self, simd: S) -> S::U32x8 {
        let mut children = [0; 8];
        for lane in 0..Self::WIDTH.min(8) {
            children[lane] = self.child(lane);
        }
        S::U32x8::load(simd, &children)
    }

    /// Another child.
    fn set_child(&mut self, lane: usize, child: u32);

    /// The reference to this node in its parent, if it is kept.
    fn parent(&self) -> Option<u32> {
        None
    }

    /// The volume of a child.
    fn volume(&self, lane: usize) -> W::Volume;

    /// The volumes of all children; unused lanes may hold anything.
    fn opened<S: Simd>(&self, simd: S) -> impl Borrow<W>;

    /// Which of two volumes is the larger: a length.
    #[inline(always)]
    fn size(&self, lane: usize) -> f32 {
        self.volume(lane).to_aabb().extents().element_sum()
    }

    /// The volume of a child in the frame of another tree.
    #[inline(always)]
    fn placed<S: Simd>(&self, _simd: S, lane: usize, relative: &Relative<W::Turn>) -> W::Placed {
        W::place(&self.volume(lane), relative)
    }

    /// Bit i: the ray may meet child i; and where it enters, at the latest. Bits of unused lanes
    /// may be anything.
    #[inline(always)]
    fn enters<S: Simd>(&self, simd: S, ray: &RayLanes<S>, t_max: f32) -> (u32, S::F32x8) {
        self.opened(simd).borrow().enters(simd, ray, t_max)
    }

    /// A bit for every child.
    #[inline(always)]
    fn used(&self) -> u32 {
        (1_u32 << self.n_children()) - 1
    }

    /// It is opened once more.
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
