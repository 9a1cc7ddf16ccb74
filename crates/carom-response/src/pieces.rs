//! The loops of a step over bodies and over manifolds, each on a piece of them: what one thread does, and several share.
//!
//! No iteration of a loop reads what another one writes, so the pieces may be of any size and done in any order.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (the stages of a step).

use crate::body::{Body, inverse_of};
use crate::color::NOBODY;
use crate::contact::{ContactImpulse, Contacts, PairKey};
use crate::impulse::{self, Group, Pass};
use crate::integrate;
use crate::kept::{self, KeptList, Rows, Trace};
use crate::lane_vec::{Lanes, REST, State};
use crate::load::LoadScale;
use crate::prepare::Classes;
use crate::rest::{self, DEEP_SLOPS, Touch};
pub(crate) use crate::store::{Limits, Moved, store_bodies};
use alloc::vec::Vec;
use carom_geom::Contact;
use carom_lanes::{Kernel, Simd};
use carom_math::{Mat3, Quat, Real, Vec3, ops, rotation, tol};

/// Mass of a body in the world frame, fixed for the step; zero for what does not move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MassData {
    pub(crate) inverse_mass: Real,
    /// xx, yy, zz, xy, xz, yz.
    pub(crate) inverse_inertia: [Real; 6],
    pub(crate) center: Vec3,
    /// From 0 to 1: it has come to rest, and no overlap has to be undone for its sake. What cannot move is at rest.
    pub(crate) calm: Real,
    /// When the step begins.
    velocity: Vec3,
    /// Square of a relative speed: a body that passes another one faster moves farther than its size in the step.
    max_contact_speed_sq: Real,
    /// It turns too far in the step for contacts to follow.
    spins_far: bool,
}

impl MassData {
    /// Of what cannot move.
    pub(crate) const NONE: MassData = MassData {
        inverse_mass: 0.0,
        inverse_inertia: [0.0; 6],
        center: Vec3::ZERO,
        calm: 1.0,
        velocity: Vec3::ZERO,
        max_contact_speed_sq: Real::INFINITY,
        spins_far: false,
    };

    /// Inverse mass and inertia; how calm it is.
    pub(crate) fn row(&self) -> Lanes {
        let [xx, yy, zz, xy, xz, yz] = self.inverse_inertia;
        [self.inverse_mass, xx, yy, zz, xy, xz, yz, self.calm]
    }

    /// Returns whether the body moves or turns too far in the step for its contacts with `other` to follow.
    fn outruns(&self, other: &MassData) -> bool {
        self.spins_far || self.max_contact_speed_sq < (self.velocity - other.velocity).length_squared()
    }

    /// Returns whether a contact of a body that outruns it acts on the centre of the body, wherever it touches.
    ///
    /// A body that spins fast has turned its contact away before the step is over, and something else of it is there.
    /// Once it is in deep, its contacts may part at each step while its centre goes on. `outwards` is the unit
    /// normal that points to this body, `lever` the contact from its centre.
    fn is_held_at_center(&self, lever: Vec3, outwards: Vec3, distance: Real, slop: Real) -> bool {
        if !(distance < -slop) {
            return false;
        }
        let center = 0.5 * distance - lever.dot(outwards);
        center < 0.0 || center * center < 0.25 * lever.length_squared()
    }

    pub(crate) fn inertia_matrix(&self) -> Mat3 {
        let [xx, yy, zz, xy, xz, yz] = self.inverse_inertia;
        Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz))
    }
}

/// Returns which of two bodies contacts hold at its centre, if they hold one: 0 for A, 1 for B.
///
/// Both bodies get the impulse on one line, or the pair would gain angular momentum: so it is one centre for both. If
/// both bodies outrun their contacts, it is that of the lighter one.
#[inline]
pub(crate) fn held_center(
    [a, b]: [&MassData; 2],
    normal: Vec3,
    contacts: &[Contact],
    slop: Real,
) -> Option<usize> {
    let is_held = |body: &MassData, other: &MassData, outwards: Vec3| {
        body.outruns(other)
            && contacts.iter().any(|c| {
                let lever = (c.point_a + c.point_b) * 0.5 - body.center;
                body.is_held_at_center(lever, outwards, c.distance, slop)
            })
    };
    match (is_held(a, b, -normal), is_held(b, a, normal)) {
        (true, true) => Some(usize::from(a.inverse_mass < b.inverse_mass)),
        (true, false) => Some(0),
        (false, true) => Some(1),
        (false, false) => None,
    }
}

