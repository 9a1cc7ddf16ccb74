//! The closed list of shapes, with a variant for user-defined shapes.
//!
//! A shape is of one of six kinds: convex (it has a support map), a half-space, triangles, a solid
//! with a signed distance, a cluster of boxes or balls, or a compound. The kinds of two shapes
//! select the algorithm of each query ([`super::method`]). Formulas for a shape alone are in
//! [`super::primitive`].
//!
//! A new convex shape needs a support map, a variant here and a line in [`Shape::kind`]. A shape
//! that is not convex needs a [`DistanceField`] instead of the support map, as the torus has.
//! Formulas for the queries of one shape need a line in [`Shape::primitive`].
//!
//! User-defined shapes of both sorts are [`Shape::User`] and [`Shape::Field`]. Sampled fields, in
//! the crate carom-sdf, are such shapes. So a program without them does not compile that crate.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2 and 25.3 (mid phase, narrow
//! phase).

use super::super::num::geom::{
    Capsule, Cone, ConvexHull, Cuboid, Cylinder, Ellipsoid, HalfSpace, HeightField, HeightFieldError,
    HullError, MeshError, Sphere, TaperedCapsule, Torus, TriMesh,
};
use super::super::num::{Pose, Real, Vec3};
use super::cluster::{Cluster, ClusterPart};
use super::compound::{Compound, CompoundError, CompoundPart};
use super::height_field_shape::HeightFieldShape;
use super::mesh_shape::MeshShape;
use super::point_cloud::PointCloud;
use super::primitive::Primitive;
use super::rounded::RoundedShape;
use super::voxels::Voxels;
use crate::around::Around;
use crate::cluster_search;
use crate::mesh_shape::box_around;
use crate::point_cloud::PointCloudError;
use crate::voxel_boxes::VoxelsError;
use alloc::sync::Arc;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_geom::{DistanceField, ShapeError, SupportMap, aabb_from_support};
use carom_math::WidePose;
use glam::DVec3;

/// A user-defined convex shape.
pub type UserShape = Arc<dyn SupportMap + Send + Sync>;

/// Any shape. Cloning is cheap, because large shapes are shared.
///
/// A shape with an axis has it along y. Round shapes are centred on the origin of their frame.
#[derive(Clone)]
pub enum Shape {
    /// A ball.
    Sphere(Sphere),
    /// All points within a radius of a segment along y.
    Capsule(Capsule),
    /// The hull of two balls on the y axis.
    TaperedCapsule(TaperedCapsule),
    /// A box.
    Cuboid(Cuboid),
    /// A cylinder along y.
    Cylinder(Cylinder),
    /// A cone, its apex at +y.
    Cone(Cone),
    /// An ellipsoid.
    Ellipsoid(Ellipsoid),
    /// A convex polytope.
    Hull(Arc<ConvexHull>),
    /// A convex shape with a radius all around.
    Rounded(Arc<RoundedShape>),
    /// A torus around the y axis. Queries handle it as a [`Shape::Field`] with exact distances.
    Torus(Torus),
    /// All points below a plane.
    HalfSpace(HalfSpace),
    /// The surface that triangles cover.
    Mesh(Arc<MeshShape>),
    /// The open surface of a grid of heights.
    HeightField(Arc<HeightFieldShape>),
    /// Points with one radius.
    PointCloud(Arc<PointCloud>),
    /// The occupied cells of a grid or of an octree.
    Voxels(Arc<Voxels>),
    /// Several shapes with fixed relative poses.
    Compound(Arc<Compound>),
    /// A convex shape given by its support map.
    User(UserShape),
    /// A solid given by its signed distance, such as a `carom_sdf::FieldShape`. Distances are off
    /// by at most its error bound, which the outcome of an answer states. Its depth in another
    /// shape is that of the deepest point.
    Field(Arc<dyn DistanceField + Send + Sync>),
}

