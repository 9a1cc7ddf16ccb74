//! Hits: the speeds that bodies may get in a step because others hit them. A sleeping body wakes
//! if such a body may reach it in the same step.
//!
//! - The hit on a body is the speed of the approach. It is up to twice that if the other body is
//!   heavier, as seen at the contact. Approaches slower than the sleep speed do not count.
//! - A body that is hit may hit others in the same step. So hits are followed from body to body,
//!   the fastest first. Each body passes on its largest hit once, and not back.
//!
//! Reference: E. W. Dijkstra, A Note on Two Problems in Connexion with Graphs, 1959 (the order).

use crate::World;
use crate::contacts::pair_state::PairState;
use alloc::collections::{BTreeMap, BinaryHeap};
use carom_broad::{BroadPhase, Pair};
use carom_geom::Manifold;
use carom_math::Vec3;
use carom_response::{Body, BodyKind};
use core::cmp::Reverse;

/// The hits on bodies in a step.
#[derive(Default)]
pub(crate) struct Hits {
    /// By body: the speed.
    known: BTreeMap<u32, f32>,
    /// Hits that were not passed on yet: the bits of the speed, which is positive, the body, and
    /// the one that hits it. The fastest is first.
    due: BinaryHeap<(u32, Reverse<u32>, u32)>,
    has_begun: bool,
}

impl Hits {
    /// Returns the speed that a body may get in addition to its own.
    pub(crate) fn on(&self, body: u32) -> f32 {
        self.known.get(&body).copied().unwrap_or(0.0)
    }

    /// Adds a hit on a body. Only the largest one counts.
    pub(crate) fn add(&mut self, body: u32, by: u32, speed: f32) {
        if !self.known.contains_key(&body) {
            self.due.push((speed.to_bits(), Reverse(body), by));
        }
    }
}

impl<B: BroadPhase> World<B> {
    /// Follows hits through the awake bodies: at the first call those of present velocities, then
    /// those on bodies that woke since.
    pub(crate) fn follow_hits(&self, hits: &mut Hits, time: f32) {
        let slow = self.settings.solver.sleep_speed * self.settings.solver.length_unit;
        if !core::mem::replace(&mut hits.has_begun, true) {
            let speed = |number: u32| {
                let (body, girth) =
                    (&self.bodies.motions[number as usize], self.bodies.girths[number as usize]);
                match body.kind {
                    BodyKind::Fixed => 0.0,
                    _ => body.linear_velocity.length() + body.angular_velocity.length() * girth.radius,
                }
            };
            for &index in &self.contacts.active_pairs {
                let (state, Pair { a, b }) =
                    (&self.contacts.states[index as usize], self.contacts.pairs[index as usize]);
                // NaN, of a half-space that moves, is tested.
                if !(speed(a) + speed(b) <= slow) {
                    self.add_hit(hits, state, [a, b], time);
                    self.add_hit(hits, state, [b, a], time);
                }
            }
        }
        while let Some((bits, Reverse(body), by)) = hits.due.pop() {
            if hits.known.contains_key(&body) {
                continue;
            }
            hits.known.insert(body, f32::from_bits(bits));
            for state in self.contacts.states_of(self.bodies.id_at(body)) {
                let Pair { a, b } = state.pair();
                let other = if a == body { b } else { a };
                if other != by {
                    self.add_hit(hits, state, [body, other], time);
                }
            }
        }
    }

    /// Adds the hit of a body on another awake one, if it may reach it within `time`.
    fn add_hit(&self, hits: &mut Hits, state: &PairState, [from, to]: [u32; 2], time: f32) {
        let (body, is_asleep) =
            (&self.bodies.motions[to as usize], |body: u32| self.bodies.motions[body as usize].is_sleeping);
        if body.kind == BodyKind::Dynamic && self.bodies.active.moves(to) && !is_asleep(from) {
            self.hit_if_met(hits, state, [from, to], time);
        }
    }

    /// Adds the hit of a body on another one, if it may reach it within `time`. Returns whether
    /// the two touch or may meet.
    pub(crate) fn hit_if_met(
        &self,
        hits: &mut Hits,
        state: &PairState,
        [from, to]: [u32; 2],
        time: f32,
    ) -> bool {
        let slow = self.settings.solver.sleep_speed * self.settings.solver.length_unit;
        let mut is_met = false;
        for manifold in self.contacts.manifolds_of(state).iter().filter(|_| !state.is_sensor) {
            if let Some(speed) = self.speed_if_met(state.pair(), manifold, hits.on(from), time) {
                is_met = true;
                if slow < speed {
                    hits.add(to, from, speed * self.gain(manifold, state.pair(), [from, to]));
                }
            }
        }
        is_met
    }

    /// Returns the part of the speed of approach that the point of a body may get: from 1 to 2. An
    /// elastic impact of two bodies gives `2 k / (k + K)`, with the inverse masses `k` and `K` at
    /// the contact. It is at least 1, because other bodies may push behind.
    fn gain(&self, manifold: &Manifold, pair: Pair, [from, to]: [u32; 2]) -> f32 {
        let gains = manifold.contacts().iter().map(|contact| {
            let inverse_mass = |number: u32| {
                let point = if number == pair.a { contact.point_a } else { contact.point_b };
                match &self.bodies.motions[number as usize] {
                    body if body.kind == BodyKind::Dynamic => inverse_mass_at(body, point, manifold.normal()),
                    _ => 0.0,
                }
            };
            let [own, other] = [to, from].map(inverse_mass);
            2.0 * own / (own + other)
        });
        // NaN, of bodies that cannot move along the normal, is dropped.
        gains.fold(1.0, f32::max)
    }
}

/// Returns the inverse of the mass of a body along a unit vector at a point.
fn inverse_mass_at(body: &Body, point: Vec3, direction: Vec3) -> f32 {
    let arm = (point - body.world_center()).cross(direction);
    body.inverse_mass + arm.dot(body.world_inverse_inertia() * arm)
}
