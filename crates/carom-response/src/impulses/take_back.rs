//! Removes the speed that push-out left, after the last integration of the poses.
//!
//! The relaxation removes only the push-out speed of the same substep. A contact that pushed in an
//! earlier substep may have no impulse left to relax, although its bodies still separate. So while
//! its bodies separate, each overlapping contact takes back a part of its impulse of the whole
//! step. It removes at most the push-out speed of its overlap. Friction is then limited by the
//! remaining normal impulse. Bodies that push each other need several passes.
//!
//! Reference: none; in the terms of E. Catto, Solver2D, box2d.org, 2024, a relaxation over the
//! impulses of all substeps.
//! Tried: a second relaxation after the last substep; two boxes that overlap by 0.2 m still leave
//! each other at 0.13 m/s. A part of all impulses of a manifold; a box that lay tilted in a wall
//! drifted off, turning. Contact after contact; a box that carries fifty times its weight began to
//! rock. Relaxing near deep overlaps in each substep; it also held a third box, but shook bodies
//! that rock on their rim.

use crate::impulses::group::{Group, Pass};
use crate::impulses::lane_vec::{States, V3};
use crate::impulses::pair_motion::PairMotion;
use carom_geom::MAX_CONTACTS;
use carom_lanes::{F32Lanes, Simd};

/// The number of passes over the contacts that push.
pub(crate) const PASSES: usize = 4;

/// The largest speed that a pass removes, as a multiple of the push-out speed.
const MAX_SEPARATION_RATIO: f32 = 2.0;

/// One pass over the contacts of a group.
#[inline(always)]
pub(crate) fn take_back<S: Simd, B: States>(simd: S, g: &mut Group, states: &mut B, pass: &Pass<'_>) {
    let mut pair = PairMotion::<S>::gather(simd, g, states);
    let pressed = take_back_normals(simd, g, pass, &mut pair);
    limit_friction(simd, g, pressed, &mut pair);
    pair.scatter(simd, g, states, u8::MAX);
}

/// Takes back impulses along the normals. Returns the sum of the remaining ones, and of their
/// products with their levers.
#[inline(always)]
fn take_back_normals<S: Simd>(
    simd: S,
    g: &mut Group,
    pass: &Pass<'_>,
    pair: &mut PairMotion<S>,
) -> [S::F32x8; 2] {
    let splat = S::F32x8::splat;
    let (zero, one) = (splat(simd, 0.0), splat(simd, 1.0));
    let normal = V3::load(simd, &g.normal);
    let slop = S::F32x8::load(simd, &g.slop);
    let rate = splat(simd, -MAX_SEPARATION_RATIO * pass.push_out_rate);
    let fastest = splat(simd, MAX_SEPARATION_RATIO * pass.push_out_speed);
    let details = pass.details.get(g.details as usize);

    // The impulse that each contact would take back alone, and its effect on the bodies.
    let mut backs = [zero; MAX_CONTACTS];
    let (mut linear, mut power) = (zero, zero);
    let mut angular_a = V3 { x: zero, y: zero, z: zero };
    let mut angular_b = angular_a;
    let n_points = usize::from(g.n_points);
    let PairMotion { a, b, .. } = *pair;
    let mut k = 0;
    while k < n_points {
        let point = &g.points[k];
        let anchor_a = V3::load(simd, &point.anchor_a);
        let anchor_b = V3::load(simd, &point.anchor_b);
        let (turn_a, turn_b) = (anchor_a.cross(normal), anchor_b.cross(normal));
        let distance = S::F32x8::load(simd, &point.distance) + (anchor_b - anchor_a).dot(normal);
        let limit = ((distance + slop).min(zero) * rate).min(fastest);
        let mut speed = (b.v - a.v).dot(normal) + b.w.dot(turn_b) - a.w.dot(turn_a);
        if let Some(details) = details {
            speed = speed + S::F32x8::load(simd, &details.part[k]);
        }
        let speed = speed.min(limit).max(zero);
        let mut back =
            (speed * S::F32x8::load(simd, &point.normal_mass)).min(S::F32x8::load(simd, &point.total));
        if let Some(details) = details {
            // The speed of a spring is not push-out.
            back = S::F32x8::select(zero.lt(S::F32x8::load(simd, &details.push)), zero, back);
        }
        backs[k] = back;
        power = power + back * speed;
        linear = linear + back;
        angular_a = angular_a + turn_a * back;
        angular_b = angular_b + turn_b * back;
        k += 1;
    }
    // All contacts take back the same fraction of these impulses, so that a box does not turn.
    // After that they no longer separate.
    let (turned_a, turned_b) = (pair.inertia_a.transform(angular_a), pair.inertia_b.transform(angular_b));
    let inverse_mass =
        linear * linear * (pair.mass_a + pair.mass_b) + angular_a.dot(turned_a) + angular_b.dot(turned_b);
    let part = S::F32x8::select(inverse_mass.gt(zero), (power / inverse_mass).min(one), zero);
    let along = normal * (linear * part);
    pair.a.v = pair.a.v + along * pair.mass_a;
    pair.b.v = pair.b.v - along * pair.mass_b;
    pair.a.w = pair.a.w + turned_a * part;
    pair.b.w = pair.b.w - turned_b * part;
    let (mut pressed, mut pressed_lever) = (zero, zero);
    let mut k = 0;
    while k < n_points {
        let point = &mut g.points[k];
        let back = backs[k] * part;
        let left = S::F32x8::load(simd, &point.total) - back;
        left.store(&mut point.total);
        (S::F32x8::load(simd, &point.impulse) - back).max(zero).store(&mut point.impulse);
        pressed = pressed + left;
        pressed_lever = pressed_lever + left * S::F32x8::load(simd, &point.lever);
        k += 1;
    }
    [pressed, pressed_lever]
}

