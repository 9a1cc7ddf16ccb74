//! Quantized boxes of children, on a grid of 256 planes per axis in each node: 96 bytes instead of
//! 256.
//!
//! Plane q of an axis is `origin + q * step` in `f32`. The origin is the minimum of the children
//! and the step a power of two. So the product is exact and only the sum rounds.
//!
//! Each decoded box contains the child's box, and has the same bits on every machine. Proof: the
//! builder computes the plane of a byte exactly as walks do. It moves the byte until the plane is
//! not inside the child's box. Such a byte exists, because plane 0 is the minimum itself and plane
//! 255 is at or above the maximum. So walks through decoded boxes are conservative too.
//!
//! Reference: J. Mahovsky, B. Wyvill, Memory-Conserving Bounding Volume Hierarchies with Coherent
//! Raytracing, 2006; H. Ylitie, T. Karras, S. Laine, Efficient Incoherent Ray Traversal on GPUs
//! Through Compressed Wide BVHs, 2017, 3.1 (steps that are powers of two).
//! Differs: the choice of the byte includes the rounding of the sum, so no margin is needed.

use crate::node4::{enters_pairs, open_pairs};
use crate::ray_lanes::RayLanes;
use crate::tree::{Bvh, LEAF, Node8};
use crate::volumes::sealed::Sealed;
use crate::wide::WideNode;
use carom_bounds::{Aabb, Aabb8, BoundingVolume as _};
use carom_lanes::{F32Lanes, Simd, U32Lanes};
use core::borrow::Borrow;
use glam::Vec3;

/// A node of eight boxes with coordinates of one byte: 96 bytes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct QuantizedNode8 {
    grid: Grid,
    low: [[u8; 8]; 3],
    high: [[u8; 8]; 3],
    child: [u32; 8],
}

/// A node of four boxes with coordinates of one byte: 64 bytes, a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct QuantizedNode4 {
    grid: Grid,
    /// For each axis, four minimum coordinates, then four maximum ones.
    planes: [[u8; 8]; 3],
    child: [u32; 4],
}

/// A tree of boxes with coordinates of one byte, eight to a node. It needs the least memory (test:
/// `nodes::they_take_less_and_cost_little_more`).
pub type QuantizedBvh = Bvh<Aabb, QuantizedNode8>;

/// A tree of boxes with coordinates of one byte, four to a node; each node is a cache line.
pub type QuantizedBvh4 = Bvh<Aabb, QuantizedNode4>;

impl From<&Bvh<Aabb>> for QuantizedBvh {
    /// The same nodes and leaves, with the same numbers.
    fn from(tree: &Bvh<Aabb>) -> QuantizedBvh {
        Bvh {
            nodes: tree.nodes.iter().map(QuantizedNode8::pack).collect(),
            leaf_starts: tree.leaf_starts.clone(),
            primitives: tree.primitives.clone(),
            bounds: tree.bounds,
        }
    }
}

/// The grid of a node. It also holds the number of children, in a byte that padding would waste.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Grid {
    origin: [f32; 3],
    /// The exponents of the steps, as in the bits of an `f32`: 1 to 254.
    exponents: [u8; 3],
    n_children: u8,
}

impl Grid {
    /// The finest grid around the children of a node.
    fn around(node: &Node8<Aabb8>) -> Grid {
        let all = (0..node.len as usize & 15).fold(Aabb::EMPTY, |all, i| all.merged(&node.volumes.get(i)));
        // An unused node has no children.
        let all = if node.len == 0 { Aabb::from_point(Vec3::ZERO) } else { all };
        let mut grid = Grid { origin: all.min.to_array(), exponents: [1; 3], n_children: node.len as u8 };
        for k in 0..3 {
            // The step from a 256th of the extent is too small by at most one power of two. The
            // difference is rounded, which may make it two.
            let extent = (all.max[k] - all.min[k]) / 256.0;
            grid.exponents[k] = ((extent.to_bits() >> 23) as u8).clamp(1, 253);
            while grid.plane(k, 255) < all.max[k] && grid.exponents[k] < 254 {
                grid.exponents[k] += 1;
            }
        }
        grid
    }

    #[inline(always)]
    fn step(&self, axis: usize) -> f32 {
        f32::from_bits(u32::from(self.exponents[axis]) << 23)
    }

    /// The plane that a byte stands for.
    #[inline(always)]
    fn plane(&self, axis: usize, byte: u8) -> f32 {
        self.origin[axis] + f32::from(byte) * self.step(axis)
    }

    /// The planes of eight bytes, with the same bits as [`Grid::plane`].
    #[inline(always)]
    fn planes<S: Simd>(&self, simd: S, axis: usize, bytes: &[u8; 8]) -> S::F32x8 {
        let mut wide = [0; 8];
        for i in 0..8 {
            wide[i] = u32::from(bytes[i]);
        }
        let steps = S::U32x8::load(simd, &wide).to_f32() * S::F32x8::splat(simd, self.step(axis));
        S::F32x8::splat(simd, self.origin[axis]) + steps
    }

    /// The byte of a plane that is not above a coordinate of a child.
    fn below(&self, axis: usize, x: f32) -> u8 {
        // Rounds towards zero, and clamps to the range of a byte.
        let mut byte = ((x - self.origin[axis]) / self.step(axis)) as u8;
        while 0 < byte && x < self.plane(axis, byte) {
            byte -= 1;
        }
        byte
    }

