//! Triangle against triangle, held against exact integers.

use carom_geom::segment_triangle::{
    point_in_convex, point_in_half_spaces, point_in_triangle, point_on_segment, segment_meets_triangle,
    segments_meet,
};
use carom_geom::tri_distance::{self, closest_points};
use carom_geom::tri_intersection::{Intersection, intersection};
use carom_geom::tri_tri::{intersects, intersects_filter};
use carom_testkit::oracle::integer::triangles_meet;
use carom_testkit::oracle::triangle::{self as oracle, LineHit};
use carom_testkit::random::Random;
use carom_testkit::triangle_pairs::{self, Family, Placement};
use glam::{DVec3, dvec3};

const T: [DVec3; 3] = [dvec3(0.0, 0.0, 0.0), dvec3(4.0, 0.0, 0.0), dvec3(0.0, 4.0, 0.0)];

#[test]
fn known_pairs() {
    let through = [dvec3(1.0, 1.0, -1.0), dvec3(1.0, 1.0, 1.0), dvec3(9.0, 9.0, 0.0)];
    assert!(intersects(&T, &through));
    let ends = intersection(&T, &through);
    assert_eq!(ends, Intersection::Segment([dvec3(2.0, 2.0, 0.0), dvec3(1.0, 1.0, 0.0)]));
    let above = through.map(|p| p + dvec3(0.0, 0.0, 1.5));
    assert!(!intersects(&T, &above));
    assert_eq!(closest_points(&T, &above).distance, 0.5);
    // One plane: overlapping, touching in a corner, inside, apart.
    let moved = |x: f64, y: f64| T.map(|p| p + dvec3(x, y, 0.0));
    assert!(matches!(intersection(&T, &moved(1.0, 1.0)), Intersection::Polygon { n_points: 3, .. }));
    assert_eq!(intersection(&T, &moved(4.0, 0.0)), Intersection::Point(dvec3(4.0, 0.0, 0.0)));
    assert_eq!(intersection(&T, &moved(4.5, 0.0)), Intersection::Empty);
    assert!(matches!(intersection(&T, &T), Intersection::Polygon { n_points: 3, .. }));
    let star = [dvec3(3.0, 3.0, 0.0), dvec3(-1.0, 2.0, 0.0), dvec3(2.0, -1.0, 0.0)];
    assert!(matches!(intersection(&T, &star), Intersection::Polygon { n_points: 6, .. }));
    // Points and segments.
    assert!(intersects(&T, &[dvec3(1.0, 1.0, 0.0); 3]));
    assert!(!intersects(&T, &[dvec3(3.0, 3.0, 0.0); 3]));
    assert!(intersects(&T, &[dvec3(1.0, 1.0, 3.0), dvec3(1.0, 1.0, -3.0), dvec3(1.0, 1.0, 0.0)]));
}

