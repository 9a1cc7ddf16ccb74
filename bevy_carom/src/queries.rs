//! Queries between steps, which answer with entities.

use crate::convert::{pose_of, to_bevy, to_carom};
use crate::physics_world::PhysicsWorld;
use bevy_ecs::entity::Entity;
use bevy_math::Vec3;
use bevy_transform::components::Transform;
use carom_ccd::ImpactSettings;
use carom_math::{Interval, Ray};
use carom_query::Shape;
use carom_world::{BodyHit, BodyId, ColliderId, QueryFilter};

/// The first hit of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EntityHit {
    /// The entity of the body.
    pub body: Entity,
    /// The entity of the collider.
    pub collider: Entity,
    /// Lengths of the direction from the origin to the point.
    pub t: f32,
    /// The point, in the world.
    pub point: Vec3,
    /// The outward unit normal there.
    pub normal: Vec3,
}

/// The first impact of a moving shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EntityImpact {
    /// The entity of the body.
    pub body: Entity,
    /// The entity of the collider.
    pub collider: Entity,
    /// The part of the displacement, from 0 to 1, up to which the shape touches nothing.
    pub safe_until: f64,
}

/// The collider that is nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearEntity {
    /// The entity of the body.
    pub body: Entity,
    /// The entity of the collider.
    pub collider: Entity,
    /// The nearest point of its surface, in the world.
    pub point: Vec3,
    /// The distance to it; negative inside.
    pub distance: f32,
}

impl PhysicsWorld {
    /// Returns the first collider that a ray hits within `max_t` lengths of its direction. Bodies
    /// that no entity has are hit by [`World::query`](carom_world::World::query) alone; so it is
    /// for all queries here.
    pub fn cast_ray(
        &self,
        origin: Vec3,
        direction: Vec3,
        max_t: f32,
        filter: &QueryFilter<'_>,
    ) -> Option<EntityHit> {
        let ray = Ray::new(to_carom(origin), to_carom(direction));
        let range = Interval::new(0.0, max_t);
        self.with_entities(filter, |filter| self.hit(&self.world.query(filter).cast_ray(&ray, range)?, &ray))
    }

    /// Returns each hit of a ray within `max_t` lengths of its direction, by distance.
    pub fn cast_ray_all(
        &self,
        origin: Vec3,
        direction: Vec3,
        max_t: f32,
        filter: &QueryFilter<'_>,
    ) -> Vec<EntityHit> {
        let ray = Ray::new(to_carom(origin), to_carom(direction));
        let range = Interval::new(0.0, max_t);
        self.with_entities(filter, |filter| {
            let mut query = self.world.query(filter);
            query.cast_ray_all(&ray, range).iter().filter_map(|hit| self.hit(hit, &ray)).collect()
        })
    }

    /// Returns the first collider that a shape meets on a straight path from its transform, without
    /// rotation. The scale of the transform does not count.
    pub fn cast_shape(
        &self,
        shape: &Shape,
        transform: &Transform,
        displacement: Vec3,
        filter: &QueryFilter<'_>,
    ) -> Option<EntityImpact> {
        let (settings, displacement) = (ImpactSettings::default(), to_carom(displacement));
        let impact = self.with_entities(filter, |filter| {
            self.world.query(filter).cast_shape(shape, &pose_of(transform), displacement, &settings)
        })?;
        let (body, collider) = self.names(impact.body, impact.collider)?;
        Some(EntityImpact { body, collider, safe_until: impact.safe_until() })
    }

    /// Returns the entities of the colliders that a shape overlaps. The scale of the transform
    /// does not count.
    pub fn overlap_shape(
        &self,
        shape: &Shape,
        transform: &Transform,
        filter: &QueryFilter<'_>,
    ) -> Vec<Entity> {
        self.with_entities(filter, |filter| {
            let mut query = self.world.query(filter);
            let found = query.overlap_shape(shape, &pose_of(transform));
            found.iter().filter_map(|id| self.entity_of_collider(*id)).collect()
        })
    }

    /// Returns the collider whose surface is nearest to a point, within a distance.
    pub fn nearest(&self, point: Vec3, max_distance: f32, filter: &QueryFilter<'_>) -> Option<NearEntity> {
        let near = self.with_entities(filter, |filter| {
            self.world.query(filter).nearest(to_carom(point), max_distance)
        })?;
        let (body, collider) = self.names(near.body, near.collider)?;
        let point = to_bevy(near.projection.point);
        Some(NearEntity { body, collider, point, distance: near.projection.distance })
    }

    /// Asks a question with a filter that passes over what no entity has.
    fn with_entities<R>(&self, filter: &QueryFilter<'_>, ask: impl FnOnce(&QueryFilter<'_>) -> R) -> R {
        let passes = |id: ColliderId| {
            self.names(id.body(), id).is_some() && filter.predicate.is_none_or(|predicate| predicate(id))
        };
        ask(&filter.with_predicate(&passes))
    }

    fn hit(&self, hit: &BodyHit, ray: &Ray) -> Option<EntityHit> {
        let (body, collider) = self.names(hit.body, hit.collider)?;
        let (t, normal) = (hit.hit.t, to_bevy(hit.hit.normal));
        Some(EntityHit { body, collider, t, point: to_bevy(ray.at(t)), normal })
    }

    fn names(&self, body: BodyId, collider: ColliderId) -> Option<(Entity, Entity)> {
        Some((self.entity_of(body)?, self.entity_of_collider(collider)?))
    }
}
