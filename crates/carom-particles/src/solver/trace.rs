//! The path of a fast particle through a distance field: it bends where it would get too deep.
//!
//! - Far from a surface, a step of the path is the distance to contact. Near one it is a part of
//!   the radius. So no step passes a surface.
//! - A step that would end too deep ends at the allowed depth, and the rest of the path no longer
//!   goes into the surface: the particle slides on.
//! - A path that gets nowhere too deep stays as it is, however near it passes.
//!
//! Reference: J. C. Hart, Sphere Tracing, 1996. Differs: the path goes on along the surface.

use carom_math::tol;
use glam::Vec3;

/// The most distance evaluations along the path of a particle. A particle that goes along a surface
/// for more than 64 radii in a substep stops there.
const MAX_TRACE: u32 = 128;

/// A path that a surface bends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bend {
    /// The end of the path.
    pub(crate) end: Vec3,
    /// The direction away from the last surface that bends it. Zero if there is none, because the
    /// path is too long.
    pub(crate) normal: Vec3,
}

/// Follows a path that is longer than a part of the radius and whose start has a distance above 0.
/// It gets at most `depth` deep, or as deep as it starts. `None` if nothing bends it.
pub(crate) fn trace(
    distance: &(dyn Fn(Vec3) -> (f32, Vec3) + Sync),
    begin: Vec3,
    end: Vec3,
    radius: f32,
    depth: f32,
) -> Option<Bend> {
    let near = tol::PARTICLE_TRACE * radius;
    let length = begin.distance(end);
    if !(near < length && length < f32::INFINITY) {
        return None;
    }
    let mut found = distance(begin);
    // The centre starts inside.
    if found.0 <= 0.0 {
        return None;
    }
    let lowest_room = (found.0 - radius).min(-depth);
    let (mut position, mut left) = (begin, end - begin);
    let mut bend = None;
    for _ in 0..MAX_TRACE {
        let (d, normal) = found;
        let (room, length) = (d - radius, left.length());
        let travel = room.max(near);
        let mut step = if travel < length { left * (travel / length) } else { left };
        left -= step;
        let excess = lowest_room - room - step.dot(normal);
        if 0.0 < excess {
            step += normal * excess;
            left += normal * (-left.dot(normal)).max(0.0);
            bend = Some(normal);
        }
        position += step;
        if left == Vec3::ZERO {
            return bend.map(|normal| Bend { end: position, normal });
        }
        found = distance(position);
    }
    Some(Bend { end: position, normal: bend.unwrap_or(Vec3::ZERO) })
}
