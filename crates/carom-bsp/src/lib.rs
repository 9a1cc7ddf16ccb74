//! Brush worlds: one BSP tree of a level. Bodies of any size are swept through it by shifting its
//! planes.
//!
//! ```
//! use carom_bsp::{Ball, Brush, BspSettings, BspTree, Contents};
//! use carom_math::glam::DVec3;
//!
//! // A floor, and a wall that stands on it across the path.
//! let floor = Brush::cuboid(DVec3::new(-8.0, -8.0, -1.0), DVec3::new(8.0, 8.0, 0.0), Contents::SOLID)?;
//! let wall = Brush::cuboid(DVec3::new(4.0, -8.0, 0.0), DVec3::new(4.5, 8.0, 3.0), Contents::SOLID)?;
//! let level = BspTree::from_brushes(&[floor, wall], &BspSettings::default())?;
//! assert_eq!(level.contents_at(DVec3::new(4.2, 0.0, 1.0)), Contents::SOLID);
//!
//! // A ball of half a metre flies at the wall: it stops half a metre before it.
//! let ball = Ball { radius: 0.5 };
//! let hit = level.trace(&ball, DVec3::new(0.0, 0.0, 1.0), DVec3::new(7.0, 0.0, 0.0), Contents::SOLID).unwrap();
//! assert!((hit.t - 0.5).abs() < 1e-12 && hit.normal == -DVec3::X);
//! // The same tree, for a point.
//! let hit = level.trace(&carom_bsp::Point, DVec3::new(0.0, 0.0, 1.0), DVec3::new(8.0, 0.0, 0.0), Contents::SOLID);
//! assert_eq!(hit.unwrap().t, 0.5);
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod bevel;
mod body;
mod brush;
mod build;
mod classify;
mod fragment;
mod group;
mod label;
mod mesh;
mod planes;
#[cfg(feature = "serde")]
mod stored;
mod trace;
mod tree;
mod walk;

pub use body::{Ball, Body, Cylinder, Point, Points, Supported};
pub use brush::{Brush, BrushError, Face};
pub use build::{Bevels, BspError, BspSettings};
pub use group::{BallGroup, BallGroupError, GroupHit, PlacedBall};
pub use planes::SplitPlane;
pub use trace::TraceHit;
pub use tree::{BspReport, BspTree, Contents};
pub use walk::TraceStack;
