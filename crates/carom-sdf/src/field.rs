//! What all fields answer, dense or sparse.
//!
//! Reference: M. Jones, J. Baerentzen, M. Sramek, 3D Distance Fields: A Survey of Techniques and
//! Applications, IEEE TVCG 12(4), 2006.

use crate::bake::{Accuracy, Header};
use crate::bounds::{DistanceBounds, bounds};
use crate::combine;
use crate::error::SdfError;
use crate::grid::Grid;
use crate::project::{ClosestSurfacePoint, closest_point, deepest};
use crate::ray::{FieldRay, cast_ray};
use crate::sample::{Sample, sample, sample_batch};
use crate::shape::{DeepestPoint, deepest_of_shape};
use crate::sign::SignMethod;
use alloc::vec::Vec;
use carom_geom::SupportMap;
use carom_lanes::Simd;
use carom_math::ops::sqrt;
use carom_math::{Pose, Ray};
use glam::{DVec3, UVec3, Vec3};

/// How the values of a field are stored.
pub trait Stored: Sync {
    /// All but the values.
    fn header(&self) -> &Header;

    /// The numbers that cells are read from.
    fn table(&self) -> &[f32];

    /// From the number of a node to the next one along y, and along z, within a cell.
    fn strides(&self) -> [u32; 2];

    /// The number of the lowest node of a cell.
    fn place(&self, cell: UVec3) -> usize;

    /// The value that all nodes of a block share, if that is known without reading them.
    fn far_value(&self, block: UVec3) -> Option<f32> {
        let _ = block;
        None
    }

    /// A field of the same grid, whose values come from those of two fields at the same node.
    fn combined(&self, other: &Self, header: Header, value: impl Fn(f32, f32) -> f32) -> Self
    where
        Self: Sized;

    /// [`Stored::place`] of eight cells.
    fn places<S: Simd>(&self, simd: S, cell: [S::U32x8; 3]) -> S::U32x8;
}

/// A signed distance field: what [`SdfGrid`](crate::SdfGrid) and [`SparseSdf`](crate::SparseSdf)
/// answer alike.
///
/// Points are in the frame of the mesh, and lengths in its unit.
pub trait Field: Stored {
    /// Where the nodes are.
    fn grid(&self) -> &Grid {
        &self.header().grid
    }

    /// Up to this distance from the surface values are distances; a length, infinite if all are.
    fn band(&self) -> f32 {
        self.header().band
    }

    /// How inside and outside were found.
    fn sign_method(&self) -> SignMethod {
        self.header().sign
    }

    /// What the values at nodes are.
    fn accuracy(&self) -> Accuracy {
        self.header().accuracy
    }

    /// The values at the eight corners of a cell: x changes first, then y, then z. Panics past the
    /// last cell, as a slice does.
    #[inline]
    fn corners(&self, cell: UVec3) -> [f32; 8] {
        let (first, table) = (self.place(cell), self.table());
        let [y, z] = self.strides().map(|stride| stride as usize);
        [0, 1, y, y + 1, z, z + 1, z + y, z + y + 1].map(|offset| table[first + offset])
    }

    /// The distance at a point and in which direction it grows, interpolated between the nodes
    /// around the point.
    ///
    /// In the grid the value is off by at most [`Field::error_bound`], and by what the band cuts.
    /// Outside of it the distance to the grid is added to the value at its border. A point with a
    /// coordinate that is NaN or infinite is infinitely far.
    fn sample(&self, point: Vec3) -> Sample
    where
        Self: Sized,
    {
        sample(self, point)
    }

    /// [`Field::sample`] of many points: the same bits, eight at a time. What was in `out` is gone;
    /// only its memory grows.
    fn sample_batch(&self, points: &[Vec3], out: &mut Vec<Sample>)
    where
        Self: Sized,
    {
        sample_batch(self, points, out);
    }

