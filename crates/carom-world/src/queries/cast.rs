//! Shape casts: the first collider that a moving shape meets. The bodies of the world do not move.
//!
//! The broad phase finds candidates in a box around the whole path. They are tested in the order of
//! the earliest time at which the shape can reach their boxes, including rotation. The search ends
//! when the next candidate cannot be met sooner than the best one.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.5 (moving bodies); Akenine-Moller
//! et al., Real-Time Rendering, 4th ed., 25.8.
//! Differs: the times are certified brackets, and an undecided collider is reported, not skipped.

use crate::bodies::body_bounds::{boxed, clamped};
use crate::{BodyId, ColliderId, Query};
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, SpatialIndex, ray_box_entry};
use carom_math::glam::{DQuat, DVec3};
use carom_math::{Interval, Pose, Ray, Vec3, ops, rounding};
use carom_query::{ImpactSettings, Motion, Shape, TimeOfImpact, cast_counted, motion_of};
use core::ops::ControlFlow;

/// The relative error of a number that is rounded to `f32` and used twice.
const ROUNDING: f64 = 2.0 * f32::EPSILON as f64;

/// The first collider that a moving shape meets.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BodyImpact {
    /// The body.
    pub body: BodyId,
    /// The collider that is met.
    pub collider: ColliderId,
    /// The time and the contact, in the world frame. The moving shape is the first one, and the
    /// collider the second one. It is a hit, or undecided if the shapes only graze each other; it
    /// is never clear. The part of the second shape is numbered as in
    /// [`ColliderRef::shape`](crate::ColliderRef::shape).
    pub time: TimeOfImpact,
}

impl BodyImpact {
    /// Returns the time before which the shape touches no collider that passes the filter.
    pub fn safe_until(&self) -> f64 {
        // The result is not clear, so the argument is not used.
        self.time.safe_until(f64::INFINITY)
    }
}

impl<B: BroadPhase + SpatialIndex> Query<'_, B> {
    /// Returns the first collider that the shape meets on its path, rotation included. The bodies
    /// of the world do not move.
    ///
    /// The range of times and the target distance are those of the settings.
    /// [`carom_query::motion_of`] makes a motion from a pose and velocities. If colliders are met
    /// at the same time, the one with the smallest handle is returned. With `None` the shape meets
    /// none (test: `queries::casts_are_like_a_walk_over_all`). An undecided search is returned as
    /// an impact. If the path leaves the finite range, all bodies are tested.
    ///
    /// ```
    /// use carom_geom::Sphere;
    /// use carom_math::{Pose, Vec3};
    /// use carom_query::{ImpactSettings, Shape, motion_of};
    /// use carom_world::{BodyDesc, QueryFilter, World};
    ///
    /// let ball = Shape::Sphere(Sphere::new(0.5)?);
    /// let mut world = World::new();
    /// world.insert(BodyDesc::fixed(ball.clone()).with_position(Vec3::X * 9.0))?;
    /// let near = world.insert(BodyDesc::fixed(ball.clone()).with_position(Vec3::X * 5.0))?;
    ///
    /// let path = motion_of(&Pose::IDENTITY, Vec3::ZERO, Vec3::X * 10.0, Vec3::ZERO)?;
    /// let mut query = world.query(&QueryFilter::SOLID);
    /// let first = query.cast_motion(&ball, &path, &ImpactSettings::default()).unwrap();
    /// assert_eq!(first.body, near);
    /// assert!((first.safe_until() - 0.4).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast_motion(
        &mut self,
        shape: &Shape,
        motion: &Motion,
        settings: &ImpactSettings,
    ) -> Option<BodyImpact> {
        let path = SweptBounds::new(shape, motion, settings);
        let (mut near, mut stats) = (core::mem::take(&mut self.near), self.stats);
        near.clear();
        self.world.broad_phase().visit_box(&path.all, &mut |index| {
            stats.n_bodies += 1;
            self.visit_each(index, &mut |collider, other, pose| {
                if let Some(entry) = path.entry(&boxed(other, pose, 0.0)) {
                    near.push((entry, collider));
                }
            });
            ControlFlow::Continue(())
        });
        near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best: Option<BodyImpact> = None;
        for &(entry, collider) in &near {
            if best.is_some_and(|best| best.safe_until() < f64::from(entry)) {
                break;
            }
            let Ok(found) = self.world.collider(collider) else { continue };
            let pose = found.body().pose();
            let Ok(still) = Motion::fixed(pose.rotation.as_dquat(), pose.translation.as_dvec3()) else {
                continue;
            };
            stats.n_shapes += 1;
            let (other, cost) = (found.shape_in_body(), &mut stats.cast_cost);
            let time = cast_counted(shape, motion, other, &still, settings, &mut self.workspace, cost);
            if matches!(time, TimeOfImpact::Clear(_)) {
                continue;
            }
            let met = BodyImpact { body: collider.body, collider, time };
            let key = |impact: &BodyImpact| (impact.safe_until(), impact.collider);
            if best.is_none_or(|best| key(&met) < key(&best)) {
                best = Some(met);
            }
        }
        (self.near, self.stats) = (near, stats);
        best
    }

    /// Returns the first collider that the shape meets on a straight path from a pose, without
    /// rotation: see [`Query::cast_motion`]. At time 1 the shape is displaced by `displacement`,
    /// in the world frame.
    ///
    /// A shape that overlaps a collider at the start meets it at time 0. A shape that exactly
    /// touches a collider at the start is undecided at time 0, even if it slides along or leaves.
    /// To cast such a shape, use [`Query::cast_motion`] with a target distance, and
    /// [`ImpactSettings::stop_at_penetration`](carom_query::ImpactSettings::stop_at_penetration)
    /// off.
    ///
    /// A pose or displacement that is not finite meets nothing.
    pub fn cast_shape(
        &mut self,
        shape: &Shape,
        from: &Pose,
        displacement: Vec3,
        settings: &ImpactSettings,
    ) -> Option<BodyImpact> {
        let motion = motion_of(from, Vec3::ZERO, displacement, Vec3::ZERO).ok()?;
        self.cast_motion(shape, &motion, settings)
    }
}

