//! A step, phase by phase: boxes, pairs, contacts, response.
//!
//! - `options`: budget, hooks and callback of a step. `substeps`: the callback before each substep.
//! - `steering`: targets of kinematic bodies, and the forces of the step.
//! - `bounds`: boxes of bodies. `detect`: pairs, contacts and events.
//! - `call_hooks`: the hooks of the user. `collider_events`: events of bodies with several
//!   colliders.
//! - `waking`: the reasons for which a step wakes a body. `hits`: how far hits reach in a step.
//! - `respond`: the solver. `surfaces`: belts, deforming meshes, rolling and spinning
//!   friction as its input. `impulse_events`: how hard bodies pushed each other.
//! - `deforming`: meshes that change their shape.
//! - `break_joints`, `responses`: joints that break, bodies that stick or are knocked away.
//!
//! Soft things are stepped in `soft/advance.rs`. The files of this folder have the order of the
//! work. The work itself is mainly in `bodies`, `contacts`, `continuous` and `budget`.

pub(crate) mod bounds;
pub(crate) mod break_joints;
pub(crate) mod call_hooks;
pub(crate) mod collider_events;
pub(crate) mod deforming;
pub(crate) mod detect;
pub(crate) mod hits;
pub(crate) mod impulse_events;
pub(crate) mod options;
pub(crate) mod respond;
pub(crate) mod responses;
pub(crate) mod steering;
pub(crate) mod substeps;
pub(crate) mod surfaces;
pub(crate) mod waking;

use crate::budget::time_critical::StepBudget;
use crate::hooks::{Hooks, NoHooks};
use crate::step::substeps::Guarded;
use crate::{World, WorldError};
use carom_broad::BroadPhase;
use carom_math::{Budget, clock};

impl<B: BroadPhase> World<B> {
    /// Runs the phases of a step.
    pub(crate) fn run_phases(
        &mut self,
        dt: f32,
        budget: Budget,
        hooks: Option<&dyn Hooks>,
        on_substep: &mut Guarded<'_>,
    ) -> Result<(), WorldError> {
        let mut step_budget = self.start_budget(dt, budget)?;
        // Broad and narrow phase: which bodies touch, and where.
        self.bodies.active.apply_changes(&self.bodies.motions);
        self.start_for_targets(dt);
        self.expand_bounds(dt);
        #[cfg(feature = "soft")]
        self.begin_soft(dt);
        self.detect_within(&mut step_budget, self.settings.recycled_for(), Some(hooks.unwrap_or(&NoHooks)));
        if 0.0 < dt {
            self.report_applied_impulses();
        }
        if self.has_nothing_to_move(dt) {
            return Ok(());
        }
        if 0.0 < dt && step_budget.is_deferred(&self.last.stats) {
            self.end_deferred_call(&step_budget, dt);
            return Ok(());
        }
        // Response: velocities and poses.
        self.respond(dt, hooks, &step_budget, on_substep)?;
        // Boxes follow the poses, so that queries find the bodies where they are.
        self.refit_moved(step_budget.is_unlimited());
        self.note_work(&step_budget);
        if 0.0 < dt {
            self.break_joints();
            self.apply_responses();
        }
        Ok(())
    }

    /// Checks the time step and the settings, applies changed settings, and starts the budget.
    fn start_budget(&mut self, dt: f32, budget: Budget) -> Result<StepBudget, WorldError> {
        if matches!(budget, Budget::Time(_)) && !clock::IS_AVAILABLE {
            return Err(WorldError::NoClock);
        }
        self.settings.solver.check(dt)?;
        self.apply_settings()?;
        Ok(StepBudget::start(budget, self.budget.cost_model, self.settings.solver.substeps))
    }

    /// Whether no pair is due, neither a body nor anything else moves, and no target is pending. A
    /// kinematic body that is at its target arrives there too, so that the target is used up.
    fn has_nothing_to_move(&self, dt: f32) -> bool {
        let n_due = self.last.stats.n_tested + self.last.stats.shortfall.n_pairs;
        let moves = self.bodies.are_moving()
            || self.bodies.deforming.is_pending()
            || (0.0 < dt && (!self.bodies.steering.targets.is_empty() || self.is_soft_awake()));
        n_due == 0 && !moves
    }

    /// Whether soft things move in this step even if no body does.
    #[cfg(not(feature = "soft"))]
    fn is_soft_awake(&self) -> bool {
        false
    }

    /// Records the work of this step and its time, for the budgets of later steps.
    fn note_work(&mut self, step_budget: &StepBudget) {
        let stats = &mut self.last.stats;
        stats.n_steps += (stats.solver.n_manifolds * stats.solver.n_substeps as usize) as u64;
        self.budget.cost_model.n_deferred = 0;
        self.budget.cost_model.learn(stats, step_budget.work());
    }

    /// Ends a deferred call: moves kinematic bodies only, and drops loads on soft bodies.
    pub(crate) fn end_deferred_call(&mut self, step_budget: &StepBudget, dt: f32) {
        let shortfall = &mut self.last.stats.shortfall;
        shortfall.is_deferred = true;
        shortfall.n_suspended = self.bodies.active.awake().len() - self.bodies.active.kinematic().len();
        shortfall.n_substeps = self.solver.n_substeps(&self.settings.solver, dt);
        for slot in 0..self.bodies.active.kinematic().len() {
            let index = self.bodies.active.kinematic()[slot] as usize;
            let body = &mut self.bodies.motions[index];
            let pose = body.pose_after(dt);
            // Beyond the finite range the body stays, and the solver returns the error later.
            if body.is_moving_kinematic() && pose.is_finite() {
                body.pose = pose;
                self.refit(index);
            }
        }
        self.arrive();
        for k in 0..self.bodies.steering.arrived.len() {
            let (body, ()) = self.bodies.steering.arrived[k];
            self.refit(body as usize);
        }
        if self.bodies.active.has_suspended() {
            self.budget.round_robin.undo_selection();
        }
        #[cfg(feature = "soft")]
        self.drop_loads();
        self.budget.cost_model.n_deferred += 1;
        self.budget.cost_model.learn(&self.last.stats, step_budget.work());
    }
}
