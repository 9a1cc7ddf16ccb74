//! Points against meshes: inside, outside or on the surface, and how often the surface winds around
//! them.
//!
//! A closed mesh with two triangles at each edge has an inside whatever its triangles face: those
//! that face inwards are found, and count as turned over. [`solid_placement`] answers for such a
//! mesh, and for no other. A mesh that bounds a solid as its triangles face, every edge run along
//! as often forwards as backwards, has a whole winding number everywhere off its surface: that is
//! the number of triangles that a half-line leaves through, less those that it enters through,
//! counted exactly through the tree. For any other mesh the winding number is that of the solid
//! angles, by a `WindingTree`. It is near 1 if the surface would be closed but for small holes, and
//! falls smoothly to 0 through the holes.
//!
//! Reference: A. Jacobson, L. Kavan, O. Sorkine-Hornung, Robust Inside-Outside Segmentation using
//! Generalized Winding Numbers, ACM TOG 32(4), 2013.

use super::super::num::{Pose, Vec3, widen};
use super::mesh_shape::{MeshShape, Sides};
use crate::cost::{Count, Counting, QueryCost};
use carom_bvh::{WindingNumber, WindingTree};
use carom_geom::ray_mesh::{HalfLine, Placement, half_line};
use carom_geom::segment_triangle::point_in_triangle;
use carom_geom::winding::solid_angle;
use core::ops::ControlFlow;
use glam::DVec3;

/// Inside, outside or on the surface of the solid that a mesh bounds; `None` if the mesh does not
/// tell inside from outside, see [`MeshShape::ambiguity`], or if it crosses itself so that the
/// point is inside of what faces the other way.
///
/// The point is taken into the mesh's frame in `f64`; from there on the answer is exact.
pub fn solid_placement(mesh: &MeshShape, pose: &Pose, point: Vec3) -> Option<Placement> {
    solid_placement_of(mesh, pose.wide().inverse_transform_point(widen(point)), ())
}

/// [`solid_placement`], with its cost added to `cost`.
pub fn solid_placement_counted(
    mesh: &MeshShape,
    pose: &Pose,
    point: Vec3,
    cost: &mut QueryCost,
) -> Option<Placement> {
    solid_placement_of(mesh, pose.wide().inverse_transform_point(widen(point)), Counting::new(cost))
}

/// [`solid_placement`] of a point of the mesh's frame.
pub(super) fn solid_placement_of(mesh: &MeshShape, point: DVec3, count: impl Count) -> Option<Placement> {
    let Sides::Known(is_turned) = mesh.sides() else { return None };
    match crossings(mesh, point, is_turned, count) {
        None => Some(Placement::Surface),
        Some(0) => Some(Placement::Outside),
        Some(1..) => Some(Placement::Inside),
        Some(_) => None,
    }
}

/// Inside, outside or on the surface of a mesh as its triangles face, open or closed: inside is
/// where the surface winds around the point more than half a time.
///
/// The point is taken into the mesh's frame in `f64`; from there on the answer is exact for a mesh
/// that bounds a solid, and exact in whether the point is on the surface for any mesh.
pub fn placement(mesh: &MeshShape, pose: &Pose, point: Vec3) -> Placement {
    let local = pose.wide().inverse_transform_point(widen(point));
    match mesh.open() {
        None => match crossings(mesh, local, &[], ()) {
            None => Placement::Surface,
            Some(1..) => Placement::Inside,
            Some(_) => Placement::Outside,
        },
        Some(_) if is_on_surface(mesh, local) => Placement::Surface,
        Some(open) => {
            if is_inside_open(mesh, open, local) {
                Placement::Inside
            } else {
                Placement::Outside
            }
        }
    }
}

/// How often the surface winds around a point, to within the tolerance, a number such as
/// [`WINDING`](carom_math::tol::WINDING); 0 asks for the sum over all triangles.
///
/// For a mesh that bounds a solid a whole number, exact; on the surface that of one side. For any
/// other mesh the sum of the solid angles over 4 pi: what the triangles hide of the surroundings of
/// the point, counted negative where they show their front.
pub fn winding_number(mesh: &MeshShape, pose: &Pose, point: Vec3, tolerance: f64) -> WindingNumber {
    let local = pose.wide().inverse_transform_point(widen(point));
    match mesh.open() {
        Some(open) => {
            open.winding_number(mesh.tree(), &solid_angle_in(mesh), local * mesh.scale(), tolerance)
        }
        None => WindingNumber::exact(f64::from(crossings(mesh, local, &[], ()).unwrap_or(0))),
    }
}

fn is_inside_open(mesh: &MeshShape, open: &WindingTree, point: DVec3) -> bool {
    open.is_inside(mesh.tree(), &solid_angle_in(mesh), point * mesh.scale())
}

/// The solid angle of a triangle from a point of the tree.
fn solid_angle_in(mesh: &MeshShape) -> impl Fn(u32, DVec3) -> f64 + '_ {
    move |triangle, point| solid_angle(point, &mesh.mesh().corners(triangle).map(|p| p * mesh.scale()))
}

/// The winding number of a mesh that bounds a solid: triangles left through, less those entered
/// through, by the half-line along x; `None` on the surface. Triangles whose flag is set, if there
/// are flags, count as turned over.
fn crossings(mesh: &MeshShape, point: DVec3, is_turned: &[bool], count: impl Count) -> Option<i32> {
    let mut winding = Some(0);
    let walk = mesh.tree().visit_ray(point * mesh.scale(), DVec3::X, 0.0, f64::INFINITY, |leaf, t_max| {
        for &triangle in leaf.primitives {
            count.add_pair();
            match half_line(point, &mesh.mesh().corners(triangle)) {
                HalfLine::Misses => {}
                HalfLine::Crosses { is_back_face } => {
                    let is_turned = is_turned.get(triangle as usize).is_some_and(|turned| *turned);
                    winding = winding.map(|n| if is_back_face != is_turned { n + 1 } else { n - 1 });
                }
                HalfLine::StartsIn => {
                    winding = None;
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(t_max)
    });
    count.add_walk(&walk.counters);
    winding
}

/// The point lies in a triangle.
fn is_on_surface(mesh: &MeshShape, point: DVec3) -> bool {
    let visit = mesh.tree().visit_near(point * mesh.scale(), 0.0, |leaf, limit| {
        if leaf.primitives.iter().any(|&t| point_in_triangle(point, &mesh.mesh().corners(t))) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(limit)
    });
    visit.stopped
}
