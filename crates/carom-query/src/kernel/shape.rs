//! The closed list of shapes, with a variant for user-defined shapes.
//!
//! Every query of this crate is one `match` over this list ([`super::dispatch`]), so a missing pair
//! does not compile. A shape is convex (it has a support map), a half-space, a signed distance
//! field, or composite: a mesh, a height field or a compound.
//!
//! A field joins by a trait, as a user-defined convex shape does. So a program without fields does
//! not compile the crate carom-sdf, and users can supply their own distance functions.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2 and 25.3 (mid phase, narrow
//! phase).

use super::super::num::Pose;
use super::super::num::geom::{
    Capsule, Cone, ConvexHull, Cuboid, Cylinder, Ellipsoid, HalfSpace, Sphere, TaperedCapsule,
};
use super::compound::Compound;
use super::height_field_shape::HeightFieldShape;
use super::mesh_shape::MeshShape;
use super::rounded::RoundedShape;
use alloc::sync::Arc;
use carom_bounds::Aabb;
use carom_geom::{DistanceField, SupportMap, aabb_from_support};
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
    /// All points below a plane.
    HalfSpace(HalfSpace),
    /// The surface that triangles cover.
    Mesh(Arc<MeshShape>),
    /// The open surface of a grid of heights.
    HeightField(Arc<HeightFieldShape>),
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
        match self {
            Shape::Sphere(s) => s.fmt(f),
            Shape::Capsule(s) => s.fmt(f),
            Shape::TaperedCapsule(s) => s.fmt(f),
            Shape::Cuboid(s) => s.fmt(f),
            Shape::Cylinder(s) => s.fmt(f),
            Shape::Cone(s) => s.fmt(f),
            Shape::Ellipsoid(s) => s.fmt(f),
            Shape::Hull(s) => s.fmt(f),
            Shape::Rounded(s) => s.fmt(f),
            Shape::HalfSpace(s) => s.fmt(f),
            Shape::Mesh(s) => s.fmt(f),
            Shape::HeightField(s) => s.fmt(f),
            Shape::Compound(s) => s.fmt(f),
            Shape::User(_) => f.write_str("User"),
            Shape::Field(_) => f.write_str("Field"),
        }
    }
}

