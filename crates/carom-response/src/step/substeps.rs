//! The phases of a substep, in their order.
//!
//! - Forces act, bodies bounce, and joints and contacts are solved with push-out. Then the poses
//!   are integrated.
//! - At the new poses, joints and contacts are relaxed: solved without push-out. Bodies bounce once
//!   more before the contacts, because the relaxation predicts one substep ahead.
//! - Jointed bodies that land are relaxed again: see `joints/passes.rs`.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (soft step: solve, integrate, relax).

use crate::bodies::active::ActiveBodies;
use crate::bodies::advance::Advance;
use crate::bodies::body::Body;
use crate::bodies::states::BodyStates;
use crate::contacts::contact::ContactImpulse;
use crate::contacts::step_contacts::StepContacts;
use crate::impulses::balance::Balance;
use crate::impulses::group::{Pass, Stage};
use crate::impulses::impact::{Bounces, Moment};
use crate::impulses::take_back;
use crate::joints::passes::{JointPasses, MAX_PARTING_SPEED, MAX_REPEATS};
use crate::joints::rows::Jointed;
use crate::sleep::rest::Touch;
use crate::step::backend;
use crate::step::context::StepContext;
use crate::step::substep::OnSubstep;
use alloc::vec::Vec;
use carom_math::Real;

/// All that the substeps of a step read and change.
pub(crate) struct Substeps<'a> {
    pub(crate) context: &'a StepContext<'a>,
    pub(crate) active: &'a ActiveBodies,
    pub(crate) contacts: &'a StepContacts,
    /// By slot: how each body is supported.
    pub(crate) touches: &'a [Touch],
    pub(crate) bodies: &'a mut BodyStates,
    pub(crate) colors: backend::Colors<'a>,
    pub(crate) pass: Pass<'a>,
    pub(crate) joints: JointPasses<'a>,
    pub(crate) balance: &'a mut Balance,
    pub(crate) bounces: &'a mut Vec<(u32, ContactImpulse)>,
    /// The time from the start of the step to the present poses.
    pub(crate) elapsed: Real,
}

impl Substeps<'_> {
    /// Runs all substeps. `bodies` are those of the caller, at the start of the step.
    pub(crate) fn run(&mut self, bodies: &[Body], mut on_substep: OnSubstep<'_>) {
        for index in 0..self.context.n_substeps {
            if let Some(call) = &mut on_substep {
                self.bodies.call_back(self.context, index, bodies, self.active, call);
            }
            self.run_one(index == 0, index + 1 == self.context.n_substeps);
        }
    }

    fn run_one(&mut self, is_first: bool, is_last: bool) {
        // Solve.
        self.joints.begin(&self.bodies.states, is_first);
        self.advance(Advance::Begin { is_first });
        self.warm_start_contacts(is_first);
        self.bounce(true);
        self.warm_start_joints();
        self.joints.solve(&mut self.bodies.jointed());
        self.reduce_unbalanced();
        self.solve_contacts(Stage::Solve);
        self.integrate_poses();
        // Relax.
        if is_last {
            (0..take_back::PASSES).for_each(|_| self.solve_contacts(Stage::TakeBack));
        }
        self.joints.relax(&mut self.bodies.jointed());
        self.bounce(false);
        self.solve_contacts(if is_last { Stage::Relax } else { Stage::RelaxBetween });
        self.repeat_landings();
        self.joints.add_loads(&self.bodies.states);
        self.bodies.bound();
    }

    fn advance(&mut self, advance: Advance) {
        let BodyStates { states, free, pushes, .. } = &mut *self.bodies;
        backend::advance(states, free, pushes, advance);
    }

    /// Runs a stage over all contacts.
    fn solve_contacts(&mut self, stage: Stage) {
        self.colors.run(&mut self.bodies.states, &Pass { stage, elapsed: self.elapsed, ..self.pass });
    }

    /// Applies the cached impulses of contacts in the first substep. In later ones,
    /// [`Advance::Begin`] has applied those of the substep before.
    fn warm_start_contacts(&mut self, is_first: bool) {
        self.balance.begin(is_first, self.touches);
        if is_first {
            self.balance.measure(&mut self.bodies.states, |states| self.colors.run(states, &self.pass));
        }
    }

    fn warm_start_joints(&mut self) {
        let BodyStates { states, pushes, .. } = &mut *self.bodies;
        self.balance.measure(states, |states| self.joints.warm_start(&mut Jointed { states, pushes }));
    }

    /// Reduces the cached impulses that would throw bodies.
    fn reduce_unbalanced(&mut self) {
        let length_unit = self.context.settings.length_unit;
        let BodyStates { states, masses, .. } = &mut *self.bodies;
        let unbalanced = self.balance.find(masses, self.touches, length_unit);
        if !unbalanced.is_empty() {
            self.colors.run(states, &Pass { stage: Stage::Reduce, unbalanced, ..self.pass });
        }
    }

    /// Reflects bodies that bounce. `has_forces` says whether the velocities include the forces of
    /// the coming integration.
    fn bounce(&mut self, has_forces: bool) {
        let Substeps { context, active, contacts, .. } = *self;
        let (bodies, impulses) = (&mut *self.bodies, &mut *self.bounces);
        let moment = Moment { elapsed: self.elapsed, has_forces };
        Bounces { context, contacts, active, bodies, impulses }.apply(moment);
    }

    fn integrate_poses(&mut self) {
        let &StepContext { dt, h, .. } = self.context;
        self.elapsed += h;
        self.bodies.bound();
        self.advance(Advance::End { h, dt });
        self.bodies.turn_gyroscopes(h);
    }

    /// Relaxes jointed bodies that land again, until their joints hold: see `joints/passes.rs`.
    fn repeat_landings(&mut self) {
        let max_parting_speed = MAX_PARTING_SPEED * self.context.settings.length_unit;
        for _ in 0..MAX_REPEATS {
            if !self.joints.repeat(&mut self.bodies.jointed(), max_parting_speed) {
                return;
            }
            let marks = self.joints.landings.marks();
            let pass = Pass { stage: Stage::Repeat, elapsed: self.elapsed, marks, ..self.pass };
            self.colors.run(&mut self.bodies.states, &pass);
        }
    }
}
