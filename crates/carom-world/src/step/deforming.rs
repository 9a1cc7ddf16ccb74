//! Deforming meshes within a step: their boxes, the waking of bodies that they may reach, and the
//! exchange of the meshes after the solver.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, section 6.4.2 (refit of deforming
//! meshes).

use crate::World;
use crate::contacts::ContactSet;
use alloc::sync::Arc;
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_query::Shape;

impl<B: BroadPhase> World<B> {
    /// Expands the boxes of deforming meshes to contain the paths of their vertices in the step.
    pub(crate) fn expand_bounds_of_deforming(&mut self) {
        if !self.bodies.deforming.is_pending() {
            return;
        }
        let pending: Vec<u32> = self.bodies.deforming.pending().collect();
        for body in pending {
            let index = body as usize;
            let (Some(proxy), Some(shape)) = (self.bodies.proxies[index], &self.bodies.shapes[index]) else {
                continue;
            };
            let mut aabb = self.box_of(index, shape);
            if let Some(next) = self.bodies.deforming.next_of(body) {
                let end = self.box_of(index, &Shape::Mesh(next.clone()));
                (aabb.min, aabb.max) = (aabb.min.min(end.min), aabb.max.max(end.max));
            }
            let updated = self.broad.update(&[(proxy, aabb)]);
            debug_assert!(updated.is_ok(), "the broad phase refused a box: {updated:?}");
            self.bodies.is_stale[index] = true;
            self.contacts.is_changed = true;
        }
    }

    /// Wakes sleeping bodies that a mesh may reach in the step.
    pub(crate) fn wake_deformed(&mut self) {
        if !self.bodies.deforming.is_pending() {
            return;
        }
        let mut sleepers: Vec<u32> = Vec::new();
        let ContactSet { pairs_by_body, pairs, states, sleeping, manifolds, .. } = &mut self.contacts;
        for body in self.bodies.deforming.pending() {
            pairs_by_body.visit(pairs, body, |index| {
                let state = &states[index];
                let found = sleeping.manifolds_of(state).unwrap_or_else(|| &manifolds[state.range()]);
                if !state.is_sensor && !found.is_empty() {
                    let sleeps = |body: &u32| self.bodies.motions[*body as usize].is_sleeping;
                    sleepers.extend([state.a.index, state.b.index].into_iter().filter(sleeps));
                }
            });
        }
        if sleepers.is_empty() {
            return;
        }
        sleepers.into_iter().for_each(|sleeper| self.bodies.wake(sleeper as usize));
        self.bodies.active.apply_changes(&self.bodies.motions);
        self.contacts.collect_active_pairs(&self.bodies);
    }

    /// After the solver: replaces the meshes by the new ones.
    pub(crate) fn swap_deformed(&mut self) {
        let mut swapped = core::mem::take(&mut self.bodies.deforming.swapped);
        swapped.clear();
        swapped.extend(self.bodies.deforming.pending());
        for &body in &swapped {
            let Some(Shape::Mesh(old)) = &self.bodies.shapes[body as usize] else { continue };
            let Some(next) = self.bodies.deforming.take_next(body, old) else { continue };
            self.bodies.put_shape(body as usize, Some(Shape::Mesh(next)));
        }
        self.bodies.deforming.swapped = swapped;
    }

    /// At the end of a step: drops the caches of pairs with the old meshes, and refits or rebuilds
    /// their trees.
    pub(crate) fn end_deformation(&mut self) {
        let swapped = core::mem::take(&mut self.bodies.deforming.swapped);
        for &body in &swapped {
            let ContactSet { pairs_by_body, pairs, states, .. } = &mut self.contacts;
            pairs_by_body.visit(pairs, body, |index| states[index].has_cache = false);
            self.refit(body as usize);
            let Some(Shape::Mesh(now)) = &self.bodies.shapes[body as usize] else { continue };
            if let Some(rebuilt) = self.bodies.deforming.watch(body, now) {
                self.bodies.shapes[body as usize] = Some(Shape::Mesh(Arc::new(rebuilt)));
            }
        }
        self.bodies.deforming.swapped = swapped;
        self.bodies.deforming.swapped.clear();
    }
}
