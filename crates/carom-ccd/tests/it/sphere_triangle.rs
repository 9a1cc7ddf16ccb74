//! Balls against triangles and polygons: every feature, both sides, judged in fractions of whole
//! numbers.

use crate::cast::by_gjk;
use carom_ccd::{ImpactSettings, Motion, MovingSphere, Polygon, Sides, TimeOfImpact, time_of_impact};
use carom_geom::f64::{Ellipsoid, Triangle};
use carom_geom::{FeatureId, FeatureKind};
use carom_testkit::oracle::moving::{Vector, moved, point_triangle_sq};
use carom_testkit::oracle::rational::{exact, exact3};
use carom_testkit::random::Random;
use glam::{DQuat, DVec3};
use num_traits::Signed;

const TRIANGLE: [DVec3; 3] = [DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0), DVec3::new(0.0, 0.0, -4.0)];

fn ball(center: [f64; 3], radius: f64, velocity: [f64; 3]) -> MovingSphere {
    MovingSphere::new(center.into(), radius, velocity.into()).unwrap()
}

fn triangle(corners: [DVec3; 3]) -> Polygon {
    Polygon::triangle(corners).unwrap()
}

#[test]
fn a_face_an_edge_and_a_corner_are_met_in_their_own_time() {
    let polygon = triangle(TRIANGLE);
    assert!(0.0 < (TRIANGLE[1] - TRIANGLE[0]).cross(TRIANGLE[2] - TRIANGLE[0]).y);
    for (center, velocity, time, point, feature) in [
        ([1.0, 5.0, -1.0], [0.0, -2.0, 0.0], 2.0, [1.0, 0.0, -1.0], FeatureId::face(0)),
        ([1.0, -5.0, -1.0], [0.0, 2.0, 0.0], 2.0, [1.0, 0.0, -1.0], FeatureId::face(0)),
        ([2.0, 0.0, 4.0], [0.0, 0.0, -1.0], 3.0, [2.0, 0.0, 0.0], FeatureId::edge(0)),
        ([-3.0, 0.0, -1.0], [2.0, 0.0, 0.0], 1.0, [0.0, 0.0, -1.0], FeatureId::edge(2)),
        ([7.0, 0.0, 0.0], [-1.0, 0.0, 0.0], 2.0, [4.0, 0.0, 0.0], FeatureId::vertex(1)),
        ([0.0, 0.0, -9.0], [0.0, 0.0, 2.0], 2.0, [0.0, 0.0, -4.0], FeatureId::vertex(2)),
    ] {
        let ball = ball(center, 1.0, velocity);
        let found = ball.against_polygon(&polygon, Sides::Both, 10.0);
        let hit = found.hit().unwrap();
        assert!((hit.t_lo - time).abs() < 1e-13 && (hit.t_hi - time).abs() < 1e-13, "{hit:?}");
        assert!((hit.point_b - DVec3::from(point)).length() < 1e-12, "{hit:?}");
        let touched = ball.center_at(hit.t_lo) + hit.normal;
        assert!((touched - hit.point_b).length() < 1e-12, "the normal goes from the centre to the point");
        assert_eq!(hit.feature_b, feature);
        // Not in a shorter time; and from the start where it touches already.
        assert_eq!(ball.against_polygon(&polygon, Sides::Both, 0.99 * time).hit(), None);
        let there = MovingSphere::new(ball.center_at(time), 1.0, ball.velocity()).unwrap();
        let now = there.against_polygon(&polygon, Sides::Both, 1.0);
        assert_eq!(now.hit().map(|hit| (hit.t_lo, hit.t_hi)), Some((0.0, 0.0)), "exactly touching");
    }
}

#[test]
fn back_faces_are_culled_on_demand() {
    let polygon = triangle(TRIANGLE);
    let from = |y: f64, v: f64| ball([1.0, y, -1.0], 0.5, [0.0, v, 0.0]);
    let is_hit = |ball: &MovingSphere, sides| ball.against_polygon(&polygon, sides, 9.0).hit().is_some();
    for sides in [Sides::Both, Sides::Front] {
        assert!(is_hit(&from(2.0, -1.0), sides));
        assert_eq!(is_hit(&from(-2.0, 1.0), sides), sides == Sides::Both);
        assert!(!is_hit(&from(2.0, 1.0), sides));
        assert_eq!(is_hit(&from(0.25, 1.0), sides), sides == Sides::Both, "inside, and leaving");
        assert!(is_hit(&from(0.25, -1.0), sides), "inside, and going deeper");
    }
}

