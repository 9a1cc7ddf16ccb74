//! Shape casts: the first body that a moving shape meets. The bodies do not move meanwhile.
//!
//! The broad phase finds candidates in a box around the whole path. They are tested in the order in
//! which the shape can first reach their boxes, rotation included. The walk ends when the next
//! candidate cannot be met sooner than the best one.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.5 (moving bodies); Akenine-Moller
//! et al., Real-Time Rendering, 4th ed., 25.8.
//! Differs: the times are brackets with a proof, and an undecided body is reported, not passed.

use crate::bodies::body_bounds::clamped;
use crate::{BodyId, World};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, SpatialIndex, ray_box_entry};
use carom_math::glam::{DQuat, DVec3};
use carom_math::{Interval, Pose, Ray, Vec3, ops, rounding};
use carom_query::{ImpactSettings, Motion, Shape, TimeOfImpact, Workspace, cast_with};
use core::ops::ControlFlow;

/// The rounding error of a number that is rounded to f32 and used twice.
const ROUNDING: f64 = 2.0 * f32::EPSILON as f64;

/// The first body that a moving shape meets.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BodyImpact {
    /// The body.
    pub body: BodyId,
    /// The time and the contact, in the world frame, with the shape first. It is a hit; or, if
    /// shapes only touch or slide along each other, undecided from a time on. It is not clear.
    pub time: TimeOfImpact,
}

impl BodyImpact {
    /// Returns the time before which the shape touches no wanted body.
    pub fn safe_until(&self) -> f64 {
        // It is not clear, so the argument does not matter.
        self.time.safe_until(f64::INFINITY)
    }
}

impl<B: BroadPhase + SpatialIndex> World<B> {
    /// Returns the first body that the shape meets on its path, rotation included, if `wanted` is
    /// true for it. The bodies stand still.
    ///
    /// Times, and the distance that counts as met, are those of the settings.
    /// [`carom_query::motion_of`] makes a motion from a pose and velocities. If bodies are met at
    /// the same time, the one with the smallest number counts. `None` is a proof that none is met.
    /// If the path leaves the finite range, all bodies are tested.
    ///
    /// ```
    /// use carom_geom::Sphere;
    /// use carom_math::{Pose, Vec3};
    /// use carom_query::{ImpactSettings, Shape, motion_of};
    /// use carom_world::{BodyDesc, World};
    ///
    /// let ball = Shape::Sphere(Sphere::new(0.5)?);
    /// let mut world = World::new();
    /// world.insert(BodyDesc::fixed(ball.clone()).with_position(Vec3::X * 9.0))?;
    /// let near = world.insert(BodyDesc::fixed(ball.clone()).with_position(Vec3::X * 5.0))?;
    ///
    /// let way = motion_of(&Pose::IDENTITY, Vec3::ZERO, Vec3::X * 10.0, Vec3::ZERO)?;
    /// let first = world.cast(&ball, &way, &ImpactSettings::default(), &|_| true).unwrap();
    /// assert_eq!(first.body, near);
    /// assert!((first.safe_until() - 0.4).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast(
        &self,
        shape: &Shape,
        motion: &Motion,
        settings: &ImpactSettings,
        wanted: &dyn Fn(BodyId) -> bool,
    ) -> Option<BodyImpact> {
        self.cast_in(shape, motion, settings, wanted, &mut CastMemory::default())
    }

    /// [`World::cast`] with scratch memory.
    pub(crate) fn cast_in(
        &self,
        shape: &Shape,
        motion: &Motion,
        settings: &ImpactSettings,
        wanted: &dyn Fn(BodyId) -> bool,
        memory: &mut CastMemory,
    ) -> Option<BodyImpact> {
        let way = SweptBounds::new(shape, motion, settings);
        memory.near.clear();
        self.broad_phase().visit_box(&way.all, &mut |index| {
            if let Some((body, ..)) = self.bodies.solid_at(index).filter(|solid| wanted(solid.0))
                && let Ok(aabb) = self.body(body).map(|body| body.aabb())
                && let Some(entry) = way.entry(&aabb)
            {
                memory.near.push((entry, body));
            }
            ControlFlow::Continue(())
        });
        memory.near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best: Option<BodyImpact> = None;
        for &(entry, body) in &memory.near {
            if best.is_some_and(|best| best.safe_until() < f64::from(entry)) {
                break;
            }
            let Some((_, other, pose)) = self.bodies.solid_at(body.index()) else { continue };
            let Ok(still) = Motion::fixed(pose.rotation.as_dquat(), pose.translation.as_dvec3()) else {
                continue;
            };
            let time = cast_with(shape, motion, other, &still, settings, &mut memory.query);
            if matches!(time, TimeOfImpact::Clear(_)) {
                continue;
            }
            let found = BodyImpact { body, time };
            let key = |impact: &BodyImpact| (impact.safe_until(), impact.body);
            if best.is_none_or(|best| key(&found) < key(&best)) {
                best = Some(found);
            }
        }
        best
    }
}

/// Scratch memory of casts.
#[derive(Default)]
pub(crate) struct CastMemory {
    /// Candidates, with the time before which they cannot be met.
    near: Vec<(f32, BodyId)>,
    query: Workspace,
}

/// Boxes around a moving shape.
struct SweptBounds {
    /// Around the whole path.
    all: Aabb,
    /// The path of the point about which the shape turns: its position at time 0, and its velocity.
    center: Ray,
    /// Corners of a box around the shape, relative to that point. It holds all rotations on the
    /// path, the target distance and rounding.
    around: [DVec3; 2],
    times: Interval,
}

impl SweptBounds {
    fn new(shape: &Shape, motion: &Motion, settings: &ImpactSettings) -> SweptBounds {
        let (start, end) = (settings.start_time, settings.max_time);
        let turn = ops::sqrt(motion.angular().length_squared()) * (end - start);
        // The orientation at the start; every one on the way is within the turn of it.
        let rotation = DQuat::from_mat3(&motion.pose_at(start).rotation).normalize().as_quat();
        let center = motion.local_center();
        let local = shape.aabb(&Pose::from_translation(-center.as_vec3()));
        let around = local.over_motion(&Pose::new(rotation, Vec3::ZERO), Vec3::ZERO, rounding::up(turn));
        // The rounding to f32 of the centre and its path, of the middle of the shape, and of its
        // rotated points.
        let first = ops::sqrt(motion.center_at(0.0).length_squared());
        let way = ops::sqrt(motion.linear().length_squared()) * start.abs().max(end.abs());
        let size = ops::sqrt(local.min.abs().max(local.max.abs()).as_dvec3().length_squared());
        let moved = ROUNDING * (first + way + size + ops::sqrt(center.length_squared()));
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
