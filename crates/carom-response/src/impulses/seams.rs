//! Seams: the load of a roller passes from one piece of a floor to the next.
//!
//! A floor of boxes or triangles has a manifold for each piece. If impulses stayed with their
//! pieces, the contact with the next piece would begin without one. So a roller would sink, lean
//! and veer a little at each seam.
//!
//! - The contacts of a roller with all fixed pieces are matched together, by their places below
//!   the body. A roller is a round body with an axis. Balls need no match. A contact gets the
//!   impulse of the nearest contact of the last step, of any piece, if the normals agree. Each
//!   impulse is used once.
//! - An impulse without a contact near it stays with its pair, as on a single piece.
//! - Friction follows: each contact brings its share of the friction of its manifold.
//! - Only bodies on several pieces are matched, of which two have the same normal. And only in
//!   steps in which a contact began, ended, or changed its features.
//!
//! Reference: none; E. Catto, Iterative Dynamics with Temporal Coherence, GDC 2005, matches
//! contacts of one pair.
//! Tried: all bodies, not only round ones. Wheels with 64 corners veered as before.

use crate::bodies::active::ActiveBodies;
use crate::bodies::body::{Body, BodyKind};
use crate::contacts::contact::{ContactImpulse, ContactInput, Contacts, PairKey};
use crate::contacts::round::RoundContact;
use crate::contacts::step_contacts::StepContacts;
use crate::impulses::damping::Normal;
use crate::impulses::impulse_list::{CachedImpulse, ImpulseList, ManifoldKey};
use alloc::vec::Vec;
use carom_geom::MAX_CONTACTS;
use carom_math::{Real, Vec3};

/// The largest distance of matched contacts, as a fraction of their distance from the centre of
/// mass. A contact below a roller stays at its place, except where a slanting seam cuts its line.
const MAX_SHIFT_RATIO: Real = 1.0 / 8.0;

/// The least cosine of the angle between normals that agree: 1.8 degrees.
const MIN_COSINE: Real = 0.9995;

/// The largest number of contacts of a body, old and new together, that are matched.
const MAX_MATCHED: usize = 64;

/// The input of matching.
pub(crate) struct SeamInput<'a> {
    /// The contacts of the caller.
    pub(crate) given: &'a Contacts<'a>,
    pub(crate) contacts: &'a StepContacts,
    pub(crate) active: &'a ActiveBodies,
    pub(crate) bodies: &'a [Body],
    /// The length of the step.
    pub(crate) dt: Real,
}

impl SeamInput<'_> {
    /// Returns the slot of the movable body of a pair whose other body is fixed.
    fn slot_on_piece(&self, key: PairKey) -> Option<u32> {
        let slot = |mover: u32, piece: u32| {
            let is_fixed = self.bodies.get(piece as usize).is_some_and(|body| body.kind == BodyKind::Fixed);
            let is_moved = || (mover as usize) < self.bodies.len() && self.active.moves(mover);
            (is_fixed && is_moved()).then(|| self.active.slot(mover) as u32)
        };
        slot(key.body_a, key.body_b).or_else(|| slot(key.body_b, key.body_a))
    }

    /// Returns the contact at a position among the active ones.
    fn contact(&self, index: u32) -> ContactInput<'_> {
        self.given.get(self.contacts.active[index as usize] as usize)
    }

    /// Returns the normal of a manifold, from the piece to the body.
    fn normal(&self, footing: &Footing, last: &ImpulseList, gone: &[u32]) -> Vec3 {
        let mover = self.active.indices()[footing.slot as usize];
        let (body_a, normal) = if footing.is_gone {
            let known = &last.manifold_keys[gone[footing.index as usize] as usize];
            (known.key.body_a, known.normal)
        } else {
            let found = self.contact(footing.index);
            (found.body_a, found.manifold.normal())
        };
        outward(normal, body_a, mover)
    }

    /// Returns the origin of the anchors of a pair: A's centre of mass if it moves.
    fn origin(&self, body_a: u32) -> Vec3 {
        if self.active.moves(body_a) { self.bodies[body_a as usize].world_center() } else { Vec3::ZERO }
    }
}

/// A manifold between a roller and a fixed piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Footing {
    /// The slot of the body.
    slot: u32,
    /// Whether the manifold was in the last step only.
    is_gone: bool,
    /// Its position among the active contacts. If it is gone, its position among those.
    index: u32,
}

/// A contact below a body.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// Relative to the centre of mass.
    at: Vec3,
    /// From the piece to the body.
    normal: Vec3,
    /// The number of its manifold among those of the same step, and its number in the manifold.
    manifold: usize,
    number: usize,
    is_free: bool,
}

