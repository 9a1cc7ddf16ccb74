//! Updates the boxes of bodies in the broad phase, from their poses. The box of a fast or swift
//! body contains its whole path in the next step.
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference, 2013 (swept boxes of
//! bullets).

use crate::World;
#[cfg(feature = "parallel")]
use crate::par::{CHUNK_LENGTH, is_serial};
use crate::stats::Clock;
#[cfg(feature = "parallel")]
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::BroadPhase;
#[cfg(feature = "parallel")]
use carom_broad::ProxyId;
use carom_query::Shape;
use carom_response::BodyKind;
#[cfg(feature = "parallel")]
use rayon::prelude::*;

impl<B: BroadPhase> World<B> {
    /// Returns the box of a body.
    pub(crate) fn box_of(&self, index: usize, shape: &Shape) -> Aabb {
        self.bodies.bounds(&self.settings, self.last.dt).box_of(index, shape)
    }

    /// Updates the box of one body.
    pub(crate) fn refit(&mut self, index: usize) {
        if let (Some(proxy), Some(shape)) = (self.bodies.proxies[index], &self.bodies.shapes[index]) {
            let updated = self.broad.update(&[(proxy, self.box_of(index, shape))]);
            debug_assert!(updated.is_ok(), "the broad phase refused a box: {updated:?}");
        }
        self.bodies.is_stale[index] = true;
        self.contacts.is_changed = true;
    }

    /// Expands the boxes of fast bodies and of deforming meshes to contain their paths in a step of
    /// this length.
    pub(crate) fn expand_bounds(&mut self, dt: f32) {
        if dt == 0.0 {
            return;
        }
        self.expand_bounds_of_fast(dt);
        self.expand_bounds_of_deforming();
    }

    /// Expands the boxes of fast bodies, and those of all awake bodies if the last step had
    /// another length.
    fn expand_bounds_of_fast(&mut self, dt: f32) {
        if core::mem::replace(&mut self.last.dt, dt) != dt {
            for slot in 0..self.bodies.active.awake().len() {
                self.expand_bounds_of(self.bodies.active.awake()[slot] as usize);
            }
        }
        self.continuous.find_fast(&self.bodies.traits);
        for slot in 0..self.continuous.fast.len() {
            let index = self.continuous.fast[slot] as usize;
            if self.bodies.motions[index].kind == BodyKind::Dynamic && !self.bodies.motions[index].is_sleeping
            {
                self.expand_bounds_of(index);
            }
        }
    }

    /// Expands the box of a fast or swift body after a change of its velocity. The box then
    /// contains its path in a step as long as the last one.
    pub(crate) fn expand_bounds_of(&mut self, index: usize) {
        let (Some(proxy), Some(shape)) = (self.bodies.proxies[index], &self.bodies.shapes[index]) else {
            return;
        };
        let aabb = self.box_of(index, shape);
        if self.broad.aabb(proxy).is_ok_and(|old| old != aabb) {
            // The box is always valid, because `clamped` bounds it.
            let updated = self.broad.update(&[(proxy, aabb)]);
            debug_assert!(updated.is_ok(), "the broad phase refused a box: {updated:?}");
            self.contacts.is_changed = true;
        }
    }

    /// Updates the boxes of the bodies that moved in this step, and marks these bodies as stale.
    pub(crate) fn refit_moved(&mut self, is_unlimited: bool) {
        let clock = Clock::start();
        let mut moves = core::mem::take(&mut self.contacts.scratch.moves);
        moves.clear();
        let bounds = self.bodies.bounds(&self.settings, self.last.dt);
        let refit = |&body: &u32| {
            let (proxy, shape) =
                (self.bodies.proxies[body as usize]?, self.bodies.shapes[body as usize].as_ref()?);
            Some((proxy, bounds.box_of(body as usize, shape)))
        };
        #[cfg(feature = "parallel")]
        refit_in_parts(self.bodies.active.moving(), &refit, &mut moves);
        #[cfg(not(feature = "parallel"))]
        moves.extend(self.bodies.active.moving().iter().filter_map(refit));
        for &body in self.bodies.active.moving() {
            self.bodies.is_stale[body as usize] = true;
        }
        self.contacts.is_changed |= !moves.is_empty();
        // The boxes are always valid, because `clamped` bounds them.
        let updated = self.broad.update(&moves);
        debug_assert!(updated.is_ok(), "the broad phase refused a box: {updated:?}");
        if is_unlimited {
            // With a budget, the next step does this before it selects bodies.
            self.broad.refresh();
        }
        self.contacts.scratch.moves = moves;
        self.last.stats.times.refit = clock.since_start();
    }
}

/// Collects the boxes of the moving bodies, in their order, on several threads.
#[cfg(feature = "parallel")]
fn refit_in_parts(
    active: &[u32],
    refit: &(impl Fn(&u32) -> Option<(ProxyId, Aabb)> + Sync),
    out: &mut Vec<(ProxyId, Aabb)>,
) {
    let first = if is_serial(active.len()) { None } else { refit(&active[0]) };
    let Some(any) = first else {
        out.extend(active.iter().filter_map(refit));
        return;
    };
    // Each thread writes to the final position. Tried: a list for each thread; as slow as one
    // thread.
    out.resize(active.len(), any);
    let fill = |(active, out): (&[u32], &mut [(ProxyId, Aabb)])| {
        active.iter().zip(out).all(|(body, out)| refit(body).map(|new| *out = new).is_some())
    };
    let has_all = active
        .par_chunks(CHUNK_LENGTH)
        .zip(out.par_chunks_mut(CHUNK_LENGTH))
        .map(fill)
        .reduce(|| true, |a, b| a & b);
    if !has_all {
        // A body has no box, so the entries behind it move up.
        out.clear();
        out.extend(active.iter().filter_map(refit));
    }
}
