//! Height fields: a grid of heights over the xz plane, with two triangles per cell, generated on
//! demand.
//!
//! A box query looks up its cells in the grid. A ray walks the grid in strips of cells, along the
//! axis on which it crosses more cells. In each strip it visits all cells that it may cross,
//! within a bound on the rounding, so none is skipped. Ray-triangle tests are exact, as for
//! meshes: no ray passes between two cells.
//!
//! Reference: F. K. Musgrave, Grid Tracing: Fast Ray Tracing for Height Fields, 1988; J.
//! Amanatides, A. Woo, A Fast Voxel Traversal Algorithm for Ray Tracing, 1987.
//! Differs: strips with conservative ends instead of a single line of cells.

use super::super::num::{Interval, Ray, Real, Vec3, narrow, real, wide, widen};
use super::{RayHit, Triangle};
use crate::normal::polygon_normal;
use crate::ray_mesh::line_touches;
use crate::{ShapeError, check};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_math::scaling::balanced;
use core::ops::Range;
use glam::DVec3;

/// A surface over a rectangle of the xz plane, centred on the y axis. Left-out cells are holes.
///
/// Sample (i, j) has its height as y. Its x is (i - (n_x - 1) / 2) * spacing_x, its z is (j -
/// (n_z - 1) / 2) * spacing_z. Cell (i, j) has the corners (i, j) to (i + 1, j + 1). A diagonal
/// divides it into two triangles that face upwards; the diagonal joins (i + 1, j) and (i, j + 1).
/// With c = j (n_x - 1) + i, triangle 2 c is the one at (i, j), and 2 c + 1 the other.
///
/// The surface is open: it has no inside and no mass.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub struct HeightField {
    n_x: u32,
    n_z: u32,
    spacing_x: Real,
    spacing_z: Real,
    heights: Vec<Real>,
    /// Numbers of the cells that are left out, ascending.
    holes: Vec<u32>,
    /// The least and the greatest height.
    #[cfg_attr(feature = "serde", serde(skip_serializing))]
    range: [Real; 2],
}

/// The data that serde reads, before they are checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Unchecked {
    n_x: u32,
    n_z: u32,
    spacing_x: Real,
    spacing_z: Real,
    heights: Vec<Real>,
    holes: Vec<u32>,
}

#[cfg(feature = "serde")]
impl TryFrom<Unchecked> for HeightField {
    type Error = HeightFieldError;

    fn try_from(read: Unchecked) -> Result<HeightField, HeightFieldError> {
        let spacing = [read.spacing_x, read.spacing_z];
        HeightField::new([read.n_x, read.n_z], spacing, read.heights)?.with_holes(&read.holes)
    }
}

/// Why a height field was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum HeightFieldError {
    /// Fewer than two samples along an axis: there is no cell.
    TooFew,
    /// More than [`HeightField::MAX_SIDE`] samples along an axis, or more triangles than a `u32`
    /// can number.
    TooMany,
    /// The number of heights is not n_x times n_z.
    Count {
        /// Number of heights given.
        given: usize,
    },
    /// The spacing is not a valid positive size.
    Spacing(ShapeError),
    /// The first height that is NaN, infinite or beyond
    /// [`MAX_LENGTH`](carom_math::tol::MAX_LENGTH).
    Height {
        /// Number of the sample: j n_x + i.
        sample: usize,
    },
    /// A hole that is no valid cell.
    Hole {
        /// The number given.
        cell: u32,
    },
}

impl core::fmt::Display for HeightFieldError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            HeightFieldError::TooFew => write!(f, "a height field needs two samples along each axis"),
            HeightFieldError::TooMany => write!(f, "the height field has too many samples"),
            HeightFieldError::Count { given } => write!(f, "{given} heights are not one for each sample"),
            HeightFieldError::Spacing(error) => error.fmt(f),
            HeightFieldError::Height { sample } => {
                write!(f, "height {sample} is NaN, infinite or too large")
            }
            HeightFieldError::Hole { cell } => write!(f, "hole {cell} is not a cell"),
        }
    }
}

impl core::error::Error for HeightFieldError {}

impl HeightField {
    /// Maximum number of samples along an axis. Below it neighbouring samples stay distinct, also
    /// in `f32`.
    pub const MAX_SIDE: u32 = 1 << 20;