/// As published with the second of the seeds, for the corners and edges: each feature found takes
/// the place of the one before, whether it is earlier or not; the face is tested with an epsilon of
/// areas; only the front counts.
mod published {
    use super::DVec3;

    fn lowest_root(a: f64, b: f64, c: f64, most: f64) -> Option<f64> {
        let determinant = b * b - 4.0 * a * c;
        if determinant < 0.0 || a == 0.0 {
            return None;
        }
        let root = determinant.sqrt();
        let (r1, r2) = ((-b - root) / (2.0 * a), (-b + root) / (2.0 * a));
        [r1.min(r2), r1.max(r2)].into_iter().find(|&r| r > 0.0 && r < most)
    }

    /// The point is in the triangle, by areas.
    fn is_inside(p: DVec3, t: &[DVec3; 3]) -> bool {
        let area = |a: DVec3, b: DVec3, c: DVec3| 0.5 * (b - a).cross(c - a).length();
        let parts = area(p, t[0], t[1]) + area(p, t[0], t[2]) + area(p, t[1], t[2]);
        (area(t[0], t[1], t[2]) - parts).abs() < 0.0001
    }

    /// Time as a share of the way, and the point touched.
    pub(super) fn sphere_intersect_tri(
        t: &[DVec3; 3],
        start: DVec3,
        end: DVec3,
        radius: f64,
    ) -> Option<(f64, DVec3)> {
        let velocity = end - start;
        let n = (t[1] - t[0]).cross(t[2] - t[0]).normalize();
        let height = n.dot(start - t[0]);
        if velocity.dot(n) > 0.0 || height < 0.0 {
            return None;
        }
        let (time, touched) = if height <= radius {
            (0.0, start - n * height)
        } else {
            let end_height = n.dot(end - t[0]);
            if end_height > radius {
                return None;
            }
            let time = (height - radius) / (height - end_height);
            (time, start + velocity * time - n * radius)
        };
        if is_inside(touched, t) {
            return Some((time, touched));
        }
        // Every call starts with the bound anew: the last feature found wins.
        let mut found = None;
        for p in t {
            let (a, b) = (velocity.dot(velocity), 2.0 * velocity.dot(start - *p));
            let c = (*p - start).length_squared() - radius * radius;
            if let Some(time) = lowest_root(a, b, c, 999_999.0) {
                found = Some((time, *p));
            }
        }
        for i in 0..3 {
            let (p, edge) = (t[i], t[(i + 1) % 3] - t[i]);
            let base = p - start;
            let (edge_sq, ev, eb) = (edge.length_squared(), edge.dot(velocity), edge.dot(base));
            let a = edge_sq * -velocity.length_squared() + ev * ev;
            let b = edge_sq * (2.0 * velocity.dot(base)) - 2.0 * ev * eb;
            let c = edge_sq * (radius * radius - base.length_squared()) + eb * eb;
            if let Some(time) = lowest_root(a, b, c, 999_999.0) {
                let f = (ev * time - eb) / edge_sq;
                if (0.0..=1.0).contains(&f) {
                    found = Some((time, p + edge * f));
                }
            }
        }
        found
    }
}

#[test]
fn r2_the_published_search_takes_a_later_feature() {
    // Along the plane, over the edge from corner 0 to corner 1 first, and over the hypotenuse a
    // good deal later.
    let (start, end) = (DVec3::new(1.0, 0.25, 3.0), DVec3::new(1.0, 0.0, -7.0));
    let theirs = published::sphere_intersect_tri(&TRIANGLE, start, end, 0.5).unwrap();
    let ours = MovingSphere::new(start, 0.5, end - start).unwrap();
    let found = ours.against_polygon(&triangle(TRIANGLE), Sides::Both, 1.0);
    let hit = found.hit().unwrap();
    assert_eq!(hit.feature_b, FeatureId::edge(0));
    assert!(0.25 < hit.t_lo && hit.t_hi < 0.26, "{hit:?}");
    assert!(hit.t_hi + 0.2 < theirs.0, "{theirs:?}: a feature that is met later");
}

