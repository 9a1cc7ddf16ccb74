//! The pairs of bodies whose boxes touch, the state of each, and the events of the last detection.
//!
//! - `pairs`, `crowd`: the pairs of the broad phase.
//! - `pair_state`, `pair_states`, `changes`: a pair state for each pair, in a sorted table with
//!   gaps.
//! - `narrow`, `scene`, `sink`, `chunks`: narrow phase: contacts of shapes, on one thread or
//!   several.
//! - `recycling`: contacts of pairs that hardly moved. `carrying`: contacts of pairs that a budget
//!   defers.
//! - `internal_edges`: contacts with edges inside a floor.
//! - `sleeping_manifolds`: manifolds of pairs in which nothing moves. `pairs_by_body`: the pairs of
//!   one body.
//! - `touches`: touching pairs of colliders, for bodies with several colliders.
//! - `events`: contacts that began, persisted and ended. `rules`: responses other than a collision.
//! - `solver_input`: the contacts as input of the solver. `belts`, `surface_velocity`: surfaces
//!   that move relative to their bodies.
//! - `round_contacts`: round surfaces for the solver, so that balls and wheels roll within a step.
//! - `hooked`: the memory of hooks, and their changes. `pushes`: recent impulses on bodies.

pub(crate) mod belts;
pub(crate) mod carrying;
pub(crate) mod changes;
#[cfg(feature = "parallel")]
pub(crate) mod chunks;
pub(crate) mod crowd;
pub(crate) mod events;
pub(crate) mod hook_input;
pub(crate) mod hooked;
pub(crate) mod internal_edges;
pub(crate) mod narrow;
pub(crate) mod pair_state;
pub(crate) mod pair_states;
pub(crate) mod pairs;
pub(crate) mod pairs_by_body;
pub(crate) mod pushes;
pub(crate) mod recycling;
pub(crate) mod round_contacts;
pub(crate) mod rules;
pub(crate) mod scene;
pub(crate) mod sink;
pub(crate) mod sleeping_manifolds;
pub(crate) mod solver_input;
pub(crate) mod surface_velocity;
pub(crate) mod touches;

use crate::BodyId;
use crate::bodies::BodySet;
use crate::bodies::active_bodies::ActiveBodies;
use crate::bodies::shift::Shift;
use crate::contacts::belts::Belts;
use crate::contacts::changes::{FreeSlots, PairChanges};
use crate::contacts::events::{Approach, Event, EventKind, ImpulseEvent};
use crate::contacts::hooked::Hooked;
use crate::contacts::narrow::Tally;
use crate::contacts::pair_state::PairState;
use crate::contacts::pair_states::PairStates;
use crate::contacts::pairs_by_body::{PairsByBody, places_of};
use crate::contacts::pushes::Pushes;
use crate::contacts::rules::{ResponseEvent, Rules};
use crate::contacts::sleeping_manifolds::SleepingManifolds;
use crate::contacts::solver_input::SolvedCounts;
use crate::contacts::touches::Touch;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::{Pair, ProxyId};
use carom_geom::Manifold;
use carom_query::ManifoldCache;
use carom_response::{Body, BodyKind, ContactLink, shrink_unused};

/// All pairs with their contacts.
#[derive(Default)]
pub(crate) struct ContactSet {
    /// One pair state for each pair, in the order of the pairs; gaps lie between them.
    pub(crate) states: PairStates,
    /// The pair of each pair state, at the same place.
    pub(crate) pairs: Vec<Pair>,
    /// The gaps among them.
    pub(crate) gaps: FreeSlots,
    /// The places of the active pairs, ascending. A pair is active if one of its bodies moves,
    /// moved at the last detection, or was edited.
    pub(crate) active_pairs: Vec<u32>,
    /// Whether something changed since the last detection. If not, detection has no work.
    pub(crate) is_changed: bool,
    /// Whether pairs may be due although none of their bodies moved. Then all pairs are active.
    pub(crate) is_unsettled: bool,
    /// Whether another body got the number of a removed one, or a response rule changed, since the
    /// last broad phase.
    pub(crate) is_renumbered: bool,
    /// The manifolds of the active pairs, in their order, possibly with unused entries between
    /// them.
    pub(crate) manifolds: Vec<Manifold>,
    /// The manifolds of the other pairs.
    pub(crate) sleeping: SleepingManifolds,
    /// The pairs of each body.
    pub(crate) pairs_by_body: PairsByBody,
    pub(crate) events: Vec<Event>,
    /// Whether the caller took the events. While bodies are suspended, the next ones depend on
    /// them, so they stay in the list.
    pub(crate) are_events_taken: bool,
    /// The pairs of colliders that touch, of bodies that have several.
    pub(crate) touches: Vec<Touch>,
    /// Rules for responses other than a collision. The list below has the events of the last step.
    pub(crate) rules: Rules,
    pub(crate) responses: Vec<ResponseEvent>,
    /// The pairs that pushed each other in the last step by more than a threshold.
    pub(crate) impulse_events: Vec<ImpulseEvent>,
    /// See [`BodyRef::recent_pushes`](crate::BodyRef::recent_pushes).
    pub(crate) pushes: Pushes,
    /// The pairs in this step that record their impulses.
    pub(crate) approaches: Vec<Approach>,
    pub(crate) hooked: Hooked,
    /// Surface velocities, by body.
    pub(crate) belts: Belts,
    pub(crate) scratch: Scratch,
}

