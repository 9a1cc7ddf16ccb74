//! Shapes and poses in single precision, for worlds and for fields.

use crate::error;
use crate::shape::PyShape;
use carom_geom::f64 as wide;
use carom_geom::{ConvexHull, HeightField, TaperedCapsule, TriMesh};
use carom_math::Pose;
use carom_math::f64::Pose as WidePose;
use carom_query::f64::Shape as WideShape;
use carom_query::{Compound, CompoundPart, ConvexShape, HeightFieldShape, MeshShape, RoundedShape, Shape};
use core::fmt::Display;
use glam::Vec3;
use pyo3::prelude::*;
use std::sync::Arc;

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
    TriMesh::new(vertices, mesh.indices().to_vec()).map_err(refused)
}

/// Returns a shape with rounded sizes.
pub(crate) fn shape(shape: &PyShape) -> PyResult<Shape> {
    rounded(&shape.shape)
}

fn refused(why: impl Display) -> PyErr {
    error::shape("in single precision", why)
}

fn rounded(shape: &WideShape) -> PyResult<Shape> {
    match shape {
        WideShape::Sphere(s) => Shape::sphere(s.radius() as f32).map_err(refused),
        WideShape::Capsule(s) => Shape::capsule(s.half_height() as f32, s.radius() as f32).map_err(refused),
        WideShape::TaperedCapsule(s) => {
            let [up, down] = [s.upper_radius() as f32, s.lower_radius() as f32];
            let shape = TaperedCapsule::new(s.half_height() as f32, up, down).map_err(refused)?;
            Ok(Shape::TaperedCapsule(shape))
        }
        WideShape::Cuboid(s) => Shape::cuboid(s.half_extents().as_vec3()).map_err(refused),
        WideShape::Cylinder(s) => Shape::cylinder(s.half_height() as f32, s.radius() as f32).map_err(refused),
        WideShape::Cone(s) => Shape::cone(s.half_height() as f32, s.radius() as f32).map_err(refused),
        WideShape::Ellipsoid(s) => Shape::ellipsoid(s.radii().as_vec3()).map_err(refused),
        WideShape::Torus(s) => {
            Shape::torus(s.major_radius() as f32, s.minor_radius() as f32).map_err(refused)
        }
        WideShape::HalfSpace(s) => Shape::half_space(s.normal().as_vec3()).map_err(refused),
        WideShape::Hull(s) => {
            let points: Vec<Vec3> = s.vertices().iter().map(|v| v.as_vec3()).collect();
            Ok(Shape::Hull(Arc::new(ConvexHull::from_points(&points).map_err(refused)?)))
        }
        WideShape::Rounded(s) => {
            let core = ConvexShape::new(rounded(s.core().shape())?).map_err(refused)?;
            Ok(Shape::Rounded(Arc::new(RoundedShape::new(core, s.radius() as f32).map_err(refused)?)))
        }
        WideShape::Mesh(s) => Ok(Shape::Mesh(Arc::new(MeshShape::new(mesh(s.mesh())?).map_err(refused)?))),
        WideShape::HeightField(s) => {
            let field = s.field();
            let heights = field.heights().iter().map(|h| *h as f32).collect();
            let spacing = field.spacing().map(|x| x as f32);
            let field = HeightField::new(field.n_samples(), spacing, heights).map_err(refused)?;
            Ok(Shape::HeightField(Arc::new(HeightFieldShape::new(field).map_err(refused)?)))
        }
        WideShape::Compound(s) => {
            let part = |part: &carom_query::f64::CompoundPart| {
                Ok::<_, PyErr>(CompoundPart { shape: rounded(&part.shape)?, pose: pose(&part.pose)? })
            };
            let parts: PyResult<Vec<CompoundPart>> = s.parts().iter().map(part).collect();
            Ok(Shape::Compound(Arc::new(Compound::new(parts?).map_err(refused)?)))
        }
        WideShape::User(s) => Ok(Shape::User(Arc::clone(s))),
        WideShape::Field(s) => Ok(Shape::Field(Arc::clone(s))),
    }
}
