//! Every shape against the conformance suite of support maps, in both precisions.

use carom_geom::SupportMap;
use carom_testkit::conform::support_map::{check, check_scaled};
use glam::DVec3;
use proptest::prelude::*;

/// Sizes from nothing over tiny and needle-like to huge.
fn size() -> impl Strategy<Value = f64> {
    prop_oneof![
        1 => Just(0.0),
        1 => Just(1e-20),
        1 => Just(1e18),
        2 => 1e-4..1e-3_f64,
        4 => 0.1..10.0_f64,
    ]
}

/// Points of the unit sphere and circle to sample curved shapes with.
fn scatter() -> Vec<DVec3> {
    (0..200)
        .map(|i| {
            let a = f64::from(i) * 2.399_963_229_728_653;
            let y = 1.0 - f64::from(i) / 99.5;
            let r = (1.0 - y * y).max(0.0).sqrt();
            DVec3::new(r * a.cos(), y, r * a.sin())
        })
        .collect()
}

/// How far the 16 corners of a circle lie inside it.
const ROUND: f64 = 0.02;

macro_rules! support_tests {
    ($name:ident, $geom:path, $vec3:ty, $pose:path, $quat:expr) => {
        #[allow(unused_qualifications)] // The same text for both precisions.
        mod $name {
            use super::*;
            use $geom as geom;
            use $pose as Pose;

            fn wide(v: $vec3) -> DVec3 {
                DVec3::new(v.x.into(), v.y.into(), v.z.into())
            }

            fn stored(v: DVec3) -> $vec3 {
                <$vec3>::new(v.x as _, v.y as _, v.z as _)
            }

            fn scaled_checks(make: impl Fn(f64) -> Box<dyn SupportMap>) {
                let shape = make(1.0);
                for exponent in [-30, 1, 30] {
                    let scale = 2.0_f64.powi(exponent);
                    check_scaled(&*shape, &*make(scale), scale);
                }
            }

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(60))]

                #[test]
                fn spheres(r in size()) {
                    check(&geom::Sphere::new(r as _).unwrap(), &[], 0.0);
                }

                #[test]
                fn capsules(h in size(), r in size()) {
                    let shape = geom::Capsule::new(h as _, r as _).unwrap();
                    check(&shape, &[DVec3::ZERO], 0.0);
                    assert_eq!(shape.margin(), f64::from(shape.radius()));
                }

                /// Balls that are far apart, of one size, or nested, or of which one is a point.
                #[test]
                fn tapered_capsules(h in size(), upper in size(), lower in size(), equal in 0..4) {
                    let lower = if equal == 0 { upper } else { lower };
                    let shape = geom::TaperedCapsule::new(h as _, upper as _, lower as _).unwrap();
                    let (h, upper, lower) =
                        (f64::from(shape.half_height()), f64::from(shape.upper_radius()), f64::from(shape.lower_radius()));
                    let margin = upper.min(lower);
                    assert_eq!(shape.margin(), margin);
                    let mut points: Vec<DVec3> = scatter()
                        .into_iter()
                        .flat_map(|p| [p * (upper - margin) + DVec3::Y * h, p * (lower - margin) - DVec3::Y * h])
                        .collect();
                    points.push(DVec3::ZERO);
                    check(&shape, &points, 0.0);
                }

                #[test]
                fn rounded_shapes(x in size(), y in size(), z in size(), r in size(), kind in 0..4) {
                    let (shape, r): (Box<dyn SupportMap>, f64) = match kind {
                        0 => {
                            let shape = geom::Rounded::new(geom::Cuboid::new(stored(DVec3::new(x, y, z))).unwrap(), r as _).unwrap();
                            (Box::new(shape), f64::from(shape.radius()))
                        }
                        1 => {
                            let shape = geom::Rounded::new(geom::Cylinder::new(x as _, y as _).unwrap(), r as _).unwrap();
                            (Box::new(shape), f64::from(shape.radius()))
                        }
                        2 => {
                            let core = geom::Triangle::new(stored(DVec3::new(x, y, z)), stored(DVec3::new(-y, x, -z)), stored(-DVec3::ONE));
                            let shape = geom::Rounded::new(core.unwrap(), r as _).unwrap();
                            (Box::new(shape), f64::from(shape.radius()))
                        }
                        _ => {
                            // Rounded twice: the radii add up.
                            let core = geom::Rounded::new(geom::Capsule::new(x as _, y as _).unwrap(), z as _).unwrap();
                            let shape = geom::Rounded::new(core, r as _).unwrap();
                            let sum = f64::from(shape.radius()) + f64::from(core.radius()) + f64::from(core.core().radius());
                            (Box::new(shape), sum)
                        }
                    };
                    check(&*shape, &[], if kind == 1 { ROUND } else { 0.0 });
                    assert!((shape.margin() - r).abs() <= 4.0 * f64::EPSILON * r);
                }

                #[test]
                fn cuboids(x in size(), y in size(), z in size()) {
                    let shape = geom::Cuboid::new(stored(DVec3::new(x, y, z))).unwrap();
                    let h = wide(shape.half_extents());
                    let points: Vec<DVec3> = scatter().into_iter().map(|p| p * h).collect();
                    check(&shape, &points, 0.0);
                }

                #[test]
                fn cylinders(h in size(), r in size()) {
                    let shape = geom::Cylinder::new(h as _, r as _).unwrap();
                    let (h, r) = (f64::from(shape.half_height()), f64::from(shape.radius()));
                    let points: Vec<DVec3> = scatter().into_iter().map(|p| p * DVec3::new(r, h, r)).collect();
                    check(&shape, &points, ROUND);
                }

                #[test]
                fn cones(h in size(), r in size()) {
                    let shape = geom::Cone::new(h as _, r as _).unwrap();
                    let (h, r) = (f64::from(shape.half_height()), f64::from(shape.radius()));
                    let points: Vec<DVec3> = scatter()
                        .into_iter()
                        .map(|p| {
                            let r = r * (0.5 - 0.5 * p.y);
                            let out = p.with_y(0.0).normalize_or_zero();
                            DVec3::new(out.x * r, p.y * h, out.z * r)
                        })
                        .collect();
                    check(&shape, &points, ROUND);
                }

                #[test]
                fn ellipsoids(x in size(), y in size(), z in size()) {
                    let shape = geom::Ellipsoid::new(stored(DVec3::new(x, y, z))).unwrap();
                    let radii = wide(shape.radii());
                    let points: Vec<DVec3> = scatter().into_iter().map(|p| p * radii).collect();
                    check(&shape, &points, 0.0);
                }

                #[test]
                fn points_in_space(corners in prop::collection::vec((size(), size(), size(), 0..8), 20), kind in 0..3) {
                    let corners: Vec<DVec3> = corners
                        .into_iter()
                        .map(|(x, y, z, signs)| {
                            let sign = |bit: i32| if signs & bit == 0 { 1.0 } else { -1.0 };
                            wide(stored(DVec3::new(x * sign(1), y * sign(2), z * sign(4))))
                        })
                        .collect();
                    let at = |i: usize| stored(corners[i]);
                    match kind {
                        0 => check(&geom::Segment::new(at(0), at(1)).unwrap(), &corners[..2], 0.0),
                        1 => check(&geom::Triangle::new(at(0), at(1), at(2)).unwrap(), &corners[..3], 0.0),
                        _ => check(&geom::Tetrahedron::new(at(0), at(1), at(2), at(3)).unwrap(), &corners[..4], 0.0),
                    }
                    let points: Vec<_> = corners.iter().map(|&p| stored(p)).collect();
                    if let Ok(hull) = geom::ConvexHull::from_points(&points) {
                        let vertices: Vec<DVec3> = hull.vertices().iter().map(|&v| wide(v)).collect();
                        check(&hull, &vertices, 0.0);
                    }
                }

                #[test]
                fn hulls(n in 4..300_usize, x in 0.1..10.0_f64, z in 1e-3..10.0_f64, off in -100.0..100.0_f64) {
                    let points: Vec<_> = scatter()
                        .into_iter()
                        .cycle()
                        .take(n)
                        .enumerate()
                        .map(|(i, p)| stored(p * DVec3::new(x, 1.0, z) * (1.0 - i as f64 * 1e-3) + off))
                        .collect();
                    let hull = geom::ConvexHull::from_points(&points).unwrap();
                    let vertices: Vec<DVec3> = hull.vertices().iter().map(|&v| wide(v)).collect();
                    check(&hull, &vertices, ROUND);
                }
            }

            #[test]
            fn powers_of_two_scale_to_the_bit() {
                let v = |x: f64, y: f64, z: f64| stored(DVec3::new(x, y, z));
                scaled_checks(|s| Box::new(geom::Sphere::new((0.3 * s) as _).unwrap()));
                scaled_checks(|s| Box::new(geom::Capsule::new((0.7 * s) as _, (0.3 * s) as _).unwrap()));
                scaled_checks(|s| {
                    Box::new(geom::TaperedCapsule::new((0.7 * s) as _, (0.1 * s) as _, (0.3 * s) as _).unwrap())
                });
                scaled_checks(|s| {
                    let core = geom::Cone::new((0.7 * s) as _, (0.3 * s) as _).unwrap();
                    Box::new(geom::Rounded::new(core, (0.05 * s) as _).unwrap())
                });
                scaled_checks(|s| Box::new(geom::Cuboid::new(v(0.7 * s, 1.3 * s, 0.01 * s)).unwrap()));
                scaled_checks(|s| Box::new(geom::Cylinder::new((0.7 * s) as _, (0.3 * s) as _).unwrap()));
                scaled_checks(|s| Box::new(geom::Cone::new((0.7 * s) as _, (0.3 * s) as _).unwrap()));
                scaled_checks(|s| Box::new(geom::Ellipsoid::new(v(0.7 * s, 1.3 * s, 0.01 * s)).unwrap()));
                let points: Vec<DVec3> = scatter().into_iter().step_by(7).map(|p| wide(stored(p * 0.7))).collect();
                let at = |i: usize, s: f64| stored(points[i] * s);
                scaled_checks(|s| Box::new(geom::Segment::new(at(0, s), at(1, s)).unwrap()));
                scaled_checks(|s| Box::new(geom::Triangle::new(at(0, s), at(1, s), at(2, s)).unwrap()));
                scaled_checks(|s| Box::new(geom::Tetrahedron::new(at(0, s), at(1, s), at(2, s), at(3, s)).unwrap()));
                scaled_checks(|s| {
                    let points: Vec<_> = (0..points.len()).map(|i| at(i, s)).collect();
                    Box::new(geom::ConvexHull::from_points(&points).unwrap())
                });
            }

            #[test]
            fn boxes_contain_the_placed_shapes() {
                let q = glam::DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -1.2, 2.2);
                for shift in [DVec3::ZERO, DVec3::new(1e6, -3.0, 1e-9)] {
                    let pose = Pose::new($quat(q), stored(shift));
                    let at = pose.wide();
                    let margin_check = |shape: &dyn SupportMap, aabb: carom_bounds::Aabb| {
                        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
                        for d in carom_testkit::conform::support_map::directions() {
                            let s = shape.support_exact(d, shape.support(d)).point + d.normalize() * shape.margin();
                            let p = at.transform_point(s);
                            (low, high) = (low.min(p), high.max(p));
                            let room = 1e-9 * (shape.radius() + shape.margin());
                            assert!((aabb.min.as_dvec3() - room).cmple(p).all() && p.cmple(aabb.max.as_dvec3() + room).all());
                        }
                        // And are not much larger: the scatter misses the extremes by little.
                        let size = (high - low).max_element();
                        let ulps = 4e-7 * (size + shift.abs().max_element());
                        assert!((low - aabb.min.as_dvec3()).max_element() <= 0.05 * size + ulps);
                        assert!((aabb.max.as_dvec3() - high).max_element() <= 0.05 * size + ulps);
                    };
                    let sphere = geom::Sphere::new(0.3).unwrap();
                    margin_check(&sphere, sphere.aabb(&pose));
                    let capsule = geom::Capsule::new(0.7, 0.3).unwrap();
                    margin_check(&capsule, capsule.aabb(&pose));
                    for (h, upper, lower) in [(0.7, 0.1, 0.3), (0.7, 0.3, 0.1), (0.1, 0.5, 0.2)] {
                        let tapered = geom::TaperedCapsule::new(h, upper, lower).unwrap();
                        margin_check(&tapered, tapered.aabb(&pose));
                        let rounded = geom::Rounded::new(geom::Cone::new(h, upper).unwrap(), lower).unwrap();
                        margin_check(&rounded, rounded.aabb(&pose));
                    }
                    let cuboid = geom::Cuboid::new(<$vec3>::new(0.7, 1.3, 0.01)).unwrap();
                    margin_check(&cuboid, cuboid.aabb(&pose));
                    let cylinder = geom::Cylinder::new(0.7, 0.3).unwrap();
                    margin_check(&cylinder, cylinder.aabb(&pose));
                    let cone = geom::Cone::new(0.7, 0.3).unwrap();
                    margin_check(&cone, cone.aabb(&pose));
                    let ellipsoid = geom::Ellipsoid::new(<$vec3>::new(0.7, 1.3, 0.01)).unwrap();
                    margin_check(&ellipsoid, ellipsoid.aabb(&pose));
                    let points: Vec<_> = scatter().into_iter().map(|p| stored(p * 0.7)).collect();
                    let hull = geom::ConvexHull::from_points(&points).unwrap();
                    margin_check(&hull, hull.aabb(&pose));
                    let map = hull.apex_map(8);
                    assert_eq!(hull.aabb_by(&map, &pose), hull.aabb(&pose), "the box by a map is that by supports");
                }
            }

            #[test]
            fn constructors_name_what_is_wrong() {
                use carom_geom::ShapeError;
                let nan = DVec3::NAN.x as _;
                assert_eq!(geom::Sphere::new(-1.0).unwrap_err(), ShapeError::Negative { what: "radius", value: -1.0 });
                assert_eq!(geom::Sphere::new(nan).unwrap_err(), ShapeError::NotFinite { what: "radius" });
                assert_eq!(geom::Cone::new(nan, 1.0).unwrap_err(), ShapeError::NotFinite { what: "half_height" });
                assert_eq!(
                    geom::TaperedCapsule::new(1.0, 1.0, -1.0).unwrap_err(),
                    ShapeError::Negative { what: "lower_radius", value: -1.0 }
                );
                let ball = geom::Sphere::new(1.0).unwrap();
                assert_eq!(geom::Rounded::new(ball, nan).unwrap_err(), ShapeError::NotFinite { what: "radius" });
                assert_eq!(
                    geom::Cuboid::new(<$vec3>::new(1.0, -2.0, 1.0)).unwrap_err(),
                    ShapeError::Negative { what: "half_extents.y", value: -2.0 }
                );
                assert_eq!(
                    geom::Triangle::new(<$vec3>::ZERO, <$vec3>::INFINITY, <$vec3>::ZERO).unwrap_err(),
                    ShapeError::NotFinite { what: "b" }
                );
                assert_eq!(
                    geom::HalfSpace::new(<$vec3>::ZERO).unwrap_err(),
                    ShapeError::NoDirection { what: "normal" }
                );
            }
        }
    };
}

support_tests!(single, carom_geom, glam::Vec3, carom_math::Pose, glam::DQuat::as_quat);
support_tests!(double, carom_geom::f64, glam::DVec3, carom_math::f64::Pose, core::convert::identity);
