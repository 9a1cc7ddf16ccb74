//! Balls against planes and balls: brackets judged in fractions of whole numbers.

use carom_ccd::{MovingSphere, SheetPlane, Sides, TimeOfImpact, Why};
use carom_geom::ShapeError;
use carom_testkit::oracle::moving::{minus, moved, square};
use carom_testkit::oracle::rational::{dot, exact, exact3};
use carom_testkit::random::Random;
use glam::DVec3;
use num_rational::BigRational;
use num_traits::Signed;

const SCALES: [f64; 5] = [1.0, 1e-40, 1e-6, 1e6, 1e40];

#[test]
fn spheres_meet_when_their_centres_are_two_radii_apart() {
    let ball = |x: f64, v: f64| MovingSphere::new(DVec3::X * x, 0.5, DVec3::X * v).unwrap();
    let found = ball(0.0, 1.0).against_sphere(&ball(4.0, -2.0), 2.0);
    let impact = found.hit().unwrap();
    assert!(
        (impact.t_lo - 1.0).abs() < 3e-14 && (impact.t_hi - 1.0).abs() < 3e-14 && impact.t_lo <= impact.t_hi
    );
    assert!((impact.point_a - DVec3::X * 1.5).length() < 1e-13 && impact.normal == DVec3::X);
    // Eq. 25.21: both centres at that time.
    let [a, b] = [ball(0.0, 1.0), ball(4.0, -2.0)].map(|ball| ball.center_at(impact.t_hi));
    assert!((a - DVec3::X).length() < 1e-13 && (b - DVec3::X * 2.0).length() < 1e-13);
    // Too late, away, not at all, and from the start.
    assert_eq!(ball(0.0, 1.0).against_sphere(&ball(4.0, -2.0), 0.9).hit(), None);
    assert!(
        matches!(ball(0.0, 0.0).against_sphere(&ball(4.0, 0.0), 9.0), TimeOfImpact::Clear(c) if (c.distance - 3.0).abs() < 1e-13)
    );
    let touching = ball(0.0, 0.0).against_sphere(&ball(1.0, 0.0), 1.0);
    assert_eq!(touching.hit().map(|hit| (hit.t_lo, hit.t_hi)), Some((0.0, 0.0)));
}

