//! The pairs of bodies whose boxes touch, what is known of each, and what the last detection told.
//!
//! - `pairs`, `crowd`: the broad phase: which pairs there are, and in which of them something moves.
//! - `records`, `changes`: a record for each pair, kept in their order.
//! - `narrow`, `recycling`, `internal_edges`: the narrow phase: contacts of shapes.
//! - `rest`, `meetings`: contacts in which nothing moves; the pairs of a body.
//! - `events`, `responses`: what is told, and what bodies do that do not collide.
//! - `handed`, `belts`, `surface_velocity`: what the solver is given.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., figure 25.2 (what goes from phase to phase).

pub(crate) mod belts;
pub(crate) mod carrying;
pub(crate) mod changes;
pub(crate) mod crowd;
pub(crate) mod events;
pub(crate) mod handed;
pub(crate) mod internal_edges;
pub(crate) mod meetings;
pub(crate) mod narrow;
pub(crate) mod pairs;
#[cfg(feature = "parallel")]
pub(crate) mod pieces;
pub(crate) mod record;
pub(crate) mod records;
pub(crate) mod recycling;
pub(crate) mod responses;
pub(crate) mod rest;
pub(crate) mod rules;
pub(crate) mod scene;
pub(crate) mod sink;
pub(crate) mod surface_velocity;

use crate::BodyId;
use crate::bodies::BodySet;
use crate::contacts::belts::Belts;
use crate::contacts::changes::{Changes, Gaps};
use crate::contacts::events::{Event, EventKind};
use crate::contacts::handed::Part;
use crate::contacts::meetings::Meetings;
use crate::contacts::record::Record;
use crate::contacts::records::Records;
use crate::contacts::rest::Rest;
use crate::contacts::rules::{ResponseEvent, Rules};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::{Pair, ProxyId};
use carom_geom::Manifold;
use carom_response::{Body, BodyKind, ContactLink};

/// All pairs with their contacts.
#[derive(Default)]
pub(crate) struct ContactSet {
    /// In the order of the pairs.
    pub(crate) records: Records,
    /// The pairs of the records.
    pub(crate) pairs: Vec<Pair>,
    /// Which of them are nobody's, for those that come.
    pub(crate) gaps: Gaps,
    /// The records of which a body moves or moved, by place.
    pub(crate) busy: Vec<u32>,
    /// Something changed since the last detection.
    pub(crate) is_changed: bool,
    /// A record may have to be looked at though nothing in it moved; so all are.
    pub(crate) is_unsettled: bool,
    /// A number has passed to another body since pairs were looked for.
    pub(crate) is_renumbered: bool,
    /// The manifolds of the busy records, in their order, and perhaps room between them.
    pub(crate) manifolds: Vec<Manifold>,
    /// Those of the others.
    pub(crate) rest: Rest,
    /// Whom each body meets, as long as the records stay.
    pub(crate) meetings: Meetings,
    pub(crate) events: Vec<Event>,
    /// What bodies do when they touch, and what they did in the last step.
    pub(crate) rules: Rules,
    pub(crate) responses: Vec<ResponseEvent>,
    /// Surfaces that move along themselves.
    pub(crate) belts: Belts,
    pub(crate) work: Work,
}

impl ContactSet {
    /// Where the manifolds of a record are.
    pub(crate) fn manifolds_of(&self, record: &Record) -> &[Manifold] {
        self.rest.manifolds_of(record).unwrap_or_else(|| &self.manifolds[record.range()])
    }

    /// A record that is gone has ended, if it touched.
    pub(crate) fn end(&mut self, place: usize) {
        let record = &self.records[place];
        self.rest.leave(record);
        if record.is_touching {
            let (a, b) = (record.a, record.b);
            self.work.ended.push(Event { a, b, kind: EventKind::Ended, is_sensor: record.is_sensor });
        }
    }

    /// The records in which something moves or moved, or all.
    pub(crate) fn find_busy(&mut self, bodies: &BodySet) {
        let BodySet { motions, movers, is_stale, moved, .. } = bodies;
        let ContactSet { busy, pairs, gaps, is_unsettled, work, .. } = self;
        let is_busy = &mut work.is_busy;
        is_busy.clear();
        is_busy.extend((0..).zip(is_stale).map(|(body, is_stale)| *is_stale | movers.has(body)));
        is_busy.iter_mut().zip(moved).for_each(|(is_busy, moved)| *is_busy |= *moved);
        // No pair is of two fixed bodies.
        let could_be = |(body, is_busy): (&Body, &bool)| *is_busy || body.kind == BodyKind::Fixed;
        if *is_unsettled || motions.iter().zip(&*is_busy).all(could_be) {
            busy.clear();
            busy.extend(0..pairs.len() as u32);
            return;
        }
        // Written always, kept when something moves: a branch would be a guess. What is there already is written over.
        busy.resize(pairs.len(), 0);
        let mut n = 0;
        // But for where there are many gaps together.
        let clearing = gaps.clearing();
        for part in [0..clearing.start, clearing.end..pairs.len()] {
            for (place, pair) in (part.start as u32..).zip(&pairs[part]) {
                busy[n] = place;
                n += usize::from(is_busy[pair.a as usize] | is_busy[pair.b as usize]);
            }
        }
        busy.truncate(n);
    }