#[test]
fn r2_the_published_epsilon_of_areas_is_a_hit_beside_a_small_triangle() {
    // A hundredth in size: the point is as far outside as the triangle is wide, and the areas
    // differ by less than 0.0001.
    let small = TRIANGLE.map(|p| p * 0.001);
    let (start, end) = (DVec3::new(0.012, 1.0, -0.002), DVec3::new(0.012, -1.0, -0.002));
    let theirs = published::sphere_intersect_tri(&small, start, end, 0.001);
    assert!(theirs.is_some(), "they report a hit of the face");
    let ours = MovingSphere::new(start, 0.001, end - start).unwrap();
    let found = ours.against_polygon(&triangle(small), Sides::Both, 1.0);
    assert!(matches!(found, TimeOfImpact::Clear(clear) if 0.004 < clear.distance), "{found:?}");
    // And of a large one, a hit of the face is lost: the sum of the areas is rounded by more than
    // the epsilon.
    let mut random = Random::new(15);
    let mut n_lost = 0;
    for _ in 0..50 {
        let large: [DVec3; 3] = core::array::from_fn(|_| random.cube_point() * 1e7);
        let n = (large[1] - large[0]).cross(large[2] - large[0]).normalize() * 1e6;
        let (u, v) = (random.range(0.2, 0.4), random.range(0.2, 0.4));
        let target = large[0] + (large[1] - large[0]) * u + (large[2] - large[0]) * v;
        let ours = MovingSphere::new(target + n, 1.0, n * -2.0).unwrap();
        let found = ours.against_polygon(&triangle(large), Sides::Both, 1.0);
        assert_eq!(found.hit().map(|hit| hit.feature_b), Some(FeatureId::face(0)));
        let theirs = published::sphere_intersect_tri(&large, target + n, target - n, 1.0);
        n_lost += usize::from(theirs.is_none_or(|(time, _)| hit_time(&found) + 1e-9 < time));
    }
    assert!(10 < n_lost, "they lose {n_lost} of 50");
}

fn hit_time(found: &TimeOfImpact) -> f64 {
    found.hit().map_or(f64::INFINITY, |hit| hit.t_hi)
}

#[test]
fn r2_the_published_search_sees_one_side() {
    let (start, end) = (DVec3::new(1.0, -3.0, -1.0), DVec3::new(1.0, 3.0, -1.0));
    assert_eq!(published::sphere_intersect_tri(&TRIANGLE, start, end, 0.5), None);
    let ours = MovingSphere::new(start, 0.5, end - start).unwrap();
    assert!(ours.against_polygon(&triangle(TRIANGLE), Sides::Both, 1.0).hit().is_some());
}

/// A triangle of some ugly kind.
pub(crate) fn ugly(random: &mut Random, i: usize) -> [DVec3; 3] {
    let mut t: [DVec3; 3] = core::array::from_fn(|_| random.cube_point());
    match i % 8 {
        0 => t[2] = t[0] + (t[1] - t[0]) * 0.5,
        1 => t[2] = t[0] + (t[1] - t[0]) * 0.3 + random.cube_point() * 1e-7,
        2 => t[1] = t[0],
        3 => t[2] = t[0] + (t[1] - t[0]).any_orthogonal_vector() * 1e-4,
        4 => t = core::array::from_fn(|_| random.grid_point(3)),
        _ => {}
    }
    t
}

