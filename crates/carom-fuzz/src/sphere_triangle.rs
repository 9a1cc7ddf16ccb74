//! Moving balls against triangles and polygons: the brackets hold in rational arithmetic, on both
//! sides.

use crate::bytes::Bytes;
use carom_ccd::{MovingSphere, Polygon, Sides, TimeOfImpact};
use carom_testkit::oracle::moving::{Vector, cross, minus, moved, point_triangle_sq};
use carom_testkit::oracle::rational::{dot, exact, exact3};
use glam::DVec3;

/// A ball and corners are refused or answered, and the answer is right.
pub fn sphere_triangle(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let flags = bytes.byte();
    let corners: [DVec3; 3] = core::array::from_fn(|_| bytes.point());
    let Ok(ball) = MovingSphere::new(bytes.point(), bytes.size(), bytes.point()) else { return };
    let Ok(polygon) = Polygon::triangle(corners) else {
        let is_sound = |p: &DVec3| p.is_finite() && p.abs().max_element() <= carom_math::tol::MAX_LENGTH;
        assert!(!corners.iter().all(is_sound), "{corners:?} were refused");
        return;
    };
    let end = bytes.float();
    let answer = ball.against_polygon(&polygon, Sides::Both, end);
    let front = ball.against_polygon(&polygon, Sides::Front, end);
    let context = || format!("{ball:?} {corners:?} until {end:e}: {answer:?}");
    // A hit from the front is also a hit of the two-sided triangle, at the same time.
    if let (Some(front), Some(both)) = (front.hit(), answer.hit()) {
        assert_eq!(front, both, "{}", context());
    } else {
        assert!(front.hit().is_none(), "{} {front:?}", context());
    }
    let end = if 0.0 < end { end.min(carom_math::tol::MAX_LENGTH) } else { 0.0 };
    let until = answer.safe_until(end);
    assert!((0.0..=end).contains(&until), "{}", context());
    // For smaller or larger numbers, rational arithmetic takes too long.
    let farthest = corners.iter().map(|p| (*p - ball.center()).length()).fold(ball.radius(), f64::max);
    let is_middling = |x: f64| x == 0.0 || (1e-30 < x && x < 1e30);
    if !(is_middling(farthest) && is_middling(end) && is_middling(ball.velocity().length()))
        || flags & 12 != 0
    {
        return;
    }
    let triangle: [Vector; 3] = corners.map(exact3);
    let is_within = |t: f64, distance: f64| {
        let reach = exact(ball.radius()) + exact(distance);
        point_triangle_sq(&moved(ball.center(), ball.velocity(), t), &triangle) <= &reach * &reach
    };
    // A ball of radius 0 may be on the plane at no time that is an `f64`. It passes the plane
    // between the ends of the bracket.
    let passes = |bracket: [f64; 2]| {
        let [from, to] = bracket.map(|t| moved(ball.center(), ball.velocity(), t));
        let normal = cross(&minus(&triangle[1], &triangle[0]), &minus(&triangle[2], &triangle[0]));
        let [height, other] = [&from, &to].map(|p| dot(&normal, &minus(p, &triangle[0])));
        let travel = &height - &other;
        if ball.radius() != 0.0 || travel == exact(0.0) || exact(0.0) < &height * &other {
            return false;
        }
        let position = core::array::from_fn(|i| &from[i] + (&to[i] - &from[i]) * (&height / &travel));
        point_triangle_sq(&position, &triangle) == exact(0.0)
    };
    for share in [0.5, 1.0 - 2f64.powi(-20)] {
        let t = until * share;
        assert!(t == 0.0 || !is_within(t, 0.0), "touches at {t}: {}", context());
    }
    match answer {
        TimeOfImpact::Clear(clear) => {
            for t in [0.0, 0.25 * end, end] {
                let below = clear.distance * (1.0 - 2f64.powi(-40));
                assert!(!is_within(t, below) || below == 0.0, "near at {t}: {}", context());
            }
        }
        TimeOfImpact::Hit(hit) => {
            let is_met = is_within(hit.t_hi, 0.0) || passes([hit.t_lo, hit.t_hi]);
            assert!(hit.t_hi <= end && is_met, "{}", context());
        }
        TimeOfImpact::Undecided(undecided) => {
            let above = undecided.distance * (1.0 + 2f64.powi(-40)) + 2f64.powi(-40) * farthest;
            assert!(is_within(undecided.t_safe, above), "{}", context());
        }
    }
}