impl ContactSet {
    /// Returns the manifolds of a pair state.
    pub(crate) fn manifolds_of(&self, state: &PairState) -> &[Manifold] {
        self.sleeping.manifolds_of(state).unwrap_or_else(|| &self.manifolds[state.range()])
    }

    /// Shifts all contacts, after the origin of the frame was moved.
    pub(crate) fn shift(&mut self, shift: Shift) {
        for manifold in self.manifolds.iter_mut().chain(self.sleeping.manifolds_mut()) {
            for contact in manifold.contacts_mut() {
                shift.apply(&mut contact.point_a);
                shift.apply(&mut contact.point_b);
            }
        }
        // Points were rounded, so a pair that moves again is tested, not recycled.
        self.states.iter_mut().for_each(|state| state.drift = f32::MAX);
        self.impulse_events.iter_mut().for_each(|event| shift.apply(&mut event.point));
        self.pushes.shift(shift);
    }

    /// Ends a pair whose boxes no longer overlap. If it touched, this is an event.
    pub(crate) fn end(&mut self, index: usize) {
        let state = &self.states[index];
        self.sleeping.release_pair(state);
        if state.is_touching {
            let (a, b) = (state.a, state.b);
            let (slots, kind) = (events::FIRST_SLOTS, EventKind::Ended);
            self.scratch.ended.push(Event { a, b, slots, kind, is_sensor: state.is_sensor });
        }
    }

    /// Takes out the pair states of the active pairs, the caches of all pairs, and the list of all
    /// pair states. If all are active, nothing is copied and the last list is empty.
    pub(crate) fn take_active_states(&mut self) -> (Vec<PairState>, Vec<ManifoldCache>, Vec<PairState>) {
        let PairStates { list, caches } = core::mem::take(&mut self.states);
        if self.active_pairs.len() == list.len() {
            return (list, caches, Vec::new());
        }
        let mut active = core::mem::take(&mut self.scratch.active_states);
        active.clear();
        active.extend(self.active_pairs.iter().map(|&index| list[index as usize]));
        (active, caches, list)
    }

    /// Puts the pair states that [`ContactSet::take_active_states`] took back to their places.
    pub(crate) fn put_back_active_states(
        &mut self,
        mut active: Vec<PairState>,
        caches: Vec<ManifoldCache>,
        mut all: Vec<PairState>,
    ) {
        if !all.is_empty() {
            for (&index, state) in self.active_pairs.iter().zip(&active) {
                all[index as usize] = *state;
            }
            self.scratch.active_states = core::mem::replace(&mut active, all);
        }
        self.sleeping.compact(&mut active);
        self.states = PairStates { list: active, caches };
    }

    /// Moves the manifolds of pairs in which nothing moves from `found` to `sleeping`. Returns the
    /// number of these manifolds.
    pub(crate) fn put_to_rest(
        &mut self,
        states: &mut [PairState],
        found: &[Manifold],
        tally: &Tally,
        active: &ActiveBodies,
    ) -> usize {
        tally.left.iter().for_each(|&(first, n)| self.sleeping.release(first, n));
        // With suspended bodies most manifolds become those of pairs in which nothing moves.
        if active.has_suspended() {
            self.sleeping.make_room(self.pairs.len());
        }
        let mut n_moved = 0;
        for state in if tally.n_still == 0 { &mut [] } else { states } {
            let waits = state.is_deferred && !active.has_suspended();
            if !waits && !active.moves(state.a.index) && !active.moves(state.b.index) {
                n_moved += state.n as usize;
                self.sleeping.take(state, found);
            }
        }
        n_moved
    }

