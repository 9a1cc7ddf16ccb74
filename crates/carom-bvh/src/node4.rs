//! Four boxes to a node; the minimum and maximum planes share one register.
//!
//! The lower four lanes hold the minimum coordinates, the upper four the maximum ones. For a
//! backward ray the halves are swapped, so the lower half has the planes that are entered first. A
//! node takes half the work of a node of eight, for half as many boxes.
//!
//! Reference: H. Dammertz, J. Hanika, A. Keller, Shallow Bounding Volume Hierarchies for Fast SIMD
//! Ray Tracing of Incoherent Rays, 2008 (four children).
//! Differs: both planes of an axis at once, eight lanes for four boxes.

use crate::ray_lanes::RayLanes;
use crate::tree::{Bvh, LEAF, Node8};
use crate::volumes::{load3, sealed::Sealed};
use crate::wide::WideNode;
use carom_bounds::{Aabb, Aabb8};
use carom_lanes::{F32Lanes, MaskLanes, Simd};
use core::borrow::Borrow;
use glam::Vec3;

/// Four boxes: 128 bytes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct BoxNode4 {
    /// For each axis, four least coordinates, then four greatest ones.
    planes: [[f32; 8]; 3],
    child: [u32; 4],
    n_children: u32,
}

/// A tree of boxes in nodes of four.
pub type Bvh4 = Bvh<Aabb, BoxNode4>;

/// The four boxes of these planes as the first four of eight; the others have no meaning.
#[inline(always)]
pub(crate) fn open_pairs<S: Simd>(_simd: S, planes: [S::F32x8; 3]) -> Aabb8 {
    Aabb8 {
        min: [planes[0].to_array(), planes[1].to_array(), planes[2].to_array()],
        max: [
            planes[0].swap_halves().to_array(),
            planes[1].swap_halves().to_array(),
            planes[2].swap_halves().to_array(),
        ],
    }
}

/// Does the work of [`RayLanes::slabs`] and [`RayLanes::meets`] for the four boxes of these
/// planes.
#[inline(always)]
pub(crate) fn enters_pairs<S: Simd>(
    simd: S,
    planes: [S::F32x8; 3],
    ray: &RayLanes<S>,
    t_max: f32,
) -> (u32, S::F32x8) {
    let lower = S::Mask8::from_bits(simd, 15);
    // Only the lower half of `near` and the upper half of `far` have a meaning.
    let (mut near, mut far) = (ray.t_min, S::F32x8::splat(simd, t_max));
    for k in 0..3 {
        let ordered = if ray.is_backward[k] { planes[k].swap_halves() } else { planes[k] };
        let origin = S::F32x8::select(lower, ray.origin_near[k], ray.origin_far[k]);
        let inverse = S::F32x8::select(lower, ray.inverse_near[k], ray.inverse_far[k]);
        let t = (ordered - origin) * inverse;
        // A ray in the plane gives 0 times infinity, which is NaN. `max` and `min` then keep the
        // old value.
        near = t.max(near);
        far = t.min(far);
    }
    RayLanes::meets(simd, near, far.swap_halves())
}

impl Sealed for BoxNode4 {}

impl WideNode<Aabb8> for BoxNode4 {
    const WIDTH: usize = 4;

    fn pack(node: &Node8<Aabb8>) -> BoxNode4 {
        let mut packed = BoxNode4 { planes: [[0.0; 8]; 3], child: [LEAF; 4], n_children: node.len };
        for lane in 0..(node.len as usize).min(4) {
            let aabb = node.volumes.get(lane);
            for k in 0..3 {
                packed.planes[k][lane] = aabb.min[k];
                packed.planes[k][lane + 4] = aabb.max[k];
            }
            packed.child[lane] = node.child[lane];
        }
        packed
    }

    #[inline(always)]
    fn n_children(&self) -> u32 {
        self.n_children
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
        let (lane, [x, y, z]) = (lane & 3, &self.planes);
        Aabb {
            min: Vec3::new(x[lane], y[lane], z[lane]),
            max: Vec3::new(x[lane + 4], y[lane + 4], z[lane + 4]),
        }
    }

    #[inline(always)]
    fn opened<S: Simd>(&self, simd: S) -> impl Borrow<Aabb8> {
        open_pairs(simd, load3(simd, &self.planes))
    }

    #[inline(always)]
    fn enters<S: Simd>(&self, simd: S, ray: &RayLanes<S>, t_max: f32) -> (u32, S::F32x8) {
        enters_pairs(simd, load3(simd, &self.planes), ray, t_max)
    }
}
