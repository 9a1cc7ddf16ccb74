//! A height field ready for queries: the grid for rays, and a tree over its triangles for all
//! other queries.
//!
//! The triangles of the grid are also stored as a mesh, and all pair queries use that mesh. This
//! costs about 200 bytes per triangle, but one algorithm serves both.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 6.1 (a tree per body, built in its
//! own frame).

use super::super::num::Interval;
use super::super::num::geom::{HeightField, MeshError, RayHit, TriMesh};
use super::line::Line;
use super::mesh_shape::MeshShape;
use alloc::vec::Vec;
use carom_bvh::BvhError;

/// The open surface of a height field: it has no inside. Its parts are its triangles in order,
/// without those of holes.
#[derive(Clone, Debug)]
pub struct HeightFieldShape {
    field: HeightField,
    mesh: MeshShape,
    /// For each part the number of the triangle in the field. Empty if there are no holes, and both
    /// are equal.
    triangles: Vec<u32>,
}

/// Why a height field was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeightFieldShapeError {
    /// Every cell is a hole.
    Empty,
    /// There are 2^28 triangles or more, too many for a tree.
    TooMany,
}

impl core::fmt::Display for HeightFieldShapeError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            HeightFieldShapeError::Empty => write!(f, "every cell of the height field is a hole"),
            HeightFieldShapeError::TooMany => {
                write!(f, "the height field has more triangles than a tree holds")
            }
        }
    }
}

impl core::error::Error for HeightFieldShapeError {}

impl From<MeshError> for HeightFieldShapeError {
    fn from(error: MeshError) -> HeightFieldShapeError {
        match error {
            MeshError::Empty => HeightFieldShapeError::Empty,
            // The field has checked all numbers.
            _ => HeightFieldShapeError::TooMany,
        }
    }
}

impl From<BvhError> for HeightFieldShapeError {
    fn from(_: BvhError) -> HeightFieldShapeError {
        HeightFieldShapeError::TooMany
    }
}

impl HeightFieldShape {
    /// Builds the trees in about a microsecond per triangle. Fails if every cell is a hole, and
    /// for too many triangles.
    pub fn new(field: HeightField) -> Result<HeightFieldShape, HeightFieldShapeError> {
        let (vertices, indices) = field.to_indexed();
        let mesh = MeshShape::new(TriMesh::new(vertices, indices)?)?;
        let triangles = if field.holes().is_empty() { Vec::new() } else { field.triangles().collect() };
        Ok(HeightFieldShape { field, mesh, triangles })
    }

    /// Returns the grid.
    pub fn field(&self) -> &HeightField {
        &self.field
    }

    /// Returns the triangles as a mesh, numbered like the parts.
    pub fn mesh(&self) -> &MeshShape {
        &self.mesh
    }

    /// Converts a part number to the number of its triangle in the grid. Half of that, rounded
    /// down, is the number of the cell.
    pub fn locate(&self, part: u32) -> u32 {
        self.triangles.get(part as usize).copied().unwrap_or(part)
    }

    /// [`HeightField::line_cast`] with the triangle numbered as a part.
    pub(super) fn cast_ray(&self, line: &Line, interval: Interval) -> Option<RayHit> {
        self.field.line_cast(line.origin, line.direction, interval).map(|hit| self.renumbered(hit))
    }

    /// [`HeightField::line_cast_all`] with the triangles numbered as parts.
    pub(super) fn cast_ray_all(&self, line: &Line, interval: Interval, out: &mut Vec<RayHit>) {
        let start = out.len();
        self.field.line_cast_all(line.origin, line.direction, interval, out);
        for hit in &mut out[start..] {
            *hit = self.renumbered(*hit);
        }
    }

    fn renumbered(&self, hit: RayHit) -> RayHit {
        match self.triangles.binary_search(&hit.part) {
            Ok(part) => hit.with_part(part as u32),
            // Without holes the two numbers are equal.
            Err(_) => hit,
        }
    }
}
