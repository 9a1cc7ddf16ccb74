//! The closest points of a thin body and any other, radii included.
//!
//! Two thin bodies have their own accurate routine. If a thin body does not meet a solid, the
//! closest point is on a face in sight of the body. Each face is a fan of triangles. Radii are
//! subtracted at the end, along the line between the cores. `within.rs` decides whether the bodies
//! meet.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1.

use crate::figure::Figure;
use crate::tri_distance::{self, ClosestPoints};
use crate::{tri_intersection, tri_tri, within};
use carom_math::predicates::orient3d;
use carom_math::scaling::{length, unit};
use glam::DVec3;

/// Returns the closest points, and the unit vector from the first to the second; zero if the bodies
/// meet.
pub(crate) fn closest_points(a: &Figure, b: &Figure) -> (ClosestPoints, DVec3) {
    let core = core_distance(a, b);
    let meets = within::compare(a, b, core.distance).unwrap_or_else(|| within::is_within_exactly(a, b));
    let direction = unit(core.point_b - core.point_a);
    if meets {
        // Between the cores, and at most the radius from each core.
        let (low, high) = ((core.distance - b.radius()).max(0.0), a.radius().min(core.distance));
        let point = core.point_a + direction.unwrap_or(DVec3::ZERO) * (0.5 * (low + high));
        return (ClosestPoints { distance: 0.0, point_a: point, point_b: point }, DVec3::ZERO);
    }
    // The bodies are apart, perhaps by less than the rounding.
    let distance = (core.distance - (a.radius() + b.radius())).max(f64::MIN_POSITIVE);
    let normal = direction.unwrap_or_else(|| across(&core, a, b));
    let point_a = core.point_a + normal * a.radius();
    let point_b = core.point_b - normal * b.radius();
    (ClosestPoints { distance, point_a, point_b }, normal)
}

/// Returns some direction for points that rounding made equal although the cores are apart.
fn across(core: &ClosestPoints, a: &Figure, b: &Figure) -> DVec3 {
    let middle = |f: &Figure| f.corners().iter().fold(DVec3::ZERO, |m, p| m + (*p - core.point_a) * 0.125);
    unit(middle(b) - middle(a)).unwrap_or(DVec3::X)
}

/// Returns the closest points of the cores; the distance is 0 exactly if they meet.
pub(crate) fn core_distance(a: &Figure, b: &Figure) -> ClosestPoints {
    if b.is_thin() {
        return tri_distance::between(a.corners(), b.corners());
    }
    if let &[p] = a.corners()
        && let Some(found) = point_box(p, b)
    {
        return found;
    }
    if within::cores_meet(a, b) {
        let point = common_point(a, b);
        return ClosestPoints { distance: 0.0, point_a: point, point_b: point };
    }
    // A face is in sight if a point is not strictly below it; orient3d is positive below.
    let is_in_sight =
        |face: &[DVec3; 3]| !a.corners().iter().all(|p| 0.0 < orient3d(face[0], face[1], face[2], *p));
    let visible = nearest_face(a, b, is_in_sight);
    // No face is in sight if the corners of an oriented box were rounded outwards.
    let mut found = if visible.distance.is_finite() { visible } else { nearest_face(a, b, |_| true) };
    if found.distance == 0.0 {
        // The same case, with corners rounded inwards.
        found.distance = f64::MIN_POSITIVE;
    }
    found
}

fn nearest_face(a: &Figure, b: &Figure, counts: impl Fn(&[DVec3; 3]) -> bool) -> ClosestPoints {
    let mut best =
        ClosestPoints { distance: f64::INFINITY, point_a: a.corners()[0], point_b: b.corners()[0] };
    for face in b.faces().filter(counts) {
        let found = tri_distance::between(a.corners(), &face);
        if found.distance < best.distance {
            best = found;
        }
    }
    best
}

/// Returns the closest points of a point and a box, oriented or axis-aligned, coordinate by
/// coordinate.
fn point_box(p: DVec3, b: &Figure) -> Option<ClosestPoints> {
    if let Some([min, max]) = b.bounds() {
        let on = p.max(min).min(max);
        let distance = if on == p { 0.0 } else { length(p - on).max(f64::MIN_POSITIVE) };
        return Some(ClosestPoints { distance, point_a: p, point_b: on });
    }
    let frame = b.frame()?;
    let local = frame.axes.transpose() * (p - frame.center);
    // Refused if rounding of the local coordinates could decide whether they touch.
    let beyond = local.abs() - frame.half;
    let size = local.abs().element_sum() + frame.half.element_sum();
    if beyond.max_element() <= 64.0 * f64::EPSILON * size {
        return None;
    }
    let on = local.max(-frame.half).min(frame.half);
    let point_b = frame.center + frame.axes * on;
    Some(ClosestPoints { distance: length(local - on), point_a: p, point_b })
}

/// Returns a point of both cores, which meet; right to rounding.
fn common_point(a: &Figure, b: &Figure) -> DVec3 {
    let first = a.corners()[0];
    if a.corners().len() == 1 || within::cores_meet(&Figure::thin(&[first], 0.0), b) {
        return first;
    }
    let triangle = tri_distance::as_triangle(a.corners());
    match b.faces().find(|face| tri_tri::intersects(&triangle, face)) {
        Some(face) => tri_intersection::common_point(&triangle, &face),
        None => nearest_face(a, b, |_| true).point_a,
    }
}
