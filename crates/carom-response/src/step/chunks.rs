//! The loops of a step over bodies and manifolds, each over a chunk of the data. A single thread
//! runs one chunk. Several threads share the chunks.
//!
//! No iteration of a loop reads what another one writes. So chunks may have any size and any order.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (the stages of a step).

use crate::bodies::body::Body;
use crate::bodies::free::{FreeMotion, Moves, delta_rotation, gyration_sq, motion, set_motion, slot_of};
use crate::bodies::gyroscope::uneven_inertia;
use crate::bodies::locked_axes::LockedAxes;
use crate::bodies::mass::MassData;
use crate::contacts::contact::{ContactImpulse, Contacts, PairKey};
pub(crate) use crate::contacts::summary::summarize;
use crate::contacts::summary::{AHEAD, NOT_MATCHED, Summary};
use crate::impulses::cache::{ImpulseCache, ManifoldKey};
use crate::impulses::classes::Classes;
use crate::impulses::color::EMPTY_LANE;
use crate::impulses::damping::Damping;
use crate::impulses::group::{Group, NO_DETAILS, NO_ROUND, Pass};
use crate::impulses::lane_vec::{REST, State};
use crate::impulses::load::LoadScale;
use crate::impulses::rows::Rows;
use crate::impulses::{results, solve};
use crate::integrate;
pub(crate) use crate::step::store::{Limits, Moved, store_bodies};
use alloc::vec::Vec;
use carom_lanes::{Kernel, Simd};
use carom_math::{Real, Vec3, ops};

/// Writes how each of these bodies moves. Returns whether all their numbers are finite.
pub(crate) fn classify_movers(bodies: &[Body], movers: &[u32], out: &mut [Moves]) -> bool {
    let mut are_finite = true;
    for (&mover, out) in movers.iter().zip(out) {
        let body = &bodies[mover as usize];
        are_finite &= body.is_finite();
        *out = Moves::of(body);
    }
    are_finite
}

/// Finds the cached pair of each active contact. Both lists are sorted by key: `order` has the key
/// and position of each cached pair. `left` gets the positions of the cached pairs that match no
/// active contact.
pub(crate) fn match_cached(
    summaries: &[Summary],
    active: &[u32],
    order: &[(PairKey, u32)],
    matched: &mut [u32],
    left: &mut Vec<u32>,
) {
    let mut order = order.iter().copied().peekable();
    for (&contact, matched) in active.iter().zip(matched) {
        let Summary { key, is_new, .. } = summaries[contact as usize];
        while let Some((_, index)) = order.next_if(|(old, _)| *old < key) {
            left.push(index);
        }
        // The entry belongs to a removed body that had the same index.
        while is_new && order.next_if(|(old, _)| *old == key).is_some() {}
        *matched = order.next_if(|(old, _)| *old == key).map_or(NOT_MATCHED, |(_, index)| index);
    }
    left.extend(order.map(|(_, index)| index));
}

/// Runs `work` inside the thread pool. Without threads, calls it.
pub(crate) fn inside<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// Runs two independent tasks, in parallel if the number of bodies or manifolds is large.
pub(crate) fn both(_size: usize, a: impl FnOnce(), b: impl FnOnce()) {
    a();
    b();
}

/// The input of loading bodies.
#[derive(Clone, Copy)]
pub(crate) struct Forces<'a> {
    pub(crate) bodies: &'a [Body],
    pub(crate) gravity: Vec3,
    /// Rest time at which the bodies marked in `settles` begin to become calm. After twice this
    /// time they are calm.
    pub(crate) rest_from: Real,
    /// Speed that a calm body loses in this step.
    pub(crate) rest_brake: Real,
    pub(crate) h: Real,
    /// Length of the whole step.
    pub(crate) dt: Real,
}

