//! Penetration depth of two solids, in the stored precision.

use super::super::num::geom::{ConvexHull, HullSettings, TriMesh};
use super::super::num::{Pose, Real, Vec3, above, below, narrow};
use super::mesh_shape::MeshShape;
use crate::solid_depth::bounds;
use crate::solid_point::ROUNDING;
use crate::solids::{SolidRelation, placed, relation};
use alloc::vec::Vec;

/// Bounds of the penetration depth of two solids. World frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SolidOverlap {
    /// Every separating translation is at least this long.
    pub at_least: Real,
    /// The length of `separation`, rounded up.
    pub at_most: Real,
    /// A translation of B after which the solids do not overlap.
    pub separation: Vec3,
    /// A point inside both. If the overlap is too thin to find one, a point on both surfaces.
    pub point: Vec3,
    /// Whether both solids are convex, with at most 65,536 pairs of an edge of A and one of B. The
    /// bounds then differ only by the rounding of corners and of extents.
    pub is_exact: bool,
}

/// Returns bounds of the penetration depth of two solids. `None` if they do not overlap, or if a
/// mesh does not define an inside.
///
/// The bounds hold for meshes without self-intersections, at identity poses. At other poses the
/// corners are transformed to the world first, each coordinate rounded. The bounds are then those
/// for the rounded corners.
pub fn solid_overlap(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> Option<SolidOverlap> {
    let (a, b) = (placed(a, &pose_a.wide())?, placed(b, &pose_b.wide())?);
    if relation(&a, &b) != SolidRelation::Overlapping {
        return None;
    }
    let (hull_a, hull_b) = (hull_of(a.mesh())?, hull_of(b.mesh())?);
    let found = bounds(&a, &b, [&hull_a, &hull_b]);
    Some(SolidOverlap {
        at_least: below(found.at_least),
        at_most: above(found.exit.length * (1.0 + ROUNDING)),
        separation: narrow(found.exit.by),
        point: narrow(found.point),
        is_exact: found.is_exact,
    })
}

/// Returns the hull of the vertices that triangles use. Every vertex is kept, even if it protrudes
/// very little.
fn hull_of(mesh: &TriMesh) -> Option<ConvexHull> {
    let settings = HullSettings::default().with_coplanar_tolerance(0.0);
    let mut is_used = alloc::vec![false; mesh.vertices().len()];
    mesh.indices().iter().flatten().for_each(|v| is_used[*v as usize] = true);
    let used = mesh.vertices().iter().zip(is_used).filter(|(_, is_used)| *is_used);
    let used: Vec<Vec3> = used.map(|(vertex, _)| *vertex).collect();
    ConvexHull::from_points_with(&used, &settings).ok()
}
