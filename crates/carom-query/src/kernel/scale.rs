//! Shapes scaled by a factor for each axis, or mirrored.
//!
//! The result is exact up to rounding, or there is none: a ball that is longer along one axis is
//! not replaced by an approximation. A rotated part of a compound is first mirrored as a whole,
//! together with its pose. The remaining scale is positive, and is applied to the corners of a
//! hull or a mesh.
//!
//! Reference: Jolt Physics, `ScaledShape` and `Shape::IsValidScale` (which shapes can be scaled).

use super::super::num::geom::{
    Capsule, Cone, ConvexHull, Cuboid, Cylinder, Ellipsoid, HalfSpace, HeightField, HeightFieldError,
    HullError, MeshError, Sphere, TaperedCapsule, Torus, TriMesh,
};
use super::super::num::{Pose, Quat, Real, Vec3, narrow, widen};
use super::compound::{Compound, CompoundError, CompoundPart};
use super::height_field_shape::{HeightFieldShape, HeightFieldShapeError};
use super::mesh_shape::MeshShape;
use super::rounded::{ConvexShape, RoundedShape};
use super::shape::Shape;
use crate::point_cloud::PointCloudError;
use crate::voxel_boxes::VoxelsError;
use alloc::sync::Arc;
use alloc::vec::Vec;
use carom_geom::ShapeError;

/// Why a shape cannot be scaled.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ScaleError {
    /// A factor is 0, NaN or infinite.
    BadFactor,
    /// A round shape stays one of its kind only if the factors of these axes are equal, up to their
    /// signs.
    Unequal {
        /// The kind of the shape.
        shape: &'static str,
        /// The axes.
        axes: &'static str,
    },
    /// The mirror image is no shape of this kind: a cone has its apex at +y, and a height field
    /// has its normals there.
    Mirrored {
        /// The kind of the shape.
        shape: &'static str,
    },
    /// The shape is given by functions of the caller, which take no scale.
    Opaque,
    /// A part of a compound is rotated, so that an unequal scale would shear it. Only hulls and
    /// meshes can be sheared.
    Sheared {
        /// The index of the part.
        part: usize,
    },
    /// The sizes of the scaled shape are refused.
    Shape(ShapeError),
    /// The corners of the scaled hull are refused.
    Hull(HullError),
    /// The vertices of the scaled mesh are refused.
    Mesh(MeshError),
    /// The scaled height field is refused.
    HeightField(HeightFieldError),
    /// The scaled point cloud is refused.
    PointCloud(PointCloudError),
    /// The scaled voxels are refused.
    Voxels(VoxelsError),
    /// The scaled compound is refused.
    Compound(CompoundError),
}

