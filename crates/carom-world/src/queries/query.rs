//! Queries of the whole world: rays, overlaps, and the nearest collider.
//!
//! - The broad phase finds candidate bodies, and the shapes of their colliders are tested.
//! - If all colliders of a body pass the filter, or all solid ones, they are tested as one shape.
//!   Otherwise each collider that passes is tested.
//! - If two answers are equal, that with the smaller handle is returned, so the answer does not
//!   depend on the broad phase.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.4 (rays), 25.3.

use crate::bodies::BodySet;
use crate::bodies::body_bounds::boxed;
use crate::bodies::id::ColliderSlot;
use crate::world::DefaultBroadPhase;
use crate::{BodyId, ColliderId, QueryFilter, World};
use alloc::vec::Vec;
use carom_broad::{BroadPhase, SpatialIndex};
use carom_geom::{PointProjection, RayHit};
use carom_math::{Interval, Pose, Ray, Vec3};
use carom_query::{
    ImpactCounters, QueryCost, Shape, Workspace, cast_ray_all_counted, cast_ray_counted, intersects_counted,
    project_point_counted,
};
use core::ops::ControlFlow;

/// A hit of a ray on a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BodyHit {
    /// The body.
    pub body: BodyId,
    /// The collider that is hit.
    pub collider: ColliderId,
    /// The hit, in the world frame. Its part is numbered as in
    /// [`ColliderRef::shape`](crate::ColliderRef::shape).
    pub hit: RayHit,
}

/// The point of a collider nearest to a given point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NearBody {
    /// The body.
    pub body: BodyId,
    /// The collider that is nearest.
    pub collider: ColliderId,
    /// The point and its distance, in the world frame. Its part is numbered as in
    /// [`ColliderRef::shape`](crate::ColliderRef::shape).
    pub projection: PointProjection,
}

/// The work of the calls of a [`Query`] in counts: [`Query::stats`] (test:
/// `queries::a_query_counts_its_work`). The counts depend on the broad phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueryStats {
    /// Bodies that the broad phase reported, because their boxes meet the query. The nodes that it
    /// opened are not counted.
    pub n_bodies: u64,
    /// Shapes of these bodies that were tested: one for each collider, or one for all colliders of
    /// a body. Bodies that the filter rejects have none.
    pub n_shapes: u64,
    /// The cost of the tests of rays, points and overlaps.
    pub cost: QueryCost,
    /// The cost of the tests of casts.
    pub cast_cost: ImpactCounters,
}

/// The queries of a world, for the colliders that pass a filter: [`World::query`].
///
/// It keeps its buffers, so many queries with one query object allocate less.
pub struct Query<'a, B: BroadPhase = DefaultBroadPhase> {
    pub(crate) world: &'a World<B>,
    pub(crate) filter: QueryFilter<'a>,
    /// Candidates of casts, with the time before which they cannot be met.
    pub(crate) near: Vec<(f32, ColliderId)>,
    pub(crate) workspace: Workspace,
    pub(crate) stats: QueryStats,
    hits: Vec<BodyHit>,
    colliders: Vec<ColliderId>,
}

impl<B: BroadPhase> core::fmt::Debug for Query<'_, B> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Query").field("filter", &self.filter).finish_non_exhaustive()
    }
}

impl<B: BroadPhase> World<B> {
    /// Returns the queries for the colliders that pass a filter, at their present poses.
    ///
    /// ```
    /// use carom_geom::Sphere;
    /// use carom_math::{Ray, Vec3};
    /// use carom_query::Shape;
    /// use carom_world::{BodyDesc, QueryFilter, World};
    ///
    /// let mut world = World::new();
    /// let ball = world.insert(BodyDesc::fixed(Shape::Sphere(Sphere::new(1.0)?)))?;
    /// let down = Ray::new(Vec3::Y * 9.0, Vec3::NEG_Y);
    /// let hit = world.query(&QueryFilter::SOLID).cast_ray(&down, 100.0).unwrap();
    /// assert_eq!((hit.body, hit.hit.t), (ball, 8.0));
    /// assert!(world.query(&QueryFilter::DYNAMIC).cast_ray(&down, 100.0).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn query<'a>(&'a self, filter: &QueryFilter<'a>) -> Query<'a, B> {
        Query {
            world: self,
            filter: *filter,
            near: Vec::new(),
            workspace: Workspace::default(),
            stats: QueryStats::default(),
            hits: Vec::new(),
            colliders: Vec::new(),
        }
    }
}