    /// Shrinks memory that is several times as large as its content.
    pub(crate) fn shrink_unused(&mut self) {
        shrink_unused(&mut self.manifolds);
        shrink_unused(&mut self.scratch.manifolds);
        shrink_unused(&mut self.scratch.active_states);
        shrink_unused(&mut self.scratch.contacts);
    }

    /// Collects the active pairs into `active_pairs`; all pairs, including gaps, if every body that
    /// is not fixed is active.
    pub(crate) fn collect_active_pairs(&mut self, bodies: &BodySet) {
        let BodySet { motions, active, is_stale, moved, .. } = bodies;
        let ContactSet { active_pairs, pairs, gaps, is_unsettled, scratch, .. } = self;
        let has_active_pairs = &mut scratch.has_active_pairs;
        has_active_pairs.clear();
        has_active_pairs.extend((0..).zip(is_stale).map(|(body, is_stale)| *is_stale | active.moves(body)));
        has_active_pairs
            .iter_mut()
            .zip(moved)
            .for_each(|(has_active_pairs, moved)| *has_active_pairs |= *moved);
        // No pair has two fixed bodies, so every pair is active then.
        let could_be =
            |(body, has_active_pairs): (&Body, &bool)| *has_active_pairs || body.kind == BodyKind::Fixed;
        if *is_unsettled || motions.iter().zip(&*has_active_pairs).all(could_be) {
            active_pairs.clear();
            active_pairs.extend(0..pairs.len() as u32);
            return;
        }
        // Branchless: always write, advance only if kept.
        active_pairs.resize(pairs.len(), 0);
        let mut n = 0;
        // The compaction front, a long run of gaps, is skipped.
        let front = gaps.front();
        for part in [0..front.start, front.end..pairs.len()] {
            for (index, pair) in (part.start as u32..).zip(&pairs[part]) {
                active_pairs[n] = index;
                n += usize::from(has_active_pairs[pair.a as usize] | has_active_pairs[pair.b as usize]);
            }
        }
        active_pairs.truncate(n);
    }

    /// Drops the contacts of a body, and the impulses that the solver has cached for them, after
    /// parts of the body got other numbers. Whether pairs touch stays, for events.
    pub(crate) fn drop_contacts_of(&mut self, id: BodyId) {
        let ContactSet { pairs_by_body, pairs, states, sleeping, .. } = self;
        pairs_by_body.visit(pairs, id.index, |index| {
            let state = &mut states[index];
            if state.a == id || state.b == id {
                sleeping.release_pair(state);
                (state.first, state.n, state.is_at_rest) = (0, 0, false);
                state.is_unsolved = true;
            }
        });
    }

    /// Enables the pairs of a body that hooks disabled in the last step.
    pub(crate) fn enable_all_of(&mut self, id: BodyId) {
        self.hooked.apart.retain(|pair| !pair.bodies.contains(&id.index));
        let states = self.states.iter_mut();
        states.for_each(|state| state.is_disabled &= state.a != id && state.b != id);
    }

    /// Returns the place of the pair state of two bodies.
    pub(crate) fn index_of_pair(&mut self, a: BodyId, b: BodyId) -> Option<usize> {
        let mut found = None;
        let ContactSet { pairs_by_body, pairs, states, .. } = self;
        pairs_by_body.visit(pairs, a.index, |index| {
            if states[index].a == a && states[index].b == b {
                found = Some(index);
            }
        });
        found
    }

    /// Returns the pair states of a body, in the order of the pairs. The cost grows with their
    /// number, not with that of all pairs.
    pub(crate) fn states_of(&self, id: BodyId) -> impl Iterator<Item = &PairState> {
        let (pairs, body) = (&self.pairs, id.index);
        let smaller = self.pairs_by_body.smaller_partners(pairs, body).into_iter();
        let smaller = smaller.filter_map(move |a| {
            places_of(pairs, Pair { a, b: body }).find(|&place| !self.states[place].is_gap())
        });
        let first = pairs.partition_point(|pair| pair.a < body);
        // The compaction front, a long run of gaps, is skipped.
        let front = self.gaps.front();
        let front = if front.contains(&first) { first..front.end } else { front };
        let before = first..front.start.max(first);
        let behind = front.end.max(first)..pairs.len();
        let is_own = move |place: &usize| pairs[*place].a == body;
        let larger = before.take_while(is_own).chain(behind.take_while(is_own));
        let states = smaller.chain(larger).map(|place| &self.states[place]);
        states.filter(move |state| state.a == id || state.b == id)
    }

