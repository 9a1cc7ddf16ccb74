//! Planes that bevel the sharp edges of a cell.
//!
//! If the normals of two faces are more than a right angle apart, shifting both planes moves their
//! common edge out too far. For a ball it moves by more than 1.41 times the radius. A bevel
//! through the edge cuts the excess off. It cuts off most if its normal is halfway between those
//! of the faces. All of the cell is behind the bevel, so a body that meets the cell is still
//! stopped.
//!
//! Reference: S. Melax, Dynamic Plane Shifting BSP Traversal, Graphics Interface 2000;
//! Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5, figures 25.16 and 25.17.
//! Differs: bevels belong to solid cells, so they cost nothing until a body is about to touch.
//! Edges of cells inside the solid are bevelled too. Corners, and axes for boxes, are optional.

use crate::build::Bevels;
use crate::fragment::{Fragment, Side};
use crate::planes::{PlaneTable, SplitPlane};
use alloc::vec::Vec;
use carom_math::{scaling, tol};
use glam::DVec3;

/// Adds the bevels of the cell that a fragment fills.
pub(crate) fn bevels(cell: &Fragment, table: &PlaneTable, kind: Bevels, out: &mut Vec<SplitPlane>) {
    let bluntest = match kind {
        Bevels::None => return,
        Bevels::Edges => 0.0,
        Bevels::All => tol::BSP_BLUNT,
    };
    let first = out.len();
    let normals: Vec<DVec3> = cell.sides.iter().map(|side| table.outward(side.plane).normal).collect();
    for (i, side) in cell.sides.iter().enumerate() {
        for (j, other) in cell.sides.iter().enumerate().skip(i + 1) {
            if bluntest <= normals[i].dot(normals[j]) || !have_common_edge(&side.corners, &other.corners) {
                continue;
            }
            if let Some(normal) = scaling::unit(normals[i] + normals[j]) {
                add(cell, normal, &normals, first, out);
            }
        }
    }
    if kind == Bevels::All {
        for corner in cell.sides.iter().flat_map(|side| &side.corners) {
            let meet = |side: &Side| side.corners.iter().any(|other| are_near(corner, other));
            let sum = cell.sides.iter().zip(&normals).filter(|(side, _)| meet(side));
            if let Some(normal) = scaling::unit(sum.fold(DVec3::ZERO, |sum, (_, normal)| sum + *normal)) {
                add(cell, normal, &normals, first, out);
            }
        }
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            add(cell, axis, &normals, first, out);
            add(cell, -axis, &normals, first, out);
        }
    }
}

/// Adds a plane with this normal that touches the cell, unless a plane of the cell already has
/// that normal.
fn add(cell: &Fragment, normal: DVec3, normals: &[DVec3], first: usize, out: &mut Vec<SplitPlane>) {
    let is_same = |other: &DVec3| (*other - normal).length() <= tol::BSP_SAME_NORMAL;
    if normals.iter().any(is_same) || out[first..].iter().any(|plane| is_same(&plane.normal)) {
        return;
    }
    let corners = cell.sides.iter().flat_map(|side| &side.corners);
    let offset = corners.fold(f64::NEG_INFINITY, |most, corner| most.max(normal.dot(*corner)));
    out.push(SplitPlane { normal, offset });
}

/// Returns whether two polygons of one cell have a common edge: two common corners.
fn have_common_edge(a: &[DVec3], b: &[DVec3]) -> bool {
    a.iter().filter(|p| b.iter().any(|q| are_near(p, q))).count() >= 2
}

/// Returns whether two corners are the same point to within rounding.
fn are_near(p: &DVec3, q: &DVec3) -> bool {
    let size = p.abs().max(q.abs()).max_element();
    (*p - *q).length() <= 4.0 * tol::BSP_THIN * size
}