    /// Creates a field without holes, from the numbers of samples along x and z, their spacing,
    /// and n_x n_z heights. Rows run along x. [`HeightFieldError`] lists what is refused.
    pub fn new(
        [n_x, n_z]: [u32; 2],
        [spacing_x, spacing_z]: [Real; 2],
        heights: Vec<Real>,
    ) -> Result<HeightField, HeightFieldError> {
        if n_x < 2 || n_z < 2 {
            return Err(HeightFieldError::TooFew);
        }
        let n_triangles = 2 * u64::from(n_x - 1) * u64::from(n_z - 1);
        if Self::MAX_SIDE < n_x.max(n_z) || u64::from(u32::MAX) < n_triangles {
            return Err(HeightFieldError::TooMany);
        }
        if heights.len() as u64 != u64::from(n_x) * u64::from(n_z) {
            return Err(HeightFieldError::Count { given: heights.len() });
        }
        for (what, spacing, n) in [("spacing_x", spacing_x, n_x), ("spacing_z", spacing_z, n_z)] {
            check::size(what, wide(spacing)).map_err(HeightFieldError::Spacing)?;
            check::size(what, wide(spacing) * f64::from(n)).map_err(HeightFieldError::Spacing)?;
            let value = wide(spacing);
            // Positions need all their digits, or they would coincide.
            let error = if value < wide(Real::MIN_POSITIVE) {
                ShapeError::TooSmall { what, value }
            } else if coordinate_of(n - 1, n, spacing).is_infinite() {
                ShapeError::TooLarge { what, value }
            } else {
                continue;
            };
            return Err(HeightFieldError::Spacing(error));
        }
        let is_bad = |h: &Real| check::point("height", DVec3::splat(wide(*h))).is_err();
        if let Some(sample) = heights.iter().position(is_bad) {
            return Err(HeightFieldError::Height { sample });
        }
        let range = heights
            .iter()
            .fold([Real::INFINITY, Real::NEG_INFINITY], |[low, high], &h| [low.min(h), high.max(h)]);
        Ok(HeightField { n_x, n_z, spacing_x, spacing_z, heights, holes: Vec::new(), range })
    }

    /// Returns the same field without these cells, given by number in any order.
    pub fn with_holes(mut self, cells: &[u32]) -> Result<HeightField, HeightFieldError> {
        if let Some(&cell) = cells.iter().find(|&&cell| self.n_cells() <= cell) {
            return Err(HeightFieldError::Hole { cell });
        }
        self.holes.extend_from_slice(cells);
        self.holes.sort_unstable();
        self.holes.dedup();
        Ok(self)
    }

    /// Returns the numbers of samples along x and along z.
    #[inline]
    pub fn n_samples(&self) -> [u32; 2] {
        [self.n_x, self.n_z]
    }

    /// Returns the distances of neighbouring samples along x and along z.
    #[inline]
    pub fn spacing(&self) -> [Real; 2] {
        [self.spacing_x, self.spacing_z]
    }

    /// Returns the heights; rows run along x.
    #[inline]
    pub fn heights(&self) -> &[Real] {
        &self.heights
    }

    /// Returns the numbers of the left-out cells, ascending.
    #[inline]
    pub fn holes(&self) -> &[u32] {
        &self.holes
    }

    /// Returns the number of cells, holes included.
    #[inline]
    pub fn n_cells(&self) -> u32 {
        (self.n_x - 1) * (self.n_z - 1)
    }

    /// Whether the cell is left out.
    #[inline]
    pub fn is_hole(&self, cell: u32) -> bool {
        self.holes.binary_search(&cell).is_ok()
    }

    /// Returns the position of a sample. Panics past the last sample, as a slice does.
    #[inline]
    pub fn sample(&self, i: u32, j: u32) -> Vec3 {
        Vec3::new(self.x(i), self.heights[(j * self.n_x + i) as usize], self.z(j))
    }

    /// Returns the corners of a triangle, counter-clockwise seen from above. Panics past the last
    /// cell, as a slice does.
    pub fn points(&self, triangle: u32) -> [Vec3; 3] {
        let cell = triangle / 2;
        let (i, j) = (cell % (self.n_x - 1), cell / (self.n_x - 1));
        if triangle.is_multiple_of(2) {
            [self.sample(i, j), self.sample(i, j + 1), self.sample(i + 1, j)]
        } else {
            [self.sample(i + 1, j + 1), self.sample(i + 1, j), self.sample(i, j + 1)]
        }
    }

    /// Returns a triangle as a shape. Panics past the last cell, as a slice does.
    #[inline]
    pub fn triangle(&self, triangle: u32) -> Triangle {
        let [a, b, c] = self.points(triangle);
        Triangle::new_unchecked(a, b, c)
    }

