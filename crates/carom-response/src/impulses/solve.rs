//! The contact solver: sequential impulses on eight manifolds at a time. Each substep solves them
//! once, and relaxes them once after the bodies have moved.
//!
//! - **Overlap.** A contact that overlaps by more than the slop pushes its bodies apart, at a
//!   speed that grows with the overlap. The relaxation solves the same contacts once more without
//!   that speed, which removes the speed again.
//! - **Deep contacts.** The relaxation between two substeps does not reduce the impulse of a deep
//!   contact, unless the contact carries a heavy load (`load.rs`). So its push-out grows within a
//!   step, and frees a body that a pile presses into the floor.
//! - **Slop.** An overlap within the slop is not corrected, so a pile can come to rest.
//! - **Speculative contacts.** A contact at a positive distance may close within the substep, but
//!   not overshoot.
//! - **Springs, bounds, rolling and spinning friction.** A group with a [`GroupDetails`] has them:
//!   see [`settings`](crate::contacts::settings).
//! - **Round surfaces.** The anchor of a ball or wheel is corrected as it rolls: see
//!   [`round`](crate::contacts::round).
//! - **Friction.** It is solved after the normals: see [`friction`](crate::impulses::friction). On
//!   a body that turns, its point moves: see [`carrier`](crate::impulses::carrier).
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (substeps, relaxation); M. Macklin et al., Small
//! Steps in Physics Simulation, SCA 2019; E. Catto, Iterative Dynamics with Temporal Coherence,
//! GDC 2005.
//! Differs: the warm start of a substep is per body, not per contact. Anchors and masses are fixed
//! within a step, so the impulses change a body in the same way again.
//! Tried: relaxing after the last substep only. Towers fall, and overlaps of a pile stay four
//! times as deep. Figures: `benches/notes/carom-world.md`.

use crate::contacts::round::rolled;
use crate::impulses::carrier::find_carriers;
use crate::impulses::friction::solve_friction;
use crate::impulses::group::{
    Group, GroupDetails, PREPARE, Pass, REDUCE, RELAX, RELAX_BETWEEN, REPEAT, SOLVE, Stage, TAKE_BACK,
};
use crate::impulses::lane_vec::{Lanes, REST, States, Sym3, V3, gather_delta};
use crate::impulses::pair_motion::PairMotion;
use crate::impulses::take_back::take_back;
use crate::sleep::rest::DEEP_SLOPS;
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, dispatch};

/// Runs a stage over groups, in their order. Tried: prefetching the states of the next group;
/// slower on one and on two threads.
///
/// Each stage is a kernel of its own. All in one would need 2 MB of stack without optimization,
/// which is all that a thread has. `cargo xtask golden` runs its scenes, not optimized, with half
/// a megabyte.
pub(crate) fn run<B: States>(groups: &mut [Group], states: B, pass: &Pass<'_>) {
    match pass.stage {
        Stage::Prepare => dispatch(Stepper::<B, PREPARE> { groups, states, pass }),
        Stage::Solve => dispatch(Stepper::<B, SOLVE> { groups, states, pass }),
        Stage::TakeBack => dispatch(Stepper::<B, TAKE_BACK> { groups, states, pass }),
        Stage::Relax => dispatch(Stepper::<B, RELAX> { groups, states, pass }),
        Stage::RelaxBetween => dispatch(Stepper::<B, RELAX_BETWEEN> { groups, states, pass }),
        Stage::Repeat => dispatch(Stepper::<B, REPEAT> { groups, states, pass }),
        Stage::Reduce => dispatch(Stepper::<B, REDUCE> { groups, states, pass }),
    }
}

struct Stepper<'a, B, const STAGE: u8> {
    groups: &'a mut [Group],
    states: B,
    pass: &'a Pass<'a>,
}

