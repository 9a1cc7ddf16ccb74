//! A `carom_world::World` as a world to walk and drive in.
//!
//! The broad phase finds the bodies, in their state after the last step. Poses and shapes of
//! bodies are `f32`, relative to [`World::origin`]. Positions of the figure and of hits are
//! absolute, in `f64`. Distances are computed in `f64` in the frame of the body, so they are as
//! exact as its pose.
//!
//! A ray is cast in the frame of the body in `f32`; its hit on a triangle or a half-space is
//! computed again in `f64`.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.4 (rays) and 25.5 (sweeps).

use crate::figure::Figure;
use crate::kernel::shape_parts::{is_within, visit_shape};
use crate::parts::{
    ConvexPart, ConvexWorld, NearbyPart, is_free, nearest_free, sweep_carried, sweep_ignoring,
};
use crate::shape_ray::ray_shape;
#[cfg(feature = "soft")]
use crate::soft_surfaces::{SoftSurfaces, soft_body_of};
use crate::sweep::{RayHit, RaySweep, Sweep, SweepHit};
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume as _};
use carom_broad::{BroadPhase, Mobility, SpatialIndex};
use carom_math::{Vec3, WidePose, rounding};
use carom_world::{BodyId, BodyRef, ColliderRef, CombineRule, Material, QueryFilter, Response, World};
use core::ops::ControlFlow;
use glam::DVec3;

/// A selection of colliders.
pub(crate) type Predicate<'a, B> = dyn Fn(&ColliderRef<'_, B>) -> bool + 'a;

/// A view of a world in its state after the last step. The object of a hit is the index of a body:
/// [`World::body_at`].
///
/// A body carries with its own motion, and with the surface velocity of the part that is stood on.
/// A deforming mesh ([`BodyMut::deform`](carom_world::BodyMut::deform)) raises a character, which
/// follows it down. It does not carry along its surface, and adds no velocity to a jump.
///
/// With the feature `soft` it has the surfaces of cloth and soft bodies too. A filter treats them
/// as solid and dynamic. The predicate is not called for them. Ropes and particles are passed
/// through: liquids, gas and grains.
pub struct WorldSweep<'a, B: BroadPhase> {
    world: &'a World<B>,
    filter: QueryFilter<'a>,
    /// Colliders for which it is false are ignored.
    predicate: Option<&'a Predicate<'a, B>>,
    /// Its colliders are ignored, and those that it passes.
    own: Option<BodyId>,
    /// The dynamic body that does not yield, while others do; `None` if none yields.
    yielding_but: Option<u32>,
    /// Lighter dynamic bodies are ignored.
    min_mass: f64,
    /// Scratch memory: candidates, and ignored objects.
    near: Vec<u32>,
    passed: Vec<u32>,
}

