//! Points against meshes: inside, outside or on the surface, and winding numbers.
//!
//! | mesh | answer |
//! |---|---|
//! | closed, two triangles at each edge | [`solid_placement`], for any orientation |
//! | each edge used equally often in both directions | integer winding number, exact |
//! | any other | winding number from solid angles, by a `WindingTree` |
//!
//! In the first case triangles that face inwards are detected and treated as flipped. In the
//! second the winding number counts triangles along a half-line from the point: exits minus
//! entries. In the third the winding number is near 1 inside a surface with small holes. Through a
//! hole it falls smoothly to 0.
//!
//! Reference: A. Jacobson, L. Kavan, O. Sorkine-Hornung, Robust Inside-Outside Segmentation using
//! Generalized Winding Numbers, ACM TOG 32(4), 2013.

use crate::cost::Count;
use crate::mesh_shape::{MeshShape, Sides};
use carom_bvh::{WindingNumber, WindingTree};
use carom_geom::WideMesh;
use carom_geom::ray_mesh::{HalfLine, Placement, half_line};
use carom_geom::segment_triangle::point_in_triangle;
use carom_geom::winding::solid_angle;
use core::ops::ControlFlow;
use glam::DVec3;

/// Implements the public function `solid_placement`, for a point in the mesh's frame.
pub(crate) fn solid_placement_of(
    mesh: &MeshShape<impl WideMesh>,
    point: DVec3,
    count: impl Count,
) -> Option<Placement> {
    let Sides::Known(is_turned) = mesh.sides() else { return None };
    match crossings(mesh, point, is_turned, count) {
        None => Some(Placement::Surface),
        Some(0) => Some(Placement::Outside),
        Some(1..) => Some(Placement::Inside),
        Some(_) => None,
    }
}

/// Implements the public function of this name, for a point in the mesh's frame.
pub(crate) fn placement(mesh: &MeshShape<impl WideMesh>, local: DVec3) -> Placement {
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

/// Implements the public function of this name, for a point in the mesh's frame.
pub(crate) fn winding_number(mesh: &MeshShape<impl WideMesh>, local: DVec3, tolerance: f64) -> WindingNumber {
    match mesh.open() {
        Some(open) => {
            open.winding_number(mesh.tree(), &solid_angle_in(mesh), local * mesh.scale(), tolerance)
        }
        None => WindingNumber::exact(f64::from(crossings(mesh, local, &[], ()).unwrap_or(0))),
    }
}

fn is_inside_open(mesh: &MeshShape<impl WideMesh>, open: &WindingTree, point: DVec3) -> bool {
    open.is_inside(mesh.tree(), &solid_angle_in(mesh), point * mesh.scale())
}

/// Returns the solid angle of a triangle from a point in tree coordinates.
fn solid_angle_in(mesh: &MeshShape<impl WideMesh>) -> impl Fn(u32, DVec3) -> f64 + '_ {
    move |triangle, point| solid_angle(point, &mesh.mesh().corners(triangle).map(|p| p * mesh.scale()))
}

/// Returns the winding number of a mesh that bounds a solid: exits minus entries of the half-line
/// along x. `None` on the surface. Triangles whose flag is set, if there are flags, count as
/// flipped.
fn crossings(
    mesh: &MeshShape<impl WideMesh>,
    point: DVec3,
    is_turned: &[bool],
    count: impl Count,
) -> Option<i32> {
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

/// Whether the point lies in a triangle.
fn is_on_surface(mesh: &MeshShape<impl WideMesh>, point: DVec3) -> bool {
    let visit = mesh.tree().visit_near(point * mesh.scale(), 0.0, |leaf, limit| {
        if leaf.primitives.iter().any(|&t| point_in_triangle(point, &mesh.mesh().corners(t))) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(limit)
    });
    visit.stopped
}
