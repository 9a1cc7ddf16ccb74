//! The plugin of carom for bevy.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod components;
mod convert;
mod debug_lines;
mod events;
mod interpolation;
mod joint;
mod messages;
mod physics_world;
mod placement;
mod plugin;
mod queries;
mod read;
mod remove;
mod write;

pub use components::{
    AngularVelocity, AxisLocks, CanSleep, Ccd, Collider, CollisionFilter, ConstantForce, Damping, Density,
    GravityScale, ImpulseThreshold, LinearVelocity, Mass, RigidBody, Sensor, SurfaceMaterial,
};
pub use convert::{pose_of, transform_of};
pub use debug_lines::{DebugLine, DebugLines, DebugPoint};
pub use interpolation::Interpolated;
pub use joint::Joint;
pub use messages::{
    ContactBegan, ContactEnded, ContactImpulse, JointBroke, Refusal, RefusalCause, StepRefused,
};
pub use physics_world::PhysicsWorld;
pub use plugin::{CaromPlugin, CaromSystems};
pub use queries::{EntityHit, EntityImpact, NearEntity};

pub use carom_ccd::ImpactSettings;
pub use carom_geom::ShapeError;
pub use carom_query::Shape;
pub use carom_world::{
    AxisLimit, BodyId, ColliderId, CombineRule, DrawFlags, DrawRole, Filter, Groups, JointAxis, JointDesc,
    JointId, LockedAxes, MassFault, Material, Mobility, Motor, QueryFilter, SolverSettings, Spring, World,
    WorldError, WorldSettings,
};