impl<'a, B: BroadPhase + SpatialIndex> WorldSweep<'a, B> {
    /// Returns a view of the colliders that pass the filter.
    pub fn new(world: &'a World<B>, filter: QueryFilter<'a>) -> WorldSweep<'a, B> {
        WorldSweep {
            world,
            filter,
            predicate: None,
            own: None,
            yielding_but: None,
            min_mass: 0.0,
            near: Vec::new(),
            passed: Vec::new(),
        }
    }

    /// Returns the same view, in which dynamic bodies yield: they do not push out a figure that
    /// overlaps them. They still stop a figure that moves deeper into them. The object `ground`
    /// does not yield.
    #[must_use]
    pub fn with_yielding(self, ground: Option<u32>) -> WorldSweep<'a, B> {
        // No body has the largest number.
        WorldSweep { yielding_but: Some(ground.unwrap_or(u32::MAX)), ..self }
    }

    /// The same view, in which no body yields.
    pub(crate) fn with_all_solid(self) -> WorldSweep<'a, B> {
        WorldSweep { yielding_but: None, ..self }
    }

    /// Returns the same view of those colliders for which `predicate` is true too. It may be
    /// called several times for a collider.
    #[must_use]
    pub fn with_predicate(self, predicate: &'a (dyn Fn(&ColliderRef<'_, B>) -> bool + 'a)) -> Self {
        WorldSweep { predicate: Some(predicate), ..self }
    }

    /// The same view without a body, and without the colliders that the body passes by the response
    /// of the two bodies.
    pub(crate) fn met_by(self, body: BodyId) -> WorldSweep<'a, B> {
        WorldSweep { own: Some(body), ..self }
    }

    /// The same view without dynamic bodies that are lighter than a mass.
    pub(crate) fn with_min_mass(self, min_mass: f64) -> WorldSweep<'a, B> {
        WorldSweep { min_mass, ..self }
    }

    /// Returns the colliders of a body that pass the filter; none of a body below the least mass.
    fn colliders(&self, object: u32) -> impl Iterator<Item = ColliderRef<'a, B>> + 'a {
        let heavy = |body: &BodyRef<'a, B>| self.min_mass * f64::from(body.motion().inverse_mass) <= 1.0;
        let body = self.any_body(object).filter(heavy);
        let (world, filter, predicate, own) = (self.world, self.filter, self.predicate, self.own);
        let is_met = move |own: BodyId, other: BodyId| {
            own != other && world.pair_response(own, other) != Ok(Response::Pass)
        };
        let colliders = body.into_iter().flat_map(|body| body.colliders());
        colliders.filter(move |collider| {
            filter.passes(collider)
                && own.is_none_or(|own| is_met(own, collider.body().id()))
                && predicate.is_none_or(|predicate| predicate(collider))
        })
    }

    /// Returns the first hit of a ray on a body, without its velocity.
    pub(crate) fn ray_body(&self, object: u32, from: DVec3, displacement: DVec3) -> Option<RayHit> {
        let hits = self.colliders(object).filter_map(|collider| {
            let pose = collider.body().wide_pose();
            let hit = ray_shape(collider.shape_in_body(), &pose, from, displacement)?;
            Some(hit.on(object, collider.first_part() + hit.part))
        });
        hits.reduce(earlier)
    }

    /// Returns the friction of a body of the default material on a part of an object, relative to
    /// that on the default material itself: 1 on the default material, 0 on perfect ice.
    pub(crate) fn relative_friction(&self, object: u32, part: u32) -> f64 {
        let own = Material::default();
        let of_body = || self.any_body(object).map(|body| body.friction_at(part));
        #[cfg(feature = "soft")]
        let of_body = || self.soft().friction_of(object).or_else(of_body);
        let Some((friction, rule)) = of_body() else { return 1.0 };
        let combined = CombineRule::combine([own.friction_rule, rule], [own.friction, friction]);
        f64::from(combined) / f64::from(own.friction)
    }

    /// Returns the soft bodies of the view.
    #[cfg(feature = "soft")]
    fn soft(&self) -> SoftSurfaces<'a, B> {
        SoftSurfaces { world: self.world, filter: self.filter, min_mass: self.min_mass }
    }

    /// Returns the body with an index.
    fn any_body(&self, object: u32) -> Option<BodyRef<'a, B>> {
        self.world.body(self.world.body_at(object)?).ok()
    }

    /// Sets `near` to the bodies that may touch the box, sorted.
    fn find(&mut self, low: DVec3, high: DVec3) {
        let (low, high) = (low - self.world.origin(), high - self.world.origin());
        let aabb = if low.cmple(high).all() {
            Aabb { min: rounding::down3(low), max: rounding::up3(high) }
        } else {
            Aabb::EVERYTHING
        };
        let near = &mut self.near;
        near.clear();
        self.world.broad_phase().visit_box(&aabb, &mut |index| {
            near.push(index);
            ControlFlow::Continue(())
        });
        near.sort_unstable();
    }
}

