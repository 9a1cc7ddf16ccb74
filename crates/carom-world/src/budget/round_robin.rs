//! Round-robin selection of the bodies that move, if a budget does not suffice for all. The others
//! are suspended for the step.
//!
//! A suspended body keeps its pose and its velocity, and no force acts on it. It acts on other
//! bodies as a fixed body, so it gives them no energy. Its contacts stay, and it wakes no
//! sleeping body.
//!
//! Bodies are selected cyclically in the order of their numbers, until their costs fill the
//! budget. One cycle is a *lap*. Bodies with consecutive numbers are often neighbours that share
//! pairs.
//!
//! - Fast bodies are selected in every lap, because their motion is visible.
//! - Slow bodies are selected in blocks of 16 by number, one block in four in each lap. So each
//!   body moves within four laps (test: `suspension::every_body_moves_and_fast_ones_more_often`).
//! - In every step at least one body moves, with all bodies that joints connect to it (test:
//!   `suspension::no_time_at_all_moves_one_body_after_the_other`).
//! - Kinematic bodies move in every step (test: `suspension::a_lift_is_never_suspended`).
//! - The cost of a body follows from the number of its pairs.
//!
//! Reference: J. Dingliana, C. O'Sullivan, Graceful Degradation of Collision Handling in Physically
//! Based Animation, Eurographics 2000 (visible motion comes first); E. Catto, Simulation Islands,
//! box2d.org, 2023 (bodies that are left out of a step).
//! Differs: bodies are left out, not collisions.

use crate::bodies::active_bodies::ActiveBodies;
use crate::contacts::pair_state::PairState;
use crate::joints::Joints;
use alloc::vec::Vec;
use carom_broad::Pair;
use carom_response::{Body, BodyKind};

/// The number of laps in which each slow body is selected once.
pub(crate) const LAPS_OF_SLOW_BODIES: u32 = 4;

/// The number of consecutive body numbers in a block of slow bodies.
const BLOCK_BODIES: u32 = 16;

/// Costs of bodies and the amounts to spend, in seconds or in steps of work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    /// Cost of a body.
    pub(crate) body: f64,
    /// Cost in this step of each manifold of a body, or of each of its pairs if manifolds are not
    /// counted.
    pub(crate) manifold_now: f64,
    /// Cost of each pair of a body, in the next step.
    pub(crate) pair_later: f64,
    /// The amount to spend on the bodies that move in this step.
    pub(crate) now: f64,
    /// The amount to spend on these bodies in every step, including the pairs of the next step.
    pub(crate) steady: f64,
}

/// The counts of all bodies that could move.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Demand {
    /// Bodies that could move.
    pub(crate) n_bodies: usize,
    /// The sum of the numbers of their pairs.
    pub(crate) n_pair_ends: usize,
    /// The number of manifolds of these pairs if they were counted, else 0.
    pub(crate) n_manifolds: usize,
    /// The number of pairs in which a body moved in the step before. If manifolds were not
    /// counted, it is the sum of the numbers of pairs of these bodies.
    pub(crate) n_due: usize,
}

/// The counts of the selected bodies.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Selection {
    pub(crate) n_bodies: usize,
    /// The sum of the numbers of their manifolds, or pairs if manifolds are not counted.
    pub(crate) n_manifold_ends: usize,
    /// The sum of the numbers of their pairs.
    pub(crate) n_pair_ends: usize,
}

/// The state of the selection, and the counts of pairs by body.
#[derive(Clone, Debug, Default)]
pub(crate) struct RoundRobin {
    /// The body with which the next selection begins.
    pub(crate) next: u32,
    pub(crate) lap: u32,
    /// The values of `next` and `lap` before the last selection.
    before: (u32, u32),
    /// Whether the two lists below are valid. By number of the body they have its pairs, kept from
    /// step to step, and its manifolds, if these were counted.
    are_counted: bool,
    n_pair_ends: Vec<u32>,
    n_manifold_ends: Vec<u32>,
    is_chosen: Vec<bool>,
    /// The sum of the numbers of pairs of the bodies in the last selection.
    n_moving_pair_ends: usize,
    /// By number: the next body in the ring of bodies that joints connect.
    ring: Vec<u32>,
    /// Whether the rings are up to date: no joint was inserted or removed since they were found.
    pub(crate) are_rings_known: bool,
}

