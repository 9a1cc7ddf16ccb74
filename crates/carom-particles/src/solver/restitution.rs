//! Restitution: colliding particles separate with a part of their approach speed.
//!
//! - Position corrections only stop an approach. So after a substep, an impulse along the normal
//!   changes the velocities at each contact that pushed, one contact after the other.
//! - A contact slower than the speed that gravity adds in two substeps does not bounce, so that
//!   particles come to rest.
//!
//! Reference: M. Mueller et al., Detailed Rigid Body Simulation with Extended Position Based
//! Dynamics, SCA 2020, 3.6. Differs: particles that already separate faster are not slowed.

use crate::solver::body_state::BodyState;
use crate::solver::boundary::Candidate;
use crate::solver::contact::Contacts;
use crate::solver::store::{Row, Store, vector};
use carom_math::ops::sqrt;
use glam::Vec3;

/// The data that all contacts of a substep share.
pub(crate) struct Restitution<'a> {
    /// The velocities with which particles went into the substep.
    pub(crate) incoming: &'a [Row],
    /// A contact slower than this does not bounce.
    pub(crate) least_speed: f32,
}

impl Restitution<'_> {
    /// The impulse along a normal that makes a contact bounce. `incoming` and `now` are relative
    /// velocities, `softness` is the sum of inverse masses.
    fn impulse(&self, restitution: f32, normal: Vec3, incoming: Vec3, now: Vec3, softness: f32) -> f32 {
        let meets = incoming.dot(normal);
        if !(meets < -self.least_speed && 0.0 < softness) {
            return 0.0;
        }
        ((-restitution * meets - now.dot(normal)) / softness).max(0.0)
    }

    /// Particles among each other.
    pub(crate) fn between(&self, store: &mut Store, contacts: &Contacts) {
        for slot in 0..store.len() {
            let own = store.group(slot).restitution;
            for contact in &contacts.all[contacts.start(slot)..contacts.start(slot + 1)] {
                let other = contact.other as usize;
                let restitution = own.max(store.group(other).restitution);
                // Each pair is met from both sides.
                if !(slot < other && 0.0 < contact.push && 0.0 < restitution) {
                    continue;
                }
                let [a, b] = [&store.positions[slot], &store.positions[other]];
                let difference = vector(a) - vector(b);
                let normal = difference / sqrt(difference.length_squared()).max(f32::MIN_POSITIVE);
                let incoming = vector(&self.incoming[slot]) - vector(&self.incoming[other]);
                let now = vector(&store.velocities[slot]) - vector(&store.velocities[other]);
                let [w_a, w_b] = [a[3], b[3]];
                let impulse = normal * self.impulse(restitution, normal, incoming, now, w_a + w_b);
                add(&mut store.velocities[slot], impulse * w_a);
                add(&mut store.velocities[other], impulse * -w_b);
            }
        }
    }

    /// Particles on a boundary that does not move.
    pub(crate) fn on_still(&self, store: &mut Store, candidates: &[Candidate]) {
        for candidate in candidates.iter().filter(|candidate| 0.0 < candidate.push) {
            let (slot, normal) = (candidate.slot as usize, candidate.normal);
            let Some(restitution) = of_pair(store, candidate) else { continue };
            let [incoming, now] = [vector(&self.incoming[slot]), vector(&store.velocities[slot])];
            let w = store.positions[slot][3];
            let impulse = self.impulse(restitution, normal, incoming, now, w);
            add(&mut store.velocities[slot], normal * (impulse * w));
        }
    }

    /// Particles on a body, which gets the opposite impulses.
    pub(crate) fn on_body(
        &self,
        store: &mut Store,
        state: &mut BodyState,
        dt: f32,
        candidates: &mut [Candidate],
    ) {
        for candidate in candidates.iter_mut().filter(|candidate| 0.0 < candidate.push) {
            let (slot, normal) = (candidate.slot as usize, candidate.normal);
            let Some(restitution) = of_pair(store, candidate) else { continue };
            let point = vector(&store.positions[slot]) - normal * store.radius(slot);
            let [body_before, body_now] = state.velocities_at(point);
            let incoming = vector(&self.incoming[slot]) - body_before;
            let now = vector(&store.velocities[slot]) - body_now;
            let w = store.positions[slot][3];
            let softness = w + state.softness_at(point, normal);
            let impulse = normal * self.impulse(restitution, normal, incoming, now, softness);
            add(&mut store.velocities[slot], impulse * w);
            candidate.on_body -= impulse * dt;
            state.apply_impulse(-impulse, point);
        }
    }
}

/// The restitution of a particle on the surface that it touches; none for liquids, and if nothing
/// bounces.
fn of_pair(store: &Store, candidate: &Candidate) -> Option<f32> {
    let slot = candidate.slot as usize;
    let restitution = candidate.material?.restitution.min(1.0);
    (0.0 < restitution && !store.phases[slot].is_fluid()).then_some(restitution)
}

fn add(row: &mut Row, change: Vec3) {
    *row = (vector(row) + change).extend(row[3]).to_array();
}
