//! Steps with a budget: if there is not time for all, select the pairs that are tested and the
//! bodies that move.
//!
//! - `time_critical`: the budget of a step, and the selection of pairs.
//! - `round_robin`, `suspension`: the selection of bodies that move, and the treatment of the
//!   suspended ones.
//! - `narrow_budget`: the share of a budget for the narrow phase.
//! - `cost_model`: measured costs of earlier steps.
//! - `unknown`: pairs of bodies whose shapes were never tested.
//! - `frame_controller`, `detail`: budgets for a series of frames, and coarser shapes.
//! - `noticed`: how noticeable a body is to a viewer.
//!
//! Five terms, from the mildest to the strictest:
//!
//! | word | meaning |
//! |---|---|
//! | deferred pair | due, but not tested in this step; its contacts are moved along with the bodies |
//! | unknown pair | a deferred pair whose shapes were never tested |
//! | fewer substeps | the solver makes fewer and longer ones |
//! | deferred call | only kinematic bodies move; the next call continues the step |
//! | suspended body | awake, but not moved in this step |
//!
//! Reference: C. O'Sullivan, J. Dingliana, Collisions and Perception, ACM Transactions on Graphics
//! 20(3), 2001.

pub(crate) mod cost_model;
pub(crate) mod detail;
pub(crate) mod frame_controller;
pub(crate) mod narrow_budget;
pub(crate) mod noticed;
pub(crate) mod round_robin;
pub(crate) mod suspension;
pub(crate) mod time_critical;
pub(crate) mod unknown;

use crate::budget::cost_model::CostModel;
use crate::budget::round_robin::RoundRobin;
use carom_broad::Pair;

/// State of budgets that is kept between steps.
pub(crate) struct BudgetState {
    pub(crate) cost_model: CostModel,
    /// The pair with which the next selection of pairs begins.
    pub(crate) next_pair: Pair,
    /// The selection of the bodies that move, if the budget is too small for all.
    pub(crate) round_robin: RoundRobin,
}