/// How a body moves when nothing touches it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Free {
    /// What a substep of forces adds.
    pub(crate) dv: Vec3,
    pub(crate) dw: Vec3,
    /// What damping leaves.
    keep_v: Real,
    keep_w: Real,
    /// The velocities before contacts changed them.
    v: Vec3,
    w: Vec3,
    pub(crate) moves: Moves,
    /// Contacts changed its velocities.
    is_pushed: bool,
    /// It turns too far in the step for contacts to follow: it turns at the end, with its final momentum.
    pub(crate) is_whirling: bool,
    /// It was in a blow of a bounce.
    has_bounced: bool,
    /// Joints hold it. They turn with the body, so its angular velocity is that of its present orientation.
    is_jointed: bool,
    rotation: Quat,
    /// The inertia tensor in the body's frame; zero if all principal moments are equal.
    pub(crate) inertia: Mat3,
}

impl Free {
    /// Of what cannot move.
    pub(crate) const NONE: Free = Free {
        dv: Vec3::ZERO,
        dw: Vec3::ZERO,
        keep_v: 1.0,
        keep_w: 1.0,
        v: Vec3::ZERO,
        w: Vec3::ZERO,
        moves: Moves::Not,
        is_pushed: false,
        is_whirling: false,
        has_bounced: false,
        is_jointed: false,
        rotation: Quat::IDENTITY,
        inertia: Mat3::ZERO,
    };

    /// The change of the velocity by forces in a substep, and the velocities before contacts changed them.
    pub(crate) fn substep(&self) -> [Vec3; 3] {
        [self.dv * self.keep_v, self.v, self.w]
    }

    /// Adds a blow to the velocities before contacts changed them; contacts do not repeat it in the next substep.
    pub(crate) fn push(&mut self, v: Vec3, w: Vec3) {
        self.v += v;
        self.w += w;
        self.is_pushed = true;
        self.has_bounced = true;
    }

    /// The body moves by forces alone, and it bounced.
    pub(crate) fn has_bounced(&self) -> bool {
        self.has_bounced && self.is_loose()
    }

    /// The velocity that forces add in a substep.
    pub(crate) fn dv(&self) -> Vec3 {
        self.dv
    }

    /// Marks a body that is held by joints.
    pub(crate) fn join(&mut self) {
        self.is_jointed = true;
    }

    /// The body moves by forces, and no joint holds it.
    pub(crate) fn is_loose(&self) -> bool {
        self.moves == Moves::ByForce && !self.is_jointed
    }

    /// Contacts changed the velocities of the body, which are now `state`.
    pub(crate) fn is_pushed(&self, state: &State) -> bool {
        self.is_pushed || motion(state) != (self.v, self.w)
    }

    /// For substeps so many times as long.
    pub(crate) fn lengthen(&mut self, times: Real) {
        self.dv *= times;
        self.dw *= times;
        // 1 / (1 + damping h) of what it was.
        let longer = |keep: Real| keep / (keep + times * (1.0 - keep));
        (self.keep_v, self.keep_w) = (longer(self.keep_v), longer(self.keep_w));
    }
}

/// What is to be known of a contact before it is solved: small, because it is read often.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Summary {
    pub(crate) key: PairKey,
    /// By the deepest contact.
    pub(crate) touch: Touch,
    /// No more than [`MAX_CONTACTS`](carom_geom::MAX_CONTACTS).
    pub(crate) n_contacts: u8,
    pub(crate) bounces: bool,
    pub(crate) is_new: bool,
}

/// What is true of all contacts that were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// They are between two bodies that there are, and have good numbers.
    pub(crate) are_good: bool,
    /// They are in the order of their keys, also of the one before, none is empty, and none bounces.
    pub(crate) are_plain: bool,
}

impl Verdict {
    /// Of nothing.
    pub(crate) const GOOD: Verdict = Verdict { are_good: true, are_plain: true };
    const BAD: Verdict = Verdict { are_good: false, are_plain: false };

    /// Of these and others.
    #[cfg(feature = "parallel")]
    pub(crate) fn and(self, other: Verdict) -> Verdict {
        Verdict { are_good: self.are_good & other.are_good, are_plain: self.are_plain & other.are_plain }
    }
}

