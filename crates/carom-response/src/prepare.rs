//! What is found out before a step is solved: who moves with whom, which manifolds are solved, in
//! which order, and what is known of them from the step before.
//!
//! Each part reads what the parts before it wrote and writes its own, so that those that do not
//! wait for each other may be done at once.
//!
//! Reference: E. Catto, Simulation Islands and Solver2D, box2d.org, 2023 and 2024.

use crate::body::{Body, BodyKind};
use crate::classes::Classes;
use crate::color::{Coloring, Sides};
use crate::contact::PairKey;
use crate::free::slot_of;
use crate::island::Islands;
use crate::joint::{Joint, MovingJoints};
use crate::kept::{KeptList, Stowed};
#[cfg(feature = "parallel")]
use crate::par as loops;
#[cfg(not(feature = "parallel"))]
use crate::pieces as loops;
use crate::rest::Touch;
use crate::summary::{NOT_MATCHED, Summary};
use crate::surface::{SurfaceVelocity, find_carried};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use carom_math::Real;

/// Islands with fewer bodies are solved to the end, and come to rest without help.
const MANY_BODIES: u32 = 4;

/// What all parts read.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    pub(crate) bodies: &'a [Body],
    pub(crate) joints: MovingJoints<'a>,
    /// Of all contacts.
    pub(crate) summaries: &'a [Summary],
    pub(crate) surfaces: &'a [SurfaceVelocity],
    /// The slot of each body; [`slot_of`] reads them.
    pub(crate) slots: &'a [u32],
    /// Who moves by force, by slot; and one more, what cannot move.
    pub(crate) is_active: &'a [bool],
}

impl Given<'_> {
    /// The slot of what cannot move.
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

    /// Finds which bodies move together. `settles` becomes which of them are in an island of many
    /// that comes to rest, `touches` what supports each, and `stirred` the numbers of those that a
    /// body pushes which moves by given velocities, or a surface carries: they have not been slow
    /// at all.
    pub(crate) fn find_islands(
        &self,
        islands: &mut Islands,
        settles: &mut Vec<bool>,
        stirred: &mut Vec<u32>,
        touches: &mut Vec<Touch>,
    ) {
        stirred.clear();
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
                stirred.push(b);
            } else if j < self.still() && !b_moves {
                stirred.push(a);
            }
        }
        find_carried(self.surfaces, self.summaries, self.bodies, stirred);
        islands.count(MANY_BODIES, settles);
        let drives = |joint: &&Joint| joint.has_turning_motor() || joint.has_turning_spring(self.bodies);
        for joint in self.joints.iter().filter(drives) {
            for slot in [joint.body_a, joint.body_b].map(|body| self.slot(body)) {
                if self.is_active[slot as usize] {
                    islands.drive(slot);
                }
            }
        }
        islands.leave_out_driven(settles);
        for slot in stirred.iter().map(|&body| self.slot(body)) {
            if let Some(settles) = settles.get_mut(slot as usize) {
                *settles = false;
            }
        }
    }

    /// The manifolds that something moves in, in their order, and those of them that bounce.
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

    /// Of each manifold in `active`, where it is in `kept`, to which what is known of sleepers is
    /// added. `h` is the length of the substep that `kept` belongs to, `left` is workspace.
    pub(crate) fn match_kept(
        &self,
        active: &[u32],
        (kept, h): (&mut KeptList, Real),
        asleep: &mut BTreeMap<u32, Stowed>,
        matched: &mut Vec<u32>,
        left: &mut Vec<u32>,
    ) {
        // Both lists are sorted: one walk.
        matched.resize(active.len(), NOT_MATCHED);
        left.clear();
        loops::match_kept(self.summaries, active, &kept.order, matched, left);
        let is_dynamic = |body: u32| self.bodies[body as usize].kind == BodyKind::Dynamic;
        let is_there = |body: u32| (body as usize) < self.bodies.len();
        let is_asleep = |body: u32| is_there(body) && is_dynamic(body) && !self.moves(body);
        let is_at_rest = |body: u32| is_there(body) && !self.moves(body);
        // What is known of a pair at rest of which one could move is kept until it does.
        for &old in left.iter() {
            let Some(kept) = kept.get(old) else { continue };
            let PairKey { body_a, body_b, .. } = kept.trace.key;
            if (is_asleep(body_a) || is_asleep(body_b)) && is_at_rest(body_a) && is_at_rest(body_b) {
                asleep.entry(if is_asleep(body_b) { body_b } else { body_a }).or_default().put(&kept, h);
            }
        }
        if asleep.is_empty() {
            return;
        }
        // Something moves by a sleeping body, and does not wake it.
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
                    *matched = kept.push(&known);
                    break;
                }
            }
        }
    }

    /// Colours the manifolds and lays them out eight by eight; false, and nothing is laid out, if
    /// there is one that nothing moves in.
    pub(crate) fn lay_out(&self, active: &[u32], coloring: &mut Coloring, classes: &mut Classes) -> bool {
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

/// Pairs that move together, if both can move, and how they touch.
fn touching(summaries: &[Summary], joints: MovingJoints<'_>) -> impl Iterator<Item = (u32, u32, Touch)> {
    let pairs = summaries.iter().filter(|summary| summary.touch != Touch::Apart);
    let pairs = pairs.map(|summary| (summary.key.body_a, summary.key.body_b, summary.touch));
    pairs.chain(joints.iter().map(|joint| (joint.body_a, joint.body_b, Touch::Touching)))
}
