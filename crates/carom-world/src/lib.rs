//! A world of bodies: the pipeline from boxes to contacts to motion.
//!
//! ```
//! use carom_geom::{Cuboid, HalfSpace, Sphere};
//! use carom_math::{Ray, Vec3};
//! use carom_query::Shape;
//! use carom_world::{BodyDesc, Event, EventKind, QueryFilter, World};
//!
//! let mut world = World::new();
//! world.insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y)?)))?;
//! let crate_ = world.insert(
//!     BodyDesc::dynamic(Shape::Cuboid(Cuboid::new(Vec3::splat(0.5))?))
//!         .with_position(Vec3::new(0.0, 2.0, 0.0)),
//! )?;
//! let mut landed = false;
//! for _ in 0..180 {
//!     world.step(1.0 / 60.0)?;
//!     let began = |event: &Event| event.kind == EventKind::Began && event.b == crate_;
//!     landed |= world.events().iter().any(began);
//! }
//! assert!(landed);
//! assert!((world.body(crate_)?.position().y - 0.5).abs() < 0.01);
//! assert!(world.body(crate_)?.is_sleeping());
//!
//! let down = Ray::new(Vec3::new(0.1, 5.0, 0.0), Vec3::NEG_Y);
//! let hit = world.query(&QueryFilter::SOLID).cast_ray(&down, 100.0).unwrap();
//! assert_eq!(hit.body, crate_);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A world can do the following; `FEATURES.md` of the crate has the limits and the tests:
//!
//! - **Bodies** of one or several colliders: [`World::insert`], [`World::body`] and
//!   [`World::body_mut`]. Forces, targets, sleep, budgets and [`StepStats`].
//! - **Joints** of thirteen kinds, with limits, motors and springs: [`JointDesc`].
//! - **Queries**: rays, shapes that are cast, overlaps and nearest points: [`World::query`].
//! - **Events** of contacts, impulses and broken joints: [`World::events`],
//!   [`World::impulse_events`], [`World::broken_joints`]. [`Hooks`] change contacts in a step.
//! - **Force fields**, belts, and meshes that deform: [`World::insert_force_field`],
//!   [`BodyMut::set_surface_velocity`], [`BodyMut::deform`].
//! - **Soft things**, with the feature `soft`: cloth, ropes, soft bodies, liquids, gas and grains.
//! - **Snapshots** in memory and in files: [`World::snapshot`].
//!
//! The same input gives the same bits with any broad phase and any number of threads (tests:
//! `golden::with_any_broad_phase`, `golden::with_one_two_and_seven_threads`). `cargo xtask golden`
//! compares these bits on each target that it can run.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod bodies;
mod budget;
mod contacts;
mod continuous;
mod edit;
mod error;
mod hooks;
mod joints;
#[cfg(feature = "parallel")]
mod par;
mod queries;
mod settings;
mod snapshot;
#[cfg(feature = "soft")]
mod soft;
mod stats;
mod step;
mod validate;
mod world;

pub use bodies::active_hooks::ActiveHooks;
pub use bodies::body::{BodyDesc, BodyMass, mass_of};
pub use bodies::collider::ColliderDesc;
pub use bodies::force_fields::{ForceFieldDesc, ForceFieldId, ForceKind, ForceRegion};
pub use bodies::id::{BodyId, ColliderId};
pub use bodies::material::{Filter, Material};
pub use bodies::part_materials::PartMaterial;
pub use bodies::saved_shapes::SavedCollider;
pub use bodies::step_forces::StepForces;
pub use budget::detail::{DetailLevels, allowed_error};
pub use budget::frame_controller::FrameController;
pub use budget::noticed::Viewer;
pub use contacts::events::{ContactView, Event, EventKind, ImpulseEvent};
pub use contacts::hook_input::{ContactPointMut, MixedMaterial, PairSide};
pub use contacts::pushes::Push;
pub use contacts::rules::ResponseEvent;
pub use edit::body_mut::BodyMut;
pub use edit::collider_mut::ColliderMut;
pub use edit::joint_mut::JointMut;
pub use error::{MassFault, WorldError};
pub use hooks::{ContactMut, Hooks, PairView, Side};
pub use joints::desc::{JointDesc, JointEnds, JointFrames};
pub use joints::{JointBroken, JointId};
pub use queries::body_ref::BodyRef;
pub use queries::cast::BodyImpact;
pub use queries::collider_ref::ColliderRef;
pub use queries::debug_draw::{DebugDraw, DrawFlags, DrawRole};
pub use queries::filter::QueryFilter;
pub use queries::joint_ref::JointRef;
pub use queries::query::{BodyHit, NearBody, Query, QueryStats};
#[cfg(feature = "soft")]
pub use queries::soft_rays::SoftHit;
pub use settings::WorldSettings;
pub use snapshot::Snapshot;
#[cfg(feature = "soft")]
pub use soft::desc::{ParticlePhase, ParticlesDesc, SoftBodyDesc, SoftBodyKind, SoftSettings};
#[cfg(feature = "soft")]
pub use soft::error::SoftError;
#[cfg(feature = "soft")]
pub use soft::id::{ParticlesId, SoftBodyId, SoftThing};
#[cfg(feature = "soft")]
pub use soft::load::SoftLoad;
#[cfg(feature = "soft")]
pub use soft::set::SoftEvent;
#[cfg(feature = "soft")]
pub use soft::views::{ParticlesMut, ParticlesRef, SoftBodyMut, SoftBodyRef};
pub use stats::{PhaseTimes, Shortfall, StepStats};
pub use step::options::StepOptions;
pub use step::substeps::{BodyForces, Substep};
pub use world::{DefaultBroadPhase, World};

pub use carom_broad::{Answers, Groups, Mobility};
pub use carom_math::Budget;
#[cfg(feature = "soft")]
pub use carom_particles::{
    ClothSettings, ConstraintError, Gas, Grains, Liquid, ParticleError, RopeSettings, SoftBodySettings,
    SurfaceMesh,
};
pub use carom_response::plausible::Scatter;
pub use carom_response::{
    AxisLimit, CombineRule, Drive, Energy, GearParts, Inconsistency, Joint, JointAxis, JointFault, JointKind,
    JointLoad, LockedAxes, Motor, Response, SixDof, SolverSettings, Spring, TorsionSpring, Winding,
};
