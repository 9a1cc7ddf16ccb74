//! Convex hulls: topology, containment, ugly points, real data. Every test runs in both precisions.

use carom_geom::SupportMap;
use carom_math::predicates::{orient2d_along, orient3d};
use glam::DVec3;

/// As many random cases as `PROPTEST_CASES` says, else this many.
fn n_cases(ordinary: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(ordinary)
}

macro_rules! hull_tests {
    ($name:ident, $geom:path, $vec3:ty, $epsilon:expr) => {
        #[allow(unused_qualifications)] // The same text for both precisions.
        mod $name {
            use super::*;
            use proptest::prelude::*;
            use $geom as geom;
            use geom::{ConvexHull, FlatHull, HullError, HullSettings, HullSurface};

            fn wide(v: $vec3) -> DVec3 {
                DVec3::new(v.x.into(), v.y.into(), v.z.into())
            }

            fn stored(v: DVec3) -> $vec3 {
                <$vec3>::new(v.x as _, v.y as _, v.z as _)
            }

            /// Closed, every corner of three faces or more, Euler.
            fn check_topology(hull: &ConvexHull) {
                let n_half_edges = hull.half_edges().len();
                for (e, edge) in hull.half_edges().iter().enumerate() {
                    let e = e as u32;
                    let twin = hull.half_edges()[edge.twin as usize];
                    assert_eq!(twin.twin, e);
                    assert_ne!(twin.face, edge.face);
                    assert_eq!(twin.origin, hull.half_edges()[hull.next(e) as usize].origin);
                    assert_eq!(hull.half_edges()[hull.next(edge.twin) as usize].origin, edge.origin);
                    assert!(hull.face_half_edges(edge.face).contains(&e));
                }
                assert_eq!(hull.vertices().len() + hull.n_faces(), n_half_edges / 2 + 2, "Euler");
                let mut degree = vec![0; hull.vertices().len()];
                for edge in hull.half_edges() {
                    degree[edge.origin as usize] += 1;
                }
                assert!(degree.iter().all(|&d| 3 <= d), "a corner of fewer than three faces");
            }

            /// Whole, convex to rounding, all points inside.
            fn check(hull: &ConvexHull, points: &[$vec3]) {
                check_topology(hull);
                let size = points.iter().fold(DVec3::ZERO, |m, &p| m.max(wide(p).abs())).element_sum();
                let bound = 10.0 * 3.0 * f64::from($epsilon) * size;
                let mut worst = f64::NEG_INFINITY;
                for face in 0..hull.n_faces() as u32 {
                    let (n, h) = (hull.face_normal(face), hull.face_offset(face));
                    assert!((n.length() - 1.0).abs() < 1e-14);
                    assert!(3 <= hull.face_vertices(face).len());
                    for &v in hull.vertices() {
                        let above = n.dot(wide(v)) - h;
                        assert!(above <= 4.0 * f64::EPSILON * size, "{above:e} above a plane");
                    }
                    for &v in hull.face_vertices(face) {
                        let below = h - n.dot(wide(hull.vertices()[v as usize]));
                        assert!(below <= bound, "a corner {below:e} below its face of {size:e}");
                    }
                    if points.len() * hull.n_faces() < 4_000_000 {
                        for &p in points {
                            worst = worst.max(n.dot(wide(p)) - h);
                        }
                    }
                }
                assert!(worst <= bound, "a point {worst:e} outside, size {size:e}");
                // The inscribed ball touches planes and crosses none.
                let (c, r) = (hull.inscribed_center(), hull.inscribed_radius());
                let free = (0..hull.n_faces() as u32)
                    .map(|f| hull.face_offset(f) - hull.face_normal(f).dot(c))
                    .fold(f64::INFINITY, f64::min);
                assert!((free - r).abs() <= 8.0 * f64::EPSILON * size && 0.0 <= r, "{free:e} is free, not {r:e}");
                assert!((c - hull.center()).length() <= hull.radius(), "the ball about {c} is elsewhere");
            }

            /// Supports are true maxima.
            fn check_support(hull: &ConvexHull, direction: DVec3) {
                let most = hull
                    .vertices()
                    .iter()
                    .map(|&v| (wide(v) - hull.center()).dot(direction))
                    .fold(f64::NEG_INFINITY, f64::max);
                let near = hull.support(direction);
                let loss = most - (near.point - hull.center()).dot(direction);
                let rounding = 8.0 * f64::EPSILON * hull.radius();
                assert!(loss <= (hull.support_slack() + rounding) * direction.length());
                for start in [near.vertex, 0, u32::MAX] {
                    let from = carom_geom::SupportPoint { vertex: start, ..near };
                    let exact = hull.support_exact(direction, from);
                    let loss = most - (exact.point - hull.center()).dot(direction);
                    assert!(
                        loss <= 8.0 * f64::EPSILON * hull.radius() * direction.length(),
                        "climbing from {start} stopped {loss:e} early, radius {:e}",
                        hull.radius()
                    );
                }
            }

            /// Checks a hull without tolerance: every point is below or in every face, decided
            /// exactly, and each face is in one plane.
            fn check_exactly(hull: &ConvexHull, points: &[$vec3]) {
                let vertex = |v: u32| wide(hull.vertices()[v as usize]);
                for face in 0..hull.n_faces() as u32 {
                    let ring = hull.face_vertices(face);
                    for pair in ring[1..].windows(2) {
                        let [a, b, c] = [vertex(ring[0]), vertex(pair[0]), vertex(pair[1])];
                        assert!(points.iter().all(|&p| 0.0 <= orient3d(a, b, c, wide(p))), "a point outside");
                        assert!(ring.iter().all(|&v| orient3d(a, b, c, vertex(v)) == 0.0), "a bent face");
                    }
                }
            }

            fn check_all(points: &[$vec3]) -> ConvexHull {
                let hull = ConvexHull::from_points(points).expect("a hull");
                check(&hull, points);
                for i in 0..64 {
                    let a = f64::from(i);
                    check_support(&hull, DVec3::new((a * 1.7).sin(), (a * 0.9).cos(), (a * 2.3).sin()));
                }
                for face in 0..hull.n_faces().min(64) as u32 {
                    check_support(&hull, hull.face_normal(face));
                }
                hull
            }

            #[test]
            fn cube_with_inner_points_has_six_squares() {
                let mut points = Vec::new();
                for i in 0..1000 {
                    let (x, y, z) = (i % 10, i / 10 % 10, i / 100);
                    points.push(<$vec3>::new(x as _, y as _, z as _));
                }
                // And everything twice.
                points.extend_from_within(..);
                let hull = check_all(&points);
                assert_eq!((hull.vertices().len(), hull.n_edges(), hull.n_faces()), (8, 12, 6));
                assert!((hull.inscribed_radius() - 4.5).abs() < 1e-12);
                assert!((0..6).all(|f| hull.face_vertices(f).len() == 4));
            }

            #[test]
            fn turned_boxes_have_six_faces() {
                for i in 0..200 {
                    let a = f64::from(i);
                    let q = glam::DQuat::from_euler(glam::EulerRot::XYZ, a, 2.7 * a, 0.3 * a);
                    let h = DVec3::new(1.0, 0.3 + 0.01 * a, 2.0);
                    let grid = 1 + i % 4;
                    let mut points = Vec::new();
                    for x in 0..=grid {
                        for y in 0..=grid {
                            for z in 0..=grid {
                                let at = DVec3::new(x.into(), y.into(), z.into()) / f64::from(grid) * 2.0 - 1.0;
                                points.push(stored(q * (at * h) + DVec3::new(0.1, 3.0, -2.0)));
                            }
                        }
                    }
                    let hull = check_all(&points);
                    assert_eq!((hull.vertices().len(), hull.n_edges(), hull.n_faces()), (8, 12, 6), "box {i}");
                }
            }

            #[test]
            fn cylinders_keep_caps() {
                for n in [3, 5, 12, 40, 200] {
                    let mut points = Vec::new();
                    let q = glam::DQuat::from_euler(glam::EulerRot::XYZ, 0.3, 1.1, -0.4);
                    for i in 0..n {
                        let (s, c) = (f64::from(i) * std::f64::consts::TAU / f64::from(n)).sin_cos();
                        for y in [-0.5, 0.0, 0.5] {
                            points.push(stored(q * DVec3::new(c, y, s)));
                        }
                    }
                    let hull = check_all(&points);
                    assert_eq!(hull.vertices().len(), 2 * n as usize);
                    assert_eq!(hull.n_faces(), n as usize + 2);
                    let mut feature = carom_geom::Feature::new();
                    hull.feature(q * DVec3::Y, &mut feature);
                    assert_eq!(feature.points().len(), n.min(32) as usize);
                }
            }

            #[test]
            fn fewer_dimensions_are_reported() {
                let v = |x: f64, y: f64, z: f64| stored(DVec3::new(x, y, z));
                assert_eq!(ConvexHull::from_points(&[]).unwrap_err(), HullError::Empty);
                let point = ConvexHull::from_points(&[v(1.0, 2.0, 3.0); 7]).unwrap_err();
                assert_eq!(point, HullError::Flat(FlatHull::Point(v(1.0, 2.0, 3.0))));
                let line: Vec<_> = (0..9).map(|i| v(f64::from(i * 5 % 9), f64::from(i * 5 % 9) * 2.0, 1.0)).collect();
                let line = ConvexHull::from_points(&line).unwrap_err();
                assert!(matches!(line, HullError::Flat(FlatHull::Segment(a, b))
                    if (a == v(0.0, 0.0, 1.0) && b == v(8.0, 16.0, 1.0)) || (b == v(0.0, 0.0, 1.0) && a == v(8.0, 16.0, 1.0))));
                let mut plane = Vec::new();
                for i in 0..25 {
                    let (x, y) = (f64::from(i % 5), f64::from(i / 5));
                    plane.push(v(x, y, x + y));
                }
                plane.extend_from_within(..);
                let Err(HullError::Flat(FlatHull::Polygon(ring))) = ConvexHull::from_points(&plane) else {
                    panic!("a plane is no hull");
                };
                assert_eq!(ring.len(), 4);
                let nan = [v(0.0, 0.0, 0.0), v(1.0, f64::NAN, 0.0)];
                assert_eq!(ConvexHull::from_points(&nan).unwrap_err(), HullError::NotFinite { point: 1 });
            }

            #[test]
            fn plates_and_needles_stay_what_they_are() {
                for (x, y, z) in [
                    (1.0, 1.0, 1e-9),
                    (1.0, 1e-9, 1e-9),
                    (1e18, 1.0, 1e-3),
                    (1e-20, 1e-20, 1e-20),
                    (1e18, 1e18, 1e18),
                    (1e-20, 1.0, 1e10),
                    (1e-38, 1.0, 1.0),
                ] {
                    let points: Vec<_> = (0..8)
                        .map(|i| {
                            let sign = |bit: i32| if i & bit == 0 { 1.0 } else { -1.0 };
                            stored(DVec3::new(x * sign(1), y * sign(2), z * sign(4)))
                        })
                        .collect();
                    let hull = check_all(&points);
                    assert_eq!((hull.vertices().len(), hull.n_faces()), (8, 6), "{x} {y} {z}");
                }
            }

            /// The sides of a wedge's tip are thinner than the tolerance and must not vanish in its
            /// front and back.
            #[test]
            fn tips_of_thin_wedges_keep_their_sides() {
                let v = |x: f64, y: f64, z: f64| stored(DVec3::new(x, y, z));
                let points = [
                    v(0.0, 0.0, 2e-7),
                    v(-4.0, 0.0, 1e-7),
                    v(-4.0, -3.5005493944218563e-9, 1e-7),
                    v(0.0, 0.0, 0.0),
                    v(0.0, -1.0, 0.0),
                ];
                check_all(&points);
                for exponent in 0..40 {
                    let thin = 2.0_f64.powi(-exponent);
                    for tip in [0.0, thin * 1e-3, thin] {
                        let mut points = Vec::new();
                        for i in 0..20 {
                            let (s, c) = (f64::from(i) * 0.1).sin_cos();
                            points.extend([v(c, s, thin), v(c, s, -thin), v(c - 4.0, s * tip, tip)]);
                        }
                        check_all(&points);
                    }
                }
            }

            #[test]
            fn scaling_by_powers_of_two_scales_the_hull() {
                let points: Vec<_> = (0..60)
                    .map(|i| {
                        let a = f64::from(i);
                        stored(DVec3::new((a * 1.3).sin(), (a * 2.9).cos(), (a * 0.7).sin() * 0.5))
                    })
                    .collect();
                let hull = check_all(&points);
                for exponent in [-40, -1, 3, 40] {
                    let scale = 2.0_f64.powi(exponent);
                    let scaled: Vec<_> = points.iter().map(|&p| stored(wide(p) * scale)).collect();
                    let other = check_all(&scaled);
                    assert_eq!(hull.half_edges(), other.half_edges());
                    for face in 0..hull.n_faces() as u32 {
                        assert_eq!(hull.face_normal(face), other.face_normal(face));
                        assert_eq!(hull.face_offset(face) * scale, other.face_offset(face));
                    }
                    assert_eq!(hull.inscribed_radius() * scale, other.inscribed_radius());
                    assert_eq!(hull.center() * scale, other.center());
                }
            }

            #[test]
            fn the_order_of_points_does_not_matter() {
                let mut random = carom_testkit::random::Random::new(3);
                for n in [4, 12, 60, 300] {
                    let mut points: Vec<_> = (0..n)
                        .map(|i| stored(if i % 2 == 0 { random.cube_point() } else { random.grid_point(3) - 1.5 }))
                        .collect();
                    let rings = |hull: &ConvexHull| {
                        let mut rings: Vec<Vec<_>> = (0..hull.n_faces() as u32)
                            .map(|f| {
                                let corner = |&v: &u32| wide(hull.vertices()[v as usize]).to_array();
                                let mut ring: Vec<_> = hull.face_vertices(f).iter().map(corner).collect();
                                let key = |p: &[f64; 3]| (p[0] * 7.0 + p[1] * 1.3 + p[2] * 0.1).to_bits();
                                let first = (0..ring.len()).min_by_key(|&i| key(&ring[i])).unwrap();
                                ring.rotate_left(first);
                                ring
                            })
                            .collect();
                        rings.sort_by(|a, b| a.partial_cmp(b).unwrap());
                        rings
                    };
                    let first = rings(&check_all(&points));
                    for _ in 0..5 {
                        for i in 0..n {
                            points.swap(i, random.below(n));
                        }
                        assert!(rings(&check_all(&points)) == first, "{n} points");
                    }
                }
            }

            #[test]
            fn real_hulls() {
                let Some(path) = carom_testkit::data::find("hulls/jolt_hulls.bin") else { return };
                let bytes = std::fs::read(path).unwrap();
                let words: Vec<[u8; 4]> = bytes.chunks_exact(4).map(|c| c.try_into().unwrap()).collect();
                let (mut at, mut n_sets, mut n_points, mut n_vertices, mut n_flat) = (0, 0, 0, 0, 0);
                while at < words.len() {
                    let n = u32::from_le_bytes(words[at]) as usize;
                    let points: Vec<_> = words[at + 1..at + 1 + 3 * n]
                        .chunks_exact(3)
                        .map(|c| stored(DVec3::from_array([0, 1, 2].map(|i| f64::from(f32::from_le_bytes(c[i]))))))
                        .collect();
                    at += 1 + 3 * n;
                    n_sets += 1;
                    n_points += n;
                    match ConvexHull::from_points(&points) {
                        Ok(hull) => {
                            check(&hull, &points);
                            n_vertices += hull.vertices().len();
                            for face in 0..hull.n_faces() as u32 {
                                check_support(&hull, hull.face_normal(face));
                            }
                        }
                        Err(HullError::Flat(_)) => n_flat += 1,
                        Err(error) => panic!("set {n_sets}: {error}"),
                    }
                }
                println!("{n_sets} sets, {n_points} points, {n_vertices} vertices, {n_flat} flat");
                assert_eq!(n_sets, 3378);
            }

            #[test]
            fn many_points() {
                let n = if std::env::var_os("CAROM_SLOW").is_some() { 100_000 } else { 10_000 };
                let mut state = 1_u64;
                let mut random = || {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    (state >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
                };
                let mut points: Vec<_> =
                    (0..n).map(|_| stored(DVec3::new(random(), random(), random()))).collect();
                for shape in ["cube", "ball surface"] {
                    let clock = std::time::Instant::now();
                    let hull = ConvexHull::from_points(&points).unwrap();
                    println!("{n} points, {shape}: {} vertices, {:?}", hull.vertices().len(), clock.elapsed());
                    if shape == "cube" {
                        check(&hull, &points);
                    }
                    points.iter_mut().for_each(|p| *p = stored(wide(*p).normalize()));
                }
            }

            /// Points of five kinds: in a ball, on a sphere, in a cube, of a grid of whole numbers,
            /// on a paraboloid.
            fn cloud(kind: usize, n: usize) -> Vec<$vec3> {
                let mut random = carom_testkit::random::Random::new(kind as u64);
                let side = (n as f64).cbrt().ceil();
                (0..n)
                    .map(|_| {
                        let p = random.cube_point();
                        stored(match kind {
                            0 => loop {
                                let p = random.cube_point();
                                if p.length() <= 1.0 {
                                    break p;
                                }
                            },
                            1 => p.normalize(),
                            2 => p,
                            3 => (p * (0.5 * side)).round(),
                            _ => DVec3::new(p.x, p.y, p.x * p.x + p.y * p.y),
                        })
                    })
                    .collect()
            }

            /// Points against planes grow as n log n: at most so many times that, for every kind,
            /// from a thousand to a million.
            #[test]
            fn the_cost_grows_as_n_log_n() {
                let is_slow = std::env::var_os("CAROM_SLOW").is_some();
                for (kind, name) in ["ball", "sphere", "cube", "grid", "paraboloid"].into_iter().enumerate() {
                    let mut n = 1000;
                    while n <= if is_slow { 1_000_000 } else { 10_000 } {
                        let points = cloud(kind, n);
                        let clock = std::time::Instant::now();
                        let hull = ConvexHull::from_points(&points).unwrap();
                        let time = clock.elapsed();
                        let share = hull.n_build_tests() as f64 / (n as f64 * (n as f64).log2());
                        println!(
                            "{name:>10} {n:>7} points {:>7} vertices {:>10} tests {share:.2} n log2 n, {time:?}",
                            hull.vertices().len(),
                            hull.n_build_tests(),
                        );
                        // Beyond, neighbours on a sphere are as near as rounding: what is merged is
                        // built again, up to eight times.
                        let most = if n <= 10_000 { 3.0 } else { 9.0 * 2.5 };
                        assert!(n as u64 <= hull.n_build_tests() && share <= most, "{name} {n}: {share}");
                        n *= 10;
                    }
                }
            }

            /// From the map's vertex the climb ends where a look at all vertices does, also with a
            /// coarse map or a strange one.
            #[test]
            fn an_apex_map_finds_the_farthest_vertex() {
                let mut random = carom_testkit::random::Random::new(8);
                let mut n_same = 0;
                for n in [4, 8, 9, 40, 300, 2000] {
                    for kind in 0..5 {
                        let Ok(hull) = ConvexHull::from_points(&cloud(kind, n)) else { continue };
                        let strange = ConvexHull::from_points(&cloud(1, 50)).unwrap().apex_map(3);
                        let maps = [hull.apex_map(0), hull.apex_map(4), hull.apex_map(16), strange];
                        assert_eq!(maps[0].n_side(), 1);
                        let mut directions: Vec<DVec3> = (0..100).map(|_| random.cube_point()).collect();
                        directions.extend((0..60).map(|_| random.grid_point(2) - 1.0).filter(|d| *d != DVec3::ZERO));
                        directions.extend((0..hull.n_faces().min(60) as u32).map(|f| hull.face_normal(f)));
                        directions.extend([DVec3::new(1e-300, 1e-300, 0.0), DVec3::new(1e200, -1e200, 1e200)]);
                        for d in directions {
                            let unit = d / d.abs().max_element();
                            let height = |v: u32| (wide(hull.vertices()[v as usize]) - hull.center()).dot(unit);
                            let all = 0..hull.vertices().len() as u32;
                            let best = all.max_by(|&a, &b| height(a).total_cmp(&height(b))).unwrap();
                            for map in &maps {
                                let got = hull.support_by(map, d);
                                assert_eq!(got.point, wide(hull.vertices()[got.vertex as usize]));
                                let loss = height(best) - height(got.vertex);
                                assert!(loss <= 8.0 * f64::EPSILON * hull.radius(), "{n} {kind} {d}: {loss:e}");
                                n_same += u32::from(got.vertex == best);
                            }
                        }
                        // Nothing sensible to say, and no harm done.
                        for d in [DVec3::ZERO, DVec3::NAN, DVec3::INFINITY] {
                            assert!((hull.support_by(&maps[2], d).vertex as usize) < hull.vertices().len());
                        }
                    }
                }
                assert!(10_000 < n_same, "{n_same}");
            }

            fn ugly_points() -> impl Strategy<Value = Vec<$vec3>> {
                let coordinate = prop_oneof![
                    4 => (-4..=4_i32).prop_map(f64::from),
                    2 => -1.0..1.0_f64,
                    1 => (-1.0..1.0_f64).prop_map(|x| x * 1e-7),
                    1 => (-1.0..1.0_f64).prop_map(|x| 1.0 + x * 1e-6),
                ];
                let point = (coordinate.clone(), coordinate.clone(), coordinate);
                (
                    prop::collection::vec(point, 4..60),
                    prop_oneof![Just(1.0), Just(1e-20), Just(1e18)],
                    prop_oneof![3 => Just(DVec3::ONE), 1 => Just(DVec3::new(1.0, 1.0, 1e-7)), 1 => Just(DVec3::new(1.0, 1e-5, 1e-9))],
                    any::<bool>(),
                )
                    .prop_map(|(points, scale, squeeze, is_turned)| {
                        let q = if is_turned {
                            glam::DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -1.2, 2.2)
                        } else {
                            glam::DQuat::IDENTITY
                        };
                        points
                            .into_iter()
                            .map(|(x, y, z)| stored(q * (DVec3::new(x, y, z) * squeeze) * scale))
                            .collect()
                    })
            }

            /// Few points, so that all pairs, triples and fours can be asked: equal, on a line, in
            /// a plane, or next to it.
            fn few_points() -> impl Strategy<Value = Vec<$vec3>> {
                let coordinate = prop_oneof![
                    6 => (0..=3_i32).prop_map(f64::from),
                    1 => Just(1.0 + f64::from($epsilon)),
                    1 => Just(f64::from($epsilon)),
                ];
                let point = (coordinate.clone(), coordinate.clone(), coordinate, 0..=2_i32);
                (prop::collection::vec(point, 1..9), 0..4_usize).prop_map(|(points, flat)| {
                    points
                        .into_iter()
                        .map(|(x, y, z, step)| {
                            let s = f64::from(step);
                            stored(match flat {
                                // On a line or in a plane that are not along the axes, or nearly
                                // so.
                                0 => DVec3::new(1.0, 2.0, -1.0) + DVec3::new(3.0, -1.0, 2.0) * s,
                                1 => DVec3::new(x, y, 2.0 * x - y),
                                2 => DVec3::new(x, y, x + 3.0 * y + if step == 2 { z * f64::from($epsilon) } else { 0.0 }),
                                _ => DVec3::new(x, y, z),
                            })
                        })
                        .collect()
                })
            }

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(n_cases(400)))]

                /// A surface of triangles is closed, has all points on or below it exactly, and
                /// spans what the hull spans.
                #[test]
                fn surfaces_are_closed_and_exactly_convex(points in prop_oneof![ugly_points(), few_points()]) {
                    let settings = HullSettings::default().with_coplanar_tolerance(0.0);
                    let exact = ConvexHull::from_points_with(&points, &settings);
                    let surface = match (HullSurface::from_points(&points), exact) {
                        (Ok(surface), Ok(hull)) => {
                            prop_assert!(hull.vertices().iter().all(|v| surface.vertices.contains(v)));
                            surface
                        }
                        (Err(refused), Err(exact)) => {
                            prop_assert_eq!(refused, exact);
                            return Ok(());
                        }
                        (surface, hull) => panic!("{surface:?} {hull:?}"),
                    };
                    let corner = |v: u32| wide(surface.vertices[v as usize]);
                    let mut sides = std::collections::BTreeSet::new();
                    for &[a, b, c] in &surface.triangles {
                        prop_assert!([[a, b], [b, c], [c, a]].iter().all(|&side| sides.insert(side)));
                        let [p, q, r] = [a, b, c].map(corner);
                        prop_assert!((0..3).any(|axis| orient2d_along(axis, p, q, r) != 0.0));
                        prop_assert!(points.iter().all(|&x| 0.0 <= orient3d(p, q, r, wide(x))));
                    }
                    prop_assert!(sides.iter().all(|&[a, b]| sides.contains(&[b, a])));
                    let n_used = surface.triangles.iter().flatten().copied().max().map_or(0, |v| v as usize + 1);
                    prop_assert_eq!(n_used, surface.vertices.len());
                    prop_assert_eq!(surface.triangles.len(), 2 * surface.vertices.len() - 4);
                }

                /// The span of points is exact, whatever pairs, triples and fours of them say;
                /// and the lesser hull is theirs.
                #[test]
                fn the_span_of_few_points_is_exact(points in few_points()) {
                    let p: Vec<DVec3> = points.iter().map(|&p| wide(p)).collect();
                    let n = p.len();
                    let off_line = |a: DVec3, b: DVec3, c: DVec3| (0..3).any(|axis| orient2d_along(axis, a, b, c) != 0.0);
                    let mut dimension = 0;
                    for i in 0..n {
                        for j in 0..i {
                            dimension = dimension.max(usize::from(p[i] != p[j]));
                            for k in 0..j {
                                dimension = dimension.max(if off_line(p[i], p[j], p[k]) { 2 } else { 0 });
                                for l in 0..k {
                                    dimension = dimension.max(if orient3d(p[i], p[j], p[k], p[l]) != 0.0 { 3 } else { 0 });
                                }
                            }
                        }
                    }
                    let settings = HullSettings::default().with_coplanar_tolerance(0.0);
                    let exact = ConvexHull::from_points_with(&points, &settings);
                    if let Ok(hull) = &exact {
                        check_exactly(hull, &points);
                    }
                    for answer in [ConvexHull::from_points(&points), exact] {
                        let reported = match answer {
                            Ok(hull) => {
                                // Topology only: normals of faces thinner than the square of
                                // rounding are beyond 106 bits.
                                check_topology(&hull);
                                3
                            }
                            Err(HullError::Flat(FlatHull::Polygon(ring))) => {
                                let ring: Vec<DVec3> = ring.into_iter().map(wide).collect();
                                prop_assert!(3 <= ring.len() && ring.iter().all(|v| p.contains(v)));
                                let m = ring.len();
                                let side = |axis: usize, i: usize, q: DVec3| orient2d_along(axis, ring[i], ring[(i + 1) % m], q);
                                for axis in 0..3 {
                                    // Seen along each axis it is a polygon without dents, the same
                                    // way round everywhere.
                                    let turns: Vec<f64> = (0..m).map(|i| side(axis, i, ring[(i + 2) % m])).collect();
                                    let is_left = turns.iter().all(|&t| 0.0 < t);
                                    prop_assert!(is_left || turns.iter().all(|&t| t < 0.0) || turns.iter().all(|&t| t == 0.0));
                                    for &q in &p {
                                        let is_in = |i: usize| (if is_left { 1.0 } else { -1.0 }) * side(axis, i, q) >= 0.0;
                                        prop_assert!((0..m).all(is_in), "a point outside the polygon");
                                    }
                                }
                                2
                            }
                            Err(HullError::Flat(FlatHull::Segment(a, b))) => {
                                let (low, high) = (wide(a).min(wide(b)), wide(a).max(wide(b)));
                                prop_assert!(p.iter().all(|&q| low.cmple(q).all() && q.cmple(high).all()));
                                prop_assert!(p.contains(&wide(a)) && p.contains(&wide(b)) && a != b);
                                1
                            }
                            Err(HullError::Flat(FlatHull::Point(a))) => {
                                prop_assert!(p.iter().all(|&q| q == wide(a)));
                                0
                            }
                            Err(error) => panic!("{error}"),
                        };
                        prop_assert_eq!(reported, dimension);
                    }
                }

                #[test]
                fn ugly_points_have_good_hulls(points in ugly_points()) {
                    match ConvexHull::from_points(&points) {
                        Ok(hull) => {
                            check(&hull, &points);
                            for face in 0..hull.n_faces() as u32 {
                                check_support(&hull, hull.face_normal(face));
                            }
                            // Exact: nothing is lost at all.
                            let settings = HullSettings::default().with_coplanar_tolerance(0.0);
                            let exact = ConvexHull::from_points_with(&points, &settings).unwrap();
                            check(&exact, &points);
                            check_exactly(&exact, &points);
                        }
                        Err(HullError::Flat(_)) => {}
                        Err(error) => prop_assert!(false, "{}", error),
                    }
                }
            }
        }
    };
}

