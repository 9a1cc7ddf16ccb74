//! Hooks: callbacks within a step that filter pairs and change contacts before they are solved.
//!
//! - A hook is called for the pairs of a body that has the flag of that hook
//!   ([`BodyDesc::hooks`]).
//! - Hooks are called on any thread and in any order, so their result must depend on their
//!   arguments only. Then a world with hooks has the same bits in every run, on any number of
//!   threads, and after a snapshot (tests: `hooks::the_same_bits_*`).
//! - Hooks are called before anything moves, also for pairs that a swept body may meet in the
//!   step. So one-way platforms and filters also apply to bullets.
//!
//! [`BodyDesc::hooks`]: crate::BodyDesc::hooks
//!
//! Reference: E. Catto, Box2D 3.1, `b2PreSolveFcn` and `b2FrictionCallback`, 2025; rapier 0.36,
//! `PhysicsHooks`.

use crate::contacts::hook_input::{ContactPointMut, MixedMaterial, PairSide};
use crate::contacts::hooked::{Change, Surface};
use crate::{BodyId, ColliderId};
use carom_geom::Manifold;
use carom_math::Vec3;
use carom_query::Shape;
use carom_response::{Body, MIN_MASS_SCALE, Spring};

/// Callbacks within a step. The default of each method changes nothing.
///
/// Contacts of soft things (cloth, ropes, soft bodies, grains, liquids) call no hook, and a hook
/// changes none of them (test: `soft_filters::hooks_do_not_see_soft_things`). The reason is that
/// their particles have no colliders that a [`PairView`] could show. Other calls replace each
/// hook, in descriptions and later:
///
/// | hook | soft things |
/// |---|---|
/// | `filter_pair` | `with_filter`, `set_filter` |
/// | `combine` | `with_rules`, `set_rules`; materials of colliders and of their parts |
/// | `modify_contact` | none, except for belts: `BodyDesc::with_surface_velocity` |
///
/// If a hook panics, the bodies stay as they were before the step, and the world can be stepped
/// again (tests: `hook_panics::*`). If the hook was called for a body that woke in this step, that
/// body stays awake, and soft things may have moved already (test:
/// `hook_panics::soft_things_go_on_after_the_hook_of_a_woken_body_panics`). The events of that step
/// stay in [`World::events`]; they are not reported again.
///
/// [`World::events`]: crate::World::events
pub trait Hooks: Sync {
    /// Returns whether two colliders may touch. If they may not, they have no contact, no event,
    /// and no impact within the step.
    ///
    /// Called in each step for each pair of colliders, sensors included, of which one has
    /// [`ActiveHooks::FILTER`](crate::ActiveHooks::FILTER). The boxes of their bodies must touch
    /// and one body must be awake. [`World::detect`](crate::World::detect) keeps the results of
    /// the last step. If a touching pair is filtered out, its sleeping bodies wake.
    fn filter_pair(&self, pair: &PairView<'_>) -> bool {
        let _ = pair;
        true
    }

    /// Changes the material of a pair: friction, restitution, rolling and spinning friction.
    /// `mixed` has the values by the combine rules of both colliders.
    ///
    /// Called in each step for each pair with
    /// [`ActiveHooks::COMBINE`](crate::ActiveHooks::COMBINE) that has contacts and an awake body.
    /// If one of the colliders has materials by part, it is called for each manifold.
    fn combine(&self, pair: &PairView<'_>, mixed: &mut MixedMaterial) {
        let _ = (pair, mixed);
    }

    /// Changes the contacts of one manifold before they are solved.
    ///
    /// Called in each step for each manifold of each pair with
    /// [`ActiveHooks::MODIFY`](crate::ActiveHooks::MODIFY) and an awake body. The calls for the
    /// manifolds of a pair follow each other. For a pair without contacts it is called once, with
    /// an empty manifold, if a body travels far in the step. It is not called for sensors.
    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        let _ = contact;
    }
}

/// Hooks that change nothing.
pub(crate) struct NoHooks;

impl Hooks for NoHooks {}