impl<B: States, const STAGE: u8> Kernel for Stepper<'_, B, STAGE> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        // There are more vectors than registers, so some are spilled to the stack. An aligned
        // frame puts each of them in one cache line. Without this, a stage took up to 1.5x as
        // long, depending on the caller's stack.
        let aligned = REST;
        core::hint::black_box(&aligned);
        let n = self.groups.len();
        let mut k = 0;
        while k < n {
            let group = &mut self.groups[k];
            match STAGE {
                PREPARE => prepare(simd, group, &mut self.states, self.pass.inverse_h),
                TAKE_BACK => {
                    if group.is_pushing {
                        take_back(simd, group, &mut self.states, self.pass);
                    }
                }
                REDUCE => {
                    let lanes = group.unbalanced_lanes(&self.pass.unbalanced);
                    if lanes != 0 {
                        reduce(simd, group, &mut self.states, (lanes, self.pass.unbalanced.max_speed));
                    }
                }
                REPEAT => {
                    if group.marked_lanes(&self.pass.marks) != 0 {
                        solve::<S, B, REPEAT>(simd, group, &mut self.states, self.pass);
                    }
                }
                _ => solve::<S, B, STAGE>(simd, group, &mut self.states, self.pass),
            }
            k += 1;
        }
    }
}

/// Computes the effective masses, and applies the warm start of the first substep.
#[inline(always)]
fn prepare<S: Simd, B: States>(simd: S, g: &mut Group, states: &mut B, inverse_h: f32) {
    let mut pair = PairMotion::<S>::gather(simd, g, states);
    let zero = S::F32x8::splat(simd, 0.0);
    let one = S::F32x8::splat(simd, 1.0);
    let normal = V3::load(simd, &g.normal);
    let tangent_1 = V3::load(simd, &g.tangent);
    let tangent_2 = normal.cross(tangent_1);
    let (mass_a, mass_b) = (S::F32x8::load(simd, &g.inverse_mass_a), S::F32x8::load(simd, &g.inverse_mass_b));
    let mass = mass_a + mass_b;
    let inertia_a = Sym3::<S::F32x8>::load(simd, &g.inverse_inertia_a);
    let inertia_b = Sym3::<S::F32x8>::load(simd, &g.inverse_inertia_b);
    let mut linear = V3 { x: zero, y: zero, z: zero };
    let (mut angular_a, mut angular_b) = (linear, linear);
    let slop = S::F32x8::load(simd, &g.slop);
    g.is_pushing = false;

    let mut k = 0;
    while k < usize::from(g.n_points) {
        let point = &mut g.points[k];
        let anchor_a = V3::load(simd, &point.anchor_a);
        let anchor_b = V3::load(simd, &point.anchor_b);
        let (turn_a, turn_b) = (anchor_a.cross(normal), anchor_b.cross(normal));
        let inverse_effective_mass =
            mass + turn_a.dot(inertia_a.transform(turn_a)) + turn_b.dot(inertia_b.transform(turn_b));
        // On entry, `normal_mass` is 1 for a contact and 0 for an empty lane.
        let there = S::F32x8::load(simd, &point.normal_mass);
        S::F32x8::select(inverse_effective_mass.gt(zero), there / inverse_effective_mass, zero)
            .store(&mut point.normal_mass);
        let distance = S::F32x8::load(simd, &point.distance);
        g.is_pushing |= (distance + slop).lt(zero).any();
        (distance - (anchor_b - anchor_a).dot(normal)).store(&mut point.distance);
        let impulse = S::F32x8::load(simd, &point.impulse);
        linear = linear + normal * impulse;
        angular_a = angular_a + turn_a * impulse;
        angular_b = angular_b + turn_b * impulse;
        k += 1;
    }

    let friction_a = V3::load(simd, &g.friction_a);
    let friction_b = V3::load(simd, &g.friction_b);
    let (turn_a1, turn_b1) = (friction_a.cross(tangent_1), friction_b.cross(tangent_1));
    let (turn_a2, turn_b2) = (friction_a.cross(tangent_2), friction_b.cross(tangent_2));
    let (spin_a1, spin_b1) = (inertia_a.transform(turn_a1), inertia_b.transform(turn_b1));
    let (spin_a2, spin_b2) = (inertia_a.transform(turn_a2), inertia_b.transform(turn_b2));
    let k11 = mass + turn_a1.dot(spin_a1) + turn_b1.dot(spin_b1);
    let k22 = mass + turn_a2.dot(spin_a2) + turn_b2.dot(spin_b2);
    let k12 = turn_a1.dot(spin_a2) + turn_b1.dot(spin_b2);
    let determinant = k11 * k22 - k12 * k12;
    let is_regular = determinant.gt(zero);
    let inverse = S::F32x8::select(is_regular, one / determinant, zero);
    (k22 * inverse).store(&mut g.tangent_mass[0]);
    (k11 * inverse).store(&mut g.tangent_mass[1]);
    (zero - k12 * inverse).store(&mut g.tangent_mass[2]);
    // One over the larger principal value.
    let half = S::F32x8::splat(simd, 0.5);
    let (mean, off) = (half * (k11 + k22), half * (k11 - k22));
    let largest = mean + (off * off + k12 * k12).sqrt();
    S::F32x8::select(largest.gt(zero), one / largest, zero).store(&mut g.slide_mass);
    let twist = normal.dot(inertia_a.transform(normal)) + normal.dot(inertia_b.transform(normal));
    S::F32x8::select(twist.gt(zero), one / twist, zero).store(&mut g.twist_mass);

    let impulse_1 = S::F32x8::load(simd, &g.tangent_impulse[0]);
    let impulse_2 = S::F32x8::load(simd, &g.tangent_impulse[1]);
    let twist_impulse = S::F32x8::load(simd, &g.twist_impulse);
    linear = linear + tangent_1 * impulse_1 + tangent_2 * impulse_2;
    angular_a = angular_a + turn_a1 * impulse_1 + turn_a2 * impulse_2 + normal * twist_impulse;
    angular_b = angular_b + turn_b1 * impulse_1 + turn_b2 * impulse_2 + normal * twist_impulse;
    find_carriers(simd, g, &pair, inverse_h);
    pair.apply(linear, [angular_a, angular_b]);
    pair.scatter(simd, g, states, u8::MAX);
}

