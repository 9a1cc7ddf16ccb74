//! Points against any shape: the nearest point of its surface, and whether the point is inside.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1.

use super::super::num::geom::PointProjection;
use super::super::num::{Pose, Vec3, narrow, narrow_real, widen, widen_real};
use super::convex;
use super::field;
use super::inside;
use super::mesh_shape::MeshShape;
use super::rounded::RoundedShape;
use super::shape::Shape;
use crate::cost::{Count, Counting, QueryCost};
use crate::ray_convex::Point;
use carom_geom::ray_mesh::Placement;
use carom_geom::{FeatureId, SupportMap, tri_distance};
use carom_math::WidePose;
use carom_math::scaling::{length, unit};
use core::ops::ControlFlow;
use glam::DVec3;

/// The point of the shape's surface nearest to `point`, and its signed distance, negative inside;
/// world frame.
///
/// A closed mesh encloses its inside, whatever its triangles face, see
/// [`solid_placement`](super::solid_placement). For any other mesh the answer says that the inside
/// is not known, and the distance is positive; a height field encloses nothing. A compound encloses
/// what a part encloses; inside, the distance is that to the surface of the part the point is
/// deepest in. `None` for a mesh without triangles, for a field without a surface, and for a point
/// that is not finite held against one of them.
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
    // As pairs of shapes take it: normalised in `f64`.
    let pose = pose.wide();
    let mut found = local(shape, narrow(pose.inverse_transform_point(widen(point))), count)?;
    found.point = narrow(pose.transform_point(widen(found.point)));
    Some(found)
}

fn local(shape: &Shape, point: Vec3, count: impl Count) -> Option<PointProjection> {
    if !matches!(shape, Shape::Compound(_) | Shape::Mesh(_) | Shape::HeightField(_) | Shape::Field(_)) {
        count.add_pair();
    }
    Some(match shape {
        Shape::Sphere(s) => s.project_point(point),
        Shape::Capsule(s) => s.project_point(point),
        Shape::TaperedCapsule(s) => s.project_point(point),
        Shape::Cuboid(s) => s.project_point(point),
        Shape::Cylinder(s) => s.project_point(point),
        Shape::Cone(s) => s.project_point(point),
        Shape::Ellipsoid(s) => s.project_point(point),
        Shape::Hull(s) => s.project_point(point),
        Shape::Rounded(s) => on_rounded(s, point, count),
        Shape::HalfSpace(s) => s.project_point(point),
        Shape::Mesh(s) => return on_mesh(s, point, true, count),
        Shape::HeightField(s) => return on_mesh(s.mesh(), point, false, count),
        Shape::Compound(s) => {
            let mut best: Option<PointProjection> = None;
            for (index, part) in s.parts().iter().enumerate() {
                let Some(mut found) = project(&part.shape, &part.pose, point, count) else { continue };
                found.part = found.part.saturating_add(s.first_number(index));
                if best.is_none_or(|b| found.distance < b.distance) {
                    best = Some(found);
                }
            }
            return best;
        }
        Shape::User(s) => on_support_map(&**s, point, count),
        Shape::Field(s) => return field::project_point(&**s, point, count),
    })
}

/// The nearest point of the surface of a core, moved outwards by the radius: the depth in a convex
/// core is that of its nearest supporting plane, which moves by as much.
fn on_rounded(shape: &RoundedShape, point: Vec3, count: impl Count) -> PointProjection {
    let map = || on_support_map(shape, point, count);
    let Some(on_core) = local(shape.core().shape(), point, count) else { return map() };
    let (p, on, radius) = (widen(point), widen(on_core.point), widen_real(shape.radius()));
    let distance = widen_real(on_core.distance);
    // So near to the core that rounding would choose the way; the iterative answer has one to start
    // with.
    if !(NEAR_CORE * (length(on) + radius) < distance.abs()) {
        return map();
    }
    let Some(out) = unit(if distance < 0.0 { on - p } else { p - on }) else { return map() };
    PointProjection::new(narrow(on + out * radius), narrow_real(distance - radius), on_core.feature)
}

/// Pure number, times the size of a core: 2^-20, some roundings of `f32` and the root of those of
/// `f64`.
const NEAR_CORE: f64 = f64::from_bits((1023 - 20) << 52);

/// The nearest point of a surface given by its support map.
fn on_support_map(shape: &dyn SupportMap, point: Vec3, count: impl Count) -> PointProjection {
    let place = WidePose { translation: widen(point), ..WidePose::IDENTITY };
    let closest = convex::signed(shape, &Point, &place, f64::INFINITY, None, count);
    PointProjection::new(narrow(closest.point_a), narrow_real(closest.distance), FeatureId::UNKNOWN)
}

/// The distance of a point of the mesh's frame from the surface; infinite without one.
pub(super) fn surface_distance(mesh: &MeshShape, point: DVec3) -> f64 {
    nearest(mesh, point, ()).map_or(f64::INFINITY, |(distance, ..)| distance)
}

/// The nearest triangle, the lowest number of several: its distance, its number, and the nearest
/// point.
pub(super) fn nearest(mesh: &MeshShape, wide: DVec3, count: impl Count) -> Option<(f64, u32, DVec3)> {
    let scale = mesh.scale();
    let mut best: Option<(f64, u32, DVec3)> = None;
    let walk = mesh.tree().visit_near(mesh.point_in_tree(wide), f64::INFINITY, |leaf, _| {
        for &triangle in leaf.primitives {
            count.add_pair();
            let near = tri_distance::point_triangle(wide, &mesh.mesh().corners(triangle));
            let is_better = best.is_none_or(|(least, number, _)| {
                near.distance < least || (near.distance == least && triangle < number)
            });
            if is_better {
                best = Some((near.distance, triangle, near.point_b));
            }
        }
        ControlFlow::Continue(best.map_or(f64::INFINITY, |(least, ..)| least * scale))
    });
    count.add_walk(&walk.counters);
    best
}

/// The nearest triangle, the lowest number of several, and the exact side for the sign, if the
/// surface may enclose anything.
fn on_mesh(mesh: &MeshShape, point: Vec3, may_enclose: bool, count: impl Count) -> Option<PointProjection> {
    let wide = widen(point);
    let best = nearest(mesh, wide, count);
    let (_, triangle, nearest) = best?;
    // In f64 from the points, so that the distance belongs to them.
    let distance = length(nearest - wide);
    let place =
        if may_enclose { inside::solid_placement_of(mesh, wide, count) } else { Some(Placement::Outside) };
    let signed = if place == Some(Placement::Inside) { -distance } else { distance };
    let found = PointProjection::new(narrow(nearest), narrow_real(signed), FeatureId::UNKNOWN);
    let found = found.with_part(triangle);
    Some(if place.is_none() { found.without_inside() } else { found })
}
