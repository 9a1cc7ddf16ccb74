//! Queries of one shape alone: box, mass, nearest point, rays.
//!
//! A shape with formulas for them is a [`Primitive`]. For all others the kind of the shape gives
//! the answers: a support map, triangles, a distance, or parts.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1 and 5.3 (a formula per shape).

use super::super::num::geom::{
    Capsule, Cone, ConvexHull, Cuboid, Cylinder, Ellipsoid, HalfSpace, MassProperties, PointProjection,
    RayHit, Rounded, Sphere, TaperedCapsule, Torus,
};
use super::super::num::{Interval, Pose, Ray, Real, Vec3};
use carom_bounds::Aabb;
use core::ops::ControlFlow;

/// A shape with formulas for the queries of one shape. Arguments and results are in the frame of
/// the shape, except for the box.
pub(super) trait Primitive: core::fmt::Debug {
    /// Returns a box around the placed shape, rounded outwards.
    fn aabb(&self, pose: &Pose) -> Aabb;

    /// Returns mass, centre and inertia for a density: mass per volume.
    fn mass_properties(&self, density: Real) -> MassProperties;

    /// Returns the same for the shape with a radius all around; zero if it is not convex.
    fn rounded_mass(&self, _radius: Real, _density: Real) -> MassProperties {
        MassProperties::ZERO
    }

    /// Returns the nearest point of the surface and the signed distance.
    fn project_point(&self, point: Vec3) -> PointProjection;

    /// Returns the first hit on the surface.
    fn cast_ray(&self, ray: &Ray, interval: Interval) -> Option<RayHit>;

    /// Passes each hit on the surface, in order.
    fn visit_ray_hits(&self, ray: &Ray, interval: Interval, visit: &mut dyn FnMut(RayHit));
}

/// Forwards all but the masses to the methods of the type.
macro_rules! forward {
    () => {
        #[inline]
        fn aabb(&self, pose: &Pose) -> Aabb {
            self.aabb(pose)
        }

        fn project_point(&self, point: Vec3) -> PointProjection {
            self.project_point(point)
        }

        fn cast_ray(&self, ray: &Ray, interval: Interval) -> Option<RayHit> {
            self.cast_ray(ray, interval, false)
        }

        fn visit_ray_hits(&self, ray: &Ray, interval: Interval, visit: &mut dyn FnMut(RayHit)) {
            self.ray_hits(ray, interval).into_iter().for_each(visit);
        }
    };
}

macro_rules! convex_primitives {
    ($($shape:ty),*) => {$(
        impl Primitive for $shape {
            forward!();

            fn mass_properties(&self, density: Real) -> MassProperties {
                self.mass_properties(density)
            }

            fn rounded_mass(&self, radius: Real, density: Real) -> MassProperties {
                Rounded::new(self.clone(), radius)
                    .map_or(MassProperties::ZERO, |shape| shape.mass_properties(density))
            }
        }
    )*};
}

convex_primitives!(Sphere, Capsule, TaperedCapsule, Cuboid, Cylinder, Cone, Ellipsoid, ConvexHull);

impl Primitive for HalfSpace {
    forward!();

    fn mass_properties(&self, _density: Real) -> MassProperties {
        MassProperties::ZERO
    }
}

impl Primitive for Torus {
    fn aabb(&self, pose: &Pose) -> Aabb {
        self.aabb(pose)
    }

    fn mass_properties(&self, density: Real) -> MassProperties {
        self.mass_properties(density)
    }

    fn project_point(&self, point: Vec3) -> PointProjection {
        self.project_point(point)
    }

    fn cast_ray(&self, ray: &Ray, interval: Interval) -> Option<RayHit> {
        let mut first = None;
        self.visit_ray_hits(ray, interval, &mut |hit| {
            first = Some(hit);
            ControlFlow::Break(())
        });
        first
    }

    fn visit_ray_hits(&self, ray: &Ray, interval: Interval, visit: &mut dyn FnMut(RayHit)) {
        self.visit_ray_hits(ray, interval, &mut |hit| {
            visit(hit);
            ControlFlow::Continue(())
        });
    }
}