/// The kinds of shapes that need different algorithms.
pub(super) enum Kind<'a> {
    Convex(&'a dyn SupportMap),
    HalfSpace(&'a HalfSpace),
    Mesh(&'a MeshShape),
    Field(&'a dyn DistanceField),
    Compound(&'a Compound),
}

impl Shape {
    /// Returns the kind of the shape.
    pub(super) fn kind(&self) -> Kind<'_> {
        match self {
            Shape::Sphere(s) => Kind::Convex(s),
            Shape::Capsule(s) => Kind::Convex(s),
            Shape::TaperedCapsule(s) => Kind::Convex(s),
            Shape::Cuboid(s) => Kind::Convex(s),
            Shape::Cylinder(s) => Kind::Convex(s),
            Shape::Cone(s) => Kind::Convex(s),
            Shape::Ellipsoid(s) => Kind::Convex(s),
            Shape::Hull(s) => Kind::Convex(&**s),
            Shape::Rounded(s) => Kind::Convex(&**s),
            Shape::HalfSpace(s) => Kind::HalfSpace(s),
            Shape::Mesh(s) => Kind::Mesh(s),
            // A height field is handled as the mesh of its triangles.
            Shape::HeightField(s) => Kind::Mesh(s.mesh()),
            Shape::Compound(s) => Kind::Compound(s),
            Shape::User(s) => Kind::Convex(&**s),
            Shape::Field(s) => Kind::Field(&**s),
        }
    }

    /// Returns a box around the shape at `pose`, rounded outwards. That of a half-space is
    /// infinite.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        match self {
            Shape::Sphere(s) => s.aabb(pose),
            Shape::Capsule(s) => s.aabb(pose),
            Shape::TaperedCapsule(s) => s.aabb(pose),
            Shape::Cuboid(s) => s.aabb(pose),
            Shape::Cylinder(s) => s.aabb(pose),
            Shape::Cone(s) => s.aabb(pose),
            Shape::Ellipsoid(s) => s.aabb(pose),
            Shape::Hull(s) => s.aabb(pose),
            Shape::Rounded(s) => s.aabb(pose),
            Shape::HalfSpace(s) => s.aabb(pose),
            Shape::Mesh(s) => s.aabb(pose),
            Shape::HeightField(s) => s.mesh().aabb(pose),
            Shape::Compound(s) => s.placed_box(&pose.wide()),
            Shape::User(s) => aabb_from_support(&**s, &pose.wide()),
            Shape::Field(s) => box_around(s.bounds(), &pose.wide()),
        }
    }

    /// Whether the shape has a support map: it is convex and bounded.
    pub fn is_convex(&self) -> bool {
        matches!(self.kind(), Kind::Convex(_))
    }

    /// [`Shape::aabb`] for a pose in `f64`.
    pub(super) fn placed_box(&self, pose: &WidePose) -> Aabb {
        match self.kind() {
            Kind::Convex(s) => aabb_from_support(s, pose),
            Kind::HalfSpace(_) => Aabb { min: glam::Vec3::NEG_INFINITY, max: glam::Vec3::INFINITY },
            Kind::Mesh(s) => s.placed_box(pose),
            Kind::Field(s) => box_around(s.bounds(), pose),
            Kind::Compound(s) => s.placed_box(pose),
        }
    }

    /// Returns how many part numbers the shape uses: one for each triangle of a mesh and each part
    /// of a compound, else one.
    pub(super) fn n_parts(&self) -> u32 {
        match self.kind() {
            Kind::Convex(_) | Kind::HalfSpace(_) | Kind::Field(_) => 1,
            Kind::Mesh(s) => s.mesh().n_triangles() as u32,
            Kind::Compound(s) => s.n_parts(),
        }
    }

    /// Whether the part with this number is a triangle of a mesh.
    pub(super) fn is_mesh_part(&self, number: u32) -> bool {
        match self.kind() {
            Kind::Convex(_) | Kind::HalfSpace(_) | Kind::Field(_) => false,
            Kind::Mesh(_) => true,
            Kind::Compound(s) => {
                let (part, number) = s.locate(number);
                s.parts().get(part).is_some_and(|part| part.shape.is_mesh_part(number))
            }
        }
    }

    /// Returns the corners of the triangle with this part number, for this shape at `pose`. `None`
    /// if the part is not a triangle of a mesh, or does not exist.
    pub(super) fn triangle_corners(&self, number: u32, pose: &WidePose) -> Option<[DVec3; 3]> {
        match self.kind() {
            Kind::Convex(_) | Kind::HalfSpace(_) | Kind::Field(_) => None,
            Kind::Mesh(s) => ((number as usize) < s.mesh().n_triangles())
                .then(|| s.mesh().triangle(number).corners_wide().map(|corner| pose.transform_point(corner))),
            Kind::Compound(s) => {
                let (part, number) = s.locate(number);
                let part = s.parts().get(part)?;
                part.shape.triangle_corners(number, &part.pose.wide().relative_to(&pose.inverse()))
            }
        }
    }

    /// Calls `ask` with the convex part that has this part number, and with the pose of the part if
    /// this shape is at `pose`. `None` for a half-space, a field, or a number without a part.
    pub(super) fn with_part<T>(
        &self,
        number: u32,
        pose: &WidePose,
        ask: impl FnOnce(&dyn SupportMap, &WidePose) -> T,
    ) -> Option<T> {
        match self.kind() {
            Kind::Convex(s) => Some(ask(s, pose)),
            Kind::HalfSpace(_) | Kind::Field(_) => None,
            Kind::Mesh(s) => {
                ((number as usize) < s.mesh().n_triangles()).then(|| ask(&s.mesh().triangle(number), pose))
            }
            Kind::Compound(s) => {
                let (part, number) = s.locate(number);
                let part = s.parts().get(part)?;
                let pose = part.pose.wide().relative_to(&pose.inverse());
                // A part is not a compound, so this recurses once.
                part.shape.with_part(number, &pose, ask)
            }
        }
    }
}

/// Returns a box around an oriented box, rounded outwards. The corners are in the frame of the box.
pub(super) fn box_around([low, high]: [DVec3; 2], pose: &WidePose) -> Aabb {
    let (center, half) = ((low + high) * 0.5, (high - low) * 0.5);
    let r = &pose.rotation;
    let center = pose.transform_point(center);
    let extent = r.x_axis.abs() * half.x + r.y_axis.abs() * half.y + r.z_axis.abs() * half.z;
    // Bounds the rounding of about twenty operations, each relative to the largest operand.
    let reach = low.abs().max(high.abs()).max_element() + pose.translation.abs().max_element();
    let slack = reach * (32.0 * f64::EPSILON);
    Aabb::around(center - extent - slack, center + extent + slack)
}
