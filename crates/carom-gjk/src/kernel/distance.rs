//! The queries of this crate for the stored precision: decided in `f64`, then rounded.
//!
//! Lower bounds are rounded down and upper bounds up, so they hold in either precision; a distance
//! that is not zero keeps its sign.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, chapter
//! 4.

use super::super::num::{Contact, Pose, Real, Vec3, narrow, narrow_down, narrow_up, narrow3};
use crate::{Counters, GjkCache, GjkSettings, Outcome, wide};
use carom_geom::SupportMap;

/// How far apart two convex shapes are. Points and normal in A's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Distance {
    /// Length; 0 when the shapes meet. With `max_distance` it may be an upper bound; see
    /// `lower_bound`.
    pub distance: Real,
    /// Not above the true distance.
    pub lower_bound: Real,
    /// On A, nearest to B; a common point when they meet.
    pub point_a: Vec3,
    /// On B, nearest to A; a common point when they meet.
    pub point_b: Vec3,
    /// Unit vector from A to B; zero when they meet.
    pub normal: Vec3,
    /// How the search ended.
    pub outcome: Outcome,
    /// What it cost.
    pub counters: Counters,
}

/// How far apart or how deep two convex shapes are. Points and normal in A's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SignedDistance {
    /// Length: the distance, or minus the depth when the shapes overlap. Touching is 0.
    pub distance: Real,
    /// Not above the true signed distance.
    pub lower_bound: Real,
    /// Not below the true signed distance, but for rounding.
    pub upper_bound: Real,
    /// On A: nearest to B, or deepest in B.
    pub point_a: Vec3,
    /// On B: nearest to A, or deepest in A.
    pub point_b: Vec3,
    /// Unit vector from A to B: B moved along it by the depth no longer overlaps.
    pub normal: Vec3,
    /// How the search ended.
    pub outcome: Outcome,
    /// What it cost.
    pub counters: Counters,
}

/// Whether two convex shapes meet, with the proof when they do not.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Intersection {
    /// They share a point; touching counts.
    pub intersects: bool,
    /// When apart: the unit normal, from A to B, of planes that separate them, in A's frame. Zero
    /// when they meet.
    pub axis: Vec3,
    /// When apart: all of A lies where `axis . x <= offset`, all of B where `offset + gap <= axis .
    /// x`.
    pub offset: Real,
    /// When apart: the room between them along the axis, a length; a lower bound of the distance.
    pub gap: Real,
    /// How the search ended.
    pub outcome: Outcome,
    /// What it cost.
    pub counters: Counters,
}

/// The distance of two convex shapes, B placed by `b_in_a`.
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

/// The distance of two convex shapes, or minus their depth: the length of the least translation
/// that separates them.
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

/// The depth of two convex shapes, as their negative signed distance; `None` when they are apart.
/// Touching is depth 0.
///
/// Undecidable input (a coordinate that is not finite) gives `None`.
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

/// Nearest or deepest points of two convex shapes that are not farther apart than the length
/// `prediction`.
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

/// Whether two convex shapes meet; stops at the first separating plane or common point.
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
            gap: narrow(wide.gap),
            outcome: wide.outcome,
            counters: wide.counters,
        }
    }
}
