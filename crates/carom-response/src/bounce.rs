//! One contact, one formula: how a velocity is reflected, and what impulse two bodies exchange when
//! they meet.
//!
//! v' = v_p - k v_n, with v_n along the normal, v_p across it, and k from 0 (stays) to 1 (bounces
//! like a perfect ball). For two bodies the same holds for the relative velocity of the place where
//! they touch, and the masses share it.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.9, eq. 25.12 to 25.14; B.
//! Mirtich, Impulse-based Dynamic Simulation of Rigid Body Systems, 1996, 3.

use crate::body::{Body, BodyKind};
use crate::integrate::inverse_of;
use carom_math::{Mat3, Real, Vec3};

/// The velocity after hitting a surface that does not move, which has the unit normal `normal`.
///
/// `restitution` is k of eq. 25.12; `friction` is Coulomb's coefficient. A velocity that leaves the
/// surface is given back as it is.
pub fn reflect(velocity: Vec3, normal: Vec3, restitution: Real, friction: Real) -> Vec3 {
    let speed = velocity.dot(normal);
    if !(speed < 0.0) {
        return velocity;
    }
    let across = velocity - normal * speed;
    // The normal impulse is (1 + k) times the speed, friction takes at most its share of that, and
    // at most all.
    let lost = friction * (1.0 + restitution) * -speed;
    let length = across.length();
    let kept = if lost < length { across * (1.0 - lost / length) } else { Vec3::ZERO };
    kept - normal * (speed * restitution)
}

/// The rest of a move after a hit at the fraction `t` of the step: (1 - t) of the way, along the
/// new velocity (25.11.1).
#[inline]
pub fn remaining_move(velocity_after: Vec3, dt: Real, t: Real) -> Vec3 {
    velocity_after * (dt * (1.0 - t.clamp(0.0, 1.0)))
}

/// The impulse on B (and its opposite on A) at `point`, when the bodies approach each other there
/// along the unit `normal` from A to B; zero when they do not.
///
/// Everything in the world frame. Bodies that are not dynamic, and those with infinite mass, do not
/// change.
pub fn collision_impulse(
    a: &Body,
    b: &Body,
    point: Vec3,
    normal: Vec3,
    restitution: Real,
    friction: Real,
) -> Vec3 {
    let velocity = moving_velocity(b, point) - moving_velocity(a, point);
    let speed = velocity.dot(normal);
    if !(speed < 0.0) {
        return Vec3::ZERO;
    }
    let response = response_matrix(a, point) + response_matrix(b, point);
    let felt = normal.dot(response * normal);
    if !(0.0 < felt) {
        return Vec3::ZERO; // Neither can move.
    }
    let along = -(1.0 + restitution) * speed / felt;
    // What would stop all sliding; if it is inside the cone, the bodies stick.
    let stop = inverse_of(&response) * -(velocity + normal * (speed * restitution));
    let stop_along = stop.dot(normal);
    if stop.is_finite() && 0.0 < stop_along {
        let across = stop - normal * stop_along;
        if across.length() <= friction * stop_along {
            return stop;
        }
    }
    let across = velocity - normal * speed;
    let direction = across.normalize_or_zero();
    // Sliding: the impulse lies on the cone, against the slide, and still gives the normal its
    // speed.
    let cone = normal - direction * friction;
    let felt_on_cone = normal.dot(response * cone);
    if 0.0 < felt_on_cone && direction != Vec3::ZERO {
        let impulse = cone * (-(1.0 + restitution) * speed / felt_on_cone);
        // It may stop the slide, not turn it around: else the formula for the normal alone, and
        // less friction.
        let after = velocity + response * impulse;
        if 0.0 <= after.dot(direction) {
            return impulse;
        }
    }
    normal * along
}

/// How fast a point of the body changes its velocity under an impulse there: K of Mirtich's
/// equation.
pub fn response_matrix(body: &Body, point: Vec3) -> Mat3 {
    if body.kind != BodyKind::Dynamic {
        return Mat3::ZERO;
    }
    let r = point - body.world_center();
    let skew =
        Mat3::from_cols(Vec3::new(0.0, r.z, -r.y), Vec3::new(-r.z, 0.0, r.x), Vec3::new(r.y, -r.x, 0.0));
    Mat3::from_diagonal(Vec3::splat(body.inverse_mass)) - skew * body.world_inverse_inertia() * skew
}

/// What does not move has no velocity, whatever is stored.
fn moving_velocity(body: &Body, point: Vec3) -> Vec3 {
    if body.kind == BodyKind::Fixed { Vec3::ZERO } else { body.velocity_at(point) }
}