/// Writes what is to be known of the contacts from number `first` on, as many as `out` is long. Bodies are numbered below `n_bodies`.
pub(crate) fn summarize(
    contacts: &Contacts<'_>,
    first: usize,
    n_bodies: usize,
    slop: Real,
    out: &mut [Summary],
) -> Verdict {
    let mut all = Verdict::GOOD;
    let mut last = match first.checked_sub(1) {
        Some(before) if contacts.is_whole(before) => contacts.get(before).key(),
        _ => PairKey::default(),
    };
    for (k, out) in (first..).zip(out) {
        if !contacts.is_whole(k) {
            return Verdict::BAD;
        }
        // Several threads leave gaps between their manifolds, at which a processor stops reading ahead.
        contacts.prefetch(k + AHEAD);
        let contact = contacts.get(k);
        all.are_good &= contact.is_between(n_bodies) && contact.is_valid();
        let points = contact.manifold.contacts();
        let (key, bounces) = (contact.key(), 0.0 < contact.restitution);
        all.are_plain &= last <= key && !points.is_empty() && !bounces;
        last = key;
        *out = Summary {
            key,
            touch: touch_of(points, slop),
            n_contacts: points.len() as u8,
            bounces,
            is_new: contact.is_new,
        };
    }
    all
}

/// Two bodies touch if they are no farther apart than the slop.
fn touch_of(points: &[Contact], slop: Real) -> Touch {
    let distance = points.iter().fold(Real::INFINITY, |least, point| least.min(point.distance));
    if distance <= -DEEP_SLOPS * slop {
        Touch::Deep
    } else if distance <= slop {
        Touch::Touching
    } else {
        Touch::Apart
    }
}

/// How a body moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moves {
    /// Not: it is fixed, sleeps, or is halted.
    Not,
    /// As its owner says.
    ByVelocity,
    ByForce,
}

impl Moves {
    pub(crate) fn of(body: &Body) -> Moves {
        if body.is_active() {
            Moves::ByForce
        } else if body.is_driven() {
            Moves::ByVelocity
        } else {
            Moves::Not
        }
    }
}

/// Writes how these movers' bodies move, and says whether their numbers are good.
pub(crate) fn look_over(bodies: &[Body], movers: &[u32], out: &mut [Moves]) -> bool {
    let mut are_finite = true;
    for (&mover, out) in movers.iter().zip(out) {
        let body = &bodies[mover as usize];
        are_finite &= body.is_finite();
        *out = Moves::of(body);
    }
    are_finite
}

/// Of a contact that is not known from the step before.
pub(crate) const NOT_MATCHED: u32 = u32::MAX;

/// Where each of the contacts with these numbers was in the step before; these and `order`, which says where all were, are sorted by their
/// keys. `left` gets the places of those that are none of these contacts'.
pub(crate) fn match_kept(
    summaries: &[Summary],
    active: &[u32],
    order: &[(PairKey, u32)],
    matched: &mut [u32],
    left: &mut Vec<u32>,
) {
    let mut order = order.iter().copied().peekable();
    for (&contact, matched) in active.iter().zip(matched) {
        let Summary { key, is_new, .. } = summaries[contact as usize];
        while let Some((_, place)) = order.next_if(|(old, _)| *old < key) {
            left.push(place);
        }
        // Another one's.
        while is_new && order.next_if(|(old, _)| *old == key).is_some() {}
        *matched = order.next_if(|(old, _)| *old == key).map_or(NOT_MATCHED, |(_, place)| place);
    }
    left.extend(order.map(|(_, place)| place));
}

/// Where the threads are, if there are any.
pub(crate) fn inside<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// Makes a list so long whose content is to be written over. Where it has to grow beyond its memory nothing is copied to the new one.
pub(crate) fn renew<T: Clone>(list: &mut Vec<T>, n: usize, value: T) {
    give_up(list, n);
    list.resize(n, value);
}

/// Forgets what a list has no room for.
pub(crate) fn give_up<T>(list: &mut Vec<T>, n: usize) {
    if list.capacity() < n {
        // In the old place at first, so that no more than one of the two is there; a little more, for most grow on.
        *list = Vec::new();
        list.reserve_exact(n + n / 4);
    }
}