/// Boxes around a moving shape.
struct SweptBounds {
    /// Around the whole path.
    all: Aabb,
    /// The path of the point about which the shape turns: its position at time 0, and its velocity.
    center: Ray,
    /// Corners of a box around the shape, relative to that point. It contains all rotations on the
    /// path, the target distance and rounding errors.
    around: [DVec3; 2],
    times: Interval,
}

impl SweptBounds {
    fn new(shape: &Shape, motion: &Motion, settings: &ImpactSettings) -> SweptBounds {
        let (start, end) = (settings.start_time, settings.max_time);
        let turn = ops::sqrt(motion.angular().length_squared()) * (end - start);
        // The orientation at the start. All later ones differ by at most the total rotation.
        let rotation = DQuat::from_mat3(&motion.pose_at(start).rotation).normalize().as_quat();
        let center = motion.local_center();
        let local = shape.aabb(&Pose::from_translation(-center.as_vec3()));
        let around = local.over_motion(&Pose::new(rotation, Vec3::ZERO), Vec3::ZERO, rounding::up(turn));
        // The rounding to f32 of the centre and its path, of the middle of the shape, and of its
        // rotated points.
        let first = ops::sqrt(motion.center_at(0.0).length_squared());
        let travel = ops::sqrt(motion.linear().length_squared()) * start.abs().max(end.abs());
        let size = ops::sqrt(local.min.abs().max(local.max.abs()).as_dvec3().length_squared());
        let moved = ROUNDING * (first + travel + size + ops::sqrt(center.length_squared()));
        let margin = DVec3::splat(settings.target_distance.max(0.0) + moved);
        let (low, high) = (around.min.as_dvec3() - margin, around.max.as_dvec3() + margin);
        let [from, to] = [start, end].map(|t| motion.center_at(t));
        SweptBounds {
            all: clamped(&Aabb::around(from.min(to) + low, from.max(to) + high)),
            center: Ray::new(motion.center_at(0.0).as_vec3(), motion.linear().as_vec3()),
            around: [low, high],
            times: Interval::new(rounding::down(start), rounding::up(end)),
        }
    }

    /// Returns a time before which the shape does not reach the box; `None` if it does not reach it
    /// at all.
    fn entry(&self, aabb: &Aabb) -> Option<f32> {
        if !(self.center.origin.is_finite() && self.center.direction.is_finite()) {
            return Some(self.times.min);
        }
        // Positions of the centre at which the boxes touch.
        let [low, high] = self.around;
        let grown = Aabb::around(aabb.min.as_dvec3() - high, aabb.max.as_dvec3() - low);
        ray_box_entry(&self.center, &clamped(&grown), self.times)
    }
}
