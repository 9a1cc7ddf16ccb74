//! The bodies as the narrow phase sees them.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1 and figure 25.2.

use crate::bodies::body::Traits;
use crate::bodies::deforming::Deforming;
use crate::bodies::girth::Girth;
use crate::bodies::movers::Movers;
use crate::bodies::size::Size;
use crate::budget::allowance::Allowance;
use crate::contacts::carrying::{Carrier, carry, is_otherwise_round, round_of};
use crate::contacts::record::Record;
use crate::contacts::rest::Rest;
use crate::contacts::sink::Sink;
use carom_geom::Manifold;
use carom_math::Pose;
use carom_query::Shape;
use carom_response::{Body, BodyKind};

/// The bodies as the narrow phase sees them, by number.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) shapes: &'a [Option<Shape>],
    pub(crate) sizes: &'a [Size],
    pub(crate) bodies: &'a [Body],
    pub(crate) traits: &'a [Traits],
    pub(crate) girths: &'a [Girth],
    /// By number: it will go far for its thickness.
    pub(crate) swift: &'a [bool],
    pub(crate) movers: &'a Movers,
    pub(crate) deforming: &'a Deforming,
    /// The body's pose changed since the last detection.
    pub(crate) is_stale: &'a [bool],
    /// Where the bodies were at the last detection; `None`: nowhere that the pose could have come from.
    pub(crate) seen: &'a [Option<Pose>],
    /// The manifolds of the last detection.
    pub(crate) old: &'a [Manifold],
    /// Those that were put to rest before.
    pub(crate) rest: &'a Rest,
    /// How long the looking may go on.
    pub(crate) allowance: Allowance,
    /// Contacts are looked for within this distance.
    pub(crate) prediction: f32,
    /// Contacts nearer than this touch.
    pub(crate) slop: f32,
    /// So far the bodies of a pair may move before it is looked at anew; 0: they may not.
    pub(crate) recycling: f32,
    /// It is asked who rests on what.
    pub(crate) smooths_internal_edges: bool,
    /// Length of the last step: for how long a fast body is looked ahead for.
    pub(crate) dt: f32,
}

impl<'a> Scene<'a> {
    /// The pair is wanted, and something in it moved since it was looked at.
    pub(crate) fn is_due(&self, record: &Record) -> bool {
        let (a, b) = (record.a.index as usize, record.b.index as usize);
        self.has_moved(record) && record.is_wanted && self.shapes[a].is_some() && self.shapes[b].is_some()
    }

    pub(super) fn has_moved(&self, record: &Record) -> bool {
        let (a, b) = (record.a.index as usize, record.b.index as usize);
        record.is_new || record.is_put_off || self.is_stale[a] || self.is_stale[b]
    }

    /// The manifolds of a record at the last detection.
    pub(crate) fn known(&self, record: &Record) -> &'a [Manifold] {
        let (rest, old): (&'a Rest, &'a [Manifold]) = (self.rest, self.old);
        rest.manifolds_of(record).unwrap_or_else(|| &old[record.range()])
    }

    /// The contacts of a pair that is put off, where its bodies are now.
    pub(super) fn carry_over(&self, record: &mut Record, out: &mut impl Sink) {
        let (a, b) = (record.a.index as usize, record.b.index as usize);
        let known = self.known(record);
        record.is_put_off = true;
        record.n = 0;
        let place = |body: usize| self.seen.get(body).copied().flatten();
        let (Some(seen_a), Some(seen_b), false) = (place(a), place(b), record.is_new) else {
            // Nothing is known of it any more, or yet.
            record.is_new = true;
            record.is_touching = false;
            return;
        };
        if record.is_sensor {
            return;
        }
        let shape = |body: usize| self.shapes[body].as_ref();
        let round = |body: usize| shape(body).map_or(0.0, round_of);
        let a_moves = Carrier { from: &seen_a, to: &self.bodies[a].pose, round: round(a) };
        let b_moves = Carrier { from: &seen_b, to: &self.bodies[b].pose, round: round(b) };
        let rolls = |moves: &Carrier<'_>, body: usize| {
            moves.from.rotation != moves.to.rotation && shape(body).is_some_and(is_otherwise_round)
        };
        record.has_lost |= rolls(&a_moves, a) || rolls(&b_moves, b);
        record.is_touching = false;
        out.make_room(known.len());
        for manifold in known {
            let moved = carry(manifold, a_moves, b_moves, self.reach(a, b));
            record.has_lost |= moved.contacts().len() < manifold.contacts().len();
            if !moved.is_empty() {
                record.n += 1;
                record.is_touching |= self.touches(&moved);
                out.push(&moved);
            }
        }
    }

    /// Neither of its bodies moves.
    pub(crate) fn is_still(&self, record: &Record) -> bool {
        !(self.movers.has(record.a.index) || self.movers.has(record.b.index))
    }

    pub(crate) fn touches(&self, manifold: &Manifold) -> bool {
        manifold.contacts().iter().any(|contact| contact.distance <= self.slop)
    }

    /// How near two bodies must be for their contacts to be of interest.
    pub(crate) fn reach(&self, a: usize, b: usize) -> f32 {
        let mut reach = self.prediction + self.deforming.farthest(a) + self.deforming.farthest(b);
        // A bounce happens where a step begins, so bodies that bounce are not seen from afar.
        let bounces = 0.0 < self.traits[a].restitution.max(self.traits[b].restitution);
        for (body, other) in [(a, b), (b, a)] {
            let is_swift = self.swift[body] && !bounces && self.is_barrier(body, other);
            if self.traits[body].is_fast || is_swift {
                reach += self.bodies[body].linear_velocity.length() * self.dt;
                if self.bodies[body].kind == BodyKind::Kinematic {
                    reach += self.turned(body, other);
                }
            }
        }
        reach.min(f32::MAX)
    }

    /// One of the two holds the other back: it is fixed or driven, or a surface.
    fn is_barrier(&self, a: usize, b: usize) -> bool {
        [a, b].iter().any(|&k| self.bodies[k].kind != BodyKind::Dynamic || self.girths[k].is_surface)
    }

    /// How far a driven body turns in a step at the place of another one, at most.
    fn turned(&self, body: usize, other: usize) -> f32 {
        let angle = self.bodies[body].angular_velocity.length() * self.dt;
        let apart = (self.bodies[other].pose.translation - self.bodies[body].pose.translation).length();
        let radius = self.girths[body].radius.min(apart + self.girths[other].radius);
        if 0.0 < angle { angle * radius } else { 0.0 }
    }
}
