//! Ray casts and point projections, held against the support map: a supporting plane proves each
//! answer.
//!
//! Outside, the plane across the way to the closest point separates by exactly the distance;
//! inside, no plane is nearer than the distance. A hit lies on a supporting plane with the normal
//! given, and before it the ray is outside.

use carom_geom::SupportMap;
use carom_testkit::random::Random;
use glam::DVec3;

macro_rules! ray_point_tests {
    ($name:ident, $geom:path, $math:path, $vec3:ty, $epsilon:expr) => {
        #[allow(unused_qualifications)] // The same text for both precisions.
        mod $name {
            use super::*;
            use geom::{PointProjection, RayHit};
            use math::{Interval, Ray};
            use $geom as geom;
            use $math as math;

            type Project = Box<dyn Fn($vec3) -> PointProjection>;
            type Cast = Box<dyn Fn(&Ray, Interval, bool) -> Option<RayHit>>;

            struct Case {
                name: String,
                map: Box<dyn SupportMap>,
                project: Project,
                cast: Cast,
            }

            fn wide(v: $vec3) -> DVec3 {
                DVec3::new(v.x.into(), v.y.into(), v.z.into())
            }

            fn stored(v: DVec3) -> $vec3 {
                <$vec3>::new(v.x as _, v.y as _, v.z as _)
            }

            macro_rules! case {
                ($cases:expr, $shape:expr) => {{
                    let shape = $shape;
                    let (a, b, c) = (shape.clone(), shape.clone(), shape.clone());
                    $cases.push(Case {
                        name: format!("{shape:?}").chars().take(90).collect(),
                        map: Box::new(a),
                        project: Box::new(move |p| b.project_point(p)),
                        cast: Box::new(move |r, i, s| c.cast_ray(r, i, s)),
                    });
                }};
            }

            fn cases(scale: f64) -> Vec<Case> {
                let mut cases = Vec::new();
                let v = |x: f64, y: f64, z: f64| stored(DVec3::new(x, y, z) * scale);
                for (a, b) in [(0.7, 0.3), (0.01, 2.0), (3.0, 0.002), (1.0, 1.0), (0.0, 1.0), (1.0, 0.0)] {
                    let (a, b) = (a * scale, b * scale);
                    case!(cases, geom::Sphere::new(b as _).unwrap());
                    case!(cases, geom::Capsule::new(a as _, b as _).unwrap());
                    case!(cases, geom::Cylinder::new(a as _, b as _).unwrap());
                    for c in [0.0, 0.2, 0.31, 0.9, 2.5] {
                        let c = c * scale;
                        case!(cases, geom::TaperedCapsule::new(a as _, b as _, c as _).unwrap());
                    }
                    case!(cases, geom::Cone::new(a as _, b as _).unwrap());
                }
                for (x, y, z) in
                    [(1.0, 0.5, 2.0), (1.0, 1.0, 1.0), (0.001, 1.0, 3.0), (0.0, 1.0, 0.7), (2.0, 2.0, 0.001)]
                {
                    case!(cases, geom::Cuboid::new(v(x, y, z)).unwrap());
                    case!(cases, geom::Ellipsoid::new(v(x, y, z)).unwrap());
                }
                for (near, far, x, y) in [
                    (0.5, 2.0, 1.0, 0.7),
                    (0.0, 1.0, 0.5, 0.5),
                    (1.0, 1.0, 1.0, 1.0),
                    (0.1, 3.0, 0.0, 1.0),
                    (0.01, 5.0, 0.01, 2.0),
                ] {
                    let (near, far) = (near * scale, far * scale);
                    case!(cases, geom::Frustum::new(near as _, far as _, x as _, y as _).unwrap());
                }
                case!(
                    cases,
                    geom::Tetrahedron::new(
                        v(0.0, 0.0, 0.0),
                        v(1.0, 0.1, 0.2),
                        v(0.2, 1.0, -0.1),
                        v(0.1, 0.2, 2.0)
                    )
                    .unwrap()
                );
                case!(
                    cases,
                    geom::Tetrahedron::new(
                        v(0.0, 0.0, 0.0),
                        v(1.0, 0.1, 0.2),
                        v(0.1, 0.2, 2.0),
                        v(0.2, 1.0, -0.1)
                    )
                    .unwrap()
                );
                let mut random = Random::new(7);
                for n in [4, 8, 30, 120] {
                    let points: Vec<_> = (0..n)
                        .map(|_| {
                            let p = random.cube_point().normalize();
                            v(p.x, p.y, 0.3 * p.z + 0.4)
                        })
                        .collect();
                    case!(cases, geom::ConvexHull::from_points(&points).unwrap());
                }
                let grid: Vec<_> =
                    (0..27).map(|i| v(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9))).collect();
                case!(cases, geom::ConvexHull::from_points(&grid).unwrap());
                cases
            }

            fn height(map: &dyn SupportMap, n: DVec3) -> f64 {
                map.support_exact(n, map.support(n)).point.dot(n) + map.margin() * n.length()
            }

            #[test]
            fn a_plane_proves_every_projection() {
                for scale in [1.0, 1e-15, 1e15] {
                    let mut random = Random::new(1);
                    let (mut n_inside, mut n_outside) = (0, 0);
                    for case in cases(scale) {
                        let map = &*case.map;
                        let size = map.center().length() + map.radius() + map.margin();
                        for i in 0..120 {
                            let far = [1.0, 1.0, 0.3, 3.0, 1e3, 1e-3][i % 6];
                            let mut p = map.center() + random.cube_point() * (size * far);
                            if i % 7 == 0 {
                                p = random.grid_point(2) * scale;
                            }
                            if i % 11 == 0 {
                                p = map.center();
                            }
                            if i % 13 == 0 {
                                p.x = 0.0;
                                p.z = 0.0;
                            }
                            let p = wide(stored(p));
                            let noise = 4.0 * f64::from($epsilon) * (size + p.length());
                            let got = (case.project)(stored(p));
                            let (x, distance) = (wide(got.point), f64::from(got.distance));
                            assert!(x.is_finite() && distance.is_finite(), "{} {p}", case.name);
                            assert_eq!(got.is_inside, distance <= 0.0);
                            assert!(
                                ((p - x).length() - distance.abs()).abs() <= noise,
                                "{} {p}: {x} is not {distance:e} away",
                                case.name
                            );
                            for _ in 0..40 {
                                let n = random.cube_point().normalize();
                                assert!(
                                    x.dot(n) <= height(map, n) + noise,
                                    "{} {p}: {x} is not in it",
                                    case.name
                                );
                                if distance < 0.0 {
                                    assert!(
                                        -distance <= height(map, n) - p.dot(n) + noise,
                                        "{} {p}: nearer",
                                        case.name
                                    );
                                }
                            }
                            if noise * 1e3 < distance.abs() {
                                let n = (p - x) / distance;
                                let gap = (p.dot(n) - height(map, n)).abs();
                                if 0.0 < distance {
                                    n_outside += 1;
                                    // The direction is known to noise over distance.
                                    let slack = noise * (1.0 + 2.0 * size / distance);
                                    assert!(
                                        (gap - distance).abs() <= slack,
                                        "{} {p}: {gap:e} is not {distance:e}",
                                        case.name
                                    );
                                } else {
                                    n_inside += 1;
                                    let slack = noise * (1.0 + 4.0 * size / -distance);
                                    assert!(
                                        (gap + distance).abs() <= slack,
                                        "{} {p}: inside by {gap:e}, not {distance:e}",
                                        case.name
                                    );
                                }
                            }
                        }
                    }
                    assert!(500 < n_inside && 500 < n_outside, "{n_inside} {n_outside}");
                }
            }

            #[test]
            fn a_plane_proves_every_hit() {
                for scale in [1.0, 1e-15, 1e15] {
                    let mut random = Random::new(2);
                    let (mut n_hits, mut n_misses, mut n_backs) = (0, 0, 0);
                    for case in cases(scale) {
                        let map = &*case.map;
                        let size = map.center().length() + map.radius() + map.margin();
                        for i in 0..150 {
                            let far = [0.2, 1.0, 3.0, 30.0][i % 4];
                            let o = wide(stored(map.center() + random.cube_point() * (size * far)));
                            let aim = random.cube_point().normalize();
                            // At a point of the surface, slightly past it or before it.
                            let push = [0.0, 0.5, 0.9, 1.1, 1.5][i % 5];
                            let target = map.support(aim).point + aim * map.margin();
                            let target = map.center() + (target - map.center()) * push;
                            let length = [1.0, 1e-6, 1e6][i % 3];
                            let mut d = (target - o) * length;
                            if i % 8 == 0 {
                                d = [DVec3::X, DVec3::NEG_Y, DVec3::Z][i % 3] * size;
                            }
                            if d.length() == 0.0 {
                                continue;
                            }
                            let ray = Ray::new(stored(o), stored(d));
                            let d = wide(ray.direction);
                            let noise = 16.0 * f64::from($epsilon) * (size + o.length());
                            let hit = (case.cast)(&ray, Interval::BOTH, false);
                            let signed = |t: f64| {
                                let p = stored(o + d * t);
                                f64::from((case.project)(p).distance)
                            };
                            let first = if let Some(hit) = hit {
                                n_hits += 1;
                                let t = f64::from(hit.t);
                                let n = wide(hit.normal);
                                let x = o + d * t;
                                assert!((n.length() - 1.0).abs() < 1e-6, "{} {ray:?}: normal {n}", case.name);
                                // Grazing rays lose digits along themselves, not across.
                                let off = (height(map, n) - x.dot(n)).abs();
                                let slope = (n.dot(d) / d.length()).abs().max(1e-3);
                                assert!(
                                    off <= noise / slope,
                                    "{} {ray:?}: {off:e} off the plane of the hit",
                                    case.name
                                );
                                assert!(
                                    signed(t).abs() <= noise,
                                    "{} {ray:?}: {:e} off the surface",
                                    case.name,
                                    signed(t)
                                );
                                assert!(!hit.is_back_face);
                                // Forward only.
                                let low = (t + 1e-3 * size / d.length()) as _;
                                let next = (case.cast)(&ray, Interval::new(low, math::Real::INFINITY), false);
                                if let Some(next) = next {
                                    n_backs += 1;
                                    assert!(next.is_back_face && low <= next.t);
                                    assert!(
                                        signed(f64::from(next.t)).abs() <= noise,
                                        "{} {ray:?}: back",
                                        case.name
                                    );
                                    let solid =
                                        (case.cast)(&ray, Interval::new(low, math::Real::INFINITY), true)
                                            .unwrap();
                                    assert!(solid.t == low && !solid.is_back_face);
                                }
                                t
                            } else {
                                n_misses += 1;
                                4.0 * (size + o.length()) / d.length()
                            };
                            // Nothing inside before.
                            for k in 1..50 {
                                let t = first - f64::from(k * k) * size / d.length() * 2e-3;
                                assert!(-noise <= signed(t), "{} {ray:?}: inside before the hit", case.name);
                            }
                        }
                    }
                    assert!(
                        1000 < n_hits && 500 < n_misses && 500 < n_backs,
                        "{n_hits} {n_misses} {n_backs}"
                    );
                }
            }

            #[test]
            fn ugly_rays_give_no_nan() {
                let ugly = [0.0, -0.0, 1.0, 1e-40, 1e30, f64::MAX, f64::INFINITY, f64::NAN];
                for case in cases(1.0) {
                    for &x in &ugly {
                        for &y in &ugly {
                            for &z in &ugly {
                                for (o, d) in [
                                    (DVec3::new(x, y, z), DVec3::X),
                                    (DVec3::new(0.1, 3.0, 0.2), DVec3::new(x, y, z)),
                                    (DVec3::new(x, 0.1, 0.0), DVec3::new(y, z, 1.0)),
                                ] {
                                    let ray = Ray::new(stored(o), stored(d));
                                    for solid in [false, true] {
                                        for interval in [
                                            Interval::FORWARD,
                                            Interval::BOTH,
                                            Interval::new(math::Real::NAN, 1.0),
                                        ] {
                                            if let Some(hit) = (case.cast)(&ray, interval, solid) {
                                                assert!(
                                                    !hit.t.is_nan() && !hit.normal.is_nan(),
                                                    "{} {ray:?}",
                                                    case.name
                                                );
                                                assert!(
                                                    interval.contains(hit.t),
                                                    "{} {ray:?} {interval:?}",
                                                    case.name
                                                );
                                            }
                                        }
                                    }
                                    let found = (case.project)(ray.origin);
                                    assert!(!found.distance.is_nan(), "{} {ray:?}", case.name);
                                    let is_nowhere = found.distance == math::Real::INFINITY;
                                    assert!(
                                        is_nowhere && !found.is_inside || ray.origin.is_finite(),
                                        "{} {ray:?}: {found:?}",
                                        case.name
                                    );
                                }
                            }
                        }
                    }
                }
            }

            #[test]
            fn triangles_are_hit_on_edges_and_from_both_sides() {
                let mut random = Random::new(3);
                let (mut n_edges, mut n_along) = (0, 0);
                for _ in 0..2000 {
                    let corners = [0; 3].map(|_| random.grid_point(4));
                    let triangle =
                        geom::Triangle::new(stored(corners[0]), stored(corners[1]), stored(corners[2]))
                            .unwrap();
                    let [a, b, c] = corners;
                    // A point on an edge, and an origin such that the ray passes through it
                    // exactly.
                    let on_edge = (a + b) * 0.5;
                    let o = on_edge + random.grid_point(4) * 2.0 - 4.0;
                    let ray = Ray::new(stored(o), stored(on_edge - o));
                    if o == on_edge {
                        continue;
                    }
                    let hit = triangle.cast_ray(&ray, Interval::FORWARD).expect("the edge is part of it");
                    assert!(f64::from(hit.t) <= 1.0 + 1e-6);
                    n_edges += 1;
                    let normal = (b - a).cross(c - a);
                    if normal.dot(on_edge - o) == 0.0 {
                        n_along += 1;
                        continue;
                    }
                    assert!((f64::from(hit.t) - 1.0).abs() < 1e-6);
                    assert_eq!(hit.is_back_face, 0.0 < normal.dot(on_edge - o));
                    // Beyond the edge there is nothing.
                    let beyond = a + b - c;
                    let off = on_edge + (beyond - on_edge) * 0.25;
                    let ray = Ray::new(stored(o), stored(off - o));
                    if normal.dot(off - o) != 0.0 {
                        assert!(triangle.cast_ray(&ray, Interval::BOTH).is_none());
                    }
                }
                assert!(1000 < n_edges && 50 < n_along, "{n_edges} {n_along}");
            }

            #[test]
            fn half_spaces() {
                let space = geom::HalfSpace::new(<$vec3>::new(0.0, 2.0, 0.0)).unwrap();
                let down = Ray::new(<$vec3>::new(1.0, 3.0, 0.0), <$vec3>::new(0.0, -2.0, 0.0));
                let hit = space.cast_ray(&down, Interval::FORWARD, true).unwrap();
                assert_eq!((hit.t, hit.normal, hit.is_back_face), (1.5, <$vec3>::Y, false));
                let up = Ray::new(<$vec3>::new(1.0, -3.0, 0.0), <$vec3>::new(0.0, 2.0, 0.0));
                assert_eq!(space.cast_ray(&up, Interval::FORWARD, true).unwrap().t, 0.0);
                let hit = space.cast_ray(&up, Interval::FORWARD, false).unwrap();
                assert_eq!((hit.t, hit.is_back_face), (1.5, true));
                let along = Ray::new(<$vec3>::new(1.0, 3.0, 0.0), <$vec3>::X);
                assert_eq!(space.cast_ray(&along, Interval::BOTH, true), None);
                let p = space.project_point(<$vec3>::new(1.0, -3.0, 4.0));
                assert_eq!((p.point, p.distance, p.is_inside), (<$vec3>::new(1.0, 0.0, 4.0), -3.0, true));
            }
        }
    };
}

ray_point_tests!(single, carom_geom, carom_math, glam::Vec3, f32::EPSILON);
ray_point_tests!(double, carom_geom::f64, carom_math::f64, glam::DVec3, f64::EPSILON * 8.0);

/// Quotients of the coordinates and the radii overflowed, and the nearest point was NaN.
#[cfg(feature = "f64")]
#[test]
fn an_ellipsoid_has_a_point_nearest_to_the_end_of_the_range() {
    use glam::DVec3;
    let ellipsoid = carom_geom::f64::Ellipsoid::new(DVec3::new(0.5, 0.3, 0.2)).unwrap();
    let near = ellipsoid.project_point(DVec3::new(0.1, -1e308, 0.3));
    assert!((near.point - DVec3::new(0.0, -0.3, 0.0)).length() < 1e-15, "{near:?}");
    assert!((near.distance - 1e308).abs() < 1e293, "{near:?}");
    // Far enough, the same as from the end of the range.
    let direction = DVec3::new(3.0, -2.0, 1.0);
    let (far, end) = (ellipsoid.project_point(direction * 1e20), ellipsoid.project_point(direction * 1e307));
    assert!((far.point - end.point).length() < 1e-15, "{far:?} {end:?}");
}
