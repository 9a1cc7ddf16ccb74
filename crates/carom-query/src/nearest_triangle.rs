//! The triangle of a mesh that is nearest to a point.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1.

use crate::cost::Count;
use crate::mesh_shape::MeshShape;
use carom_geom::{WideMesh, tri_distance};
use core::ops::ControlFlow;
use glam::DVec3;

/// Returns the distance of a point of the mesh's frame from the surface; infinite if there is none.
pub(crate) fn surface_distance(mesh: &MeshShape<impl WideMesh>, point: DVec3) -> f64 {
    nearest(mesh, point, ()).map_or(f64::INFINITY, |(distance, ..)| distance)
}

/// Returns the nearest triangle: distance, number, and nearest point. The lowest number wins a tie.
pub(crate) fn nearest(
    mesh: &MeshShape<impl WideMesh>,
    wide: DVec3,
    count: impl Count,
) -> Option<(f64, u32, DVec3)> {
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