    /// Returns the corners of a triangle, widened without rounding. Panics past the last cell, as a
    /// slice does.
    #[inline]
    pub fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.points(triangle).map(widen)
    }

    /// Returns the numbers of all triangles, ascending, without those of holes.
    pub fn triangles(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.n_cells()).filter(|&cell| !self.is_hole(cell)).flat_map(|cell| [2 * cell, 2 * cell + 1])
    }

    /// Returns vertices and triangles for a mesh: all samples, and the triangles of
    /// [`HeightField::triangles`].
    pub fn to_indexed(&self) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let vertices = (0..self.n_z).flat_map(|j| (0..self.n_x).map(move |i| self.sample(i, j))).collect();
        let corners = |triangle: u32| {
            let cell = triangle / 2;
            let here = cell / (self.n_x - 1) * self.n_x + cell % (self.n_x - 1);
            let (right, above) = (here + 1, here + self.n_x);
            if triangle.is_multiple_of(2) { [here, above, right] } else { [above + 1, right, above] }
        };
        (vertices, self.triangles().map(corners).collect())
    }

    /// Returns the box around the whole field, holes included.
    pub fn aabb(&self) -> Aabb {
        let [low, high] = self.range;
        let min = Vec3::new(self.x(0), low, self.z(0));
        Aabb::around(widen(min), widen(Vec3::new(-min.x, high, -min.z)))
    }

    /// Returns the cells whose own box touches the box from `min` to `max`, by number, row by row.
    /// Holes are left out.
    pub fn cells_in_box(&self, min: DVec3, max: DVec3) -> impl Iterator<Item = u32> + '_ {
        let columns = touched(self.n_x, |i| wide(self.x(i)), min.x, max.x);
        let rows = touched(self.n_z, |j| wide(self.z(j)), min.z, max.z);
        rows.flat_map(move |j| columns.clone().map(move |i| (i, j)))
            .filter(move |&(i, j)| self.is_level(i, j, min.y, max.y))
            .map(|(i, j)| j * (self.n_x - 1) + i)
            .filter(|&cell| !self.is_hole(cell))
    }

    /// Returns the first point in the interval where a ray, in the field's frame, touches the
    /// surface. Edges and corners are included, and whether the ray hits is exact. `part` is the
    /// triangle; the lowest number counts at equal t. A back face is hit from below. A ray in the
    /// plane of a triangle hits its neighbours.
    pub fn cast_ray(&self, ray: &Ray, interval: Interval) -> Option<RayHit> {
        self.line_cast(widen(ray.origin), widen(ray.direction), interval)
    }

    /// [`HeightField::cast_ray`] for a ray in `f64`, such as one transformed to the field's frame
    /// by a pose.
    pub fn line_cast(&self, origin: DVec3, direction: DVec3, interval: Interval) -> Option<RayHit> {
        let mut best: Option<(Real, u32, bool)> = None;
        self.visit_ray(origin, direction, interval, |t, triangle, is_back_face| {
            // Hits with equal t after rounding are ordered by number, as in the list of all hits.
            let t = real(t);
            if best.is_none_or(|(least, number, _)| t < least || (t == least && triangle < number)) {
                best = Some((t, triangle, is_back_face));
            }
            best.map_or(f64::INFINITY, |(least, ..)| wide(least.next_up()))
        });
        best.map(|(t, triangle, is_back_face)| self.hit(t, triangle, is_back_face))
    }

    /// Appends every point in the interval where a ray touches a triangle to `out`, in order of t,
    /// then of triangles. A ray through an edge touches both of its triangles.
    pub fn cast_ray_all(&self, ray: &Ray, interval: Interval, out: &mut Vec<RayHit>) {
        self.line_cast_all(widen(ray.origin), widen(ray.direction), interval, out);
    }

    /// [`HeightField::cast_ray_all`] for a ray in `f64`.
    pub fn line_cast_all(&self, origin: DVec3, direction: DVec3, interval: Interval, out: &mut Vec<RayHit>) {
        let mut found = Vec::new();
        self.visit_ray(origin, direction, interval, |t, triangle, is_back_face| {
            found.push((real(t), triangle, is_back_face));
            f64::INFINITY
        });
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        out.extend(found.iter().map(|&(t, triangle, is_back_face)| self.hit(t, triangle, is_back_face)));
    }

    fn hit(&self, t: Real, triangle: u32, is_back_face: bool) -> RayHit {
        let corners = self.corners(triangle);
        let normal = polygon_normal(3, |i| corners[i]).unwrap_or(DVec3::Y);
        RayHit::new(t, narrow(normal)).with_part(triangle).with_back_face(is_back_face)
    }

    /// Visits the triangles that the ray touches, with t, in no order. Visits at least all up to
    /// the t that `hit` returns.
    fn visit_ray(
        &self,
        origin: DVec3,
        direction: DVec3,
        interval: Interval,
        mut hit: impl FnMut(f64, u32, bool) -> f64,
    ) {
        let (min, mut max) = (wide(interval.min), wide(interval.max));
        if !(origin.is_finite() && direction.is_finite() && min <= max) {
            return;
        }
        let d = balanced(direction);
        // Along the axis on which more cells are crossed, so that a strip across it has few.
        let is_steep = d.z.abs() * wide(self.spacing_x) <= d.x.abs() * wide(self.spacing_z);
        let (main, cross) = if d.z == 0.0 || (d.x != 0.0 && is_steep) { (0, 2) } else { (2, 0) };
        let coordinate_of = |axis: usize, number: u32| {
            if axis == 0 { wide(self.x(number)) } else { wide(self.z(number)) }
        };
        let n_on = |axis: usize| if axis == 0 { self.n_x } else { self.n_z };
        // Range of the line on one axis while it is between two positions on another. It comes from
        // the ends, with a bound on their rounding: half a unit each for slope, difference, product
        // and sum.
        let range = |axis: usize, other: usize, from: f64, to: f64| {
            if d[axis] == 0.0 {
                return (origin[axis], origin[axis]);
            }
            let slope = d[axis] / d[other];
            let (a, b) = ((from - origin[other]) * slope, (to - origin[other]) * slope);
            let size = a.abs().max(b.abs()) + origin[axis].abs();
            let slack = size * (4.0 * f64::EPSILON) + f64::MIN_POSITIVE; // rounding, underflow
            (origin[axis] + a.min(b) - slack, origin[axis] + a.max(b) + slack)
        };
        let strips = {
            let [low, high] = self.range.map(wide);
            let (left, right) = range(main, 1, low, high);
            touched(n_on(main), |i| coordinate_of(main, i), left, right)
        };
        let n_strips = strips.len() as u32;
        for k in 0..n_strips {
            let strip = if d[main] < 0.0 { strips.end - 1 - k } else { strips.start + k };
            let (from, to) = (coordinate_of(main, strip), coordinate_of(main, strip + 1));
            if d[main] != 0.0 {
                // In lengths of the direction; each has two roundings.
                let (a, b) = ((from - origin[main]) / direction[main], (to - origin[main]) / direction[main]);
                let slack = |t: f64| t.abs() * (2.0 * f64::EPSILON) + f64::MIN_POSITIVE; // rounding, underflow
                let (enter, leave) = (a.min(b) - slack(a.min(b)), a.max(b) + slack(a.max(b)));
                if max < enter {
                    return;
                }
                if leave < min {
                    continue;
                }
            }
            let (left, right) = range(cross, main, from, to);
            let (low, high) = range(1, main, from, to);
            for number in touched(n_on(cross), |i| coordinate_of(cross, i), left, right) {
                let (i, j) = if main == 0 { (strip, number) } else { (number, strip) };
                let cell = j * (self.n_x - 1) + i;
                if !self.is_level(i, j, low, high) || self.is_hole(cell) {
                    continue;
                }
                for triangle in [2 * cell, 2 * cell + 1] {
                    let Some(touch) = line_touches(origin, direction, &self.corners(triangle)) else {
                        continue;
                    };
                    if min <= touch.t && touch.t <= max && real(touch.t).is_finite() {
                        max = max.min(hit(touch.t, triangle, touch.is_back_face));
                    }
                }
            }
        }
    }

    /// Whether the heights of a cell touch the interval; true if a bound is NaN.
    fn is_level(&self, i: u32, j: u32, low: f64, high: f64) -> bool {
        let at = (j * self.n_x + i) as usize;
        let (near, far) = (&self.heights[at..at + 2], &self.heights[at + self.n_x as usize..][..2]);
        let least = near[0].min(near[1]).min(far[0].min(far[1]));
        let most = near[0].max(near[1]).max(far[0].max(far[1]));
        !(wide(most) < low || high < wide(least))
    }

    #[inline]
    fn x(&self, i: u32) -> Real {
        coordinate_of(i, self.n_x, self.spacing_x)
    }

    #[inline]
    fn z(&self, j: u32) -> Real {
        coordinate_of(j, self.n_z, self.spacing_z)
    }
}

/// Returns the position of sample `number` of `n`, symmetric about zero to the bit.
#[inline]
fn coordinate_of(number: u32, n: u32, spacing: Real) -> Real {
    real((2.0 * f64::from(number) - f64::from(n - 1)) * (0.5 * wide(spacing)))
}

/// Returns the intervals between `n` ascending positions that touch the one from `low` to `high`;
/// all if a bound is NaN.
fn touched(n: u32, coordinate_of: impl Fn(u32) -> f64, low: f64, high: f64) -> Range<u32> {
    // The first whose upper end is not below, and the first whose lower end is above.
    let first = partition(n - 1, |i| coordinate_of(i + 1) < low);
    let last = partition(n - 1, |i| !(high < coordinate_of(i)));
    first..last.max(first)
}

/// Returns the first number below `n` for which the predicate is false, or `n`. The predicate is
/// true up to some number and false after it.
fn partition(n: u32, question: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = low + (high - low) / 2;
        if question(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
