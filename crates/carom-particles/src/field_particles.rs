//! Particles against a signed distance field, which includes surfaces that no camera sees.
//!
//! Each advance of a particle is at most its distance to the nearest surface, so it passes none at
//! any speed. At a surface it is reflected about the gradient, and moves on.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.10.1 (distance fields for
//! particles); J. C. Hart, Sphere Tracing, The Visual Computer 12, 1996.

use crate::bounce::advance_all;
use crate::{Bounce, OutcomeCounts, ParticleError, StepOutcome};
use alloc::vec::Vec;
use glam::Vec3;

/// The maximum number of distance queries in a step of a particle. A particle that grazes a surface
/// for longer stops there.
const MAX_TRACE: u32 = 32;

/// A particle that is nearer to the surface than this fraction of its radius has hit it.
const CONTACT_FRACTION: f32 = 1.0 / 64.0;

/// Moves particles of a radius for `dt` seconds by their velocities, and lets them bounce off the
/// surfaces of a field. `field` returns the signed distance of a point, negative inside, and the
/// unit vector along which it grows.
///
/// The distance must not change by more than the distance of two points. Then no particle of a
/// radius above 0 passes a surface (test: `field::no_particle_passes_a_thin_wall`). A particle that
/// starts inside is moved to the surface. The thickness and the samples of `bounce` are not used.
///
/// # Errors
/// Those of [`DepthBuffer::advance`](crate::DepthBuffer::advance), and a radius that is not
/// positive and finite.
pub fn advance_in_field(
    field: impl Fn(Vec3) -> (f32, Vec3) + Sync,
    radius: f32,
    positions: &mut [Vec3],
    velocities: &mut [Vec3],
    dt: f32,
    bounce: &Bounce,
    outcomes: &mut Vec<StepOutcome>,
) -> Result<OutcomeCounts, ParticleError> {
    if !(0.0 < radius && radius < f32::INFINITY) {
        return Err(ParticleError::BadSetting { name: "radius", value: radius });
    }
    let step = |position: &mut Vec3, velocity: &mut Vec3| {
        let mut outcome = StepOutcome::Free;
        let mut left = dt;
        for _ in 0..MAX_TRACE {
            let (distance, gradient) = field(*position);
            let room = distance - radius;
            let is_met = !(CONTACT_FRACTION * radius < room);
            if is_met && room < 0.0 {
                *position -= gradient * room;
            }
            if is_met && velocity.dot(gradient) < 0.0 {
                *velocity = bounce.reflect(*velocity, gradient);
                outcome = StepOutcome::Bounced;
            }
            let speed = velocity.length();
            let travel = room.max(CONTACT_FRACTION * radius);
            if speed * left <= travel {
                *position += *velocity * left;
                break;
            }
            *position += *velocity * (travel / speed);
            left -= travel / speed;
        }
        outcome
    };
    advance_all(positions, velocities, dt, bounce, outcomes, |positions, velocities, outcomes| {
        for ((position, velocity), outcome) in positions.iter_mut().zip(velocities).zip(outcomes) {
            *outcome = step(position, velocity);
        }
    })
}
