//! Friction of eight manifolds, limited by their normal impulses.
//!
//! - It is solved after the normals, so it stays within Coulomb's cone (test:
//!   `patches::friction_stays_within_its_limit`). There is one friction vector per manifold, at the
//!   centre of pressure, and a torque about the normal.
//! - Force and torque share one limit, the *limit surface*, an ellipsoid: force over the largest
//!   force, torque over the largest torque. So a patch that slides fast hardly resists rotation.
//! - While a patch slides, friction opposes its velocity. The impulse that would stop the slide has
//!   another direction if the patch is not below the centre of mass.
//! - Rolling and spinning friction are torques against the relative rotation.
//!
//! Reference: E. Catto, Iterative Dynamics with Temporal Coherence, GDC 2005 (friction at the
//! centre of a manifold); R. Howe, M. Cutkosky, Practical Force-Motion Models for Sliding
//! Manipulation, IJRR 1996 (limit surface).

use crate::impulses::carrier::{Levers, move_levers};
use crate::impulses::group::{Group, GroupDetails, REPEAT, SOLVE};
use crate::impulses::lane_vec::V3;
use crate::impulses::pair_motion::PairMotion;
use carom_lanes::{F32Lanes, Simd};

/// Solves the friction that the present normal impulses allow. Lanes that are not marked keep their
/// impulses in the stage [`REPEAT`]. `moved` is the input of [`move_levers`].
#[inline(always)]
pub(crate) fn solve_friction<S: Simd, const STAGE: u8>(
    simd: S,
    g: &mut Group,
    details: Option<&GroupDetails>,
    is_marked: <S::F32x8 as F32Lanes<8>>::Mask,
    moved: (V3<S::F32x8>, f32),
    pair: &mut PairMotion<S>,
) {
    let (zero, one) = (S::F32x8::splat(simd, 0.0), S::F32x8::splat(simd, 1.0));
    let [pressed, pressed_lever] = pressure(simd, g);
    if let Some(details) = details
        && details.resists_rotation
        && STAGE != REPEAT
    {
        resist_rotation(simd, g, details, pressed, pair);
    }
    let coefficient = S::F32x8::load(simd, &g.friction);
    let Levers { slide: [slide_a, slide_b], push: [push_a, push_b] } = if g.is_carried {
        move_levers::<S, STAGE>(simd, g, moved, pair)
    } else {
        let levers = [V3::load(simd, &g.friction_a), V3::load(simd, &g.friction_b)];
        Levers { slide: levers, push: levers }
    };
    let PairMotion { a, b, .. } = *pair;
    let normal = V3::load(simd, &g.normal);
    let tangent_1 = V3::load(simd, &g.tangent);
    let tangent_2 = normal.cross(tangent_1);
    let slide = b.v + b.w.cross(slide_b) - a.v - a.w.cross(slide_a);
    let (mut slide_1, mut slide_2) = (slide.dot(tangent_1), slide.dot(tangent_2));
    let mut spin = (b.w - a.w).dot(normal);
    if let Some(details) = details {
        slide_1 = slide_1 + S::F32x8::load(simd, &details.slide[0]);
        slide_2 = slide_2 + S::F32x8::load(simd, &details.slide[1]);
        spin = spin + S::F32x8::load(simd, &details.spin);
    }
    let m11 = S::F32x8::load(simd, &g.tangent_mass[0]);
    let m22 = S::F32x8::load(simd, &g.tangent_mass[1]);
    let m12 = S::F32x8::load(simd, &g.tangent_mass[2]);
    let old_1 = S::F32x8::load(simd, &g.tangent_impulse[0]);
    let old_2 = S::F32x8::load(simd, &g.tangent_impulse[1]);
    let old_twist = S::F32x8::load(simd, &g.twist_impulse);
    let twist_mass = S::F32x8::load(simd, &g.twist_mass);
    // The twist counts as a force at the mean lever arm of the contacts.
    let limit = coefficient * pressed;
    let lever = S::F32x8::select(pressed.gt(zero), pressed_lever / pressed, zero);
    let has_lever = lever.gt(zero);
    let per_lever = S::F32x8::select(has_lever, one / lever, zero);
    let length_sq = |along_1: S::F32x8, along_2: S::F32x8, twist: S::F32x8| {
        let twist_force = twist * per_lever;
        along_1 * along_1 + along_2 * along_2 + twist_force * twist_force
    };
    // The impulses that stop all motion, if they are within the limit.
    let sticking_1 = old_1 - (m11 * slide_1 + m12 * slide_2);
    let sticking_2 = old_2 - (m12 * slide_1 + m22 * slide_2);
    let sticking_twist = old_twist - twist_mass * spin;
    let slides = length_sq(sticking_1, sticking_2, sticking_twist).gt(limit * limit);
    // Otherwise a step against the velocity, projected to the limit.
    let slide_mass = S::F32x8::load(simd, &g.slide_mass);
    let twist_force_mass = S::F32x8::select(has_lever, twist_mass * per_lever * per_lever, slide_mass);
    let slide_mass = slide_mass.min(twist_force_mass);
    let sliding_1 = old_1 - slide_mass * slide_1;
    let sliding_2 = old_2 - slide_mass * slide_2;
    let sliding_twist = old_twist - slide_mass * lever * lever * spin;
    let length_sq = length_sq(sliding_1, sliding_2, sliding_twist);
    let scale = S::F32x8::select(length_sq.gt(limit * limit), limit / length_sq.sqrt(), one);
    let new_1 = S::F32x8::select(slides, sliding_1 * scale, sticking_1);
    let new_2 = S::F32x8::select(slides, sliding_2 * scale, sticking_2);
    let new_twist = S::F32x8::select(slides, sliding_twist * scale, sticking_twist);
    let new_twist = S::F32x8::select(has_lever, new_twist, zero);
    let [new_1, new_2, new_twist] = if STAGE == REPEAT {
        let marked = |new, old| S::F32x8::select(is_marked, new, old);
        [marked(new_1, old_1), marked(new_2, old_2), marked(new_twist, old_twist)]
    } else {
        [new_1, new_2, new_twist]
    };
    new_1.store(&mut g.tangent_impulse[0]);
    new_2.store(&mut g.tangent_impulse[1]);
    new_twist.store(&mut g.twist_impulse);

    let (change_1, change_2, change_twist) = (new_1 - old_1, new_2 - old_2, new_twist - old_twist);
    let impulse = tangent_1 * change_1 + tangent_2 * change_2;
    let turn = normal * change_twist;
    pair.apply(impulse, [push_a.cross(impulse) + turn, push_b.cross(impulse) + turn]);
    let [added_1, added_2, added_twist] =
        if STAGE == SOLVE { [new_1, new_2, new_twist] } else { [change_1, change_2, change_twist] };
    (S::F32x8::load(simd, &g.tangent_total[0]) + added_1).store(&mut g.tangent_total[0]);
    (S::F32x8::load(simd, &g.tangent_total[1]) + added_2).store(&mut g.tangent_total[1]);
    (S::F32x8::load(simd, &g.twist_total) + added_twist).store(&mut g.twist_total);
}

