//! Shapes with curved parts: closed forms where there are any, and for the rest a proof per answer:
//! points that lie in the shapes give an upper bound, a plane that separates them a lower one.

use crate::rng::Rng;
use carom_geom::SupportMap;
use carom_geom::f64::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Sphere};
use carom_gjk::wide::{SignedDistance, distance, intersects, signed_distance};
use carom_gjk::{GjkSettings, Outcome};
use carom_math::WidePose;
use glam::{DQuat, DVec3};

fn moved(v: DVec3) -> WidePose {
    WidePose { translation: v, ..WidePose::IDENTITY }
}

fn solve(a: &dyn SupportMap, b: &dyn SupportMap, pose: &WidePose) -> SignedDistance {
    signed_distance(a, b, pose, &GjkSettings::default(), None)
}

fn uncertainty(r: &SignedDistance) -> f64 {
    match r.outcome {
        Outcome::Exact => 0.0,
        Outcome::Within(x) => x,
        _ => f64::INFINITY,
    }
}

/// All points of B are at least this far above all points of A, along a unit vector.
fn room(a: &dyn SupportMap, b: &dyn SupportMap, pose: &WidePose, n: DVec3) -> f64 {
    let top = a.support(n).point.dot(n) + a.margin();
    let into = pose.inverse_transform_vector(-n);
    let bottom = pose.transform_point(b.support(into).point).dot(n) - b.margin();
    bottom - top
}

fn ball(r: f64) -> Ellipsoid {
    Ellipsoid::new(DVec3::splat(r)).unwrap()
}

#[test]
fn round_ellipsoids_are_balls() {
    let mut rng = Rng(1);
    let mut worst = [0.0f64; 2];
    let mut rounds = [0; 2];
    for _ in 0..300 {
        let (ra, rb) = (rng.range(0.1, 1.0), rng.range(0.1, 1.0));
        let center = rng.unit() * rng.range(0.05, 3.0);
        let pose = WidePose::from_quat(rng.rotation(), center);
        let truth = center.length() - ra - rb;
        let r = solve(&ball(ra), &ball(rb), &pose);
        let apart = usize::from(truth < 0.0);
        assert!(r.outcome != Outcome::Undecided, "{truth} {r:?}");
        worst[apart] = worst[apart].max((r.distance - truth).abs());
        rounds[apart] = rounds[apart].max(r.counters.iterations + r.counters.depth_iterations);
        // Balls that are nearly concentric are deep in nearly every direction: no polytope of
        // bounded size proves one.
        let expected = if center.length() < 0.5 * (ra + rb) { 1e-3 } else { 3e-10 };
        assert!(
            (r.distance - truth).abs() <= uncertainty(&r) + 1e-14 && uncertainty(&r) < expected,
            "{truth} {r:?}"
        );
        assert!(r.lower_bound <= truth + 1e-14 && truth <= r.upper_bound + 1e-14, "{truth} {r:?}");
        assert!(expected > 1e-9 || (r.normal - center.normalize()).length() < 1e-4, "{truth} {r:?}");
    }
    println!("balls: worst {worst:?} rounds {rounds:?}");
}

#[test]
fn touching_and_concentric() {
    for gap in [0.0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3, -1e-3] {
        let mut rng = Rng(2);
        for _ in 0..50 {
            let n = rng.unit();
            let (ra, rb) = (rng.range(0.1, 1.0), rng.range(0.1, 1.0));
            let pose = moved(n * (ra + rb + gap));
            let r = solve(&ball(ra), &ball(rb), &pose);
            assert!((r.distance - gap).abs() < 1e-11, "{gap} {r:?}");
            if gap.abs() > 1e-11 {
                assert_eq!(r.distance > 0.0, gap > 0.0, "{gap} {r:?}");
            }
            assert!(r.normal.dot(n) > 0.99, "{gap} {r:?}");
            let d = distance(&ball(ra), &ball(rb), &pose, &GjkSettings::default(), None);
            let i = intersects(&ball(ra), &ball(rb), &pose, &GjkSettings::default(), None);
            assert_eq!(i.intersects, d.distance == 0.0);
            assert_eq!(d.distance > 0.0, r.distance > 0.0);
        }
    }
    // Concentric balls: every direction is as good as any, no polytope of bounded size proves it to
    // ten digits.
    let r = solve(&ball(0.7), &ball(0.4), &WidePose::IDENTITY);
    println!("concentric: {r:?}");
    assert!(
        r.lower_bound <= -1.1 + 1e-15
            && -1.1 <= r.upper_bound + 1e-15
            && r.upper_bound - r.lower_bound < 0.05,
        "{r:?}"
    );
    let (c, d) = (Cylinder::new(0.5, 0.4).unwrap(), Cylinder::new(0.5, 0.2).unwrap());
    let r = solve(&c, &d, &WidePose::IDENTITY);
    println!("concentric cylinders: {r:?}");
    assert!(r.lower_bound <= -0.6 + 1e-12 && -0.6 <= r.upper_bound + 1e-12, "{r:?}");
}

