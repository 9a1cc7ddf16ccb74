//! Characters and cars. A character slides, climbs steps and slopes, and falls. It works in each
//! world that implements [`Sweep`]. A car needs only rays ([`RaySweep`]).
//!
#![cfg_attr(feature = "bsp", doc = "```")]
#![cfg_attr(not(feature = "bsp"), doc = "```ignore")]
//! use carom_bsp::{BspSettings, BspTree, Brush, Contents};
//! use carom_character::{BspWorld, Character, CharacterSettings, Figure};
//! use carom_math::glam::DVec3;
//!
//! // A floor, a step of 30 cm, and a wall on it.
//! let cuboid = |low: [f64; 3], high: [f64; 3]| Brush::cuboid(low.into(), high.into(), Contents::SOLID);
//! let brushes = [
//!     cuboid([-5.0, -1.0, -5.0], [20.0, 0.0, 5.0])?,
//!     cuboid([2.0, 0.0, -5.0], [20.0, 0.3, 5.0])?,
//!     cuboid([6.0, 0.3, -5.0], [6.5, 3.0, 5.0])?,
//! ];
//! let level = BspTree::from_brushes(&brushes, &BspSettings::default())?;
//!
//! let figure = Figure::cylinder(1.8, 0.3)?;
//! let start = DVec3::new(0.0, 1.0, 0.0);
//! let mut character = Character::new(figure, CharacterSettings::default(), start)?;
//! let mut world = BspWorld::new(&level);
//! // Three seconds at two metres a second, straight on.
//! let mut steps = 0;
//! for _ in 0..180 {
//!     steps += character.walk(&mut world, DVec3::X * 2.0, 1.0 / 60.0).steps;
//! }
//! let skin = character.settings().skin;
//! assert_eq!(steps, 1);
//! let end = DVec3::new(5.7 - skin, 0.3 + skin, 0.0);
//! assert!((character.feet() - end).length() < 1e-9, "stopped by the wall");
//! assert_eq!(character.walked().contacts[0].normal, -DVec3::X);
//!
//! // Towards the wall at an angle: along it.
//! character.walk(&mut world, DVec3::new(2.0, 0.0, 1.0), 1.0 / 60.0);
//! assert!((character.velocity() - DVec3::Z).length() < 1e-9);
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! In a `carom_world::World` (feature `world`) a `CharacterBody` is an obstacle for bodies and
//! pushes them. A `WorldSweep` is a view of the world for a character or a car. A `Vehicle` adds
//! wheels to a body. The feature `soft` lets both stand on cloth and soft bodies.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
#![allow(clippy::duplicate_mod)] // The two-precision seam: kernel/ is compiled for f32 and again for f64.

extern crate alloc;

#[cfg(feature = "query")]
mod approach;
#[cfg(feature = "bsp")]
mod bsp_world;
mod car;
#[cfg(feature = "world")]
mod character_body;
mod cone;
#[cfg(feature = "query")]
mod field_faces;
mod figure;
mod ground;
#[cfg(feature = "world")]
mod kernel;
#[cfg(feature = "world")]
mod knock;
#[cfg(feature = "world")]
mod num;
#[cfg(feature = "world")]
mod one_way;
#[cfg(feature = "query")]
mod parts;
mod settings;
#[cfg(feature = "world")]
mod shape_ray;
#[cfg(feature = "query")]
mod shape_world;
mod slide;
#[cfg(feature = "soft")]
mod soft_ground;
#[cfg(feature = "soft")]
mod soft_push;
#[cfg(feature = "soft")]
mod soft_stand;
#[cfg(feature = "soft")]
mod soft_surfaces;
mod step;
#[cfg(feature = "serde")]
mod stored;
mod sweep;
#[cfg(feature = "query")]
mod twin;
#[cfg(feature = "world")]
mod vehicle;
mod walk;
#[cfg(feature = "world")]
mod wheel;
#[cfg(feature = "world")]
mod wheel_solver;
#[cfg(feature = "world")]
mod world_sweep;

#[cfg(feature = "bsp")]
pub use bsp_world::BspWorld;
pub use car::{Car, CarSettings, Controls, Wheel};
#[cfg(feature = "world")]
pub use character_body::{BodyContact, CharacterBody};
pub use cone::nearest_allowed;
pub use figure::{Figure, Form};
pub use ground::{Ground, GroundKind};
#[cfg(feature = "world")]
pub use one_way::OneWay;
pub use settings::{CharacterSettings, SettingsError};
#[cfg(feature = "query")]
pub use shape_world::ShapeWorld;
pub use slide::{Contact, Slide, move_and_slide};
pub use sweep::{NO_OBJECT, RayHit, RaySweep, Sweep, SweepHit};
#[cfg(feature = "world")]
pub use vehicle::Vehicle;
pub use walk::{Character, Walked};
#[cfg(feature = "world")]
pub use wheel::{VehicleWheel, WheelDesc};
#[cfg(feature = "world")]
pub use world_sweep::WorldSweep;
