//! The preparation of a step: islands, the manifolds to be solved, their order, and their cached
//! impulses.
//!
//! Each stage reads the output of the stages before it and writes only its own. So independent
//! stages may run in parallel.
//!
//! Reference: E. Catto, Simulation Islands and Solver2D, box2d.org, 2023 and 2024.

use crate::bodies::body::{Body, BodyKind};
use crate::bodies::free::slot_of;
use crate::contacts::contact::PairKey;
use crate::contacts::summary::{NOT_MATCHED, Summary};
use crate::contacts::surface::{SurfaceVelocity, find_carried};
use crate::impulses::cache::{ImpulseCache, SleepingImpulses};
use crate::impulses::classes::Classes;
use crate::impulses::color::{Coloring, Sides};
use crate::joints::joint::{Joint, MovingJoints};
use crate::sleep::island::Islands;
use crate::sleep::rest::Touch;
#[cfg(not(feature = "parallel"))]
use crate::step::chunks as backend;
#[cfg(feature = "parallel")]
use crate::step::par as backend;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use carom_math::Real;

/// The least number of bodies of an island that is braked. Smaller islands converge in a step, and
/// come to rest without braking.
const MANY_BODIES: u32 = 4;

/// The input of all stages.
#[derive(Clone, Copy)]
pub(crate) struct StepInput<'a> {
    pub(crate) bodies: &'a [Body],
    pub(crate) joints: MovingJoints<'a>,
    /// The summaries of the contacts, one for each.
    pub(crate) summaries: &'a [Summary],
    pub(crate) surfaces: &'a [SurfaceVelocity],
    /// The slot of each body; read by [`slot_of`].
    pub(crate) slots: &'a [u32],
    /// By slot: whether forces move the body. The last entry stands for bodies that cannot move.
    pub(crate) is_active: &'a [bool],
}

