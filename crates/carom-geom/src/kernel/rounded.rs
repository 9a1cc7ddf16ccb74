//! Rounded shapes: all points within a radius of a convex shape.
//!
//! The core of the shape stays the core; its margin grows by the radius. All algorithms of carom
//! use cores and add margins at the end, so rounded shapes need no special case.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 2.3
//! (sums with a ball).

use super::super::num::{Pose, Real, wide};
use crate::bound::aabb_from_support;
use crate::{Feature, ShapeError, SupportMap, SupportPoint, check};
use carom_bounds::Aabb;
use glam::DVec3;

/// All points within `radius` of a convex core: a box with round edges, a hull with a skin.
///
/// The core keeps its size: the rounded shape is larger by the radius all around.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked<S>"))]
#[cfg_attr(feature = "serde", serde(bound(deserialize = "S: SupportMap + serde::Deserialize<'de>")))]
pub struct Rounded<S> {
    core: S,
    radius: Real,
}

/// The data that serde reads, before they are checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Unchecked<S> {
    core: S,
    radius: Real,
}

#[cfg(feature = "serde")]
impl<S: SupportMap> TryFrom<Unchecked<S>> for Rounded<S> {
    type Error = ShapeError;

    fn try_from(read: Unchecked<S>) -> Result<Rounded<S>, ShapeError> {
        Rounded::new(read.core, read.radius)
    }
}

impl<S: SupportMap> Rounded<S> {
    /// Creates a rounded shape from its core and the radius around it, which is finite and not
    /// negative.
    pub fn new(core: S, radius: Real) -> Result<Rounded<S>, ShapeError> {
        check::size("radius", wide(radius))?;
        Ok(Rounded { core, radius })
    }

    /// Returns the shape that is rounded.
    #[inline]
    pub fn core(&self) -> &S {
        &self.core
    }

    /// Returns the radius by which the shape is larger than the core, all around.
    #[inline]
    pub fn radius(&self) -> Real {
        self.radius
    }

    /// Returns a box around the placed shape, in the parent frame of the pose, rounded outwards.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        aabb_from_support(self, &pose.wide())
    }
}

impl<S: SupportMap> SupportMap for Rounded<S> {
    #[inline]
    fn support(&self, direction: DVec3) -> SupportPoint {
        self.core.support(direction)
    }

    #[inline]
    fn support_exact(&self, direction: DVec3, near: SupportPoint) -> SupportPoint {
        self.core.support_exact(direction, near)
    }

    #[inline]
    fn support_slack(&self) -> f64 {
        self.core.support_slack()
    }

    #[inline]
    fn vertex(&self, number: u32) -> Option<DVec3> {
        self.core.vertex(number)
    }

    #[inline]
    fn center(&self) -> DVec3 {
        self.core.center()
    }

    #[inline]
    fn radius(&self) -> f64 {
        self.core.radius()
    }

    #[inline]
    fn margin(&self) -> f64 {
        self.core.margin() + wide(self.radius)
    }

    fn feature_within(&self, normal: DVec3, sine: f64, out: &mut Feature) {
        self.core.feature_within(normal, sine, out);
    }
}