/// Pairs of triangles of every ugly kind: on coarse grids; nearly coplanar; touching up to
/// rounding; thin; with a common edge; degenerate; of the size of planets and atoms.
fn pair(random: &mut Random, kind: usize) -> ([DVec3; 3], [DVec3; 3]) {
    let mut grid = |n: usize| [0; 6].map(|_| random.grid_point(n));
    let mut points = match kind % 8 {
        0 => grid(2),
        1 => grid(4),
        2 => grid(9),
        // Seen from one side: all in one plane, or nearly.
        3 => grid(6).map(|p| dvec3(p.x, p.y, (p.x + p.y) * 0.5)),
        4 => {
            let mut p = [0; 6].map(|_| random.cube_point());
            p.iter_mut().for_each(|q| q.z = (0.1 * q.x + 0.3 * q.y) + random.below(3) as f64 * 1e-17);
            p
        }
        // A corner on the other's plane, up to rounding.
        5 => {
            let mut p = [0; 6].map(|_| random.cube_point());
            let (s, t) = (random.unit(), random.range(0.0, 0.6));
            p[3] = p[0] + ((p[1] - p[0]) * s + (p[2] - p[0]) * t);
            p[4] = p[3] + (p[4] - p[3]) * if random.below(2) == 0 { 1.0 } else { 1e-9 };
            p
        }
        // Slivers.
        6 => {
            let mut p = [0; 6].map(|_| random.cube_point());
            for k in [0, 3] {
                let width = 10f64.powi(-(random.below(17) as i32));
                p[k + 2] = p[k] + (p[k + 1] - p[k]) * random.unit() + (p[k + 2] - p[k]) * width;
            }
            if random.below(2) == 0 {
                // The long edges cross, up to rounding.
                let shift = (p[0] + p[1]) * 0.5 - (p[3] + p[4]) * 0.5;
                p[3..].iter_mut().for_each(|q| *q += shift);
            }
            p
        }
        _ => [0; 6].map(|_| random.cube_point()),
    };
    if kind.is_multiple_of(3) && random.below(4) == 0 {
        points[3 + random.below(3)] = points[random.below(3)];
    }
    if random.below(16) == 0 {
        // A segment, a point.
        let k = 3 * random.below(2);
        points[k + 1] = points[k];
        if random.below(3) == 0 {
            points[k + 2] = points[k];
        }
    }
    if random.below(8) == 0 {
        let scale = [1e39, 1e-38, 2f64.powi(300), 2f64.powi(-340)][random.below(4)];
        points.iter_mut().for_each(|p| *p *= scale);
    }
    ([points[0], points[1], points[2]], [points[3], points[4], points[5]])
}

fn rounds(ordinary: usize, slow: usize) -> usize {
    if std::env::var_os("CAROM_SLOW").is_some() { slow } else { ordinary }
}

#[test]
fn pairs_meet_exactly() {
    let mut random = Random::new(3);
    let n = rounds(100_000, 1_000_000);
    let mut n_meet = [0usize; 8];
    for round in 0..n {
        let (a, b) = pair(&mut random, round);
        let expected = oracle::hulls_meet(&a, &b);
        assert_eq!(intersects(&a, &b), expected, "{a:?} {b:?}");
        assert_eq!(intersects(&b, &a), expected, "{b:?} {a:?}");
        n_meet[round % 8] += usize::from(expected);
    }
    println!("of {n} pairs meet, by kind: {n_meet:?}");
    for (kind, &meet) in n_meet.iter().enumerate() {
        let part = meet as f64 / (n / 8) as f64;
        assert!(0.1 < part && part < 0.9, "kind {kind}: {part} meet");
    }
}

/// Whole coordinates, of the kinds that `cargo xtask truth triangles` asks by the hundred million.
#[test]
fn many_pairs_meet_exactly() {
    let mut random = Random::new(9);
    let n = 200_000;
    let mut n_meet = [0usize; Family::ALL.len()];
    let mut n_unsure = 0;
    for round in 0..n {
        let row = round % Family::ALL.len();
        let [a, b] = triangle_pairs::pair(&mut random, Family::ALL[row]);
        let expected = triangles_meet(&a, &b);
        let placement = Placement::ALL[if round % 16 < 14 { 0 } else { random.below(6) }];
        let (a, b) = (placement.apply(&a), placement.apply(&b));
        assert_eq!(intersects(&a, &b), expected, "{a:?} {b:?}");
        let filter = intersects_filter(&a, &b);
        assert!(filter.is_none_or(|meets| meets == expected), "{a:?} {b:?}");
        n_unsure += usize::from(filter.is_none());
        n_meet[row] += usize::from(expected);
    }
    println!("of {n} pairs meet, by family: {n_meet:?}; the filter was unsure of {n_unsure}");
    for (family, &meet) in Family::ALL.iter().zip(&n_meet) {
        let part = meet as f64 / (n / Family::ALL.len()) as f64;
        let is_fair = if *family == Family::SharedCorners { 0.99 < part } else { 0.03 < part && part < 0.97 };
        assert!(is_fair, "{family:?}: {part} meet");
    }
    assert!(n / 10 < n_unsure && n_unsure < n / 2);
}