/// An old and a new contact that may be matched. The pairs with the least key come first.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// Whether the contacts only belong to the same pair, and are not near each other.
    is_far: bool,
    distance_sq: Real,
    /// The positions of the old and the new contact in their lists.
    old: usize,
    new: usize,
}

/// Matches contacts across seams. All fields are workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seams {
    footings: Vec<Footing>,
    /// The manifolds of a body in the last step.
    known: Vec<CachedImpulse>,
    /// For each manifold of a body in this step, the impulses that it gets.
    handed: Vec<Handed>,
    old: Vec<Point>,
    new: Vec<Point>,
    candidates: Vec<Candidate>,
}

impl Seams {
    /// Matches the contacts of all rollers that pass seams. `matched` has the position in
    /// `last` of each active contact. `gone` has those of the cached pairs that are no longer in
    /// contact, in the order of their keys.
    pub(crate) fn pass(
        &mut self,
        input: &SeamInput<'_>,
        last: &mut ImpulseList,
        matched: &mut [u32],
        gone: &[u32],
    ) {
        let StepContacts { details, summaries, active, .. } = input.contacts;
        if details.rounds.is_empty() {
            return;
        }
        let mut footings = core::mem::take(&mut self.footings);
        footings.clear();
        for (index, &contact) in (0..).zip(active) {
            let slot = input.slot_on_piece(summaries[contact as usize].key);
            let has_axis = |round: &RoundContact| round.axis.iter().any(|axis| *axis != Vec3::ZERO);
            let slot = slot.filter(|_| details.round(contact).is_some_and(has_axis));
            footings.extend(slot.map(|slot| Footing { slot, is_gone: false, index }));
        }
        for (index, &position) in (0..).zip(gone) {
            let Some(known) = last.manifold_keys.get(position as usize) else { continue };
            footings.extend(input.slot_on_piece(known.key).map(|slot| Footing {
                slot,
                is_gone: true,
                index,
            }));
        }
        footings.sort_unstable();
        for group in footings.chunk_by(|x, y| x.slot == y.slot).filter(|group| 1 < group.len()) {
            let (new, old) = group.split_at(group.partition_point(|footing| !footing.is_gone));
            let normal = |footing: &Footing| input.normal(footing, last, gone);
            if !any_two_agree(group.iter().map(normal)) {
                continue;
            }
            let is_same = |footing: &Footing| {
                let known = last.manifold_keys.get(matched[footing.index as usize] as usize);
                let found = input.contact(footing.index);
                known.is_some_and(|known| known.has_features_of(found.manifold.contacts()))
            };
            if old.is_empty() && new.iter().all(is_same) {
                continue;
            }
            let positions = new.iter().map(|footing| matched[footing.index as usize]);
            let positions = positions.chain(old.iter().map(|footing| gone[footing.index as usize]));
            self.known.clear();
            self.known.extend(positions.filter_map(|position| last.get(position)));
            if self.match_body(input, new) {
                for (footing, handed) in new.iter().zip(&self.handed) {
                    matched[footing.index as usize] = last.push(&handed.cached(input, footing));
                }
            }
        }
        self.footings = footings;
    }

    /// Assigns the impulses `known` of a body to its manifolds `new`. Returns false if there are
    /// too many contacts.
    fn match_body(&mut self, input: &SeamInput<'_>, new: &[Footing]) -> bool {
        let Some(first) = new.first() else { return false };
        let mover = input.active.indices()[first.slot as usize];
        self.list_points(input, new, mover);
        if MAX_MATCHED < self.old.len() + self.new.len() {
            return false;
        }
        self.find_candidates(input, new);
        self.handed.clear();
        self.handed.resize(new.len(), Handed::NONE);
        for candidate in &self.candidates {
            let (from, to) = (&mut self.old[candidate.old], &mut self.new[candidate.new]);
            if from.is_free && to.is_free {
                (from.is_free, to.is_free) = (false, false);
                self.handed[to.manifold].take(to.number, &self.known[from.manifold], from.number, mover);
            }
        }
        true
    }