/// The sign of `|l + v t| - r` at every end of the bracket is what the answer says; the distance is
/// convex, so that is all.
#[test]
fn brackets_of_balls_are_right_in_fractions() {
    let mut random = Random::new(1);
    let mut n = [0; 3];
    for i in 0..1000 {
        let scale = SCALES[i % SCALES.len()];
        let (mut p, q) = (random.cube_point() * 4.0, random.cube_point() * 4.0);
        let radii = [random.unit(), if i % 7 == 0 { 0.0 } else { random.unit() }];
        let (v, w) =
            (random.cube_point() * 8.0, if i % 5 == 0 { DVec3::ZERO } else { random.cube_point() * 8.0 });
        if i % 3 == 0 {
            // In passing, by little: the centre of A beside the way of B by the radii and next to
            // nothing.
            let offset = w - v;
            let across = offset.any_orthogonal_vector().normalize();
            let gap = [0.0, 1e-6, -1e-6, 1e-9, -1e-12, 1e-14][random.below(6)];
            p = q + offset * 0.3 + across * ((radii[0] + radii[1]) * (1.0 + gap));
        } else if i % 11 == 0 {
            p = q + (p - q).normalize() * (radii[0] + radii[1]) * 0.9;
        }
        let a = MovingSphere::new(p * scale, radii[0] * scale, v * scale).unwrap();
        let b = MovingSphere::new(q * scale, radii[1] * scale, w * scale).unwrap();
        let found = a.against_sphere(&b, 1.0);
        // Negative where they overlap.
        let gap = |t: f64| {
            let displacement =
                minus(&moved(b.center(), b.velocity(), t), &moved(a.center(), a.velocity(), t));
            let radius = exact(a.radius()) + exact(b.radius());
            square(&displacement) - &radius * &radius
        };
        match found {
            TimeOfImpact::Hit(hit) => {
                n[0] += 1;
                assert!(!gap(hit.t_hi).is_positive(), "{a:?} {b:?} {hit:?}");
                assert!(hit.t_lo == 0.0 || gap(hit.t_lo).is_positive(), "{a:?} {b:?} {hit:?}");
                assert!(hit.t_lo <= hit.t_hi && hit.t_hi <= 1.0);
                let size = (a.radius() + b.radius()) + (a.center() - b.center()).length();
                assert!((hit.point_a - hit.point_b).length() <= size * 1e-6 || hit.t_lo == 0.0, "{hit:?}");
            }
            TimeOfImpact::Clear(clear) => {
                n[1] += 1;
                for k in 0..=32 {
                    let t = f64::from(k) / 32.0;
                    let displacement =
                        minus(&moved(b.center(), b.velocity(), t), &moved(a.center(), a.velocity(), t));
                    let reach = exact(a.radius()) + exact(b.radius()) + exact(clear.distance);
                    assert!(
                        !(square(&displacement) - &reach * &reach).is_negative(),
                        "{a:?} {b:?} {clear:?} at {t}"
                    );
                }
            }
            TimeOfImpact::Undecided(undecided) => {
                n[2] += 1;
                assert_eq!(undecided.why, Why::WithinRounding);
                assert!(undecided.t_safe == 0.0 || gap(undecided.t_safe).is_positive());
                assert!(i % 3 == 0, "only what passes by is left open: {a:?} {b:?} {undecided:?}");
                assert!(undecided.distance <= 1e-6 * scale, "{a:?} {b:?} {undecided:?}");
            }
        }
    }
    println!("balls: {} hits, {} clear, {} undecided", n[0], n[1], n[2]);
    assert!(100 < n[0] && 500 < n[1] && 10 < n[2] && n[2] < 150, "{n:?}");
}

#[test]
fn planes_are_met_from_both_sides() {
    let plane = SheetPlane::new(DVec3::new(0.0, 2.0, 0.0), -2.0).unwrap();
    for (side, y) in [(1.0, 4.0), (-1.0, -2.0)] {
        let ball = MovingSphere::new(DVec3::new(0.5, y, 0.0), 1.0, DVec3::new(1.0, -side, 0.0)).unwrap();
        let found = ball.against_plane(&plane, Sides::Both, 10.0);
        let hit = found.hit().unwrap();
        // 25.15: (s_c - r) / (s_c - s_e), for an end ten later.
        assert!((hit.t_lo - 2.0).abs() < 1e-13 && hit.t_lo <= hit.t_hi && hit.t_hi - hit.t_lo < 1e-13);
        assert!((hit.point_b - DVec3::new(2.5, 1.0, 0.0)).length() < 1e-13 && hit.normal == -DVec3::Y * side);
        let front = ball.against_plane(&plane, Sides::Front, 10.0);
        assert_eq!(front.hit().is_some(), 0.0 < side);
        // Through the plane already: a contact from the start.
        let deep = MovingSphere::new(DVec3::Y * (1.0 + 0.5 * side), 1.0, DVec3::Y).unwrap();
        assert_eq!(deep.against_plane(&plane, Sides::Both, 1.0).hit().map(|hit| hit.t_hi), Some(0.0));
    }
}