#[test]
fn cylinders_in_line() {
    let (a, b) = (Cylinder::new(0.5, 0.4).unwrap(), Cylinder::new(0.3, 0.2).unwrap());
    for gap in [0.25, 1e-6, 1e-9, 0.0, -1e-9, -1e-6, -0.05] {
        let tolerance = 1e-10 * f64::abs(gap) + 1e-14;
        // One on the other, cap to cap.
        let r = solve(&a, &b, &moved(DVec3::new(0.1, 0.8 + gap, -0.05)));
        assert!((r.distance - gap).abs() <= tolerance, "cap {gap} {r:?}");
        assert!((r.normal - DVec3::Y).length() < 1e-6, "cap {gap} {r:?}");
        // Side by side.
        let n = DVec3::new(0.6, 0.0, 0.8);
        let r = solve(&a, &b, &moved(n * (0.6 + gap) + DVec3::Y * 0.1));
        assert!((r.distance - gap).abs() <= tolerance, "side {gap} {r:?}");
        // Crossed.
        let turned = WidePose::from_quat(
            DQuat::from_rotation_z(core::f64::consts::FRAC_PI_2),
            DVec3::new(0.1, 0.05, 0.6 + gap),
        );
        let r = solve(&a, &b, &turned);
        assert!((r.distance - gap).abs() <= tolerance + 1e-15, "crossed {gap} {r:?}");
    }
}

/// Signed distance of a point from a cone or cylinder, by the half-plane through the axis: that
/// from a convex polygon.
fn polygon_distance(p: DVec3, polygon: &[(f64, f64)]) -> f64 {
    let q = ((p.x * p.x + p.z * p.z).sqrt(), p.y);
    let (mut nearest, mut inside) = (f64::INFINITY, true);
    for pair in polygon.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let (ex, ey) = (x1 - x0, y1 - y0);
        let t = (((q.0 - x0) * ex + (q.1 - y0) * ey) / (ex * ex + ey * ey)).clamp(0.0, 1.0);
        nearest = nearest.min(((q.0 - x0 - t * ex).powi(2) + (q.1 - y0 - t * ey).powi(2)).sqrt());
        inside &= ex * (q.1 - y0) - ey * (q.0 - x0) > 0.0;
    }
    if inside { -nearest } else { nearest }
}

#[test]
fn balls_against_cones_and_cylinders() {
    let mut rng = Rng(3);
    let (mut worst, mut rounds) = (0.0f64, 0);
    for _ in 0..400 {
        let (h, r, radius) = (rng.range(0.1, 1.0), rng.range(0.1, 1.0), rng.range(0.0, 0.5));
        let sphere = Sphere::new(radius).unwrap();
        let p = rng.unit() * rng.range(0.0, 2.0);
        let cone = Cone::new(h, r).unwrap();
        let cylinder = Cylinder::new(h, r).unwrap();
        let cone_polygon = [(0.0, -h), (r, -h), (0.0, h)];
        let cylinder_polygon = [(0.0, -h), (r, -h), (r, h), (0.0, h)];
        let pairs: [(&dyn SupportMap, f64); 2] = [
            (&cone, polygon_distance(p, &cone_polygon)),
            (&cylinder, polygon_distance(p, &cylinder_polygon)),
        ];
        for (shape, to_surface) in pairs {
            let truth = to_surface - radius;
            let result = solve(shape, &sphere, &moved(p));
            let error = (result.distance - truth).abs();
            let sure = uncertainty(&result);
            let on_axis = p.x.hypot(p.z) < 0.05;
            assert!(error <= sure + 1e-14, "{truth} {result:?} h {h} r {r} p {p}");
            assert!(sure < if on_axis { 1e-3 } else { 2e-10 }, "{truth} {result:?} h {h} r {r} p {p}");
            worst = worst.max(error);
            rounds = rounds.max(result.counters.iterations + result.counters.depth_iterations);
        }
    }
    println!("cones and cylinders: worst {worst:e} rounds {rounds}");
}