#[test]
fn brackets_of_balls_and_triangles_are_right_in_fractions() {
    let mut random = Random::new(5);
    let (mut n, mut kinds) = ([0; 3], [0; 4]);
    for i in 0..800 {
        let scale = if i % 50 == 0 { [1e-60, 1e40][i / 50 % 2] } else { [1.0, 1e-6, 1e6][i % 3] };
        let offset = if i % 7 == 0 { random.cube_point() * 1e3 } else { DVec3::ZERO };
        let t = ugly(&mut random, i);
        let radius = [0.5, 0.05, 0.3][i % 3];
        let mut velocity = random.cube_point() * 6.0;
        // Towards a point of it, or beside it by the radius and next to nothing.
        let (u, v) = (random.unit(), random.unit());
        let target = if i % 2 == 0 { t[0] } else { t[0] + ((t[1] - t[0]) * u + (t[2] - t[0]) * v) * 0.6 };
        let beside = match i % 4 {
            0 => {
                velocity.any_orthogonal_vector().normalize_or_zero()
                    * (radius * (1.0 + [0.0, 1e-6, -1e-6, 1e-10][random.below(4)]))
            }
            1 => DVec3::ZERO,
            _ => random.cube_point(),
        };
        let start = target + beside - velocity * random.range(0.0, 0.9);
        if i % 13 == 0 {
            velocity = DVec3::ZERO;
        }
        let t = t.map(|p| (p + offset) * scale);
        let ball = MovingSphere::new((start + offset) * scale, radius * scale, velocity * scale).unwrap();
        let found = ball.against_polygon(&triangle(t), Sides::Both, 1.0);
        let corners: [Vector; 3] = t.map(exact3);
        let gap = |time: f64, more: f64| {
            let reach = exact(ball.radius()) + exact(more);
            point_triangle_sq(&moved(ball.center(), ball.velocity(), time), &corners) - &reach * &reach
        };
        match found {
            TimeOfImpact::Hit(hit) => {
                n[0] += 1;
                kinds[match hit.feature_b.kind() {
                    FeatureKind::Face(_) => 0,
                    FeatureKind::Edge(_) => 1,
                    FeatureKind::Vertex(_) => 2,
                    FeatureKind::Unknown => 3,
                }] += 1;
                assert!(!gap(hit.t_hi, 0.0).is_positive(), "{ball:?} {t:?} {hit:?}");
                assert!(hit.t_lo == 0.0 || gap(hit.t_lo, 0.0).is_positive(), "{ball:?} {t:?} {hit:?}");
                assert!(hit.t_lo <= hit.t_hi && hit.t_hi <= 1.0);
                assert!((hit.normal.length() - 1.0).abs() < 1e-14);
            }
            TimeOfImpact::Clear(clear) => {
                n[1] += 1;
                for k in 0..=12 {
                    let time = f64::from(k) / 12.0;
                    assert!(!gap(time, clear.distance).is_negative(), "{ball:?} {t:?} {clear:?} at {time}");
                }
            }
            TimeOfImpact::Undecided(undecided) => {
                n[2] += 1;
                assert!(undecided.t_safe == 0.0 || gap(undecided.t_safe, 0.0).is_positive());
                assert!(
                    undecided.distance <= 1e-9 * scale * (1.0 + offset.length()),
                    "{i}: {ball:?} {t:?} {undecided:?}"
                );
            }
        }
    }
    println!("balls and triangles: {} hits {kinds:?}, {} clear, {} undecided", n[0], n[1], n[2]);
    assert!(200 < n[0] && 200 < n[1] && n[2] < 100 && kinds[..3].iter().all(|&k| 20 < k), "{n:?} {kinds:?}");
}

#[test]
fn a_polygon_is_the_earliest_of_its_triangles() {
    let mut random = Random::new(6);
    let mut n_hits = 0;
    for i in 0..2000 {
        let n = 3 + i % 8;
        let corners: Vec<DVec3> = (0..n)
            .map(|k| {
                let angle = core::f64::consts::TAU * (k as f64 + 0.5 * random.unit()) / n as f64;
                DVec3::new(2.0 * angle.cos(), angle.sin(), 0.5 * angle.cos())
            })
            .collect();
        let start = random.cube_point() * 4.0;
        let ball = MovingSphere::new(start, 0.2, (random.cube_point() - start) * 1.5).unwrap();
        let found = ball.against_polygon(&Polygon::new(&corners).unwrap(), Sides::Both, 1.0);
        let first = (1..n - 1)
            .map(|k| {
                ball.against_polygon(&triangle([corners[0], corners[k], corners[k + 1]]), Sides::Both, 1.0)
            })
            .map(|found| hit_time(&found))
            .fold(f64::INFINITY, f64::min);
        n_hits += usize::from(found.hit().is_some());
        assert_eq!(hit_time(&found) < f64::INFINITY, first < f64::INFINITY, "{i}: {found:?} {first}");
        if first < f64::INFINITY {
            assert!((hit_time(&found) - first).abs() < 1e-9, "{i}: {found:?} {first}");
        }
    }
    assert!(300 < n_hits && n_hits < 1900, "{n_hits}");
}

