//! Convex hulls: topology, containment, ugly points, real data. Every test runs in both precisions.

use carom_geom::SupportMap;
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
            use geom::{ConvexHull, FlatHull, HullError, HullSettings};

            fn wide(v: $vec3) -> DVec3 {
                DVec3::new(v.x.into(), v.y.into(), v.z.into())
            }

            fn stored(v: DVec3) -> $vec3 {
                <$vec3>::new(v.x as _, v.y as _, v.z as _)
            }

            /// Closed, every corner of three faces or more, Euler, convex to rounding, all points inside.
            fn check(hull: &ConvexHull, points: &[$vec3]) {
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
                assert!((free - r).abs() <= 8.0 * f64::EPSILON * size && 0.0 <= r);
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
            fn fewer_dimensions_are_told() {
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

            /// The sides of a wedge's tip are thinner than the tolerance and must not vanish in its front and back.
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

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(n_cases(400)))]
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
