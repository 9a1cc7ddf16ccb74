//! Closed-form collision of one contact: the reflected velocity, and the impulse between two
//! bodies.
//!
//! The velocity v after a collision is v' = v_p - k v_n. Here v_n is the part of v along the
//! normal, v_p the part across it, and k the restitution, from 0 (no bounce) to 1 (perfectly
//! elastic). For two bodies, the same holds for the relative velocity at the contact point, and
//! both share the change according to their masses.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.9, eq. 25.12 to 25.14; B.
//! Mirtich, Impulse-based Dynamic Simulation of Rigid Body Systems, 1996, 3.

use crate::bodies::body::{Body, BodyKind};
use crate::integrate::inverse_of;
use carom_math::{Mat3, Real, Vec3};

/// Returns the velocity after a collision with a static surface of unit normal `normal`.
///
/// `restitution` is k of eq. 25.14, and `friction` is Coulomb's coefficient. A velocity away from
/// the surface is returned unchanged.
pub fn reflect(velocity: Vec3, normal: Vec3, restitution: Real, friction: Real) -> Vec3 {
    let speed = velocity.dot(normal);
    if !(speed < 0.0) {
        return velocity;
    }
    let across = velocity - normal * speed;
    // The normal impulse is (1 + k) times the speed. Friction is at most its coefficient times
    // that, and at most enough to stop the slide.
    let lost = friction * (1.0 + restitution) * -speed;
    let length = across.length();
    let kept = if lost < length { across * (1.0 - lost / length) } else { Vec3::ZERO };
    kept - normal * (speed * restitution)
}

/// Returns the displacement that remains after a collision at the fraction `t` of the step: the new
/// velocity times `dt` times 1 - t (25.11.1).
#[inline]
pub fn remaining_move(velocity_after: Vec3, dt: Real, t: Real) -> Vec3 {
    velocity_after * (dt * (1.0 - t.clamp(0.0, 1.0)))
}

/// Returns the impulse on B at `point`; its opposite acts on A. `normal` is a unit vector from A
/// to B. The impulse is zero if the bodies do not approach each other there along it.
///
/// All is in the world frame; an impulse is mass times length per time. Bodies that are not
/// dynamic or have infinite mass do not change.
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
    let inverse_mass = normal.dot(response * normal);
    if !(0.0 < inverse_mass) {
        return Vec3::ZERO; // Neither can move.
    }
    let along = -(1.0 + restitution) * speed / inverse_mass;
    // The impulse that would stop all sliding. If it is inside the friction cone, the bodies stick.
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
    // Sliding: the impulse lies on the cone, against the slide, and still gives the target normal
    // speed.
    // Scaled so that no friction, however large, overflows.
    let scale = friction.max(1.0).recip();
    let cone = normal * scale - direction * (friction * scale);
    let inverse_mass_on_cone = normal.dot(response * cone);
    if 0.0 < inverse_mass_on_cone && direction != Vec3::ZERO {
        let impulse = cone * (-(1.0 + restitution) * speed / inverse_mass_on_cone);
        // It may stop the slide, but not reverse it. Otherwise the frictionless impulse is used.
        let after = velocity + response * impulse;
        if 0.0 <= after.dot(direction) {
            return impulse;
        }
    }
    normal * along
}

/// Returns the change of the velocity of a body point per impulse at that point: K of Mirtich's
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

/// Returns the velocity of a point. A fixed body has none, whatever is stored.
fn moving_velocity(body: &Body, point: Vec3) -> Vec3 {
    if body.kind == BodyKind::Fixed { Vec3::ZERO } else { body.velocity_at(point) }
}
