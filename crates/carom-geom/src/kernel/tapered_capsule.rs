//! Tapered capsules along y: the hull of two balls of different radii.
//!
//! Both balls shrink by the lesser radius, which is the margin. The core is the hull of a point and
//! a ball; its support is the farther of the two. This also holds if one ball contains the other:
//! the hull is the larger ball.
//!
//! Vertex 0 is the upper ball, 1 the lower, edge 0 the mantle between them.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 2.3
//! (hulls of two support maps); D. Eberly, Geometric Tools, Intersection of a Line and a Cone, 2014
//! (the mantle).
//! Differs: sine and cosine of the slope describe the mantle, so equal radii are no special case.

use super::super::num::{Pose, Real, wide};
use crate::bound::around_local;
use crate::round::radial;
use crate::{Feature, FeatureId, NO_VERTEX, ShapeError, SupportMap, SupportPoint, check};
use carom_bounds::Aabb;
use carom_math::ops::sqrt;
use carom_math::scaling::{balanced, unit};
use glam::DVec3;

/// The hull of a ball of `upper_radius` about (0, `half_height`, 0) and a ball of `lower_radius`
/// about (0, -`half_height`, 0).
///
/// If one ball contains the other, the shape is the larger ball.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub struct TaperedCapsule {
    half_height: Real,
    upper_radius: Real,
    lower_radius: Real,
}

unchecked!(TaperedCapsule { half_height: Real, upper_radius: Real, lower_radius: Real });

/// The shape in the `f64` numbers used in decisions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taper {
    /// Half the distance of the centres.
    pub(super) half_height: f64,
    pub(super) upper: f64,
    pub(super) lower: f64,
    /// Sine and cosine of the slope of the mantle's outward normal, upwards; `None` if one ball
    /// contains the other.
    pub(super) slope: Option<(f64, f64)>,
}

impl Taper {
    /// Returns the larger ball: centre, radius, number.
    pub(super) fn larger(&self) -> (DVec3, f64, u32) {
        let center = DVec3::new(0.0, self.half_height, 0.0);
        if self.upper < self.lower { (-center, self.lower, 1) } else { (center, self.upper, 0) }
    }
}

impl TaperedCapsule {
    /// Creates a tapered capsule from half the distance of the centres and the two radii. All are
    /// lengths, finite and not negative.
    pub fn new(
        half_height: Real,
        upper_radius: Real,
        lower_radius: Real,
    ) -> Result<TaperedCapsule, ShapeError> {
        check::size("half_height", wide(half_height))?;
        check::size("upper_radius", wide(upper_radius))?;
        check::size("lower_radius", wide(lower_radius))?;
        Ok(TaperedCapsule { half_height, upper_radius, lower_radius })
    }

    /// Returns half the distance of the centres of the balls.
    #[inline]
    pub fn half_height(&self) -> Real {
        self.half_height
    }

    /// Returns the radius of the ball at +y.
    #[inline]
    pub fn upper_radius(&self) -> Real {
        self.upper_radius
    }

    /// Returns the radius of the ball at -y.
    #[inline]
    pub fn lower_radius(&self) -> Real {
        self.lower_radius
    }

