//! The tables of pairs, closest points and overlap, for every two kinds of bodies.
//!
//! On grids, where touching and degenerate figures are common, yes and no are those of exact hulls
//! and of exact fractions; elsewhere a plane through the closest points, with all of each body on
//! its own side, proves that nothing is nearer.

use carom_testkit::oracle::{sat, triangle};
use carom_testkit::random::Random;
use glam::DVec3;

macro_rules! pair_tests {
    ($name:ident, $geom:path, $math:path, $vec3:ty, $epsilon:expr, $exponent:expr) => {
        #[allow(unused_qualifications)] // The same text for both precisions.
        mod $name {
            use super::*;
            use geom::closest::{ClosestPair, closest_points, on_ray};
            use geom::overlap::overlaps;
            use math::{Interval, Pose, Quat, Ray, Real};
            use $geom as geom;
            use $math as math;

            fn wide(v: $vec3) -> DVec3 {
                DVec3::new(v.x.into(), v.y.into(), v.z.into())
            }

            fn stored(v: DVec3) -> $vec3 {
                <$vec3>::new(v.x as _, v.y as _, v.z as _)
            }

            #[derive(Clone, Debug)]
            enum Any {
                Point($vec3),
                Segment(geom::Segment),
                Triangle(geom::Triangle),
                Polygon(Vec<$vec3>),
                Sphere(geom::Sphere),
                Capsule(geom::Capsule),
                Cuboid(geom::Cuboid),
                Aabb(carom_bounds::Aabb),
                Tetrahedron(geom::Tetrahedron),
                Frustum(geom::Frustum),
            }

            const N_THIN: usize = 6;
            const N_KINDS: usize = 10;

            macro_rules! with {
                ($any:expr, $body:ident => $do:expr) => {
                    match $any {
                        Any::Point($body) => $do,
                        Any::Segment($body) => $do,
                        Any::Triangle($body) => $do,
                        Any::Polygon(corners) => {
                            let $body = &geom::ConvexPolygon::new(corners).unwrap();
                            $do
                        }
                        Any::Sphere($body) => $do,
                        Any::Capsule($body) => $do,
                        Any::Cuboid($body) => $do,
                        Any::Aabb($body) => $do,
                        Any::Tetrahedron($body) => $do,
                        Any::Frustum($body) => $do,
                    }
                };
            }

            macro_rules! with_thin {
                ($any:expr, $body:ident => $do:expr) => {
                    match $any {
                        Any::Point($body) => $do,
                        Any::Segment($body) => $do,
                        Any::Triangle($body) => $do,
                        Any::Polygon(corners) => {
                            let $body = &geom::ConvexPolygon::new(corners).unwrap();
                            $do
                        }
                        Any::Sphere($body) => $do,
                        Any::Capsule($body) => $do,
                        other => panic!("{other:?} is not thin"),
                    }
                };
            }

            fn meets(a: &Any, b: &Any, pose: &Pose) -> bool {
                with!(a, a => with!(b, b => overlaps(a, b, pose)))
            }

            fn nearest(a: &Any, b: &Any, pose: &Pose) -> ClosestPair {
                with_thin!(a, a => with!(b, b => closest_points(a, b, pose)))
            }

            /// Points from a grid, or from anywhere.
            struct Source {
                random: Random,
                is_grid: bool,
                size: f64,
            }

            impl Source {
                fn point(&mut self) -> $vec3 {
                    let p = if self.is_grid { self.random.grid_point(4) * 0.5 } else { self.random.cube_point() };
                    stored(p * self.size)
                }

                /// Zero now and then.
                fn length(&mut self) -> Real {
                    let x = if self.is_grid { self.random.below(4) as f64 * 0.5 } else { self.random.unit() };
                    (x * self.size) as Real
                }

                fn body(&mut self, kind: usize) -> Any {
                    match kind {
                        0 => Any::Point(self.point()),
                        1 => Any::Segment(geom::Segment::new(self.point(), self.point()).unwrap()),
                        2 => Any::Triangle(
                            geom::Triangle::new(self.point(), self.point(), self.point()).unwrap(),
                        ),
                        3 => {
                            let (p, u, v) = (wide(self.point()), wide(self.point()), wide(self.point()));
                            let n_corners = 1 + self.random.below(5);
                            let ring = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.5, 1.0), (0.0, 0.5)];
                            let corner = |&(x, y): &(f64, f64)| stored(p + u * x + v * y);
                            Any::Polygon(ring[..n_corners].iter().map(corner).collect())
                        }
                        4 => Any::Sphere(geom::Sphere::new(self.length()).unwrap()),
                        5 => Any::Capsule(geom::Capsule::new(self.length(), self.length()).unwrap()),
                        6 => {
                            let half = <$vec3>::new(self.length(), self.length(), self.length());
                            Any::Cuboid(geom::Cuboid::new(half).unwrap())
                        }
                        7 => {
                            // Bounds are f32 in both precisions, and no larger.
                            let shrink = if self.size < 1e30 { 1.0 } else { 2f64.powi(-40) };
                            let [p, q] = [0; 2].map(|_| (wide(self.point()) * shrink).as_vec3());
                            Any::Aabb(carom_bounds::Aabb::new(p.min(q), p.max(q)).unwrap())
                        }
                        8 => {
                            let [a, b, c, d] = [0; 4].map(|_| self.point());
                            Any::Tetrahedron(geom::Tetrahedron::new(a, b, c, d).unwrap())
                        }
                        _ => {
                            let (near, far) = (self.length(), self.length());
                            let slope = [0.0, 0.5, 1.0, 2.0];
                            let [x, y] = [0; 2].map(|_| slope[self.random.below(4)] as Real);
                            Any::Frustum(geom::Frustum::new(near.min(far), near.max(far), x, y).unwrap())
                        }
                    }
                }

                /// None, a move, or, when there is a grid, a third of a turn that changes axes and
                /// rounds nothing.
                fn pose(&mut self) -> Pose {
                    let t = self.point();
                    let pick = self.random.below(3);
                    if pick == 0 {
                        return Pose::IDENTITY;
                    }
                    let q = if self.is_grid {
                        [Quat::IDENTITY, Quat::from_xyzw(0.5, 0.5, -0.5, 0.5)][pick - 1]
                    } else {
                        let v = self.random.cube_point();
                        Quat::from_xyzw(v.x as Real, v.y as Real, v.z as Real, self.random.unit() as Real).normalize()
                    };
                    Pose::new(q, t)
                }
            }

            /// Corners, the triangles of the surface, and the radius.
            fn parts(any: &Any, pose: &Pose) -> (Vec<DVec3>, Vec<[DVec3; 3]>, f64) {
                let pose = pose.wide();
                let box_faces = |c: &[DVec3]| {
                    let quads = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
                    let two = |q: [usize; 4]| [[c[q[0]], c[q[1]], c[q[2]]], [c[q[0]], c[q[2]], c[q[3]]]];
                    quads.into_iter().flat_map(two).collect::<Vec<_>>()
                };
                let corners_of_box = |min: DVec3, max: DVec3| -> Vec<DVec3> {
                    let pick = |v: usize, k: usize| if v >> k & 1 == 0 { max[k] } else { min[k] };
                    (0..8).map(|v| DVec3::new(pick(v, 0), pick(v, 1), pick(v, 2))).collect()
                };
                let (corners, radius): (Vec<DVec3>, f64) = match any {
                    Any::Point(p) => (vec![wide(*p)], 0.0),
                    Any::Segment(s) => (vec![wide(s.a()), wide(s.b())], 0.0),
                    Any::Triangle(t) => (t.corners_wide().to_vec(), 0.0),
                    Any::Polygon(c) => (c.iter().map(|p| wide(*p)).collect(), 0.0),
                    Any::Sphere(s) => (vec![DVec3::ZERO], s.radius().into()),
                    Any::Capsule(c) => {
                        let h = DVec3::Y * f64::from(c.half_height());
                        (vec![h, -h], c.radius().into())
                    }
                    Any::Cuboid(c) => (corners_of_box(-wide(c.half_extents()), wide(c.half_extents())), 0.0),
                    Any::Aabb(b) => (corners_of_box(b.min.as_dvec3(), b.max.as_dvec3()), 0.0),
                    Any::Tetrahedron(t) => (t.corners_wide().to_vec(), 0.0),
                    Any::Frustum(f) => (f.corners().map(wide).to_vec(), 0.0),
                };
                let corners: Vec<DVec3> = corners.iter().map(|p| pose.transform_point(*p)).collect();
                let faces = match any {
                    Any::Polygon(_) if 3 < corners.len() => {
                        (1..corners.len() - 1).map(|i| [corners[0], corners[i], corners[i + 1]]).collect()
                    }
                    Any::Tetrahedron(_) => [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]
                        .map(|f| f.map(|v| corners[v]))
                        .to_vec(),
                    _ if corners.len() == 8 => box_faces(&corners),
                    _ => vec![[0, 1, 2].map(|i| corners[i.min(corners.len() - 1)])],
                };
                (corners, faces, radius)
            }

            #[test]
            fn grids_are_answered_as_fractions_say() {
                // The least, ordinary and the greatest sizes: a power of two changes nothing.
                for (k, size) in [1.0, 2f64.powi(-$exponent), 2f64.powi($exponent)].into_iter().enumerate() {
                    let random = Random::new(41 + k as u64);
                    let mut source = Source { random, is_grid: true, size };
                    let (mut n_meet, mut n_apart) = (0, 0);
                    for kind_a in 0..N_KINDS {
                        for kind_b in 0..N_KINDS {
                            // The oracle is slow for two solids.
                            let is_solid = N_THIN <= kind_a && N_THIN <= kind_b;
                            let n = if is_solid { 6 } else { 40 };
                            for _ in 0..if k == 0 { n } else { n / 4 } {
                                let (a, b, pose) = (source.body(kind_a), source.body(kind_b), source.pose());
                                // Apart by a grid step or two, often enough.
                                let away = stored(DVec3::new(1.0, 0.5, 0.0) * size * source.random.below(4) as f64);
                                let pose = if pose == Pose::IDENTITY {
                                    pose
                                } else {
                                    Pose::new(pose.rotation, pose.translation + away)
                                };
                                let (ca, fa, ra) = parts(&a, &Pose::IDENTITY);
                                let (cb, fb, rb) = parts(&b, &pose);
                                let cores_meet = triangle::hulls_meet(&ca, &cb);
                                let truth = cores_meet
                                    || 0.0 < ra + rb
                                        && fa.iter().any(|s| {
                                            fb.iter().any(|t| triangle::triangles_within(s, t, [ra, rb]))
                                        });
                                assert_eq!(meets(&a, &b, &pose), truth, "{a:?} {b:?} {pose:?}");
                                if truth {
                                    n_meet += 1;
                                } else {
                                    n_apart += 1;
                                }
                                if let (Any::Point(p), Any::Polygon(c)) = (&a, &b)
                                    && pose == Pose::IDENTITY
                                {
                                    let on = geom::ConvexPolygon::new(c).unwrap().project_point(*p);
                                    let other = nearest(&a, &b, &pose);
                                    assert!((wide(on.point) - wide(other.point_b)).length() <= 1e-6 * size);
                                }
                                if kind_a < N_THIN {
                                    let found = nearest(&a, &b, &pose);
                                    assert_eq!(found.distance == 0.0, truth, "{a:?} {b:?} {pose:?} {found:?}");
                                    let least = fa
                                        .iter()
                                        .flat_map(|s| fb.iter().map(move |t| triangle::triangle_distance(s, t)))
                                        .fold(if cores_meet { 0.0 } else { f64::INFINITY }, f64::min);
                                    let expected = (least - ra - rb).max(0.0);
                                    let off = (f64::from(found.distance) - expected).abs();
                                    let noise = 4.0 * f64::from($epsilon).max(1e-15) * size * 4.0;
                                    assert!(off <= noise, "{a:?} {b:?} {pose:?} {found:?} {expected}");
                                }
                            }
                        }
                    }
                    assert!(300 < n_meet.min(n_apart) * (k * 3 + 1), "{n_meet} {n_apart}");
                }
            }

            #[test]
            fn a_plane_proves_every_distance() {
                for size in [1.0, 1e-20, 1e20] {
                    let mut source = Source { random: Random::new(51), is_grid: false, size };
                    let (mut n_meet, mut n_apart) = (0, 0);
                    for kind_a in 0..N_THIN {
                        for kind_b in 0..N_KINDS {
                            for i in 0..80 {
                                let (a, b, pose) = (source.body(kind_a), source.body(kind_b), source.pose());
                                let pose = if i % 2 == 0 {
                                    pose
                                } else {
                                    Pose::new(pose.rotation, pose.translation * 3.0)
                                };
                                let found = nearest(&a, &b, &pose);
                                let (ca, _, ra) = parts(&a, &Pose::IDENTITY);
                                let (cb, _, rb) = parts(&b, &pose);
                                let (pa, pb) = (wide(found.point_a), wide(found.point_b));
                                let distance = f64::from(found.distance);
                                let noise = 32.0 * f64::from($epsilon) * size;
                                assert!(((pb - pa).length() - distance).abs() <= noise, "{a:?} {b:?} {found:?}");
                                assert_eq!(meets(&a, &b, &pose), distance == 0.0);
                                if distance == 0.0 {
                                    n_meet += 1;
                                    // A point of both: no plane has all of either on its other
                                    // side.
                                    for _ in 0..20 {
                                        let n = source.random.cube_point().normalize();
                                        for (c, r) in [(&ca, ra), (&cb, rb)] {
                                            let top = c.iter().map(|p| p.dot(n)).fold(f64::NEG_INFINITY, f64::max);
                                            assert!(pa.dot(n) <= top + r + noise, "{a:?} {b:?} {pose:?} {found:?}");
                                        }
                                    }
                                } else {
                                    n_apart += 1;
                                    let n = wide(found.normal);
                                    assert!((n.length() - 1.0).abs() < 1e-6, "{found:?}");
                                    let slack = noise * (1.0 + 4.0 * size / distance.max(1e-3 * size));
                                    let top = ca.iter().map(|p| p.dot(n)).fold(f64::NEG_INFINITY, f64::max) + ra;
                                    let low = cb.iter().map(|p| p.dot(n)).fold(f64::INFINITY, f64::min) - rb;
                                    assert!((low - top - distance).abs() <= slack, "{a:?} {b:?} {pose:?} {found:?}");
                                    assert!((pa.dot(n) - top).abs() <= slack && (pb.dot(n) - low).abs() <= slack);
                                }
                            }
                        }
                    }
                    assert!(500 < n_meet && 500 < n_apart, "{n_meet} {n_apart}");
                }
            }

            #[test]
            fn solids_at_an_angle_meet_as_their_projections_do() {
                let mut source = Source { random: Random::new(61), is_grid: false, size: 1.0 };
                let (mut n_meet, mut n_apart) = (0, 0);
                for i in 0..1200 {
                    let (kind_a, kind_b) = (N_THIN + i % 4, N_THIN + i / 4 % 4);
                    let (a, b, pose) = (source.body(kind_a), source.body(kind_b), source.pose());
                    let pose = Pose::new(pose.rotation, pose.translation * 2.0);
                    let (ca, cb) = (parts(&a, &Pose::IDENTITY).0, parts(&b, &pose).0);
                    let edges = |c: &[DVec3]| -> Vec<DVec3> {
                        c.iter().flat_map(|p| c.iter().map(move |q| *q - *p)).filter(|e| *e != DVec3::ZERO).collect()
                    };
                    // More edges than there are, diagonals too: any plane may separate.
                    let (ea, eb) = (edges(&ca), edges(&cb));
                    let all: Vec<DVec3> = ea.iter().chain(&eb).copied().collect();
                    let axes = all
                        .iter()
                        .enumerate()
                        .flat_map(|(i, u)| all[..i].iter().map(|v| u.cross(*v)).collect::<Vec<_>>());
                    let (overlap, _) = sat::least_overlap(&ca, &cb, axes).unwrap();
                    if overlap.abs() < 1e3 * f64::from($epsilon) {
                        continue;
                    }
                    assert_eq!(meets(&a, &b, &pose), 0.0 < overlap, "{a:?} {b:?} {pose:?}: {overlap}");
                    if 0.0 < overlap {
                        n_meet += 1;
                    } else {
                        n_apart += 1;
                    }
                }
                assert!(150 < n_meet && 150 < n_apart, "{n_meet} {n_apart}");
            }

            #[test]
            fn ugly_numbers_give_answers() {
                let ugly = [0.0, 1.0, 1e-45, 1e38, f64::MAX, f64::INFINITY, f64::NAN].map(|x| x as Real);
                let cuboid = geom::Cuboid::new(<$vec3>::ONE).unwrap();
                let triangle = geom::Triangle::new(<$vec3>::X, <$vec3>::Y, <$vec3>::Z).unwrap();
                for &x in &ugly {
                    for &y in &ugly {
                        let p = <$vec3>::new(x, y, 1.0);
                        let _ = overlaps(&p, &cuboid, &Pose::IDENTITY);
                        let _ = overlaps(&p, &triangle, &Pose::from_translation(p));
                        if p.is_finite() {
                            for found in [
                                closest_points(&p, &cuboid, &Pose::IDENTITY),
                                closest_points(&p, &triangle, &Pose::IDENTITY),
                                closest_points(&triangle, &cuboid, &Pose::from_translation(p)),
                            ] {
                                assert!(!found.distance.is_nan() && !found.normal.is_nan(), "{p} {found:?}");
                                assert!(!found.point_a.is_nan() && !found.point_b.is_nan(), "{p} {found:?}");
                            }
                        }
                        let t = on_ray(p, &Ray::new(<$vec3>::new(y, x, 0.0), <$vec3>::new(x, 1.0, y)), Interval::BOTH);
                        assert!(!t.is_nan());
                    }
                }
                use carom_bounds::BoundingVolume;
                let empty = carom_bounds::Aabb::EMPTY;
                assert!(!overlaps(&<$vec3>::ZERO, &empty, &Pose::IDENTITY));
                assert_eq!(closest_points(&<$vec3>::ZERO, &empty, &Pose::IDENTITY).distance, Real::INFINITY);
            }

            #[test]
            fn points_of_rays_are_nearest() {
                let mut random = Random::new(71);
                for i in 0..2000 {
                    let [p, o, d] = [0; 3].map(|_| if i % 2 == 0 { random.grid_point(3) } else { random.cube_point() });
                    let ray = Ray::new(stored(o), stored(d));
                    let interval = [Interval::BOTH, Interval::FORWARD, Interval::new(-1.0, -0.5)][i % 3];
                    let t = on_ray(stored(p), &ray, interval);
                    assert!(interval.contains(t));
                    let distance = |t: Real| (wide(stored(p)) - wide(ray.origin) - wide(ray.direction) * f64::from(t)).length();
                    for step in [-0.01, 0.01, 1.0, -3.0] {
                        let other = t + step as Real;
                        if interval.contains(other) {
                            assert!(distance(t) <= distance(other) + 1e-6, "{p} {ray:?}");
                        }
                    }
                    if d == DVec3::ZERO && i % 3 != 2 {
                        assert_eq!(t, 0.0);
                    }
                }
            }
        }
    };
}

pair_tests!(single, carom_geom, carom_math, glam::Vec3, f32::EPSILON, 100);
pair_tests!(double, carom_geom::f64, carom_math::f64, glam::DVec3, f64::EPSILON * 4.0, 140);
