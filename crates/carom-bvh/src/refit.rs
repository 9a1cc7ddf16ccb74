//! Follows primitives that have moved: new volumes bottom up, in one pass from the last node to the first.
//!
//! Reference: G. van den Bergen, Efficient Collision Detection of Complex Deformable Models using AABB Trees, 1997;
//! Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.7.

use crate::tree::{Bvh, BvhError, LEAF, check_box, check_boxes};
use carom_bounds::{Aabb, BoundingVolume};
use carom_lanes::{F32Lanes, Kernel, Simd, dispatch};
use glam::Vec3;

/// `CHECK`: the boxes have not been checked yet.
struct Refit<'a, F, const CHECK: bool> {
    tree: &'a mut Bvh<Aabb>,
    bounds: F,
}

impl Bvh<Aabb> {
    /// New bounds for all primitives, by their numbers. On an error the tree stays as it was.
    pub fn refit(&mut self, boxes: &[Aabb]) -> Result<(), BvhError> {
        if boxes.len() != self.len() {
            return Err(BvhError::WrongCount { expected: self.len(), given: boxes.len() });
        }
        check_boxes(boxes)?;
        dispatch(Refit::<_, false> {
            tree: self,
            bounds: |_, primitive| boxes.get(primitive as usize).copied().unwrap_or(Aabb::EMPTY),
        })
    }

    /// New bounds for all primitives from `bounds(place, number)`, where the place is that in
    /// [`Bvh::primitives`]: geometry kept in that order is read from front to back. The function is called once for
    /// each, from the last place to the first within a node.
    ///
    /// On an error every volume is new and the refused primitives are in none: refit again before asking.
    pub fn refit_with(&mut self, bounds: impl FnMut(u32, u32) -> Aabb) -> Result<(), BvhError> {
        dispatch(Refit::<_, true> { tree: self, bounds })
    }
}

impl<F: FnMut(u32, u32) -> Aabb, const CHECK: bool> Kernel for Refit<'_, F, CHECK> {
    type Output = Result<(), BvhError>;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> Result<(), BvhError> {
        let Bvh { nodes, leaf_starts, primitives, bounds } = self.tree;
        let mut refused = Ok(());
        for i in (0..nodes.len()).rev() {
            let node = &mut nodes[i];
            let len = node.len;
            for lane in 0..len as usize & 15 {
                let child = node.child[lane & 7];
                if child & LEAF == 0 {
                    // Written when the child was met, later in the list.
                    continue;
                }
                let leaf = (child & !LEAF) as usize;
                let (first, end) = (leaf_starts[leaf], leaf_starts[leaf + 1]);
                let mut low = S::F32x4::splat(simd, f32::INFINITY);
                let mut high = S::F32x4::splat(simd, f32::NEG_INFINITY);
                let numbers = primitives.get(first as usize..end as usize).unwrap_or(&[]);
                for (place, &number) in (first..end).zip(numbers) {
                    let aabb = (self.bounds)(place, number);
                    if CHECK && let Err(error) = check_box(&aabb, number as usize) {
                        refused = Err(error);
                        continue;
                    }
                    let (min, max) = (aabb.min, aabb.max);
                    low = low.min(S::F32x4::load(simd, &[min.x, min.y, min.z, 0.0]));
                    high = high.max(S::F32x4::load(simd, &[max.x, max.y, max.z, 0.0]));
                }
                let ([x, y, z, _], [u, v, w, _]) = (low.to_array(), high.to_array());
                node.volumes.set(lane, &Aabb { min: Vec3::new(x, y, z), max: Vec3::new(u, v, w) });
            }
            let all = node.volumes.union_lanes(simd);
            if i == 0 {
                *bounds = all;
            } else {
                let (parent, lane) = (node.parent as usize / 8, node.parent as usize % 8);
                if let Some(parent) = nodes.get_mut(parent) {
                    parent.volumes.set(lane, &all);
                }
            }
        }
        refused
    }
}
