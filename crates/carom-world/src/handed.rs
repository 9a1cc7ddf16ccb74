//! Contacts as the solver takes them: manifolds with the friction and the restitution of their bodies.
//!
//! Reference: E. Catto, Modeling and Solving Constraints, GDC 2009 (friction of a pair: the geometric mean; restitution: the larger).

use crate::body::Traits;
use crate::narrow::{NOT_SOLVED, Record};
use crate::rest::Rest;
use carom_geom::Manifold;
use carom_math::ops;
use carom_response::{Body, BodyKind, ContactPair};

/// What the contacts for the solver are made of, beside the records.
pub(crate) struct Handed<'a> {
    pub(crate) bodies: &'a [Body],
    pub(crate) traits: &'a [Traits],
    pub(crate) manifolds: &'a [Manifold],
    pub(crate) rest: &'a Rest,
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

    /// Writes the contacts of the records at these places, which are as many as `out` is long; those of each begin where `starts` says.
    /// The first of `records` is at place `first`.
    pub(crate) fn hand_over(
        &self,
        (records, first): (&mut [Record], u32),
        busy: &[u32],
        starts: &[u32],
        out: &mut [ContactPair],
    ) {
        let mut out = out.iter_mut();
        for (&place, &start) in busy.iter().zip(starts) {
            let record = &mut records[(place - first) as usize];
            if !self.is_solved(record) {
                record.first_solved = NOT_SOLVED;
                continue;
            }
            record.first_solved = start;
            let (a, b) = (record.a.index, record.b.index);
            let (traits_a, traits_b) = (&self.traits[a as usize], &self.traits[b as usize]);
            let friction = ops::sqrt(traits_a.friction * traits_b.friction).min(f32::MAX);
            let restitution = traits_a.restitution.max(traits_b.restitution);
            let manifolds = self.rest.manifolds_of(record).unwrap_or_else(|| &self.manifolds[record.range()]);
            for (manifold, out) in manifolds.iter().zip(&mut out) {
                *out = ContactPair::new(a, b, *manifold, friction, restitution);
            }
        }
    }
}
