//! The queries of this crate in the stored precision: decided in `f64`, then rounded.
//!
//! Lower bounds are rounded down and upper bounds up, so they hold in either precision. A distance
//! that is not zero keeps its sign.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, chapter
//! 4.

use super::super::num::{Contact, Pose, Real, Vec3, narrow, narrow_down, narrow_up, narrow3};
use crate::{Counters, GjkCache, GjkSettings, Outcome, wide};
use carom_geom::SupportMap;

/// The distance of two convex shapes. Points and normal are in A's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Distance {
    /// Length, or 0 if the shapes overlap or touch. With `max_distance` it may be an upper bound;
    /// see `lower_bound`.
    pub distance: Real,
    /// Not above the true distance.
    pub lower_bound: Real,
    /// On A, nearest to B. A common point if they overlap or touch.
    pub point_a: Vec3,
    /// On B, nearest to A. A common point if they overlap or touch.
    pub point_b: Vec3,
    /// Unit vector from A to B. Zero if they overlap or touch.
    pub normal: Vec3,
    /// How the search ended.
    pub outcome: Outcome,
    /// The work of the query.
    pub counters: Counters,
}

/// The distance or depth of two convex shapes. Points and normal are in A's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SignedDistance {
    /// Length: the distance, or minus the depth if the shapes overlap. Touching is 0.
    pub distance: Real,
    /// Not above the true signed distance.
    pub lower_bound: Real,
    /// Not below the true signed distance, except for rounding.
    pub upper_bound: Real,
    /// On A: nearest to B, or deepest in B.
    pub point_a: Vec3,
    /// On B: nearest to A, or deepest in A.
    pub point_b: Vec3,
    /// Unit vector from A to B. If B moves along it by the depth, the shapes no longer overlap.
    pub normal: Vec3,
    /// How the search ended.
    pub outcome: Outcome,
    /// The work of the query.
    pub counters: Counters,
}

/// Whether two convex shapes share a point, with a separating plane if they do not.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Intersection {
    /// Whether they share a point. Touching counts.
    pub intersects: bool,
    /// If apart: the unit normal, from A to B, of planes that separate them, in A's frame. Zero if
    /// they share a point.
    pub axis: Vec3,
    /// If apart: each point x of A has `axis . x <= offset`, and each of B has
    /// `offset + gap <= axis . x`, to the rounding of these numbers and of `axis`.
    pub offset: Real,
    /// If apart: the gap along the axis before it was rounded, a length. It is a lower bound of the
    /// distance.
    pub gap: Real,
    /// How the search ended.
    pub outcome: Outcome,
    /// The work of the query.
    pub counters: Counters,
}

/// Returns the distance of two convex shapes. `b_in_a` is the pose of B in A's frame.
///
/// Stops early at a lower bound above `settings.max_distance`. A coordinate that is not finite
/// gives distance 0 and [`Outcome::Undecided`].
#[inline]
pub fn distance<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &Pose,
    settings: &GjkSettings,
    cache: Option<&mut GjkCache>,
) -> Distance {
    wide::distance(a, b, &b_in_a.wide(), settings, cache).into()
}

/// Returns the distance of two convex shapes, or minus their depth. The depth is the length of the
/// shortest translation that separates them.
///
/// Stops early at a lower bound above `settings.max_distance`. A coordinate that is not finite
/// gives distance 0 and [`Outcome::Undecided`].
#[inline]
pub fn signed_distance<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &Pose,
    settings: &GjkSettings,
    cache: Option<&mut GjkCache>,
) -> SignedDistance {
    wide::signed_distance(a, b, &b_in_a.wide(), settings, cache).into()
}

/// Returns the depth of two convex shapes, as their negative signed distance, or `None` if they are
/// apart. Touching is depth 0.
///
/// A coordinate that is not finite gives `None`.
#[inline]
pub fn penetration<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &Pose,
    settings: &GjkSettings,
    cache: Option<&mut GjkCache>,
) -> Option<SignedDistance> {
    let settings = settings.with_max_distance(0.0);
    let signed = wide::signed_distance(a, b, &b_in_a.wide(), &settings, cache);
    (signed.distance <= 0.0 && signed.upper_bound.is_finite()).then(|| signed.into())
}

/// Returns the nearest or deepest points of two convex shapes, in A's frame. `None` if they are
/// farther apart than the length `prediction`, or if a coordinate is not finite.
#[inline]
pub fn contact<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &Pose,
    prediction: f64,
    settings: &GjkSettings,
    cache: Option<&mut GjkCache>,
) -> Option<Contact> {
    let settings = settings.with_max_distance(prediction);
    let signed = wide::signed_distance(a, b, &b_in_a.wide(), &settings, cache);
    (signed.distance <= prediction && signed.upper_bound.is_finite()).then(|| {
        Contact::new(
            narrow3(signed.point_a),
            narrow3(signed.point_b),
            narrow3(signed.normal),
            narrow(signed.distance),
        )
    })
}

/// Whether two convex shapes share a point. The search stops at the first separating plane or
/// common point.
///
/// A coordinate that is not finite gives "no", without a plane, and [`Outcome::Undecided`].
#[inline]
pub fn intersects<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &Pose,
    settings: &GjkSettings,
    cache: Option<&mut GjkCache>,
) -> Intersection {
    wide::intersects(a, b, &b_in_a.wide(), settings, cache).into()
}

impl From<wide::Distance> for Distance {
    #[inline]
    fn from(wide: wide::Distance) -> Distance {
        Distance {
            distance: narrow(wide.distance),
            lower_bound: narrow_down(wide.lower_bound),
            point_a: narrow3(wide.point_a),
            point_b: narrow3(wide.point_b),
            normal: narrow3(wide.normal),
            outcome: wide.outcome,
            counters: wide.counters,
        }
    }
}

impl From<wide::SignedDistance> for SignedDistance {
    #[inline]
    fn from(wide: wide::SignedDistance) -> SignedDistance {
        SignedDistance {
            distance: narrow(wide.distance),
            lower_bound: narrow_down(wide.lower_bound),
            upper_bound: narrow_up(wide.upper_bound),
            point_a: narrow3(wide.point_a),
            point_b: narrow3(wide.point_b),
            normal: narrow3(wide.normal),
            outcome: wide.outcome,
            counters: wide.counters,
        }
    }
}

impl From<wide::Intersection> for Intersection {
    #[inline]
    fn from(wide: wide::Intersection) -> Intersection {
        Intersection {
            intersects: wide.intersects,
            axis: narrow3(wide.axis),
            offset: narrow(wide.offset),
            gap: narrow_down(wide.gap),
            outcome: wide.outcome,
            counters: wide.counters,
        }
    }
}
