//! Capsules, tapered and not, against triangles: compared with a dense search for the nearest of
//! all their balls.

use carom_ccd::{MovingCapsule, MovingSphere, Polygon, Sides, TimeOfImpact};
use carom_geom::tri_distance::point_triangle;
use carom_testkit::random::Random;
use glam::DVec3;

/// How far the nearest of the balls of the capsule is from the triangle; negative where it
/// overlaps. Places in thirds, again and again: the distance is a convex function of the place.
fn gap(capsule: &MovingCapsule, triangle: &[DVec3; 3], t: f64) -> f64 {
    let ([a, b], [r, s]) = (capsule.ends_at(t), capsule.radii());
    let at = |x: f64| point_triangle(a + (b - a) * x, triangle).distance - (r + (s - r) * x);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..80 {
        let (p, q) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if at(p) <= at(q) { high = q } else { low = p }
    }
    at(low).min(at(0.0)).min(at(1.0))
}

#[test]
fn a_capsule_meets_a_triangle_with_its_end_its_side_and_its_cone() {
    let triangle = [DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0), DVec3::new(0.0, 0.0, -4.0)];
    let standing = [DVec3::new(1.0, 4.0, -1.0), DVec3::new(1.0, 8.0, -1.0)];
    let find = |ends, radii| {
        let capsule = MovingCapsule::new(ends, radii, DVec3::Y * -2.0).unwrap();
        *capsule.against_triangle(&triangle, Sides::Both, 9.0).unwrap().hit().unwrap()
    };
    assert!((find(standing, [1.0, 0.5]).t_lo - 1.5).abs() < 1e-13);
    // Lying across an edge: the side of a cone from radius 1 to radius 0.
    let lying = [DVec3::new(0.5, 6.0, -6.0), DVec3::new(0.5, 6.0, 2.0)];
    let hit = find(lying, [0.5, 1.0]);
    assert!(hit.t_lo <= hit.t_hi && hit.t_hi - hit.t_lo < 1e-12, "{hit:?}");
    let ball = MovingSphere::new(lying[0], 0.5, DVec3::Y * -2.0).unwrap();
    let polygon = Polygon::triangle(triangle).unwrap();
    assert_eq!(ball.against_polygon(&polygon, Sides::Both, 9.0).hit(), None, "its end alone passes");
    assert!(MovingCapsule::new([DVec3::ZERO, DVec3::NAN], [1.0; 2], DVec3::ZERO).is_err());
    assert!(MovingCapsule::new([DVec3::ZERO; 2], [1.0, -1.0], DVec3::ZERO).is_err());
}

#[test]
fn brackets_of_capsules_hold_the_truth() {
    let mut random = Random::new(12);
    let (mut n, mut n_sides) = ([0; 3], 0);
    for i in 0..900 {
        let scale = [1.0, 1e-6, 1e6][i % 3];
        let mut triangle: [DVec3; 3] = core::array::from_fn(|_| random.cube_point());
        if i % 10 == 0 {
            triangle[2] = triangle[0] + (triangle[1] - triangle[0]) * 0.4;
        }
        let radii = match i % 4 {
            0 => [0.2; 2],
            1 => [0.3, 0.05],
            2 => [0.1, 0.9],
            _ => [0.0, 0.2],
        };
        let mut ends = [random.cube_point() * 2.0, random.cube_point() * 2.0];
        if i % 17 == 0 {
            ends[1] = ends[0];
        }
        let velocity = if i % 13 == 0 { DVec3::ZERO } else { random.cube_point() * 5.0 };
        let ends = ends.map(|end| end - velocity * random.unit());
        let triangle = triangle.map(|corner| corner * scale);
        let capsule =
            MovingCapsule::new(ends.map(|end| end * scale), radii.map(|r| r * scale), velocity * scale)
                .unwrap();
        let found = capsule.against_triangle(&triangle, Sides::Both, 1.0).unwrap();
        let near = 1e-12 * scale;
        match found {
            TimeOfImpact::Hit(hit) => {
                n[0] += 1;
                assert!(gap(&capsule, &triangle, hit.t_hi) <= near, "{capsule:?} {triangle:?} {hit:?}");
                for k in 0..=6 {
                    let t = hit.t_lo * f64::from(k) / 6.0;
                    assert!(
                        hit.t_lo == 0.0 || -near <= gap(&capsule, &triangle, t),
                        "{capsule:?} {triangle:?} {hit:?}"
                    );
                }
                let end_alone = capsule.ends_at(0.0).iter().zip(capsule.radii()).any(|(&end, radius)| {
                    let ball = MovingSphere::new(end, radius, velocity * scale).unwrap();
                    let alone = ball.against_polygon(&Polygon::triangle(triangle).unwrap(), Sides::Both, 1.0);
                    alone.hit().is_some_and(|alone| {
                        assert!(hit.t_lo <= alone.t_hi, "an end was met before: {hit:?} {alone:?}");
                        alone.t_lo <= hit.t_hi + 1e-9
                    })
                });
                n_sides += usize::from(!end_alone);
            }
            TimeOfImpact::Clear(clear) => {
                n[1] += 1;
                for k in 0..=24 {
                    let t = f64::from(k) / 24.0;
                    let truth = gap(&capsule, &triangle, t);
                    assert!(
                        clear.distance <= truth + near,
                        "{capsule:?} {triangle:?} {clear:?} {truth} at {t}"
                    );
                }
            }
            TimeOfImpact::Undecided(undecided) => {
                n[2] += 1;
                let truth = gap(&capsule, &triangle, undecided.t_safe);
                assert!(truth.abs() <= 1e-7 * scale, "{i}: {capsule:?} {triangle:?} {undecided:?} {truth}");
            }
        }
    }
    println!("capsules: {} hits, {n_sides} not with an end, {} clear, {} undecided", n[0], n[1], n[2]);
    assert!(250 < n[0] && 100 < n_sides && 300 < n[1] && n[2] < 30, "{n:?} {n_sides}");
}

#[test]
fn a_capsule_of_no_length_is_a_ball() {
    let mut random = Random::new(13);
    for _ in 0..300 {
        let triangle: [DVec3; 3] = core::array::from_fn(|_| random.cube_point());
        let start = random.cube_point() * 3.0;
        let velocity = triangle[0] - start + random.cube_point();
        let capsule = MovingCapsule::new([start; 2], [0.25; 2], velocity).unwrap();
        let ball = MovingSphere::new(start, 0.25, velocity).unwrap();
        let a = capsule.against_triangle(&triangle, Sides::Both, 2.0).unwrap();
        let b = ball.against_polygon(&Polygon::triangle(triangle).unwrap(), Sides::Both, 2.0);
        match (a, b) {
            (TimeOfImpact::Hit(a), TimeOfImpact::Hit(b)) => assert!(a.t_lo <= b.t_hi && b.t_lo <= a.t_hi),
            (TimeOfImpact::Clear(_), TimeOfImpact::Clear(_)) => {}
            (a, b) => panic!("{a:?} {b:?}"),
        }
    }
}
