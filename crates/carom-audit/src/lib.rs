//! Checks after each step that a world obeys the laws of physics.
//!
//! ```
//! use carom_audit::{Audit, AuditSettings};
//! use carom_geom::{HalfSpace, Sphere};
//! use carom_math::Vec3;
//! use carom_query::Shape;
//! use carom_world::{BodyDesc, World};
//!
//! let mut world = World::new();
//! world.insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y)?)))?;
//! let ball = Shape::Sphere(Sphere::new(0.5)?);
//! world.insert(BodyDesc::dynamic(ball).with_position(Vec3::new(0.0, 3.0, 0.0)).with_restitution(0.8))?;
//! let mut audit = Audit::new(AuditSettings::default());
//! for _ in 0..240 {
//!     audit.begin(&world);
//!     world.step(1.0 / 60.0)?;
//!     audit.end(&world, 1.0 / 60.0);
//! }
//! assert!(audit.faults().is_empty(), "{:?}", audit.faults());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - Energy: bodies that met share an account. Their energy may not exceed the energy at the start
//!   plus the work of forces and of the caller.
//! - Momentum: if a group of bodies touches nothing outside it, only gravity and forces may change
//!   it.
//! - Sides: the centre of a body may not pass the surface of a fixed body. Two cases are excepted.
//!   The centre is outside of the body's own colliders. Or the two bodies do not collide: as
//!   sensors, or because of their groups, their response or a joint. An audit sees no hooks. If a
//!   hook lets bodies pass, turn this test off with [`AuditSettings::with_sides`].
//! - Overlap, sleep, events, and numbers that are not finite.
#![forbid(unsafe_code)]

extern crate alloc;

mod audit;
mod settings;
mod side;
mod state;

pub use audit::{Audit, Fault, FaultKind};
pub use settings::AuditSettings;
