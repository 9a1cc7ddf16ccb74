//! Shapes in single precision as plain data: what a world's shape is made of, again and again with
//! the same bits.
//!
//! A snapshot has those that a snapshot of `carom-world` has not. The hull of a hull's corners need
//! not have its faces in the same order. So the points that the first hull was made of are stored,
//! and not its corners.

use crate::error;
use carom_geom::{ConvexHull, HeightField, TaperedCapsule, TriMesh};
use carom_math::{Pose, Quat};
use carom_query::f64::Shape as WideShape;
use carom_query::{
    Compound, CompoundPart, ConvexShape, HeightFieldShape, MeshShape, RoundedShape, Shape, VoxelBox, Voxels,
};
use core::fmt::Display;
use glam::Vec3;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A shape as the numbers that it is made of.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum StoredShape {
    Sphere(f32),
    /// Half the height, and the radius.
    Capsule(f32, f32),
    /// Half the height, and the upper and the lower radius.
    TaperedCapsule(f32, f32, f32),
    Cuboid([f32; 3]),
    Cylinder(f32, f32),
    Cone(f32, f32),
    Ellipsoid([f32; 3]),
    Torus(f32, f32),
    HalfSpace([f32; 3]),
    Hull(Arc<Vec<[f32; 3]>>),
    Rounded(Box<StoredShape>, f32),
    /// The vertices, the triangles, and whether their orientation is kept.
    Mesh(Arc<Vec<[f32; 3]>>, Arc<Vec<[u32; 3]>>, bool),
    /// The numbers of samples, their spacing, and the heights.
    HeightField([u32; 2], [f32; 2], Arc<Vec<f32>>),
    Compound(Vec<(StoredShape, StoredPose)>),
    /// The points, and the radius.
    PointCloud(Arc<Vec<[f32; 3]>>, f32),
    /// The origin, the size of a cell, and the first and the last cell of each box.
    Voxels([f32; 3], [f32; 3], Arc<Vec<[[u16; 3]; 2]>>),
    /// A shape that is no data: a field. A snapshot cannot have it.
    #[serde(skip)]
    Opaque(Shape),
}

/// Translation and rotation: x, y, z, qx, qy, qz, qw.
pub(crate) type StoredPose = [f32; 7];

/// Returns a pose as numbers.
pub(crate) fn stored_pose(pose: &Pose) -> StoredPose {
    let (t, r) = (pose.translation, pose.rotation);
    [t.x, t.y, t.z, r.x, r.y, r.z, r.w]
}

fn pose([x, y, z, qx, qy, qz, qw]: StoredPose) -> Pose {
    Pose::new(Quat::from_xyzw(qx, qy, qz, qw), Vec3::new(x, y, z))
}

fn refused(why: impl Display) -> PyErr {
    error::shape("in single precision", why)
}

impl StoredShape {
    /// Returns a shape with rounded sizes.
    pub(crate) fn of(shape: &WideShape) -> PyResult<StoredShape> {
        let number = |x: f64| x as f32;
        let points = |v: &[glam::DVec3]| Arc::new(v.iter().map(|v| v.as_vec3().to_array()).collect());
        Ok(match shape {
            WideShape::Sphere(s) => StoredShape::Sphere(number(s.radius())),
            WideShape::Capsule(s) => StoredShape::Capsule(number(s.half_height()), number(s.radius())),
            WideShape::TaperedCapsule(s) => {
                let [up, down] = [number(s.upper_radius()), number(s.lower_radius())];
                StoredShape::TaperedCapsule(number(s.half_height()), up, down)
            }
            WideShape::Cuboid(s) => StoredShape::Cuboid(s.half_extents().as_vec3().to_array()),
            WideShape::Cylinder(s) => StoredShape::Cylinder(number(s.half_height()), number(s.radius())),
            WideShape::Cone(s) => StoredShape::Cone(number(s.half_height()), number(s.radius())),
            WideShape::Ellipsoid(s) => StoredShape::Ellipsoid(s.radii().as_vec3().to_array()),
            WideShape::Torus(s) => StoredShape::Torus(number(s.major_radius()), number(s.minor_radius())),
            WideShape::HalfSpace(s) => StoredShape::HalfSpace(s.normal().as_vec3().to_array()),
            WideShape::Hull(s) => StoredShape::Hull(points(s.vertices())),
            WideShape::Rounded(s) => {
                let core = StoredShape::of(s.core().shape())?;
                StoredShape::Rounded(Box::new(core), number(s.radius()))
            }
            WideShape::Mesh(s) => {
                let triangles = Arc::new(s.mesh().indices().to_vec());
                StoredShape::Mesh(points(s.mesh().vertices()), triangles, s.keeps_orientation())
            }
            WideShape::HeightField(s) => {
                let (field, heights) = (s.field(), s.field().heights());
                let heights = heights.iter().map(|h| number(*h)).collect();
                StoredShape::HeightField(field.n_samples(), field.spacing().map(number), Arc::new(heights))
            }
            WideShape::Compound(s) => {
                let part = |part: &carom_query::f64::CompoundPart| {
                    let pose = crate::single::pose(&part.pose)?;
                    Ok::<_, PyErr>((StoredShape::of(&part.shape)?, stored_pose(&pose)))
                };
                StoredShape::Compound(s.parts().iter().map(part).collect::<PyResult<_>>()?)
            }
            WideShape::PointCloud(s) => StoredShape::PointCloud(points(s.points()), number(s.radius())),
            WideShape::Voxels(s) => {
                let boxes = s.boxes().iter().map(|part| [part.first, part.last]).collect();
                let three = |v: glam::DVec3| v.as_vec3().to_array();
                StoredShape::Voxels(three(s.origin()), three(s.cell()), Arc::new(boxes))
            }
            WideShape::User(s) => StoredShape::Opaque(Shape::User(Arc::clone(s))),
            WideShape::Field(s) => StoredShape::Opaque(Shape::Field(Arc::clone(s))),
        })
    }

