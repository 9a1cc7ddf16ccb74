//! The reach of a moving body in a direction: the only property that a tree with shifted planes
//! needs.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5, eq. 25.8 (convex hull),
//! 25.9 and 25.10 (cylinder).
//! Differs: one support value for both signs, so a cylinder may have any axis.

use carom_geom::SupportMap;
use carom_math::ops;
use glam::{DMat3, DVec3};

/// A convex body. Its reference point is the point that is moved through the tree.
pub trait Body {
    /// Returns the greatest `normal . (x - reference)` over all points x of the body. `normal` has
    /// length 1.
    fn reach(&self, normal: DVec3) -> f64;
}

/// A body that is its reference point alone: for rays and for particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point;

impl Body for Point {
    #[inline]
    fn reach(&self, _: DVec3) -> f64 {
        0.0
    }
}

/// A ball around the reference point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Not negative.
    pub radius: f64,
}

impl Body for Ball {
    #[inline]
    fn reach(&self, _: DVec3) -> f64 {
        self.radius
    }
}

/// A cylinder whose reference point is the middle of its base, as for a character's feet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// Unit vector from the base to the top.
    pub axis: DVec3,
    /// Not negative.
    pub radius: f64,
    /// Not negative.
    pub height: f64,
}

impl Body for Cylinder {
    #[inline]
    fn reach(&self, normal: DVec3) -> f64 {
        let along = normal.dot(self.axis);
        // The part of the normal across the axis. It is computed from the vector, because `1 -
        // along^2` would lose small values.
        let across = ops::sqrt((normal - self.axis * along).length_squared());
        self.radius * across + (self.height * along).max(0.0)
    }
}

/// The convex hull of some points, relative to the reference point. Every point is tested, so it
/// suits few points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Points<'a>(pub &'a [DVec3]);

impl Body for Points<'_> {
    #[inline]
    fn reach(&self, normal: DVec3) -> f64 {
        let most = self.0.iter().fold(f64::NEG_INFINITY, |most, point| most.max(normal.dot(*point)));
        if self.0.is_empty() { 0.0 } else { most }
    }
}

/// Any shape with a support map, rotated. The origin of its frame is the reference point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Supported<'a, S: ?Sized> {
    /// The shape, in its own frame.
    pub shape: &'a S,
    /// The rotation from that frame to the level's.
    pub rotation: DMat3,
}

impl<S: SupportMap + ?Sized> Body for Supported<'_, S> {
    #[inline]
    fn reach(&self, normal: DVec3) -> f64 {
        let direction = self.rotation.transpose() * normal;
        let farthest = self.shape.support_exact(direction, self.shape.support(direction));
        direction.dot(farthest.point) + self.shape.margin()
    }
}
