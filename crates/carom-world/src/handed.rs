//! Contacts as the solver takes them: manifolds with the friction and the restitution of their bodies.
//!
//! Reference: E. Catto, Modeling and Solving Constraints, GDC 2009 (friction of a pair: the geometric mean; restitution: the larger).

use crate::body::Traits;
use crate::narrow::{NOT_SOLVED, Record};
use crate::rest::Rest;
use carom_geom::Manifold;
use carom_math::ops;
use carom_response::ContactPair;

/// What the contacts for the solver are made of.
pub(crate) struct Handed<'a> {
    pub(crate) records: &'a [Record],
    pub(crate) traits: &'a [Traits],
    pub(crate) manifolds: &'a [Manifold],
    pub(crate) rest: &'a Rest,
}

impl Handed<'_> {
    /// Writes the contacts of these records, which are as many as `out` is long.
    pub(crate) fn hand_over(&self, busy: &[u32], out: &mut [ContactPair]) {
        let mut out = out.iter_mut();
        for &place in busy {
            let record = &self.records[place as usize];
            if record.first_solved == NOT_SOLVED {
                continue;
            }
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