/// A collider of a pair, with its body, as an argument of hooks.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Side<'a> {
    /// The body.
    pub id: BodyId,
    /// Its collider.
    pub collider: ColliderId,
    /// Its mass, pose and velocities.
    pub body: &'a Body,
    /// The shape of the collider, in the body's frame.
    pub shape: &'a Shape,
    /// User data of the body: [`BodyDesc::with_user_data`](crate::BodyDesc::with_user_data). It is
    /// not that of the collider.
    pub body_data: u64,
    /// User data of the collider:
    /// [`ColliderDesc::with_user_data`](crate::ColliderDesc::with_user_data). It is not that of the
    /// body.
    pub collider_data: u64,
}

/// A pair of colliders, as an argument of hooks.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PairView<'a> {
    /// The body with the smaller number.
    pub a: Side<'a>,
    /// The body with the larger number.
    pub b: Side<'a>,
}

impl<'a> PairView<'a> {
    /// Returns the side `which`.
    pub fn side(&self, which: PairSide) -> &Side<'a> {
        match which {
            PairSide::A => &self.a,
            PairSide::B => &self.b,
        }
    }

    /// Returns the side opposite to `which`.
    pub fn other(&self, which: PairSide) -> &Side<'a> {
        self.side(which.other())
    }

    /// Returns the first side for which `is_it` holds, if any.
    pub fn side_with(&self, mut is_it: impl FnMut(&Side<'a>) -> bool) -> Option<PairSide> {
        [PairSide::A, PairSide::B].into_iter().find(|&which| is_it(self.side(which)))
    }
}

/// The contacts of one manifold of a pair, before they are solved.
///
/// A setter changes nothing if a number is out of its range.
#[derive(Debug)]
pub struct ContactMut<'a> {
    pub(crate) pair: PairView<'a>,
    /// All manifolds of the pair.
    pub(crate) manifolds: &'a [Manifold],
    pub(crate) manifold: &'a Manifold,
    pub(crate) tag: &'a mut u32,
    pub(crate) change: Change,
}

/// Values of the tag of a one-way platform: it holds the body, or lets the body pass until the two
/// part.
const HOLDS: u32 = 1;
const PASSES: u32 = 2;

/// The least cosine of the angle between a contact normal and the up direction for which a body
/// counts as above a platform.
const MIN_UP_COSINE: f32 = 0.7;

/// A body that separates from a platform more slowly than this counts as resting on it. Length per
/// time; above the rounding of velocities of up to 1000 units.
const MAX_REST_SPEED: f32 = 1e-3;