/// The two integer oracles, which have nothing in common, agree.
#[test]
fn the_oracles_agree() {
    let mut random = Random::new(10);
    for round in 0..8_000 {
        let [a, b] = triangle_pairs::pair(&mut random, Family::ALL[round % Family::ALL.len()]);
        let positions_of = |t| Placement::Plain.apply(t);
        assert_eq!(
            triangles_meet(&a, &b),
            oracle::hulls_meet(&positions_of(&a), &positions_of(&b)),
            "{a:?} {b:?}"
        );
    }
}

#[test]
fn segments_and_points_exactly() {
    let mut random = Random::new(4);
    let mut n_yes = [0usize; 4];
    let n = 20_000;
    for round in 0..n {
        let (a, b) = pair(&mut random, round);
        let s = [b[0], b[1]];
        let expected = [
            oracle::hulls_meet(&s, &a),
            oracle::hulls_meet(&[b[0]], &a),
            oracle::hulls_meet(&s, &a[..2]),
            oracle::hulls_meet(&[b[0]], &a[..2]),
        ];
        let got = [
            segment_meets_triangle(&s, &a),
            point_in_triangle(b[0], &a),
            segments_meet(&s, &[a[0], a[1]]),
            point_on_segment(b[0], &[a[0], a[1]]),
        ];
        assert_eq!(got, expected, "{a:?} {b:?}");
        (0..4).for_each(|i| n_yes[i] += usize::from(got[i]));
    }
    assert!(n_yes.iter().all(|&k| n / 50 < k && k < n - n / 50), "{n_yes:?}");
}

#[test]
fn intersections_are_what_they_say() {
    let mut random = Random::new(5);
    let mut kinds = [0usize; 4];
    for round in 0..30_000 {
        let (a, b) = pair(&mut random, round);
        let shared = intersection(&a, &b);
        assert_eq!(shared != Intersection::Empty, intersects(&a, &b), "{a:?} {b:?}");
        kinds[match shared {
            Intersection::Empty => 0,
            Intersection::Point(_) => 1,
            Intersection::Segment(_) => 2,
            _ => 3,
        }] += 1;
        let size = a.iter().chain(&b).fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
        for &p in shared.points() {
            for t in [&a, &b] {
                let off = tri_distance::point_triangle(p, t).distance;
                assert!(off <= 1e-15 * size, "{off:e} off a triangle of size {size:e}: {a:?} {b:?}");
            }
        }
    }
    assert!(kinds.iter().all(|&n| 500 < n), "{kinds:?}");
}

/// The ends of the common segment against those of rational arithmetic: the outermost places at
/// which a side of the one passes through the other.
#[test]
fn intersection_segments_exactly() {
    let mut random = Random::new(15);
    let (mut n_segments, mut n_points, mut worst) = (0, 0, 0.0_f64);
    for round in 0..40_000 {
        let families = [
            Family::Random,
            Family::CornerOnFace,
            Family::EdgeOnEdge,
            Family::NearlyCoplanar,
            Family::Slivers,
        ];
        let [a, b] = triangle_pairs::pair(&mut random, families[round % families.len()]);
        let (a, b) = (Placement::Plain.apply(&a), Placement::Plain.apply(&b));
        let mut ends = Vec::new();
        for (s, t) in [(&a, &b), (&b, &a)] {
            for i in 0..3 {
                // The numbers are whole, so the difference is exact.
                let (p, d) = (s[i], s[(i + 1) % 3] - s[i]);
                if let LineHit::Inside { t, t_sign } | LineHit::Boundary { t, t_sign } =
                    oracle::line_triangle(p, d, t)
                    && 0 <= t_sign
                    && t <= 1.0
                {
                    ends.push(p + d * t);
                }
            }
        }
        let size = a.iter().chain(&b).fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
        let mut near = |p: DVec3, q: DVec3| {
            let off = (p - q).abs().max_element() / size;
            worst = worst.max(off);
            assert!(off <= 4e-16, "{off:e}: {p} {q} {a:?} {b:?}");
        };
        match intersection(&a, &b) {
            Intersection::Empty => assert!(ends.is_empty(), "{ends:?} {a:?} {b:?}"),
            Intersection::Point(p) => {
                ends.iter().for_each(|q| near(p, *q));
                n_points += 1;
            }
            Intersection::Segment([p, q]) if !ends.is_empty() => {
                let along = |e: &DVec3| (*e - p).dot(q - p);
                ends.sort_by(|e, f| along(e).total_cmp(&along(f)));
                near(p, ends[0]);
                near(q, ends[ends.len() - 1]);
                n_segments += 1;
            }
            // All in one plane, or a segment in the plane of the other: see
            // intersections_are_what_they_say.
            _ => {}
        }
    }
    println!("{n_segments} segments, {n_points} points; the ends are off by at most {worst:e} of the size");
    assert!(5_000 < n_segments && 1_000 < n_points, "{n_segments} {n_points}");
}

