//! The queries of all fields, dense or sparse.
//!
//! Reference: M. Jones, J. Baerentzen, M. Sramek, 3D Distance Fields: A Survey of Techniques and
//! Applications, IEEE TVCG 12(4), 2006.

use crate::bake::Accuracy;
use crate::bounds::{DistanceBounds, bounds};
use crate::combine;
use crate::error::SdfError;
use crate::grid::Grid;
use crate::project::{ClosestSurfacePoint, closest_point, deepest};
use crate::ray::{FieldRay, cast_ray};
use crate::sample::{Sample, sample, sample_batch};
use crate::shape::{DeepestPoint, deepest_of_shape};
use crate::sign::SignMethod;
use crate::stored::Stored;
use alloc::vec::Vec;
use carom_geom::SupportMap;
use carom_math::ops::sqrt;
use carom_math::{Pose, Ray};
use glam::{DVec3, UVec3, Vec3};

/// The queries of a signed distance field, which [`SdfGrid`](crate::SdfGrid) and
/// [`SparseSdf`](crate::SparseSdf) share.
///
/// Points are in the frame of the mesh, and lengths in its unit.
pub trait Field: Stored {
    /// The positions of the nodes.
    fn grid(&self) -> &Grid {
        &self.header().grid
    }

    /// The distance from the surface up to which values are distances. A length; infinite if all
    /// are.
    fn band(&self) -> f32 {
        self.header().band
    }

    /// The rule that separated inside from outside.
    fn sign_method(&self) -> SignMethod {
        self.header().sign
    }

    /// The meaning of the values at nodes.
    fn accuracy(&self) -> Accuracy {
        self.header().accuracy
    }

    /// The values at the eight corners of a cell: x changes first, then y, then z. Panics past the
    /// last cell, as a slice does.
    #[inline]
    fn corners(&self, cell: UVec3) -> [f32; 8] {
        self.values_of_cell(cell)
    }

    /// Returns the distance at a point and its gradient, interpolated between the nodes around the
    /// point.
    ///
    /// In the grid the error of the value is at most [`Field::error_bound`], plus what the band
    /// cuts off. Outside the grid, the distance to the grid is added to the value at its border. A
    /// solid that reaches the border ends there: beside it, the distance is that to the grid. So
    /// the distance is above 0 outside the grid (test:
    /// `sample::r_a_solid_that_reaches_the_border_ends_there`). A point with a coordinate that is
    /// NaN or infinite is infinitely far.
    fn sample(&self, point: Vec3) -> Sample
    where
        Self: Sized,
    {
        sample(self, point)
    }

    /// Does the same as [`Field::sample`] for many points, eight at a time, with the same bits.
    /// Overwrites `out` and reuses its memory.
    fn sample_batch(&self, points: &[Vec3], out: &mut Vec<Sample>)
    where
        Self: Sized,
    {
        sample_batch(self, points, out);
    }

    /// Returns the first point of a ray at which the interpolated distance is 0 or less, for
    /// parameters from 0 to `max_t`.
    ///
    /// A ray that goes deeper than [`Field::error_bound`] into the shape is a hit. The result
    /// includes the parameter up to which the ray is certainly free. A solid that reaches the
    /// border of the grid ends there. If the ray is not finite, or `max_t` is negative or NaN, the
    /// result is undecided.
    fn cast_ray(&self, ray: &Ray, max_t: f64) -> FieldRay
    where
        Self: Sized,
    {
        cast_ray(self, ray, max_t)
    }

    /// Returns the point of the surface closest to a point, by steps along the gradient.
    fn closest_point(&self, point: DVec3) -> ClosestSurfacePoint
    where
        Self: Sized,
    {
        closest_point(self, point)
    }

    /// Returns the deepest of several points, or the closest if all are outside: its index and its
    /// sample. The first of equal ones counts; `None` if there are no points. A point whose
    /// coordinates are not finite is infinitely far.
    ///
    /// For spheres pass the centers, and subtract the radius.
    fn deepest(&self, points: &[Vec3]) -> Option<(usize, Sample)>
    where
        Self: Sized,
    {
        deepest(self, points)
    }

    /// Returns the deepest point in the field of a convex shape at a pose. It is found step by
    /// step along the gradient.
    fn deepest_of_shape(&self, shape: &impl SupportMap, pose: &Pose) -> DeepestPoint
    where
        Self: Sized,
    {
        deepest_of_shape(self, shape, &pose.wide())
    }

    /// Returns the union of two shapes. The fields have one grid and one band; both are signed, or
    /// neither.
    ///
    /// The values are bounds inside, and distances outside; see [`Accuracy::Bound`].
    fn union(&self, other: &Self) -> Result<Self, SdfError>
    where
        Self: Sized,
    {
        let header = combine::union_header(self.header(), other.header())?;
        Ok(self.combined(other, header, |a, b| a.min(b)))
    }

    /// Returns the intersection of two shapes. The fields have one grid and one band, and are
    /// signed.
    ///
    /// The values are distances inside, and bounds outside.
    fn intersection(&self, other: &Self) -> Result<Self, SdfError>
    where
        Self: Sized,
    {
        let header = combine::intersection_header(self.header(), other.header())?;
        Ok(self.combined(other, header, |a, b| a.max(b)))
    }

    /// Returns this shape minus the other one. The fields have one grid and one band, and are
    /// signed.
    ///
    /// The values are distances inside, and bounds outside.
    fn difference(&self, other: &Self) -> Result<Self, SdfError>
    where
        Self: Sized,
    {
        let header = combine::intersection_header(self.header(), other.header())?;
        Ok(self.combined(other, header, |a, b| a.max(-b)))
    }

    /// Returns the field whose surface is at the distance `offset`, a length: a larger shape if it
    /// is positive. The band shrinks by it, and must keep two cells. An unsigned field becomes that
    /// of a shell.
    ///
    /// Refused if the surface may leave the grid. A padding of one cell more than the offset is
    /// enough.
    fn offset(&self, offset: f32) -> Result<Self, SdfError>
    where
        Self: Sized,
    {
        let header = combine::offset_header(self, offset)?;
        let (old, new) = (self.band(), header.band);
        Ok(self.combined(self, header, |value, _| combine::offset_value(value, offset, old, new)))
    }

    /// Returns certain bounds of the distance at a point, from the values of the nodes around it.
    fn bounds(&self, point: DVec3) -> DistanceBounds
    where
        Self: Sized,
    {
        bounds(self, point)
    }

    /// Returns the largest error of a sample in the grid, a length: half the diagonal of a cell,
    /// plus rounding. It holds for values that the band does not cut, if the sign is certain and
    /// the values are distances. [`Field::bounds`] is tighter.
    fn error_bound(&self) -> f64 {
        let grid = self.grid();
        let cell = f64::from(grid.cell());
        let (min, max) = grid.wide_bounds();
        let farthest = min.abs().max(max.abs()).max_element();
        // Several roundings to `f32`: of the position, of the values and of their mean.
        let rounding = 16.0 * f64::from(f32::EPSILON) * (farthest + (max - min).length());
        0.5 * sqrt(3.0) * cell + rounding
    }
}

impl<T: Stored> Field for T {}
