//! Procedural meshes and scenes for demos, benches and tests. They are seeded, and the same on
//! every machine (tests: `meshes::meshes_are_the_same_bits_everywhere`,
//! `piles::piles_are_the_same_bits_everywhere`).
//!
//! Meshes, scenes and crowds are plain data. A mesh is vertices and triangles; a scene is shapes,
//! poses and joints; a crowd is boxes that move. A soft body ([`soft`]) is particles, and triangles
//! or tetrahedra. Sines come from the `libm` crate, in software, so a scene does not change with
//! the system's library.
//!
//! ```
//! use carom_scenes::{Crowd, CrowdKind, mesh, pile};
//!
//! let knot = mesh::torus_knot(&mesh::Knot::default(), 70_000);
//! assert_eq!(knot.triangles.len(), 70_000);
//!
//! let mut crowd = Crowd::new(CrowdKind::Static90, 1000, 7);
//! assert_eq!(crowd.step().len(), 100); // Every tenth box moves.
//!
//! let scene = pile(200, 1);
//! assert_eq!(scene.n_moving(), 200);
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod ants;
mod body;
mod broadmark;
mod bullets;
mod clock;
mod clockwork;
mod courses;
mod crowd;
mod escapement;
mod hull;
mod level;
pub mod mesh;
mod morph;
mod pile;
mod ragdoll;
mod rng;
pub mod scoreboard;
mod skin;
pub mod soft;
mod stairs;
mod stick;
mod tetrahedra;
mod works;

pub use ants::{ANT_HEIGHT, ANT_LENGTH, AntHill, ants};
pub use body::{BodySpec, Drive, JointSpec, SceneSpec, ShapeSpec};
pub use bullets::bullets;
pub use clock::{Clock, ClockPart, ClockPartKind, ClockSettings};
pub use clockwork::{MOVEMENT_BODIES, MOVEMENT_GEARS, clockwork};
pub use courses::{CASTLE_PATH, arena, car_course, castle, corner_course, slope_course, step_course};
pub use crowd::{Crowd, CrowdKind};
pub use escapement::Escapement;
pub use hull::{HULL_RADII, hull_points};
pub use level::{Block, Level};
pub use morph::{MorphMesh, morph_head};
pub use pile::{bench_pile, pile, torus_compound};
pub use ragdoll::{RAGDOLL_BODIES, push_ragdoll};
pub use rng::Rng;
pub use skin::{Bone, SkinnedMesh, walking_figure};
pub use stairs::stairs;
pub use stick::stick;
pub use tetrahedra::Tetrahedra;
pub use works::works;
