//! Steps on a budget: which pairs are looked at and which bodies move, where there is no time for all.
//!
//! - `time_critical`: the plan of a step, and which pairs are looked at.
//! - `turns`, `halting`: whose turn it is to move, and what becomes of the others.
//! - `pace`: what the work took in the steps before.
//! - `frame_controller`, `detail`: budgets for a row of frames, and coarser shapes.
//!
//! Reference: C. O'Sullivan, J. Dingliana, Collisions and Perception, ACM Transactions on Graphics 20(3), 2001.

pub(crate) mod allowance;
pub(crate) mod detail;
pub(crate) mod frame_controller;
pub(crate) mod halting;
pub(crate) mod pace;
pub(crate) mod time_critical;
pub(crate) mod turns;
pub(crate) mod unknown;

use crate::budget::pace::Pace;
use crate::budget::turns::Turns;
use carom_broad::Pair;

/// What is kept between steps on a budget.
pub(crate) struct BudgetState {
    pub(crate) pace: Pace,
    /// The pair with which the next step on a budget begins.
    pub(crate) turn: Pair,
    /// Whose turn it is to move, on a budget that does not suffice for all.
    pub(crate) turns: Turns,
}
