//! The narrow phase: pairs of boxes in, contacts of shapes out.
//!
//! A record per pair of boxes is kept from step to step, with what the last query left behind. Only pairs in which
//! something moved are looked at again. Manifolds stand in one list in the order of the pairs.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1 and figure 25.2.

use crate::bodies::body::{BodyId, Traits};
use crate::bodies::movers::Movers;
use crate::budget::time_critical::{Allowance, Carrier, carry, is_otherwise_round, round_of};
use crate::contacts::internal_edges::{self, Resting};
use crate::contacts::recycling::Size;
use crate::contacts::responses::Rules;
use crate::contacts::rest::Rest;
use crate::continuous::guard::Girth;
use crate::joint::Joints;
use alloc::vec::Vec;
use carom_broad::Pair;
use carom_geom::{Contact, Manifold};
use carom_math::{Pose, Vec3};
use carom_query::{ManifoldCache, Shape, intersects, manifolds};
use carom_response::{Body, BodyKind, Response};

/// What is known of a pair of bodies whose boxes touch.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Record {
    pub(crate) a: BodyId,
    pub(crate) b: BodyId,
    /// Where its manifolds begin, and how many there are.
    pub(crate) first: u32,
    pub(crate) n: u32,
    /// Where its manifolds are in what the solver was given; `NOT_SOLVED` if they are not.
    pub(crate) first_solved: u32,
    /// The shapes are to be looked at.
    pub(crate) is_wanted: bool,
    pub(crate) is_sensor: bool,
    pub(crate) is_touching: bool,
    pub(crate) was_touching: bool,
    /// The cache at its place is its own: its shapes were looked at.
    pub(crate) has_cache: bool,
    /// Not looked at yet.
    pub(crate) is_new: bool,
    /// Not given to the solver yet: what that keeps under its numbers is of bodies that had them before.
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) is_unsolved: bool,
    /// Was to be looked at in the last detection, and was not.
    pub(crate) is_put_off: bool,
    /// Contacts were lost when it was put off: its bodies slid, rolled or parted.
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) has_lost: bool,
    /// Is not to be looked at in this detection.
    pub(crate) is_skipped: bool,
    /// How far its bodies moved against each other since it was looked at: a length, or more.
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) way: f32,
    /// Its manifolds are those put to rest.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) is_at_rest: bool,
}

/// Pairs from one look at the clock to the next: some 5 microseconds.
pub(crate) const PAIRS_PER_LOOK: usize = 16;

/// Of a record that the solver was not given.
pub(crate) const NOT_SOLVED: u32 = u32::MAX;

impl Record {
    pub(crate) const fn new(a: BodyId, b: BodyId, is_wanted: bool, is_sensor: bool) -> Record {
        Record {
            a,
            b,
            first: 0,
            n: 0,
            first_solved: NOT_SOLVED,
            is_wanted,
            is_sensor,
            is_touching: false,
            was_touching: false,
            has_cache: false,
            is_new: true,
            is_unsolved: true,
            is_put_off: false,
            has_lost: false,
            is_skipped: false,
            way: 0.0,
            is_at_rest: false,
        }
    }

    /// Looked at as if for the first time; whether it touched is kept, for the events, and where its manifolds are.
    pub(crate) fn forget(&mut self) {
        self.has_cache = false;
        self.first_solved = NOT_SOLVED;
        self.is_new = true;
        self.is_put_off = false;
        self.is_skipped = false;
    }

    pub(crate) fn pair(&self) -> Pair {
        Pair { a: self.a.index, b: self.b.index }
    }

