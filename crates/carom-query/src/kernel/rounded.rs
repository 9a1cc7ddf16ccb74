//! Rounded shapes: any convex shape of the list with a radius around it.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 2.3
//! (sums with a ball).

use super::super::num::geom::Rounded;
use super::shape::{Shape, ShapeKind};
use crate::ray_convex::Point;
use carom_geom::{Feature, SupportMap, SupportPoint};
use glam::DVec3;

/// A convex shape with a radius all around: `Rounded::new(ConvexShape::new(shape)?, radius)?`.
pub type RoundedShape = Rounded<ConvexShape>;

/// A shape that is convex and bounded, as a support map.
#[derive(Clone, Debug)]
pub struct ConvexShape(Shape);

/// The error for a shape that is not convex and bounded. Such shapes are half-spaces, tori,
/// meshes, height fields, distance fields, point clouds, voxels and compounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotConvex;

impl core::fmt::Display for NotConvex {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "the shape is not convex and bounded")
    }
}

impl core::error::Error for NotConvex {}

impl ConvexShape {
    /// Creates a convex shape from any shape with a support map; see [`Shape::is_convex`]. Fails
    /// for all other shapes.
    pub fn new(shape: Shape) -> Result<ConvexShape, NotConvex> {
        if shape.is_convex() { Ok(ConvexShape(shape)) } else { Err(NotConvex) }
    }

    /// Returns the shape.
    #[inline]
    pub fn shape(&self) -> &Shape {
        &self.0
    }

    #[inline]
    fn map(&self) -> &dyn SupportMap {
        match self.0.kind() {
            ShapeKind::Convex(map) => map,
            // The constructor refuses these.
            ShapeKind::HalfSpace(_)
            | ShapeKind::Mesh(_)
            | ShapeKind::Field(_)
            | ShapeKind::Cluster(_)
            | ShapeKind::Compound(_) => &Point,
        }
    }
}

impl SupportMap for ConvexShape {
    #[inline]
    fn support(&self, direction: DVec3) -> SupportPoint {
        self.map().support(direction)
    }

    #[inline]
    fn support_exact(&self, direction: DVec3, near: SupportPoint) -> SupportPoint {
        self.map().support_exact(direction, near)
    }

    #[inline]
    fn support_slack(&self) -> f64 {
        self.map().support_slack()
    }

    #[inline]
    fn vertex(&self, number: u32) -> Option<DVec3> {
        self.map().vertex(number)
    }

    #[inline]
    fn center(&self) -> DVec3 {
        self.map().center()
    }

    #[inline]
    fn radius(&self) -> f64 {
        self.map().radius()
    }

    #[inline]
    fn margin(&self) -> f64 {
        self.map().margin()
    }

    fn feature_within(&self, normal: DVec3, sine: f64, out: &mut Feature) {
        self.map().feature_within(normal, sine, out);
    }
}
