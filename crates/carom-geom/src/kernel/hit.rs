//! The results of ray casts and point projections.

use super::super::num::{Real, Vec3, narrow, real};
use crate::FeatureId;
use glam::DVec3;

/// A point where a ray meets a shape, in the frame of the ray.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RayHit {
    /// The ray's parameter, in lengths of its direction.
    pub t: Real,
    /// Outward unit normal of the surface. A ray that starts in the shape hits it where it leaves,
    /// and the normal is along the ray there. Zero for a shape without surface, if the direction
    /// is zero.
    pub normal: Vec3,
    /// The number of a triangle of a mesh or of a part of a compound; 0 for a single convex shape.
    pub part: u32,
    /// Feature that is hit.
    pub feature: FeatureId,
    /// Whether the ray meets the surface from inside, or a triangle from the side where it appears
    /// clockwise.
    pub is_back_face: bool,
}

impl RayHit {
    /// Creates a hit on a single shape, feature unknown, from outside.
    #[inline]
    pub const fn new(t: Real, normal: Vec3) -> RayHit {
        RayHit { t, normal, part: 0, feature: FeatureId::UNKNOWN, is_back_face: false }
    }

    /// Returns the same hit with this feature.
    #[inline]
    pub const fn with_feature(mut self, feature: FeatureId) -> RayHit {
        self.feature = feature;
        self
    }

    /// Returns the same hit with this part.
    #[inline]
    pub const fn with_part(mut self, part: u32) -> RayHit {
        self.part = part;
        self
    }

    /// Returns the same hit, from inside or from outside.
    #[inline]
    pub const fn with_back_face(mut self, is_back_face: bool) -> RayHit {
        self.is_back_face = is_back_face;
        self
    }
}

/// The points where a ray meets the surface of one convex shape: none, one or two, in order of t.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHits {
    hits: [RayHit; 2],
    n_hits: usize,
}

impl RayHits {
    /// No hits.
    pub(crate) const NONE: RayHits = RayHits { hits: [RayHit::new(0.0, Vec3::ZERO); 2], n_hits: 0 };

    /// Appends a hit; a third is dropped.
    #[inline]
    pub(crate) fn push(&mut self, hit: RayHit) {
        if let Some(room) = self.hits.get_mut(self.n_hits) {
            *room = hit;
            self.n_hits += 1;
        }
    }

    /// Returns the hits, each changed by the function.
    pub(crate) fn map(mut self, change: impl Fn(RayHit) -> RayHit) -> RayHits {
        self.hits = self.hits.map(change);
        self
    }

    /// Returns the hits in order of t.
    #[inline]
    pub fn as_slice(&self) -> &[RayHit] {
        &self.hits[..self.n_hits]
    }
}

impl IntoIterator for RayHits {
    type Item = RayHit;
    type IntoIter = core::iter::Take<core::array::IntoIter<RayHit, 2>>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.hits.into_iter().take(self.n_hits)
    }
}

/// The point of a shape's surface nearest to a given point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PointProjection {
    /// The nearest point of the surface, in the frame of the given point.
    pub point: Vec3,
    /// Whether the given point is known to lie in the solid, surface included.
    pub is_inside: bool,
    /// Whether the point lies in the solid, surface included; `None` if the surface does not
    /// define an inside.
    pub inside: Option<bool>,
    /// Distance from the surface: negative inside, positive if no inside is known. Infinite if the
    /// projected point is NaN, which is then not inside.
    pub distance: Real,
    /// The number of a triangle of a mesh or of a part of a compound; 0 for a single convex shape.
    pub part: u32,
    /// Feature that the nearest point lies on.
    pub feature: FeatureId,
}

impl PointProjection {
    /// Creates a projection on a single shape, from the nearest point and the signed distance. The
    /// point is inside if the distance is not above 0.
    #[inline]
    pub const fn new(point: Vec3, distance: Real, feature: FeatureId) -> PointProjection {
        let is_inside = distance <= 0.0;
        PointProjection { point, is_inside, inside: Some(is_inside), distance, part: 0, feature }
    }

    /// Returns the same on a surface that does not define an inside.
    #[must_use]
    pub const fn without_inside(self) -> PointProjection {
        PointProjection { is_inside: false, inside: None, distance: self.distance.abs(), ..self }
    }

    /// Creates a projection from the nearest point and the signed distance, in `f64`. NaN as a
    /// distance counts as infinite.
    #[inline]
    pub(crate) fn from_wide(point: DVec3, distance: f64, feature: FeatureId) -> PointProjection {
        let distance = if distance.is_nan() { f64::INFINITY } else { distance };
        PointProjection::new(narrow(point), real(distance), feature)
    }

    /// Returns the same projection with this part.
    #[inline]
    pub const fn with_part(mut self, part: u32) -> PointProjection {
        self.part = part;
        self
    }
}