/// Loads bodies into states. `movers` are their indices. `settles` marks the bodies of a large
/// island that comes to rest.
pub(crate) fn load_bodies(
    forces: &Forces<'_>,
    movers: &[u32],
    settles: &[bool],
    states: &mut [State],
    masses: &mut [MassData],
    free: &mut [FreeMotion],
) {
    let h = forces.h;
    let rows = states.iter_mut().zip(masses).zip(free);
    for ((&number, &settles), ((state, mass), free)) in movers.iter().zip(settles).zip(rows) {
        let body = &forces.bodies[number as usize];
        *state = REST;
        *mass = MassData { center: body.world_center(), ..MassData::NONE };
        *free = FreeMotion::NONE;
        let (mut v, mut w) = (body.linear_velocity, body.angular_velocity);
        if body.is_active() {
            (v, w) = (body.locked_axes.free_translation(v), body.locked_axes.free_rotation(w));
            let i = body.world_inverse_inertia();
            mass.inverse_mass = body.inverse_mass;
            // The mean of two entries that should be equal, because rounding must not make the
            // matrix unsymmetric.
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
            free.dv = body.locked_axes.free_translation(gravity + body.force * body.inverse_mass) * h;
            free.dw = mass.inertia_matrix() * body.torque * h;
            free.keep_v = 1.0 / (1.0 + h * body.linear_damping.max(0.0));
            free.keep_w = 1.0 / (1.0 + h * body.angular_damping.max(0.0));
            let is_calming = settles && forces.rest_from < body.rest.slow_time();
            mass.calm =
                if is_calming { (body.rest.slow_time() / forces.rest_from - 1.0).min(1.0) } else { 0.0 };
            // Braking is a constant deceleration. Tried: a fraction of the velocity; it also holds
            // up bodies that tip over. Tried: braking in each substep; it keeps the next substep
            // from correcting errors. Figures: `benches/notes/carom-world.md`.
            if mass.calm == 1.0 && 2.0 * forces.rest_from < body.rest.calm_time() {
                v = slower(v, forces.rest_brake);
                let gyration = ops::sqrt(gyration_sq(body));
                w = if 0.0 < gyration { slower(w, forces.rest_brake / gyration) } else { w };
            }
            let dt_sq = forces.dt * forces.dt;
            mass.spins_far = MAX_CONTACT_TURN * MAX_CONTACT_TURN < w.length_squared() * dt_sq;
            let size_sq = gyration_sq(body);
            mass.max_contact_speed_sq = if 0.0 < size_sq { size_sq / dt_sq } else { Real::INFINITY };
            // A locked axis does not keep the angular momentum, so such a body keeps its angular
            // velocity.
            if !body.locked_axes.intersects(LockedAxes::ROTATION) {
                free.is_uneven = uneven_inertia(body).is_some();
            }
        } else if body.is_moving_kinematic() {
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

/// Reduces a speed by `lost`. Returns zero if the velocity is NaN.
fn slower(v: Vec3, lost: Real) -> Vec3 {
    let speed = v.length();
    if lost < speed { v * (1.0 - lost / speed) } else { Vec3::ZERO }
}

/// The input of loading manifolds.
#[derive(Clone, Copy)]
pub(crate) struct Manifolds<'a> {
    pub(crate) contacts: &'a Contacts<'a>,
    /// Indices of the contacts that are solved.
    pub(crate) active: &'a [u32],
    /// For each of these contacts, its position in `cached`.
    pub(crate) matched: &'a [u32],
    /// The pairs of the last step.
    pub(crate) cached: &'a ImpulseCache,
    /// Indices into `active`, eight for each group; [`EMPTY_LANE`] for an empty lane.
    pub(crate) order: &'a [u32],
    /// The slot of each body; read by [`slot_of`].
    pub(crate) slots: &'a [u32],
    /// By slot: whether forces move the body.
    pub(crate) is_active: &'a [bool],
    pub(crate) masses: &'a [MassData],
    /// The length of the substep divided by that of the cached impulses.
    pub(crate) ratio: Real,
    pub(crate) damping: Damping,
    pub(crate) slop: Real,
    pub(crate) load: LoadScale,
}

/// Loads groups of eight manifolds, beginning with group `first`, and writes their keys. Returns
/// the number of warm started contacts, and of all contacts.
///
/// Tried: the warm start in the same pass, storing in the last pass, and each thread loading the
/// groups that it solves. None was faster.
pub(crate) fn load_groups(
    from: &Manifolds<'_>,
    _classes: &Classes,
    first: usize,
    groups: &mut [Group],
    manifold_keys: &mut [ManifoldKey],
) -> (usize, usize) {
    carom_lanes::dispatch(Loader { from, first, groups, manifold_keys })
}

struct Loader<'a> {
    from: &'a Manifolds<'a>,
    first: usize,
    groups: &'a mut [Group],
    manifold_keys: &'a mut [ManifoldKey],
}

impl Kernel for Loader<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let Loader { from, first, groups, manifold_keys } = self;
        let mut rows = Rows::NONE;
        let (mut n_warm, mut n_contacts) = (0, 0);
        for (k, (group, manifold_keys)) in groups.iter_mut().zip(manifold_keys.chunks_mut(8)).enumerate() {
            let (warm, all) = from.read(first + k, group, &mut rows, manifold_keys);
            (n_warm, n_contacts) = (n_warm + warm, n_contacts + all);
            rows.write(simd, group, from.slop, &from.load);
        }
        (n_warm, n_contacts)
    }
}