/// Removes the warm start in these lanes, friction included. A normal impulse is kept up to the
/// one that changes the speed of its contact by `max_speed`.
///
/// The contacts are not solved meanwhile. A contact would push against the speed that others
/// gained by the warm start. If it is deep, it would keep that impulse, and throw the body.
#[inline(always)]
fn reduce<S: Simd, B: States>(simd: S, g: &mut Group, states: &mut B, (lanes, max_speed): (u8, f32)) {
    let zero = S::F32x8::splat(simd, 0.0);
    let is_reduced = zero.lt(S::F32x8::load(simd, &ones_of(lanes)));
    let max_speed = S::F32x8::splat(simd, max_speed);
    let normal = V3::load(simd, &g.normal);
    let mut linear = V3 { x: zero, y: zero, z: zero };
    let (mut angular_a, mut angular_b) = (linear, linear);
    let mut k = 0;
    while k < usize::from(g.n_points) {
        let point = &mut g.points[k];
        let old = S::F32x8::load(simd, &point.impulse);
        let max_impulse = S::F32x8::load(simd, &point.normal_mass) * max_speed;
        let kept = S::F32x8::select(is_reduced, old.min(max_impulse), old);
        kept.store(&mut point.impulse);
        let along = normal * (kept - old);
        linear = linear + along;
        angular_a = angular_a + V3::load(simd, &point.anchor_a).cross(along);
        angular_b = angular_b + V3::load(simd, &point.anchor_b).cross(along);
        k += 1;
    }
    let undo = |impulse: &mut Lanes| {
        let old = S::F32x8::load(simd, impulse);
        S::F32x8::select(is_reduced, zero, old).store(impulse);
        S::F32x8::select(is_reduced, zero - old, zero)
    };
    let tangent = V3::load(simd, &g.tangent);
    let along = tangent * undo(&mut g.tangent_impulse[0]);
    let along = along + normal.cross(tangent) * undo(&mut g.tangent_impulse[1]);
    let twist = normal * undo(&mut g.twist_impulse);
    linear = linear + along;
    angular_a = angular_a + V3::load(simd, &g.friction_a).cross(along) + twist;
    angular_b = angular_b + V3::load(simd, &g.friction_b).cross(along) + twist;
    let mut pair = PairMotion::<S>::gather(simd, g, states);
    pair.apply(linear, [angular_a, angular_b]);
    pair.scatter(simd, g, states, u8::MAX);
}

