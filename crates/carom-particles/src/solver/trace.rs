//! The path of a fast particle through a distance field, up to the first surface.
//!
//! Reference: J. C. Hart, Sphere Tracing, 1996.

use carom_math::tol;
use glam::Vec3;

/// The most distance evaluations along the path of a particle.
const MAX_TRACE: u32 = 32;

/// The point at which a path first comes near a surface.
pub(crate) struct Stop {
    pub(crate) position: Vec3,
    pub(crate) normal: Vec3,
    /// The remaining distance to contact.
    pub(crate) room: f32,
    /// The remaining path.
    pub(crate) left: Vec3,
}

/// Traces a path that is longer than a part of the radius and starts outside a field. `None` if it
/// meets no surface.
pub(crate) fn trace(
    distance: &(dyn Fn(Vec3) -> (f32, Vec3) + Sync),
    begin: Vec3,
    end: Vec3,
    radius: f32,
) -> Option<Stop> {
    let (mut position, mut left) = (begin, end - begin);
    let near = tol::PARTICLE_TRACE * radius;
    let mut length = left.length();
    if !(near < length && length < f32::INFINITY) {
        return None;
    }
    for step in 0..MAX_TRACE {
        let (d, normal) = distance(position);
        let room = d - radius;
        if step == 0 && room < -near {
            return None;
        }
        // It may start at the surface and move away from it.
        if room <= near && left.dot(normal) < 0.0 {
            return Some(Stop { position, normal, room, left });
        }
        let travel = room.max(near);
        if !(travel < length) {
            return None;
        }
        let part = left * (travel / length);
        (position, left) = (position + part, left - part);
        length -= travel;
    }
    let (d, normal) = distance(position);
    Some(Stop { position, normal, room: d - radius, left })
}