impl StepInput<'_> {
    /// Returns the slot of bodies that cannot move.
    fn still(&self) -> u32 {
        (self.is_active.len() - 1) as u32
    }

    fn slot(&self, body: u32) -> u32 {
        slot_of(self.slots, body, self.still())
    }

    fn moves(&self, body: u32) -> bool {
        self.is_active[self.slot(body) as usize]
    }

    fn movable(&self, body: u32) -> Option<u32> {
        let slot = self.slot(body);
        self.is_active[slot as usize].then_some(slot)
    }

    /// Finds the islands.
    ///
    /// - `settles`: by slot, whether the body is in a large island that comes to rest.
    /// - `touches`: by slot, how the body is supported.
    /// - `disturbed`: indices of bodies that touch a moving kinematic body or are carried by a
    ///   surface. Their rest times are reset.
    pub(crate) fn find_islands(
        &self,
        islands: &mut Islands,
        settles: &mut Vec<bool>,
        disturbed: &mut Vec<u32>,
        touches: &mut Vec<Touch>,
    ) {
        disturbed.clear();
        islands.begin(self.still() as usize);
        touches.clear();
        touches.resize(self.is_active.len(), Touch::Apart);
        for (a, b, touch) in touching(self.summaries, self.joints) {
            let (i, j) = (self.slot(a), self.slot(b));
            for slot in [i, j] {
                let deepest = &mut touches[slot as usize];
                *deepest = touch.max(*deepest);
            }
            let (a_moves, b_moves) = (self.is_active[i as usize], self.is_active[j as usize]);
            if a_moves && b_moves {
                islands.join(i, j);
            } else if i < self.still() && !a_moves {
                disturbed.push(b);
            } else if j < self.still() && !b_moves {
                disturbed.push(a);
            }
        }
        find_carried(self.surfaces, self.summaries, self.bodies, disturbed);
        islands.count(MANY_BODIES, settles);
        let is_powered = |joint: &&Joint| joint.has_turning_motor() || joint.has_turning_spring(self.bodies);
        for joint in self.joints.iter().filter(is_powered) {
            for slot in [joint.body_a, joint.body_b].map(|body| self.slot(body)) {
                if self.is_active[slot as usize] {
                    islands.mark_powered(slot);
                }
            }
        }
        islands.leave_out_powered(settles);
        for slot in disturbed.iter().map(|&body| self.slot(body)) {
            if let Some(settles) = settles.get_mut(slot as usize) {
                *settles = false;
            }
        }
    }

    /// Finds the manifolds with a moving body, sorted by key, and those of them that bounce.
    pub(crate) fn find_active(&self, active: &mut Vec<u32>, bouncing: &mut Vec<u32>) {
        active.clear();
        let is_active = |summary: &Summary| {
            let PairKey { body_a, body_b, .. } = summary.key;
            0 < summary.n_contacts && (self.moves(body_a) || self.moves(body_b))
        };
        for (k, summary) in self.summaries.iter().enumerate() {
            if is_active(summary) {
                active.push(k as u32);
            }
        }
        let key = |k: &u32| self.summaries[*k as usize].key;
        if !active.is_sorted_by_key(key) {
            active.sort_by_key(key);
        }
        let bounces = |k: &u32| self.summaries[*k as usize].bounces;
        bouncing.clear();
        bouncing.extend(active.iter().copied().filter(bounces));
    }

    /// For each manifold in `active`, finds its position in `cached`. Cached pairs of sleeping
    /// bodies that are needed are appended to `cached`. `h` is the length of the substep of
    /// `cached`. `unmatched` is workspace.
    pub(crate) fn match_cached(
        &self,
        active: &[u32],
        (cached, h): (&mut ImpulseCache, Real),
        asleep: &mut BTreeMap<u32, SleepingImpulses>,
        matched: &mut Vec<u32>,
        unmatched: &mut Vec<u32>,
    ) {
        // Both lists are sorted, so they are merged in one pass.
        matched.resize(active.len(), NOT_MATCHED);
        unmatched.clear();
        backend::match_cached(self.summaries, active, &cached.order, matched, unmatched);
        let is_dynamic = |body: u32| self.bodies[body as usize].kind == BodyKind::Dynamic;
        let is_there = |body: u32| (body as usize) < self.bodies.len();
        let is_asleep = |body: u32| is_there(body) && is_dynamic(body) && !self.moves(body);
        let is_at_rest = |body: u32| is_there(body) && !self.moves(body);
        // The impulses of a pair that does not move, with a dynamic body, are stored until the
        // pair moves again.
        for &old in unmatched.iter() {
            let Some(cached) = cached.get(old) else { continue };
            let PairKey { body_a, body_b, .. } = cached.manifold_key.key;
            if (is_asleep(body_a) || is_asleep(body_b)) && is_at_rest(body_a) && is_at_rest(body_b) {
                asleep.entry(if is_asleep(body_b) { body_b } else { body_a }).or_default().put(&cached, h);
            }
        }
        if asleep.is_empty() {
            return;
        }
        // A moving body may touch a sleeping one without waking it.
        for (&contact, matched) in active.iter().zip(matched) {
            let Summary { key, is_new, .. } = self.summaries[contact as usize];
            if *matched != NOT_MATCHED || !(is_asleep(key.body_a) || is_asleep(key.body_b)) {
                continue;
            }
            for sleeper in [key.body_a, key.body_b] {
                let Some(own) = asleep.get_mut(&sleeper) else { continue };
                if is_new {
                    own.forget(key);
                    continue;
                }
                if let Some(known) = own.take(key, h) {
                    *matched = cached.push(&known);
                    break;
                }
            }
        }
    }

    /// Colours the manifolds and builds groups of eight. Returns false, without groups, if no body
    /// moves in some manifold.
    pub(crate) fn build_groups(
        &self,
        active: &[u32],
        coloring: &mut Coloring,
        classes: &mut Classes,
    ) -> bool {
        let are_moved = coloring.color(self.still() as usize, active.len(), |k| {
            let Summary { key, n_contacts, .. } = self.summaries[active[k] as usize];
            Sides { movable: [self.movable(key.body_a), self.movable(key.body_b)], n_contacts }
        });
        if !are_moved {
            return false;
        }
        classes.n_blocks = coloring.n_blocks();
        classes.starts.clear();
        coloring.classes().for_each(|blocks| classes.starts.extend(blocks));
        classes.starts.push(coloring.n_groups() as u32);
        true
    }
}

/// Returns the pairs that contacts or joints connect, and how they touch.
fn touching(summaries: &[Summary], joints: MovingJoints<'_>) -> impl Iterator<Item = (u32, u32, Touch)> {
    let pairs = summaries.iter().filter(|summary| summary.touch != Touch::Apart);
    let pairs = pairs.map(|summary| (summary.key.body_a, summary.key.body_b, summary.touch));
    pairs.chain(joints.iter().map(|joint| (joint.body_a, joint.body_b, Touch::Touching)))
}