    /// Its manifolds in the list.
    pub(crate) fn range(&self) -> core::ops::Range<usize> {
        self.first as usize..self.first as usize + self.n as usize
    }
}

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

    fn has_moved(&self, record: &Record) -> bool {
        let (a, b) = (record.a.index as usize, record.b.index as usize);
        record.is_new || record.is_put_off || self.is_stale[a] || self.is_stale[b]
    }

    /// The manifolds of a record at the last detection.
    pub(crate) fn known(&self, record: &Record) -> &'a [Manifold] {
        let (rest, old): (&'a Rest, &'a [Manifold]) = (self.rest, self.old);
        rest.manifolds_of(record).unwrap_or_else(|| &old[record.range()])
    }

    /// The contacts of a pair that is put off, where its bodies are now.
    fn carry_over(&self, record: &mut Record, out: &mut impl Sink) {
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
        let mut reach = self.prediction;
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

/// The pair is looked at: the two could push each other, or one of them is a sensor; and no joint connects them.
pub(crate) fn is_wanted(pair: Pair, traits: &[Traits], bodies: &[Body], joints: &Joints) -> bool {
    let (a, b) = (pair.a as usize, pair.b as usize);
    let has_dynamic = [a, b].iter().any(|&body| bodies[body].kind == BodyKind::Dynamic);
    let is_family = traits[a].family != 0 && traits[a].family == traits[b].family;
    (has_dynamic || traits[a].is_sensor || traits[b].is_sensor)
        && !is_family
        && !joints.connects(pair.a, pair.b)
}

/// The pair is tested and reported, and pushes nothing: one of the two is a sensor, or a rule lets
/// them pass.
pub(crate) fn is_sensor_pair(pair: Pair, traits: &[Traits], rules: &Rules) -> bool {
    traits[pair.a as usize].is_sensor || traits[pair.b as usize].is_sensor || rules.of(pair) == Response::Pass
}

/// What was done with the records.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) n_tested: usize,
    pub(crate) n_recycled: usize,
    /// Manifolds.
    pub(crate) n_found: usize,
    pub(crate) n_put_off: usize,
    /// Records in which nothing moves.
    pub(crate) n_still: usize,
    /// Manifolds at rest that belong to nobody any more: where, and how many.
    pub(crate) left: Vec<(u32, u32)>,
    /// Bodies that rest on something that no contact moves; none if internal edges are not
    /// smoothed.
    pub(crate) resting: Vec<Resting>,
}

/// Where manifolds go, one behind the other.
pub(crate) trait Sink {
    /// How many there are.
    fn len(&self) -> usize;
    /// So many come next that stay together, or fewer.
    fn make_room(&mut self, n: usize);
    /// Appends a copy, and says where it is.
    fn push(&mut self, manifold: &Manifold) -> &mut Manifold;
    /// Appends what is found, and says what that is.
    fn find(&mut self, find: impl FnOnce(&mut Vec<Manifold>)) -> &[Manifold];
}

impl Sink for Vec<Manifold> {
    fn len(&self) -> usize {
        Vec::len(self)
    }
    fn make_room(&mut self, _: usize) {}
    #[inline]
    fn push(&mut self, manifold: &Manifold) -> &mut Manifold {
        let number = Vec::len(self);
        self.extend_from_slice(core::slice::from_ref(manifold));
        &mut self[number]
    }
    fn find(&mut self, find: impl FnOnce(&mut Vec<Manifold>)) -> &[Manifold] {
        let first = Vec::len(self);
        find(self);
        keep_within_numbers(self, first);
        &self[first..]
    }
}

/// Records in their order, which need not be neighbours; their places; and the caches from the place of the first on.
pub(crate) struct Row<'a> {
    pub(crate) records: &'a mut [Record],
    pub(crate) places: &'a [u32],
    pub(crate) caches: &'a mut [ManifoldCache],
}

impl<'a> Row<'a> {
    /// The first `n`, or all if they are fewer, and those behind.
    #[cfg(feature = "parallel")]
    pub(crate) fn split_at(self, n: usize) -> (Row<'a>, Row<'a>) {
        let n = n.min(self.places.len());
        let (records, records_behind) = self.records.split_at_mut(n);
        let (places, places_behind) = self.places.split_at(n);
        let n_caches = places_behind.first().map_or(self.caches.len(), |next| (next - places[0]) as usize);
        let (caches, caches_behind) = self.caches.split_at_mut(n_caches);
        let behind = Row { records: records_behind, places: places_behind, caches: caches_behind };
        (Row { records, places, caches }, behind)
    }
}

/// Looks at all, and makes `out` the list of their manifolds.
pub(crate) fn look_at_all(scene: &Scene<'_>, row: Row<'_>, out: &mut Vec<Manifold>) -> Tally {
    let mut tally = Tally::default();
    out.clear();
    look(scene, (row, 0), 0, out, &mut tally);
    tally
}

