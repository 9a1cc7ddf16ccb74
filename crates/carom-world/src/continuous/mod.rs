//! Continuous detection in a step: bodies that go far for their size pass through nothing.
//!
//! - `sweep`: bodies marked fast, swept along their way and stopped where they meet something.
//! - `slide`: the rest of their way, along what stopped them.
//! - `guard`: all other bodies, kept on their side of surfaces.
//! - `passes`: sensors that were passed within a step.
//! - `core_ball`, `flight`, `put_back`: the ball in the middle of a body, its path, and its velocities after it was
//!   put back.
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference, 2013.

pub(crate) mod core_ball;
pub(crate) mod core_cache;
pub(crate) mod flight;
pub(crate) mod guard;
pub(crate) mod passes;
pub(crate) mod put_back;
pub(crate) mod slide;
pub(crate) mod state;
pub(crate) mod sweep;

use crate::bodies::BodySet;
use crate::bodies::body::Traits;
use crate::contacts::ContactSet;
use crate::continuous::state::Guard;
use crate::continuous::state::Sweeps;
use crate::joint::Joints;
use crate::settings::WorldSettings;
use crate::stats::Stats;
use alloc::vec::Vec;
use carom_response::Solver;

/// What continuous detection sees of a world: all but its budget.
pub(crate) struct ContinuousStep<'a, B> {
    pub(crate) settings: &'a WorldSettings,
    /// Length of the step.
    pub(crate) dt: f32,
    pub(crate) broad: &'a B,
    pub(crate) bodies: &'a mut BodySet,
    pub(crate) joints: &'a Joints,
    pub(crate) contacts: &'a mut ContactSet,
    pub(crate) solver: &'a Solver,
    pub(crate) continuous: &'a mut Continuous,
    pub(crate) stats: &'a mut Stats,
}

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

impl Continuous {
    /// Who is fast, by number, if that has changed.
    pub(crate) fn find_fast(&mut self, traits: &[Traits]) {
        if !core::mem::replace(&mut self.are_fast_known, true) {
            self.fast.clear();
            let is_fast = |(_, traits): &(u32, &Traits)| traits.is_fast;
            self.fast.extend((0..).zip(traits).filter(is_fast).map(|(index, _)| index));
        }
    }
}