/// Two pieces of work on so many bodies or manifolds, neither of which waits for the other.
pub(crate) fn both(_size: usize, a: impl FnOnce(), b: impl FnOnce()) {
    a();
    b();
}

/// What loading a body reads beside it.
#[derive(Clone, Copy)]
pub(crate) struct Forces<'a> {
    pub(crate) bodies: &'a [Body],
    pub(crate) gravity: Vec3,
    /// Bodies marked in `settles` become calm when they have been at rest for longer than this; after twice
    /// that time they are calm.
    pub(crate) calm_from: Real,
    /// Speed that who is calm loses in this step.
    pub(crate) braked: Real,
    pub(crate) h: Real,
    /// Length of the whole step.
    pub(crate) dt: Real,
}

/// Bodies into states; `movers` are their numbers, `settles` says who is in an island of many.
pub(crate) fn load_bodies(
    forces: &Forces<'_>,
    movers: &[u32],
    settles: &[bool],
    states: &mut [State],
    masses: &mut [MassData],
    free: &mut [Free],
) {
    let h = forces.h;
    let places = states.iter_mut().zip(masses).zip(free);
    for ((&number, &settles), ((state, mass), free)) in movers.iter().zip(settles).zip(places) {
        let body = &forces.bodies[number as usize];
        *state = REST;
        *mass = MassData { center: body.world_center(), ..MassData::NONE };
        *free = Free { rotation: body.pose.rotation, ..Free::NONE };
        let (mut v, mut w) = (body.linear_velocity, body.angular_velocity);
        if body.is_active() {
            let i = body.world_inverse_inertia();
            mass.inverse_mass = body.inverse_mass;
            // The mean of what should be equal, so that rounding cannot make it unsymmetric.
            let mean = |x: Real, y: Real| 0.5 * (x + y);
            mass.inverse_inertia = [
                i.x_axis.x,
                i.y_axis.y,
                i.z_axis.z,
                mean(i.x_axis.y, i.y_axis.x),
                mean(i.x_axis.z, i.z_axis.x),
                mean(i.y_axis.z, i.z_axis.y),
            ];
            let gravity =
                if 0.0 < body.inverse_mass { forces.gravity * body.gravity_scale } else { Vec3::ZERO };
            free.moves = Moves::ByForce;
            free.dv = (gravity + body.force * body.inverse_mass) * h;
            free.dw = mass.inertia_matrix() * body.torque * h;
            free.keep_v = 1.0 / (1.0 + h * body.linear_damping.max(0.0));
            free.keep_w = 1.0 / (1.0 + h * body.angular_damping.max(0.0));
            let is_calming = settles && forces.calm_from < body.sleep_time;
            mass.calm = if is_calming { (body.sleep_time / forces.calm_from - 1.0).min(1.0) } else { 0.0 };
            // As a part of the velocity, it held back what tips and has to fall: in the fifth second the boxes of 16 heaps of 10,000 moved by
            // 0.00008 in the mean, with this by 0.00004 (November 2026). In each substep, it keeps errors from being mended in the next.
            if mass.calm == 1.0 && 2.0 * forces.calm_from < rest::calm_time(body) {
                v = slower(v, forces.braked);
                let gyration = ops::sqrt(gyration_sq(body));
                w = if 0.0 < gyration { slower(w, forces.braked / gyration) } else { w };
            }
            let dt_sq = forces.dt * forces.dt;
            mass.spins_far = MAX_CONTACT_TURN * MAX_CONTACT_TURN < w.length_squared() * dt_sq;
            let size_sq = gyration_sq(body);
            mass.max_contact_speed_sq = if 0.0 < size_sq { size_sq / dt_sq } else { Real::INFINITY };
            free.inertia = uneven_inertia(&body.inverse_inertia);
        } else if body.is_driven() {
            free.moves = Moves::ByVelocity;
            mass.calm = 0.0;
        }
        (free.v, free.w) = (v, w);
        if free.moves != Moves::Not {
            state.front = [v.x, v.y, v.z, w.x, w.y, w.z, 0.0, 0.0];
            mass.velocity = v;
        }
    }
}

/// A velocity that has lost so much speed; none where that is no number.
fn slower(v: Vec3, lost: Real) -> Vec3 {
    let speed = v.length();
    if lost < speed { v * (1.0 - lost / speed) } else { Vec3::ZERO }
}

