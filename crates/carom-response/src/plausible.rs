//! What two bodies do when there was no time to find out where they touch: they stop approaching.
//!
//! One impulse through both centres of mass, perfectly inelastic, along a direction that the caller guesses from their
//! volumes. It takes energy or leaves it, whatever the guess, turns nothing, and keeps the momentum.
//!
//! Reference: J. Dingliana, C. O'Sullivan, Graceful Degradation of Collision Handling in Physically Based Animation,
//! Eurographics 2000 (a response from bounding volumes when time is out).
//! Differs: the direction is not drawn at random; boxes offer one, and equal input must give equal bits.

use crate::body::{Body, BodyKind};
use carom_math::{Real, Vec3};

/// Takes the speed with which the centres approach along `normal`, a unit vector from A to B, and says whether they did.
///
/// Sleeping, halted and fixed bodies do not give way; bodies that are set in motion by their owner do not either.
pub fn stop_approach(a: &mut Body, b: &mut Body, normal: Vec3) -> bool {
    let gives_way = |body: &Body| if body.is_active() { body.inverse_mass } else { 0.0 };
    let stands = |body: &Body| body.kind == BodyKind::Fixed || body.is_halted;
    let moves = |body: &Body| if stands(body) { Vec3::ZERO } else { body.linear_velocity };
    let (inverse_a, inverse_b) = (gives_way(a), gives_way(b));
    let speed = (moves(b) - moves(a)).dot(normal);
    let impulse = -speed / (inverse_a + inverse_b);
    // Neither gives way: 0 / 0 or an infinite impulse.
    if !(speed < 0.0 && impulse < Real::INFINITY) {
        return false;
    }
    a.linear_velocity -= normal * (impulse * inverse_a);
    b.linear_velocity += normal * (impulse * inverse_b);
    true
}