#[test]
fn the_same_scaled_by_a_power_of_two_has_the_same_bits() {
    let mut random = Random::new(7);
    for i in 0..500 {
        let (t, start) = (ugly(&mut random, i), random.cube_point() * 3.0);
        let velocity = (t[0] - start) * 1.2 + random.cube_point() * 0.3;
        let find = |scale: f64| {
            let ball = MovingSphere::new(start * scale, 0.3 * scale, velocity * scale).unwrap();
            ball.against_polygon(&triangle(t.map(|p| p * scale)), Sides::Both, 1.0)
        };
        let plain = find(1.0);
        for exponent in [-60, -1, 1, 40] {
            let scale = 2.0_f64.powi(exponent);
            match (plain, find(scale)) {
                (TimeOfImpact::Hit(a), TimeOfImpact::Hit(b)) => {
                    assert_eq!((a.t_lo, a.t_hi, a.normal), (b.t_lo, b.t_hi, b.normal));
                    assert_eq!((a.point_a * scale, a.point_b * scale), (b.point_a, b.point_b));
                }
                (TimeOfImpact::Clear(a), TimeOfImpact::Clear(b)) => {
                    assert_eq!(a.distance * scale, b.distance)
                }
                (TimeOfImpact::Undecided(a), TimeOfImpact::Undecided(b)) => assert_eq!(a.t_safe, b.t_safe),
                (a, b) => panic!("{a:?} {b:?}"),
            }
        }
    }
}

/// Two corners at one place, so far away that rounding leaves it open whether the ball touches at
/// the start: the edge between them has no length, and is within any distance of its own line.
#[test]
fn r_an_edge_without_length_does_not_touch_from_afar() {
    let far = DVec3::new(-5.0, 4.961_442_866_246_189e19, 0.0);
    let ball = ball([-5.0, 0.0, -5.0], 5.0, [0.0, 1.0, -1.0]);
    let found = ball.against_polygon(&triangle([DVec3::new(0.0, -3.0, 31.0), far, far]), Sides::Both, 1e-8);
    assert_eq!(found.hit(), None);
}

#[test]
fn what_is_no_polygon_is_refused_by_name() {
    assert_eq!(Polygon::new(&[]).unwrap_err().to_string(), "the list of corners has nothing in it");
    assert!(Polygon::new(&[DVec3::ZERO; 17]).is_err());
    assert!(Polygon::triangle([DVec3::ZERO, DVec3::NAN, DVec3::ONE]).is_err());
}

