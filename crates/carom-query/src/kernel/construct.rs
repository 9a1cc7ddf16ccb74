//! Short forms: a shape in one call, from the numbers that define it.
//!
//! Each checks its input as the constructor of its type does, and returns the same error.
//!
//! Reference: rapier 0.36, `SharedShape` (constructors by shape).

use super::super::num::geom::{
    Capsule, Cone, ConvexHull, Cuboid, Cylinder, Ellipsoid, HalfSpace, HullError, MeshError, Sphere, Torus,
    TriMesh,
};
use super::super::num::{Pose, Real, Vec3};
use super::compound::{Compound, CompoundError, CompoundPart};
use super::mesh_shape::MeshShape;
use super::shape::Shape;
use alloc::sync::Arc;
use alloc::vec::Vec;
use carom_geom::ShapeError;

impl Shape {
    /// Returns a ball around the origin.
    pub fn sphere(radius: Real) -> Result<Shape, ShapeError> {
        Ok(Shape::Sphere(Sphere::new(radius)?))
    }

    /// Returns all points within `radius` of a segment of twice `half_height` along y.
    pub fn capsule(half_height: Real, radius: Real) -> Result<Shape, ShapeError> {
        Ok(Shape::Capsule(Capsule::new(half_height, radius)?))
    }

    /// Returns a box around the origin, from half its size along each axis.
    pub fn cuboid(half_extents: Vec3) -> Result<Shape, ShapeError> {
        Ok(Shape::Cuboid(Cuboid::new(half_extents)?))
    }

    /// Returns a cylinder along y around the origin.
    pub fn cylinder(half_height: Real, radius: Real) -> Result<Shape, ShapeError> {
        Ok(Shape::Cylinder(Cylinder::new(half_height, radius)?))
    }

    /// Returns a cone along y around the origin, its apex at +y.
    pub fn cone(half_height: Real, radius: Real) -> Result<Shape, ShapeError> {
        Ok(Shape::Cone(Cone::new(half_height, radius)?))
    }

    /// Returns an ellipsoid around the origin, from its radii along the axes.
    pub fn ellipsoid(radii: Vec3) -> Result<Shape, ShapeError> {
        Ok(Shape::Ellipsoid(Ellipsoid::new(radii)?))
    }

    /// Returns all points within `minor_radius` of a circle around the y axis. The circle's radius
    /// is `major_radius`, the larger of the two.
    pub fn torus(major_radius: Real, minor_radius: Real) -> Result<Shape, ShapeError> {
        Ok(Shape::Torus(Torus::new(major_radius, minor_radius)?))
    }

    /// Returns all points below the plane through the origin with this normal, of any length but 0.
    pub fn half_space(normal: Vec3) -> Result<Shape, ShapeError> {
        Ok(Shape::HalfSpace(HalfSpace::new(normal)?))
    }

    /// Returns the convex hull of points.
    pub fn hull(points: &[Vec3]) -> Result<Shape, HullError> {
        Ok(Shape::Hull(Arc::new(ConvexHull::from_points(points)?)))
    }

    /// Returns a mesh of triangles, three vertex indices each.
    pub fn mesh(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Shape, MeshError> {
        // The trees fail only for more triangles than they can number.
        let mesh = MeshShape::new(TriMesh::new(vertices, triangles)?).map_err(|_| MeshError::TooLarge)?;
        Ok(Shape::Mesh(Arc::new(mesh)))
    }

    /// Returns a compound of shapes, each with its pose in the frame of the compound.
    pub fn compound(parts: Vec<(Shape, Pose)>) -> Result<Shape, CompoundError> {
        let parts = parts.into_iter().map(|(shape, pose)| CompoundPart { shape, pose });
        Ok(Shape::Compound(Arc::new(Compound::new(parts.collect())?)))
    }
}