impl core::fmt::Display for ScaleError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            ScaleError::BadFactor => write!(f, "a factor of the scale is 0, NaN or infinite"),
            ScaleError::Unequal { shape, axes } => {
                write!(f, "a {shape} needs equal factors along {axes}; a hull or a mesh takes any")
            }
            ScaleError::Mirrored { shape } => write!(f, "the mirror image of a {shape} is none"),
            ScaleError::Opaque => write!(f, "a shape given by functions of the caller cannot be scaled"),
            ScaleError::Sheared { part } => write!(f, "part {part} is turned, and would be sheared"),
            ScaleError::Shape(error) => error.fmt(f),
            ScaleError::Hull(error) => error.fmt(f),
            ScaleError::Mesh(error) => error.fmt(f),
            ScaleError::HeightField(error) => error.fmt(f),
            ScaleError::PointCloud(error) => error.fmt(f),
            ScaleError::Voxels(error) => error.fmt(f),
            ScaleError::Compound(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for ScaleError {}

impl From<ShapeError> for ScaleError {
    fn from(error: ShapeError) -> ScaleError {
        ScaleError::Shape(error)
    }
}

impl Shape {
    /// Returns the shape with each coordinate times the factor of its axis.
    ///
    /// A negative factor mirrors. The winding of the triangles of a mesh is then reversed, so that
    /// they still face outwards.
    ///
    /// Boxes, ellipsoids, half-spaces, hulls, meshes and voxels take any factors but 0. Height
    /// fields need positive factors. A cylinder and a cone need factors of equal size across their
    /// axis, and a cone a positive one along it. Other round shapes and point clouds need factors
    /// of equal size along all axes. User-defined shapes and fields cannot be scaled.
    pub fn scaled(&self, scale: Vec3) -> Result<Shape, ScaleError> {
        if !scale.is_finite() || scale.x == 0.0 || scale.y == 0.0 || scale.z == 0.0 {
            return Err(ScaleError::BadFactor);
        }
        let size = scale.abs();
        let all = |shape| {
            let is_equal = size.x == size.y && size.y == size.z;
            if is_equal { Ok(size.x) } else { Err(ScaleError::Unequal { shape, axes: "x, y and z" }) }
        };
        let across = |shape| {
            if size.x == size.z { Ok(size.x) } else { Err(ScaleError::Unequal { shape, axes: "x and z" }) }
        };
        Ok(match self {
            Shape::Sphere(s) => Shape::Sphere(Sphere::new(s.radius() * all("sphere")?)?),
            Shape::Capsule(s) => {
                let factor = all("capsule")?;
                Shape::Capsule(Capsule::new(s.half_height() * factor, s.radius() * factor)?)
            }
            Shape::TaperedCapsule(s) => {
                let factor = all("tapered capsule")?;
                let [up, down] = [s.upper_radius() * factor, s.lower_radius() * factor];
                let [up, down] = if scale.y < 0.0 { [down, up] } else { [up, down] };
                Shape::TaperedCapsule(TaperedCapsule::new(s.half_height() * factor, up, down)?)
            }
            Shape::Cuboid(s) => Shape::Cuboid(Cuboid::new(s.half_extents() * size)?),
            Shape::Cylinder(s) => {
                let radius = s.radius() * across("cylinder")?;
                Shape::Cylinder(Cylinder::new(s.half_height() * size.y, radius)?)
            }
            Shape::Cone(_) if scale.y < 0.0 => return Err(ScaleError::Mirrored { shape: "cone" }),
            Shape::Cone(s) => Shape::Cone(Cone::new(s.half_height() * size.y, s.radius() * across("cone")?)?),
            Shape::Ellipsoid(s) => Shape::Ellipsoid(Ellipsoid::new(s.radii() * size)?),
            Shape::Torus(s) => {
                let factor = all("torus")?;
                Shape::Torus(Torus::new(s.major_radius() * factor, s.minor_radius() * factor)?)
            }
            Shape::Hull(s) => hull_of(s, |v| v * scale)?,
            Shape::Rounded(s) => {
                let factor = all("rounded shape")?;
                let core = s.core().shape().scaled(scale)?;
                // A scaled convex shape is convex.
                let core = ConvexShape::new(core).map_err(|_| ScaleError::Opaque)?;
                Shape::Rounded(Arc::new(RoundedShape::new(core, s.radius() * factor)?))
            }
            // A plane's normal is divided by the factors. No quotient here exceeds 1.
            Shape::HalfSpace(s) => {
                Shape::HalfSpace(HalfSpace::new(s.normal() * (size.min_element() / scale))?)
            }
            Shape::Mesh(s) => mesh_of(s, |v| v * scale, scale.x * scale.y.signum() * scale.z.signum() < 0.0)?,
            Shape::HeightField(s) => height_field(s.field(), scale)?,
            Shape::PointCloud(s) => {
                let radius = s.radius() * all("point cloud")?;
                let points = s.points().iter().map(|v| *v * scale).collect();
                Shape::point_cloud(points, radius).map_err(ScaleError::PointCloud)?
            }
            Shape::Voxels(s) => Shape::Voxels(Arc::new(s.scaled(scale).map_err(ScaleError::Voxels)?)),
            Shape::Compound(s) => compound(s, scale)?,
            Shape::User(_) | Shape::Field(_) => return Err(ScaleError::Opaque),
        })
    }
}

fn hull_of(hull: &ConvexHull, map: impl Fn(Vec3) -> Vec3) -> Result<Shape, ScaleError> {
    Ok(Shape::Hull(Arc::new(hull.mapped(map).map_err(ScaleError::Hull)?)))
}

/// Returns a mesh with its vertices moved. The winding of its triangles is reversed if the map
/// mirrors.
fn mesh_of(mesh: &MeshShape, map: impl Fn(Vec3) -> Vec3, mirrors: bool) -> Result<Shape, ScaleError> {
    let vertices = mesh.mesh().vertices().iter().map(|v| map(*v)).collect();
    let turned = |[a, b, c]: [u32; 3]| if mirrors { [a, c, b] } else { [a, b, c] };
    let triangles = mesh.mesh().indices().iter().map(|t| turned(*t)).collect();
    let scaled = TriMesh::new(vertices, triangles).map_err(ScaleError::Mesh)?;
    let scaled = MeshShape::new(scaled).map_err(|_| ScaleError::Mesh(MeshError::TooLarge))?;
    let scaled = if mesh.keeps_orientation() { scaled.with_kept_orientation() } else { scaled };
    Ok(Shape::Mesh(Arc::new(scaled)))
}

fn height_field(field: &HeightField, scale: Vec3) -> Result<Shape, ScaleError> {
    if scale.x < 0.0 || scale.y < 0.0 || scale.z < 0.0 {
        return Err(ScaleError::Mirrored { shape: "height field" });
    }
    let [x, z] = field.spacing();
    let heights: Vec<Real> = field.heights().iter().map(|height| height * scale.y).collect();
    let scaled = HeightField::new(field.n_samples(), [x * scale.x, z * scale.z], heights)
        .and_then(|scaled| scaled.with_holes(field.holes()))
        .map_err(ScaleError::HeightField)?;
    Ok(Shape::HeightField(Arc::new(HeightFieldShape::new(scaled)?)))
}

impl From<HeightFieldShapeError> for ScaleError {
    /// The unscaled shape was accepted, so only the number of triangles can be the reason.
    fn from(_: HeightFieldShapeError) -> ScaleError {
        ScaleError::HeightField(HeightFieldError::TooMany)
    }
}

fn compound(compound: &Compound, scale: Vec3) -> Result<Shape, ScaleError> {
    let sign = scale.signum();
    let size = scale.abs();
    let is_equal = size.x == size.y && size.y == size.z;
    let mut parts = Vec::with_capacity(compound.parts().len());
    for (part, CompoundPart { shape, pose }) in compound.parts().iter().enumerate() {
        let translation = pose.translation * scale;
        let shape = if pose.rotation == Quat::IDENTITY {
            CompoundPart { shape: shape.scaled(scale)?, pose: Pose::from_translation(translation) }
        } else if is_equal {
            // The mirror image of a turned body is the mirror image of the body, turned by the
            // mirrored rotation: its axis is that of a turn, which changes sign once more.
            let axis = Vec3::new(pose.rotation.x, pose.rotation.y, pose.rotation.z);
            let axis = axis * sign * (sign.x * sign.y * sign.z);
            let rotation = Quat::from_xyzw(axis.x, axis.y, axis.z, pose.rotation.w);
            CompoundPart { shape: shape.scaled(scale)?, pose: Pose::new(rotation, translation) }
        } else {
            // In the directions of the compound, from the origin of the part.
            let rotation = pose.wide().rotation;
            let map = |v: Vec3| narrow(rotation * widen(v)) * scale;
            let shape = match shape {
                Shape::Hull(hull) => hull_of(hull, map)?,
                Shape::Mesh(mesh) => mesh_of(mesh, map, sign.x * sign.y * sign.z < 0.0)?,
                _ => return Err(ScaleError::Sheared { part }),
            };
            CompoundPart { shape, pose: Pose::from_translation(translation) }
        };
        parts.push(shape);
    }
    Ok(Shape::Compound(Arc::new(Compound::new(parts).map_err(ScaleError::Compound)?)))
}
