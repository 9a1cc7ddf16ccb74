//! A mesh against a convex shape: the triangles near the shape's box, one by one, by GJK and EPA.
//!
//! A triangle has no inside, so a depth is local: that of the triangle's plane in the convex shape.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2 and 25.3.

use crate::closest::Closest;
use crate::cost::Count;
use crate::mesh_shape::MeshShape;
use crate::{convex, half_space};
use carom_geom::tri_distance::point_triangle;
use carom_geom::{SupportMap, WideMesh, aabb_from_support};
use carom_math::scaling::unit;
use carom_math::{WidePose, ops, rounding};
use core::ops::ControlFlow;
use glam::DVec3;

/// Whether a triangle touches the convex shape or lies inside it.
pub(crate) fn intersects(
    a: &MeshShape<impl WideMesh>,
    b: &dyn SupportMap,
    b_in_a: &WidePose,
    count: impl Count,
) -> bool {
    let mut found = false;
    visit_near(a, b, b_in_a, 0.0, count, |triangle| {
        count.add_pair();
        found = convex::intersects(&a.mesh().triangle(triangle), b, b_in_a, count);
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found
}

/// Returns the least distance of a triangle from the convex shape; stops early above
/// `max_distance`.
pub(crate) fn distance(
    a: &MeshShape<impl WideMesh>,
    b: &dyn SupportMap,
    b_in_a: &WidePose,
    max_distance: f64,
    count: impl Count,
) -> Closest {
    // All of B is within `radius` of its centre. A triangle is too far if its distance from the
    // centre exceeds the least distance plus the radius.
    let center = b_in_a.transform_point(b.center());
    let radius = b.radius() + b.margin();
    let mut best = Closest::NOWHERE;
    let bound = |distance: f64| (distance + radius) * a.scale() * (1.0 + 8.0 * f64::EPSILON);
    let walk = a.tree().visit_near(a.point_in_tree(center), bound(max_distance), |leaf, _| {
        for &triangle in leaf.primitives {
            let limit = best.distance.min(max_distance);
            count.add_pair();
            let mut closest = convex::distance(&a.mesh().triangle(triangle), b, b_in_a, limit, None, count);
            closest.part_a = triangle;
            if closest.is_before(&best) {
                best = closest;
            }
        }
        if best.distance <= 0.0 {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(bound(best.distance.min(max_distance)))
    });
    count.add_walk(&walk.counters);
    best
}

/// Returns the contact of the triangle that is deepest in the convex shape, or nearest to it.
pub(crate) fn contact(
    a: &MeshShape<impl WideMesh>,
    b: &dyn SupportMap,
    b_in_a: &WidePose,
    prediction: f64,
    count: impl Count,
) -> Option<Closest> {
    let mut best = Closest::NOWHERE;
    visit_near(a, b, b_in_a, prediction, count, |triangle| {
        let mut closest = signed(a, triangle, b, b_in_a, prediction, count);
        closest.part_a = triangle;
        if closest.is_before(&best) {
            best = closest;
        }
        ControlFlow::Continue(())
    });
    best.is_local = true;
    (best.distance <= prediction).then_some(best)
}

/// Reports the nearest points of every triangle that is nearer than its clearance. Clearances are
/// at most `most`.
pub(crate) fn nearer_than(
    a: &MeshShape<impl WideMesh>,
    b: &dyn SupportMap,
    b_in_a: &WidePose,
    most: f64,
    clearance: &mut dyn FnMut(u32, u32) -> f64,
    report: &mut dyn FnMut(&Closest),
) {
    visit_near(a, b, b_in_a, most, (), |triangle| {
        let limit = clearance(triangle, 0);
        let mut closest = convex::distance(&a.mesh().triangle(triangle), b, b_in_a, limit, None, ());
        closest.part_a = triangle;
        if closest.distance < limit {
            report(&closest);
        }
        ControlFlow::Continue(())
    });
}

/// Returns the nearest or deepest points of a triangle and a convex shape. Beyond `max_distance`
/// the distance may be only an upper bound.
pub(crate) fn signed<M: WideMesh>(
    a: &MeshShape<M>,
    triangle: u32,
    b: &dyn SupportMap,
    b_in_a: &WidePose,
    max_distance: f64,
    count: impl Count,
) -> Closest {
    count.add_pair();
    // The core of a ball is a point. The distance then has a closed form, unless the point is in
    // the triangle.
    if b.radius() == 0.0 {
        let center = b_in_a.transform_point(b.center());
        let near = point_triangle(center, &a.mesh().corners(triangle));
        let (distance, on) = (near.distance, near.point_b);
        if let Some(normal) = unit(center - on) {
            let margin = b.margin();
            return Closest::new(distance - margin, on, center - normal * margin, normal);
        }
    }
    convex::signed(&a.mesh().triangle(triangle), b, b_in_a, max_distance, None, count)
}

/// Returns the deepest or nearest contact of a mesh with a half-space, in the half-space's frame;
/// `part_b` is a triangle.
pub(crate) fn closest_to_half_space(
    normal: DVec3,
    b: &MeshShape<impl WideMesh>,
    b_in_a: &WidePose,
    count: impl Count,
) -> Closest {
    count.add(|cost| cost.primitives += b.mesh().n_triangles() as u64);
    let corners = b.mesh().iter_corners().flatten().map(|corner| b_in_a.transform_point(corner));
    match half_space::closest_points(normal, corners) {
        Some(mut closest) => {
            closest.part_b /= 3;
            closest.is_local = true;
            closest
        }
        None => Closest::NOWHERE,
    }
}

/// Relative rounding of a few sums and products of lengths.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Visits every triangle that may be within `limit` of the convex shape, or in it.
///
/// Most of the eight triangles of a leaf are near the leaf, but not near the shape. Their own
/// boxes reject them, then a separating plane for each. Example: for a part of an ant on a hill,
/// the leaves hold 12 triangles, and 2.7 of them go to GJK. The narrow phase then needs 0.62 of
/// the instructions.
pub(crate) fn visit_near(
    a: &MeshShape<impl WideMesh>,
    b: &dyn SupportMap,
    b_in_a: &WidePose,
    limit: f64,
    count: impl Count,
    mut triangle: impl FnMut(u32) -> ControlFlow<()>,
) {
    let aabb = aabb_from_support(b, b_in_a).inflated(rounding::up(limit));
    let (low, high) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
    let center = b_in_a.transform_point(b.center());
    let walk = a.tree().visit_box(&a.in_tree(&aabb), |leaf| {
        for &number in leaf.primitives {
            let corners = a.mesh().corners(number);
            let [p, q, r] = corners;
            let is_beside = p.max(q).max(r).cmplt(low).any() || high.cmplt(p.min(q).min(r)).any();
            if !(is_beside || is_apart(&corners, b, b_in_a, center, limit, count)) {
                triangle(number)?;
            }
        }
        ControlFlow::Continue(())
    });
    count.add_walk(&walk.counters);
}

/// Whether a plane of the triangle separates it from the convex shape by more than `limit`. The
/// planes are its own and those upright on its edges. `center` is the centre of the shape, in the
/// frame of the triangle.
fn is_apart(
    corners: &[DVec3; 3],
    b: &dyn SupportMap,
    b_in_a: &WidePose,
    center: DVec3,
    limit: f64,
    count: impl Count,
) -> bool {
    let [p, q, r] = *corners;
    let normal = (q - p).cross(r - p);
    let facing = if (center - p).dot(normal) < 0.0 { -normal } else { normal };
    let (mut gap, mut axis, mut end) = (f64::NEG_INFINITY, DVec3::ZERO, 0.0);
    for across in [facing, (q - p).cross(normal), (r - q).cross(normal), (p - r).cross(normal)] {
        // NaN, from a triangle without area or from overflow, is skipped below.
        let across = across / ops::sqrt(across.length_squared());
        let last = across.dot(p).max(across.dot(q)).max(across.dot(r));
        let beyond = across.dot(center) - last;
        if gap < beyond {
            (gap, axis, end) = (beyond, across, last);
        }
    }
    let reach = b.radius() + b.margin();
    // If the centre is beyond none of the planes, no plane separates the two.
    if !(0.0 < gap) {
        return false;
    }
    let far = center.abs().max_element() + end.abs() + reach;
    let limit = limit + ROUNDING * far;
    if limit + reach < gap {
        return true;
    }
    count.add(|cost| cost.supports += 1);
    let lowest = b.support(b_in_a.inverse_transform_vector(-axis)).point;
    let low = axis.dot(b_in_a.transform_point(lowest)) - b.margin() - b.support_slack();
    limit < low - end
}

/// Reports the nearest point of every triangle that is nearer to a half-space than its clearance.
/// `normal` is that of the half-space, in its frame.
pub(crate) fn nearer_than_half_space(
    normal: DVec3,
    b: &MeshShape<impl WideMesh>,
    b_in_a: &WidePose,
    clearance: &mut dyn FnMut(u32, u32) -> f64,
    report: &mut dyn FnMut(&Closest),
) {
    for triangle in 0..b.mesh().n_triangles() as u32 {
        let limit = clearance(0, triangle);
        let mut closest = half_space::closest_convex(normal, &b.mesh().triangle(triangle), b_in_a, ());
        closest.part_b = triangle;
        if closest.distance.max(0.0) < limit {
            report(&closest);
        }
    }
}
