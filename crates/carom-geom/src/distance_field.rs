//! Solids given by their signed distance: the interface between sampled fields and the queries.
//!
//! A support map describes a convex shape; a signed distance describes any solid. Queries minimise
//! the distance plus another function by branch and bound over boxes. They need lower bounds in
//! boxes.
//!
//! Reference: J. Hart, Sphere Tracing: A Geometric Method for the Antialiased Ray Tracing of
//! Implicit Surfaces, The Visual Computer 12(10), 1996, section 2 (distances as bounds).

use core::ops::ControlFlow;
use glam::{DMat3, DVec3};

/// A solid, in its own frame, given by the signed distance of points from its surface: negative
/// inside. Sampled fields are off by a stated length.
///
/// The distance is known in a box that holds the surface, or in a band around the surface. All
/// numbers are finite unless stated otherwise.
pub trait DistanceField {
    /// Returns the lowest and the highest corner of a box that holds the surface.
    fn bounds(&self) -> [DVec3; 2];

    /// Returns the box where a search starts; it may be larger than the bounds. Halving it along
    /// each axis ends in parts where the distance is almost linear.
    fn search_box(&self) -> [DVec3; 2];

    /// Returns the finest known detail of the surface: a length above 0, such as the size of a
    /// cell.
    fn resolution(&self) -> f64;

    /// Returns the largest error of a sample: a length.
    fn error_bound(&self) -> f64;

    /// Returns a length, not negative: points without a sample are at least this far from the
    /// surface.
    fn least_unsampled(&self) -> f64;

    /// Returns whether the field distinguishes inside from outside.
    fn has_inside(&self) -> bool;

    /// Returns the radii of the circle and of the ball if the solid is a ball swept along a circle
    /// around the y axis. Searches then need one angle.
    fn ring(&self) -> Option<[f64; 2]> {
        None
    }

    /// Returns the distance at a point. `None` outside the bounds, and at points known only to be
    /// far from the surface.
    fn sample(&self, point: DVec3) -> Option<DistanceSample>;

    /// Returns a linear lower bound and a constant lower bound of the samples in a box. Both are
    /// infinite if the box has no sample.
    fn floor(&self, center: DVec3, half: DVec3) -> LinearFloor;

    /// Returns volume, centre and inertia; `None` without an inside, or if the solid is empty.
    fn moments(&self) -> Option<SolidMoments>;

    /// Visits the points where a line crosses the surface, for parameters from `from` to `to`, in
    /// order, until the visitor breaks. Parameters count in lengths of the direction.
    fn visit_crossings(
        &self,
        line: [DVec3; 2],
        from: f64,
        to: f64,
        visit: &mut dyn FnMut(Crossing) -> ControlFlow<()>,
    );
}

/// A signed distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistanceSample {
    /// A length, negative inside.
    pub distance: f64,
    /// The gradient of the distance; shorter than 1 at ridges.
    pub gradient: DVec3,
}

/// The moments of a solid, in the frame of its field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidMoments {
    /// The volume, above 0.
    pub volume: f64,
    /// The centre of the volume.
    pub center: DVec3,
    /// The inertia tensor about the centre, for density 1.
    pub inertia: DMat3,
    /// The largest volume of the difference between the sampled solid and the measured one;
    /// infinite if unknown.
    pub volume_error: f64,
    /// A length: both solids lie within it of the centre.
    pub reach: f64,
}

impl SolidMoments {
    /// Returns the largest error of the centre: a length, infinite if unknown.
    pub fn center_error(&self) -> f64 {
        let least = self.volume - self.volume_error;
        if 0.0 < least { self.volume_error * self.reach / least } else { f64::INFINITY }
    }

    /// Returns the largest error of the moment about any axis through the centre, for density 1;
    /// infinite if unknown.
    pub fn inertia_error(&self) -> f64 {
        let (moved, greatest) = (self.center_error(), self.volume + self.volume_error);
        self.volume_error * self.reach * self.reach + greatest * moved * moved
    }
}

/// Lower bounds of a field in a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearFloor {
    /// The linear function at the center of the box.
    pub value: f64,
    /// The gradient of the linear function.
    pub gradient: DVec3,
    /// The constant lower bound.
    pub least: f64,
    /// Whether there is a sample at each point of the box.
    pub is_whole: bool,
}

impl LinearFloor {
    /// The bounds of a box without samples.
    pub const EMPTY: LinearFloor =
        LinearFloor { value: f64::INFINITY, gradient: DVec3::ZERO, least: f64::INFINITY, is_whole: false };

    /// Returns a lower bound of all samples in a box with these half extents.
    #[inline]
    pub fn least(&self, half: DVec3) -> f64 {
        self.least.max(self.value - self.gradient.abs().dot(half))
    }
}

/// A point where a line crosses the surface of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The line's parameter.
    pub t: f64,
    /// Outward unit normal; zero if the field has no gradient.
    pub normal: DVec3,
    /// Whether the line leaves the solid.
    pub is_leaving: bool,
}