/// Points against convex solids given by planes and by faces, of whole numbers up to 2^26 and so
/// coarse that most points are on a face or next to one.
#[test]
fn points_in_convex_solids_exactly() {
    let mut random = Random::new(16);
    let mut counts = [0; 4];
    for round in 0..20_000 {
        let reach = [3, 6, 1 << 26][round % 3];
        let corners = [0; 4].map(|_| random.grid_point(reach));
        let p = match round % 4 {
            0 => random.grid_point(reach),
            1 => corners[0] * 0.5 + corners[1] * 0.5,
            2 => corners[0] * 0.25 + corners[1] * 0.25 + corners[2] * 0.5,
            _ => corners[0] * 0.25 + corners[1] * 0.25 + corners[2] * 0.25 + corners[3] * 0.25,
        };
        let faces = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
        let volume = oracle::orient3d(corners[0], corners[1], corners[2], corners[3]);
        if volume != 0 {
            // The fourth is below the first face, so that all look outwards, or the other way
            // round.
            let faces = faces.map(|f| f.map(|i| corners[i]));
            let faces = if volume > 0 { faces } else { faces.map(|[a, b, c]| [a, c, b]) };
            let expected = oracle::hulls_meet(&[p], &corners);
            assert_eq!(point_in_convex(p, &faces), expected, "{p} {corners:?}");
            counts[usize::from(expected)] += 1;
        }
        // Planes through a point that is nearly p.
        let planes = [0; 3].map(|_| {
            let n = random.grid_point(reach) - random.grid_point(reach);
            (n, -n.dot(corners[0]) + random.below(3) as f64 - 1.0)
        });
        let is_behind = |&(n, d): &(DVec3, f64)| {
            oracle::sum_of_products(&[(n.x, p.x), (n.y, p.y), (n.z, p.z), (d, 1.0)]) <= 0
        };
        let expected = planes.iter().all(is_behind);
        assert_eq!(point_in_half_spaces(p, &planes), expected, "{p} {planes:?}");
        counts[2 + usize::from(expected)] += 1;
    }
    assert!(counts.iter().all(|&n| 1_000 < n), "{counts:?}");
}

