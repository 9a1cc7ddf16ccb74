//! Tori around the y axis, centred: a ball swept along a circle.
//!
//! A torus is not convex, so it has a signed distance instead of a support map. All queries of a
//! [`DistanceField`] hold for it, without the error of samples.
//!
//! Reference: J. Hart, Sphere Tracing, The Visual Computer 12(10), 1996, appendix A.

use super::super::num::{Interval, Pose, Ray, Real, Vec3, narrow, real, wide, widen};
use super::{MassProperties, PointProjection, RayHit};
use crate::bound::around_local;
use crate::distance_field::{Crossing, DistanceField, DistanceSample, LinearFloor, SolidMoments};
use crate::torus::Radii;
use crate::{FeatureId, ShapeError, check};
use carom_bounds::Aabb;
use carom_math::ops::sqrt;
use core::f64::consts::PI;
use core::ops::ControlFlow;
use glam::{DMat3, DVec3};

/// In minor radii: the finest detail for searches. Contacts are found to an eighth of it.
const RESOLUTION: f64 = 1.0 / 256.0;

/// In minor radii: the distance is known this far around the torus.
const BORDER: f64 = 0.5;

/// All points within `minor_radius` of the circle of `major_radius` around the y axis.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub struct Torus {
    major_radius: Real,
    minor_radius: Real,
}

unchecked!(Torus { major_radius: Real, minor_radius: Real });

impl Torus {
    /// Creates a torus from the radius of its circle and that of its ball. Both are lengths,
    /// finite and above 0, and the first is not less than the second.
    pub fn new(major_radius: Real, minor_radius: Real) -> Result<Torus, ShapeError> {
        let (major, minor) = (wide(major_radius), wide(minor_radius));
        check::size("major_radius", major)?;
        check::size("minor_radius", minor)?;
        if minor == 0.0 {
            return Err(ShapeError::Empty { what: "minor_radius" });
        }
        if major < minor {
            return Err(ShapeError::TooLarge { what: "minor_radius", value: minor });
        }
        Ok(Torus { major_radius, minor_radius })
    }

    /// Returns the radius of the circle.
    #[inline]
    pub fn major_radius(&self) -> Real {
        self.major_radius
    }

    /// Returns the radius of the ball.
    #[inline]
    pub fn minor_radius(&self) -> Real {
        self.minor_radius
    }

    fn radii(&self) -> Radii {
        Radii { major: wide(self.major_radius), minor: wide(self.minor_radius) }
    }

    /// Returns a box around the placed torus, in the parent frame of the pose, rounded outwards.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let (Radii { major, minor }, pose) = (self.radii(), pose.wide());
        let axis = pose.rotation.y_axis;
        // The circle extends along a world axis by the sine of the angle between the two axes.
        let sine = |x: f64, y: f64| sqrt(x * x + y * y);
        let sines = DVec3::new(sine(axis.y, axis.z), sine(axis.z, axis.x), sine(axis.x, axis.y));
        let half = sines * major + minor;
        around_local(-half, half, major + minor, &pose)
    }

    /// Returns mass, centre and inertia, in the shape's frame. `density` is mass per volume,
    /// finite and not negative.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        MassProperties::of_moments(&self.moments_of_unit(), density)
    }

    fn moments_of_unit(&self) -> SolidMoments {
        let Radii { major, minor } = self.radii();
        let (major_sq, minor_sq) = (major * major, minor * minor);
        let volume = 2.0 * PI * PI * major * minor_sq;
        let across = volume * (0.5 * major_sq + 0.625 * minor_sq);
        let along = volume * (major_sq + 0.75 * minor_sq);
        let inertia = DMat3::from_diagonal(DVec3::new(across, along, across));
        SolidMoments { volume, center: DVec3::ZERO, inertia, volume_error: 0.0, reach: major + minor }
    }

    /// Returns the point of the surface closest to `point`, with its signed distance. Everything
    /// is in the frame of the torus.
    pub fn project_point(&self, point: Vec3) -> PointProjection {
        let (on, distance) = self.radii().nearest(widen(point));
        PointProjection::from_wide(on, distance, FeatureId::UNKNOWN)
    }

    /// Visits the hits of a ray, given in the frame of the torus, on the surface within the
    /// interval: up to four, in order, until the visitor breaks. A ray that only grazes the surface
    /// does not hit.
    pub fn visit_ray_hits(
        &self,
        ray: &Ray,
        interval: Interval,
        visit: &mut dyn FnMut(RayHit) -> ControlFlow<()>,
    ) {
        let line = [widen(ray.origin), widen(ray.direction)];
        self.radii().visit_crossings(line, wide(interval.min), wide(interval.max), &mut |crossing| {
            let t = real(crossing.t);
            if !(t.is_finite() && interval.contains(t)) {
                return ControlFlow::Continue(());
            }
            visit(RayHit::new(t, narrow(crossing.normal)).with_back_face(crossing.is_leaving))
        });
    }
}

impl DistanceField for Torus {
    fn bounds(&self) -> [DVec3; 2] {
        let Radii { major, minor } = self.radii();
        let half = DVec3::new(major, 0.0, major) + minor * (1.0 + BORDER);
        [-half, half]
    }

    fn search_box(&self) -> [DVec3; 2] {
        self.bounds()
    }

    fn resolution(&self) -> f64 {
        self.radii().minor * RESOLUTION
    }

    fn error_bound(&self) -> f64 {
        0.0
    }

    fn least_unsampled(&self) -> f64 {
        self.radii().minor * BORDER
    }

    fn has_inside(&self) -> bool {
        true
    }

    fn ring(&self) -> Option<[f64; 2]> {
        let Radii { major, minor } = self.radii();
        Some([major, minor])
    }

    fn sample(&self, point: DVec3) -> Option<DistanceSample> {
        let [low, high] = self.bounds();
        let is_known = low.cmple(point).all() && point.cmple(high).all();
        is_known.then(|| self.radii().sample(point))
    }

    fn floor(&self, center: DVec3, half: DVec3) -> LinearFloor {
        let [low, high] = self.bounds();
        if !(low.cmple(center + half).all() && (center - half).cmple(high).all()) {
            return LinearFloor::EMPTY;
        }
        let is_whole = low.cmple(center - half).all() && (center + half).cmple(high).all();
        LinearFloor { is_whole, ..self.radii().floor(center, half) }
    }

    fn moments(&self) -> Option<SolidMoments> {
        Some(self.moments_of_unit())
    }

    fn visit_crossings(
        &self,
        line: [DVec3; 2],
        from: f64,
        to: f64,
        visit: &mut dyn FnMut(Crossing) -> ControlFlow<()>,
    ) {
        self.radii().visit_crossings(line, from, to, visit);
    }
}