/// Limits friction by the remaining normal impulses: that of all substeps, and that of the last
/// one.
#[inline(always)]
fn limit_friction<S: Simd>(
    simd: S,
    g: &mut Group,
    [pressed, pressed_lever]: [S::F32x8; 2],
    pair: &mut PairMotion<S>,
) {
    let (zero, one) = (S::F32x8::splat(simd, 0.0), S::F32x8::splat(simd, 1.0));
    let normal = V3::load(simd, &g.normal);
    let coefficient = S::F32x8::load(simd, &g.friction);
    let left = |length: S::F32x8, limit: S::F32x8| S::F32x8::select(length.gt(limit), limit / length, one);
    let [along_1, along_2] = [0, 1].map(|k| S::F32x8::load(simd, &g.tangent_total[k]));
    let twist = S::F32x8::load(simd, &g.twist_total);
    // Force and torque have one limit: see [`friction`](crate::impulses::friction).
    let has_lever = zero.lt(pressed) & zero.lt(pressed_lever);
    let twist_force = S::F32x8::select(has_lever, twist * pressed / pressed_lever, zero);
    let length = (along_1 * along_1 + along_2 * along_2 + twist_force * twist_force).sqrt();
    let slid = left(length, coefficient * pressed);
    let twisted = S::F32x8::select(has_lever, slid, zero);
    let (left_1, left_2, left_twist) = (along_1 * slid, along_2 * slid, twist * twisted);
    left_1.store(&mut g.tangent_total[0]);
    left_2.store(&mut g.tangent_total[1]);
    left_twist.store(&mut g.twist_total);
    for impulse in &mut g.tangent_impulse {
        (S::F32x8::load(simd, impulse) * slid).store(impulse);
    }
    (S::F32x8::load(simd, &g.twist_impulse) * twisted).store(&mut g.twist_impulse);
    let tangent_1 = V3::load(simd, &g.tangent);
    let tangent_2 = normal.cross(tangent_1);
    let friction_a = V3::load(simd, &g.friction_a);
    let friction_b = V3::load(simd, &g.friction_b);
    let impulse = tangent_1 * (along_1 - left_1) + tangent_2 * (along_2 - left_2);
    let turn = normal * (twist - left_twist);
    pair.a.v = pair.a.v + impulse * pair.mass_a;
    pair.b.v = pair.b.v - impulse * pair.mass_b;
    pair.a.w = pair.a.w + pair.inertia_a.transform(friction_a.cross(impulse) + turn);
    pair.b.w = pair.b.w - pair.inertia_b.transform(friction_b.cross(impulse) + turn);
}
