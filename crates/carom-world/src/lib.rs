//! A world of bodies: the pipeline from boxes to contacts to motion.
//!
//! ```
//! use carom_geom::{Cuboid, HalfSpace, Sphere};
//! use carom_math::{Interval, Ray, Vec3};
//! use carom_query::Shape;
//! use carom_world::{BodyDesc, EventKind, World};
//!
//! let mut world = World::new();
//! world.insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y)?)))?;
//! let crate_ = world.insert(
//!     BodyDesc::new(Shape::Cuboid(Cuboid::new(Vec3::splat(0.5))?)).with_position(Vec3::new(0.0, 2.0, 0.0)),
//! )?;
//! let mut landed = false;
//! for _ in 0..180 {
//!     world.step(1.0 / 60.0)?;
//!     landed |= world.events().iter().any(|event| event.kind == EventKind::Began && event.b == crate_);
//! }
//! assert!(landed);
//! assert!((world.pose(crate_)?.translation.y - 0.5).abs() < 0.01);
//! assert!(world.is_sleeping(crate_)?);
//!
//! let down = Ray::new(Vec3::new(0.1, 5.0, 0.0), Vec3::NEG_Y);
//! let hit = world.ray_cast(&down, Interval::FORWARD, &|_| true).unwrap();
//! assert_eq!(hit.body, crate_);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The same input gives the same bits with any broad phase and any number of threads (tests:
//! `golden::with_any_broad_phase`, `golden::with_one_two_and_seven_threads`). It does so on every
//! target that `cargo xtask golden` finds.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod body;
mod cast;
mod changes;
mod core_cache;
mod course;
mod crowd;
mod debug_draw;
mod detail;
mod edit;
mod error;
mod events;
mod flight;
mod frame_controller;
mod guard;
mod halting;
mod handed;
mod internal_edges;
mod joint;
mod meetings;
mod movers;
mod narrow;
mod pace;
mod pairs;
#[cfg(feature = "parallel")]
mod par;
mod passes;
mod placing;
mod put_back;
mod query;
mod query_batch;
mod records;
mod recycling;
mod responses;
mod rest;
mod settings;
mod slide;
mod snapshot;
mod stats;
mod sweep;
mod time_critical;
mod turns;
mod validate;
mod waking;
mod world;

pub use body::{BodyDesc, BodyId, mass_of};
pub use cast::BodyImpact;
pub use debug_draw::{DebugDraw, DrawFlags, DrawRole};
pub use detail::{DetailLevels, allowed_error};
pub use error::WorldError;
pub use events::{ContactView, Event, EventKind};
pub use frame_controller::FrameController;
pub use joint::JointId;
pub use query::{BodyHit, NearBody};
pub use query_batch::Wanted;
pub use responses::ResponseEvent;
pub use settings::WorldSettings;
pub use snapshot::Snapshot;
pub use stats::{PhaseTimes, Stats, Undone};
pub use world::World;

pub use carom_broad::{Answers, Groups, Mobility};
pub use carom_math::Budget;
pub use carom_response::plausible::Scatter;
pub use carom_response::{
    Energy, Inconsistency, Joint, JointKind, Motor, Response, SolverSettings, TorsionSpring, Winding,
};