/// How far a point is outside a shape, at most, in units of the shape's size; not above 0 inside.
fn outside(kind: usize, s: DVec3, p: DVec3) -> f64 {
    let rho = (p.x * p.x + p.z * p.z).sqrt();
    match kind {
        0 => ((p / s).length() - 1.0) * s.max_element(),
        1 => (p.y.abs() - s.y).max(rho - s.x),
        2 => (-s.y - p.y).max(rho - s.x * (s.y - p.y) / (2.0 * s.y)),
        3 => (p - DVec3::Y * p.y.clamp(-s.y, s.y)).length() - s.x,
        _ => (p.abs() - s).max_element(),
    }
}

fn shape(kind: usize, s: DVec3) -> Box<dyn SupportMap> {
    match kind {
        0 => Box::new(Ellipsoid::new(s).unwrap()),
        1 => Box::new(Cylinder::new(s.y, s.x).unwrap()),
        2 => Box::new(Cone::new(s.y, s.x).unwrap()),
        3 => Box::new(Capsule::new(s.y, s.x).unwrap()),
        _ => Box::new(Cuboid::new(s).unwrap()),
    }
}

#[test]
fn every_answer_comes_with_its_proof() {
    let mut rng = Rng(4);
    let slow = std::env::var_os("CAROM_SLOW").is_some();
    let (mut apart, mut overlap, mut unsure) = (0, 0, 0);
    let (mut iterations, mut depth_iterations, mut worst) = (0, 0, 0.0f64);
    for round in 0..if slow { 20_000 } else { 600 } {
        let (ka, kb) = (rng.below(5), rng.below(5));
        let ugly = [1.0, 1.0, 1e-3, 30.0][rng.below(4)];
        let sizes =
            |rng: &mut Rng| DVec3::new(rng.range(0.2, 1.0), rng.range(0.2, 1.0) * ugly, rng.range(0.2, 1.0));
        let (sa, sb) = (sizes(&mut rng), sizes(&mut rng));
        let (a, b) = (shape(ka, sa), shape(kb, sb));
        let size = sa.max_element() + sb.max_element();
        let pose = WidePose::from_quat(rng.rotation(), rng.unit() * rng.range(0.0, 1.5) * sa.length());
        let r = solve(&*a, &*b, &pose);
        let context = || format!("{round}: {ka} {sa} {kb} {sb} {pose:?} {r:?}");
        iterations = iterations.max(r.counters.iterations);
        depth_iterations = depth_iterations.max(r.counters.depth_iterations);
        worst = worst.max(uncertainty(&r) / size);
        if 1e-9 * size < uncertainty(&r) {
            unsure += 1;
            assert!(uncertainty(&r) < 1e-6 * size, "{}", context());
        }
        // The points lie in the shapes, and the plane keeps the shapes as far apart as the answer
        // says.
        assert!(
            outside(ka, sa, r.point_a) <= 1e-9 * size,
            "a {:e} {}",
            outside(ka, sa, r.point_a),
            context()
        );
        let in_b = pose.inverse_transform_point(r.point_b);
        assert!(outside(kb, sb, in_b) <= 1e-9 * size, "b {:e} {}", outside(kb, sb, in_b), context());
        let along = room(&*a, &*b, &pose, r.normal);
        assert!((along - r.distance).abs() <= 1e-9 * size, "plane {along:e} {}", context());
        if 0.0 < r.distance {
            apart += 1;
            let points = r.point_a.distance(r.point_b);
            assert!((points - r.distance).abs() <= 1e-12 * size, "{points} {}", context());
        } else {
            overlap += 1;
            // No other direction needs less: random ones, and ones near the answer.
            for i in 0..if slow { 50 } else { 400 } {
                let n = if i % 2 == 0 {
                    rng.unit()
                } else {
                    (r.normal + rng.unit() * rng.range(0.0, 0.1)).normalize()
                };
                let needed = -room(&*a, &*b, &pose, n);
                assert!(-r.distance <= needed + 1e-9 * size, "{needed:e} along {n} {}", context());
            }
        }
        let swapped = solve(&*b, &*a, &pose.inverse());
        assert!((swapped.distance - r.distance).abs() <= 2e-9 * size, "{swapped:?} {}", context());
    }
    println!(
        "proofs: {apart} apart, {overlap} overlap, {unsure} less sure, rounds {iterations} and {depth_iterations}, worst {worst:e}"
    );
    assert!(apart > 100 && overlap > 100);
}
