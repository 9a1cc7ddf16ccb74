//! The pushes of soft things on bodies that record theirs.
//!
//! - The particle solver reports an impulse for each particle and body. Those of a thing on a body
//!   are one push.
//! - The speed of approach is that of the fastest particle of the thing, in the direction of the
//!   push. The particles behind those that touch go on pressing with it.
//!
//! Reference: M. Macklin et al., Unified Particle Physics for Real-Time Applications, 2014, 6
//! (rigid bodies among particles).

use crate::contacts::pushes::PairPush;
use crate::soft::set::SoftSet;
use crate::{BodyId, World};
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_math::Vec3;
use carom_particles::BodyImpulse;

impl<B: BroadPhase> World<B> {
    /// Returns the velocities of all particles before a step, by their ids. `None` if no body near
    /// them records pushes.
    pub(crate) fn velocities_for_pushes(&self, soft: &SoftSet, near: &[u32]) -> Option<Vec<Vec3>> {
        let records = |&body: &u32| self.bodies.traits[body as usize].records_pushes;
        let velocity = |particle| soft.solver.velocity(particle).unwrap_or(Vec3::ZERO);
        near.iter().any(records).then(|| (0..soft.solver.n_particles() as u32).map(velocity).collect())
    }

    /// Records the pushes of a step on the bodies `near` that record theirs. `before` are the
    /// velocities of the particles before it.
    pub(crate) fn record_soft_pushes(&mut self, soft: &SoftSet, near: &[u32], before: &[Vec3]) {
        let is_recorded =
            |impulse: &&BodyImpulse| self.bodies.traits[near[impulse.body as usize] as usize].records_pushes;
        let thing_of = |impulse: &BodyImpulse| soft.owners[impulse.particle as usize];
        let key = |impulse: &BodyImpulse| (impulse.body, thing_of(impulse));
        let mut impulses: Vec<&BodyImpulse> =
            soft.solver.body_impulses().iter().filter(is_recorded).collect();
        // A stable sort: sums do not depend on how it works.
        impulses.sort_by_key(|impulse| key(impulse));
        let mut pushes = Vec::new();
        for own in impulses.chunk_by(|x, y| key(x) == key(y)) {
            let (body, thing) = (near[own[0].body as usize], thing_of(own[0]));
            let (mut impulse, mut weighted, mut total) = (Vec3::ZERO, Vec3::ZERO, 0.0);
            for part in own {
                let size = part.impulse.length();
                impulse += part.impulse;
                weighted += part.point * size;
                total += size;
            }
            let (direction, point) = (impulse.normalize_or_zero(), weighted / total);
            let base = self.bodies.motions[body as usize].velocity_at(point);
            let of_thing = (0..).zip(before).filter(|&(particle, _)| soft.owners[particle as usize] == thing);
            let approach_speed =
                of_thing.map(|(_, velocity)| (*velocity - base).dot(direction)).fold(0.0, f32::max);
            let a: BodyId = self.bodies.id_at(body);
            let thing = Some(soft.id_at(thing));
            let push = PairPush { a, b: None, impulse, point, approach_speed, age: 0, thing };
            pushes.extend(Some(push).filter(|push| direction != Vec3::ZERO && push.is_valid()));
        }
        self.contacts.pushes.record(pushes);
    }
}