/// Returns the sum of the normal impulses, and of their products with their levers.
#[inline(always)]
fn pressure<S: Simd>(simd: S, g: &Group) -> [S::F32x8; 2] {
    let (mut pressed, mut pressed_lever) = (S::F32x8::splat(simd, 0.0), S::F32x8::splat(simd, 0.0));
    let mut k = 0;
    while k < usize::from(g.n_points) {
        let impulse = S::F32x8::load(simd, &g.points[k].impulse);
        pressed = pressed + impulse;
        pressed_lever = pressed_lever + impulse * S::F32x8::load(simd, &g.points[k].lever);
        k += 1;
    }
    [pressed, pressed_lever]
}

/// Applies rolling and spinning friction: torques against the relative rotation, the one
/// perpendicular to the normal, the other about it. They precede sliding friction, which then has
/// no slip to correct.
///
/// They are not cached from step to step, because one iteration finds them.
#[inline(always)]
fn resist_rotation<S: Simd>(
    simd: S,
    g: &mut Group,
    details: &GroupDetails,
    pressed: S::F32x8,
    pair: &mut PairMotion<S>,
) {
    let (zero, one) = (S::F32x8::splat(simd, 0.0), S::F32x8::splat(simd, 1.0));
    let (normal, tangent_1) = (V3::load(simd, &g.normal), V3::load(simd, &g.tangent));
    let tangent_2 = normal.cross(tangent_1);
    let PairMotion { a, b, inertia_a, inertia_b, .. } = *pair;
    let inverse_inertia = |along: V3<S::F32x8>| inertia_a.transform(along) + inertia_b.transform(along);
    let (turned_1, turned_2) = (inverse_inertia(tangent_1), inverse_inertia(tangent_2));
    let (k11, k22, k12) = (tangent_1.dot(turned_1), tangent_2.dot(turned_2), tangent_1.dot(turned_2));
    let determinant = k11 * k22 - k12 * k12;
    let inverse = S::F32x8::select(determinant.gt(zero), one / determinant, zero);
    let turn = b.w - a.w;
    let (turn_1, turn_2) = (turn.dot(tangent_1), turn.dot(tangent_2));
    let old_1 = S::F32x8::load(simd, &g.rotation_impulse[0]);
    let old_2 = S::F32x8::load(simd, &g.rotation_impulse[1]);
    let want_1 = old_1 - (k22 * turn_1 - k12 * turn_2) * inverse;
    let want_2 = old_2 - (k11 * turn_2 - k12 * turn_1) * inverse;
    let limit = S::F32x8::load(simd, &details.rolling) * pressed;
    let length_sq = want_1 * want_1 + want_2 * want_2;
    let scale = S::F32x8::select(length_sq.gt(limit * limit), limit / length_sq.sqrt(), one);
    let (new_1, new_2) = (want_1 * scale, want_2 * scale);
    new_1.store(&mut g.rotation_impulse[0]);
    new_2.store(&mut g.rotation_impulse[1]);
    let spin = turn.dot(normal) + S::F32x8::load(simd, &details.spin);
    let old_spin = S::F32x8::load(simd, &g.rotation_impulse[2]);
    let limit = S::F32x8::load(simd, &details.spinning) * pressed;
    let want_spin = old_spin - S::F32x8::load(simd, &g.twist_mass) * spin;
    let new_spin = want_spin.max(zero - limit).min(limit);
    new_spin.store(&mut g.rotation_impulse[2]);
    let rolled = tangent_1 * (new_1 - old_1) + tangent_2 * (new_2 - old_2);
    let change = rolled + normal * (new_spin - old_spin);
    pair.twist(change);
}
