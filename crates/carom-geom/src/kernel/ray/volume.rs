//! Rays against bounding volumes as exact sets, not as bounds: axis-aligned and oriented boxes.
//!
//! An oriented box is the image of a box under its stored axes. The inverse matrix maps the ray
//! back, which keeps t.
//!
//! Reference: T. Kay, J. Kajiya, Ray Tracing Complex Scenes, 1986 (slabs).

use super::super::super::num::{Interval, Ray};
use super::super::{RayHit, RayHits};
use super::{every, first};
use crate::chord::{self, Chord};
use carom_bounds::{Aabb, Obb};
use carom_math::scaling::unit;
use glam::DVec3;

fn aabb_chord(o: DVec3, d: DVec3, aabb: &Aabb) -> Option<Chord> {
    chord::aabb(o, d, aabb.min.as_dvec3(), aabb.max.as_dvec3())
}

fn obb_chord(o: DVec3, d: DVec3, obb: &Obb) -> Option<Chord> {
    let back = obb.axes.as_dmat3().inverse();
    let half = obb.half_extents.as_dvec3();
    let mut chord = chord::aabb(back * (o - obb.center.as_dvec3()), back * d, -half, half)?;
    for end in [&mut chord.enter, &mut chord.exit] {
        // Normals map by the transposed inverse of the axes.
        end.normal = unit(back.transpose() * end.normal).unwrap_or(DVec3::ZERO);
    }
    Some(chord)
}

/// Returns the first hit of a ray on a box along the axes, in the interval. With `solid` the
/// inside counts too: a ray whose interval begins inside hits there. The empty box is never hit.
///
/// For a conservative interval see [`Aabb::ray_interval`].
pub fn aabb(ray: &Ray, interval: Interval, aabb: &Aabb, solid: bool) -> Option<RayHit> {
    first(ray, interval, solid, |o, d| aabb_chord(o, d, aabb))
}

/// Returns entry and exit of a ray through an axis-aligned box, if they are in the interval.
pub fn aabb_hits(ray: &Ray, interval: Interval, aabb: &Aabb) -> RayHits {
    every(ray, interval, |o, d| aabb_chord(o, d, aabb))
}

/// Returns the first hit of a ray on an oriented box, in the interval. With `solid` the inside
/// counts too: a ray whose interval begins inside hits there. The empty box is never hit, nor is a
/// box whose axes are no basis.
pub fn obb(ray: &Ray, interval: Interval, obb: &Obb, solid: bool) -> Option<RayHit> {
    first(ray, interval, solid, |o, d| obb_chord(o, d, obb))
}

/// Returns entry and exit of a ray through an oriented box, if they are in the interval.
pub fn obb_hits(ray: &Ray, interval: Interval, obb: &Obb) -> RayHits {
    every(ray, interval, |o, d| obb_chord(o, d, obb))
}