/// What loading manifolds reads beside the groups.
#[derive(Clone, Copy)]
pub(crate) struct Manifolds<'a> {
    pub(crate) contacts: &'a Contacts<'a>,
    /// The contacts that are solved, by their numbers.
    pub(crate) active: &'a [u32],
    /// Of each of them, where it is in `kept`.
    pub(crate) matched: &'a [u32],
    /// Those of the last step.
    pub(crate) kept: &'a KeptList,
    /// Numbers in `active`, eight of each group; [`NOBODY`] where there are fewer.
    pub(crate) order: &'a [u32],
    /// Per body; [`slot_of`] reads them.
    pub(crate) slots: &'a [u32],
    /// Who moves by force, by slot.
    pub(crate) is_active: &'a [bool],
    pub(crate) masses: &'a [MassData],
    /// Length of the substep in units of that of the kept impulses.
    pub(crate) ratio: Real,
    pub(crate) slop: Real,
    pub(crate) load: LoadScale,
}

/// The place of a body's state: fixed and sleeping bodies share the last one, `still`.
#[inline]
pub(crate) fn slot_of(slots: &[u32], body: u32, still: u32) -> u32 {
    slots[body as usize].min(still)
}

/// So many manifolds ahead are asked for from memory: their order, by colours, is none that it could foresee, and loading a pile of 10,000
/// boxes took 6.2 milliseconds where it took 2.7 with this. 3 or 8 ahead are as good, 16 a tenth slower.
const AHEAD: usize = 5;

/// Lays out groups of eight manifolds, of which the first is number `first`, and writes their traces. Returns contacts known from the step
/// before, and all contacts.
///
/// With the warm start at once, while a group is in the cache, a pile of 10,000 boxes took 2.8 ms instead of 2.0 and 0.5 of a pass of its own,
/// and the next pass as much more as this saved; nor was it faster to store what they did in the last pass, or to let each thread load the
/// groups that it solves.
pub(crate) fn load_groups(
    from: &Manifolds<'_>,
    _classes: &Classes,
    first: usize,
    groups: &mut [Group],
    traces: &mut [Trace],
) -> (usize, usize) {
    carom_lanes::dispatch(Loader { from, first, groups, traces })
}

struct Loader<'a> {
    from: &'a Manifolds<'a>,
    first: usize,
    groups: &'a mut [Group],
    traces: &'a mut [Trace],
}

impl Kernel for Loader<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let Loader { from, first, groups, traces } = self;
        let mut rows = Rows::NONE;
        let (mut n_warm, mut n_contacts) = (0, 0);
        for (k, (group, traces)) in groups.iter_mut().zip(traces.chunks_mut(8)).enumerate() {
            let (warm, all) = from.read(first + k, group, &mut rows, traces);
            (n_warm, n_contacts) = (n_warm + warm, n_contacts + all);
            rows.write(simd, group, from.slop, &from.load);
        }
        (n_warm, n_contacts)
    }
}

impl Manifolds<'_> {
    /// Reads what a group is made of. Returns contacts known from the step before, and all contacts.
    fn read(
        &self,
        group_number: usize,
        group: &mut Group,
        rows: &mut Rows,
        traces: &mut [Trace],
    ) -> (usize, usize) {
        let still = (self.masses.len() - 1) as u32;
        let first = 8 * group_number;
        let members = &self.order[first..first + 8];
        if members[7] == NOBODY {
            *rows = Rows::NONE;
            (group.body_a, group.body_b) = ([still; 8], [still; 8]);
        }
        (group.n_points, group.movable_a, group.movable_b) = (0, 0, 0);
        let (mut n_warm, mut n_contacts) = (0, 0);
        let members = members.iter().take_while(|&&member| member != NOBODY);
        for (lane, (&member, trace)) in members.zip(traces).enumerate() {
            if let Some(&later) = self.order.get(first + lane + AHEAD).filter(|&&later| later != NOBODY) {
                self.contacts.prefetch(self.active[later as usize] as usize);
                self.kept.prefetch(self.matched[later as usize]);
            }
            let pair = self.contacts.get(self.active[member as usize] as usize);
            let place = self.matched[member as usize] as usize;
            let kept = self.kept.traces.get(place).zip(self.kept.impulses.get(place));
            let [a, b] = [pair.body_a, pair.body_b].map(|body| slot_of(self.slots, body, still));
            (group.body_a[lane], group.body_b[lane]) = (a, b);
            let [a, b] = [a as usize, b as usize];
            n_warm += rows.read(
                lane,
                &pair,
                kept,
                [&self.masses[a], &self.masses[b]],
                self.ratio,
                self.slop,
                trace,
            );
            let n = pair.manifold.contacts().len();
            n_contacts += n;
            group.n_points = group.n_points.max(n as u8);
            group.movable_a |= u8::from(self.is_active[a]) << lane;
            group.movable_b |= u8::from(self.is_active[b]) << lane;
        }
        (n_warm, n_contacts)
    }
}

