//! The second half of a step: the solver moves the bodies, then continuous detection stops fast
//! ones.

use crate::bodies::BodySet;
use crate::budget::time_critical::StepBudget;
use crate::budget::unknown;
use crate::contacts::round_contacts::find_round_contacts;
use crate::contacts::solver_input::{self, SolvedCounts, SolverInput};
use crate::contacts::{ContactSet, Scratch};
use crate::hooks::Hooks;
use crate::stats::Clock;
use crate::step::substeps::{Guarded, Names};
use crate::{World, WorldError};
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_response::{ContactLink, Contacts, SolverError, SolverStats, Substep};

/// Restores the contacts of the start of the step if the step ends with an error or a panic.
struct Restoring<'a, B: BroadPhase>(&'a mut World<B>);

impl<B: BroadPhase> Drop for Restoring<'_, B> {
    fn drop(&mut self) {
        self.0.continuous_step().restore_contacts();
    }
}

impl<B: BroadPhase> World<B> {
    /// Wakes sleeping bodies that are touched, then moves all awake bodies by `dt`. Continuous
    /// detection stops them where they would pass through others.
    pub(crate) fn respond(
        &mut self,
        dt: f32,
        hooks: Option<&dyn Hooks>,
        step_budget: &StepBudget,
        on_substep: &mut Guarded<'_>,
    ) -> Result<(), WorldError> {
        let restoring = Restoring(self);
        restoring.0.move_all(dt, hooks, step_budget, on_substep)?;
        restoring.0.continuous_step().report_missed();
        Ok(())
    }

    fn move_all(
        &mut self,
        dt: f32,
        hooks: Option<&dyn Hooks>,
        step_budget: &StepBudget,
        on_substep: &mut Guarded<'_>,
    ) -> Result<(), WorldError> {
        let clock = Clock::start();
        self.continuous.forget_impacts();
        if 0.0 < dt {
            // A budget may allow a single one.
            let is_planned = step_budget.is_unlimited();
            let n_substeps = if is_planned { self.solver.n_substeps(&self.settings.solver, dt) } else { 1 };
            self.continuous_step().find_at_impact(n_substeps);
        }
        self.call_hooks(hooks);
        #[cfg(feature = "soft")]
        let mut held = Vec::new();
        if 0.0 < dt {
            self.continuous_step().update_at_impact();
            self.stop_unknown();
            #[cfg(feature = "soft")]
            {
                held = self.step_soft(dt)?;
            }
            self.wake_deformed();
            self.wake_touched(dt);
            self.keep_awake(dt);
            self.call_hooks_of_woken(hooks);
            self.note_approaching();
        } else {
            self.joints.find_moving(&self.bodies.active, &mut self.contacts.scratch.joints);
        }
        let n_manifolds = self.add_changed_manifolds();
        self.collect_solver_input();
        let n_wanted = self.plan_substeps(dt, step_budget);
        #[cfg(feature = "soft")]
        self.divide_pushes(&held, dt, self.solver.n_substeps(self.solver.settings(), dt));
        self.hand_over_surfaces();
        self.hand_over_rotation_friction();
        self.hand_over_changes(n_manifolds);
        find_round_contacts(&self.bodies, &self.contacts, self.solver.round_contacts_mut());
        self.hand_over_impacts();
        self.continuous_step().note_starts();
        self.note_approach_speeds();
        let forces = if 0.0 < dt { self.begin_forces(dt) } else { Vec::new() };
        let solved = self.solve(dt, on_substep);
        self.take_back_changes(n_manifolds);
        match solved {
            Ok(stats) => {
                if 0.0 < dt {
                    self.last.stats.shortfall.n_substeps = n_wanted.saturating_sub(stats.n_substeps);
                }
                self.last.stats.solver = stats;
            }
            Err(error) => {
                self.end_forces(&forces, false);
                return Err(error.into());
            }
        }
        self.report_impulses();
        if 0.0 < dt {
            self.end_response();
        }
        self.last.stats.times.response = clock.since_start();
        // The forces of this step still act: continuous detection needs their work.
        self.resolve_continuous(dt);
        self.end_forces(&forces, true);
        Ok(())
    }

    /// Stops the approach of bodies whose shapes a budget left untested since they met.
    fn stop_unknown(&mut self) {
        if 0 < self.last.stats.shortfall.n_unknown {
            let World { settings, broad, bodies, contacts, last, .. } = self;
            last.stats.shortfall.n_stopped = unknown::stop_unknown(bodies, contacts, broad, settings.scatter);
        }
    }

    /// Sets the number of substeps that the budget allows. Returns the number without a budget.
    fn plan_substeps(&mut self, dt: f32, step_budget: &StepBudget) -> u32 {
        let World { settings, last, solver, contacts, .. } = self;
        let n_planned = step_budget.substeps(last.stats.n_tested, contacts.scratch.contacts.len());
        let n_wanted = solver.n_substeps(&settings.solver, dt);
        let factor = if step_budget.is_unlimited() { settings.solver.max_load_factor } else { 1 };
        *solver.settings_mut() = settings.solver.with_substeps(n_planned).with_max_load_factor(factor);
        n_wanted
    }

    /// Calls the solver with the contacts and joints of this step.
    fn solve(&mut self, dt: f32, on_substep: &mut Guarded<'_>) -> Result<SolverStats, SolverError> {
        let World { solver, bodies, joints, contacts, .. } = self;
        let BodySet { motions, active, generations, traits, .. } = bodies;
        let ContactSet { scratch, manifolds, sleeping, states, active_pairs, .. } = contacts;
        let links = Contacts::Links(&scratch.contacts, [manifolds, sleeping.manifolds()]);
        let joints = (joints.list_mut(), &scratch.joints[..]);
        let has_callback = on_substep.is_there();
        let mut call = |substep: Substep<'_>| on_substep.call(substep, Names { generations, traits });
        let call: Option<&mut dyn FnMut(Substep<'_>)> = if has_callback { Some(&mut call) } else { None };
        let solved = solver.step_awake(motions, active.moving(), &links, joints, dt, call);
        if solved.is_err() {
            solver_input::unmark_solved(states, active_pairs, &scratch.contacts);
        }
        solved
    }

    /// After the solver: bodies that were slow for long enough fall asleep, and kinematic ones
    /// arrive at their targets.
    fn end_response(&mut self) {
        let World { last, bodies: BodySet { motions, active, .. }, solver, .. } = self;
        last.stats.n_fallen = active.fall_asleep(motions, solver);
        self.arrive();
    }

    /// Continuous detection: fast bodies stop at their first impact, and other bodies stay on their
    /// side of surfaces. Deforming meshes get their new shape.
    fn resolve_continuous(&mut self, dt: f32) {
        if dt == 0.0 {
            return;
        }
        let clock = Clock::start();
        self.swap_deformed();
        let mut step = self.continuous_step();
        step.report_impacts();
        step.stop_fast_bodies();
        step.guard_deformed();
        step.guard_bodies();
        step.report_passes();
        self.end_deformation();
        let times = &mut self.last.stats.times;
        times.continuous = clock.since_start();
        times.response += times.continuous;
    }

    /// Passes the list of the contacts that were found at the poses of an impact to the solver.
    fn hand_over_impacts(&mut self) {
        let mut contacts = core::mem::take(self.solver.contacts_at_impact_mut());
        self.continuous_step().list_at_impact(&mut contacts);
        *self.solver.contacts_at_impact_mut() = contacts;
    }

    /// Lists the manifolds of the active pairs for the solver.
    fn collect_solver_input(&mut self) {
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
        parts.resize(n_chunks, SolvedCounts::default());
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
}
