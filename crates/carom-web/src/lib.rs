//! The testbed: scenes of carom that run while a user drags, shoots, spawns and sets.
//!
//! ```
//! use carom_web::scenes::{Request, scene};
//! use carom_web::{Action, Setting, SpawnShape, Testbed};
//!
//! let pyramid = scene("pyramid").ok_or("no such scene")?;
//! let mut bed = Testbed::start(pyramid, Request { count: 5, seed: 1 }, "dynamic-bvh")?;
//! for _ in 0..30 {
//!     bed.step()?;
//! }
//!
//! // The broad phase changes, the state does not, to the bit.
//! let hash = bed.state_hash();
//! bed.set_broad_phase("sweep-and-prune")?;
//! assert_eq!(bed.state_hash(), hash);
//!
//! // A user takes hold of a box and pulls it up. It is recorded, and replayed to the same bits.
//! bed.record()?;
//! bed.act(&Action::Grab { origin: [0.0, 4.5, 9.0], direction: [0.0, 0.0, -1.0] })?;
//! bed.act(&Action::Drag { to: [0.0, 8.0, 0.0] })?;
//! bed.act(&Action::Spawn { shape: SpawnShape::Ring, at: [0.0, 9.0, 3.0], size: 0.5 })?;
//! bed.act(&Action::Set { setting: Setting::Friction, value: 0.9 })?;
//! for _ in 0..60 {
//!     bed.step()?;
//! }
//! assert_eq!(bed.end_recording()?, 60);
//! bed.start_replay()?;
//! for _ in 0..60 {
//!     bed.step()?;
//! }
//! assert_eq!(bed.replay(), Some(carom_web::ReplayOutcome::Same));
//! # Ok::<(), carom_web::scenes::Error>(())
//! ```
#![cfg_attr(not(target_family = "wasm"), forbid(unsafe_code))]
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core)] // An application crate, never without std.

mod action;
mod drag;
mod explain;
mod islands;
mod live;
mod picture;
pub mod scenes;
mod testbed;
mod triangles;
#[cfg(target_family = "wasm")]
pub mod wasm;

pub use action::{Action, Setting, SpawnShape};
pub use drag::{Drag, DragTarget};
pub use live::Live;
pub use picture::{Drawn, NONE, Picture};
pub use testbed::{ReplayOutcome, Testbed};
