//! Continuous detection in a step: bodies that go far for their size pass through nothing.
//!
//! - `sweep`: bodies marked fast, swept along their way and stopped where they meet something.
//! - `slide`: the rest of their way, along what stopped them.
//! - `guard`: all other bodies, kept on their side of surfaces.
//! - `deformed`: bodies, kept on their side of meshes that deform.
//! - `passes`: sensors that were passed within a step.
//! - `core_ball`, `flight`, `put_back`: the ball in the middle of a body, its path, and its velocities after it was
//!   put back.
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference, 2013.

pub(crate) mod core_ball;
pub(crate) mod core_cache;
pub(crate) mod deformed;
pub(crate) mod flight;
pub(crate) mod guard;
pub(crate) mod passes;
pub(crate) mod put_back;
pub(crate) mod slide;
pub(crate) mod state;
pub(crate) mod sweep;

use crate::continuous::state::Guard;
use crate::continuous::state::Sweeps;
use alloc::vec::Vec;

/// What is kept between steps for bodies that go far for their size.
#[derive(Default)]
pub(crate) struct Continuous {
    /// By number of the body: it will go far for its thickness, since the last detection.
    pub(crate) swift: Vec<bool>,
    /// Who is marked fast, ascending, if that is known.
    pub(crate) fast: Vec<u32>,
    pub(crate) are_fast_known: bool,
    pub(crate) sweeps: Sweeps,
    pub(crate) guard: Guard,
}