/// The groups of a step, in the order of colours.
#[derive(Debug)]
pub(crate) struct Colors<'a> {
    groups: &'a mut [Group],
    classes: &'a Classes,
}

impl<'a> Colors<'a> {
    pub(crate) fn new(groups: &'a mut [Group], classes: &'a Classes) -> Colors<'a> {
        Colors { groups, classes }
    }

    /// One stage, colour after colour.
    pub(crate) fn run(&mut self, states: &mut [State], pass: &Pass) {
        for class in self.classes.groups() {
            impulse::run_serial(&mut self.groups[class], states, pass);
        }
    }
}

/// Reads solved groups: what to keep, and what to report, eight of each group.
pub(crate) fn store_groups(
    _classes: &Classes,
    groups: &[Group],
    kept: &mut [ContactImpulse],
    reports: &mut [ContactImpulse],
) {
    carom_lanes::dispatch(Storer { groups, kept, reports });
}

struct Storer<'a> {
    groups: &'a [Group],
    kept: &'a mut [ContactImpulse],
    reports: &'a mut [ContactImpulse],
}

impl Kernel for Storer<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let out = self.kept.chunks_mut(8).zip(self.reports.chunks_mut(8));
        for (group, (kept, reports)) in self.groups.iter().zip(out) {
            kept::store(simd, group, kept, reports);
        }
    }
}

/// Writes where each of these contacts was solved, in their order.
pub(crate) fn note_order(
    summaries: &[Summary],
    active: &[u32],
    places: &[u32],
    order: &mut [(PairKey, u32)],
) {
    for ((&contact, &place), out) in active.iter().zip(places).zip(order) {
        *out = (summaries[contact as usize].key, place);
    }
}

/// Brings reports from where the manifolds were solved into the order of contacts.
pub(crate) fn sort_reports(places: &[u32], reports: &[ContactImpulse], impulses: &mut [ContactImpulse]) {
    for (&place, impulse) in places.iter().zip(impulses) {
        *impulse = reports[place as usize];
    }
}

/// What happens to bodies between two passes over contacts: the end of a substep, the beginning of one, or one after the other. Each body is
/// brought from memory once for both: a step of 10,000 boxes is 3 to 4 hundredths shorter on two threads, and 0 to 6 on one (November 2026).
#[derive(Clone, Copy)]
pub(crate) struct Advance {
    /// How long the substep was of which places are made by velocities.
    pub(crate) ended: Option<Real>,
    pub(crate) begun: Option<Begun>,
    /// Length of the whole step.
    pub(crate) dt: Real,
}

/// Radians per step. Contacts follow a body that turns less; one that turns farther leaves the place of its contacts.
const MAX_CONTACT_TURN: Real = 0.5;

/// A substep at its beginning.
#[derive(Clone, Copy)]
pub(crate) struct Begun {
    pub(crate) h: Real,
    /// From the second substep on: its length in units of the one before.
    pub(crate) ratio: Option<Real>,
}

/// How many bodies at a time both are done for.
const AT_ONCE: usize = 32;

/// Advances bodies; `joint_pushes` are empty where there are no joints.
pub(crate) fn advance(
    states: &mut [State],
    free: &mut [Free],
    mut joint_pushes: &mut [(Vec3, Vec3)],
    advance: &Advance,
) {
    for (states, free) in states.chunks_mut(AT_ONCE).zip(free.chunks_mut(AT_ONCE)) {
        let joint_pushes = take(&mut joint_pushes, states.len());
        if let Some(h) = advance.ended {
            end_substep(states, free, h, MAX_CONTACT_TURN / advance.dt);
        }
        if let Some(begun) = advance.begun {
            begin_substep(states, free, joint_pushes, begun);
        }
    }
}

