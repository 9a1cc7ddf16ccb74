//! Steps on a budget: which pairs are tested and which bodies move, if there is not time for all.
//!
//! - `time_critical`: the plan of a step, and the selection of pairs.
//! - `turns`, `halting`: the selection of bodies that move, and the treatment of the halted ones.
//! - `allowance`: the share of a budget for the narrow phase.
//! - `pace`: measured costs of earlier steps.
//! - `unknown`: pairs of bodies whose shapes were never tested.
//! - `frame_controller`, `detail`: budgets for a series of frames, and coarser shapes.
//!
//! Five words, from mild to strict:
//!
//! | word | meaning |
//! |---|---|
//! | deferred (put off) | a pair is due, but not tested in this step; its contacts move along |
//! | fewer substeps | the solver makes fewer and longer ones |
//! | held | a call in which nothing moves; the next one continues the step |
//! | halted | a body that is awake does not move in this step |
//! | unknown | a deferred pair whose shapes were never tested |
//!
//! Reference: C. O'Sullivan, J. Dingliana, Collisions and Perception, ACM Transactions on Graphics
//! 20(3), 2001.

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

/// State of budgets that is kept between steps.
pub(crate) struct BudgetState {
    pub(crate) pace: Pace,
    /// The pair from which the next step on a budget selects pairs.
    pub(crate) turn: Pair,
    /// The bodies that move next, on a budget that does not suffice for all.
    pub(crate) turns: Turns,
}