hull_tests!(single, carom_geom, glam::Vec3, f32::EPSILON);
hull_tests!(double, carom_geom::f64, glam::DVec3, f64::EPSILON);

/// A sliver thinner than rounding: three of its planes coincide and leave a ball free to go
/// anywhere along them.
#[test]
fn the_ball_in_a_sliver_stays_with_it() {
    use carom_geom::f64::ConvexHull;
    let e = f64::EPSILON;
    let points = [
        DVec3::new(3.0, 1.0 + e, 5.0),
        DVec3::new(1.0, 1.0 + e, 1.0 - e),
        DVec3::new(2.0, 1.0 + e, 3.0),
        DVec3::new(e, 2.0, -2.0 + e),
    ];
    let hull = ConvexHull::from_points(&points).unwrap();
    let (low, high) =
        (points.iter().fold(points[0], |m, p| m.min(*p)), points.iter().fold(points[0], |m, p| m.max(*p)));
    let center = hull.inscribed_center();
    assert!(low.cmple(center).all() && center.cmple(high).all(), "{center}");
    assert_eq!(hull.inscribed_radius(), 0.0);
}

#[test]
fn every_instruction_set_finds_the_same_vertex() {
    use carom_geom::ConvexHull;
    use carom_lanes::{Level, force_level};
    let mut random = carom_testkit::random::Random::new(9);
    for n in [4, 7, 8, 9, 100, 200, 500, 5000] {
        let points: Vec<_> = (0..n).map(|_| random.cube_point().normalize().as_vec3()).collect();
        let hull = ConvexHull::from_points(&points).unwrap();
        let directions: Vec<DVec3> = (0..2000)
            .map(|i| match i % 4 {
                0 => random.cube_point(),
                1 => random.cube_point() * DVec3::new(1.0, 1e-5, 1e-9),
                2 => random.grid_point(4) - 2.0,
                _ => random.cube_point().normalize() * 1e-30,
            })
            .filter(|d| *d != DVec3::ZERO)
            .collect();
        let mut answers: Option<Vec<u32>> = None;
        for level in [Level::Generic, Level::Sse2, Level::Avx2, Level::Neon] {
            if !force_level(Some(level)) {
                continue;
            }
            let found: Vec<u32> = directions.iter().map(|&d| hull.support(d).vertex).collect();
            assert!(answers.get_or_insert_with(|| found.clone()) == &found, "{level:?}, {n} vertices");
        }
        force_level(None);
        // And none falls behind by more than the slack.
        for &d in &directions {
            let most = points.iter().map(|p| p.as_dvec3().dot(d)).fold(f64::NEG_INFINITY, f64::max);
            let loss = most - hull.support(d).point.dot(d);
            assert!(loss <= hull.support_slack() * d.length(), "{n} vertices, {d}: {loss:e}");
        }
    }
}

