//! Hulls that keep the faces of another: read from a file, or with moved vertices.
//!
//! A hull of the vertices of another may have other faces. Merging depends on the settings, and on
//! the points that were removed before. So the faces are given, and checked against the exact hull
//! of the vertices.

use super::super::num::Vec3;
use super::hull::scaled;
use super::{ConvexHull, HullError, HullSettings};
use crate::hull_faces::with_faces;
use alloc::vec::Vec;

/// In merge tolerances: how far below its plane a corner of a given face may be.
const FLATNESS: f64 = 16.0;

/// The rounding of a height above a plane, as a fraction of the extent.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

impl ConvexHull {
    /// Creates the hull of these vertices with these faces: rings of their numbers,
    /// counter-clockwise seen from outside.
    fn from_faces(
        vertices: &[Vec3],
        faces: &[Vec<u32>],
        settings: HullSettings,
    ) -> Result<ConvexHull, HullError> {
        let (corners, extent) = scaled(vertices)?;
        // A little more than `from_points_with` allows, because removed points had an extent too.
        let room = FLATNESS * settings.tolerance(extent) + ROUNDING * extent;
        let polytope = with_faces(&corners, faces, room).ok_or(HullError::Faces)?;
        Ok(ConvexHull::assemble(vertices, polytope, settings))
    }

    fn faces(&self) -> Vec<Vec<u32>> {
        (0..self.n_faces() as u32).map(|face| self.face_vertices(face).to_vec()).collect()
    }

    /// Returns the hull with each vertex moved by a map. Vertices and faces keep their numbers if
    /// they are still those of a hull, as after a scale; mirroring changes the order of faces. If
    /// not, a hull of the moved points is built with the settings of this one.
    ///
    /// # Errors
    /// As [`ConvexHull::from_points_with`].
    pub fn mapped(&self, map: impl Fn(Vec3) -> Vec3) -> Result<ConvexHull, HullError> {
        let vertices: Vec<Vec3> = self.vertices().iter().map(|&v| map(v)).collect();
        let settings = self.settings();
        let mut faces = self.faces();
        if let Ok(hull) = ConvexHull::from_faces(&vertices, &faces, settings) {
            return Ok(hull);
        }
        // Mirrored?
        faces.iter_mut().for_each(|ring| ring.reverse());
        ConvexHull::from_faces(&vertices, &faces, settings)
            .or_else(|_| ConvexHull::from_points_with(&vertices, &settings))
    }
}

/// The data that serde reads and writes. Without faces a hull of the vertices is built.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct Unchecked {
    vertices: Vec<Vec3>,
    #[serde(default)]
    faces: Vec<Vec<u32>>,
    #[serde(default = "default_tolerance")]
    coplanar_tolerance: f64,
}

#[cfg(feature = "serde")]
fn default_tolerance() -> f64 {
    HullSettings::default().coplanar_tolerance
}

#[cfg(feature = "serde")]
impl TryFrom<Unchecked> for ConvexHull {
    type Error = HullError;

    fn try_from(read: Unchecked) -> Result<ConvexHull, HullError> {
        let settings = HullSettings::default().with_coplanar_tolerance(read.coplanar_tolerance);
        if read.faces.is_empty() {
            return ConvexHull::from_points_with(&read.vertices, &settings);
        }
        ConvexHull::from_faces(&read.vertices, &read.faces, settings)
    }
}

#[cfg(feature = "serde")]
impl From<ConvexHull> for Unchecked {
    fn from(hull: ConvexHull) -> Unchecked {
        let tolerance = hull.settings().coplanar_tolerance;
        Unchecked {
            faces: hull.faces(),
            // Formats without infinity and NaN read them back as nothing.
            coplanar_tolerance: if tolerance.is_nan() { 0.0 } else { tolerance.clamp(0.0, f64::MAX) },
            vertices: hull.vertices().to_vec(),
        }
    }
}