impl core::fmt::Debug for Shape {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if let Some(primitive) = self.primitive() {
            return primitive.fmt(f);
        }
        match self {
            Shape::Rounded(s) => s.fmt(f),
            Shape::Mesh(s) => s.fmt(f),
            Shape::HeightField(s) => s.fmt(f),
            Shape::Compound(s) => s.fmt(f),
            Shape::PointCloud(s) => write!(f, "PointCloud({} points)", s.points().len()),
            Shape::Voxels(s) => write!(f, "Voxels({} boxes)", s.boxes().len()),
            Shape::Field(_) => f.write_str("Field"),
            Shape::User(_) => f.write_str("User"),
            _ => f.write_str(self.name()),
        }
    }
}

impl From<ClusterPart> for Shape {
    #[inline]
    fn from(part: ClusterPart) -> Shape {
        match part {
            ClusterPart::Sphere(s) => Shape::Sphere(s),
            ClusterPart::Cuboid(s) => Shape::Cuboid(s),
        }
    }
}

/// The kinds of shapes that need different algorithms. The enum is exhaustive: code that matches
/// on it still compiles if a shape is added.
#[derive(Clone, Copy)]
pub enum ShapeKind<'a> {
    /// Convex and bounded.
    Convex(&'a dyn SupportMap),
    /// All points below a plane.
    HalfSpace(&'a HalfSpace),
    /// Triangles, also those of a height field.
    Mesh(&'a MeshShape),
    /// A solid with a signed distance.
    Field(&'a dyn DistanceField),
    /// Many boxes or balls.
    Cluster(&'a dyn Cluster),
    /// Parts with fixed relative poses.
    Compound(&'a Compound),
}

/// Short constructors: each makes a shape in one call, from the numbers that define it. It checks
/// its input as the constructor of the shape's type does, and returns the same error: the first
/// number out of its range, by name or index.
impl Shape {
    /// Returns a ball around the origin. The radius is a length, finite and not negative.
    pub fn sphere(radius: Real) -> Result<Shape, ShapeError> {
        Ok(Shape::Sphere(Sphere::new(radius)?))
    }

    /// Returns all points within `radius` of a segment of twice `half_height` along y. Both are
    /// lengths, finite and not negative.
    pub fn capsule(half_height: Real, radius: Real) -> Result<Shape, ShapeError> {
        Ok(Shape::Capsule(Capsule::new(half_height, radius)?))
    }

    /// Returns a box around the origin, from half its size along each axis: lengths, finite and
    /// not negative.
    pub fn cuboid(half_extents: Vec3) -> Result<Shape, ShapeError> {
        Ok(Shape::Cuboid(Cuboid::new(half_extents)?))
    }

    /// Returns a cylinder along y around the origin. It is twice `half_height` long. Both are
    /// lengths, finite and not negative.
    pub fn cylinder(half_height: Real, radius: Real) -> Result<Shape, ShapeError> {
        Ok(Shape::Cylinder(Cylinder::new(half_height, radius)?))
    }

    /// Returns a cone along y, from its base at `-half_height` to its apex at `half_height`. Both
    /// are lengths, finite and not negative.
    pub fn cone(half_height: Real, radius: Real) -> Result<Shape, ShapeError> {
        Ok(Shape::Cone(Cone::new(half_height, radius)?))
    }

    /// Returns an ellipsoid around the origin, from its radii along the axes: lengths, finite and
    /// not negative.
    pub fn ellipsoid(radii: Vec3) -> Result<Shape, ShapeError> {
        Ok(Shape::Ellipsoid(Ellipsoid::new(radii)?))
    }

    /// Returns all points within `minor_radius` of a circle around the y axis. The circle's radius
    /// is `major_radius`, not less than `minor_radius`. Both are lengths, finite and above 0.
    pub fn torus(major_radius: Real, minor_radius: Real) -> Result<Shape, ShapeError> {
        Ok(Shape::Torus(Torus::new(major_radius, minor_radius)?))
    }

    /// Returns all points below the plane through the origin with this normal, of any length but 0.
    pub fn half_space(normal: Vec3) -> Result<Shape, ShapeError> {
        Ok(Shape::HalfSpace(HalfSpace::new(normal)?))
    }

    /// Returns the convex hull of points: see [`ConvexHull::from_points`].
    pub fn hull(points: &[Vec3]) -> Result<Shape, HullError> {
        Ok(Shape::Hull(Arc::new(ConvexHull::from_points(points)?)))
    }

    /// Returns a mesh of triangles, three vertex indices each.
    ///
    /// Errors: no triangle, too many of them, or the first invalid vertex or index: see
    /// [`MeshError`].
    pub fn mesh(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Shape, MeshError> {
        // The trees fail only for more triangles than they can number.
        let mesh = MeshShape::new(TriMesh::new(vertices, triangles)?).map_err(|_| MeshError::TooLarge)?;
        Ok(Shape::Mesh(Arc::new(mesh)))
    }

    /// Returns the open surface of a terrain, from the numbers of samples along x and z, their
    /// spacing, and the heights along y. Sample (i, j) is number j n_x + i. The middle of the grid
    /// is on the y axis. For holes, see [`HeightField::with_holes`].
    pub fn height_field(
        n_samples: [u32; 2],
        spacing: [Real; 2],
        heights: Vec<Real>,
    ) -> Result<Shape, HeightFieldError> {
        let field = HeightField::new(n_samples, spacing, heights)?;
        // Without holes, the trees fail only for more triangles than they can number.
        let field = HeightFieldShape::new(field).map_err(|_| HeightFieldError::TooMany)?;
        Ok(Shape::HeightField(Arc::new(field)))
    }

    /// Returns all points within `radius` of some points: see [`PointCloud::new`].
    pub fn point_cloud(points: Vec<Vec3>, radius: Real) -> Result<Shape, PointCloudError> {
        Ok(Shape::PointCloud(Arc::new(PointCloud::new(points, radius)?)))
    }

    /// Returns the occupied cells of a grid, see [`Voxels::from_grid`].
    pub fn voxels(
        n: [usize; 3],
        is_occupied: &[bool],
        origin: Vec3,
        cell: Vec3,
    ) -> Result<Shape, VoxelsError> {
        Ok(Shape::Voxels(Arc::new(Voxels::from_grid(n, is_occupied, origin, cell)?)))
    }

    /// Returns a compound of shapes, each with its pose in the frame of the compound.
    ///
    /// Errors: no part, or a part that a compound cannot have, such as another compound. The parts
    /// of that one go into this one, each with the product of both poses.
    pub fn compound(parts: Vec<(Shape, Pose)>) -> Result<Shape, CompoundError> {
        let parts = parts.into_iter().map(|(shape, pose)| CompoundPart { shape, pose });
        Ok(Shape::Compound(Arc::new(Compound::new(parts.collect())?)))
    }
}

impl Shape {
    /// Returns the kind of the shape.
    pub fn kind(&self) -> ShapeKind<'_> {
        match self {
            Shape::Sphere(s) => ShapeKind::Convex(s),
            Shape::Capsule(s) => ShapeKind::Convex(s),
            Shape::TaperedCapsule(s) => ShapeKind::Convex(s),
            Shape::Cuboid(s) => ShapeKind::Convex(s),
            Shape::Cylinder(s) => ShapeKind::Convex(s),
            Shape::Cone(s) => ShapeKind::Convex(s),
            Shape::Ellipsoid(s) => ShapeKind::Convex(s),
            Shape::Hull(s) => ShapeKind::Convex(&**s),
            Shape::Rounded(s) => ShapeKind::Convex(&**s),
            Shape::Torus(s) => ShapeKind::Field(s),
            Shape::HalfSpace(s) => ShapeKind::HalfSpace(s),
            Shape::Mesh(s) => ShapeKind::Mesh(s),
            // A height field is handled as the mesh of its triangles.
            Shape::HeightField(s) => ShapeKind::Mesh(s.mesh()),
            Shape::PointCloud(s) => ShapeKind::Cluster(&**s),
            Shape::Voxels(s) => ShapeKind::Cluster(&**s),
            Shape::Compound(s) => ShapeKind::Compound(s),
            Shape::User(s) => ShapeKind::Convex(&**s),
            Shape::Field(s) => ShapeKind::Field(&**s),
        }
    }

    /// Returns a box around the shape at `pose`, along the world axes and rounded outwards. The
    /// box of a half-space is infinite.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        match self.primitive() {
            Some(primitive) => primitive.aabb(pose),
            None => self.placed_box(&pose.wide()),
        }
    }

    /// Returns the box of [`Shape::aabb`] in the shape's own frame; `None` if the shape is
    /// unbounded.
    pub(super) fn around(&self) -> Option<Around> {
        Around::new(&self.aabb(&Pose::IDENTITY))
    }

    /// Returns the shape as a [`Primitive`]; `None` if it has no formulas.
    #[inline]
    pub(super) fn primitive(&self) -> Option<&dyn Primitive> {
        Some(match self {
            Shape::Sphere(s) => s,
            Shape::Capsule(s) => s,
            Shape::TaperedCapsule(s) => s,
            Shape::Cuboid(s) => s,
            Shape::Cylinder(s) => s,
            Shape::Cone(s) => s,
            Shape::Ellipsoid(s) => s,
            Shape::Hull(s) => &**s,
            Shape::Torus(s) => s,
            Shape::HalfSpace(s) => s,
            _ => return None,
        })
    }

    /// Returns the name of the kind of shape, such as `"box"` or `"height field"`.
    pub fn name(&self) -> &'static str {
        match self {
            Shape::Sphere(_) => "ball",
            Shape::Capsule(_) => "capsule",
            Shape::TaperedCapsule(_) => "tapered capsule",
            Shape::Cuboid(_) => "box",
            Shape::Cylinder(_) => "cylinder",
            Shape::Cone(_) => "cone",
            Shape::Ellipsoid(_) => "ellipsoid",
            Shape::Hull(_) => "hull",
            Shape::Rounded(_) => "rounded shape",
            Shape::Torus(_) => "torus",
            Shape::HalfSpace(_) => "half-space",
            Shape::Mesh(_) => "mesh",
            Shape::HeightField(_) => "height field",
            Shape::PointCloud(_) => "point cloud",
            Shape::Voxels(_) => "voxels",
            Shape::Compound(_) => "compound",
            Shape::User(_) => "convex shape of the user",
            Shape::Field(_) => "distance field",
        }
    }

    /// Whether the shape has a support map: it is convex and bounded.
    pub fn is_convex(&self) -> bool {
        matches!(self.kind(), ShapeKind::Convex(_))
    }

    /// [`Shape::aabb`] for a pose in `f64`.
    pub(super) fn placed_box(&self, pose: &WidePose) -> Aabb {
        match self.kind() {
            ShapeKind::Convex(s) => aabb_from_support(s, pose),
            ShapeKind::HalfSpace(_) => Aabb { min: glam::Vec3::NEG_INFINITY, max: glam::Vec3::INFINITY },
            ShapeKind::Mesh(s) => s.placed_box(pose),
            ShapeKind::Field(s) => box_around(s.bounds(), pose),
            ShapeKind::Cluster(s) => cluster_search::placed_box(s, pose),
            ShapeKind::Compound(s) => s.boxes().placed_box(pose),
        }
    }

    /// Builds the data that queries of two meshes need, for each mesh in this shape
    /// ([`MeshShape::prepare_pairs`](crate::MeshShape)). The first such query then takes no longer
    /// than the next.
    pub fn prepare_mesh_pairs(&self) {
        match self.kind() {
            ShapeKind::Convex(_) | ShapeKind::HalfSpace(_) | ShapeKind::Field(_) | ShapeKind::Cluster(_) => {}
            ShapeKind::Mesh(mesh) => mesh.prepare_pairs(),
            ShapeKind::Compound(compound) => {
                compound.parts().iter().for_each(|part| part.shape.prepare_mesh_pairs());
            }
        }
    }

    /// Returns how many part numbers the shape uses: one for each triangle of a mesh, each point of
    /// a cloud, each box of voxels, and each part of a compound, else one.
    pub fn n_parts(&self) -> u32 {
        match self.kind() {
            ShapeKind::Convex(_) | ShapeKind::HalfSpace(_) | ShapeKind::Field(_) => 1,
            ShapeKind::Mesh(s) => s.mesh().n_triangles() as u32,
            ShapeKind::Cluster(s) => s.n_parts(),
            ShapeKind::Compound(s) => s.n_parts(),
        }
    }

    /// Whether the part with this number is a triangle of a mesh.
    pub(super) fn is_mesh_part(&self, number: u32) -> bool {
        match self.kind() {
            ShapeKind::Convex(_) | ShapeKind::HalfSpace(_) | ShapeKind::Field(_) | ShapeKind::Cluster(_) => {
                false
            }
            ShapeKind::Mesh(_) => true,
            ShapeKind::Compound(s) => {
                let (part, number) = s.locate(number);
                s.parts().get(part).is_some_and(|part| part.shape.is_mesh_part(number))
            }
        }
    }

    /// Returns the corners of the triangle with this part number, for this shape at `pose`. `None`
    /// if the part is not a triangle of a mesh, or does not exist.
    pub(super) fn triangle_corners(&self, number: u32, pose: &WidePose) -> Option<[DVec3; 3]> {
        match self.kind() {
            ShapeKind::Convex(_) | ShapeKind::HalfSpace(_) | ShapeKind::Field(_) | ShapeKind::Cluster(_) => {
                None
            }
            ShapeKind::Mesh(s) => ((number as usize) < s.mesh().n_triangles())
                .then(|| s.mesh().triangle(number).corners_wide().map(|corner| pose.transform_point(corner))),
            ShapeKind::Compound(s) => {
                let (part, number) = s.locate(number);
                let part = s.parts().get(part)?;
                part.shape.triangle_corners(number, &part.pose.wide().relative_to(&pose.inverse()))
            }
        }
    }

    /// Returns the plane of the part with this part number, for this shape at `pose`: its normal,
    /// and a point of it. `None` if the part is not a half-space, or does not exist.
    pub(super) fn plane_of_part(&self, number: u32, pose: &WidePose) -> Option<(DVec3, DVec3)> {
        match self.kind() {
            ShapeKind::HalfSpace(s) => Some((pose.transform_vector(s.normal_wide()), pose.translation)),
            ShapeKind::Convex(_) | ShapeKind::Mesh(_) | ShapeKind::Field(_) | ShapeKind::Cluster(_) => None,
            ShapeKind::Compound(s) => {
                let (part, number) = s.locate(number);
                let part = s.parts().get(part)?;
                part.shape.plane_of_part(number, &part.pose.wide().relative_to(&pose.inverse()))
            }
        }
    }

    /// Calls `use_part` with the convex part that has this part number, and with the pose of the
    /// part if this shape is at `pose`. `None` for a half-space, a field, or a number without a
    /// part.
    pub(super) fn with_part<T>(
        &self,
        number: u32,
        pose: &WidePose,
        use_part: impl FnOnce(&dyn SupportMap, &WidePose) -> T,
    ) -> Option<T> {
        match self.kind() {
            ShapeKind::Convex(s) => Some(use_part(s, pose)),
            ShapeKind::HalfSpace(_) | ShapeKind::Field(_) => None,
            ShapeKind::Mesh(s) => ((number as usize) < s.mesh().n_triangles())
                .then(|| use_part(&s.mesh().triangle(number), pose)),
            ShapeKind::Cluster(s) => {
                let (part, center) = (number < s.n_parts()).then(|| s.part(number))?;
                let pose = cluster_search::at(center).relative_to(&pose.inverse());
                Some(use_part(part.support_map(), &pose))
            }
            ShapeKind::Compound(s) => {
                let (part, number) = s.locate(number);
                let part = s.parts().get(part)?;
                let pose = part.pose.wide().relative_to(&pose.inverse());
                // A part is not a compound, so this recurses once.
                part.shape.with_part(number, &pose, use_part)
            }
        }
    }
}