    /// The place of the record of two bodies.
    pub(crate) fn place_of(&mut self, a: BodyId, b: BodyId) -> Option<usize> {
        let mut found = None;
        let ContactSet { meetings, pairs, records, .. } = self;
        meetings.visit(pairs, a.index, |place| {
            if records[place].a == a && records[place].b == b {
                found = Some(place);
            }
        });
        found
    }

    /// What began, persisted and ended, in the order of the pairs.
    pub(crate) fn tell_events(&mut self) -> usize {
        let ContactSet { events, records, work, .. } = self;
        #[cfg(feature = "parallel")]
        let n_touching = crate::contacts::events::tell_in_parts(records, events, &mut work.event_parts);
        #[cfg(not(feature = "parallel"))]
        let n_touching = events::tell(records, events);
        // Those of pairs that are gone are in their order, too.
        events::merge(events, &work.ended);
        n_touching
    }

    /// As [`ContactSet::tell_events`], where some are halted, and were in the detection before: what was told of pairs in which nothing moved
    /// goes on.
    pub(crate) fn tell_events_of_busy(&mut self) -> usize {
        let ContactSet { events, work, records, busy, .. } = self;
        let fresh = &mut work.fresh;
        fresh.clear();
        fresh.extend(work.ended.iter().map(|&event| (event, true)));
        events.clear();
        for &place in &*busy {
            let record = &mut records[place as usize];
            let event = events::take(record);
            // Also of one of which nothing is told it is known that it does not go on.
            let (a, b, is_sensor) = (record.a, record.b, record.is_sensor);
            let told = event.unwrap_or(Event { a, b, kind: EventKind::Ended, is_sensor });
            fresh.push((told, event.is_some()));
        }
        // Both parts of it are in order.
        fresh.sort();
        let mut fresh = fresh.iter().peekable();
        for (number, old) in work.told.iter().enumerate() {
            while let Some((event, is_told)) = fresh.next_if(|(event, _)| (event.a, event.b) < (old.a, old.b))
            {
                events.extend(is_told.then_some(*event));
            }
            let is_fresh = fresh.peek().is_some_and(|(event, _)| (event.a, event.b) == (old.a, old.b));
            // A sensor that was passed within a step.
            let is_over = |next: &Event| (next.a, next.b, next.kind) == (old.a, old.b, EventKind::Ended);
            let is_over = work.told.get(number + 1).is_some_and(is_over);
            if !is_fresh && !is_over && old.kind != EventKind::Ended {
                events.push(Event { kind: EventKind::Persisted, ..*old });
            }
        }
        events.extend(fresh.filter(|(_, is_told)| *is_told).map(|(event, _)| *event));
        events.iter().filter(|event| event.kind != EventKind::Ended).count()
    }
}

/// Vectors whose content does not outlive a call.
#[derive(Default)]
pub(crate) struct Work {
    pub(crate) pairs: Vec<Pair>,
    pub(crate) manifolds: Vec<Manifold>,
    pub(crate) counts: Vec<u32>,
    /// Busy records in a row.
    pub(crate) busy_records: Vec<Record>,
    pub(crate) contacts: Vec<ContactLink>,
    /// The places of the joints of who moves.
    pub(crate) joints: Vec<u32>,
    /// By number: the solver moves it.
    pub(crate) is_active: Vec<bool>,
    /// The places of the records that it is given, and how many those of parts of the busy ones are.
    pub(crate) solved: Vec<u32>,
    pub(crate) parts: Vec<Part>,
    /// By number: something of it moves or moved.
    pub(crate) is_busy: Vec<bool>,
    /// The events of the detection before.
    pub(crate) told: Vec<Event>,
    pub(crate) fresh: Vec<(Event, bool)>,
    pub(crate) changes: Changes,
    /// By piece of the busy records how many manifolds it had.
    #[cfg(feature = "parallel")]
    pub(crate) found_in: Vec<u32>,
    /// Memory: events of parts of the records.
    #[cfg(feature = "parallel")]
    pub(crate) event_parts: Vec<Vec<Event>>,
    /// Events of pairs that are gone.
    pub(crate) ended: Vec<Event>,
    pub(crate) moves: Vec<(ProxyId, Aabb)>,
}
