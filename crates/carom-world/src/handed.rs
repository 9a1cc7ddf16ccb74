//! Contacts as the solver takes them: manifolds where they stand, with the friction and the restitution of their bodies.
//!
//! Reference: E. Catto, Modeling and Solving Constraints, GDC 2009 (friction of a pair: the geometric mean; restitution: the larger).

use crate::body::Traits;
use crate::narrow::{NOT_SOLVED, Record};
use carom_math::ops;
use carom_response::{Body, BodyKind, ContactLink};

/// What the contacts for the solver are made of, beside the records.
pub(crate) struct Handed<'a> {
    pub(crate) bodies: &'a [Body],
    pub(crate) traits: &'a [Traits],
    /// How many manifolds are in motion: the numbers of those at rest follow.
    pub(crate) n_manifolds: u32,
}

impl Handed<'_> {
    fn is_solved(&self, record: &Record) -> bool {
        let is_active = |body: u32| {
            let body = &self.bodies[body as usize];
            body.kind == BodyKind::Dynamic && !body.is_sleeping && !body.is_halted
        };
        !record.is_sensor && 0 < record.n && (is_active(record.a.index) || is_active(record.b.index))
    }

    /// How many contacts each of the records at these places has for the solver.
    pub(crate) fn count(&self, records: &[Record], busy: &[u32], counts: &mut [u32]) {
        for (&place, count) in busy.iter().zip(counts) {
            let record = &records[place as usize];
            *count = if self.is_solved(record) { record.n } else { 0 };
        }
    }

    /// Writes the contacts of the records at these places, which are as many as `out` is long; those of each begin where `starts` says, and
    /// one who has none is not solved. The first of `records` is at place `first`.
    pub(crate) fn hand_over(
        &self,
        (records, first): (&mut [Record], u32),
        busy: &[u32],
        starts: &[u32],
        out: &mut [ContactLink],
    ) {
        let end = starts.first().map_or(0, |start| start + out.len() as u32);
        let ends = starts.iter().skip(1).copied().chain([end]);
        let mut out = out.iter_mut();
        for ((&place, &start), end) in busy.iter().zip(starts).zip(ends) {
            let record = &mut records[(place - first) as usize];
            if start == end {
                record.first_solved = NOT_SOLVED;
                continue;
            }
            record.first_solved = start;
            let is_new = core::mem::take(&mut record.is_unsolved);
            let (a, b) = (record.a.index, record.b.index);
            let (traits_a, traits_b) = (&self.traits[a as usize], &self.traits[b as usize]);
            let friction = ops::sqrt(traits_a.friction * traits_b.friction).min(f32::MAX);
            let restitution = traits_a.restitution.max(traits_b.restitution);
            let first = if record.is_at_rest { self.n_manifolds + record.first } else { record.first };
            for (number, out) in (first..first + record.n).zip(&mut out) {
                *out = ContactLink::new(a, b, number, friction, restitution).with_new(is_new);
            }
        }
    }
}

/// After a step that was refused: these contacts were not solved.
pub(crate) fn take_back(records: &mut [Record], busy: &[u32], contacts: &[ContactLink]) {
    for &place in busy {
        let record = &mut records[place as usize];
        record.is_unsolved |=
            contacts.get(record.first_solved as usize).is_some_and(|contact| contact.is_new);
        record.first_solved = NOT_SOLVED;
    }
}