/// A ball of radius 0 is a point: it never overlaps a sheet, and passes through it all the same.
#[test]
fn a_point_passes_through_a_polygon() {
    let mut random = Random::new(91);
    let (mut n_hits, mut n_clear, mut n_undecided) = (0, 0, 0);
    for case in 0..600 {
        let away = if case % 3 == 0 { DVec3::new(1e3, -2e3, 5e2) } else { DVec3::ZERO };
        let corners: [DVec3; 3] = core::array::from_fn(|_| random.cube_point() + away);
        let (from, to) = (random.cube_point() * 2.0 + away, random.cube_point() * 0.5 + away);
        let velocity = (to - from) * random.range(0.6, 3.0);
        // A polygon of four corners in its plane: the triangle, and a corner on its third side.
        let four = [corners[0], corners[1], corners[2], (corners[2] + corners[0]) * 0.5];
        let polygon = if case % 2 == 0 { triangle(corners) } else { Polygon::new(&four).unwrap() };
        let point = MovingSphere::new(from, 0.0, velocity).unwrap();
        let found = point.against_polygon(&polygon, Sides::Both, 1.0);
        // By signs of volumes, far enough from zero to be sure.
        let volume = |a: DVec3, b: DVec3, c: DVec3| (a - from).dot((b - from).cross(c - from));
        let end = from + velocity;
        let sides: [f64; 3] = core::array::from_fn(|i| volume(end, corners[i], corners[(i + 1) % 3]));
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let (before, after) = (normal.dot(from - corners[0]), normal.dot(end - corners[0]));
        if sides.iter().chain([&before, &after]).any(|x| x.abs() < 1e-6) {
            continue;
        }
        let is_through =
            before * after < 0.0 && (sides.iter().all(|x| 0.0 < *x) || sides.iter().all(|x| *x < 0.0));
        match found {
            TimeOfImpact::Hit(hit) => {
                n_hits += 1;
                let time = before / (before - after);
                assert!(
                    is_through && hit.t_lo <= time + 1e-12 && time <= hit.t_hi + 1e-12,
                    "{case}: {time} {hit:?}"
                );
                assert!(
                    hit.t_hi - hit.t_lo < 1e-9 && (hit.normal.length() - 1.0).abs() < 1e-9,
                    "{case}: {hit:?}"
                );
                assert!((hit.point_b - point.center_at(time)).length() < 1e-8, "{case}: {hit:?}");
            }
            TimeOfImpact::Clear(_) => {
                n_clear += 1;
                assert!(!is_through, "{case}: missed");
            }
            // On the diagonal that parts the polygon.
            TimeOfImpact::Undecided(_) => n_undecided += 1,
        }
    }
    assert!(60 < n_hits && 200 < n_clear && n_undecided < 3, "{n_hits} {n_clear} {n_undecided}");
}

/// Nettle's ellipsoid space: with all coordinates divided by the radii the ellipsoid is a ball of
/// radius 1, and times stay what they are. Beside the search by support maps, which needs no other
/// space.
#[test]
fn an_ellipsoid_meets_a_triangle_when_a_ball_does_in_its_space() {
    let mut random = Random::new(71);
    let settings = ImpactSettings::default().with_target_distance(1e-7).with_tolerance(1e-9);
    let (mut n_hits, n) = (0, 400);
    for k in 0..n {
        let radii = random.cube_point().abs() * 0.6 + 0.2;
        let corners: [DVec3; 3] = core::array::from_fn(|_| random.cube_point() * 1.5);
        let start = random.cube_point().normalize_or_zero() * 4.0;
        let velocity = random.cube_point() - start;
        let scaled = MovingSphere::new(start / radii, 1.0, velocity / radii).unwrap();
        let in_space = scaled.against_polygon(&triangle(corners.map(|p| p / radii)), Sides::Both, 1.0);

        let (ellipsoid, facet) =
            (Ellipsoid::new(radii).unwrap(), Triangle::new(corners[0], corners[1], corners[2]).unwrap());
        let flight = Motion::new(DQuat::IDENTITY, start, DVec3::ZERO, velocity, DVec3::ZERO).unwrap();
        let still = Motion::fixed(DQuat::IDENTITY, DVec3::ZERO).unwrap();
        let propose = by_gjk(&ellipsoid, &facet);
        let by_supports = time_of_impact(&ellipsoid, &flight, &facet, &still, &settings, propose);
        match (in_space.hit(), by_supports.hit()) {
            (Some(a), Some(b)) => {
                n_hits += 1;
                assert!((a.t_lo - b.t_lo).abs() < 1e-4, "{k}: {a:?} {b:?}");
            }
            (None, None) => {}
            // One that grazes is a hit for one of them alone.
            _ => assert!(!matches!(by_supports, TimeOfImpact::Clear(clear) if 1e-6 < clear.distance), "{k}"),
        }
    }
    println!("{n_hits} of {n} hit");
    assert!(n / 3 < n_hits && n_hits < n * 9 / 10, "{n_hits}");
}