#[test]
fn brackets_of_balls_and_planes_are_right_in_fractions() {
    let mut random = Random::new(2);
    let mut n = [0; 3];
    for i in 0..1000 {
        let scale = SCALES[i % SCALES.len()];
        let plane = SheetPlane::new(random.cube_point(), random.range(-1.0, 1.0) * scale).unwrap();
        let radius = [0.0, 0.2, 1.0][i % 3];
        let center = match i % 4 {
            // Touching to within rounding, on either side.
            0 => plane.normal() * (radius * scale * if i % 8 == 0 { 1.0 } else { -1.0 } - plane.offset()),
            _ => random.cube_point() * 4.0 * scale,
        };
        let velocity =
            if i % 9 == 0 { plane.normal().any_orthogonal_vector() } else { random.cube_point() * 6.0 };
        let ball = MovingSphere::new(center, radius * scale, velocity * scale).unwrap();
        let found = ball.against_plane(&plane, Sides::Both, 1.0);
        let gap = |t: f64, reach: f64| -> BigRational {
            let n = exact3(plane.normal());
            let height = dot(&n, &moved(ball.center(), ball.velocity(), t)) + exact(plane.offset());
            let reach = exact(ball.radius()) + exact(reach);
            &height * &height - square(&n) * &reach * &reach
        };
        match found {
            TimeOfImpact::Hit(hit) => {
                n[0] += 1;
                assert!(hit.t_lo == 0.0 || gap(hit.t_lo, 0.0).is_positive());
                // A point touches for no time, and has passed.
                let height = |t: f64| {
                    dot(&exact3(plane.normal()), &moved(ball.center(), ball.velocity(), t))
                        + exact(plane.offset())
                };
                let has_passed = !(height(hit.t_lo) * height(hit.t_hi)).is_positive();
                assert!(!gap(hit.t_hi, 0.0).is_positive() || has_passed, "{ball:?} {plane:?} {hit:?}");
                if 0.0 < hit.t_lo {
                    let rate = plane.normal().dot(ball.velocity()).abs();
                    assert!(
                        (hit.t_hi - hit.t_lo) * rate <= 1e-13 * 8.0 * scale,
                        "{ball:?} {plane:?} {hit:?}"
                    );
                }
            }
            TimeOfImpact::Clear(clear) => {
                n[1] += 1;
                assert!(!gap(0.0, clear.distance).is_negative() && !gap(1.0, clear.distance).is_negative());
            }
            TimeOfImpact::Undecided(undecided) => {
                n[2] += 1;
                assert!(gap(undecided.t_safe, 0.0).is_positive() || undecided.t_safe == 0.0);
                assert!(undecided.distance <= 1e-13 * scale, "{undecided:?}");
                assert!(i % 4 == 0 || i % 9 == 0, "{ball:?} {plane:?} {undecided:?}");
            }
        }
    }
    println!("planes: {} hits, {} clear, {} undecided", n[0], n[1], n[2]);
    assert!(200 < n[0] && 100 < n[1] && n[2] < 250, "{n:?}");
}

#[test]
fn what_is_no_ball_is_refused_by_name() {
    let new = |center, radius, velocity| MovingSphere::new(center, radius, velocity);
    assert_eq!(
        new(DVec3::NAN, 1.0, DVec3::ZERO).unwrap_err().to_string(),
        "the centre of the sphere is NaN or infinite"
    );
    assert_eq!(
        new(DVec3::ZERO, -1.0, DVec3::ZERO),
        Err(ShapeError::Negative { what: "the radius of the sphere", value: -1.0 })
    );
    assert_eq!(
        new(DVec3::ZERO, 1.0, DVec3::INFINITY),
        Err(ShapeError::NotFinite { what: "the velocity of the sphere" })
    );
    assert_eq!(
        SheetPlane::new(DVec3::ZERO, 1.0),
        Err(ShapeError::NoDirection { what: "the normal of the plane" })
    );
    // The quotient by the length of the normal is checked, not the offset before.
    assert_eq!(
        SheetPlane::new(DVec3::Y * 1e-310, 1.0),
        Err(ShapeError::NotFinite { what: "the offset of the plane" })
    );
    assert_eq!(SheetPlane::new(DVec3::Y * 4.0, 2.0).map(|plane| plane.offset()), Ok(0.5));
    let ball = new(DVec3::ZERO, 1.0, DVec3::X).unwrap();
    for end in [f64::NAN, -1.0, 0.0, f64::INFINITY] {
        let far = new(DVec3::X * 3.0, 1.0, DVec3::ZERO).unwrap();
        assert_eq!(ball.against_sphere(&far, end).hit().is_some(), end == f64::INFINITY, "{end}");
    }
}
