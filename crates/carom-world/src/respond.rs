//! The second half of a step: the solver moves the bodies, then continuous detection stops fast
//! ones.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., figure 25.2 (collision
//! handling).

use crate::bodies::BodySet;
use crate::budget::time_critical::Plan;
use crate::budget::unknown;
use crate::contacts::handed::{self, Handed, Part};
use crate::contacts::{ContactSet, Work};
use crate::{World, WorldError};
use carom_broad::BroadPhase;
use carom_response::{ContactLink, Contacts, StepStats};

impl<B: BroadPhase> World<B> {
    /// Wakes sleeping bodies that are touched, then moves all awake bodies by `dt`.
    pub(crate) fn respond(&mut self, dt: f32, plan: &Plan) -> Result<(), WorldError> {
        if 0.0 < dt {
            if 0 < self.stats.undone.n_unknown {
                let World { settings, broad, bodies, contacts, .. } = self;
                self.stats.undone.n_stopped =
                    unknown::stop_unknown(bodies, contacts, broad, settings.scatter);
            }
            self.wake_touched(dt);
            self.keep_awake(dt);
            self.note_approaching();
        } else {
            self.joints.find_moving(&self.bodies.movers, &mut self.contacts.work.joints);
        }
        self.hand_over_contacts();
        self.continuous_step().note_starts();
        let n_planned = plan.substeps(self.stats.n_tested, self.contacts.work.contacts.len());
        let World { settings, solver, bodies, joints, contacts, .. } = self;
        let BodySet { motions, movers, .. } = bodies;
        let ContactSet { work, manifolds, rest, records, busy, .. } = contacts;
        let links = Contacts::Links(&work.contacts, [manifolds, rest.manifolds()]);
        let factor = if plan.is_free() { settings.solver.max_load_factor } else { 1 };
        *solver.settings_mut() = settings.solver.with_substeps(n_planned).with_max_load_factor(factor);
        let (joints, moving_joints) = (joints.list_mut(), &work.joints[..]);
        let solved = solver.step_awake(motions, movers.list(), &links, (joints, moving_joints), dt);
        if solved.is_err() {
            handed::take_back(records, busy, &work.contacts);
        }
        self.stats.solver = solved?;
        if 0.0 < dt {
            self.stats.n_fallen = movers.fall_asleep(motions, solver);
            let n_substeps = self.settings.solver.substeps;
            self.stats.undone.n_substeps = n_substeps.saturating_sub(self.stats.solver.n_substeps);
        }
        Ok(())
    }

    /// Continuous detection: fast bodies stop at the first thing that they meet, and the others
    /// stay on their side of surfaces.
    pub(crate) fn resolve_fast(&mut self) {
        let mut step = self.continuous_step();
        step.tell_struck();
        step.stop_fast();
        step.guard_bodies();
        step.report_passes();
    }

    /// Lists the manifolds of the active pairs for the solver.
    pub(crate) fn hand_over_contacts(&mut self) {
        let BodySet { motions, movers, traits, .. } = &self.bodies;
        let ContactSet { records, busy, rules, manifolds, work, .. } = &mut self.contacts;
        let Work { is_active, solved, parts, contacts, .. } = work;
        movers.tell_active(motions, is_active);
        let handed = Handed { is_active, traits, rules, n_manifolds: manifolds.len() as u32 };
        // Old contents are overwritten, here and below.
        solved.resize(busy.len(), 0);
        #[cfg(feature = "parallel")]
        let n_parts = crate::par::n_parts(busy.len());
        #[cfg(not(feature = "parallel"))]
        let n_parts = 1;
        parts.resize(n_parts, Part::default());
        #[cfg(feature = "parallel")]
        crate::contacts::handed::choose_in_parts(&handed, (records, 0), busy, solved, parts);
        #[cfg(not(feature = "parallel"))]
        parts.fill(handed.choose((records, 0), busy, solved));
        let n_contacts = parts.iter().map(|part| part.n_contacts as usize).sum();
        contacts.resize(n_contacts, ContactLink::new(0, 0, 0, 0.0, 0.0));
        #[cfg(feature = "parallel")]
        crate::contacts::handed::hand_over_in_parts(
            &handed,
            (records, 0),
            (busy, solved),
            (parts, 0),
            contacts,
        );
        #[cfg(not(feature = "parallel"))]
        handed.hand_over((records, 0), &solved[..parts[0].n_solved as usize], 0, contacts);
    }

    /// Ends a held call: only kinematic bodies move.
    pub(crate) fn hold(&mut self, plan: &Plan, dt: f32) {
        let undone = &mut self.stats.undone;
        undone.is_held = true;
        undone.n_halted = self.bodies.movers.awake().len() - self.bodies.movers.driven().len();
        undone.n_substeps = self.settings.solver.substeps;
        for place in 0..self.bodies.movers.driven().len() {
            let index = self.bodies.movers.driven()[place] as usize;
            let body = &mut self.bodies.motions[index];
            let pose = body.pose_after(dt);
            // At the end of the finite range the body stays; the solver then returns the error.
            if body.is_driven() && pose.is_finite() {
                body.pose = pose;
                self.refit(index);
            }
        }
        if self.bodies.movers.has_halted() {
            self.budget.turns.take_back();
        }
        self.budget.pace.n_held += 1;
        self.budget.pace.learn(&self.stats, plan.work());
    }

    /// Counts the work of this step and its time, for the plans of later steps.
    pub(crate) fn note_work(&mut self, plan: &Plan) {
        let StepStats { n_manifolds, n_substeps, .. } = self.stats.solver;
        self.stats.n_steps += (n_manifolds * n_substeps as usize) as u64;
        self.budget.pace.n_held = 0;
        self.budget.pace.learn(&self.stats, plan.work());
    }
}