impl RoundRobin {
    /// Counts the pairs of bodies, if they are not known.
    pub(crate) fn count(&mut self, n_bodies: usize, states: &[PairState], active: &ActiveBodies) -> Demand {
        self.n_pair_ends.resize(n_bodies, 0);
        if !core::mem::replace(&mut self.are_counted, true) {
            self.n_pair_ends.fill(0);
            let living = states.iter().filter(|state| !state.is_gap());
            living.for_each(|state| self.note(&state.pair(), 1));
            self.n_moving_pair_ends = self.sum(active.moving());
        }
        self.n_manifold_ends.clear();
        let n_pair_ends = self.sum(active.awake());
        Demand {
            n_bodies: active.awake().len(),
            n_pair_ends,
            n_due: if active.has_suspended() { self.n_moving_pair_ends } else { n_pair_ends },
            n_manifolds: 0,
        }
    }

    /// Counts the manifolds of bodies, and the pairs that are due.
    pub(crate) fn count_manifolds(
        &mut self,
        states: &[PairState],
        active: &ActiveBodies,
        is_stale: &[bool],
        demand: &mut Demand,
    ) {
        self.n_manifold_ends.resize(is_stale.len(), 0);
        demand.n_due = 0;
        for state in states.iter().filter(|state| !state.is_gap()) {
            let (a, b) = (state.a.index, state.b.index);
            // A pair that was never tested may touch, so it counts as one manifold.
            let links = if state.is_sensor { 0 } else { state.n.max(u32::from(state.is_new)) };
            self.n_manifold_ends[a as usize] += links;
            self.n_manifold_ends[b as usize] += links;
            demand.n_due += usize::from(is_stale[a as usize] || is_stale[b as usize]);
            if active.is_awake(a) || active.is_awake(b) {
                demand.n_manifolds += links as usize;
            }
        }
    }

    /// Updates the counts for a pair that began, with a `change` of 1, or ended, with -1.
    pub(crate) fn note_change(&mut self, pair: Pair, change: i32) {
        if self.are_counted {
            self.note(&pair, change);
        }
    }

    /// Drops the counts. Later changes of pairs are not counted.
    pub(crate) fn forget_counts(&mut self) {
        self.are_counted = false;
    }

    fn note(&mut self, pair: &Pair, change: i32) {
        for body in [pair.a as usize, pair.b as usize] {
            if self.n_pair_ends.len() <= body {
                self.n_pair_ends.resize(body + 1, 0);
            }
            self.n_pair_ends[body] = self.n_pair_ends[body].wrapping_add_signed(change);
        }
    }

    fn sum(&self, bodies: &[u32]) -> usize {
        bodies.iter().map(|&body| self.n_pair_ends[body as usize] as usize).sum()
    }

