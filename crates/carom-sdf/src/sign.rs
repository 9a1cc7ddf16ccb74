//! Decides which nodes are inside, by the strongest rule that the mesh allows.
//!
//! - If each edge occurs as often forwards as backwards, each node has a whole winding number,
//!   exactly. A node is inside if the number is not 0. So shells that face inwards, overlap or are
//!   doubled still enclose their inside.
//! - If each edge has two triangles, but some are flipped, parity decides, exactly. A node is
//!   inside if its row leaves the surface an odd number of times.
//! - Otherwise the winding number is a real number, from solid angles. A node is inside if its
//!   absolute value is above a half. If most of the surface does not separate two sides, the field
//!   is unsigned.
//!
//! Reference: A. Jacobson, L. Kavan, O. Sorkine-Hornung, Robust Inside-Outside Segmentation using
//! Generalized Winding Numbers, ACM TOG 32(4), 2013.
//! Differs: exact whole numbers for closed meshes; a test of whether a surface has sides.

use crate::crossings::Crossings;
use crate::error::SdfError;
use crate::grid::Grid;
use alloc::vec::Vec;
use carom_bvh::{Bvh, WindingTree};
use carom_geom::winding::solid_angle;
use carom_geom::{MeshReport, TriMesh};
use carom_math::ops::floor;
use carom_math::tol;
use glam::{DVec3, UVec3};

/// The rule that decided which nodes are inside.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SignMethod {
    /// The mesh is closed and its triangles agree: exact winding numbers. A node is inside if the
    /// surface winds around it, in either direction.
    WindingExact,
    /// The mesh is closed and some triangles are flipped: exact parity of crossings.
    Parity,
    /// The mesh is open: winding numbers by solid angles. A node is inside if the absolute value
    /// is above a half. So a hole is closed by a sheet that is not in the mesh.
    Winding {
        /// The part of the area on which the two sides are not clear, at most a half.
        doubtful: f32,
    },
    /// The mesh is open and does not separate inside from outside: all distances are positive.
    Unsigned,
    /// The field was made from a function that knows the sign.
    Given,
}

impl SignMethod {
    /// Whether the sign is certain at each node off the surface, and changes only at the surface.
    pub fn is_certain(self) -> bool {
        matches!(self, SignMethod::WindingExact | SignMethod::Parity | SignMethod::Given)
    }

    /// Whether the field has an inside.
    pub fn is_signed(self) -> bool {
        self != SignMethod::Unsigned
    }
}

/// The data that decide the side of a node.
pub(crate) enum Sides {
    Rows { crossings: Crossings, is_parity: bool },
    Winding { tree: WindingTree, doubtful: f32 },
    Unsigned,
}

impl Sides {
    /// Returns the rule for a mesh whose triangles are in the tree. Rows of the grid are tested
    /// from `low` to `high` in y and z.
    pub(crate) fn new(
        mesh: &TriMesh,
        tree: &Bvh,
        grid: &Grid,
        low: UVec3,
        high: UVec3,
    ) -> Result<Sides, SdfError> {
        let is_solid = mesh.is_solid();
        if is_solid || is_closed(mesh) {
            let crossings = Crossings::new(grid, mesh.iter_corners(), low, high)?;
            return Ok(Sides::Rows { crossings, is_parity: !is_solid });
        }
        let winding = WindingTree::new(tree, |t| mesh.corners(t));
        let doubtful = doubtful_part(mesh, tree, &winding);
        Ok(if doubtful <= 0.5 {
            Sides::Winding { tree: winding, doubtful: doubtful as f32 }
        } else {
            Sides::Unsigned
        })
    }

    pub(crate) fn method(&self) -> SignMethod {
        match self {
            Sides::Rows { is_parity: false, .. } => SignMethod::WindingExact,
            Sides::Rows { is_parity: true, .. } => SignMethod::Parity,
            Sides::Winding { doubtful, .. } => SignMethod::Winding { doubtful: *doubtful },
            Sides::Unsigned => SignMethod::Unsigned,
        }
    }

    /// Whether nodes of a row are inside, from `first` on.
    pub(crate) fn are_inside(&self, mesh: &TriMesh, tree: &Bvh, grid: &Grid, first: UVec3, out: &mut [bool]) {
        match self {
            Sides::Rows { crossings, is_parity } => {
                let mut windings = [0; MAX_ROW];
                let windings = &mut windings[..out.len().min(MAX_ROW)];
                crossings.winding_numbers(first, windings);
                for (inside, winding) in out.iter_mut().zip(windings) {
                    *inside = if *is_parity { *winding % 2 != 0 } else { *winding != 0 };
                }
            }
            Sides::Winding { tree: winding, .. } => {
                for (inside, x) in out.iter_mut().zip(first.x..) {
                    *inside = is_inside_open(mesh, tree, winding, grid.node(first.with_x(x)));
                }
            }
            Sides::Unsigned => out.fill(false),
        }
    }
}

/// The most nodes of a row that are decided at a time.
pub(crate) const MAX_ROW: usize = 9;

/// Returns whether each edge has two triangles, in either direction.
fn is_closed(mesh: &TriMesh) -> bool {
    let report = MeshReport::new(mesh);
    report.n_boundary_edges == 0 && report.n_non_manifold_edges == 0
}

fn is_inside_open(mesh: &TriMesh, tree: &Bvh, winding: &WindingTree, point: DVec3) -> bool {
    let angle = |t: u32, p: DVec3| solid_angle(p, &mesh.corners(t));
    let found = winding.refined(tree, &angle, point, |found| found.error < (found.value.abs() - 0.5).abs());
    0.5 < found.value.abs()
}

/// Returns the fraction of a mesh's area with unclear sides. The winding numbers on the two sides
/// of a triangle differ by 1. They are near whole numbers, such as 0 and 1, if the sides are
/// clear. On an open sheet they are near a half and minus a half.
fn doubtful_part(mesh: &TriMesh, tree: &Bvh, winding: &WindingTree) -> f64 {
    let angle = |t: u32, p: DVec3| solid_angle(p, &mesh.corners(t));
    let (mut all, mut doubtful) = (Vec::new(), Vec::new());
    for [a, b, c] in mesh.iter_corners() {
        let area = (b - a).cross(c - a).length();
        let middle = (a + b + c) / 3.0;
        // The number on the one side of the triangle or the other, which differ by 1.
        let value = winding.winding_number(tree, &angle, middle, tol::WINDING).value;
        all.push(area);
        if (value - floor(value) - 0.5).abs() < 0.25 {
            doubtful.push(area);
        }
    }
    // Sorted, so that the sum does not depend on the order of the triangles.
    let sum = |mut areas: Vec<f64>| {
        areas.sort_unstable_by(f64::total_cmp);
        areas.iter().sum::<f64>()
    };
    let (all, doubtful) = (sum(all), sum(doubtful));
    if 0.0 < all { doubtful / all } else { 1.0 }
}
