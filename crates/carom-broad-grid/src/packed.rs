//! Boxes side by side, coordinate by coordinate, so that eight are tested at once.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 23.8 (structure of arrays).

use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_lanes::{Kernel, Simd, dispatch};
use glam::Vec3;

/// Places behind the last that may be read, and are not meant.
pub(crate) const PADDING: usize = 8;

/// Boxes by place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packed {
    /// Whose box it is.
    pub(crate) slots: Vec<u32>,
    /// Minima on the axes of the world, then maxima.
    pub(crate) sides: [Vec<f32>; 6],
    /// The number of places that are meant.
    pub(crate) n: usize,
}

impl Packed {
    /// Fetches the boxes of the first `n` slots.
    pub(crate) fn gather(&mut self, boxes: &[Aabb], n: usize) {
        self.n = n;
        self.slots.resize(n + PADDING, 0);
        for side in &mut self.sides {
            side.resize(n + PADDING, 0.0);
        }
        dispatch(Gather { boxes, slots: &self.slots[..n], sides: &mut self.sides });
    }

    /// The sides of the box at a place.
    #[inline(always)]
    pub(crate) fn corners(&self, place: usize) -> ([f32; 3], [f32; 3]) {
        let [min_x, min_y, min_z, max_x, max_y, max_z] = &self.sides;
        ([min_x[place], min_y[place], min_z[place]], [max_x[place], max_y[place], max_z[place]])
    }

    /// What the boxes at these places fill.
    pub(crate) fn bounds(&self, begin: usize, end: usize) -> Aabb {
        let least = |side: usize| self.sides[side][begin..end].iter().copied().fold(f32::INFINITY, f32::min);
        let most =
            |side: usize| self.sides[side][begin..end].iter().copied().fold(f32::NEG_INFINITY, f32::max);
        Aabb { min: Vec3::new(least(0), least(1), least(2)), max: Vec3::new(most(3), most(4), most(5)) }
    }

    /// Bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        4 * (self.slots.capacity() + self.sides.iter().map(Vec::capacity).sum::<usize>())
    }
}

/// Copies the boxes to their places.
struct Gather<'a> {
    boxes: &'a [Aabb],
    slots: &'a [u32],
    sides: &'a mut [Vec<f32>; 6],
}

impl Kernel for Gather<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        const AHEAD: usize = 16;
        let Gather { boxes, slots, sides } = self;
        let n = slots.len();
        let [min_x, min_y, min_z, max_x, max_y, max_z] = sides;
        let (min_x, min_y, min_z) = (&mut min_x[..n], &mut min_y[..n], &mut min_z[..n]);
        let (max_x, max_y, max_z) = (&mut max_x[..n], &mut max_y[..n], &mut max_z[..n]);
        for place in 0..n {
            if let Some(&later) = slots.get(place + AHEAD) {
                simd.prefetch(boxes, later as usize);
            }
            let aabb = &boxes[slots[place] as usize];
            (min_x[place], min_y[place], min_z[place]) = (aabb.min.x, aabb.min.y, aabb.min.z);
            (max_x[place], max_y[place], max_z[place]) = (aabb.max.x, aabb.max.y, aabb.max.z);
        }
    }
}
