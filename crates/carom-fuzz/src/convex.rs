//! Distance and depth of two convex shapes by their support maps, with bounds, in both orders.

use crate::bytes::Bytes;
use carom_geom::{SupportMap, f64 as geom};
use carom_gjk::{GjkSettings, Outcome, f64 as gjk};
use carom_math::f64::Pose;
use carom_math::scaling::unit;
use glam::DVec3;

/// Answers are not NaN, the bounds are ordered and hold, and exchanged shapes agree.
pub fn convex(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let (Some(a), Some(b)) = (shape(&mut bytes), shape(&mut bytes)) else { return };
    let Ok(b_in_a) = Pose::try_new(bytes.rotation(), bytes.point()) else { return };
    let settings = GjkSettings::default();
    let signed = gjk::signed_distance(&*a, &*b, &b_in_a, &settings, None);
    assert!(!signed.distance.is_nan() && !signed.normal.is_nan(), "{signed:?}");
    assert!(signed.lower_bound <= signed.upper_bound || signed.upper_bound.is_nan(), "{signed:?}");
    let distance = gjk::distance(&*a, &*b, &b_in_a, &settings, None);
    assert!(0.0 <= distance.distance && distance.lower_bound <= distance.distance, "{distance:?}");
    let meets = gjk::intersects(&*a, &*b, &b_in_a, &settings, None).intersects;

    // The comparisons below allow rounding, relative to the size of the scene.
    let extent = |s: &dyn SupportMap| s.center().length() + s.radius() + s.margin();
    let size = extent(&*a) + extent(&*b) + b_in_a.translation.length();
    if !(1e-100 < size && size < 1e100) {
        return;
    }
    let tolerance = 1e-11 * size;
    let room = |n: DVec3| {
        let top = a.support(n).point.dot(n) + a.margin();
        let down = b_in_a.rotation.conjugate() * -n;
        (b_in_a.rotation * b.support(down).point + b_in_a.translation).dot(n) - b.margin() - top
    };
    // No plane proves a larger separation than the distance.
    let hint = bytes.point();
    for n in [signed.normal, distance.normal, DVec3::X, DVec3::NEG_Y, DVec3::ONE, b_in_a.translation, hint] {
        for n in [n, b_in_a.rotation * n] {
            let Some(n) = unit(n) else { continue };
            assert!(room(n) <= signed.upper_bound + tolerance, "room {:e} along {n}: {signed:?}", room(n));
        }
    }
    // Bounds hold for each outcome, so two searches for the same pair do not contradict each
    // other.
    let mirrored = gjk::signed_distance(&*b, &*a, &b_in_a.inverse(), &settings, None);
    assert!(mirrored.lower_bound <= signed.upper_bound + tolerance, "{signed:?} {mirrored:?}");
    assert!(signed.lower_bound <= mirrored.upper_bound + tolerance, "{signed:?} {mirrored:?}");
    if signed.outcome == Outcome::Undecided || mirrored.outcome == Outcome::Undecided {
        return;
    }
    // For a curved shape the bounds may stay apart, and the outcome says so.
    let wide = tolerance + width(&signed) + width(&mirrored);
    assert!(signed.distance - wide <= room(signed.normal), "normal {:e} {signed:?}", room(signed.normal));
    if signed.distance.abs() > wide {
        assert_eq!(meets, signed.distance < 0.0, "{signed:?}");
    }
    assert!((distance.distance - signed.distance.max(0.0)).abs() <= wide, "{distance:?} {signed:?}");
    assert!((mirrored.distance - signed.distance).abs() <= wide, "{signed:?} {mirrored:?}");

    // The same query, rounded: the bounds still hold.
    let narrow = carom_math::Pose::new(b_in_a.rotation.as_quat(), b_in_a.translation.as_vec3());
    let rounded = carom_gjk::signed_distance(&*a, &*b, &narrow, &settings, None);
    let decided = carom_gjk::wide::signed_distance(&*a, &*b, &narrow.wide(), &settings, None);
    if narrow.translation.is_finite() {
        assert!(f64::from(rounded.lower_bound) <= decided.lower_bound, "{rounded:?} {decided:?}");
        assert!(decided.upper_bound <= f64::from(rounded.upper_bound), "{rounded:?} {decided:?}");
        // A distance below the least `f32` is 0 in `f32`. The bounds above still show that it is
        // above 0.
        let is_apart = f64::from(f32::from_bits(1)) <= decided.distance;
        assert!(!is_apart || 0.0 < rounded.distance, "{rounded:?} {decided:?}");
        assert!(0.0 < decided.distance || rounded.distance <= 0.0, "{rounded:?} {decided:?}");
    }
}

/// Returns the difference of the bounds.
fn width(answer: &gjk::SignedDistance) -> f64 {
    answer.upper_bound - answer.lower_bound
}

/// Returns a shape with measures from the bytes; `None` if its constructor refuses them.
pub(crate) fn shape(bytes: &mut Bytes<'_>) -> Option<Box<dyn SupportMap>> {
    Some(match bytes.byte() % 10 {
        0 => Box::new(geom::Sphere::new(bytes.size()).ok()?),
        1 => Box::new(geom::Capsule::new(bytes.size(), bytes.size()).ok()?),
        2 => Box::new(geom::Cuboid::new(bytes.sizes()).ok()?),
        3 => Box::new(geom::Cylinder::new(bytes.size(), bytes.size()).ok()?),
        4 => Box::new(geom::Cone::new(bytes.size(), bytes.size()).ok()?),
        5 => Box::new(geom::Ellipsoid::new(bytes.sizes()).ok()?),
        6 => Box::new(geom::Triangle::new(bytes.point(), bytes.point(), bytes.point()).ok()?),
        7 => {
            let corners = [bytes.point(), bytes.point(), bytes.point(), bytes.point()];
            Box::new(geom::Tetrahedron::new(corners[0], corners[1], corners[2], corners[3]).ok()?)
        }
        8 => {
            let points: Vec<DVec3> = (0..4 + bytes.below(12)).map(|_| bytes.point()).collect();
            Box::new(geom::ConvexHull::from_points(&points).ok()?)
        }
        _ => Box::new(geom::Segment::new(bytes.point(), bytes.point()).ok()?),
    })
}
