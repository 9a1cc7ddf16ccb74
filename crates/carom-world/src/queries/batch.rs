//! Many queries of the world at once. The answers are those of single queries, in their order.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5 (queries are independent,
//! so they can be split).

use crate::{BodyHit, BodyImpact, ColliderId, NearBody, Query};
use carom_broad::{Answers, BroadPhase, SpatialIndex};
use carom_math::{Interval, Pose, Ray, Vec3};
use carom_query::{ImpactSettings, Motion, Shape};

/// Batches of queries. With the feature `parallel` they run on the threads of rayon, with the same
/// answers. A query with at most one answer has one or none in its entry of `out`.
///
/// All queries of a batch have the same filter. For different filters call [`Answers::gather`],
/// with a [`World::query`](crate::World::query) for each.
impl<B: BroadPhase + SpatialIndex + Sync> Query<'_, B> {
    /// Writes the answers of [`Query::cast_ray`] to `out`.
    ///
    /// ```
    /// use carom_broad::Answers;
    /// use carom_geom::Sphere;
    /// use carom_math::{Interval, Ray, Vec3};
    /// use carom_query::Shape;
    /// use carom_world::{BodyDesc, QueryFilter, World};
    ///
    /// let mut world = World::new();
    /// let ball = world.insert(BodyDesc::fixed(Shape::Sphere(Sphere::new(1.0)?)))?;
    /// let down = |x| Ray::new(Vec3::new(x, 9.0, 0.0), Vec3::NEG_Y);
    /// let rays = [0.0, 5.0].map(|x| (down(x), Interval::FORWARD));
    /// let mut hits = Answers::new();
    /// world.query(&QueryFilter::SOLID).cast_ray_batch(&rays, &mut hits);
    /// assert_eq!((hits.of(0)[0].body, hits.of(0)[0].hit.t), (ball, 8.0));
    /// assert!(hits.of(1).is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast_ray_batch(&self, rays: &[(Ray, Interval)], out: &mut Answers<BodyHit>) {
        out.gather(
            rays,
            || self.fresh(),
            |query, _, (ray, range), out| out.extend(query.cast_ray(ray, *range)),
        );
    }

    /// Writes the answers of [`Query::cast_ray_all`] to `out`.
    pub fn cast_ray_all_batch(&self, rays: &[(Ray, Interval)], out: &mut Answers<BodyHit>) {
        out.gather(
            rays,
            || self.fresh(),
            |query, _, (ray, range), out| out.extend_from_slice(query.cast_ray_all(ray, *range)),
        );
    }

    /// Writes the answers of [`Query::cast_motion`] to `out`.
    pub fn cast_motion_batch(
        &self,
        casts: &[(&Shape, Motion)],
        settings: &ImpactSettings,
        out: &mut Answers<BodyImpact>,
    ) {
        out.gather(
            casts,
            || self.fresh(),
            |query, _, (shape, motion), out| out.extend(query.cast_motion(shape, motion, settings)),
        );
    }

    /// Writes the answers of [`Query::overlap_shape`] to `out`.
    pub fn overlap_shape_batch(&self, places: &[(&Shape, Pose)], out: &mut Answers<ColliderId>) {
        out.gather(
            places,
            || self.fresh(),
            |query, _, (shape, pose), out| out.extend_from_slice(query.overlap_shape(shape, pose)),
        );
    }

    /// Writes the answers of [`Query::nearest`] to `out`. Each point comes with its largest
    /// distance.
    pub fn nearest_batch(&self, points: &[(Vec3, f32)], out: &mut Answers<NearBody>) {
        out.gather(
            points,
            || self.fresh(),
            |query, _, (point, max_distance), out| out.extend(query.nearest(*point, *max_distance)),
        );
    }

    /// Returns the same queries with their own workspace.
    fn fresh(&self) -> Query<'_, B> {
        self.world.query(&self.filter)
    }
}
