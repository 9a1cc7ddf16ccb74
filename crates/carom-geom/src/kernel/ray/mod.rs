//! Ray casts: the hits of one ray on the surface of one shape.
//!
//! | a ray against | first hit | all hits |
//! |---|---|---|
//! | point | [`point`] | the same |
//! | plane | [`plane`] | the same |
//! | segment | [`Segment::cast_ray`](super::Segment::cast_ray) | [`ray_hits`](super::Segment::ray_hits) |
//! | triangle | [`Triangle::cast_ray`](super::Triangle::cast_ray) | [`ray_hits`](super::Triangle::ray_hits) |
//! | convex polygon | [`ConvexPolygon::cast_ray`](super::ConvexPolygon::cast_ray) | [`ray_hits`](super::ConvexPolygon::ray_hits) |
//! | sphere | [`Sphere::cast_ray`](super::Sphere::cast_ray) | [`ray_hits`](super::Sphere::ray_hits) |
//! | capsule | [`Capsule::cast_ray`](super::Capsule::cast_ray) | [`ray_hits`](super::Capsule::ray_hits) |
//! | tapered capsule | [`TaperedCapsule::cast_ray`](super::TaperedCapsule::cast_ray) | [`ray_hits`](super::TaperedCapsule::ray_hits) |
//! | box along the axes | [`aabb`] | [`aabb_hits`] |
//! | box at an angle | [`Cuboid::cast_ray`](super::Cuboid::cast_ray), [`obb`] | [`ray_hits`](super::Cuboid::ray_hits), [`obb_hits`] |
//! | cylinder | [`Cylinder::cast_ray`](super::Cylinder::cast_ray) | [`ray_hits`](super::Cylinder::ray_hits) |
//! | cone | [`Cone::cast_ray`](super::Cone::cast_ray) | [`ray_hits`](super::Cone::ray_hits) |
//! | ellipsoid | [`Ellipsoid::cast_ray`](super::Ellipsoid::cast_ray) | [`ray_hits`](super::Ellipsoid::ray_hits) |
//! | frustum | [`Frustum::cast_ray`](super::Frustum::cast_ray) | [`ray_hits`](super::Frustum::ray_hits) |
//! | tetrahedron | [`Tetrahedron::cast_ray`](super::Tetrahedron::cast_ray) | [`ray_hits`](super::Tetrahedron::ray_hits) |
//! | convex hull | [`ConvexHull::cast_ray`](super::ConvexHull::cast_ray) | [`ray_hits`](super::ConvexHull::ray_hits) |
//! | half-space | [`HalfSpace::cast_ray`](super::HalfSpace::cast_ray) | [`ray_hits`](super::HalfSpace::ray_hits) |
//! | torus | | [`visit_ray_hits`](super::Torus::visit_ray_hits) |
//! | height field | [`HeightField::cast_ray`](super::HeightField::cast_ray) | [`cast_ray_all`](super::HeightField::cast_ray_all) |
//!
//! Shapes are in their own frame, see [`Ray::in_frame_of`]. The interval of t may start behind the
//! origin; t counts in lengths of the direction. All sets are closed: a ray that touches hits once.
//!
//! Decisions are made in `f64`. Whether a line meets a point, plane, segment, triangle, polygon,
//! ball or axis-aligned box is exact for the given numbers. The rest is right to about 1e-15 of the
//! figure's size and distance.
//!
//! *All hits* are hits with the surface: the entry, and the exit as a back face.
//! Special cases:
//! - A ray **along a sheet** (triangle, polygon, segment) hits the rim where it enters and where
//!   it leaves. A plane has no rim and is hit where the interval begins. If the interval begins
//!   within the sheet, the first hit is there.
//! - A ray that **starts inside** a solid has its first hit at the start of the interval if
//!   `solid` is set. Otherwise it hits where it leaves.
//! - A ray with a **zero direction** is at one point for all t. If this is inside and `solid` is
//!   set, it hits at the start of the interval. Otherwise it hits nothing.
//! - A ray with a coordinate that is NaN or infinite hits nothing, and no hit has a t beyond the
//!   range of its type.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.6 to 22.9 and 25.4 (hits
//! behind the origin).

