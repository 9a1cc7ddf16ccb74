//! The support maps of this crate, convex shapes of the list and rounded ones, against the suite of
//! the trait, in both precisions.

use carom_geom::{SupportMap, SupportPoint, TriMesh};
use carom_testkit::conform::support_map::{check, check_scaled};
use glam::{DVec3, Vec3};

/// How far the 16 corners of a circle lie inside it.
const ROUND: f64 = 0.02;

macro_rules! both {
    ($name:ident, $geom:path, $query:path, $vec3:ty) => {
        #[allow(unused_qualifications)] // The same text for both precisions.
        mod $name {
            use super::*;
            use query::{ConvexShape, RoundedShape, Shape};
            use std::sync::Arc;
            use $geom as geom;
            use $query as query;

            fn stored(v: DVec3) -> $vec3 {
                <$vec3>::new(v.x as _, v.y as _, v.z as _)
            }

            /// Each convex shape of the list, times a scale, with points of its core.
            fn shapes(scale: f64) -> Vec<(Shape, Vec<DVec3>)> {
                let s = |x: f64| (x * scale) as _;
                let half = DVec3::new(0.75, 0.125, 2.0) * scale;
                let corners = carom_testkit::oracle::sat::box_corners(half, |p| p);
                let cloud: Vec<$vec3> = corners.iter().map(|p| stored(*p)).collect();
                let at = |y: f64| DVec3::Y * y * scale;
                let hull = Shape::Hull(Arc::new(geom::ConvexHull::from_points(&cloud).unwrap()));
                vec![
                    (Shape::Sphere(geom::Sphere::new(s(0.5)).unwrap()), vec![DVec3::ZERO]),
                    (Shape::Capsule(geom::Capsule::new(s(1.0), s(0.25)).unwrap()), vec![at(1.0), at(-1.0)]),
                    (
                        Shape::TaperedCapsule(geom::TaperedCapsule::new(s(1.0), s(0.25), s(0.5)).unwrap()),
                        vec![at(1.0), at(-1.0)],
                    ),
                    (Shape::Cuboid(geom::Cuboid::new(stored(half)).unwrap()), corners.clone()),
                    (Shape::Cylinder(geom::Cylinder::new(s(1.0), s(0.5)).unwrap()), vec![at(1.0), at(-1.0)]),
                    (Shape::Cone(geom::Cone::new(s(1.0), s(0.5)).unwrap()), vec![at(1.0), at(-1.0)]),
                    (
                        Shape::Ellipsoid(geom::Ellipsoid::new(stored(half)).unwrap()),
                        vec![at(0.125), at(-0.125)],
                    ),
                    (hull, corners),
                    (Shape::User(Arc::new(Dot)), vec![DVec3::ZERO]),
                ]
            }

            #[test]
            fn convex_shapes() {
                let scaled = shapes(2.0_f64.powi(30));
                for ((shape, core), (large, _)) in shapes(1.0).into_iter().zip(scaled) {
                    let (shape, large) = (ConvexShape::new(shape).unwrap(), ConvexShape::new(large).unwrap());
                    check(&shape, &core, ROUND);
                    check_scaled(&shape, &large, 2.0_f64.powi(30));
                }
            }

            #[test]
            fn rounded_shapes() {
                for (shape, core) in shapes(1.0) {
                    for radius in [0.0, 0.125, 8.0] {
                        let round =
                            RoundedShape::new(ConvexShape::new(shape.clone()).unwrap(), radius).unwrap();
                        check(&round, &core, ROUND);
                    }
                }
            }
        }
    };
}

both!(single, carom_geom, carom_query, carom_math::Vec3);
both!(double, carom_geom::f64, carom_query::f64, DVec3);

/// A shape of the user's own: a point.
struct Dot;

impl SupportMap for Dot {
    fn support(&self, _: DVec3) -> SupportPoint {
        SupportPoint { point: DVec3::ZERO, vertex: 0 }
    }

    fn vertex(&self, number: u32) -> Option<DVec3> {
        (number == 0).then_some(DVec3::ZERO)
    }

    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    fn radius(&self) -> f64 {
        0.0
    }
}

/// A sheet of 2 n^2 triangles, from -1 to 1, with bumps of this height.
pub(crate) fn bumpy_sheet(n: u32, bump: f32) -> TriMesh {
    let at = |i: u32, j: u32| {
        let (x, z) = (i as f32 / n as f32 * 2.0 - 1.0, j as f32 / n as f32 * 2.0 - 1.0);
        Vec3::new(x, bump * (7.0 * x).sin() * (5.0 * z).cos(), z)
    };
    let vertices = (0..=n).flat_map(|i| (0..=n).map(move |j| at(i, j))).collect();
    let mut indices = Vec::new();
    for i in 0..n {
        for j in 0..n {
            let (a, b) = (i * (n + 1) + j, (i + 1) * (n + 1) + j);
            indices.extend([[a, a + 1, b], [b, a + 1, b + 1]]);
        }
    }
    TriMesh::new(vertices, indices).unwrap()
}
