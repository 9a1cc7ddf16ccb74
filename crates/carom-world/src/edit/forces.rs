//! Forces and velocities of many bodies in one call.
//!
//! Reference: E. Catto, Box2D 3.1, `b2Body_ApplyForce`, 2025.

use crate::World;
use crate::step::substeps::{BodyForces, Names};
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_math::Vec3;
use carom_response::{Body, BodyKind, BodyMotion};

impl<B: BroadPhase> World<B> {
    /// Calls `f` for each dynamic body that is awake, on several threads with the feature
    /// `parallel`. Forces act in the next step only, and add up with those of
    /// [`BodyMut::apply_force`](crate::BodyMut::apply_force). A body that gets a force does not
    /// come to rest.
    ///
    /// For a list of all awake bodies, kinematic ones included, see [`World::active_bodies`].
    ///
    /// If `f` panics, nothing is changed (test: `hook_panics::on_one_thread`).
    pub fn for_each_active(&mut self, f: impl Fn(&mut BodyForces<'_>) + Sync) {
        self.bodies.active.apply_changes(&self.bodies.motions);
        let forces = &self.bodies.steering.forces;
        let known = |index: u32| {
            let place = forces.binary_search_by_key(&index, |(body, _)| *body);
            place.map_or([Vec3::ZERO; 2], |slot| forces[slot].1)
        };
        let motion_of = |body: &Body, index: u32| {
            let mut motion = BodyMotion::of(body);
            [motion.force, motion.torque] = known(index);
            motion
        };
        let is_dynamic = |index: &u32| self.bodies.motions[*index as usize].kind == BodyKind::Dynamic;
        let awake: Vec<u32> = self.bodies.active.awake().iter().copied().filter(is_dynamic).collect();
        let before: Vec<BodyMotion> =
            awake.iter().map(|&index| motion_of(&self.bodies.motions[index as usize], index)).collect();
        let mut motions = before.clone();
        let names = Names { generations: &self.bodies.generations, traits: &self.bodies.traits };
        names.visit(&awake, &mut motions, &f);

        let mut forces: Vec<(u32, [Vec3; 2])> = Vec::new();
        for ((&index, new), old) in awake.iter().zip(&motions).zip(&before) {
            let velocities = [new.linear_velocity, new.angular_velocity];
            if velocities != [old.linear_velocity, old.angular_velocity] {
                let id = self.bodies.id_at(index);
                if let Ok(mut body) = self.body_mut(id) {
                    // Both are finite.
                    _ = body.put_velocities(velocities[0], velocities[1]);
                }
            }
            let pushes = [new.force, new.torque];
            if pushes != [old.force, old.torque] {
                forces.push((index, pushes));
                self.bodies.wake(index as usize);
            }
        }
        let is_old = |body: u32| forces.binary_search_by_key(&body, |(body, _)| *body).is_err();
        let others: Vec<_> =
            self.bodies.steering.forces.iter().copied().filter(|&(body, _)| is_old(body)).collect();
        forces.extend(others);
        forces.sort_unstable_by_key(|(body, _)| *body);
        self.bodies.steering.forces = forces;
    }
}