/// One iteration: the normal impulses, then the friction that they allow.
///
/// Tried: applying all impulses of a manifold at once with a coupling matrix; no gain for groups
/// that exceed the cache.
#[inline(always)]
fn solve<S: Simd, B: States, const STAGE: u8>(simd: S, g: &mut Group, states: &mut B, pass: &Pass<'_>) {
    let mut pair = PairMotion::<S>::gather(simd, g, states);
    let details = pass.details.get(g.details as usize);
    // Other lanes keep their impulses and velocities.
    let lanes = if STAGE == REPEAT { g.marked_lanes(&pass.marks) } else { u8::MAX };
    let is_marked = S::F32x8::splat(simd, 0.0).lt(S::F32x8::load(simd, &ones_of(lanes)));
    let moved = solve_normals::<S, B, STAGE>(simd, g, states, pass, is_marked, &mut pair);
    solve_friction::<S, STAGE>(simd, g, details, is_marked, (moved, 0.5 / pass.inverse_h), &mut pair);
    pair.scatter(simd, g, states, lanes);
}

/// Solves the contact points of eight manifolds along their normals. Returns the displacements of
/// the centres of B relative to those of A since the start of the step.
#[inline(always)]
fn solve_normals<S: Simd, B: States, const STAGE: u8>(
    simd: S,
    g: &mut Group,
    states: &B,
    pass: &Pass<'_>,
    is_marked: <S::F32x8 as F32Lanes<8>>::Mask,
    pair: &mut PairMotion<S>,
) -> V3<S::F32x8> {
    let splat = S::F32x8::splat;
    let (zero, one) = (splat(simd, 0.0), splat(simd, 1.0));
    let normal = V3::load(simd, &g.normal);
    let details = pass.details.get(g.details as usize);
    // Anchors turn with the bodies. Rotating the normal backwards is equivalent, and is
    // done once for all contacts.
    let delta_a = gather_delta(simd, states, &g.body_a);
    let delta_b = gather_delta(simd, states, &g.body_b);
    let (normal_a, normal_b) = (delta_a.turn_back(simd, normal), delta_b.turn_back(simd, normal));
    let displacement = delta_b.p - delta_a.p;
    let moved = displacement.dot(normal);
    let inverse_h = splat(simd, pass.inverse_h);
    let slop = S::F32x8::load(simd, &g.slop);
    let rate = splat(simd, if STAGE == SOLVE { pass.push_out_rate } else { 0.0 });
    let slowest = splat(simd, -pass.push_out_speed);
    let deep = splat(simd, DEEP_SLOPS * pass.slop);
    let max_warm_start_speed = splat(simd, pass.max_warm_start_speed);
    let leak = S::F32x8::load(simd, &g.leak);
    let round = pass.rounds.get(g.round as usize);
    let both_rolled = round.map(|round| [rolled(simd, round, 0, normal_a), rolled(simd, round, 1, normal_b)]);
    let elapsed = splat(simd, pass.elapsed);
    let mut k = 0;
    while k < usize::from(g.n_points) {
        let point = &mut g.points[k];
        let anchor_a = V3::load(simd, &point.anchor_a);
        let anchor_b = V3::load(simd, &point.anchor_b);
        let mut distance =
            moved + anchor_b.dot(normal_b) - anchor_a.dot(normal_a) + S::F32x8::load(simd, &point.distance);
        if let (Some(round), Some([rolled_a, rolled_b])) = (round, both_rolled) {
            let [radius_a, radius_b] = [0, 1].map(|side: usize| S::F32x8::load(simd, &round.radius[side][k]));
            distance = distance + (radius_a * rolled_a + radius_b * rolled_b);
        }
        let (turn_a, turn_b) = (anchor_a.cross(normal), anchor_b.cross(normal));
        let PairMotion { a, b, .. } = *pair;
        let mut speed = (b.v - a.v).dot(normal) + b.w.dot(turn_b) - a.w.dot(turn_a);
        if let Some(details) = details {
            let part = S::F32x8::load(simd, &details.part[k]);
            distance = distance + part * elapsed;
            speed = speed + part;
        }
        let is_apart = distance.gt(zero);
        let wanted = (distance + slop).min(zero) * rate;
        let pushing = wanted.max(slowest);
        let bias = S::F32x8::select(is_apart, distance * inverse_h, pushing);

        let old = S::F32x8::load(simd, &point.impulse);
        let mass = S::F32x8::load(simd, &point.normal_mass);
        // Deep contacts are those that were deep at the start of the step. If a body gets deep
        // within the step, the impulse that stops it must not be limited.
        let current_distance = S::F32x8::load(simd, &point.distance) + (anchor_b - anchor_a).dot(normal);
        let warm_start = if STAGE == SOLVE {
            S::F32x8::select((current_distance + deep).gt(zero), old, old.min(mass * max_warm_start_speed))
        } else {
            old
        };
        // The impulse of a loaded contact with push-out decays, so that push-out does not build
        // up: see `impulses/load.rs`. At the largest push-out speed it decays less.
        let decay = S::F32x8::select(wanted.lt(zero), one - leak * (pushing / wanted), one);
        let new = ((warm_start - (speed + bias) * mass) * decay).max(zero);
        let new = if STAGE == RELAX_BETWEEN || STAGE == REPEAT {
            let at_least_old = S::F32x8::select(zero.lt(leak), new, new.max(old));
            S::F32x8::select((current_distance + deep).lt(zero), at_least_old, new)
        } else {
            new
        };
        let new = if let Some(details) = details {
            bounded::<S, STAGE>(simd, (details, k), new, (old, mass, distance, speed))
        } else {
            new
        };
        let new = if STAGE == REPEAT { S::F32x8::select(is_marked, new, old) } else { new };
        new.store(&mut point.impulse);
        let change = new - old;
        pair.apply(normal * change, [turn_a * change, turn_b * change]);
        (S::F32x8::load(simd, &point.total) + if STAGE == SOLVE { new } else { change })
            .store(&mut point.total);
        k += 1;
    }
    displacement
}

/// Returns the impulse of the spring in lanes that have one, and `rigid` in the others, both
/// limited to their bounds.
#[inline(always)]
fn bounded<S: Simd, const STAGE: u8>(
    simd: S,
    (details, k): (&GroupDetails, usize),
    rigid: S::F32x8,
    (old, mass, distance, speed): (S::F32x8, S::F32x8, S::F32x8, S::F32x8),
) -> S::F32x8 {
    let zero = S::F32x8::splat(simd, 0.0);
    let push = S::F32x8::load(simd, &details.push);
    let of_spring = if STAGE == SOLVE {
        // The impulse p with p = -push * distance - give * (the speed after it).
        let give = S::F32x8::load(simd, &details.give);
        let p = (give * old - mass * (push * distance + give * speed)) / (mass + give);
        S::F32x8::select(distance.lt(zero), p.max(zero), zero)
    } else {
        old
    };
    S::F32x8::select(zero.lt(push), of_spring, rigid).min(S::F32x8::load(simd, &details.max_impulse[k]))
}

/// Returns 1 in the lanes of the bits that are set, else 0.
fn ones_of(lanes: u8) -> Lanes {
    core::array::from_fn(|lane| f32::from(lanes >> lane & 1))
}
