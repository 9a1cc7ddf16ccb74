//! Hooks: the caller's own say over contacts, inside a step, before they are solved.
//!
//! A pair is asked for if one of its bodies has hooks
//! ([`BodyDesc::has_hooks`](crate::BodyDesc::has_hooks)); other pairs cost nothing. A hook sees the
//! bodies and their contacts. It may leave the pair out, or change its friction and restitution.
//! What it answers should follow from what it sees: then a world with hooks has the same bits in
//! every run, and after a snapshot.
//!
//! Reference: E. Catto, Box2D 3.1, `b2PreSolveFcn`, 2025; rapier 0.36,
//! `PhysicsHooks::modify_solver_contacts`.

use crate::BodyId;
use carom_geom::Manifold;
use carom_math::{Budget, Vec3};
use carom_response::Body;

/// What is asked inside a step. Each method has an answer that changes nothing.
///
/// A hook that panics leaves the world as it was before the bodies moved; it can be stepped again.
pub trait Hooks: Sync {
    /// Called for each pair with hooks that may touch in this step, in the order of the pairs,
    /// before it is solved.
    ///
    /// These are pairs with contacts, and pairs of bodies that go far for their size. Sensors are
    /// left out.
    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        let _ = contact;
    }
}

/// How a step is made. The default has no budget and no hooks.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct StepOptions<'a> {
    /// What the step may cost: see [`World::step_with_budget`](crate::World::step_with_budget).
    pub budget: Budget,
    /// Asked inside the step.
    pub hooks: Option<&'a dyn Hooks>,
}

impl Default for StepOptions<'_> {
    fn default() -> Self {
        StepOptions { budget: Budget::Unlimited, hooks: None }
    }
}

impl<'a> StepOptions<'a> {
    /// With this budget.
    pub fn with_budget(self, budget: Budget) -> Self {
        StepOptions { budget, ..self }
    }

    /// With these hooks.
    pub fn with_hooks(self, hooks: &'a dyn Hooks) -> Self {
        StepOptions { hooks: Some(hooks), ..self }
    }
}

/// The contacts of a pair, before they are solved.
pub struct ContactMut<'a> {
    /// The bodies; normals point from A to B.
    pub a: BodyId,
    /// The other one.
    pub b: BodyId,
    /// Mass, pose and velocities of both.
    pub bodies: [&'a Body; 2],
    /// The callers' own numbers of both.
    pub user_data: [u64; 2],
    /// Where they touch, or may in this step. Empty if only their paths are near.
    pub manifolds: &'a [Manifold],
    /// The hook's own memory of this pair: 0 at first, and kept as long as the pair has contacts.
    /// It is part of a snapshot.
    pub memory: u32,
    /// Coulomb's coefficient. A number that is negative or not finite counts as the one before.
    pub friction: f32,
    /// 0 stays, 1 bounces back. A number that is negative or not finite counts as the one before.
    pub restitution: f32,
    /// Whether they push each other in this step. If not, they pass each other; events are told all
    /// the same.
    pub is_enabled: bool,
}

/// Memory of a one-way platform: it holds the body, or lets it through until they part.
const HOLDS: u32 = 1;
const PASSES: u32 = 2;

/// The least cosine of the angle between the normal of a contact and the direction that is up.
const STEEPEST: f32 = 0.7;

impl ContactMut<'_> {
    /// The mean normal from a body to the other one; `None` where there are no contacts, or it is
    /// none of the two.
    pub fn normal_from(&self, body: BodyId) -> Option<Vec3> {
        let sum: Vec3 = self.manifolds.iter().map(Manifold::normal).sum();
        let normal = sum.try_normalize().filter(|_| body == self.a || body == self.b)?;
        Some(if body == self.a { normal } else { -normal })
    }

    /// Lets the other body come from one side only: it stands on the body `solid` if it comes from
    /// where `up` points, a unit vector of the world, and passes from elsewhere until both are
    /// apart. Uses [`ContactMut::memory`].
    pub fn make_one_way(&mut self, solid: BodyId, up: Vec3) {
        if solid != self.a && solid != self.b {
            return;
        }
        if self.memory != HOLDS && self.memory != PASSES {
            let [own, other] = if solid == self.a { [0, 1] } else { [1, 0] }.map(|k| self.bodies[k]);
            let place = self.manifolds.first().and_then(|manifold| manifold.contacts().first());
            let place = place.map_or(other.world_center(), |contact| contact.point_a);
            let rising = (other.velocity_at(place) - own.velocity_at(place)).dot(up);
            // It lies on the platform with a little noise.
            let is_rising = RISING < rising;
            let is_above = self.normal_from(solid).is_none_or(|normal| STEEPEST < normal.dot(up));
            self.memory = if is_above && !is_rising { HOLDS } else { PASSES };
        }
        self.is_enabled &= self.memory == HOLDS;
    }
}

/// A body that leaves a platform more slowly than this does not rise through it. Length per time;
/// above the rounding of velocities of up to 1000 units.
const RISING: f32 = 1e-3;