    /// Selects the awake bodies that move, and marks them for [`RoundRobin::is_chosen`]. Call
    /// [`RoundRobin::count`] first.
    pub(crate) fn select(
        &mut self,
        bodies: &[Body],
        active: &ActiveBodies,
        joints: &Joints,
        costs: &Costs,
        is_slow: impl Fn(&Body) -> bool,
    ) -> Selection {
        self.close_rings(bodies, joints);
        self.before = (self.next, self.lap);
        self.is_chosen.clear();
        self.is_chosen.resize(bodies.len(), false);
        let mut chosen = Selection::default();
        let (mut now, mut next) = (0.0, 0.0);
        let list = active.awake();
        let first = list.partition_point(|&body| body < self.next);
        let mut lap = self.lap;
        let mut stop = None;
        for visit in 0..list.len() * LAPS_OF_SLOW_BODIES as usize {
            let index = first + visit;
            let body = list[index % list.len()];
            if 0 < visit && index % list.len() == 0 {
                lap = (lap + 1) % LAPS_OF_SLOW_BODIES;
            }
            if self.is_chosen[body as usize] || bodies[body as usize].kind != BodyKind::Dynamic {
                continue;
            }
            let is_in_turn = (body / BLOCK_BODIES + lap).is_multiple_of(LAPS_OF_SLOW_BODIES);
            if !is_in_turn && is_slow(&bodies[body as usize]) {
                continue;
            }
            let group = self.take(body, bodies, active);
            let cost = group.n_bodies as f64 * costs.body + group.n_manifold_ends as f64 * costs.manifold_now;
            let later = cost + group.n_pair_ends as f64 * costs.pair_later;
            if 0 < chosen.n_bodies && !(now + cost <= costs.now && next + later <= costs.steady) {
                self.leave(body);
                stop = Some(body);
                break;
            }
            (now, next) = (now + cost, next + later);
            chosen.n_bodies += group.n_bodies;
            chosen.n_manifold_ends += group.n_manifold_ends;
            chosen.n_pair_ends += group.n_pair_ends;
        }
        self.n_moving_pair_ends = chosen.n_pair_ends;
        self.next = stop.unwrap_or(self.next);
        self.lap = lap;
        chosen
    }

    /// Undoes the last selection, because its bodies did not move. The next selection begins with
    /// them.
    pub(crate) fn undo_selection(&mut self) {
        (self.next, self.lap) = self.before;
    }

    /// Whether the body was selected.
    pub(crate) fn is_chosen(&self, body: u32) -> bool {
        self.is_chosen[body as usize]
    }

    /// Selects a body and all bodies that joints connect with it.
    fn take(&mut self, body: u32, bodies: &[Body], active: &ActiveBodies) -> Selection {
        let mut group = Selection::default();
        let mut at = body;
        loop {
            if active.is_awake(at) && bodies[at as usize].kind == BodyKind::Dynamic {
                let n_pair_ends = self.n_pair_ends[at as usize] as usize;
                self.is_chosen[at as usize] = true;
                group.n_bodies += 1;
                group.n_pair_ends += n_pair_ends;
                group.n_manifold_ends +=
                    self.n_manifold_ends.get(at as usize).map_or(n_pair_ends, |&links| links as usize);
            }
            at = self.ring[at as usize];
            if at == body {
                return group;
            }
        }
    }

    /// Undoes the selection of a body and of all bodies that joints connect with it.
    fn leave(&mut self, body: u32) {
        let mut at = body;
        loop {
            self.is_chosen[at as usize] = false;
            at = self.ring[at as usize];
            if at == body {
                return;
            }
        }
    }

    /// Finds the rings of bodies that joints connect, if joints have changed. Bodies that cannot
    /// move connect nothing.
    fn close_rings(&mut self, bodies: &[Body], joints: &Joints) {
        let n_bodies = bodies.len();
        if core::mem::replace(&mut self.are_rings_known, true) && self.ring.len() == n_bodies {
            return;
        }
        self.ring.clear();
        self.ring.extend(0..n_bodies as u32);
        // For each number: a body that is closer to the lowest one of its ring.
        let mut root: Vec<u32> = self.ring.clone();
        let find = |root: &mut [u32], mut at: u32| {
            while root[at as usize] != at {
                root[at as usize] = root[root[at as usize] as usize];
                at = root[at as usize];
            }
            at
        };
        let is_dynamic = |body: u32| bodies[body as usize].kind == BodyKind::Dynamic;
        let links = joints.iter().filter(|(_, joint)| is_dynamic(joint.body_a) && is_dynamic(joint.body_b));
        for (_, joint) in links {
            let (a, b) = (find(&mut root, joint.body_a), find(&mut root, joint.body_b));
            if a != b {
                root[a.max(b) as usize] = a.min(b);
                // Two rings become one if their next bodies are exchanged.
                self.ring.swap(a as usize, b as usize);
            }
        }
    }
}
