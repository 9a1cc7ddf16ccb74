//! Poses and meshes in single precision, for worlds and for fields.

use crate::error;
use carom_geom::TriMesh;
use carom_geom::f64 as wide;
use carom_math::Pose;
use carom_math::f64::Pose as WidePose;
use pyo3::prelude::*;

/// Returns a pose, rounded.
pub(crate) fn pose(pose: &WidePose) -> PyResult<Pose> {
    let (rotation, translation) = (pose.rotation.as_quat(), pose.translation.as_vec3());
    Pose::try_new(rotation, translation)
        .map_err(|e| error::value("pose", format!("in single precision: {e}")))
}

/// Returns a pose, widened without rounding.
pub(crate) fn wide_pose(pose: &Pose) -> WidePose {
    WidePose::new(pose.rotation.as_dquat(), pose.translation.as_dvec3())
}

/// Returns a mesh with rounded vertices.
pub(crate) fn mesh(mesh: &wide::TriMesh) -> PyResult<TriMesh> {
    let vertices = mesh.vertices().iter().map(|v| v.as_vec3()).collect();
    TriMesh::new(vertices, mesh.indices().to_vec()).map_err(|e| error::shape("in single precision", e))
}
