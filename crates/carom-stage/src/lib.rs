//! Scenes of plain data as bodies of a world, and shapes as triangles for a picture.
//!
//! ```
//! use carom_stage::{Outlines, PlayerShape, insert};
//! use carom_world::World;
//!
//! let mut world = World::new();
//! let bodies = insert(&mut world, &carom_scenes::pile(12, 1))?;
//! for _ in 0..10 {
//!     world.step(1.0 / 60.0)?;
//! }
//!
//! // What a renderer needs: a shape for each body, and each shape once.
//! let mut outlines = Outlines::default();
//! let numbers: Vec<u32> = world.shapes().map(|(_, shape)| outlines.number_of(shape)).collect();
//! assert_eq!(numbers.len(), bodies.len());
//! assert!(outlines.shapes().iter().any(|shape| matches!(shape, PlayerShape::Cuboid(_))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod insert;
mod outline;
pub mod page;

pub use insert::{insert, shape_of};
pub use outline::{Outlines, PlayerMesh, PlayerShape};
