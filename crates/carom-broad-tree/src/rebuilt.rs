//! A tree of boxes that is rebuilt in every frame by sorting, and searched for all pairs.
//!
//! Only the memory is kept, so the kind of motion does not matter. A frame in which all boxes jump
//! costs as much as one in which one box moves. All steps are passes over lists. With the feature
//! `parallel`, threads share all long passes.
//!
//! Reference: C. Lauterbach et al., Fast BVH Construction on GPUs, 2009, 3 (boxes sorted along a
//! curve are the leaves); T. Karras, Maximizing Parallelism in the Construction of BVHs, Octrees,
//! and k-d Trees, 2012 (levels without a walk from the top); Akenine-Moller et al., Real-Time
//! Rendering, 4th ed., 25.1.3.
//! Differs: Hilbert's curve instead of Morton's, eight children per node, and complete levels. The
//! position of the children follows from the number of the node, so no prefix hierarchy is needed;
//! see `order.rs` and `tree.rs`.

use crate::find::{Descent, Tasks, all_pairs};
use crate::order::SpatialOrder;
use crate::query;
use crate::tree::{NO_SLOT, Tree};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::{Aabb, Culling};
use carom_broad::{
    BoxHit, FinderIndex, FromFinder, Mobility, PairBuffer, PairFinder, ProxyChanges, ProxyTable,
};
use carom_math::{Interval, Ray};
use core::ops::ControlFlow;
use glam::Vec3;

/// A tree that is rebuilt after any change. It suits incoherent motion, boxes that come and go,
/// and many spatial queries after motion. For small motion, [`DynamicBvh`](crate::DynamicBvh) does
/// less work.
///
/// Memory: 75 bytes per box (tree 33, ordering 41), 16 more if one thread searches, beside that of
/// [`FromFinder`].
pub type RebuiltBvh = FromFinder<TreeMaker>;

/// The finder of [`RebuiltBvh`].
#[derive(Clone, Debug, Default)]
pub struct TreeMaker {
    tree: Tree,
    order: SpatialOrder,
    descent: Descent,
    tasks: Tasks,
}

impl PairFinder for TreeMaker {
    const SKIPS_STATICS: bool = true;

    fn refresh(&mut self, proxies: &ProxyTable, slots: &[u32], _: ProxyChanges) -> u64 {
        let TreeMaker { tree, order, .. } = self;
        let is_static = |slot: usize| proxies.filters()[slot].mobility == Mobility::Fixed;
        if slots.len() == proxies.n_live() {
            tree.rebuild(order, proxies.boxes(), |slot| proxies.is_live(slot), is_static);
        } else {
            let is_listed = |slot: usize| slots.binary_search(&(slot as u32)).is_ok();
            tree.rebuild(order, proxies.boxes(), is_listed, is_static);
        }
        1
    }

    fn find(&mut self, _: &ProxyTable, _: &[u32], found: &mut PairBuffer) {
        let TreeMaker { tree, descent, tasks, .. } = self;
        all_pairs(tree, descent, tasks, found);
    }

    fn index(&self, changes: ProxyChanges) -> Option<&dyn FinderIndex> {
        if changes.is_any() { None } else { Some(self) }
    }

    fn visit_volumes(&self, visit: &mut dyn FnMut(usize, &Aabb)) {
        self.tree.visit_volumes(visit);
    }

    fn bytes(&self) -> usize {
        self.tree.bytes() + self.order.bytes() + self.descent.bytes() + self.tasks.bytes()
    }

    fn validate(&self, proxies: &ProxyTable, slots: &[u32], changes: ProxyChanges) -> Result<(), String> {
        if changes.is_any() {
            return Ok(());
        }
        self.tree.validate(proxies.boxes())?;
        let mut held: Vec<u32> = self.tree.slots.as_flattened().to_vec();
        held.retain(|&slot| slot != NO_SLOT);
        held.sort_unstable();
        if held == slots {
            return Ok(());
        }
        Err(format!("{} boxes in the tree, {} live", held.len(), slots.len()))
    }
}

impl FinderIndex for TreeMaker {
    fn visit_box(&self, proxies: &ProxyTable, query: &Aabb, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        let _ = query::visit_box(&self.tree, proxies.boxes(), query, visit);
    }

    fn visit_culled(
        &self,
        proxies: &ProxyTable,
        classify: &mut dyn FnMut(&Aabb) -> Culling,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) {
        let _ = query::visit_culled(&self.tree, proxies.boxes(), classify, visit);
    }

    fn visit_ray(
        &self,
        proxies: &ProxyTable,
        ray: &Ray,
        interval: Interval,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) {
        let _ = query::visit_ray(&self.tree, proxies.boxes(), ray, interval, visit);
    }

    fn visit_near(
        &self,
        proxies: &ProxyTable,
        point: Vec3,
        max_distance: f32,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) {
        let _ = query::visit_near(&self.tree, proxies.boxes(), point, max_distance, visit);
    }
}
