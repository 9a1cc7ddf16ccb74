//! The loops of a step over bodies and over manifolds, each on a piece of them: what one thread
//! does, and several share.
//!
//! No iteration of a loop reads what another one writes, so the pieces may be of any size and done
//! in any order.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (the stages of a step).

use crate::body::Body;
use crate::classes::Classes;
use crate::color::NOBODY;
use crate::contact::{ContactImpulse, Contacts, PairKey};
use crate::free::{Free, Moves, delta_rotation, gyration_sq, motion, set_motion, slot_of};
use crate::group::{Group, NO_DRIVE, Pass};
use crate::impulse::{self};
use crate::integrate;
use crate::integrate::inverse_of;
use crate::kept::{self, KeptList, Rows, Trace};
use crate::lane_vec::{REST, State};
use crate::load::LoadScale;
use crate::mass::MassData;
pub(crate) use crate::store::{Limits, Moved, store_bodies};
pub(crate) use crate::summary::summarize;
use crate::summary::{AHEAD, NOT_MATCHED, Summary};
use alloc::vec::Vec;
use carom_lanes::{Kernel, Simd};
use carom_math::{Mat3, Real, Vec3, ops, rotation, tol};

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

/// Where each of the contacts with these numbers was in the step before; these and `order`, which
/// says where all were, are sorted by their keys. `left` gets the places of those that are none of
/// these contacts'.
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
    /// Bodies marked in `settles` become calm when they have been at rest for longer than this;
    /// after twice that time they are calm.
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
            let is_calming = settles && forces.calm_from < body.rest.slow_time();
            mass.calm =
                if is_calming { (body.rest.slow_time() / forces.calm_from - 1.0).min(1.0) } else { 0.0 };
            // As a part of the velocity, it held back what tips and has to fall: in the fifth
            // second the boxes of 16 heaps of 10,000 moved by 0.00008 in the mean, with this by
            // 0.00004 (November 2026). In each substep, it keeps errors from being mended in the
            // next.
            if mass.calm == 1.0 && 2.0 * forces.calm_from < body.rest.calm_time() {
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

/// Lays out groups of eight manifolds, of which the first is number `first`, and writes their
/// traces. Returns contacts known from the step before, and all contacts.
///
/// With the warm start at once, while a group is in the cache, a pile of 10,000 boxes took 2.8 ms
/// instead of 2.0 and 0.5 of a pass of its own, and the next pass as much more as this saved; nor
/// was it faster to store what they did in the last pass, or to let each thread load the groups
/// that it solves.
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
    /// Reads what a group is made of. Returns contacts known from the step before, and all
    /// contacts.
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
        group.drive = NO_DRIVE;
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
    pub(crate) fn run(&mut self, states: &mut [State], pass: &Pass<'_>) {
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

/// What happens to bodies between two passes over contacts: the end of a substep, the beginning of
/// one, or one after the other. Each body is brought from memory once for both: a step of 10,000
/// boxes is 3 to 4 hundredths shorter on two threads, and 0 to 6 on one (November 2026).
#[derive(Clone, Copy)]
pub(crate) struct Advance {
    /// How long the substep was of which places are made by velocities.
    pub(crate) ended: Option<Real>,
    pub(crate) begun: Option<Begun>,
    /// Length of the whole step.
    pub(crate) dt: Real,
}

/// Radians per step. Contacts follow a body that turns less; one that turns farther leaves the
/// place of its contacts.
const MAX_CONTACT_TURN: Real = 0.5;

/// A substep at its beginning.
#[derive(Clone, Copy)]
pub(crate) struct Begun {
    pub(crate) h: Real,
    /// The first one of a step.
    pub(crate) is_first: bool,
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

/// Forces, and, from the second substep on, what the contacts did in the one before, as a warm
/// start.
fn begin_substep(states: &mut [State], free: &mut [Free], joint_pushes: &mut [(Vec3, Vec3)], begun: Begun) {
    let mut by_joints = joint_pushes.iter_mut();
    for (state, free) in states.iter_mut().zip(free) {
        // What the contacts did stays in the velocity and is done again; what the joints did only
        // stays.
        let (joint_v, joint_w) = by_joints.next().map(core::mem::take).unwrap_or_default();
        if free.moves != Moves::ByForce {
            continue;
        }
        let (v, w) = motion(state);
        let (mut push_v, mut push_w) = (Vec3::ZERO, Vec3::ZERO);
        if !begun.is_first {
            (push_v, push_w) = (v - free.v - joint_v, w - free.w - joint_w);
            free.is_pushed |= (v, w) != (free.v, free.w);
        }
        free.v = (v + free.dv) * free.keep_v;
        free.w = (w + free.dw) * free.keep_w;
        if free.is_jointed && free.inertia != Mat3::ZERO {
            let turned = rotation::mul(delta_rotation(state), free.rotation);
            let own = rotation::rotate_back(turned, free.w);
            // The change alone is turned back: a rounded turn of the whole would let it grow or
            // shrink, step by step.
            let change = integrate::gyroscopic(free.inertia, own, begun.h) - own;
            free.w += rotation::rotate(turned, change);
        }
        set_motion(state, free.v + push_v, free.w + push_w);
    }
}

/// Places by velocities. A loose body that spins faster than `fastest` whirls.
///
/// The angular velocity of a loose body stays that of the orientation at the start of the step, for
/// which the contacts have their levers and inertia: it stands for the angular momentum.
/// [`store_bodies`] converts it.
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