/// All points on or below all faces, every corner on its face, to a few roundings of the largest
/// coordinate.
fn check_faces(points: &[DVec3]) {
    use carom_geom::f64::ConvexHull;
    let hull = ConvexHull::from_points(points).unwrap();
    let size = points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    for face in 0..hull.n_faces() as u32 {
        let (normal, offset) = (hull.face_normal(face), hull.face_offset(face));
        assert!((normal.length() - 1.0).abs() < 1e-12, "{normal} {points:?}");
        assert!(points.iter().all(|p| normal.dot(*p) - offset <= 64.0 * f64::EPSILON * size), "{points:?}");
        for &v in hull.face_vertices(face) {
            let height = normal.dot(hull.vertices()[v as usize]) - offset;
            assert!(-64.0 * f64::EPSILON * size <= height, "{height:e} below face {face} of {points:?}");
        }
    }
}

#[test]
fn faces_thinner_than_twice_the_digits_have_their_normals() {
    let e = f64::EPSILON;
    check_faces(&[
        DVec3::new(1.0, 3.0, 10.0),
        DVec3::new(1.0 + e, e, 1.0 + 7.0 * e),
        DVec3::new(1.0 + e, 0.0, 1.0 + 4.0 * e),
        DVec3::new(2.0, 2.0, 8.0),
    ]);
}

