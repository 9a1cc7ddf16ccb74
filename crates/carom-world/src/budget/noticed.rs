//! How noticeable a body is to a viewer, from its size, its position in the view and its speed.
//!
//! - The eye resolves the finest angle in the direction in which it looks. The angle between that
//!   direction and another one is the eccentricity. The resolved angle grows linearly with it.
//! - A body that moves across the view is blurred: details are lost below the angle by which it
//!   moves during [`EXPOSURE`].
//! - The noticeability is the angular size of the body divided by the resolved angle.
//!
//! The result depends on resolution alone, not on colour, contrast or meaning.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6 (priority by visibility,
//! eccentricity, distance); R. Kulpa et al., Imperceptible Relaxation of Collision Avoidance
//! Constraints in Virtual Crowds, ACM TOG 30(6), 2011; B. Guenter et al., Foveated 3D Graphics, ACM
//! TOG 31(6), 2012 (the resolved angle is linear in the eccentricity).
//! Differs: the result follows from angles that the eye resolves, not from thresholds of a user
//! study.

use crate::WorldError;
use crate::bodies::checks::{check_finite, demand};
use carom_math::glam::DVec3;
use carom_math::{Vec3, ops};
use core::f64::consts::{FRAC_PI_2, PI};

/// The eccentricity at which the resolved angle is twice the finest one, in radians: 2.5 degrees.
/// Measured values are from 1 to 4 degrees, and depend on the task.
const DOUBLING_ECCENTRICITY: f64 = 2.5 / 180.0 * PI;

/// The time over which the eye adds up light (Bloch's law), in seconds. The value is that of
/// daylight: measured ones are from 0.03 s in bright light to 0.1 s in the dark.
const EXPOSURE: f64 = 0.04;

/// A viewer, an eye or a camera, that looks in one direction.
///
/// It gives the priorities of pairs for `AnytimeMeshes::run_by` of carom-query. An overlap of two
/// bodies is noticed no more than the less noticeable one of them. So the priority of a pair is
/// the smaller noticeability of its bodies. The resolved angle is also the argument `angle` of
/// [`allowed_error`](crate::allowed_error).
///
/// ```
/// use carom_math::Vec3;
/// use carom_world::Viewer;
///
/// // A view of 60 degrees with pixels of a milliradian.
/// let viewer = Viewer::new(Vec3::ZERO, Vec3::NEG_Z, 0.52, 0.001)?;
/// let near = viewer.noticeability(Vec3::new(0.0, 0.0, -5.0), 0.5, Vec3::ZERO);
/// let far = viewer.noticeability(Vec3::new(0.0, 0.0, -50.0), 0.5, Vec3::ZERO);
/// let fast = viewer.noticeability(Vec3::new(0.0, 0.0, -5.0), 0.5, Vec3::X * 10.0);
/// let behind = viewer.noticeability(Vec3::new(0.0, 0.0, 5.0), 0.5, Vec3::ZERO);
/// assert!(behind == 0.0 && far < near && fast < near);
/// # Ok::<(), carom_world::WorldError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewer {
    position: DVec3,
    /// The direction of the view, a unit vector.
    forward: DVec3,
    half_view: f64,
    finest: f64,
}

/// A ball as it is seen.
struct ViewedBall {
    /// Half of the angle at which it is seen, in radians.
    radius: f64,
    /// The angle from the direction of the view to its nearest point, in radians.
    eccentricity: f64,
    /// The speed of its centre across the view, in radians per second.
    speed: f64,
}

