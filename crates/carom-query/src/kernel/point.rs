//! Points against any shape: the nearest point of its surface, and whether the point is inside.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1.

use super::super::num::geom::PointProjection;
use super::super::num::{Pose, Vec3, narrow, narrow_real, widen, widen_real};
use super::cluster::Cluster;
use super::compound::Compound;
use super::field;
use super::mesh_shape::MeshShape;
use super::rounded::RoundedShape;
use super::shape::{Shape, ShapeKind};
use crate::contains_point;
use crate::convex;
use crate::cost::{Count, Counting, QueryCost};
use crate::nearest_triangle::nearest;
use crate::ray_convex::Point;
use carom_geom::ray_mesh::Placement;
use carom_geom::{FeatureId, SupportMap};
use carom_math::WidePose;
use carom_math::scaling::{length, unit};
use core::ops::ControlFlow;

/// Returns the point of the shape's surface nearest to `point`, and its signed distance, negative
/// inside. World frame.
///
/// A closed mesh has an inside regardless of the orientation of its triangles, see
/// [`solid_placement`](super::solid_placement). For other meshes the answer states that the inside
/// is unknown, and the distance is positive. A height field has no inside.
///
/// A point is inside a compound or a cluster if it is inside a part. The distance is then that to
/// the surface of the part in which it is deepest.
///
/// `None` if the point is not finite, here or in the frame of the shape, and for a field without a
/// surface. A compound gives `None` if each of its parts does.
pub fn project_point(shape: &Shape, pose: &Pose, point: Vec3) -> Option<PointProjection> {
    project(shape, pose, point, ())
}

/// [`project_point`], with its cost added to `cost`.
pub fn project_point_counted(
    shape: &Shape,
    pose: &Pose,
    point: Vec3,
    cost: &mut QueryCost,
) -> Option<PointProjection> {
    project(shape, pose, point, Counting::new(cost))
}

#[inline(always)]
fn project(shape: &Shape, pose: &Pose, point: Vec3, count: impl Count) -> Option<PointProjection> {
    // The rotation is normalised in `f64`, as for pairs of shapes.
    let pose = pose.wide();
    let mut found = local(shape, narrow(pose.inverse_transform_point(widen(point))), count)?;
    found.point = narrow(pose.transform_point(widen(found.point)));
    Some(found)
}

fn local(shape: &Shape, point: Vec3, count: impl Count) -> Option<PointProjection> {
    if !point.is_finite() {
        return None;
    }
    if let Some(primitive) = shape.primitive() {
        count.add_pair();
        return Some(primitive.project_point(point));
    }
    match shape {
        Shape::Rounded(s) => {
            count.add_pair();
            Some(on_rounded(s, point, count))
        }
        Shape::HeightField(s) => on_mesh(s.mesh(), point, false, count),
        _ => match shape.kind() {
            ShapeKind::Convex(s) => {
                count.add_pair();
                Some(on_support_map(s, point, count))
            }
            ShapeKind::Mesh(s) => on_mesh(s, point, true, count),
            ShapeKind::Field(s) => field::project_point(s, point, count),
            ShapeKind::Cluster(s) => on_near_part(s, point, count),
            ShapeKind::Compound(s) => on_parts(s, point, count),
            // A half-space is a primitive, so it was handled above.
            ShapeKind::HalfSpace(_) => None,
        },
    }
}

/// Projects on the part in which the point is deepest, or that is nearest; the lowest number wins a
/// tie.
fn on_parts(compound: &Compound, point: Vec3, count: impl Count) -> Option<PointProjection> {
    let mut best: Option<(PointProjection, usize)> = None;
    compound.boxes().visit_near_point(widen(point), count, |index| {
        let part = &compound.parts()[index];
        if let Some(mut found) = project(&part.shape, &part.pose, point, count)
            && best.is_none_or(|(b, number)| (found.distance, index) < (b.distance, number))
        {
            found.part = found.part.saturating_add(compound.first_number(index));
            best = Some((found, index));
        }
        best.map_or(f64::INFINITY, |(b, _)| widen_real(b.distance).max(0.0))
    });
    best.map(|(found, _)| found)
}

/// Projects on the part of a cluster in which the point is deepest, or that is nearest.
fn on_near_part(cluster: &dyn Cluster, point: Vec3, count: impl Count) -> Option<PointProjection> {
    let wide = widen(point);
    let mut best: Option<PointProjection> = None;
    let walk = cluster.tree().visit_near(wide, f64::INFINITY, |leaf, _| {
        for &number in leaf.primitives {
            let (part, center) = cluster.part(number);
            let own = narrow(wide - center);
            if !own.is_finite() {
                continue;
            }
            count.add_pair();
            let mut found = part.primitive().project_point(own);
            found.point = narrow(widen(found.point) + center);
            found.part = number;
            if best.is_none_or(|b| (found.distance, number) < (b.distance, b.part)) {
                best = Some(found);
            }
        }
        ControlFlow::Continue(best.map_or(f64::INFINITY, |b| widen_real(b.distance).max(0.0)))
    });
    count.add_walk(&walk.counters);
    best
}

/// Projects on the core, and moves that point outwards by the radius. The depth in a convex core is
/// that of its nearest supporting plane, which moves by the same radius.
fn on_rounded(shape: &RoundedShape, point: Vec3, count: impl Count) -> PointProjection {
    let map = || on_support_map(shape, point, count);
    let Some(on_core) = local(shape.core().shape(), point, count) else { return map() };
    let (p, on, radius) = (widen(point), widen(on_core.point), widen_real(shape.radius()));
    let distance = widen_real(on_core.distance);
    // Near the core rounding would determine the direction. The iterative search has a direction to
    // start with.
    if !(NEAR_CORE * (length(on) + radius) < distance.abs()) {
        return map();
    }
    let Some(out) = unit(if distance < 0.0 { on - p } else { p - on }) else { return map() };
    PointProjection::new(narrow(on + out * radius), narrow_real(distance - radius), on_core.feature)
}

/// A pure number, times the size of a core. 2^-20 is some roundings of `f32`, and about the square
/// root of a rounding of `f64`.
const NEAR_CORE: f64 = f64::from_bits((1023 - 20) << 52);

/// Returns the nearest point of a surface given by its support map.
fn on_support_map(shape: &dyn SupportMap, point: Vec3, count: impl Count) -> PointProjection {
    let pose = WidePose { translation: widen(point), ..WidePose::IDENTITY };
    let closest = convex::signed(shape, &Point, &pose, f64::INFINITY, None, count);
    PointProjection::new(narrow(closest.point_a), narrow_real(closest.distance), FeatureId::UNKNOWN)
}

/// Projects on the nearest triangle; the lowest number wins a tie. The sign is exact if the surface
/// may have an inside.
fn on_mesh(mesh: &MeshShape, point: Vec3, may_enclose: bool, count: impl Count) -> Option<PointProjection> {
    let wide = widen(point);
    let best = nearest(mesh, wide, count);
    let (_, triangle, nearest) = best?;
    // Computed in `f64` from the two points, so that it matches them.
    let distance = length(nearest - wide);
    let placement = if may_enclose {
        contains_point::solid_placement_of(mesh, wide, count)
    } else {
        Some(Placement::Outside)
    };
    let signed = if placement == Some(Placement::Inside) { -distance } else { distance };
    let found = PointProjection::new(narrow(nearest), narrow_real(signed), FeatureId::UNKNOWN);
    let found = found.with_part(triangle);
    Some(if placement.is_none() { found.without_inside() } else { found })
}