impl<B: BroadPhase> Query<'_, B> {
    /// Returns the work of all calls of this object so far, hits and misses. Batches and queries of
    /// soft things are not counted.
    ///
    /// ```
    /// use carom_math::{Ray, Vec3};
    /// use carom_query::Shape;
    /// use carom_world::{BodyDesc, QueryFilter, World};
    ///
    /// let mut world = World::new();
    /// world.insert(BodyDesc::fixed(Shape::cuboid(Vec3::ONE)?))?;
    /// world.insert(BodyDesc::fixed(Shape::sphere(1.0)?).with_position(Vec3::X * 5.0))?;
    /// // The ray meets the box around the ball, and misses the ball.
    /// let mut query = world.query(&QueryFilter::SOLID);
    /// assert!(query.cast_ray(&Ray::new(Vec3::new(4.1, 9.0, 0.9), Vec3::NEG_Y), 100.0).is_none());
    /// let stats = query.stats();
    /// assert_eq!((stats.n_bodies, stats.n_shapes, stats.cost.pair_tests), (1, 1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stats(&self) -> &QueryStats {
        &self.stats
    }
}

impl<B: BroadPhase + SpatialIndex> Query<'_, B> {
    /// Returns the first hit of the ray with a parameter in `range`. The parameter is the distance
    /// divided by the length of the ray's direction. A number `x` as the range means 0 to `x`.
    ///
    /// Shapes are treated as surfaces: a ray from inside hits the far side. A ray with a NaN or an
    /// infinity hits nothing.
    pub fn cast_ray(&mut self, ray: &Ray, range: impl Into<Interval>) -> Option<BodyHit> {
        let range = range.into();
        let (mut best, mut stats): (Option<BodyHit>, _) = (None, self.stats);
        self.world.broad_phase().visit_ray(ray, range, &mut |candidate| {
            stats.n_bodies += 1;
            self.visit(candidate.index, &mut |found| {
                stats.n_shapes += 1;
                let within = Interval::new(range.min, best.map_or(range.max, |best| best.hit.t));
                let hit = cast_ray_counted(found.shape, found.pose, ray, within, &mut stats.cost);
                let Some(hit) = hit else { return };
                let hit = found.hit(hit);
                let key = |hit: &BodyHit| (hit.hit.t, hit.collider);
                if best.is_none_or(|best| key(&hit) < key(&best)) {
                    best = Some(hit);
                }
            });
            ControlFlow::Continue(best.map_or(range.max, |best| best.hit.t))
        });
        self.stats = stats;
        best
    }

    /// Returns all hits of the ray in `range`, sorted by the parameter, then by the collider: see
    /// [`Query::cast_ray`].
    pub fn cast_ray_all(&mut self, ray: &Ray, range: impl Into<Interval>) -> &[BodyHit] {
        let range = range.into();
        let (mut all, mut hits) = (core::mem::take(&mut self.hits), Vec::new());
        let mut stats = self.stats;
        all.clear();
        self.world.broad_phase().visit_ray(ray, range, &mut |candidate| {
            stats.n_bodies += 1;
            self.visit(candidate.index, &mut |found| {
                stats.n_shapes += 1;
                hits.clear();
                cast_ray_all_counted(found.shape, found.pose, ray, range, &mut hits, &mut stats.cost);
                all.extend(hits.iter().map(|&hit| found.hit(hit)));
            });
            ControlFlow::Continue(range.max)
        });
        all.sort_by(|a, b| a.hit.t.total_cmp(&b.hit.t).then(a.collider.cmp(&b.collider)));
        (self.hits, self.stats) = (all, stats);
        &self.hits
    }

    /// Returns the colliders that touch the shape at `pose` in the world, sorted by their handles.
    pub fn overlap_shape(&mut self, shape: &Shape, pose: &Pose) -> &[ColliderId] {
        let (mut all, mut stats) = (core::mem::take(&mut self.colliders), self.stats);
        all.clear();
        if pose.is_finite() {
            self.world.broad_phase().visit_box(&boxed(shape, pose, 0.0), &mut |index| {
                stats.n_bodies += 1;
                self.visit_each(index, &mut |collider, other, at| {
                    stats.n_shapes += 1;
                    if intersects_counted(shape, pose, other, at, &mut stats.cost) {
                        all.push(collider);
                    }
                });
                ControlFlow::Continue(())
            });
        }
        all.sort_unstable();
        (self.colliders, self.stats) = (all, stats);
        &self.colliders
    }

    /// Returns the collider nearest to the point, at most `max_distance` away. The distance is
    /// negative inside a collider. `None` if no collider is as near, or the point is not finite.
    pub fn nearest(&mut self, point: Vec3, max_distance: f32) -> Option<NearBody> {
        let (mut best, mut stats): (Option<NearBody>, _) = (None, self.stats);
        let limit = |best: Option<NearBody>| best.map_or(max_distance, |b| b.projection.distance.max(0.0));
        self.world.broad_phase().visit_near(point, max_distance, &mut |candidate| {
            stats.n_bodies += 1;
            self.visit(candidate.index, &mut |found| {
                stats.n_shapes += 1;
                let projection = project_point_counted(found.shape, found.pose, point, &mut stats.cost);
                let Some(mut projection) = projection else { return };
                let collider = found.collider(&mut projection.part);
                let near = NearBody { body: found.body, collider, projection };
                let key = |near: &NearBody| (near.projection.distance, near.collider);
                if projection.distance <= max_distance && best.is_none_or(|best| key(&near) < key(&best)) {
                    best = Some(near);
                }
            });
            ControlFlow::Continue(limit(best))
        });
        self.stats = stats;
        best
    }

    /// Calls `each` with the shapes of a body that pass.
    fn visit<'s>(&'s self, index: u32, each: &mut dyn FnMut(QueriedShape<'s>)) {
        let (bodies, filter) = (&self.world.bodies, &self.filter);
        let Some((body, shape, pose)) = self.may_find(index) else { return };
        let found = |slot, shape| QueriedShape { bodies, body, slot, shape, pose };
        let Some(composite) = bodies.composite(index as usize) else {
            if filter.finds(ColliderSlot::FIRST.on(body), &bodies.traits[index as usize]) {
                each(found(Some(ColliderSlot::FIRST), shape));
            }
            return;
        };
        let passing = |&(slot, traits): &(ColliderSlot, _)| filter.finds(slot.on(body), traits);
        let [mut n, mut n_solid, mut n_found, mut n_solid_found] = [0; 4];
        for (slot, traits) in composite.all_traits() {
            let [is_found, is_solid] = [passing(&(slot, traits)), !traits.is_sensor];
            (n, n_solid) = (n + 1, n_solid + u32::from(is_solid));
            n_found += u32::from(is_found);
            n_solid_found += u32::from(is_found && is_solid);
        }
        let whole = match n_found {
            0 => return,
            all if all == n => Some(shape),
            solid if solid == n_solid && solid == n_solid_found => composite.solid(),
            _ => None,
        };
        if let Some(shape) = whole {
            return each(found(None, shape));
        }
        for (slot, _) in composite.all_traits().filter(passing) {
            composite.placed(slot.index).into_iter().for_each(|shape| each(found(Some(slot), shape)));
        }
    }

    /// Calls `each` with the colliders of a body that pass, their shapes in the frame of the body,
    /// and the pose of the body.
    pub(crate) fn visit_each(&self, index: u32, each: &mut dyn FnMut(ColliderId, &Shape, &Pose)) {
        let bodies = &self.world.bodies;
        let Some((body, shape, pose)) = self.may_find(index) else { return };
        for (slot, traits) in bodies.solids([&[], &[]]).colliders(index as usize) {
            if self.filter.finds(slot.on(body), traits) {
                let placed = bodies.composite(index as usize).map(|all| all.placed(slot.index));
                placed.unwrap_or(Some(shape)).into_iter().for_each(|shape| each(slot.on(body), shape, pose));
            }
        }
    }

    /// Returns a body with a collider that may pass.
    fn may_find(&self, index: u32) -> Option<(BodyId, &Shape, &Pose)> {
        let found = self.world.bodies.solid_at(index)?;
        let mobility = self.world.bodies.traits[index as usize].filter.mobility;
        let is_found =
            self.world.bodies.is_enabled(index as usize) && self.filter.may_find(found.0, mobility);
        is_found.then_some(found)
    }
}

/// A shape of a body: of one collider, or of several.
struct QueriedShape<'a> {
    bodies: &'a BodySet,
    body: BodyId,
    /// The collider, if it is one.
    slot: Option<ColliderSlot>,
    /// The shape, in the frame of the body.
    shape: &'a Shape,
    pose: &'a Pose,
}

impl QueriedShape<'_> {
    fn hit(&self, mut hit: RayHit) -> BodyHit {
        let collider = self.collider(&mut hit.part);
        BodyHit { body: self.body, collider, hit }
    }

    /// Returns the collider of a part, and changes `part` from its number on the body to that in
    /// the collider.
    fn collider(&self, part: &mut u32) -> ColliderId {
        let index = self.body.index as usize;
        let (slot, own) = match (self.slot, self.bodies.composite(index), &self.bodies.shapes[index]) {
            (Some(slot), ..) => (slot, *part),
            (None, Some(composite), Some(shape)) => composite.locate(shape, *part),
            _ => (ColliderSlot::FIRST, *part),
        };
        *part = own;
        slot.on(self.body)
    }
}