#[test]
fn huge_coordinates_beside_small_ones_keep_their_faces() {
    check_faces(&[
        DVec3::new(3.0, 3.0, 2.0),
        DVec3::new(0.0, 0.0, 2.0),
        DVec3::new(-5.0, 1.1920928955078125e-7, -1.0),
        DVec3::new(0.0, -3.419793945974138e34, -3.419793945974138e34),
        DVec3::new(-2.5, -1.709896972987069e34, -1.709896972987069e34),
        DVec3::new(-4.0, 8.0, 8.0),
        DVec3::new(2.0, 3.0, 0.0),
    ]);
    check_faces(&[
        DVec3::new(2.0, 1.0, 0.0),
        DVec3::new(3.0, 1.0, 3.0),
        DVec3::new(-91.6484375, 2.0, 2.0),
        DVec3::new(-8.0, -3.147770562463791e40, -3.147770562463791e40),
        DVec3::new(-2.5, -1.5738852812318956e40, -1.5738852812318956e40),
        DVec3::new(3.0, 1.0, 0.0),
    ]);
}

/// A volume far below the digits of the products, and not zero.
#[test]
fn the_least_volume_beside_the_largest_is_no_flat_hull() {
    let tiny = 1.401298464324817e-45;
    let points = [
        DVec3::new(5.070602400912918e30, -8.0, 5.0),
        DVec3::new(2.0, 0.0, 0.0),
        DVec3::new(0.0, tiny, -tiny),
        DVec3::ZERO,
    ];
    assert_ne!(orient3d(points[0], points[1], points[2], points[3]), 0.0);
    check_faces(&points);
}

/// Nothing but the least numbers, whose products are rounded to whole ones of them: from vertex to
/// farther vertex the climb went round in a circle and never came back.
#[cfg(feature = "f64")]
#[test]
fn a_hull_of_the_least_numbers_is_made() {
    let d = 5e-324;
    let points =
        [[1, 1, 1], [1, 0, 1], [1, 2, 1], [1, 1, 2], [1, 2, 2], [2, 3, 2], [1, 2, 2], [4, 3, 3], [-2, 0, 0]]
            .map(|p: [i32; 3]| glam::DVec3::from_array(p.map(|x| f64::from(x) * d)));
    let hull = carom_geom::f64::ConvexHull::from_points(&points).unwrap();
    assert!(4 <= hull.vertices().len());
}
