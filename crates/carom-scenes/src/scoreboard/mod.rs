//! The scoreboard: ordinary scenes, each with figures that physics predicts or limits.
//!
//! 1. A [`Row`] has a scene of plain data, so every engine simulates the same one: bodies, shapes,
//!    joints, and the velocities of kinematic bodies over time.
//! 2. An engine plays it in steps of [`STEP`] and records a [`Film`]: poses, velocities and sleep
//!    at the end of each step.
//! 3. A [`Figure`] computes a number from the film and compares it with a limit. It does not
//!    depend on the engine.
//!
//! Each family of rows is one file: [`stacks`], [`structures`], [`joints`], [`contact`] (friction,
//! bounces, rolling), [`motion`] (bodies that move freely or about a point, and gas) and [`screw`].
//!
//! `cargo xtask verify physics` plays all rows with carom and with rapier. `carom demo physics
//! --row NAME` shows one.

mod causes;
pub mod contact;
mod film;
pub mod joints;
pub mod motion;
mod parts;
mod row;
pub mod screw;
pub mod stacks;
pub mod structures;

pub use causes::{cause, rows_with_cause};
pub use film::{Film, Frame, Inertia, State};
pub use parts::{GRAVITY, STEP};
pub use row::{Figure, Limit, Row};

use alloc::vec::Vec;

/// Returns all rows, family by family.
pub fn rows() -> Vec<Row> {
    let mut rows = stacks::rows();
    rows.extend(structures::rows());
    rows.extend(joints::rows());
    rows.extend(contact::rows());
    rows.extend(motion::rows());
    rows.extend(screw::rows());
    rows
}

/// Returns the row with this name.
pub fn row(name: &str) -> Option<Row> {
    rows().into_iter().find(|row| row.name == name)
}