impl Manifolds<'_> {
    /// Reads the manifolds of a group. Returns the number of warm started contacts, and of all
    /// contacts.
    fn read(
        &self,
        group_number: usize,
        group: &mut Group,
        rows: &mut Rows,
        manifold_keys: &mut [ManifoldKey],
    ) -> (usize, usize) {
        let still = (self.masses.len() - 1) as u32;
        let first = 8 * group_number;
        let members = &self.order[first..first + 8];
        if members[7] == EMPTY_LANE {
            *rows = Rows::NONE;
            (group.body_a, group.body_b) = ([still; 8], [still; 8]);
        }
        (group.n_points, group.movable_a, group.movable_b) = (0, 0, 0);
        (group.details, group.round) = (NO_DETAILS, NO_ROUND);
        let (mut n_warm, mut n_contacts) = (0, 0);
        let members = members.iter().take_while(|&&member| member != EMPTY_LANE);
        for (lane, (&member, manifold_key)) in members.zip(manifold_keys).enumerate() {
            if let Some(&later) = self.order.get(first + lane + AHEAD).filter(|&&later| later != EMPTY_LANE) {
                self.contacts.prefetch(self.active[later as usize] as usize);
                self.cached.prefetch(self.matched[later as usize]);
            }
            let pair = self.contacts.get(self.active[member as usize] as usize);
            let index = self.matched[member as usize] as usize;
            let cached = self.cached.manifold_keys.get(index).zip(self.cached.impulses.get(index));
            let [a, b] = [pair.body_a, pair.body_b].map(|body| slot_of(self.slots, body, still));
            (group.body_a[lane], group.body_b[lane]) = (a, b);
            let [a, b] = [a as usize, b as usize];
            n_warm += rows.read(
                lane,
                &pair,
                cached,
                [&self.masses[a], &self.masses[b]],
                (self.ratio, self.damping),
                self.slop,
                manifold_key,
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

    /// Runs one stage, colour after colour.
    pub(crate) fn run(&mut self, states: &mut [State], pass: &Pass<'_>) {
        for class in self.classes.groups() {
            solve::run(&mut self.groups[class], &mut *states, pass);
        }
    }
}

/// Reads solved groups: the impulses to cache and those to report, eight of each group.
pub(crate) fn store_groups(
    _classes: &Classes,
    groups: &[Group],
    cached: &mut [ContactImpulse],
    reports: &mut [ContactImpulse],
) {
    carom_lanes::dispatch(Storer { groups, cached, reports });
}

struct Storer<'a> {
    groups: &'a [Group],
    cached: &'a mut [ContactImpulse],
    reports: &'a mut [ContactImpulse],
}

impl Kernel for Storer<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let out = self.cached.chunks_mut(8).zip(self.reports.chunks_mut(8));
        for (group, (cached, reports)) in self.groups.iter().zip(out) {
            results::store(simd, group, cached, reports);
        }
    }
}