    /// Makes the shape. Equal numbers give equal bits.
    pub(crate) fn build(&self) -> PyResult<Shape> {
        let points = |p: &[[f32; 3]]| p.iter().map(|p| Vec3::from_array(*p)).collect::<Vec<Vec3>>();
        match self {
            StoredShape::Sphere(r) => Shape::sphere(*r).map_err(refused),
            StoredShape::Capsule(h, r) => Shape::capsule(*h, *r).map_err(refused),
            StoredShape::TaperedCapsule(h, up, down) => {
                TaperedCapsule::new(*h, *up, *down).map(Shape::TaperedCapsule).map_err(refused)
            }
            StoredShape::Cuboid(half) => Shape::cuboid(Vec3::from_array(*half)).map_err(refused),
            StoredShape::Cylinder(h, r) => Shape::cylinder(*h, *r).map_err(refused),
            StoredShape::Cone(h, r) => Shape::cone(*h, *r).map_err(refused),
            StoredShape::Ellipsoid(radii) => Shape::ellipsoid(Vec3::from_array(*radii)).map_err(refused),
            StoredShape::Torus(major, minor) => Shape::torus(*major, *minor).map_err(refused),
            StoredShape::HalfSpace(normal) => Shape::half_space(Vec3::from_array(*normal)).map_err(refused),
            StoredShape::Hull(p) => {
                Ok(Shape::Hull(Arc::new(ConvexHull::from_points(&points(p)).map_err(refused)?)))
            }
            StoredShape::Rounded(core, r) => {
                let core = ConvexShape::new(core.build()?).map_err(refused)?;
                Ok(Shape::Rounded(Arc::new(RoundedShape::new(core, *r).map_err(refused)?)))
            }
            StoredShape::Mesh(p, faces, keeps_orientation) => {
                let mesh = TriMesh::new(points(p), faces.to_vec()).map_err(refused)?;
                let mesh = MeshShape::new(mesh).map_err(refused)?;
                let mesh = if *keeps_orientation { mesh.with_kept_orientation() } else { mesh };
                Ok(Shape::Mesh(Arc::new(mesh)))
            }
            StoredShape::HeightField(n, spacing, heights) => {
                let field = HeightField::new(*n, *spacing, heights.to_vec()).map_err(refused)?;
                Ok(Shape::HeightField(Arc::new(HeightFieldShape::new(field).map_err(refused)?)))
            }
            StoredShape::Compound(parts) => {
                let part = |(shape, at): &(StoredShape, StoredPose)| {
                    Ok::<_, PyErr>(CompoundPart { shape: shape.build()?, pose: pose(*at) })
                };
                let parts: PyResult<Vec<CompoundPart>> = parts.iter().map(part).collect();
                Ok(Shape::Compound(Arc::new(Compound::new(parts?).map_err(refused)?)))
            }
            StoredShape::PointCloud(p, r) => Shape::point_cloud(points(p), *r).map_err(refused),
            StoredShape::Voxels(origin, cell, boxes) => {
                let boxes = boxes.iter().map(|[first, last]| VoxelBox { first: *first, last: *last });
                let [origin, cell] = [origin, cell].map(|v| Vec3::from_array(*v));
                let voxels = Voxels::new(origin, cell, boxes.collect()).map_err(refused)?;
                Ok(Shape::Voxels(Arc::new(voxels)))
            }
            StoredShape::Opaque(shape) => Ok(shape.clone()),
        }
    }

    /// Whether a snapshot of `carom-world` has the shape: see its type `Snapshot`.
    pub(crate) fn is_in_snapshots(&self) -> bool {
        match self {
            StoredShape::Compound(parts) => parts.iter().all(|(part, _)| part.has_few_numbers()),
            other => other.has_few_numbers(),
        }
    }

    fn has_few_numbers(&self) -> bool {
        match self {
            StoredShape::Sphere(_)
            | StoredShape::Capsule(..)
            | StoredShape::TaperedCapsule(..)
            | StoredShape::Cuboid(_)
            | StoredShape::Cylinder(..)
            | StoredShape::Cone(..)
            | StoredShape::Ellipsoid(_)
            | StoredShape::Torus(..)
            | StoredShape::HalfSpace(_) => true,
            StoredShape::Rounded(core, _) => core.has_few_numbers(),
            StoredShape::Hull(_)
            | StoredShape::Mesh(..)
            | StoredShape::HeightField(..)
            | StoredShape::Compound(_)
            | StoredShape::PointCloud(..)
            | StoredShape::Voxels(..)
            | StoredShape::Opaque(_) => false,
        }
    }

    /// Whether the shape, or a part of it, is no data.
    pub(crate) fn is_opaque(&self) -> bool {
        match self {
            StoredShape::Opaque(_) => true,
            StoredShape::Compound(parts) => parts.iter().any(|(part, _)| part.is_opaque()),
            StoredShape::Rounded(core, _) => core.is_opaque(),
            _ => false,
        }
    }
}
