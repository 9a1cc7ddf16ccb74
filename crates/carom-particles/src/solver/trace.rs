//! The path of a fast particle through a distance field: it bends where it would get too deep.
//!
//! - Far from a surface, a step of the path is the distance to contact. Near one it is a part of
//!   the radius. So no step passes a surface.
//! - A step that would end too deep ends at the allowed depth, and the rest of the path no longer
//!   goes into the surface: the particle slides on.
//! - Between two opposing surfaces, as in a V-shaped corner or a hole, a push out of one leads into
//!   the other. There a path only goes on along both.
//! - A path that gets nowhere too deep stays as it is, however near it passes.
//!
//! Reference: J. C. Hart, Sphere Tracing, 1996. Differs: the path goes on along the surface.

use crate::solver::surroundings::DistanceFn;
use carom_math::tol;
use glam::Vec3;

/// The most distance evaluations along the path of a particle. A particle that goes along a surface
/// for more than 64 radii in a substep stops there.
const MAX_TRACE: u32 = 128;

/// In radii: a step may end this much deeper than allowed, because a surface is curved.
const CURVED_DEPTH: f32 = 0.1;

/// In radii: a particle gets at most this deep, or as deep as it starts, if a push out of the
/// surface leads this deep into an opposing one. So a fast particle passes no slit that is narrower
/// than 0.8 of its diameter, but goes on in one (tests:
/// `corners::r_fast_grains_do_not_pass_a_slit_narrower_than_they_are` and
/// `corners::r_fast_grains_go_on_in_a_slit`).
pub(super) const DEPTH_BETWEEN: f32 = 0.02;

/// In radians: a step at this angle into a surface goes along it. So rounding stops no path, and
/// one between walls that are parallel up to this angle goes on in all directions along them.
const PARALLEL_SLOPE: f32 = 0.001;

/// A path that a surface bends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bend {
    /// The end of the path.
    pub(crate) end: Vec3,
    /// The direction away from the last surface that bends it. Zero if there is none, because the
    /// path is too long.
    pub(crate) normal: Vec3,
}

/// A particle and the limits of its path.
pub(crate) struct Tracer<'a> {
    pub(crate) distance: DistanceFn<'a>,
    pub(crate) radius: f32,
    /// The path gets at most this deep, or as deep as it starts.
    pub(crate) depth: f32,
    /// Whether the path goes on along what it meets. Otherwise it ends there.
    pub(crate) slides: bool,
    /// Whether a path is traced even if it is short.
    pub(crate) is_pressed: bool,
    /// Takes the point to which a push out of the field leads, and the direction of the push.
    /// Returns the normal of an opposing surface of another field that stops the push.
    pub(crate) opposing: &'a dyn Fn(Vec3, Vec3) -> Option<Vec3>,
}

impl Tracer<'_> {
    /// Follows a path whose start has a distance above 0, and that is longer than a part of the
    /// radius or pressed. `None` if nothing bends it.
    pub(crate) fn trace(&self, begin: Vec3, end: Vec3) -> Option<Bend> {
        let Tracer { distance, radius, slides, .. } = *self;
        let near = tol::PARTICLE_TRACE * radius;
        let length = begin.distance(end);
        let is_traced = near < length || self.is_pressed && 0.0 < length;
        if !(is_traced && length < f32::INFINITY) {
            return None;
        }
        let first = distance(begin);
        // The centre starts inside.
        if first.0 <= 0.0 {
            return None;
        }
        let start = first.0 - radius;
        // A path that bends ended at a limit, up to rounding, must not stop there.
        let [curved, between] =
            if slides { [0.0, DEPTH_BETWEEN] } else { [CURVED_DEPTH, 2.0 * DEPTH_BETWEEN] };
        let lowest_room = start.min(-self.depth) - curved * radius;
        let lowest_between = start.min(-between * radius);
        let (mut position, mut left, mut found) = (begin, end - begin, first);
        let (mut bend, mut is_blocked) = (None, false);
        for _ in 0..MAX_TRACE {
            let (d, normal) = found;
            let (room, length) = (d - radius, left.length());
            if length <= room.max(0.0) {
                let end = position + left;
                return bend.map(|normal| Bend { end, normal });
            }
            let travel = room.max(near);
            let mut step = if travel < length { left * (travel / length) } else { left };
            let mut rest = left - step;
            let excess = lowest_room - room - step.dot(normal);
            let is_bent = 0.0 < excess;
            if is_bent {
                if !slides {
                    return Some(Bend { end: position, normal });
                }
                step += normal * excess;
                rest = along(rest, normal);
            }
            let next = position + step;
            let ahead = distance(next);
            let room_ahead = ahead.0 - radius;
            let is_between = room_ahead < lowest_between.min(room - PARALLEL_SLOPE * travel);
            let opposing = if is_between { self.opposing_at(next, ahead) } else { None };
            let is_too_deep = room_ahead < lowest_room - CURVED_DEPTH * radius;
            if opposing.is_none() && !is_too_deep {
                (position, left, found, is_blocked) = (next, rest, ahead, false);
                bend = if is_bent { Some(normal) } else { bend };
                continue;
            }
            // The particle stays before the step, and goes on along both surfaces.
            bend = Some(ahead.1);
            let other = opposing.or((along(left, ahead.1).dot(normal) < 0.0).then_some(normal));
            // It would get between them by a short path in the next substep, which is not traced.
            if other.is_some() && begin.distance(position) <= near {
                (position, left, found) = (begin, end - begin, first);
            }
            left = match other {
                _ if is_blocked || !slides => Vec3::ZERO,
                Some(other) => along_both(left, ahead.1, other),
                None => along(left, ahead.1),
            };
            is_blocked = true;
        }
        Some(Bend { end: position, normal: bend.unwrap_or(Vec3::ZERO) })
    }

    /// Returns the normal of a surface that opposes the nearest one: a push out of that one leads
    /// into it.
    fn opposing_at(&self, position: Vec3, (d, normal): (f32, Vec3)) -> Option<Vec3> {
        let out = position + normal * (self.radius - d);
        let (d, other) = (self.distance)(out);
        if d < (1.0 - DEPTH_BETWEEN) * self.radius && other.dot(normal) < 0.0 {
            return Some(other);
        }
        (self.opposing)(out, normal)
    }
}

/// Returns the part of a displacement that does not go into a surface.
fn along(displacement: Vec3, normal: Vec3) -> Vec3 {
    displacement + normal * (-displacement.dot(normal)).max(0.0)
}

/// Returns the part of a displacement that goes into neither of two surfaces: along the one that it
/// goes into, or along the line in which they meet.
fn along_both(displacement: Vec3, a: Vec3, b: Vec3) -> Vec3 {
    let lowest = -PARALLEL_SLOPE * displacement.length();
    for (one, other) in [(a, b), (b, a)] {
        let slid = along(displacement, one);
        if displacement.dot(one) < 0.0 && lowest <= slid.dot(other) {
            return slid;
        }
    }
    let line = a.cross(b);
    if line.length_squared() <= PARALLEL_SLOPE * PARALLEL_SLOPE {
        return Vec3::ZERO;
    }
    displacement.project_onto_normalized(line.normalize())
}