    /// Writes the contacts that began, persisted and ended to `events`, in the order of the pairs.
    /// Returns how many pairs touch.
    pub(crate) fn report_events(&mut self) -> usize {
        let ContactSet { events, states, scratch, .. } = self;
        #[cfg(feature = "parallel")]
        let n_touching = crate::contacts::events::report_in_chunks(states, events, &mut scratch.event_chunks);
        #[cfg(not(feature = "parallel"))]
        let n_touching = events::report(states, events);
        // The events of ended pairs are sorted as well.
        events::merge(events, &scratch.ended);
        n_touching
    }

    /// Writes events like [`ContactSet::report_events`], if bodies are suspended now and were at
    /// the last detection. Events of pairs that are not active become persisted.
    pub(crate) fn report_events_of_active(&mut self) -> usize {
        let ContactSet { events, scratch, states, active_pairs, .. } = self;
        let fresh = &mut scratch.fresh;
        fresh.clear();
        fresh.extend(scratch.ended.iter().map(|&event| (event, true)));
        events.clear();
        for &index in &*active_pairs {
            let state = &mut states[index as usize];
            let event = events::take(state);
            // Without a new event, the pair gets an ended one, which removes its last event.
            let (a, b, is_sensor) = (state.a, state.b, state.is_sensor);
            let (slots, kind) = (events::FIRST_SLOTS, EventKind::Ended);
            let last_events = event.unwrap_or(Event { a, b, slots, kind, is_sensor });
            fresh.push((last_events, event.is_some()));
        }
        // Both parts are sorted, so this is a merge.
        fresh.sort();
        let mut fresh = fresh.iter().peekable();
        for (number, old) in scratch.last_events.iter().enumerate() {
            while let Some((event, has_event)) =
                fresh.next_if(|(event, _)| (event.a, event.b) < (old.a, old.b))
            {
                events.extend(has_event.then_some(*event));
            }
            let is_fresh = fresh.peek().is_some_and(|(event, _)| (event.a, event.b) == (old.a, old.b));
            // A sensor that was passed has two events. The first one does not become persisted.
            let is_over = |next: &Event| (next.a, next.b, next.kind) == (old.a, old.b, EventKind::Ended);
            let is_over = scratch.last_events.get(number + 1).is_some_and(is_over);
            if !is_fresh && !is_over && old.kind != EventKind::Ended {
                events.push(Event { kind: EventKind::Persisted, ..*old });
            }
        }
        events.extend(fresh.filter(|(_, has_event)| *has_event).map(|(event, _)| *event));
        events.iter().filter(|event| event.kind != EventKind::Ended).count()
    }
}

/// Scratch memory. Its content is not valid after a step.
#[derive(Default)]
pub(crate) struct Scratch {
    pub(crate) pairs: Vec<Pair>,
    pub(crate) manifolds: Vec<Manifold>,
    pub(crate) counts: Vec<u32>,
    /// Copies of the active pair states, contiguous.
    pub(crate) active_states: Vec<PairState>,
    pub(crate) contacts: Vec<ContactLink>,
    /// The places of the joints of moving bodies.
    pub(crate) joints: Vec<u32>,
    /// By number: whether the solver moves the body.
    pub(crate) is_active: Vec<bool>,
    /// The places of the pair states that are solved, and the counts of each chunk.
    pub(crate) solved: Vec<u32>,
    pub(crate) parts: Vec<SolvedCounts>,
    /// By number: whether the pairs of the body are active.
    pub(crate) has_active_pairs: Vec<bool>,
    /// The events of the last detection.
    pub(crate) last_events: Vec<Event>,
    pub(crate) fresh: Vec<(Event, bool)>,
    pub(crate) changes: PairChanges,
    /// How many manifolds each chunk of the active pairs had.
    #[cfg(feature = "parallel")]
    pub(crate) found_in: Vec<u32>,
    /// The events of each chunk of the pair states.
    #[cfg(feature = "parallel")]
    pub(crate) event_chunks: Vec<Vec<Event>>,
    /// The events of pairs that ended in the broad phase.
    pub(crate) ended: Vec<Event>,
    pub(crate) moves: Vec<(ProxyId, Aabb)>,
}
