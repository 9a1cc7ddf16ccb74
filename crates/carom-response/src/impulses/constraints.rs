//! The contact constraints of a step: manifolds coloured and packed into groups of eight lanes.
//!
//! 1. Active contacts are coloured, and those of one colour are packed into groups.
//! 2. Groups are loaded from manifolds, masses, and cached impulses.
//! 3. Surface velocities, contact settings, round surfaces and impacts are written into the lanes
//!    of the few contacts that have them.
//!
//! Reference: E. Catto, SIMD Matters, box2d.org, 2024 (wide contact constraints).

use crate::bodies::active::ActiveBodies;
use crate::bodies::states::BodyStates;
use crate::contacts::at_impact;
use crate::contacts::contact::scale_for;
use crate::contacts::round;
use crate::contacts::step_contacts::StepContacts;
use crate::contacts::summary::Summary;
use crate::impulses::cache::ImpulseCache;
use crate::impulses::classes::ColorClasses;
use crate::impulses::color::{Coloring, Sides};
use crate::impulses::damping::Damping;
use crate::impulses::group::{Group, GroupDetails, Pass, Round};
use crate::impulses::group_details::DetailsLoader;
use crate::impulses::load::LoadScale;
use crate::impulses::rows::{Manifolds, WarmStart};
use crate::memory;
use crate::step::backend;
use crate::step::context::StepContext;
use alloc::vec::Vec;

/// The groups of a step, with the colours that determine their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactConstraints {
    coloring: Coloring,
    colors: ColorClasses,
    groups: Vec<Group>,
    /// For the groups that have them: see [`Group::details`].
    details: Vec<GroupDetails>,
    /// For the groups that have them: see [`Group::round`].
    rounds: Vec<Round>,
}

impl ContactConstraints {
    /// Colours the active contacts and divides them into groups. Returns false, without groups, if
    /// some contact moves no body.
    pub(crate) fn color(&mut self, contacts: &StepContacts, bodies: &ActiveBodies) -> bool {
        let ContactConstraints { coloring, colors, .. } = self;
        let StepContacts { summaries, active, .. } = contacts;
        let movable = |body: u32| {
            let slot = bodies.slot(body);
            bodies.is_movable()[slot].then_some(slot as u32)
        };
        let are_moved = coloring.color(bodies.len(), active.len(), |k| {
            let Summary { key, n_contacts, .. } = summaries[active[k] as usize];
            Sides { movable: key.bodies().map(movable), n_contacts }
        });
        if are_moved {
            colors.n_blocks = coloring.n_blocks();
            colors.starts.clear();
            coloring.classes().for_each(|blocks| colors.starts.extend(blocks));
            colors.starts.push(coloring.n_groups() as u32);
        }
        are_moved
    }

    /// Loads the groups. Returns the number of warm started contacts, and of all contacts.
    pub(crate) fn load(
        &mut self,
        context: &StepContext<'_>,
        contacts: &StepContacts,
        cache: &mut ImpulseCache,
        active: &ActiveBodies,
        bodies: &mut BodyStates,
    ) -> (usize, usize) {
        let &StepContext { settings, dt, h, .. } = context;
        let ContactConstraints { coloring, colors, groups, details, rounds } = self;
        memory::renew(groups, coloring.n_groups(), Group::empty(active.len() as u32));
        // The values of the step before the last are overwritten.
        cache.next.resize(coloring.n_groups());
        let from = Manifolds {
            contacts: context.contacts,
            active: &contacts.active,
            matched: &cache.matched,
            cached: &cache.last,
            order: coloring.order(),
            bodies: active,
            masses: &bodies.masses,
            warm_start: WarmStart {
                ratio: scale_for(h, cache.h),
                damping: Damping::new(dt, h),
                slop: settings.slop_length(),
            },
            load: LoadScale::new(&settings, h),
        };
        let counts = backend::load_groups(&from, colors, 0, groups, &mut cache.next.manifold_keys);
        let lanes = coloring.lanes();
        let BodyStates { masses, free, .. } = bodies;
        let solved = (&contacts.active[..], lanes);
        at_impact::load(&contacts.details.at_impact, context.contacts, solved, groups);
        let loader = DetailsLoader { context, contacts, lanes, masses };
        loader.load(groups, details, |slots| {
            slots.into_iter().for_each(|slot| free[slot as usize].may_gain_energy = true);
        });
        round::load(&contacts.details.rounds, solved, groups, rounds);
        counts
    }

    /// Returns the groups by colour to be solved, and the first pass over them.
    pub(crate) fn solver(&mut self, context: &StepContext<'_>) -> (backend::Colors<'_>, Pass<'_>) {
        let ContactConstraints { colors, groups, details, rounds, .. } = self;
        let pass = Pass { details, rounds, ..Pass::new(&context.settings, context.h) };
        (backend::Colors::new(groups, colors), pass)
    }

    /// Returns the groups, colour by colour.
    pub(crate) fn groups(&self) -> &[Group] {
        &self.groups
    }

    pub(crate) fn colors(&self) -> &ColorClasses {
        &self.colors
    }

    /// Returns, for each active contact, its lane among the lanes of all groups.
    pub(crate) fn lanes(&self) -> &[u32] {
        self.coloring.lanes()
    }

    /// Shrinks lists that are far larger than their contents.
    pub(crate) fn shrink_unused(&mut self) {
        memory::shrink_unused(&mut self.groups);
    }
}
