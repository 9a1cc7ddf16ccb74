//! Shapes as they are read, before their constructors have checked them.

use super::super::num::{Real, Vec3};
use crate::{ShapeError, SupportMap};
use alloc::vec::Vec;

#[derive(serde::Deserialize)]
pub(super) struct Sphere {
    radius: Real,
}

/// A capsule, cylinder or cone.
#[derive(serde::Deserialize)]
pub(super) struct Upright {
    half_height: Real,
    radius: Real,
}

#[derive(serde::Deserialize)]
pub(super) struct Torus {
    major_radius: Real,
    minor_radius: Real,
}

#[derive(serde::Deserialize)]
pub(super) struct TaperedCapsule {
    half_height: Real,
    upper_radius: Real,
    lower_radius: Real,
}

#[derive(serde::Deserialize)]
pub(super) struct Rounded<S> {
    core: S,
    radius: Real,
}

#[derive(serde::Deserialize)]
pub(super) struct HeightField {
    n_x: u32,
    n_z: u32,
    spacing_x: Real,
    spacing_z: Real,
    heights: Vec<Real>,
    holes: Vec<u32>,
}

#[derive(serde::Deserialize)]
pub(super) struct Cuboid {
    half_extents: Vec3,
}

#[derive(serde::Deserialize)]
pub(super) struct Ellipsoid {
    radii: Vec3,
}

#[derive(serde::Deserialize)]
pub(super) struct Frustum {
    near: Real,
    far: Real,
    slope_x: Real,
    slope_y: Real,
}

#[derive(serde::Deserialize)]
pub(super) struct HalfSpace {
    normal: Vec3,
}

#[derive(serde::Deserialize)]
pub(super) struct Segment {
    a: Vec3,
    b: Vec3,
}

#[derive(serde::Deserialize)]
pub(super) struct Triangle {
    a: Vec3,
    b: Vec3,
    c: Vec3,
}

#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct Tetrahedron {
    corners: [Vec3; 4],
}

#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct ConvexHull {
    vertices: Vec<Vec3>,
}

impl TryFrom<Sphere> for super::Sphere {
    type Error = ShapeError;
    fn try_from(read: Sphere) -> Result<Self, ShapeError> {
        super::Sphere::new(read.radius)
    }
}

impl TryFrom<Upright> for super::Capsule {
    type Error = ShapeError;
    fn try_from(read: Upright) -> Result<Self, ShapeError> {
        super::Capsule::new(read.half_height, read.radius)
    }
}

impl TryFrom<Upright> for super::Cylinder {
    type Error = ShapeError;
    fn try_from(read: Upright) -> Result<Self, ShapeError> {
        super::Cylinder::new(read.half_height, read.radius)
    }
}

impl TryFrom<Upright> for super::Cone {
    type Error = ShapeError;
    fn try_from(read: Upright) -> Result<Self, ShapeError> {
        super::Cone::new(read.half_height, read.radius)
    }
}

impl TryFrom<Torus> for super::Torus {
    type Error = ShapeError;
    fn try_from(read: Torus) -> Result<Self, ShapeError> {
        super::Torus::new(read.major_radius, read.minor_radius)
    }
}

impl TryFrom<TaperedCapsule> for super::TaperedCapsule {
    type Error = ShapeError;
    fn try_from(read: TaperedCapsule) -> Result<Self, ShapeError> {
        super::TaperedCapsule::new(read.half_height, read.upper_radius, read.lower_radius)
    }
}

impl<S: SupportMap> TryFrom<Rounded<S>> for super::Rounded<S> {
    type Error = ShapeError;
    fn try_from(read: Rounded<S>) -> Result<Self, ShapeError> {
        super::Rounded::new(read.core, read.radius)
    }
}

impl TryFrom<HeightField> for super::HeightField {
    type Error = super::HeightFieldError;
    fn try_from(read: HeightField) -> Result<Self, super::HeightFieldError> {
        let spacing = [read.spacing_x, read.spacing_z];
        super::HeightField::new([read.n_x, read.n_z], spacing, read.heights)?.with_holes(&read.holes)
    }
}

impl TryFrom<Cuboid> for super::Cuboid {
    type Error = ShapeError;
    fn try_from(read: Cuboid) -> Result<Self, ShapeError> {
        super::Cuboid::new(read.half_extents)
    }
}

impl TryFrom<Ellipsoid> for super::Ellipsoid {
    type Error = ShapeError;
    fn try_from(read: Ellipsoid) -> Result<Self, ShapeError> {
        super::Ellipsoid::new(read.radii)
    }
}

impl TryFrom<Frustum> for super::Frustum {
    type Error = ShapeError;
    fn try_from(read: Frustum) -> Result<Self, ShapeError> {
        super::Frustum::new(read.near, read.far, read.slope_x, read.slope_y)
    }
}

impl TryFrom<HalfSpace> for super::HalfSpace {
    type Error = ShapeError;
    fn try_from(read: HalfSpace) -> Result<Self, ShapeError> {
        super::HalfSpace::new(read.normal)
    }
}

impl TryFrom<Segment> for super::Segment {
    type Error = ShapeError;
    fn try_from(read: Segment) -> Result<Self, ShapeError> {
        super::Segment::new(read.a, read.b)
    }
}

impl TryFrom<Triangle> for super::Triangle {
    type Error = ShapeError;
    fn try_from(read: Triangle) -> Result<Self, ShapeError> {
        super::Triangle::new(read.a, read.b, read.c)
    }
}

impl TryFrom<Tetrahedron> for super::Tetrahedron {
    type Error = ShapeError;
    fn try_from(read: Tetrahedron) -> Result<Self, ShapeError> {
        let [a, b, c, d] = read.corners;
        super::Tetrahedron::new(a, b, c, d)
    }
}

impl From<super::Tetrahedron> for Tetrahedron {
    fn from(shape: super::Tetrahedron) -> Tetrahedron {
        Tetrahedron { corners: shape.corners() }
    }
}

impl TryFrom<ConvexHull> for super::ConvexHull {
    type Error = super::HullError;
    fn try_from(read: ConvexHull) -> Result<Self, super::HullError> {
        super::ConvexHull::from_points(&read.vertices)
    }
}

impl From<super::ConvexHull> for ConvexHull {
    fn from(shape: super::ConvexHull) -> ConvexHull {
        ConvexHull { vertices: shape.vertices().to_vec() }
    }
}
