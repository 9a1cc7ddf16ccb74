//! Continuous detection: bodies that travel far for their size in a step do not pass through other
//! bodies.
//!
//! Two terms:
//!
//! - *fast*: marked by the user (`BodyDesc::with_ccd`). A fast body is swept along its path in
//!   each step.
//! - *swift*: will travel far for its thickness in this step, by translation or rotation
//!   (`Girth::is_swift`). The contacts of a swift body are found along its path.
//!
//! The stages, in the order of a step:
//!
//! | stage | file | when |
//! |---|---|---|
//! | boxes of fast and swift bodies are expanded to their paths | `step/bounds.rs` | before the broad phase |
//! | contacts of fast and swift bodies are found ahead | `Scene::reach` | narrow phase |
//! | contacts of fast bodies are found at the poses of their impact | `at_impact` | before the solver |
//! | contacts that began and ended within the step are reported | `sweep` | after the solver |
//! | fast bodies stop at the first impact | `sweep` | then |
//! | they slide along it for the rest of the step | `slide` | then |
//! | bodies are kept on their side of deforming meshes | `deformed` | then |
//! | other bodies are kept on their side of surfaces | `guard` | then |
//! | sensors that a body passed are reported | `passes` | last |
//!
//! Other files: `core_ball` is the core of a body, the ball in its middle. `core_cache` stores the
//! cores of compounds. `flight` is the path of a body. `put_back` corrects the velocities of
//! bodies that were moved back.
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference, 2013.

pub(crate) mod at_impact;
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

use crate::bodies::BodySet;
use crate::bodies::solids::{Part, Solids};
use crate::bodies::traits::Traits;
use crate::contacts::ContactSet;
use crate::continuous::state::{Guard, StartContacts, Sweeps};
use crate::joints::Joints;
use crate::settings::WorldSettings;
use crate::stats::StepStats;
use alloc::vec::Vec;
use carom_response::Solver;

/// The parts of a world that continuous detection uses: all but the budget.
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
    pub(crate) stats: &'a mut StepStats,
}

impl<B> ContinuousStep<'_, B> {
    /// Returns the colliders of all bodies, without the pairs that hooks rejected or disabled.
    pub(crate) fn solids(&self) -> Solids<'_> {
        self.bodies.solids([&self.contacts.hooked.apart, &self.contacts.hooked.disabled])
    }

    /// Returns the pairs of shapes of a body and another one that may push each other.
    pub(crate) fn part_pairs(&self, own: usize, other: usize) -> impl Iterator<Item = [Part; 2]> + use<B> {
        self.solids().part_pairs(own, other)
    }
}

/// State of continuous detection that is kept between steps.
#[derive(Default)]
pub(crate) struct Continuous {
    /// By number: whether the body is swift; updated in each detection.
    pub(crate) swift: Vec<bool>,
    /// The bodies that are marked fast, ascending. Valid if `are_fast_known`.
    pub(crate) fast: Vec<u32>,
    pub(crate) are_fast_known: bool,
    /// The places of the pairs whose contacts were found at the poses of an impact in this step,
    /// ascending.
    pub(crate) at_impact: Vec<u32>,
    /// The places of the pairs for which it is known whether and when they meet, ascending.
    pub(crate) predicted: Vec<u32>,
    /// The places of those pairs that meet, ascending, each with the time of its impact, in
    /// seconds.
    pub(crate) impacts: Vec<(u32, f64)>,
    /// The places of those pairs that do not meet within the step, though contacts would act.
    pub(crate) missed: Vec<u32>,
    /// The contacts that were replaced or dropped in this step.
    pub(crate) start_contacts: Vec<StartContacts>,
    /// The time from the start of the step within which a contact may act.
    pub(crate) look_ahead: f32,
    pub(crate) sweeps: Sweeps,
    pub(crate) guard: Guard,
}

impl Continuous {
    /// Removes what is known about the impacts of the last step.
    pub(crate) fn forget_impacts(&mut self) {
        self.at_impact.clear();
        self.predicted.clear();
        self.impacts.clear();
        self.missed.clear();
        self.start_contacts.clear();
    }

    /// Lists the bodies that are marked fast, if the set of them has changed.
    pub(crate) fn find_fast(&mut self, traits: &[Traits]) {
        if !core::mem::replace(&mut self.are_fast_known, true) {
            self.fast.clear();
            let is_fast = |(_, traits): &(u32, &Traits)| traits.is_fast;
            self.fast.extend((0..).zip(traits).filter(is_fast).map(|(index, _)| index));
        }
    }
}
