//! Robots and the shapes around them: meshes, primitives, point clouds or octrees. The crate tests
//! whether links collide at given joint values, and when they first meet along a trajectory. It
//! also finds the pairs of links that need no test.
//!
//! ```
//! use carom_io::Format;
//! use carom_robot::{AllowedSettings, Workcell, allowed_pairs};
//!
//! let arm = br#"<robot name="arm">
//!   <link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
//!   <link name="upper"><collision><origin xyz="2 0 0"/><geometry><box size="1 1 1"/></geometry></collision></link>
//!   <link name="hand"><collision><origin xyz="3 0 0"/><geometry><box size="1 1 1"/></geometry></collision></link>
//!   <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/></joint>
//!   <joint name="elbow" type="revolute"><parent link="upper"/><child link="hand"/><origin xyz="3 0 0"/>
//!     <axis xyz="0 0 1"/><limit lower="-3.14" upper="3.14"/></joint>
//! </robot>"#;
//! let model = carom_io::parse(arm, Format::Urdf, "arm.urdf".as_ref())?;
//! let mut cell = Workcell::of_model(&model)?;
//!
//! // The elbow folds the hand back into the base.
//! let robot = &cell.robots()[0];
//! let folded = cell.part_poses(&[robot.values(&[("elbow", 3.14)])?]);
//! assert!(cell.is_touching([0, 2], &folded));
//!
//! // So this pair must be tested, and adjacent links need no test.
//! let allowed = allowed_pairs(&cell, 0, &AllowedSettings::default())?;
//! assert_eq!(allowed.iter().map(|pair| pair.parts).collect::<Vec<_>>(), [[0, 1], [1, 2]]);
//! cell.allow(allowed.iter().map(|pair| pair.parts));
//!
//! // All other pairs at once, for many states.
//! let robot = &cell.robots()[0];
//! let rows = [0.0, 1.0, 3.14].map(|elbow| robot.values(&[("elbow", elbow)]).map(|values| vec![values]));
//! let rows = rows.into_iter().collect::<Result<Vec<_>, _>>()?;
//! assert_eq!(cell.collides_rows(&rows), [false, false, true]);
//! assert_eq!(cell.collisions(&rows[2]), [[0, 2]]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core)] // An application crate, never without std.

mod allowed;
mod collisions;
mod joint_path;
mod outward_mesh;
mod part;
mod srdf;
mod workcell;

pub use allowed::{AllowedError, AllowedPair, AllowedReason, AllowedSearch, AllowedSettings, allowed_pairs};
pub use joint_path::{FirstContact, JointPath, JointPathError};
pub use outward_mesh::outward_mesh;
pub use srdf::srdf_text;
pub use workcell::{NearestPair, Workcell};
