//! A check of a whole world, for tests and fuzzing.

use crate::bodies::roundness::Roundness;
use crate::bodies::traits::Traits;
use crate::{World, WorldError};
use carom_broad::BroadPhase;
use carom_response::{BodyKind, Inconsistency};

impl<B: BroadPhase> World<B> {
    /// Checks that all parts of the world are consistent. The error, usually
    /// [`WorldError::Inconsistent`], names the first entry that is not.
    ///
    /// No sequence of calls makes a world invalid (tests:
    /// `scripts::nothing_panics_and_the_broad_phase_changes_nothing`,
    /// `edit_pairs::any_two_edits_leave_a_world_that_can_be_saved`). Tests of this crate call it
    /// after each step of worlds of up to 64 bodies. Settings that the next step refuses are an
    /// error too. The method copies the whole state, so it is for tests.
    pub fn validate(&self) -> Result<(), WorldError> {
        self.snapshot().check()?;
        self.check_bodies()?;
        self.check_pairs()?;
        self.solver.validate(self.bodies.motions.len())?;
        Ok(())
    }

    /// Checks shapes, proxies and the list of awake bodies.
    fn check_bodies(&self) -> Result<(), Inconsistency> {
        let n = self.bodies.motions.len();
        let lengths = [self.bodies.shapes.len(), self.bodies.sizes.len(), self.bodies.proxies.len()];
        if let Some(&length) = lengths.iter().find(|&&length| length != n) {
            return Err(Inconsistency { what: "a table of shapes or proxies", index: length.min(n) });
        }
        let mut n_live = 0;
        for (index, body) in self.bodies.motions.iter().enumerate() {
            let bad = |what| Err(Inconsistency { what, index });
            let is_live = self.bodies.generations[index] % 2 == 1;
            n_live += usize::from(is_live);
            if self.bodies.shapes[index].is_some() != is_live
                || self.bodies.proxies[index].is_some() != is_live
            {
                return bad("a body without a shape or a proxy, or a shape or proxy without a body");
            }
            if self.bodies.proxies[index].is_some_and(|proxy| proxy.index() as usize != index) {
                return bad("a proxy with another number than its body");
            }
            let is_enabled = self.bodies.is_enabled(index);
            let may_move = body.kind != BodyKind::Fixed && !body.is_sleeping && is_enabled;
            if !is_enabled && (!is_live || body.is_sleeping || self.bodies.active.is_awake(index as u32)) {
                return bad("a disabled body that was removed, sleeps or is awake");
            }
            if may_move && !self.bodies.active.is_awake(index as u32) {
                return bad("an awake body that is in no list");
            }
        }
        let count =
            |is_counted: fn(&Traits) -> bool| self.bodies.traits.iter().filter(|t| is_counted(t)).count();
        let n_round = self.bodies.roundness.iter().filter(|&&round| round != Roundness::Sharp).count();
        let n_surfaces = self.bodies.girths.iter().filter(|girth| girth.is_surface).count();
        let counts = [
            (count(|traits| traits.has_sensor), self.bodies.n_sensors, "the number of sensors"),
            (count(Traits::has_hooks), self.bodies.n_hooked, "the number of bodies with hooks"),
            (
                count(Traits::records_impulses),
                self.bodies.n_recording,
                "the number of bodies that record impulses",
            ),
            (n_surfaces, self.bodies.n_surfaces, "the number of surfaces"),
            (n_round, self.bodies.n_round, "the number of round bodies"),
        ];
        for (index, known, what) in counts {
            if index != known {
                return Err(Inconsistency { what, index });
            }
        }
        for (body, composite) in self.bodies.composites.iter() {
            let traits = &self.bodies.traits[body as usize];
            if composite.summary(traits) != *traits {
                return Err(Inconsistency {
                    what: "the properties of a body, which differ from those of its colliders",
                    index: body as usize,
                });
            }
        }
        if n_live != self.bodies.n_live {
            return Err(Inconsistency { what: "the number of bodies", index: n_live });
        }
        match self.bodies.active.awake().windows(2).position(|pair| pair[1] <= pair[0]) {
            Some(index) => Err(Inconsistency { what: "an awake body out of order", index: index + 1 }),
            None => Ok(()),
        }
    }

    /// Checks that each pair state is at the place of its pair, and has its manifolds. There may
    /// be gaps among the pair states.
    fn check_pairs(&self) -> Result<(), Inconsistency> {
        let n = self.contacts.pairs.len();
        if self.contacts.states.list.len() != n || self.contacts.states.caches.len() != n {
            return Err(Inconsistency { what: "the table of pairs", index: n });
        }
        for (index, state) in self.contacts.states.iter().enumerate() {
            if !state.is_gap() && state.pair() != self.contacts.pairs[index] {
                return Err(Inconsistency { what: "a state of another pair", index });
            }
            if state.is_at_rest && self.contacts.sleeping.manifolds().len() < state.range().end {
                return Err(Inconsistency { what: "the manifolds of a pair at rest", index });
            }
        }
        Ok(())
    }
}