impl<'a> ContactMut<'a> {
    /// Returns the pair.
    pub fn pair(&self) -> &PairView<'a> {
        &self.pair
    }

    /// Returns the first side for which `is_it` holds, if any.
    pub fn side_with(&self, is_it: impl FnMut(&Side<'a>) -> bool) -> Option<PairSide> {
        self.pair.side_with(is_it)
    }

    /// Returns the contacts as they were found. The manifold is empty if the bodies may only meet
    /// later in the step.
    pub fn manifold(&self) -> &'a Manifold {
        self.manifold
    }

    /// Returns the mean unit normal of all contacts of the pair, in the world frame, pointing away
    /// from the side `which`. `None` without contacts.
    pub fn normal_from(&self, which: PairSide) -> Option<Vec3> {
        let sum: Vec3 = self.manifolds.iter().map(Manifold::normal).sum();
        let normal = sum.try_normalize()?;
        Some(if which == PairSide::A { normal } else { -normal })
    }

    /// Returns a number that the hook may store for this pair. The manifolds of the pair share it.
    /// It is 0 at first, is part of snapshots, and is kept as long as the pair has contacts. A
    /// step without hooks resets it.
    pub fn tag(&mut self) -> &mut u32 {
        self.tag
    }

    /// Disables this manifold in this step: it is not solved, but events are still reported. If
    /// all manifolds of a pair are disabled, a swept body also passes.
    pub fn disable(&mut self) {
        self.change.is_enabled = false;
    }

    /// Whether the manifold is enabled: no call has disabled it.
    pub fn is_enabled(&self) -> bool {
        self.change.is_enabled
    }

    /// Returns the friction, Coulomb's coefficient.
    pub fn friction(&self) -> f32 {
        self.change.material.friction
    }

    /// Sets the friction, Coulomb's coefficient. It must be finite and not negative.
    pub fn set_friction(&mut self, friction: f32) {
        self.change.material = MixedMaterial { friction, ..self.change.material }.or(self.change.material);
    }

    /// Returns the restitution: 0 does not bounce, 1 keeps the speed.
    pub fn restitution(&self) -> f32 {
        self.change.material.restitution
    }

    /// Sets the restitution. It must be finite and not negative.
    pub fn set_restitution(&mut self, restitution: f32) {
        let material = MixedMaterial { restitution, ..self.change.material };
        self.change.material = material.or(self.change.material);
    }

    /// Returns the rolling friction, a length: see
    /// [`Material::rolling_friction`](crate::Material::rolling_friction).
    pub fn rolling_friction(&self) -> f32 {
        self.change.material.rolling_friction
    }

    /// Sets the rolling friction, a length. It must be finite and not negative.
    pub fn set_rolling_friction(&mut self, rolling_friction: f32) {
        let material = MixedMaterial { rolling_friction, ..self.change.material };
        self.change.material = material.or(self.change.material);
    }

    /// Returns the spinning friction, a length: see
    /// [`Material::spinning_friction`](crate::Material::spinning_friction).
    pub fn spinning_friction(&self) -> f32 {
        self.change.material.spinning_friction
    }

    /// Sets the spinning friction, a length. It must be finite and not negative.
    pub fn set_spinning_friction(&mut self, spinning_friction: f32) {
        let material = MixedMaterial { spinning_friction, ..self.change.material };
        self.change.material = material.or(self.change.material);
    }

    /// Sets the velocity of the surface of a side relative to its body (a belt), in the world
    /// frame. It replaces the surface velocity of the body. `velocity`, length per time, is that
    /// in the middle of the contacts; its normal component is ignored. `spin` is the angular
    /// velocity of the surface, for a curved belt, in radians per time. Both must be finite.
    pub fn set_surface_velocity(&mut self, of: PairSide, velocity: Vec3, spin: Vec3) {
        if velocity.is_finite() && spin.is_finite() {
            self.change.surface = Some(Surface { of, velocity, spin });
        }
    }

    /// Makes the contact a spring, as of soft ground. The bodies do not bounce then.
    ///
    /// With a frequency, the stiffness is such that the two bodies alone would oscillate at it. So
    /// a body of any mass sinks into soft ground by g / (2 pi frequency)^2. The stiffness of the
    /// pair is divided equally among its points. A stiffness of 0, and numbers out of the range of
    /// [`Spring::validate`], change nothing.
    pub fn set_spring(&mut self, spring: Spring) {
        let has_force = !matches!(spring, Spring::Stiffness { stiffness, .. } if stiffness <= 0.0);
        if has_force && spring.validate().is_ok() {
            self.change.spring = Some(spring);
        }
    }

    /// Scales the masses of the two sides at this contact only. Each scale is at least 0.001; a
    /// side with an infinite scale is not pushed. With different scales the contact does not keep
    /// the total momentum.
    pub fn set_mass_scales(&mut self, a: f32, b: f32) {
        if [a, b].iter().all(|scale| (MIN_MASS_SCALE..=f32::INFINITY).contains(scale)) {
            self.change.mass_scales = [a, b];
        }
    }

    /// Returns the contact points, to be changed.
    pub fn points_mut(&mut self) -> &mut [ContactPointMut] {
        &mut self.change.points[..self.manifold.contacts().len()]
    }

    /// Makes the side `solid` a one-way platform. The other body is held if it comes from the
    /// direction `up`, a unit vector in the frame of `solid`. Otherwise it passes until the bodies
    /// are apart. The state is stored in [`ContactMut::tag`].
    pub fn make_one_way(&mut self, solid: PairSide, up: Vec3) {
        if *self.tag != HOLDS && *self.tag != PASSES {
            let (own, other) = (self.pair.side(solid).body, self.pair.other(solid).body);
            let up = own.pose.transform_vector(up);
            let place = self.manifolds.first().and_then(|manifold| manifold.contacts().first());
            let position = place.map_or(other.world_center(), |contact| contact.point_a);
            let rising = (other.velocity_at(position) - own.velocity_at(position)).dot(up);
            // A body at rest on the platform has a small speed.
            let is_rising = MAX_REST_SPEED < rising;
            let is_above = self.normal_from(solid).is_none_or(|normal| MIN_UP_COSINE < normal.dot(up));
            *self.tag = if is_above && !is_rising { HOLDS } else { PASSES };
        }
        if *self.tag != HOLDS {
            self.disable();
        }
    }
}
