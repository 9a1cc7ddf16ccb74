//! The core of a body: a ball in its middle, which is swept even while the body overlaps something.
//!
//! A surface without an inside pushes a body to the side on which the middle of the body is. So
//! the middle must stay on its side. There are three cases:
//!
//! - The core does not touch the other body at the start: it is swept.
//! - The core touches the other body at the start: it shrinks to half the distance between its
//!   middle and the other body. So the sweep starts free. Below a least distance the body is
//!   stopped instead. Otherwise the distance would halve in each step.
//! - Its middle is inside the other body at the start: it is not swept, so the body can leave.
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference, 2013 (cores).
//! Differs: the core shrinks.

use alloc::vec::Vec;
use carom_geom::Sphere;
use carom_math::glam::DVec3;
use carom_math::{Pose, Vec3};
use carom_query::{Shape, ShapeKind, distance, project_point};

/// Radius of the core, as a fraction of the depth of its middle.
pub(crate) const CORE_DEPTH_RATIO: f32 = 0.25;

/// A middle that is nearer to another body than this fraction of its thickness may not approach
/// further.
const MIN_DISTANCE_RATIO: f32 = 1.0 / 64.0;

/// A ball that lies within a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Core {
    pub(crate) point: Vec3,
    pub(crate) radius: f32,
}

impl Core {
    /// Returns the core of a single shape around a point of it. A surface that does not enclose
    /// the point has none.
    pub(crate) fn of(shape: &Shape, center: Vec3) -> Option<Core> {
        if matches!(shape, Shape::HeightField(_))
            || matches!(shape.kind(), ShapeKind::HalfSpace(_) | ShapeKind::Field(_))
        {
            return None;
        }
        let point = if center.is_finite() { center } else { Vec3::ZERO };
        let nearest = project_point(shape, &Pose::IDENTITY, point)?;
        (nearest.distance < 0.0).then_some(Core { point, radius: -CORE_DEPTH_RATIO * nearest.distance })
    }

    /// Returns the fraction of a path, at most `end`, on which the core does not touch another
    /// body.
    ///
    /// `middle` is the start of the path, and `pose` the pose of the other body at that time.
    /// `cast` sweeps a ball instead of the core, and returns the fraction of the path that is
    /// free.
    pub(crate) fn free_until(
        &self,
        middle: DVec3,
        (other, pose): (&Shape, &Pose),
        end: f64,
        mut cast: impl FnMut(&Shape) -> f64,
    ) -> f64 {
        let Ok(ball) = Sphere::new(self.radius) else { return end };
        let until = cast(&Shape::Sphere(ball));
        if 0.0 < until {
            return until;
        }
        let Ok(point) = Sphere::new(0.0) else { return end };
        let at = Pose::from_translation(middle.as_vec3());
        let separation = distance(&Shape::Sphere(point), &at, other, pose).distance;
        if !(0.0 < separation) {
            return end;
        }
        let Ok(ball) = Sphere::new(0.5 * separation) else { return end };
        let until = cast(&Shape::Sphere(ball));
        let thickness = 2.0 / CORE_DEPTH_RATIO * self.radius;
        let is_too_near = separation < MIN_DISTANCE_RATIO * thickness;
        if until < end && is_too_near { 0.0 } else { until }
    }
}

/// Writes the cores of a shape to `cores`: one in the middle of each convex part.
pub(crate) fn find_cores(shape: &Shape, center_of_mass: Vec3, cores: &mut Vec<Core>) {
    cores.clear();
    match shape {
        Shape::Compound(compound) => {
            for part in compound.parts() {
                let core = Core::of(&part.shape, part.shape.mass_properties(1.0).center);
                cores.extend(core.map(|core| Core { point: part.pose.transform_point(core.point), ..core }));
            }
        }
        Shape::Mesh(_) => cores.extend(Core::of(shape, center_of_mass)),
        _ => cores.extend(Core::of(shape, shape.mass_properties(1.0).center)),
    }
}