impl Viewer {
    /// Returns a viewer at `position`. `forward` is the direction in which it looks, of any length
    /// but 0. `half_view` is the angle from there to the border of the view, above 0 and at most
    /// pi. `finest_angle` is the angle that the viewer resolves in that direction: the angle of a
    /// pixel, or 0.0003 for a good eye. Angles are in radians.
    ///
    /// Errors: [`WorldError::BadValue`] with the first number that is wrong, in the order of the
    /// arguments.
    pub fn new(
        position: Vec3,
        forward: Vec3,
        half_view: f32,
        finest_angle: f32,
    ) -> Result<Viewer, WorldError> {
        let along = forward.as_dvec3();
        let length = ops::sqrt(along.length_squared());
        check_finite(position, "position of a viewer")?;
        let is_direction = 0.0 < length && length < f64::INFINITY;
        demand(is_direction, "length of the direction of a viewer", length as f32)?;
        let is_angle = 0.0 < half_view && half_view <= core::f32::consts::PI;
        demand(is_angle, "half view of a viewer", half_view)?;
        let is_angle = 0.0 < finest_angle && finest_angle < f32::INFINITY;
        demand(is_angle, "finest angle of a viewer", finest_angle)?;
        Ok(Viewer {
            position: position.as_dvec3(),
            forward: along / length,
            half_view: half_view.into(),
            finest: finest_angle.into(),
        })
    }

    /// Returns the smallest angle, in radians, that is resolved on a ball. It is infinite if the
    /// ball is out of the view, or an argument is not finite.
    ///
    /// `center` and `radius` are those of a ball around a body, in the unit of the position.
    /// `velocity` is relative to the viewer, in this unit per second, because the exposure of an
    /// eye is in seconds. The angle times the distance is the error that is not noticed:
    /// [`allowed_error`](crate::allowed_error).
    pub fn resolved_angle(&self, center: Vec3, radius: f32, velocity: Vec3) -> f32 {
        self.view_ball(center, radius, velocity).map_or(f32::INFINITY, |ball| self.resolved(&ball) as f32)
    }

    /// Returns the angular size of the ball divided by the smallest resolved angle. It is 0 if the
    /// ball is out of the view, or an argument is not finite. Below 1 the body is smaller than a
    /// dot.
    ///
    /// The arguments are those of [`Viewer::resolved_angle`]. The number falls with the distance,
    /// the eccentricity and the speed, and grows with the radius (test:
    /// `noticed::far_small_fast_and_eccentric_balls_are_noticed_less`).
    pub fn noticeability(&self, center: Vec3, radius: f32, velocity: Vec3) -> f32 {
        // The conversion may round to infinity, which is the largest priority.
        self.view_ball(center, radius, velocity)
            .map_or(0.0, |ball| (2.0 * ball.radius / self.resolved(&ball)) as f32)
    }

    fn resolved(&self, ball: &ViewedBall) -> f64 {
        self.finest * (1.0 + ball.eccentricity / DOUBLING_ECCENTRICITY) + ball.speed * EXPOSURE
    }

    /// Returns `None` for a ball out of the view.
    fn view_ball(&self, center: Vec3, radius: f32, velocity: Vec3) -> Option<ViewedBall> {
        if !(center.is_finite() && radius.is_finite() && velocity.is_finite()) {
            return None;
        }
        let (to_center, radius) = (center.as_dvec3() - self.position, f64::from(radius.max(0.0)));
        let distance_sq = to_center.length_squared();
        let distance = ops::sqrt(distance_sq);
        // A ball around the viewer fills the view. From its centre no motion is seen.
        let across = ops::sqrt(velocity.as_dvec3().cross(to_center).length_squared());
        if distance <= radius {
            let speed = if distance == 0.0 { 0.0 } else { across / distance / radius };
            return Some(ViewedBall { radius: FRAC_PI_2, eccentricity: 0.0, speed });
        }
        let tangent = ops::sqrt(distance_sq - radius * radius);
        let seen_radius = ops::atan2(radius, tangent);
        let beside = ops::sqrt(self.forward.cross(to_center).length_squared());
        let of_center = ops::atan2(beside, self.forward.dot(to_center));
        let eccentricity = (of_center - seen_radius).max(0.0);
        (eccentricity <= self.half_view).then_some(ViewedBall {
            radius: seen_radius,
            eccentricity,
            speed: across / distance_sq,
        })
    }
}
