//! Solids that are known by their signed distance: the door by which sampled fields join the
//! queries.
//!
//! A support map tells a convex shape; a distance tells any solid. Queries find the least sum of
//! the distance and of another function by halving a box, so they ask for lower bounds in boxes.
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
    /// The lowest and the highest corner of a box that holds the surface.
    fn bounds(&self) -> [DVec3; 2];

    /// The same for a box, perhaps larger, which is halved along each axis again and again until a
    /// part is so small that the distance is all but linear in it.
    fn search_box(&self) -> [DVec3; 2];

    /// The finest detail of the surface that is known, a length above 0: the size of a cell.
    fn resolution(&self) -> f64;

    /// A length: how far a sample may be from the distance.
    fn error_bound(&self) -> f64;

    /// A length, not negative: places without a sample are no nearer to the surface.
    fn least_unsampled(&self) -> f64;

    /// Whether the field tells inside from outside.
    fn has_inside(&self) -> bool;

    /// The distance at a point; `None` outside of the bounds and where only is known that the
    /// surface is far.
    fn sample(&self, point: DVec3) -> Option<DistanceSample>;

    /// A linear function and a number that no sample in a box is below; they are infinite if there
    /// is no sample in the box.
    fn floor(&self, center: DVec3, half: DVec3) -> LinearFloor;

    /// Volume, centre and inertia; `None` without an inside, or of nothing.
    fn moments(&self) -> Option<SolidMoments>;

    /// Visits the places where a line passes the surface, for parameters from `from` to `to`, in
    /// their order, until the visitor breaks. Parameters count in lengths of the direction.
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
    /// How fast the distance grows along each axis; shorter than 1 at ridges.
    pub gradient: DVec3,
}

/// How a solid fills space, in the frame of its field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidMoments {
    /// The volume, above 0.
    pub volume: f64,
    /// The centre of the volume.
    pub center: DVec3,
    /// The inertia tensor about the centre, for a mass of 1 per volume.
    pub inertia: DMat3,
    /// A volume: the solid that was sampled differs from the one counted by parts of no more, put
    /// together; infinite if that is not known.
    pub volume_error: f64,
    /// A length: both solids are no farther from the centre.
    pub reach: f64,
}

impl SolidMoments {
    /// A length: how far the centre may be off, infinite if that is not known.
    pub fn center_error(&self) -> f64 {
        let least = self.volume - self.volume_error;
        if 0.0 < least { self.volume_error * self.reach / least } else { f64::INFINITY }
    }

    /// How far the moment about any axis through the centre may be off, for a mass of 1 per volume;
    /// infinite if that is not known.
    pub fn inertia_error(&self) -> f64 {
        let (moved, greatest) = (self.center_error(), self.volume + self.volume_error);
        self.volume_error * self.reach * self.reach + greatest * moved * moved
    }
}

/// What is below a field in a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearFloor {
    /// The linear function at the center of the box.
    pub value: f64,
    /// How fast it grows along each axis.
    pub gradient: DVec3,
    /// The number.
    pub least: f64,
    /// There is a sample at each point of the box.
    pub is_whole: bool,
}

impl LinearFloor {
    /// In a box without samples.
    pub const EMPTY: LinearFloor =
        LinearFloor { value: f64::INFINITY, gradient: DVec3::ZERO, least: f64::INFINITY, is_whole: false };

    /// No sample is below this number, in a box with these half extents.
    #[inline]
    pub fn least(&self, half: DVec3) -> f64 {
        self.least.max(self.value - self.gradient.abs().dot(half))
    }
}

/// A place where a line passes the surface of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The line's parameter.
    pub t: f64,
    /// Outward, of length 1; zero where the field has no gradient.
    pub normal: DVec3,
    /// The line leaves the solid.
    pub is_leaving: bool,
}
