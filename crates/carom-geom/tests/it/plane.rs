//! Planes against everything, held against fractions of whole numbers and against the support map.

use carom_geom::{PlaneSide, SupportMap};
use carom_testkit::oracle::rational::{dot, exact, exact3, sign};
use carom_testkit::random::Random;
use glam::DVec3;

/// The side of points with a radius, as a plane with any normal: exact.
fn truth(normal: DVec3, d: f64, points: &[DVec3], radius: f64) -> PlaneSide {
    let n = exact3(normal);
    let reach_sq = exact(radius) * exact(radius) * dot(&n, &n);
    let (mut is_front, mut is_back) = (true, true);
    for p in points {
        let height = dot(&n, &exact3(*p)) + exact(d);
        let is_clear = reach_sq < &height * &height;
        is_front &= is_clear && sign(&height) > 0;
        is_back &= is_clear && sign(&height) < 0;
    }
    match (is_front, is_back) {
        (true, _) => PlaneSide::Front,
        (_, true) => PlaneSide::Back,
        _ => PlaneSide::Across,
    }
}

macro_rules! plane_tests {
    ($name:ident, $geom:path, $math:path, $vec3:ty, $epsilon:expr) => {
        #[allow(unused_qualifications)] // The same text for both precisions.
        mod $name {
            use super::*;
            use geom::plane::{heights_of, heights_of_points, side_of, side_of_aabb, side_of_points};
            use math::{Plane, Pose, Quat};
            use $geom as geom;
            use $math as math;

            fn wide(v: $vec3) -> DVec3 {
                DVec3::new(v.x.into(), v.y.into(), v.z.into())
            }

            fn stored(v: DVec3) -> $vec3 {
                <$vec3>::new(v.x as _, v.y as _, v.z as _)
            }

            /// The vertices of a shape, placed.
            fn vertices(shape: &dyn SupportMap, pose: &Pose) -> Vec<DVec3> {
                (0..).map_while(|i| shape.vertex(i)).map(|p| pose.wide().transform_point(p)).collect()
            }

            #[test]
            fn sides_are_exact() {
                for (k, size) in [1.0, 2f64.powi(-90), 2f64.powi(90)].into_iter().enumerate() {
                    let mut random = Random::new(81 + k as u64);
                    let mut counts = [0; 3];
                    for i in 0..3000 {
                        // Whole numbers, and the third of a turn, so that poses round nothing;
                        // 3-4-5 and 2-3-6 touch exactly.
                        let normal = [
                            DVec3::new(0.0, 3.0, 4.0),
                            DVec3::new(2.0, -3.0, 6.0),
                            DVec3::new(1.0, 1.0, 0.0),
                            DVec3::Z,
                            random.grid_point(4) - 2.0,
                        ][i % 5];
                        let offset = (random.below(41) as f64 - 20.0) * 0.5;
                        let plane = Plane { normal: stored(normal), d: (offset * size) as _ };
                        let turn = [Quat::IDENTITY, Quat::from_xyzw(0.5, 0.5, -0.5, 0.5)][i % 2];
                        let pose = Pose::new(turn, stored((random.grid_point(4) - 2.0) * size));
                        let s = |random: &mut Random| (random.below(4) as f64 * 0.5 * size) as math::Real;
                        let p = |random: &mut Random| stored(random.grid_point(3) * size);
                        let r = &mut random;
                        let shapes: [Box<dyn SupportMap>; 7] = [
                            Box::new(geom::Sphere::new(s(r)).unwrap()),
                            Box::new(geom::Capsule::new(s(r), s(r)).unwrap()),
                            Box::new(geom::Segment::new(p(r), p(r)).unwrap()),
                            Box::new(geom::Triangle::new(p(r), p(r), p(r)).unwrap()),
                            Box::new(geom::Tetrahedron::new(p(r), p(r), p(r), p(r)).unwrap()),
                            Box::new(geom::Cuboid::new(<$vec3>::new(s(r), s(r), s(r))).unwrap()),
                            Box::new(geom::Frustum::new(0.0, s(r), 0.5, 2.0).unwrap()),
                        ];
                        for shape in &shapes {
                            let corners = vertices(&**shape, &pose);
                            let expected =
                                truth(wide(plane.normal), plane.d.into(), &corners, shape.margin());
                            assert_eq!(
                                side_of(&plane, &**shape, &pose),
                                expected,
                                "{plane:?} {corners:?} {pose:?}"
                            );
                            counts[expected as usize] += 1;
                            if shape.margin() == 0.0 {
                                let corners: Vec<_> = corners.iter().map(|p| stored(*p)).collect();
                                assert_eq!(side_of_points(&plane, &corners), expected);
                            }
                        }
                        let (a, b) = (p(r), p(r));
                        let (min, max) = (wide(a.min(b)).as_vec3(), wide(a.max(b)).as_vec3());
                        let aabb = carom_bounds::Aabb::new(min, max).unwrap();
                        let corners: Vec<_> = (0..8)
                            .map(|v| {
                                let pick =
                                    |k: usize| f64::from(if v >> k & 1 == 0 { min[k] } else { max[k] });
                                DVec3::new(pick(0), pick(1), pick(2))
                            })
                            .collect();
                        let expected = truth(wide(plane.normal), plane.d.into(), &corners, 0.0);
                        assert_eq!(side_of_aabb(&plane, &aabb), expected, "{plane:?} {aabb:?}");
                    }
                    assert!(counts.iter().all(|&n| 1000 < n), "{counts:?}");
                }
            }

            #[test]
            fn heights_are_those_of_the_support() {
                let mut random = Random::new(91);
                for i in 0..500 {
                    let size = [1.0, 1e-15, 1e15][i % 3];
                    let plane = Plane {
                        normal: stored(random.cube_point()),
                        d: (random.range(-1.0, 1.0) * size) as _,
                    };
                    let v = random.cube_point();
                    let q = Quat::from_xyzw(v.x as _, v.y as _, v.z as _, 1.0).normalize();
                    let pose = Pose::new(q, stored(random.cube_point() * size));
                    let x = [0; 2].map(|_| (random.unit() * size) as math::Real);
                    let shapes: [Box<dyn SupportMap>; 5] = [
                        Box::new(geom::Cylinder::new(x[0], x[1]).unwrap()),
                        Box::new(geom::Cone::new(x[0], x[1]).unwrap()),
                        Box::new(geom::Ellipsoid::new(<$vec3>::new(x[0], x[1], x[0])).unwrap()),
                        Box::new(geom::Capsule::new(x[0], x[1]).unwrap()),
                        Box::new(geom::Cuboid::new(<$vec3>::new(x[0], x[1], x[0])).unwrap()),
                    ];
                    for shape in &shapes {
                        let found = heights_of(&plane, &**shape, &pose);
                        let (n, wide_pose) = (wide(plane.normal), pose.wide());
                        let length = n.length();
                        let height = |p: DVec3| (n.dot(p) + f64::from(plane.d)) / length;
                        let noise = 64.0 * f64::from($epsilon) * size * (1.0 + 1.0 / length);
                        let (low, high) = (f64::from(found.low), f64::from(found.high));
                        assert!((height(wide(found.low_point)) - low).abs() <= noise);
                        assert!((height(wide(found.high_point)) - high).abs() <= noise);
                        // No point of the shape is lower or higher.
                        for _ in 0..20 {
                            let direction = random.cube_point();
                            let core = wide_pose.transform_point(shape.support(direction).point);
                            for out in [-1.0, 0.0, 1.0] {
                                let h = height(core + n * (out * shape.margin() / length));
                                assert!(low - noise <= h && h <= high + noise, "{low} {h} {high}");
                            }
                        }
                        let side = side_of(&plane, &**shape, &pose);
                        if noise < low {
                            assert_eq!(side, PlaneSide::Front);
                        } else if high < -noise {
                            assert_eq!(side, PlaneSide::Back);
                        } else if low < -noise && noise < high {
                            assert_eq!(side, PlaneSide::Across);
                        }
                    }
                }
                let up = Plane { normal: <$vec3>::Y * 2.0, d: -2.0 };
                let found = heights_of_points(&up, &[<$vec3>::X, <$vec3>::Y * 4.0]).unwrap();
                assert_eq!((found.low, found.high, found.low_point), (-1.0, 3.0, <$vec3>::X));
                assert_eq!(heights_of_points(&up, &[]), None);
                assert_eq!(side_of_points(&up, &[]), PlaneSide::Across);
                // A ball that touches, and a cylinder that stands on the plane.
                let ball = geom::Sphere::new(1.0).unwrap();
                assert_eq!(side_of(&up, &ball, &Pose::from_translation(<$vec3>::Y * 2.0)), PlaneSide::Across);
                let cylinder = geom::Cylinder::new(1.0, 0.5).unwrap();
                assert_eq!(
                    side_of(&up, &cylinder, &Pose::from_translation(<$vec3>::Y * 2.0)),
                    PlaneSide::Across
                );
            }
        }
    };
}

plane_tests!(single, carom_geom, carom_math, glam::Vec3, f32::EPSILON);
plane_tests!(double, carom_geom::f64, carom_math::f64, glam::DVec3, f64::EPSILON * 8.0);