    /// The byte of a plane that is not below a coordinate of a child.
    fn above(&self, axis: usize, x: f32) -> u8 {
        let mut byte = ((x - self.origin[axis]) / self.step(axis)) as u8;
        while byte < 255 && self.plane(axis, byte) < x {
            byte += 1;
        }
        byte
    }

    /// The box between planes, by its lowest and highest corner.
    fn aabb(&self, low: [u8; 3], high: [u8; 3]) -> Aabb {
        let corner = |bytes: [u8; 3]| {
            Vec3::new(self.plane(0, bytes[0]), self.plane(1, bytes[1]), self.plane(2, bytes[2]))
        };
        Aabb { min: corner(low), max: corner(high) }
    }
}

impl Sealed for QuantizedNode8 {}
impl Sealed for QuantizedNode4 {}

impl QuantizedNode8 {
    #[inline(always)]
    fn planes<S: Simd>(&self, simd: S) -> [[S::F32x8; 3]; 2] {
        let (grid, low, high) = (&self.grid, &self.low, &self.high);
        [
            [grid.planes(simd, 0, &low[0]), grid.planes(simd, 1, &low[1]), grid.planes(simd, 2, &low[2])],
            [grid.planes(simd, 0, &high[0]), grid.planes(simd, 1, &high[1]), grid.planes(simd, 2, &high[2])],
        ]
    }
}

impl WideNode<Aabb8> for QuantizedNode8 {
    const WIDTH: usize = 8;

    fn pack(node: &Node8<Aabb8>) -> QuantizedNode8 {
        let grid = Grid::around(node);
        let mut packed = QuantizedNode8 { grid, low: [[255; 8]; 3], high: [[0; 8]; 3], child: node.child };
        for lane in 0..node.len as usize & 15 {
            let aabb = node.volumes.get(lane);
            for k in 0..3 {
                packed.low[k][lane & 7] = grid.below(k, aabb.min[k]);
                packed.high[k][lane & 7] = grid.above(k, aabb.max[k]);
            }
        }
        packed
    }

    #[inline(always)]
    fn n_children(&self) -> u32 {
        u32::from(self.grid.n_children)
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

    #[inline(always)]
    fn volume(&self, lane: usize) -> Aabb {
        self.grid.aabb(self.low.map(|axis| axis[lane & 7]), self.high.map(|axis| axis[lane & 7]))
    }

    #[inline(always)]
    fn opened<S: Simd>(&self, simd: S) -> impl Borrow<Aabb8> {
        let [low, high] = self.planes(simd);
        Aabb8 {
            min: [low[0].to_array(), low[1].to_array(), low[2].to_array()],
            max: [high[0].to_array(), high[1].to_array(), high[2].to_array()],
        }
    }

    #[inline(always)]
    fn enters<S: Simd>(&self, simd: S, ray: &RayLanes<S>, t_max: f32) -> (u32, S::F32x8) {
        let [low, high] = self.planes(simd);
        let (near, far) = ray.slabs(simd, &low, &high, t_max);
        RayLanes::meets(simd, near, far)
    }
}

impl QuantizedNode4 {
    #[inline(always)]
    fn planes<S: Simd>(&self, simd: S) -> [S::F32x8; 3] {
        let (grid, planes) = (&self.grid, &self.planes);
        [grid.planes(simd, 0, &planes[0]), grid.planes(simd, 1, &planes[1]), grid.planes(simd, 2, &planes[2])]
    }
}

impl WideNode<Aabb8> for QuantizedNode4 {
    const WIDTH: usize = 4;

    fn pack(node: &Node8<Aabb8>) -> QuantizedNode4 {
        let grid = Grid::around(node);
        let mut packed = QuantizedNode4 { grid, planes: [[0; 8]; 3], child: [LEAF; 4] };
        for lane in 0..(node.len as usize).min(4) {
            let aabb = node.volumes.get(lane);
            for k in 0..3 {
                packed.planes[k][lane] = grid.below(k, aabb.min[k]);
                packed.planes[k][lane + 4] = grid.above(k, aabb.max[k]);
            }
            packed.child[lane] = node.child[lane];
        }
        packed
    }

    #[inline(always)]
    fn n_children(&self) -> u32 {
        u32::from(self.grid.n_children)
    }

    #[inline(always)]
    fn child(&self, lane: usize) -> u32 {
        self.child[lane & 3]
    }

    #[inline(always)]
    fn set_child(&mut self, lane: usize, child: u32) {
        self.child[lane & 3] = child;
    }

    #[inline(always)]
    fn volume(&self, lane: usize) -> Aabb {
        let lane = lane & 3;
        self.grid.aabb(self.planes.map(|axis| axis[lane]), self.planes.map(|axis| axis[lane + 4]))
    }

    #[inline(always)]
    fn opened<S: Simd>(&self, simd: S) -> impl Borrow<Aabb8> {
        open_pairs(simd, self.planes(simd))
    }

    #[inline(always)]
    fn enters<S: Simd>(&self, simd: S, ray: &RayLanes<S>, t_max: f32) -> (u32, S::F32x8) {
        enters_pairs(simd, self.planes(simd), ray, t_max)
    }
}