    /// Lists the old and the new contacts of a body.
    fn list_points(&mut self, input: &SeamInput<'_>, new: &[Footing], mover: u32) {
        let body = &input.bodies[mover as usize];
        let center = body.world_center();
        // The place in the last step, unless the velocity or the step was changed since.
        let old_center = center - body.linear_velocity * input.dt;
        self.old.clear();
        for (manifold, cached) in self.known.iter().enumerate() {
            let is_a = cached.manifold_key.key.body_a == mover;
            // Anchors of a pair with a fixed A are places in the world.
            let origin = if is_a { Vec3::ZERO } else { old_center };
            let normal = outward(cached.manifold_key.normal, cached.manifold_key.key.body_a, mover);
            let anchors = cached.manifold_key.anchors().iter().enumerate();
            self.old.extend(anchors.map(|(number, &anchor)| Point {
                at: anchor - origin,
                normal,
                manifold,
                number,
                is_free: true,
            }));
        }
        self.new.clear();
        for (manifold, footing) in new.iter().enumerate() {
            let pair = input.contact(footing.index);
            let normal = outward(pair.manifold.normal(), pair.body_a, mover);
            let contacts = pair.manifold.contacts().iter().enumerate();
            self.new.extend(contacts.map(|(number, contact)| Point {
                at: contact.middle() - center,
                normal,
                manifold,
                number,
                is_free: true,
            }));
        }
    }

    /// Lists the old and new contacts that may be matched, the nearest first.
    fn find_candidates(&mut self, input: &SeamInput<'_>, footings: &[Footing]) {
        let Seams { known, old, new, candidates, .. } = self;
        candidates.clear();
        for (i, from) in old.iter().enumerate() {
            for (j, to) in new.iter().enumerate() {
                let distance_sq = from.at.distance_squared(to.at);
                let is_near = distance_sq <= MAX_SHIFT_RATIO * MAX_SHIFT_RATIO * to.at.length_squared();
                let cosine = from.normal.dot(to.normal);
                let is_far = !(is_near && MIN_COSINE <= cosine);
                let is_same_pair = || {
                    let key = input.contact(footings[to.manifold].index).key();
                    0.0 < cosine && known[from.manifold].manifold_key.key == key
                };
                if !is_far || is_same_pair() {
                    candidates.push(Candidate { is_far, distance_sq, old: i, new: j });
                }
            }
        }
        candidates.sort_unstable_by(|x, y| {
            let order = x.is_far.cmp(&y.is_far).then(x.distance_sq.total_cmp(&y.distance_sq));
            order.then((x.old, x.new).cmp(&(y.old, y.new)))
        });
    }
}

/// Returns the normal of a manifold, from the piece to the body.
fn outward(normal: Vec3, body_a: u32, mover: u32) -> Vec3 {
    if body_a == mover { -normal } else { normal }
}

/// Whether two normals agree.
fn any_two_agree(normals: impl Iterator<Item = Vec3> + Clone) -> bool {
    let mut rest = normals;
    while let Some(one) = rest.next() {
        if rest.clone().any(|other| MIN_COSINE <= one.dot(other)) {
            return true;
        }
    }
    false
}

/// The impulses that a manifold gets.
#[derive(Clone, Copy, Debug)]
struct Handed {
    normals: [Normal; MAX_CONTACTS],
    /// On the body, not on the piece.
    friction: Vec3,
    twist: Real,
}

impl Handed {
    const NONE: Handed = Handed { normals: [Normal::NONE; MAX_CONTACTS], friction: Vec3::ZERO, twist: 0.0 };

    /// Takes the impulse of a contact of `from`, with its share of the friction, for contact `to`.
    fn take(&mut self, to: usize, from: &CachedImpulse, number: usize, mover: u32) {
        let ContactImpulse { normal, friction, twist } = from.impulse;
        self.normals[to] = Normal { impulse: normal[number], mean: from.manifold_key.means[number] };
        let total = from.impulse.total_normal();
        if 0.0 < total {
            let share = normal[number] / total;
            let is_a = from.manifold_key.key.body_a == mover;
            self.friction += friction * if is_a { -share } else { share };
            self.twist += twist * share;
        }
    }

    /// Returns the impulses as those of this pair in the last step.
    fn cached(&self, input: &SeamInput<'_>, footing: &Footing) -> CachedImpulse {
        let pair = input.contact(footing.index);
        let (contacts, normal) = (pair.manifold.contacts(), pair.manifold.normal());
        let center = input.origin(pair.body_a);
        let manifold_key = ManifoldKey::new(pair.key(), normal, contacts, center, &self.normals);
        let is_a = input.active.moves(pair.body_a);
        let friction = if is_a { -self.friction } else { self.friction };
        let normal = self.normals.map(|normal| normal.impulse);
        CachedImpulse { manifold_key, impulse: ContactImpulse { normal, friction, twist: self.twist } }
    }
}