/// The first so many of a list, which keeps the others; none of one that has not so many.
pub(crate) fn take<'a, T>(list: &mut &'a mut [T], n: usize) -> &'a mut [T] {
    list.split_off_mut(..n).unwrap_or_default()
}

/// Forces, and, from the second substep on, what the contacts did in the one before, as a warm start.
fn begin_substep(states: &mut [State], free: &mut [Free], joint_pushes: &mut [(Vec3, Vec3)], begun: Begun) {
    let mut by_joints = joint_pushes.iter_mut();
    for (state, free) in states.iter_mut().zip(free) {
        // What the contacts did stays in the velocity and is done again; what the joints did only stays.
        let (joint_v, joint_w) = by_joints.next().map(core::mem::take).unwrap_or_default();
        if free.moves != Moves::ByForce {
            continue;
        }
        let (v, w) = motion(state);
        let (push_v, push_w) = begun.ratio.map_or((Vec3::ZERO, Vec3::ZERO), |ratio| {
            ((v - free.v - joint_v) * ratio, (w - free.w - joint_w) * ratio)
        });
        free.is_pushed |= begun.ratio.is_some() && (v, w) != (free.v, free.w);
        free.v = (v + free.dv) * free.keep_v;
        free.w = (w + free.dw) * free.keep_w;
        if free.is_jointed && free.inertia != Mat3::ZERO {
            let turned = rotation::mul(delta_rotation(state), free.rotation);
            let own = rotation::rotate_back(turned, free.w);
            // The change alone is turned back: a rounded turn of the whole would let it grow or shrink, step by step.
            let change = integrate::gyroscopic(free.inertia, own, begun.h) - own;
            free.w += rotation::rotate(turned, change);
        }
        set_motion(state, free.v + push_v, free.w + push_w);
    }
}

/// Places by velocities. A loose body that spins faster than `fastest` whirls.
///
/// The angular velocity of a loose body stays that of the orientation at the start of the step, for which the contacts
/// have their levers and inertia: it stands for the angular momentum. [`store_bodies`] converts it.
fn end_substep(states: &mut [State], free: &mut [Free], h: Real, fastest: Real) {
    for (state, free) in states.iter_mut().zip(free) {
        if free.moves == Moves::Not {
            continue;
        }
        let (v, w) = motion(state);
        let mut rotation = delta_rotation(state);
        free.is_whirling |= free.is_loose() && fastest * fastest < w.length_squared();
        if free.is_jointed {
            rotation = integrate::turn_by_euler(rotation, w, h);
        } else if !free.is_whirling {
            rotation = integrate::turn(rotation, w, h);
        }
        let d = &mut state.back;
        (d[0], d[1], d[2]) = (d[0] + v.x * h, d[1] + v.y * h, d[2] + v.z * h);
        [d[3], d[4], d[5], d[6]] = rotation.to_array();
    }
}

/// Square of the radius of gyration, in the mean of all axes; 0 for what never turns or never moves on.
pub(crate) fn gyration_sq(body: &Body) -> Real {
    let i = &body.inverse_inertia;
    let trace = i.x_axis.x + i.y_axis.y + i.z_axis.z;
    if 0.0 < trace { 3.0 * body.inverse_mass / trace } else { 0.0 }
}

/// The inertia tensor, or zero for a body that turns about every axis alike or not at all.
fn uneven_inertia(inverse: &Mat3) -> Mat3 {
    let inverse_of_one = Mat3::from_diagonal(Vec3::splat(inverse.x_axis.x));
    let size = inverse.x_axis.x.abs();
    if inverse.abs_diff_eq(inverse_of_one, tol::INERTIA_ROUND * size) {
        return Mat3::ZERO;
    }
    let inertia = inverse_of(inverse);
    if inertia.is_finite() { inertia } else { Mat3::ZERO }
}

pub(crate) fn motion(state: &State) -> (Vec3, Vec3) {
    let m = &state.front;
    (Vec3::new(m[0], m[1], m[2]), Vec3::new(m[3], m[4], m[5]))
}

fn set_motion(state: &mut State, v: Vec3, w: Vec3) {
    state.front = [v.x, v.y, v.z, w.x, w.y, w.z, 0.0, 0.0];
}

pub(crate) fn delta_rotation(state: &State) -> Quat {
    let d = &state.back;
    Quat::from_xyzw(d[3], d[4], d[5], d[6])
}