impl<B: BroadPhase + SpatialIndex> ConvexWorld for WorldSweep<'_, B> {
    fn visit(&mut self, low: DVec3, high: DVec3, part: &mut dyn FnMut(NearbyPart<'_>)) {
        self.find(low, high);
        for &object in &self.near {
            for collider in self.colliders(object) {
                let body = collider.body();
                let is_dynamic = || body.mobility() == Mobility::Dynamic;
                let yields = self.yielding_but.is_some_and(|ground| ground != object) && is_dynamic();
                let mut each = |number: u32, pose: &WidePose, found: ConvexPart<'_>| {
                    part(NearbyPart { object, number, pose, part: found, yields });
                };
                let (shape, mut first) = (collider.shape_in_body(), collider.first_part());
                visit_shape(shape, &body.wide_pose(), [low, high], &mut first, &mut each);
            }
        }
        #[cfg(feature = "soft")]
        self.soft().visit([low, high], self.yielding_but, part);
    }

    fn velocity_of(&self, object: u32, part: u32, point: DVec3) -> DVec3 {
        #[cfg(feature = "soft")]
        if let Some(velocity) = self.soft().velocity_of(object, part, point) {
            return velocity;
        }
        let Some(body) = self.any_body(object) else { return DVec3::ZERO };
        let arm = point - self.world.to_wide(body.center_of_mass());
        let rigid = body.linear_velocity().as_dvec3() + body.angular_velocity().as_dvec3().cross(arm);
        let [belt, _] = body.surface_velocity_at(part, self.world.to_local(point));
        rigid + belt.as_dvec3()
    }

    fn is_within(&mut self, position: DVec3) -> bool {
        self.find(position, position);
        let counts =
            |body: BodyRef<'_, B>| self.yielding_but.is_none() || body.mobility() != Mobility::Dynamic;
        #[cfg(feature = "soft")]
        if self.yielding_but.is_none() && self.soft().is_within(position) {
            return true;
        }
        let mut colliders = self.near.iter().flat_map(|&object| self.colliders(object));
        colliders.any(|collider| {
            let body = collider.body();
            counts(body) && is_within(collider.shape_in_body(), &body.wide_pose(), position)
        })
    }

    fn passed(&mut self) -> &mut Vec<u32> {
        &mut self.passed
    }
}

/// Returns the earlier of two hits, and the first at equal times.
fn earlier(a: RayHit, b: RayHit) -> RayHit {
    if b.t < a.t { b } else { a }
}

impl<B: BroadPhase + SpatialIndex> RaySweep for WorldSweep<'_, B> {
    fn ray(&mut self, from: DVec3, displacement: DVec3, _: Option<&RayHit>) -> Option<RayHit> {
        if !(from.is_finite() && displacement.is_finite()) {
            return None;
        }
        self.find(from.min(from + displacement), from.max(from + displacement));
        let mut best: Option<RayHit> = None;
        for &object in &self.near {
            let hit = self.ray_body(object, from, displacement);
            best = [best, hit].into_iter().flatten().reduce(earlier);
        }
        let best =
            best.map(|hit| hit.moving(self.velocity_of(hit.object, hit.part, from + displacement * hit.t)));
        #[cfg(feature = "soft")]
        let best = [best, self.soft().ray(from, displacement)].into_iter().flatten().reduce(earlier);
        best
    }

    /// `None` for a part whose surface moves: it carries along its surface, not with its pose.
    fn pose_of(&self, object: u32, part: u32) -> Option<WidePose> {
        let body = self.any_body(object)?;
        let belt = body.surface_velocity_at(part, body.position());
        (belt == [Vec3::ZERO; 2]).then(|| body.wide_pose())
    }

    fn generation_of(&self, object: u32) -> Option<u32> {
        #[cfg(feature = "soft")]
        if let Some(soft) = soft_body_of(self.world, object) {
            return Some(soft.generation());
        }
        // A body that the filter no longer finds, such as a disabled one, does not carry either.
        let mut colliders = self.any_body(object)?.colliders();
        let is_found = colliders.any(|collider| self.filter.passes(&collider));
        if is_found { self.world.body_at(object).map(BodyId::generation) } else { None }
    }
}

impl<B: BroadPhase + SpatialIndex> Sweep for WorldSweep<'_, B> {
    fn sweep(&mut self, figure: &Figure, from: DVec3, displacement: DVec3, keep: f64) -> Option<SweepHit> {
        sweep_ignoring(self, figure, from, displacement, keep, &[])
    }

    fn sweep_carried(
        &mut self,
        figure: &Figure,
        from: DVec3,
        displacement: DVec3,
        keep: f64,
        carrier: u32,
    ) -> Option<SweepHit> {
        sweep_carried(self, figure, from, displacement, keep, carrier)
    }

    fn is_free(&mut self, figure: &Figure, position: DVec3) -> bool {
        is_free(self, figure, position)
    }

    fn nearest_free(&mut self, figure: &Figure, position: DVec3) -> Option<DVec3> {
        nearest_free(self, figure, position)
    }
}
