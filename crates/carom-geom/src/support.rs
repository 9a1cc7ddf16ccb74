//! Support maps: a convex shape given by its farthest point in every direction.
//!
//! A shape is a core plus a margin, a radius all around. A sphere is a point with a margin, a
//! capsule a segment with a margin. Algorithms use the core and add the margins at the end.
//!
//! All numbers here are `f64`, also for shapes stored in `f32`. [`SupportMap::support`] may select
//! the vertex in `f32`; results from the vertex are exact to `f64`.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 2.3 and
//! 4.3.

use crate::FeatureId;
use carom_math::tol;
use glam::DVec3;

/// The number of a support point on a curved part, which is no vertex.
pub const NO_VERTEX: u32 = u32::MAX;

/// The farthest point of a core in some direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SupportPoint {
    /// In the shape's frame.
    pub point: DVec3,
    /// The vertex number, or [`NO_VERTEX`].
    pub vertex: u32,
}

/// A convex shape, in its own frame, as core plus margin.
///
/// Implement `support`, `center` and `radius` for your own shape. A polytope also implements
/// `vertex` and `feature`. If its `support` is not exact, it implements `support_exact` and
/// `support_slack`.
pub trait SupportMap {
    /// Returns a farthest point of the core along `direction`, which may have any length but zero.
    ///
    /// The point may fall short of the true support by [`SupportMap::support_slack`] times the
    /// direction's length.
    fn support(&self, direction: DVec3) -> SupportPoint;

    /// Returns a farthest point of the core, exact to rounding in `f64`. `near` is a nearly
    /// farthest point, usually from [`SupportMap::support`]; a polytope climbs from it.
    #[inline]
    fn support_exact(&self, direction: DVec3, near: SupportPoint) -> SupportPoint {
        let _ = near;
        self.support(direction)
    }

    /// Returns a length: the largest shortfall of `support` against the true support, along a unit
    /// direction.
    #[inline]
    fn support_slack(&self) -> f64 {
        0.0
    }

    /// Returns the vertex with this number; `None` if there is none.
    #[inline]
    fn vertex(&self, number: u32) -> Option<DVec3> {
        let _ = number;
        None
    }

    /// Returns a point inside the core.
    fn center(&self) -> DVec3;

    /// Returns the radius of a ball about [`SupportMap::center`] that contains the core.
    fn radius(&self) -> f64;

    /// Returns the radius all around the core; not negative.
    #[inline]
    fn margin(&self) -> f64 {
        0.0
    }

    /// Finds the face, edge or vertex of the core that a plane with this outward unit normal rests
    /// on. Manifolds are clipped from it. Curved parts give an inscribed polygon, or the single
    /// support point.
    fn feature(&self, normal: DVec3, out: &mut Feature) {
        self.feature_within(normal, tol::FEATURE_SINE, out);
    }

    /// Finds the same for a plane that leans more from the face or edge. `sine` is the sine of the
    /// largest angle between the two, from 0 to 0.7. The steeper the lean, the higher are the far
    /// points above the plane.
    fn feature_within(&self, normal: DVec3, sine: f64, out: &mut Feature) {
        let _ = sine;
        let s = self.support(normal);
        out.clear();
        out.push(s.point, FeatureId::UNKNOWN);
    }

    /// Finds the side that leans most toward a plane with this outward unit normal, on the surface.
    /// The side is a face, or an edge of a shape without margin; it leans by up to about 44
    /// degrees. Returns whether there is one.
    fn leaning_side(&self, normal: DVec3, out: &mut Feature) -> bool {
        self.feature_within(normal, tol::INCIDENT_SINE, out);
        out.move_out(self.margin());
        3 <= out.points().len() || 2 <= out.points().len() && self.margin() == 0.0
    }

    /// Returns the id of [`SupportMap::feature`] without its points, for contacts of a ball.
    #[inline]
    fn feature_id(&self, normal: DVec3) -> FeatureId {
        let mut feature = Feature::new();
        self.feature(normal, &mut feature);
        feature.name()
    }
}

/// Maximum number of points of a [`Feature`].
pub const MAX_FEATURE_POINTS: usize = 32;

/// A convex polygon (3 or more points, counter-clockwise seen from outside), a segment (2) or a
/// point (1), in the frame of its shape.
#[derive(Clone, Debug)]
pub struct Feature {
    points: [DVec3; MAX_FEATURE_POINTS],
    ids: [FeatureId; MAX_FEATURE_POINTS],
    n_points: usize,
    /// Identifier of the face, edge or vertex.
    pub id: FeatureId,
    /// Outward unit normal of a face; zero for a segment or a point.
    pub normal: DVec3,
}

impl Feature {
    /// Creates an empty feature, to be filled.
    pub const fn new() -> Feature {
        Feature {
            points: [DVec3::ZERO; MAX_FEATURE_POINTS],
            ids: [FeatureId::UNKNOWN; MAX_FEATURE_POINTS],
            n_points: 0,
            id: FeatureId::UNKNOWN,
            normal: DVec3::ZERO,
        }
    }

    /// Removes all points, the id and the normal.
    #[inline]
    pub fn clear(&mut self) {
        self.n_points = 0;
        self.id = FeatureId::UNKNOWN;
        self.normal = DVec3::ZERO;
    }

    /// Adds a point and its id, and returns whether there was room.
    #[inline]
    pub fn push(&mut self, point: DVec3, id: FeatureId) -> bool {
        if self.n_points == MAX_FEATURE_POINTS {
            return false;
        }
        self.points[self.n_points] = point;
        self.ids[self.n_points] = id;
        self.n_points += 1;
        true
    }

    /// Moves a face along its normal.
    fn move_out(&mut self, distance: f64) {
        for point in &mut self.points[..self.n_points] {
            *point += self.normal * distance;
        }
    }

    /// Returns the points.
    #[inline]
    pub fn points(&self) -> &[DVec3] {
        &self.points[..self.n_points]
    }

    /// Returns the id of the feature; the id of the point for a single point.
    #[inline]
    pub fn name(&self) -> FeatureId {
        if self.n_points == 1 { self.ids[0] } else { self.id }
    }

    /// Returns the ids of the points.
    #[inline]
    pub fn ids(&self) -> &[FeatureId] {
        &self.ids[..self.n_points]
    }
}

impl Default for Feature {
    fn default() -> Feature {
        Feature::new()
    }
}