/// Looks at the records in turn, of which the first is number `number`, and appends their manifolds to `out`, which becomes the list of those
/// in motion from number `before` on.
pub(crate) fn look(
    scene: &Scene<'_>,
    (row, number): (Row<'_>, usize),
    before: usize,
    out: &mut impl Sink,
    tally: &mut Tally,
) {
    let Row { records, places, caches } = row;
    let first_place = places.first().copied().unwrap_or(0);
    let mut is_over = false;
    for ((number, record), place) in (number as u32..).zip(records).zip(places) {
        let left = record.is_at_rest.then_some((record.first, record.n));
        let cache = &mut caches[(place - first_place) as usize];
        let n_tested = tally.n_tested;
        look_at(scene, (record, cache), out, tally, &mut is_over);
        tally.left.extend(left);
        let first = (before + out.len()) as u32 - record.n;
        (record.is_at_rest, record.first, record.first_solved) = (false, first, NOT_SOLVED);
        tally.n_found += record.n as usize;
        tally.n_put_off += usize::from(record.is_put_off);
        tally.n_still += usize::from(scene.is_still(record));
        if scene.smooths_internal_edges {
            let is_found_anew = n_tested < tally.n_tested;
            let rests = internal_edges::resting_body(scene, record);
            tally.resting.extend(rests.map(|body| Resting { body, record: number, is_found_anew }));
        }
    }
}

fn look_at(
    scene: &Scene<'_>,
    (record, cache): (&mut Record, &mut ManifoldCache),
    out: &mut impl Sink,
    tally: &mut Tally,
    is_over: &mut bool,
) {
    record.was_touching = record.is_touching;
    let is_skipped = core::mem::take(&mut record.is_skipped);
    // Mostly so, and no shape is looked at: they are large.
    if record.is_wanted
        && scene.has_moved(record)
        && let Some(moved) = &scene.recycles(record)
    {
        scene.recycle(record, moved, out);
        tally.n_recycled += 1;
        return;
    }
    let (a, b) = (record.a.index as usize, record.b.index as usize);
    let (Some(shape_a), Some(shape_b), true) = (&scene.shapes[a], &scene.shapes[b], record.is_wanted) else {
        record.n = 0;
        record.is_touching = false;
        record.is_put_off = false;
        return;
    };
    if !scene.has_moved(record) {
        let known = scene.known(record);
        out.make_room(known.len());
        for manifold in known {
            out.push(manifold);
        }
        return;
    }
    // The clock is read seldom.
    *is_over = *is_over || (tally.n_tested.is_multiple_of(PAIRS_PER_LOOK) && scene.allowance.is_over());
    if is_skipped || *is_over {
        scene.carry_over(record, out);
        return;
    }
    record.is_new = false;
    record.is_put_off = false;
    record.has_lost = false;
    record.way = scene.way_at_first(record);
    tally.n_tested += 1;
    let (pose_a, pose_b) = (&scene.bodies[a].pose, &scene.bodies[b].pose);
    if record.is_sensor {
        record.is_touching = intersects(shape_a, pose_a, shape_b, pose_b);
        return;
    }
    if !core::mem::replace(&mut record.has_cache, true) {
        *cache = ManifoldCache::new();
    }
    let reach = scene.reach(a, b);
    let found = out.find(|out| manifolds(shape_a, pose_a, shape_b, pose_b, reach, cache, out));
    record.n = found.len() as u32;
    record.is_touching = found.iter().any(|manifold| scene.touches(manifold));
}

/// Contacts whose places or depth are beyond the largest number, of bodies at the end of the numbers, are none.
fn keep_within_numbers(out: &mut Vec<Manifold>, first: usize) {
    // One sum tells it of nearly all; where that is too large each number is looked at.
    let is_small = |c: &Contact| (c.point_a + c.point_b + Vec3::splat(c.distance)).is_finite();
    if out[first..].iter().all(|manifold| manifold.contacts().iter().all(is_small)) {
        return;
    }
    let found = out.split_off(first);
    for manifold in found {
        let mut kept = Manifold::new(manifold.normal());
        for contact in manifold.contacts() {
            if contact.point_a.is_finite() && contact.point_b.is_finite() && contact.distance.is_finite() {
                kept.push(*contact);
            }
        }
        if !kept.is_empty() {
            out.push(kept);
        }
    }
}
