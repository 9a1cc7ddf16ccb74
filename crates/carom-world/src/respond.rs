//! The second half of a step: the solver moves the bodies, then continuous detection stops fast
//! ones.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., figure 25.2 (collision
//! handling).

use crate::bodies::BodySet;
use crate::budget::time_critical::StepBudget;
use crate::budget::unknown;
use crate::contacts::round_contacts::find_round_contacts;
use crate::contacts::solver_input::{self, Part, SolverInput};
use crate::contacts::{ContactSet, Scratch};
use crate::substeps::{Guarded, Names};
use crate::{World, WorldError};
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_response::{ContactLink, Contacts, SolverStats, Substep};

impl<B: BroadPhase> World<B> {
    /// Wakes sleeping bodies that are touched, then moves all awake bodies by `dt`.
    pub(crate) fn respond(
        &mut self,
        dt: f32,
        step_budget: &StepBudget,
        on_substep: &mut Guarded<'_>,
    ) -> Result<(), WorldError> {
        if 0.0 < dt {
            if 0 < self.stats.shortfall.n_unknown {
                let World { settings, broad, bodies, contacts, .. } = self;
                self.stats.shortfall.n_stopped =
                    unknown::stop_unknown(bodies, contacts, broad, settings.scatter);
            }
            #[cfg(feature = "soft")]
            self.step_soft(dt)?;
            self.wake_deformed();
            self.wake_touched(dt);
            self.keep_awake(dt);
            self.note_approaching();
        } else {
            self.joints.find_moving(&self.bodies.active, &mut self.contacts.scratch.joints);
        }
        let n_manifolds = self.add_changed_manifolds();
        self.collect_solver_input();
        self.hand_over_surfaces();
        self.hand_over_rolling();
        self.hand_over_changes(n_manifolds);
        find_round_contacts(&self.bodies, &self.contacts, self.solver.round_contacts_mut());
        self.continuous_step().note_starts();
        self.note_approach_speeds();
        let n_planned = step_budget.substeps(self.stats.n_tested, self.contacts.scratch.contacts.len());
        let forces = if 0.0 < dt { self.begin_forces(dt) } else { Vec::new() };
        let World { settings, solver, bodies, joints, contacts, .. } = self;
        let BodySet { motions, active, generations, traits, .. } = bodies;
        let ContactSet { scratch, manifolds, sleeping, states, active_pairs, .. } = contacts;
        let links = Contacts::Links(&scratch.contacts, [manifolds, sleeping.manifolds()]);
        let factor = if step_budget.is_unlimited() { settings.solver.max_load_factor } else { 1 };
        *solver.settings_mut() = settings.solver.with_substeps(n_planned).with_max_load_factor(factor);
        let (joints, moving_joints) = (joints.list_mut(), &scratch.joints[..]);
        let has_callback = on_substep.is_there();
        let mut call = |substep: Substep<'_>| on_substep.call(substep, Names { generations, traits });
        let call: Option<&mut dyn FnMut(Substep<'_>)> = if has_callback { Some(&mut call) } else { None };
        let solved = solver.step_awake(motions, active.moving(), &links, (joints, moving_joints), dt, call);
        if solved.is_err() {
            solver_input::unmark_solved(states, active_pairs, &scratch.contacts);
        }
        self.end_forces(&forces, solved.is_ok());
        self.take_back_changes(n_manifolds);
        self.stats.solver = solved?;
        self.report_impulses();
        if 0.0 < dt {
            let World { bodies: BodySet { motions, active, .. }, solver, .. } = self;
            self.stats.n_fallen = active.fall_asleep(motions, solver);
            self.arrive();
            let n_substeps = self.settings.solver.substeps;
            self.stats.shortfall.n_substeps = n_substeps.saturating_sub(self.stats.solver.n_substeps);
        }
        Ok(())
    }

    /// Continuous detection: fast bodies stop at their first impact, and other bodies stay on their
    /// side of surfaces.
    pub(crate) fn resolve_continuous(&mut self) {
        let mut step = self.continuous_step();
        step.report_impacts();
        step.stop_fast_bodies();
        step.guard_deformed();
        step.guard_bodies();
        step.report_passes();
    }

    /// Lists the manifolds of the active pairs for the solver.
    pub(crate) fn collect_solver_input(&mut self) {
        let BodySet { motions, active, traits, composites, part_materials, .. } = &self.bodies;
        let ContactSet { states, active_pairs, rules, manifolds, sleeping, scratch, .. } = &mut self.contacts;
        let Scratch { is_active, solved, parts, contacts, .. } = scratch;
        active.write_dynamic(motions, is_active);
        let solids = self.bodies.solids([&[], &[]]);
        let has_materials = !composites.is_empty() || !part_materials.is_empty();
        let colliders = has_materials.then_some((solids, [&manifolds[..], sleeping.manifolds()]));
        let n_manifolds = manifolds.len() as u32;
        let solver_input = SolverInput { is_active, traits, rules, colliders, n_manifolds };
        // Old contents are overwritten, here and below.
        solved.resize(active_pairs.len(), 0);
        #[cfg(feature = "parallel")]
        let n_chunks = crate::par::n_chunks(active_pairs.len());
        #[cfg(not(feature = "parallel"))]
        let n_chunks = 1;
        parts.resize(n_chunks, Part::default());
        #[cfg(feature = "parallel")]
        crate::contacts::solver_input::select_in_chunks(
            &solver_input,
            (states, 0),
            active_pairs,
            solved,
            parts,
        );
        #[cfg(not(feature = "parallel"))]
        parts.fill(solver_input.select((states, 0), active_pairs, solved));
        let n_contacts = parts.iter().map(|part| part.n_contacts as usize).sum();
        contacts.resize(n_contacts, ContactLink::new(0, 0, 0, 0.0, 0.0));
        #[cfg(feature = "parallel")]
        crate::contacts::solver_input::write_links_in_chunks(
            &solver_input,
            (states, 0),
            (active_pairs, solved),
            (parts, 0),
            contacts,
        );
        #[cfg(not(feature = "parallel"))]
        solver_input.write_links((states, 0), &solved[..parts[0].n_solved as usize], 0, contacts);
    }

    /// Ends a deferred call: moves kinematic bodies only.
    pub(crate) fn end_deferred_call(&mut self, step_budget: &StepBudget, dt: f32) {
        let shortfall = &mut self.stats.shortfall;
        shortfall.is_deferred = true;
        shortfall.n_suspended = self.bodies.active.awake().len() - self.bodies.active.kinematic().len();
        shortfall.n_substeps = self.settings.solver.substeps;
        for place in 0..self.bodies.active.kinematic().len() {
            let index = self.bodies.active.kinematic()[place] as usize;
            let body = &mut self.bodies.motions[index];
            let pose = body.pose_after(dt);
            // Beyond the finite range the body stays; the solver returns the error later.
            if body.is_driven() && pose.is_finite() {
                body.pose = pose;
                self.refit(index);
            }
        }
        self.arrive();
        if self.bodies.active.has_suspended() {
            self.budget.round_robin.undo_selection();
        }
        self.budget.cost_model.n_deferred += 1;
        self.budget.cost_model.learn(&self.stats, step_budget.work());
    }

    /// Records the work of this step and its time, for the budgets of later steps.
    pub(crate) fn note_work(&mut self, step_budget: &StepBudget) {
        let SolverStats { n_manifolds, n_substeps, .. } = self.stats.solver;
        self.stats.n_steps += (n_manifolds * n_substeps as usize) as u64;
        self.budget.cost_model.n_deferred = 0;
        self.budget.cost_model.learn(&self.stats, step_budget.work());
    }
}