/// Writes the key and the lane of each active contact, in their order.
pub(crate) fn note_order(
    summaries: &[Summary],
    active: &[u32],
    indices: &[u32],
    order: &mut [(PairKey, u32)],
) {
    for ((&contact, &index), out) in active.iter().zip(indices).zip(order) {
        *out = (summaries[contact as usize].key, index);
    }
}

/// Reorders reports from the order of lanes to the order of contacts.
pub(crate) fn sort_reports(indices: &[u32], reports: &[ContactImpulse], impulses: &mut [ContactImpulse]) {
    for (&index, impulse) in indices.iter().zip(impulses) {
        *impulse = reports[index as usize];
    }
}

/// The work on bodies between two passes over contacts.
#[derive(Clone, Copy)]
pub(crate) enum Advance {
    /// Adds the forces of a substep. `is_first` says whether it is the first substep of a step.
    Begin { is_first: bool },
    /// Integrates velocities to positions for `h`. `dt` is the length of the whole step.
    End { h: Real, dt: Real },
}

/// Radians per step. A body that turns farther leaves the area of its contacts.
const MAX_CONTACT_TURN: Real = 2.0;

/// Advances bodies. `joint_pushes` is empty if there are no joints.
pub(crate) fn advance(
    states: &mut [State],
    free: &mut [FreeMotion],
    joint_pushes: &mut [(Vec3, Vec3)],
    advance: Advance,
) {
    match advance {
        Advance::Begin { is_first } => begin_substep(states, free, joint_pushes, is_first),
        Advance::End { h, dt } => end_substep(states, free, h, MAX_CONTACT_TURN / dt),
    }
}

/// Adds the forces. From the second substep on, also applies the contact impulses of the substep
/// before once more, as a warm start.
fn begin_substep(
    states: &mut [State],
    free: &mut [FreeMotion],
    joint_pushes: &mut [(Vec3, Vec3)],
    is_first: bool,
) {
    let mut by_joints = joint_pushes.iter_mut();
    for (state, free) in states.iter_mut().zip(free) {
        // Velocity changes by contacts are applied once more; those by joints are not.
        let (joint_v, joint_w) = by_joints.next().map(core::mem::take).unwrap_or_default();
        if free.moves != Moves::ByForce {
            continue;
        }
        let (v, w) = motion(state);
        let (mut push_v, mut push_w) = (Vec3::ZERO, Vec3::ZERO);
        if !is_first {
            (push_v, push_w) = (v - free.v - joint_v, w - free.w - joint_w);
            free.is_pushed |= (v, w) != (free.v, free.w);
        }
        free.v = (v + free.dv) * free.keep_v;
        free.w = (w + free.dw) * free.keep_w;
        set_motion(state, free.v + push_v, free.w + push_w);
    }
}

/// Integrates velocities to positions. A free body that spins faster than `fastest` is marked as
/// whirling.
/// The angular velocity of a free body belongs to its orientation at the start of the step. So do
/// the lever arms and inertia of contacts. So it represents the angular momentum, and
/// [`store_bodies`] converts it.
fn end_substep(states: &mut [State], free: &mut [FreeMotion], h: Real, fastest: Real) {
    for (state, free) in states.iter_mut().zip(free) {
        if free.moves == Moves::Not {
            continue;
        }
        let (v, w) = motion(state);
        let mut rotation = delta_rotation(state);
        free.is_whirling |= free.is_loose() && fastest * fastest < w.length_squared();
        if free.is_jointed {
            // Jointed bodies with unequal moments of inertia are turned by their `Gyroscope`.
            if !free.is_uneven {
                let turn = if free.is_sprung { integrate::turn } else { integrate::turn_by_euler };
                rotation = turn(rotation, w, h);
            }
        } else if !free.is_whirling {
            rotation = integrate::turn(rotation, w, h);
        }
        let d = &mut state.back;
        (d[0], d[1], d[2]) = (d[0] + v.x * h, d[1] + v.y * h, d[2] + v.z * h);
        [d[3], d[4], d[5], d[6]] = rotation.to_array();
    }
}
