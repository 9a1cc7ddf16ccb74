//! Many queries of the world at once. The answers are those of single queries, in the order of the
//! queries.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5 (queries are independent,
//! so they can be split).

use crate::queries::cast::CastMemory;
use crate::{BodyHit, BodyId, BodyImpact, NearBody, World};
use alloc::vec::Vec;
use carom_broad::{Answers, BroadPhase, SpatialIndex};
use carom_math::{Interval, Pose, Ray, Vec3};
use carom_query::{ImpactSettings, Motion, Shape};

/// A filter of answers: takes the number of a query and a body, and returns whether the body may be
/// the answer.
pub type Wanted<'a> = &'a (dyn Fn(usize, BodyId) -> bool + Sync);

/// Runs on the threads of rayon with the feature `parallel`, with the same answers. If a query has
/// at most one answer, its entry in `out` has one or none.
impl<B: BroadPhase + SpatialIndex + Sync> World<B> {
    /// Makes `out` the answers of [`World::ray_cast`].
    ///
    /// ```
    /// use carom_broad::Answers;
    /// use carom_geom::Sphere;
    /// use carom_math::{Interval, Ray, Vec3};
    /// use carom_query::Shape;
    /// use carom_world::{BodyDesc, World};
    ///
    /// let mut world = World::new();
    /// let ball = world.insert(BodyDesc::fixed(Shape::Sphere(Sphere::new(1.0)?)))?;
    /// let down = |x| Ray::new(Vec3::new(x, 9.0, 0.0), Vec3::NEG_Y);
    /// let rays = [0.0, 5.0].map(|x| (down(x), Interval::FORWARD));
    /// let mut hits = Answers::new();
    /// world.ray_cast_batch(&rays, &|_, _| true, &mut hits);
    /// assert_eq!((hits.of(0)[0].body, hits.of(0)[0].hit.t), (ball, 8.0));
    /// assert!(hits.of(1).is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ray_cast_batch(&self, rays: &[(Ray, Interval)], wanted: Wanted<'_>, out: &mut Answers<BodyHit>) {
        out.gather(
            rays,
            || (),
            |(), number, (ray, interval), out| {
                out.extend(self.ray_cast(ray, *interval, &|body| wanted(number, body)));
            },
        );
    }

    /// Makes `out` the answers of [`World::ray_cast_all`].
    pub fn ray_cast_all_batch(&self, rays: &[(Ray, Interval)], out: &mut Answers<BodyHit>) {
        out.gather(rays, || (), |(), _, (ray, interval), out| self.ray_cast_all(ray, *interval, out));
    }

    /// Makes `out` the answers of [`World::cast`].
    pub fn cast_batch(
        &self,
        casts: &[(&Shape, Motion)],
        settings: &ImpactSettings,
        wanted: Wanted<'_>,
        out: &mut Answers<BodyImpact>,
    ) {
        out.gather(casts, CastMemory::default, |memory, number, (shape, motion), out| {
            out.extend(self.cast_in(shape, motion, settings, &|body| wanted(number, body), memory));
        });
    }

    /// Makes `out` the answers of [`World::overlapping`].
    pub fn overlapping_batch(&self, places: &[(&Shape, Pose)], out: &mut Answers<BodyId>) {
        out.gather(places, || (), |(), _, (shape, pose), out| self.overlapping(shape, pose, out));
    }

    /// Makes `out` the answers of [`World::nearest`] to points, each with its largest distance.
    pub fn nearest_batch(&self, points: &[(Vec3, f32)], wanted: Wanted<'_>, out: &mut Answers<NearBody>) {
        out.gather(
            points,
            || (),
            |(), number, (point, max_distance), out: &mut Vec<NearBody>| {
                out.extend(self.nearest(*point, *max_distance, &|body| wanted(number, body)));
            },
        );
    }
}