mod sheet;
mod solid;
mod volume;

pub use sheet::{plane, point};
pub use volume::{aabb, aabb_hits, obb, obb_hits};

use super::super::num::{Interval, Ray, narrow, real, wide, widen};
use super::{RayHit, RayHits};
use crate::FeatureId;
use crate::chord::{Chord, End};
use carom_math::scaling::{scale_of, unit};
use glam::DVec3;

/// Returns the chord of the ray's line; its t counts in lengths of the ray's direction.
fn chord_of(ray: &Ray, chord: impl FnOnce(DVec3, DVec3) -> Option<Chord>) -> Option<Chord> {
    let (origin, direction) = (widen(ray.origin), widen(ray.direction));
    if !(origin.is_finite() && direction.is_finite()) {
        return None;
    }
    // A direction of any length: t of the scaled direction is t over the scale.
    let scale = scale_of(direction.abs().max_element());
    let mut chord = chord(origin, direction * scale)?;
    chord.enter.t *= scale;
    chord.exit.t *= scale;
    Some(chord)
}

/// Whether a hit can have this t.
fn is_number(t: f64) -> bool {
    real(t).is_finite()
}

fn hit(end: &End, is_back_face: bool) -> RayHit {
    RayHit::new(real(end.t), narrow(end.normal)).with_feature(end.feature).with_back_face(is_back_face)
}

/// Returns the first hit with t in the interval.
///
/// With `solid` the inside counts as well: a ray whose interval begins inside hits there at once.
/// Otherwise the shape is its surface, and such a ray hits at its exit.
fn first(
    ray: &Ray,
    interval: Interval,
    solid: bool,
    chord: impl FnOnce(DVec3, DVec3) -> Option<Chord>,
) -> Option<RayHit> {
    let Chord { enter, exit } = chord_of(ray, chord)?;
    let (low, high) = (wide(interval.min), wide(interval.max));
    if !(low <= high && enter.t <= high && low <= exit.t) {
        return None;
    }
    if low <= enter.t && is_number(enter.t) {
        return Some(hit(&enter, false));
    }
    // The whole chord is beyond the last number, or before the first.
    if (0.0 < enter.t && !is_number(enter.t)) || (exit.t < 0.0 && !is_number(exit.t)) {
        return None;
    }
    if solid {
        // The interval begins inside. Without a finite begin, t is as near to 0 as possible.
        let begin = if low.is_finite() { low } else { high.min(exit.t).min(0.0) };
        let against = unit(-widen(ray.direction)).unwrap_or(DVec3::ZERO);
        return Some(RayHit::new(real(begin), narrow(against)));
    }
    (exit.t <= high && is_number(exit.t)).then(|| hit(&exit, true))
}

/// Returns every hit of the ray with the surface, with t in the interval.
fn every(ray: &Ray, interval: Interval, chord: impl FnOnce(DVec3, DVec3) -> Option<Chord>) -> RayHits {
    let mut hits = RayHits::NONE;
    let Some(Chord { enter, exit }) = chord_of(ray, chord) else { return hits };
    let (low, high) = (wide(interval.min), wide(interval.max));
    let counts = |t: f64| low <= t && t <= high && is_number(t);
    if counts(enter.t) {
        hits.push(hit(&enter, false));
    }
    if counts(exit.t) && enter.t < exit.t {
        hits.push(hit(&exit, true));
    }
    hits
}

/// Returns the hit with its side of the sheet: face 1 is hit from behind. A hit on the rim is on
/// neither side.
fn of_sheet(hit: RayHit) -> RayHit {
    hit.with_back_face(hit.feature == FeatureId::face(1))
}