    /// The first point of a ray at which the interpolated distance is 0 or less, for parameters
    /// from 0 to `max_t`.
    ///
    /// A ray that goes deeper than [`Field::error_bound`] into the shape is a hit. The result says
    /// up to where the ray is certainly free.
    fn cast_ray(&self, ray: &Ray, max_t: f64) -> FieldRay
    where
        Self: Sized,
    {
        cast_ray(self, ray, max_t)
    }

    /// The point of the surface closest to a point, by steps along the gradient.
    fn closest_point(&self, point: DVec3) -> ClosestSurfacePoint
    where
        Self: Sized,
    {
        closest_point(self, point)
    }

    /// Of several points the deepest, or the closest if all are outside: its place in the list and
    /// its sample. The first one of equals; `None` of no points. A point whose coordinates are not
    /// finite is infinitely far.
    ///
    /// For a sphere take its center, and subtract the radius.
    fn deepest(&self, points: &[Vec3]) -> Option<(usize, Sample)>
    where
        Self: Sized,
    {
        deepest(self, points)
    }

    /// The deepest point of a convex shape that the pose places in the field, found step by step
    /// along the gradient.
    fn deepest_of_shape(&self, shape: &impl SupportMap, pose: &Pose) -> DeepestPoint
    where
        Self: Sized,
    {
        deepest_of_shape(self, shape, &pose.wide())
    }

    /// What is in one of the shapes. The fields have one grid and one band; both are signed, or
    /// neither.
    ///
    /// The values are bounds inside, and distances outside; see [`Accuracy::Bound`].
    fn union(&self, other: &Self) -> Result<Self, SdfError>
    where
        Self: Sized,
    {
        let header = combine::united(self.header(), other.header())?;
        Ok(self.combined(other, header, |a, b| a.min(b)))
    }

    /// What is in both shapes. The fields have one grid and one band, and are signed.
    ///
    /// The values are distances inside, and bounds outside.
    fn intersection(&self, other: &Self) -> Result<Self, SdfError>
    where
        Self: Sized,
    {
        let header = combine::cut(self.header(), other.header())?;
        Ok(self.combined(other, header, |a, b| a.max(b)))
    }

    /// What is in this shape and not in the other one. The fields have one grid and one band, and
    /// are signed.
    fn difference(&self, other: &Self) -> Result<Self, SdfError>
    where
        Self: Sized,
    {
        let header = combine::cut(self.header(), other.header())?;
        Ok(self.combined(other, header, |a, b| a.max(-b)))
    }

    /// The field whose surface is where the distance is `offset`, a length: larger if it is
    /// positive. The band becomes shorter by it, and has to keep two cells. A field without a sign
    /// becomes that of a shell.
    fn offset(&self, offset: f32) -> Result<Self, SdfError>
    where
        Self: Sized,
    {
        let header = combine::moved(self.header(), offset)?;
        let (old, new) = (self.band(), header.band);
        Ok(self.combined(self, header, |value, _| combine::offset_value(value, offset, old, new)))
    }

    /// What the distance at a point certainly is, from the values of the nodes around it.
    fn bounds(&self, point: DVec3) -> DistanceBounds
    where
        Self: Sized,
    {
        bounds(self, point)
    }

    /// How far a sample in the grid may be off, a length: half the diagonal of a cell, and what
    /// rounding adds. It holds for values that the band does not cut, if the sign is certain and
    /// the values are distances. [`Field::bounds`] is sharper.
    fn error_bound(&self) -> f64 {
        let grid = self.grid();
        let cell = f64::from(grid.cell());
        let (min, max) = grid.wide_bounds();
        let farthest = min.abs().max(max.abs()).max_element();
        // Some roundings to `f32`: of the place, of the values and of their mean.
        let rounding = 16.0 * f64::from(f32::EPSILON) * (farthest + (max - min).length());
        0.5 * sqrt(3.0) * cell + rounding
    }
}

impl<T: Stored> Field for T {}
