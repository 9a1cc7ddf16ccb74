//! Components of bodies and colliders.
//!
//! - A body is an entity with [`RigidBody`]. Its place is its `Transform`.
//! - A collider is an entity with [`Collider`]: the body itself, or one below it in the hierarchy.
//! - All others are optional. Values are compared with those of the step before, so they may be
//!   inserted, changed and removed at any time.

use crate::convert::to_carom;
use bevy_ecs::component::Component;
use bevy_math::Vec3;
use bevy_transform::components::Transform;
use carom_geom::{HullError, MeshError, ShapeError};
use carom_query::Shape;
use carom_world::{Filter, LockedAxes, Material, Mobility};

/// Makes an entity a body, and says how it moves.
///
/// A dynamic body needs a [`Collider`] with volume, or a [`Mass`]. A body below another entity in
/// the hierarchy follows it if it is fixed or kinematic. A dynamic one stays in its place.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[require(Transform, LinearVelocity, AngularVelocity)]
pub enum RigidBody {
    /// Moved by forces, contacts and joints.
    #[default]
    Dynamic,
    /// Moved by its velocities and its `Transform`, whatever it meets. It carries and pushes.
    Kinematic,
    /// Stays in its place.
    Fixed,
}

impl RigidBody {
    pub(crate) fn mobility(self) -> Mobility {
        match self {
            RigidBody::Dynamic => Mobility::Dynamic,
            RigidBody::Kinematic => Mobility::Kinematic,
            RigidBody::Fixed => Mobility::Fixed,
        }
    }
}

/// A shape at the entity's `Transform`, as a part of the nearest body: that of the entity itself or
/// of one above it. Without a body it is not simulated.
///
/// The scales of the transforms scale the shape. A round shape takes equal factors only:
/// [`Shape::scaled`]. Rotations below an unequal scale do not shear it.
#[derive(Component, Clone, Debug)]
#[require(Transform)]
pub struct Collider(pub Shape);

impl Collider {
    /// A ball around the origin.
    pub fn sphere(radius: f32) -> Result<Collider, ShapeError> {
        Shape::sphere(radius).map(Collider)
    }

    /// A box around the origin, from half its size along each axis.
    pub fn cuboid(half_extents: Vec3) -> Result<Collider, ShapeError> {
        Shape::cuboid(to_carom(half_extents)).map(Collider)
    }

    /// All points within `radius` of a segment of twice `half_height` along y.
    pub fn capsule(half_height: f32, radius: f32) -> Result<Collider, ShapeError> {
        Shape::capsule(half_height, radius).map(Collider)
    }

    /// A cylinder along y around the origin.
    pub fn cylinder(half_height: f32, radius: f32) -> Result<Collider, ShapeError> {
        Shape::cylinder(half_height, radius).map(Collider)
    }

    /// All points on the side of a plane through the origin that the normal does not show to.
    pub fn half_space(normal: Vec3) -> Result<Collider, ShapeError> {
        Shape::half_space(to_carom(normal)).map(Collider)
    }

    /// The convex hull of points.
    pub fn hull(points: &[Vec3]) -> Result<Collider, HullError> {
        let points: Vec<carom_math::Vec3> = points.iter().map(|p| to_carom(*p)).collect();
        Shape::hull(&points).map(Collider)
    }

    /// A mesh of triangles, three indices of vertices each.
    pub fn mesh(vertices: &[Vec3], triangles: Vec<[u32; 3]>) -> Result<Collider, MeshError> {
        Shape::mesh(vertices.iter().map(|p| to_carom(*p)).collect(), triangles).map(Collider)
    }
}

impl From<Shape> for Collider {
    fn from(shape: Shape) -> Collider {
        Collider(shape)
    }
}

/// Velocity of the centre of mass, or of the origin of a kinematic body, in the world: length per
/// second. Written after each step.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct LinearVelocity(pub Vec3);

/// Angular velocity in the world, radians per second. Written after each step.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct AngularVelocity(pub Vec3);

/// The mass of a body, spread as its colliders are. Without it, densities make the mass. If it is
/// removed, the body keeps the mass that it has.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct Mass(pub f32);

/// The part of gravity that acts on a body, by default 1.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct GravityScale(pub f32);

/// The rates at which the velocities of a body decay, per second, by default 0.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct Damping {
    /// Damping of the linear velocity.
    pub linear: f32,
    /// Damping of the angular velocity.
    pub angular: f32,
}

/// The axes of the world along and about which a body does not move.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxisLocks(pub LockedAxes);

/// Sweeps a body in each step, so that it passes through nothing.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ccd;

/// Whether a body may fall asleep, by default true.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub struct CanSleep(pub bool);

/// A force and a torque that act on a dynamic body in each step, in the world.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct ConstantForce {
    /// At the centre of mass.
    pub force: Vec3,
    /// About the centre of mass.
    pub torque: Vec3,
}

/// Friction, restitution and more of a collider. By default friction 0.5 and no restitution.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct SurfaceMaterial(pub Material);

impl SurfaceMaterial {
    /// With this friction and restitution.
    pub const fn new(friction: f32, restitution: f32) -> SurfaceMaterial {
        SurfaceMaterial(Material::new(friction, restitution))
    }
}

/// The colliders that a collider meets. By default it is in the first group and meets all.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollisionFilter(pub Filter);

/// Mass per volume of a collider, by default 1000: that of water in kg/m3.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct Density(pub f32);

/// Makes a collider report what it overlaps, and push nothing.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sensor;

/// The normal impulse in a step, in mass times speed, above which a contact of the collider is
/// reported as [`ContactImpulse`](crate::ContactImpulse). Without it none is.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct ImpulseThreshold(pub f32);
