//! A tree of fat boxes and the list of candidates found in it. Both are kept, and rebuilt when it
//! pays.
//!
//! If a box leaves its fat box, its lane is emptied; the levels above do not change. So the tree
//! does not degrade, and a jump of all boxes costs one rebuild.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.3 (dynamic trees with fat
//! boxes).
//! Differs: rebuilt instead of repaired; see [`VerletList`].

use crate::find::{Descent, Tasks, find_pairs};
use crate::order::SpatialOrder;
use crate::query;
use crate::tree::{NO_SLOT, Tree, WIDTH};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::{Aabb, Culling};
use carom_broad::{BoxHit, Mobility, PairBuffer, ProxyTable};
use carom_broad_coherent::{FatIndex, Residents, VerletList};
use carom_math::{Interval, Ray};
use core::ops::{ControlFlow, Range};

/// Boxes in a tree that is rebuilt when it pays; a [`BroadPhase`](carom_broad::BroadPhase) and a
/// [`SpatialIndex`](carom_broad::SpatialIndex).
///
/// Memory: 74 bytes per box (tree 33, ordering 41), beside that of [`VerletList`]. While a
/// list is replaced over several frames, the next tree takes 37 bytes more. If several threads
/// search, each keeps its result buffer.
pub type DynamicBvh = VerletList<FatTree>;

/// The index of [`DynamicBvh`].
#[derive(Clone, Debug, Default)]
pub struct FatTree {
    tree: Tree,
    /// By slot: the position in the tree.
    indices: Vec<u32>,
    order: SpatialOrder,
    descent: Descent,
    tasks: Tasks,
}

/// The tree is built in this many parts: keys on the curve, the sort, and the boxes of the blocks.
/// Each is a few passes over all boxes, of similar length.
const N_BUILD_PARTS: usize = 3;

impl FatTree {
    /// Builds one part. A box that became empty since the previous part is not in the tree.
    fn build_part(&mut self, part: usize, fat: &[Aabb], proxies: &ProxyTable) {
        let FatTree { tree, indices, order, .. } = self;
        match part {
            0 => {
                let is_there = |slot: usize| fat[slot].min.x <= fat[slot].max.x;
                let is_static = |slot: usize| proxies.filters()[slot].mobility == Mobility::Fixed;
                order.assign_keys(fat, is_there, is_static);
            }
            1 => tree.arrange(order),
            _ => {
                tree.fill(fat);
                indices.resize(fat.len(), 0);
                for (number, slot) in tree.slots.as_flattened_mut().iter_mut().enumerate() {
                    let Some(entry) = indices.get_mut(*slot as usize) else { continue };
                    *entry = number as u32;
                    if !tree.levels[0][number / WIDTH].has(number % WIDTH) {
                        *slot = NO_SLOT;
                    }
                }
            }
        }
    }
}

impl FatIndex for FatTree {
    fn rebuild(&mut self, fat: &[Aabb], proxies: &ProxyTable, _: bool) {
        (0..N_BUILD_PARTS).for_each(|part| self.build_part(part, fat, proxies));
    }

    fn rebuild_beside(&mut self, current: &mut FatTree, fat: &[Aabb], proxies: &ProxyTable, _: bool) {
        // One scratch memory is enough.
        core::mem::swap(&mut self.order, &mut current.order);
        self.rebuild(fat, proxies, false);
        core::mem::swap(&mut self.order, &mut current.order);
    }

    fn rebuild_part(
        &mut self,
        part: usize,
        current: &mut FatTree,
        fat: &[Aabb],
        proxies: &ProxyTable,
        _: bool,
    ) -> bool {
        core::mem::swap(&mut self.order, &mut current.order);
        self.build_part(part, fat, proxies);
        core::mem::swap(&mut self.order, &mut current.order);
        part + 1 == N_BUILD_PARTS
    }

    fn find(&mut self, _: Option<&FatTree>, eighths: Range<usize>, found: &mut PairBuffer) {
        let FatTree { tree, descent, tasks, .. } = self;
        find_pairs(tree, descent, tasks, eighths, found);
    }

    fn forget(&mut self, slot: u32) {
        self.tree.clear_lane(self.indices[slot as usize]);
    }

    fn visit_box(
        &self,
        residents: Residents<'_>,
        query: &Aabb,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        query::visit_box(&self.tree, residents.boxes(), query, visit)
    }

    fn visit_culled(
        &self,
        residents: Residents<'_>,
        classify: &mut dyn FnMut(&Aabb) -> Culling,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        query::visit_culled(&self.tree, residents.boxes(), classify, visit)
    }

    fn visit_ray(
        &self,
        residents: Residents<'_>,
        ray: &Ray,
        interval: Interval,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) -> ControlFlow<(), f32> {
        query::visit_ray(&self.tree, residents.boxes(), ray, interval, visit)
    }

    fn visit_near(
        &self,
        residents: Residents<'_>,
        point: glam::Vec3,
        max_distance: f32,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) -> ControlFlow<(), f32> {
        query::visit_near(&self.tree, residents.boxes(), point, max_distance, visit)
    }

    fn visit_volumes(&self, visit: &mut dyn FnMut(usize, &Aabb)) {
        self.tree.visit_volumes(visit);
    }

    fn bytes(&self) -> usize {
        let FatTree { tree, indices, order, descent, tasks } = self;
        tree.bytes() + 4 * indices.capacity() + order.bytes() + descent.bytes() + tasks.bytes()
    }

    fn validate(&self, residents: Residents<'_>) -> Result<(), String> {
        self.tree.validate(residents.boxes())?;
        let slots = self.tree.slots.as_flattened();
        for slot in residents.slots() {
            let index = self.indices[slot as usize] as usize;
            if slots.get(index) != Some(&slot) {
                return Err(format!("slot {slot} is not at place {index}"));
            }
        }
        let n_held = slots.iter().filter(|&&slot| slot != NO_SLOT).count();
        let n_residents = residents.slots().count();
        if n_held == n_residents {
            return Ok(());
        }
        Err(format!("{n_held} boxes in the tree, {n_residents} residents"))
    }
}

#[cfg(test)]
mod tests;
