//! Every row of the table of rays: all hits against the first hit and against where the shape is,
//! boxes against boxes in other form, planes against fractions, polygons against their triangles.

use carom_testkit::oracle::rational::{LinePlane, line_ball_sign, line_meets_box, line_plane};
use carom_testkit::random::Random;
use glam::DVec3;

macro_rules! ray_table_tests {
    ($name:ident, $geom:path, $math:path, $vec3:ty, $epsilon:expr, $huge:expr) => {
        #[allow(unused_qualifications)] // The same text for both precisions.
        mod $name {
            use super::*;
            use geom::{RayHits, ray};
            use math::{Interval, Plane, Pose, Quat, Ray, Real};
            use $geom as geom;
            use $math as math;

            fn wide(v: $vec3) -> DVec3 {
                DVec3::new(v.x.into(), v.y.into(), v.z.into())
            }

            fn stored(v: DVec3) -> $vec3 {
                <$vec3>::new(v.x as _, v.y as _, v.z as _)
            }

            fn random_ray(random: &mut Random, i: usize, size: f64) -> Ray {
                let p = |random: &mut Random| match i % 3 {
                    0 => random.grid_point(4) - 2.0,
                    1 => random.cube_point() * 2.0,
                    _ => (random.cube_point() * 4.0).round() * 0.5,
                };
                let (o, d) = (p(random) * size, p(random) * [1.0, 1e-9, 1e9][i % 3]);
                Ray::new(stored(o), stored(d))
            }

            /// All hits are on the surface, inside between and outside around, and an interval
            /// picks from them.
            fn check_solid(
                name: &str,
                ray: &Ray,
                size: f64,
                hits: impl Fn(Interval) -> RayHits,
                cast: impl Fn(Interval, bool) -> Option<geom::RayHit>,
                distance: impl Fn(DVec3) -> f64,
            ) -> usize {
                let all = hits(Interval::BOTH);
                let (o, d) = (wide(ray.origin), wide(ray.direction));
                let noise = 32.0 * f64::from($epsilon) * (size + o.length());
                assert_eq!(all.as_slice().first().copied(), cast(Interval::BOTH, false), "{name} {ray:?}");
                for hit in all {
                    let at = distance(o + d * f64::from(hit.t));
                    // A t rounded to storage is off by that along the ray.
                    let off = d.length() * f64::from(hit.t).abs() * f64::from($epsilon);
                    assert!(at.abs() <= noise + off, "{name} {ray:?}: {at:e} off the surface");
                    let n = wide(hit.normal);
                    assert!((n.length() - 1.0).abs() < 1e-5, "{name} {ray:?} {n}");
                    // If it only touches the tip of a cone, any normal of the tip will do.
                    let is_through = all
                        .as_slice()
                        .last()
                        .is_some_and(|last| noise < f64::from(last.t - all.as_slice()[0].t) * d.length());
                    let slope = if is_through { n.dot(d) / d.length() } else { 0.0 };
                    assert!(
                        if hit.is_back_face { -1e-5 <= slope } else { slope <= 1e-5 },
                        "{name} {ray:?}: {slope}"
                    );
                }
                if let [a, b] = all.as_slice() {
                    assert!(a.t <= b.t && !a.is_back_face && b.is_back_face);
                    let (a, b) = (f64::from(a.t), f64::from(b.t));
                    assert!(distance(o + d * (0.5 * (a + b))) <= noise, "{name} {ray:?}: outside between");
                    let middle = (0.5 * (a + b)) as Real;
                    let [first, last] = [all.as_slice()[0], all.as_slice()[1]];
                    if first.t < middle && middle < last.t {
                        let before = hits(Interval::new(Real::NEG_INFINITY, middle));
                        let after = hits(Interval::new(middle, Real::INFINITY));
                        assert_eq!((before.as_slice(), after.as_slice()), (&[first][..], &[last][..]));
                        let inside = cast(Interval::new(middle, Real::INFINITY), true).unwrap();
                        assert_eq!((inside.t, inside.is_back_face), (middle, false));
                        assert_eq!(cast(Interval::new(middle, middle), false), None);
                    }
                }
                all.as_slice().len()
            }

            #[test]
            fn all_hits_of_solids() {
                for size in [1.0, 1e-12, 1e12] {
                    let mut random = Random::new(31);
                    let mut counts = [0; 3];
                    for i in 0..3000 {
                        let ray = random_ray(&mut random, i, size);
                        let zero = [0.0, 1.0, 1.0, 1.0, 1.0][i % 5];
                        let s = |random: &mut Random| ((1 + random.below(4)) as f64 * 0.5 * size) as Real;
                        let (a, b) = (s(&mut random) * zero as Real, s(&mut random));
                        macro_rules! check {
                            ($shape:expr) => {{
                                let shape = $shape.unwrap();
                                let n = check_solid(
                                    stringify!($shape),
                                    &ray,
                                    8.0 * size,
                                    |interval| shape.ray_hits(&ray, interval),
                                    |interval, solid| shape.cast_ray(&ray, interval, solid),
                                    |p| shape.project_point(stored(p)).distance.into(),
                                );
                                counts[n] += 1;
                            }};
                        }
                        if ray.direction == <$vec3>::ZERO {
                            continue;
                        }
                        check!(geom::Sphere::new(a));
                        check!(geom::Capsule::new(a, b));
                        check!(geom::Capsule::new(b, a));
                        check!(geom::TaperedCapsule::new(b, a, 0.5 * b));
                        check!(geom::Cylinder::new(a, b));
                        check!(geom::Cylinder::new(b, a));
                        check!(geom::Cone::new(b, a));
                        check!(geom::Ellipsoid::new(<$vec3>::new(a, b, b)));
                        check!(geom::Cuboid::new(<$vec3>::new(a, b, b)));
                        check!(geom::Frustum::new(a.min(b), b, 0.5, 1.0));
                        let corners = [0; 4].map(|_| stored(random.grid_point(2) * size));
                        let [p, q, r, t] = corners;
                        if !geom::Tetrahedron::new(p, q, r, t).unwrap().is_flat() {
                            check!(geom::Tetrahedron::new(p, q, r, t));
                            check!(geom::ConvexHull::from_points(&corners));
                        }
                    }
                    assert!(counts.iter().all(|&n| 300 < n), "{counts:?}");
                }
            }

            #[test]
            fn boxes_are_boxes_in_every_form() {
                let mut random = Random::new(32);
                let (mut n_hits, mut n_misses) = (0, 0);
                for i in 0..3000 {
                    let ray = random_ray(&mut random, i, 1.0);
                    if ray.direction == <$vec3>::ZERO {
                        continue;
                    }
                    let center = random.grid_point(2).as_vec3();
                    let half = (random.grid_point(2) * 0.5).as_vec3();
                    let aabb = carom_bounds::Aabb::new(center - half, center + half).unwrap();
                    let cuboid = geom::Cuboid::new(stored(half.as_dvec3())).unwrap();
                    let moved = Ray::new(ray.origin - stored(center.as_dvec3()), ray.direction);
                    let near = |a: RayHits, b: RayHits, slack: f64| {
                        let (a, b) = (a.as_slice(), b.as_slice());
                        a.len() == b.len()
                            && a.iter().zip(b).all(|(x, y)| {
                                let d = wide(ray.direction).length();
                                f64::from(x.t - y.t).abs() * d <= slack
                                    && (x.feature == y.feature || (x.normal - y.normal).length() > 0.5)
                            })
                    };
                    let hits = ray::aabb_hits(&ray, Interval::BOTH, &aabb);
                    let slack = 1e2 * f64::from($epsilon);
                    let other = cuboid.ray_hits(&moved, Interval::BOTH);
                    // Grid rays meet the moved box exactly as the one in its place; others may
                    // graze.
                    if i % 3 == 0 {
                        assert!(near(hits, other, slack), "{ray:?} {aabb:?} {hits:?} {other:?}");
                    }
                    assert_eq!(
                        ray::aabb(&ray, Interval::BOTH, &aabb, false),
                        hits.as_slice().first().copied()
                    );
                    let conservative = aabb.ray_interval(
                        wide(ray.origin),
                        wide(ray.direction),
                        f64::NEG_INFINITY,
                        f64::INFINITY,
                    );
                    assert!(hits.as_slice().is_empty() || conservative.is_some());
                    n_hits += usize::from(!hits.as_slice().is_empty());
                    n_misses += usize::from(conservative.is_none());
                    // The same at an angle: an oriented box against the cuboid in a pose.
                    let turn = glam::Quat::from_xyzw(0.5, -0.5, 0.5, 0.5);
                    let obb = carom_bounds::Obb::new(center, turn, half).unwrap();
                    let pose = Pose::new(Quat::from_xyzw(0.5, -0.5, 0.5, 0.5), stored(center.as_dvec3()));
                    let hits = ray::obb_hits(&ray, Interval::BOTH, &obb);
                    let other = cuboid.ray_hits(&ray.in_frame_of(&pose), Interval::BOTH);
                    if i % 3 == 0 {
                        assert!(near(hits, other, slack), "{ray:?} {obb:?} {hits:?} {other:?}");
                    }
                    assert_eq!(ray::obb(&ray, Interval::BOTH, &obb, false), hits.as_slice().first().copied());
                    for hit in hits {
                        let at = wide(ray.origin) + wide(ray.direction) * f64::from(hit.t);
                        let local = obb.axes.as_dmat3().transpose() * (at - center.as_dvec3());
                        let beyond = (local.abs() - half.as_dvec3()).max_element();
                        assert!(beyond.abs() < 1e3 * f64::from($epsilon), "{beyond:e}");
                    }
                }
                assert!(200 < n_hits && 400 < n_misses, "{n_hits} {n_misses}");
                use carom_bounds::BoundingVolume;
                let ray = Ray::new(<$vec3>::ZERO, <$vec3>::X);
                for solid in [false, true] {
                    assert_eq!(ray::aabb(&ray, Interval::BOTH, &carom_bounds::Aabb::EMPTY, solid), None);
                    assert_eq!(ray::obb(&ray, Interval::BOTH, &carom_bounds::Obb::EMPTY, solid), None);
                }
            }

            #[test]
            fn balls_and_boxes_are_met_exactly() {
                let mut random = Random::new(35);
                let (mut n_hits, mut n_misses, mut n_touches) = (0, 0, 0);
                for i in 0..6000 {
                    let size = [1.0, 2f64.powi(-80), 2f64.powi(80)][i % 3];
                    // Thirds and sevenths are rounded: touching is then a matter of the last digit.
                    let share = [1.0, 1.0 / 3.0, 1.0 / 7.0][i / 3 % 3];
                    let o = wide(stored((random.grid_point(6) - 3.0) * (share * size)));
                    let d = wide(stored((random.grid_point(4) - 2.0) * share));
                    let half = wide(stored(random.grid_point(3) * (share * size)));
                    if d == DVec3::ZERO {
                        continue;
                    }
                    let ray = Ray::new(stored(o), stored(d));
                    let ball = geom::Sphere::new(half.x as Real).unwrap();
                    let sign = line_ball_sign(o, d, half.x);
                    let hits = ball.ray_hits(&ray, Interval::BOTH);
                    assert_eq!(!hits.as_slice().is_empty(), sign <= 0, "{ray:?} {ball:?}");
                    let cuboid = geom::Cuboid::new(stored(half)).unwrap();
                    let meets = line_meets_box(o, d, -half, half);
                    let hits = cuboid.ray_hits(&ray, Interval::BOTH);
                    assert_eq!(!hits.as_slice().is_empty(), meets, "{ray:?} {cuboid:?}");
                    n_hits += usize::from(meets);
                    n_misses += usize::from(!meets);
                    n_touches += usize::from(sign == 0);
                }
                assert!(
                    1000 < n_hits && 1000 < n_misses && 50 < n_touches,
                    "{n_hits} {n_misses} {n_touches}"
                );
            }

            #[test]
            fn planes_are_met_where_fractions_say() {
                let mut random = Random::new(33);
                let mut counts = [0; 3];
                for i in 0..4000 {
                    let size = [1.0, 1.0 / $huge, $huge][i % 3];
                    let (o, d) = (random.grid_point(6) - 3.0, random.grid_point(6) - 3.0);
                    let normal = if i % 2 == 0 { random.grid_point(4) - 2.0 } else { random.cube_point() };
                    let offset = random.below(5) as f64 - 2.0;
                    let ray = Ray::new(stored(o * size), stored(d));
                    let plane = Plane { normal: stored(normal), d: (offset * size) as _ };
                    let hit = ray::plane(&ray, Interval::BOTH, &plane);
                    let truth =
                        line_plane(wide(ray.origin), wide(ray.direction), wide(plane.normal), plane.d.into());
                    if d == DVec3::ZERO {
                        assert_eq!(hit, None);
                        continue;
                    }
                    match truth {
                        LinePlane::Apart => {
                            counts[0] += 1;
                            assert_eq!(hit, None, "{ray:?} {plane:?}");
                        }
                        LinePlane::Within => {
                            counts[1] += 1;
                            assert_eq!(hit.unwrap().t, 0.0, "{ray:?} {plane:?}");
                        }
                        LinePlane::At(t) => {
                            counts[2] += 1;
                            let hit = hit.unwrap();
                            let off = (f64::from(hit.t) - t).abs();
                            assert!(
                                off <= 2.0 * f64::from($epsilon) * t.abs(),
                                "{ray:?} {plane:?}: {hit:?} {t}"
                            );
                            assert_eq!(hit.is_back_face, 0.0 < wide(plane.normal).dot(wide(ray.direction)));
                        }
                    }
                }
                assert!(counts.iter().all(|&n| 10 < n), "{counts:?}");
            }

            #[test]
            fn polygons_are_their_triangles() {
                let mut random = Random::new(34);
                let (mut n_hits, mut n_along, mut n_flat) = (0, 0, 0);
                for i in 0..6000 {
                    // A convex hexagon of a grid plane, with corners on a line now and then, or
                    // fewer corners.
                    let axes =
                        [(DVec3::X, DVec3::Y), (DVec3::Y, DVec3::Z), (DVec3::X + DVec3::Z, DVec3::Y)][i % 3];
                    let ring: &[(f64, f64)] = [
                        &[(0.0, 0.0), (2.0, -1.0), (4.0, 0.0), (4.0, 2.0), (2.0, 3.0), (0.0, 2.0)][..],
                        &[(0.0, 0.0), (2.0, 0.0), (4.0, 0.0), (4.0, 2.0), (2.0, 2.0)],
                        &[(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)],
                        &[(0.0, 0.0), (2.0, 2.0), (4.0, 4.0)],
                        &[(1.0, 1.0), (3.0, 2.0)],
                        &[(1.0, 1.0)],
                    ][random.below(6)];
                    let corners: Vec<_> =
                        ring.iter().map(|&(u, v)| stored(axes.0 * u + axes.1 * v)).collect();
                    let polygon = geom::ConvexPolygon::new(&corners).unwrap();
                    let target = axes.0 * random.below(5) as f64 + axes.1 * (random.below(5) as f64 - 0.5);
                    let o = random.grid_point(8) - 2.0;
                    let ray = Ray::new(stored(o), stored(target - o));
                    let hit = polygon.cast_ray(&ray, Interval::BOTH);
                    let mut triangle_hits = Vec::new();
                    for k in 1..corners.len().saturating_sub(1).max(2) {
                        let n = corners.len();
                        let t =
                            geom::Triangle::new(corners[0], corners[k % n], corners[(k + 1) % n]).unwrap();
                        triangle_hits.extend(t.cast_ray(&ray, Interval::BOTH));
                    }
                    assert_eq!(hit.is_some(), !triangle_hits.is_empty(), "{ray:?} {corners:?} {hit:?}");
                    let Some(hit) = hit else { continue };
                    n_hits += 1;
                    let least = triangle_hits.iter().map(|h| f64::from(h.t)).fold(f64::INFINITY, f64::min);
                    assert!(
                        (f64::from(hit.t) - least).abs() <= 4.0 * f64::from($epsilon) * (1.0 + least.abs())
                    );
                    let hits = polygon.ray_hits(&ray, Interval::BOTH);
                    assert_eq!(hits.as_slice()[0], hit);
                    let Some(normal) = polygon.normal() else {
                        n_flat += 1;
                        continue;
                    };
                    if wide(normal).dot(wide(ray.direction)).abs() < 1e-3 {
                        n_along += 1;
                        // In the plane: each hit lies on the rim.
                        for hit in hits {
                            let at = ray.at(hit.t);
                            assert!(f64::from(polygon.project_point(at).distance) < 1e-4);
                            let beyond = at + hit.normal * 1e-2;
                            assert!(
                                f64::from(polygon.project_point(beyond).distance) > 5e-3,
                                "{ray:?} {corners:?}"
                            );
                        }
                    } else {
                        assert_eq!(hits.as_slice().len(), 1);
                        assert_eq!(hit.is_back_face, 0.0 < wide(normal).dot(wide(ray.direction)));
                        assert!((hit.normal - normal).length() < 1e-6);
                    }
                }
                assert!(1500 < n_hits && 100 < n_along && 50 < n_flat, "{n_hits} {n_along} {n_flat}");
                assert!(geom::ConvexPolygon::new(&[]).is_err());
                assert!(geom::ConvexPolygon::new(&[<$vec3>::NAN]).is_err());
            }

            #[test]
            fn special_cases_by_name() {
                let ray = Ray::new(<$vec3>::new(1.0, 2.0, 3.0), <$vec3>::new(0.5, 0.5, 0.0));
                // A point on the line, behind the origin; off the line; zero direction.
                let hit = ray::point(&ray, Interval::BOTH, <$vec3>::new(-1.0, 0.0, 3.0)).unwrap();
                assert_eq!(hit.t, -4.0);
                assert_eq!(ray::point(&ray, Interval::FORWARD, <$vec3>::new(-1.0, 0.0, 3.0)), None);
                assert_eq!(ray::point(&ray, Interval::BOTH, <$vec3>::new(-1.0, 0.0, 3.5)), None);
                let still = Ray::new(ray.origin, <$vec3>::ZERO);
                assert_eq!(ray::point(&still, Interval::BOTH, still.origin), None);
                let ball = geom::Sphere::new(10.0).unwrap();
                assert_eq!(ball.cast_ray(&still, Interval::new(2.0, 3.0), true).unwrap().t, 2.0);
                assert_eq!(ball.cast_ray(&still, Interval::BOTH, false), None);
                assert!(ball.ray_hits(&still, Interval::BOTH).as_slice().is_empty());
                // Tangent: one hit.
                let graze = Ray::new(<$vec3>::new(-5.0, 10.0, 0.0), <$vec3>::X * 5.0);
                let hits = ball.ray_hits(&graze, Interval::BOTH);
                assert_eq!(
                    (hits.as_slice().len(), hits.as_slice()[0].t, hits.as_slice()[0].normal),
                    (1, 1.0, <$vec3>::Y)
                );
                // Along the face of a box, and along a cone's own line.
                let cuboid = geom::Cuboid::new(<$vec3>::ONE).unwrap();
                let along = Ray::new(<$vec3>::new(-3.0, 1.0, 0.0), <$vec3>::X);
                let hits = cuboid.ray_hits(&along, Interval::BOTH);
                assert_eq!((hits.as_slice()[0].t, hits.as_slice()[1].t), (2.0, 4.0));
                let cone = geom::Cone::new(1.0, 1.0).unwrap();
                let mantle = Ray::new(<$vec3>::new(2.0, -3.0, 0.0), <$vec3>::new(-1.0, 2.0, 0.0));
                let hits = cone.ray_hits(&mantle, Interval::BOTH);
                assert_eq!((hits.as_slice()[0].t, hits.as_slice()[1].t), (1.0, 2.0));
                // The apex of a pyramid.
                let pyramid = geom::Frustum::new(0.0, 2.0, 1.0, 1.0).unwrap();
                let past = Ray::new(<$vec3>::new(-3.0, 0.0, 0.0), <$vec3>::X);
                assert_eq!(pyramid.ray_hits(&past, Interval::BOTH).as_slice()[0].t, 3.0);
                assert!(geom::Frustum::new(2.0, 1.0, 1.0, 1.0).is_err());
            }
        }
    };
}

ray_table_tests!(single, carom_geom, carom_math, glam::Vec3, f32::EPSILON, 1e30);
ray_table_tests!(double, carom_geom::f64, carom_math::f64, glam::DVec3, f64::EPSILON, 1e150);
