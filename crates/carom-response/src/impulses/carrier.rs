//! A body that turns and carries another one round: a turntable, a carousel, a swaying lift.
//!
//! Anchors are fixed within a step. The velocity of a turntable at a fixed anchor leads the cargo
//! along the tangent, so its radius grows by half the square of the angle in each step. So in the
//! lanes of such pairs, the friction point moves on the carrier as the cargo does:
//!
//! 1. A body carries if it cannot be pushed, or is much heavier than the other, and turns about
//!    the normal.
//! 2. The point moves on the body on which its lever across the normal is longer. On the other
//!    body it stays, as below a ball that rolls.
//! 3. Velocities are compared at the point of the middle of a substep, both before and after the
//!    poses are integrated. So the cargo goes along the chord of its circle, and needs the same
//!    friction in all passes. If the relaxation compared those at the new poses, a half of the
//!    friction would be taken back in each substep, and a box would roll inwards.
//! 4. Friction turns the velocity from one chord to the next. So it acts at the point of the start
//!    of a substep. The friction that is repeated was applied at the point of the substep before.
//!    The difference of the torques is applied as well, so that a carousel keeps the angular
//!    momentum of all.
//!
//! Other lanes keep their numbers to the bit.
//!
//! Reference: none; E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2006, II.1
//! (the midpoint rule keeps circles).

use crate::impulses::group::{Group, SOLVE};
use crate::impulses::lane_vec::{Lanes, V3};
use crate::impulses::pair_motion::PairMotion;
use carom_lanes::{F32Lanes, MaskLanes, Simd};

/// A dynamic body carries another one if its mass is at least this multiple of the other's.
const MIN_MASS_RATIO: f32 = 4.0;

/// Radians about the normal in a substep, from which on a body carries others. It is a hundred
/// times the rounding of an angle in `f32`, and a resting pile turns less.
const MIN_TURN: f32 = 1e-5;

/// Finds the lanes in which a body carries the other one. `pair` has their velocities at the start
/// of the step.
#[inline(always)]
pub(crate) fn find_carriers<S: Simd>(simd: S, g: &mut Group, pair: &PairMotion<S>, inverse_h: f32) {
    let (zero, one) = (S::F32x8::splat(simd, 0.0), S::F32x8::splat(simd, 1.0));
    let ratio = S::F32x8::splat(simd, MIN_MASS_RATIO);
    let normal = V3::load(simd, &g.normal);
    let turn_a = S::F32x8::select((pair.mass_a * ratio).le(pair.mass_b), pair.a.w.dot(normal).abs(), zero);
    let turn_b = S::F32x8::select((pair.mass_b * ratio).le(pair.mass_a), pair.b.w.dot(normal).abs(), zero);
    let turns = S::F32x8::splat(simd, MIN_TURN * inverse_h).lt(turn_a.max(turn_b));
    g.is_carried = turns.any();
    if !g.is_carried {
        return;
    }
    let across_sq = |lever: V3<S::F32x8>| {
        let along = lever.dot(normal);
        lever.dot(lever) - along * along
    };
    let [across_a, across_b] = [&g.friction_a, &g.friction_b].map(|lever| across_sq(V3::load(simd, lever)));
    let side = S::F32x8::select(across_b.le(across_a), one, zero - one);
    S::F32x8::select(turns, side, zero).store(&mut g.carrier);
    g.carried = [[0.0; 8]; 2];
}

/// The levers of friction on A and on B.
pub(crate) struct Levers<S: Simd> {
    /// The point whose velocities are compared.
    pub(crate) slide: [V3<S::F32x8>; 2],
    /// The point at which friction acts.
    pub(crate) push: [V3<S::F32x8>; 2],
}

/// Moves the friction points on their carriers. Before an integration, it also applies the
/// difference of the torques of the friction so far.
///
/// `moved` is the displacement of the centre of B relative to that of A since the start of the
/// step, `half_h` half the length of a substep.
#[inline(always)]
pub(crate) fn move_levers<S: Simd, const STAGE: u8>(
    simd: S,
    g: &mut Group,
    (moved, half_h): (V3<S::F32x8>, f32),
    pair: &mut PairMotion<S>,
) -> Levers<S> {
    let zero = S::F32x8::splat(simd, 0.0);
    let tangent_1 = V3::load(simd, &g.tangent);
    let tangent_2 = V3::load(simd, &g.normal).cross(tangent_1);
    let along = |parts: &[S::F32x8; 2]| -> V3<S::F32x8> { tangent_1 * parts[0] + tangent_2 * parts[1] };
    // On A the point moves with B, and on B against it.
    let carrier = S::F32x8::load(simd, &g.carrier);
    let (on_a, on_b) = (carrier.max(zero), carrier.min(zero));
    let levers = |parts: &[S::F32x8; 2]| {
        let shift = along(parts);
        [V3::load(simd, &g.friction_a) + shift * on_a, V3::load(simd, &g.friction_b) + shift * on_b]
    };
    let stored = |lanes: &[Lanes; 2]| [&lanes[0], &lanes[1]].map(|lanes| S::F32x8::load(simd, lanes));
    let (pushed, compared) = (stored(&g.carried), stored(&g.compared));
    if STAGE != SOLVE {
        return Levers { slide: levers(&compared), push: levers(&pushed) };
    }
    let ahead = moved + (pair.b.v - pair.a.v) * S::F32x8::splat(simd, half_h);
    let compared = [ahead.dot(tangent_1), ahead.dot(tangent_2)];
    let before = along(&pushed);
    let pushed = [moved.dot(tangent_1), moved.dot(tangent_2)];
    let torque = (along(&pushed) - before).cross(along(&stored(&g.tangent_impulse)));
    pair.a.w = pair.a.w - pair.inertia_a.transform(torque * on_a);
    pair.b.w = pair.b.w + pair.inertia_b.transform(torque * on_b);
    let levers = Levers { slide: levers(&compared), push: levers(&pushed) };
    for k in 0..2 {
        pushed[k].store(&mut g.carried[k]);
        compared[k].store(&mut g.compared[k]);
    }
    levers
}