#[test]
fn distances() {
    let mut random = Random::new(6);
    let mut worst = 0.0f64;
    for round in 0..rounds(6_000, 100_000) {
        let (a, b) = pair(&mut random, round);
        let size = a.iter().chain(&b).fold(0.0, |m: f64, p| m.max((*p - a[0]).abs().max_element()));
        let expected = oracle::triangle_distance(&a, &b);
        let got = closest_points(&a, &b);
        assert_eq!(got.distance == 0.0, intersects(&a, &b));
        let error = (got.distance - expected).abs() / size;
        worst = if size == 0.0 { worst } else { worst.max(error) };
        assert!(got.distance == expected || error < 2e-15, "{got:?} {expected:e} {error:e} {a:?} {b:?}");
        let largest = a.iter().chain(&b).fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
        let apart = (got.point_a - got.point_b).length();
        assert!((apart - got.distance).abs() <= 4e-15 * largest, "{got:?} {a:?} {b:?}");
        for (p, t) in [(got.point_a, &a), (got.point_b, &b)] {
            assert!(oracle::triangle_distance(&[p; 3], t) <= 4e-16 * largest, "{p} is not in {t:?}");
        }
        let swapped = closest_points(&b, &a).distance;
        assert!((swapped - got.distance).abs() <= 2e-15 * size, "{swapped:e} {got:?}");
    }
    println!("worst error {worst:e} of the size");
}

/// Edges at a tiny angle that all but touch: in plain f64 the closest points are off by the root of
/// the precision.
#[test]
fn nearly_parallel_edges() {
    let mut random = Random::new(7);
    let mut worst = 0.0f64;
    for _ in 0..rounds(3_000, 50_000) {
        let angle = 10f64.powf(-random.range(1.0, 15.0));
        let gap = 10f64.powf(-random.range(1.0, 17.0));
        let u = random.cube_point().normalize();
        let v = u.cross(random.cube_point()).normalize();
        let n = u.cross(v);
        let (p, q) = (random.cube_point(), random.range(-0.4, 0.4));
        let a = [p - u, p + u, p - n + v * random.range(-1.0, 1.0)];
        let w = u + v * angle;
        let c = p + u * q + n * gap;
        let b = [c - w, c + w, c + n + v * random.range(-1.0, 1.0)];
        let expected = oracle::triangle_distance(&a, &b);
        let error = (closest_points(&a, &b).distance - expected).abs();
        worst = worst.max(error);
        assert!(error < 4e-15, "{error:e} {a:?} {b:?}");
    }
    println!("worst error {worst:e}");
}

/// If coordinates are large, the closest points are rounded to their digits, the distance is not.
#[test]
fn distances_of_segments_far_from_the_origin() {
    let mut random = Random::new(9);
    for _ in 0..2_000 {
        let away = random.cube_point() * 10f64.powf(random.range(3.0, 15.0));
        let [p, q, r, s] = [0; 4].map(|_| away + random.cube_point());
        let error = |got: f64, a: [DVec3; 3], b: [DVec3; 3]| (got - oracle::triangle_distance(&a, &b)).abs();
        let segments = tri_distance::segment_segment(&[p, q], &[r, s]).distance;
        assert!(error(segments, [p, q, q], [r, s, s]) < 4e-15, "{p} {q} {r} {s}");
        let point = tri_distance::segment_segment(&[p, q], &[r, r]).distance;
        assert!(error(point, [p, q, q], [r, r, r]) < 4e-15, "{p} {q} {r}");
    }
}

#[test]
fn powers_of_two_change_nothing() {
    let mut random = Random::new(8);
    for round in 0..2_000 {
        let (a, b) = pair(&mut random, round);
        let got = closest_points(&a, &b);
        for scale in [2f64.powi(100), 2f64.powi(-100)] {
            let scaled = closest_points(&a.map(|p| p * scale), &b.map(|p| p * scale));
            assert_eq!(scaled.distance, got.distance * scale);
            assert_eq!((scaled.point_a, scaled.point_b), (got.point_a * scale, got.point_b * scale));
        }
    }
}

#[test]
fn what_is_not_finite_does_no_harm() {
    for bad in [f64::NAN, f64::INFINITY, f64::MAX, 5e-324] {
        let b = [dvec3(bad, 0.0, 1.0), dvec3(-bad, bad, 0.0), dvec3(0.5, 0.5, -bad)];
        for t in [T, b, T.map(|p| p * bad)] {
            intersects(&t, &b);
            intersection(&t, &b);
            closest_points(&b, &t);
            tri_distance::point_triangle(b[0], &t);
        }
    }
}