    /// Returns a box around the placed shape, in the parent frame of the pose, rounded outwards.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let (h, upper, lower) = (wide(self.half_height), wide(self.upper_radius), wide(self.lower_radius));
        let pose = pose.wide();
        let end = pose.rotation.y_axis * h;
        let max = (end + upper).max(lower - end);
        let min = (end - upper).min(-end - lower);
        around_local(min, max, h + upper.max(lower), &pose)
    }

    /// Returns the shape in `f64`, for rays, points and masses.
    pub(super) fn taper(&self) -> Taper {
        let (half_height, upper, lower) =
            (wide(self.half_height), wide(self.upper_radius), wide(self.lower_radius));
        let (length, difference) = (2.0 * half_height, lower - upper);
        let slope = (difference.abs() < length).then(|| {
            // As a product, so that an almost vanishing mantle keeps its digits.
            let cosine = sqrt((length - difference) / length * ((length + difference) / length));
            (difference / length, cosine)
        });
        Taper { half_height, upper, lower, slope }
    }

    /// Returns the core: height of its point, height of its ball, radius of its ball, number of
    /// the point.
    #[inline]
    fn core(&self) -> (f64, f64, f64, u32) {
        let (h, upper, lower) = (wide(self.half_height), wide(self.upper_radius), wide(self.lower_radius));
        if upper <= lower { (h, -h, lower - upper, 0) } else { (-h, h, upper - lower, 1) }
    }

    /// Returns the ball's farthest point.
    #[inline]
    fn on_ball(&self, direction: DVec3) -> SupportPoint {
        let (_, ball, radius, vertex) = self.core();
        let center = DVec3::new(0.0, ball, 0.0);
        if radius == 0.0 {
            // Equal radii: the ball is the other point.
            return SupportPoint { point: center, vertex: 1 - vertex };
        }
        let along = unit(direction).unwrap_or(DVec3::Y);
        SupportPoint { point: center + along * radius, vertex: NO_VERTEX }
    }
}

impl SupportMap for TaperedCapsule {
    /// Returns the centre of the smaller ball, or a point of the larger one shrunk by the smaller
    /// radius.
    #[inline]
    fn support(&self, direction: DVec3) -> SupportPoint {
        let (point, ball, radius, vertex) = self.core();
        let direction = balanced(direction);
        if radius * sqrt(direction.length_squared()) <= (point - ball) * direction.y {
            return SupportPoint { point: DVec3::new(0.0, point, 0.0), vertex };
        }
        self.on_ball(direction)
    }

    #[inline]
    fn vertex(&self, number: u32) -> Option<DVec3> {
        let (point, ball, radius, vertex) = self.core();
        match number {
            0 | 1 if number == vertex => Some(DVec3::new(0.0, point, 0.0)),
            0 | 1 if radius == 0.0 => Some(DVec3::new(0.0, ball, 0.0)),
            _ => None,
        }
    }

    #[inline]
    fn center(&self) -> DVec3 {
        let (point, ball, radius, _) = self.core();
        let (low, high) = (point.min(ball - radius), point.max(ball + radius));
        DVec3::new(0.0, 0.5 * (low + high), 0.0)
    }

    #[inline]
    fn radius(&self) -> f64 {
        let (point, ball, radius, _) = self.core();
        let (low, high) = (point.min(ball - radius), point.max(ball + radius));
        // The ends, the difference and the centre round once each.
        0.5 * (high - low) * (1.0 + 4.0 * f64::EPSILON)
    }

    #[inline]
    fn margin(&self) -> f64 {
        wide(self.upper_radius).min(wide(self.lower_radius))
    }

    /// Fills in the line of the mantle that a plane rests on, from the lower to the upper end, else
    /// the support point.
    fn feature_within(&self, normal: DVec3, sine: f64, out: &mut Feature) {
        out.clear();
        let (point, _, _, vertex) = self.core();
        if let Some((taper_sine, cosine)) = self.taper().slope {
            let (_, _, across) = radial(normal.x, normal.z);
            // The sine of the angle between the normal and the mantle's normal, in the plane of the
            // axis.
            let turn = normal.y * cosine - across * taper_sine;
            if 0.0 < across * cosine + normal.y * taper_sine && turn.abs() <= sine {
                let tip = DVec3::new(0.0, point, 0.0);
                out.id = FeatureId::edge(0);
                out.push(self.on_ball(normal).point, FeatureId::vertex(1 - vertex));
                out.push(tip, FeatureId::vertex(vertex));
                return;
            }
        }
        let s = self.support(normal);
        let is_tip = s.vertex == vertex;
        out.id = FeatureId::vertex(if is_tip { vertex } else { 1 - vertex });
        out.push(s.point, out.id);
    }
}
