//! The part of a mesh in a box, and points whose hull contains it.
//!
//! - Cells are boxes that tile the box around the mesh. They are cut by planes across an axis, at
//!   coordinates that `f32` represents.
//! - The points of a cell are the corners of its triangles, clipped to the box, and the full
//!   corners of the box. A corner of the box is full if the solid fills the box near the corner.
//! - Exact signs decide each corner. A coordinate that `f32` does not represent is replaced by the
//!   two `f32` numbers beside it. So the hull of the `f32` points contains the true corner.
//!
//! The hull of the points contains the solid's part in the box. Proof: let C be the closure of
//! the solid's inside in the open box, and p an extreme point of C.
//! - If no triangle that reaches into the open box contains p, the box is full near p. So p can
//!   only be extreme if it is a corner of the box.
//! - If such a triangle contains p, the triangle separates inside from outside. So the part of it
//!   in the box belongs to C, and p is a corner of that part.
//!
//! Degenerate case: a triangle in the plane of a cut reaches into neither open box. It is given to
//! the cell with the solid behind the triangle. So a surface that encloses nothing is covered too.
//!
//! Reference: K. Mamou, Volumetric Hierarchical Approximate Convex Decomposition, Game Engine Gems
//! 3, 2016 (planes along the axes, judged by the volume of the hulls).
//! Differs: triangles are cut, not voxels, so that nothing is lost; the solid's inside is kept by
//! a few points.

use crate::surface::{Surface, Unit};
use alloc::vec::Vec;
use carom_geom::{FlatHull, HullError, HullSurface};
use carom_math::exact_number::ExactVec3;
use carom_math::predicates::{orient2d, orient2d_along, orient3d};
use carom_math::{rounding, tol};
use glam::{DVec2, DVec3, Vec3};

/// The number of slabs of equal thickness along an axis. The planes between them are tried as
/// cuts.
const N_SLABS: usize = 12;

/// The maximum number of planes of faces that are tried on each axis, beside those between slabs.
const MAX_FACE_PLANES: usize = 12;

/// The extreme points of a part, in the mesh's coordinates, and the volume of their hull at unit
/// size (see `surface.rs`).
#[derive(Clone, Debug, Default)]
pub(crate) struct Cloud {
    pub(crate) points: Vec<Vec3>,
    pub(crate) volume: f64,
}

impl Cloud {
    /// The extreme points among these; none for an empty list.
    pub(crate) fn new(points: Vec<Vec3>, unit: Unit) -> Cloud {
        match HullSurface::from_points(&points) {
            Ok(HullSurface { vertices, triangles, .. }) => {
                let corners = triangles.iter().map(|t| t.map(|v| unit.enter(vertices[v as usize])));
                let volume = carom_geom::winding::signed_volume(corners).max(0.0);
                Cloud { points: vertices, volume }
            }
            Err(HullError::Flat(FlatHull::Point(p))) => Cloud { points: Vec::from([p]), volume: 0.0 },
            Err(HullError::Flat(FlatHull::Segment(p, q))) => Cloud { points: Vec::from([p, q]), volume: 0.0 },
            Err(HullError::Flat(FlatHull::Polygon(ring))) => Cloud { points: ring, volume: 0.0 },
            // Empty; the coordinates were checked with the mesh.
            Err(_) => Cloud { points, volume: 0.0 },
        }
    }

    /// The extreme points of both clouds together; either may be empty.
    pub(crate) fn joined(&self, other: &Cloud, unit: Unit) -> Cloud {
        if other.points.is_empty() {
            return self.clone();
        }
        if self.points.is_empty() {
            return other.clone();
        }
        Cloud::new(self.points.iter().chain(&other.points).copied().collect(), unit)
    }

    /// A lower bound of the distance between two clouds, by the boxes around them, at unit size.
    pub(crate) fn gap(&self, other: &Cloud, unit: Unit) -> f64 {
        let bounds = |cloud: &Cloud| {
            let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            cloud
                .points
                .iter()
                .map(|&p| unit.enter(p))
                .fold(start, |(low, high), p| (low.min(p), high.max(p)))
        };
        let ((low_a, high_a), (low_b, high_b)) = (bounds(self), bounds(other));
        (low_a - high_b).max(low_b - high_a).max_element().max(0.0)
    }
}

/// A closed box, at unit size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Region {
    pub(crate) low: DVec3,
    pub(crate) high: DVec3,
}

impl Region {
    /// The parts below and above a plane across an axis.
    fn split(self, axis: usize, plane: f64) -> [Region; 2] {
        let (mut below, mut above) = (self, self);
        (below.high[axis], above.low[axis]) = (plane, plane);
        [below, above]
    }
}

/// The part of a mesh in a box.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) region: Region,
    /// The triangles that reach into the open box, and those in a side of it that were given to
    /// this cell.
    triangles: Vec<u32>,
    pub(crate) cloud: Cloud,
}

impl Cell {
    /// The whole mesh.
    pub(crate) fn whole(surface: &Surface, unit: Unit) -> Cell {
        let (low, high) = surface.bounds();
        let corners = surface.triangles().iter().flatten();
        let points = corners.filter_map(|p| unit.leave(*p)).collect();
        Cell {
            region: Region { low, high },
            triangles: (0..surface.triangles().len() as u32).collect(),
            cloud: Cloud::new(points, unit),
        }
    }

    /// Cuts the cell at the best plane across an axis: that for which the hulls of both cells have
    /// the least total volume. `None` if the cell is a point, or so small that no `f32` plane
    /// passes through it. `is_solid` says whether the mesh is closed.
    pub(crate) fn cut(&self, surface: &Surface, unit: Unit, is_solid: bool) -> Option<[Cell; 2]> {
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for p in self.cloud.points.iter().map(|&p| unit.enter(p)) {
            (min, max) = (min.min(p), max.max(p));
        }
        let extent = max - min;
        // The longest axis first: it wins ties, as do planes near the middle.
        let mut axes = [0, 1, 2];
        axes.sort_by(|&i, &k| extent[k].total_cmp(&extent[i]));
        let mut best: Option<(f64, usize, f64, Cloud, Cloud)> = None;
        for axis in axes {
            let Region { low, high } = self.region;
            let ends = (min[axis].max(low[axis]), max[axis].min(high[axis]));
            let (planes, of_faces) = self.planes(ends, axis, surface, unit);
            let slabs = self.slabs(axis, &planes, surface, unit, is_solid);
            let mut above = Vec::with_capacity(slabs.len());
            let mut all = Cloud::default();
            for slab in slabs.iter().rev() {
                all = slab.joined(&all, unit);
                above.push(all.clone());
            }
            above.reverse();
            let mut below = Vec::with_capacity(slabs.len());
            let mut all = Cloud::default();
            for slab in &slabs {
                all = slab.joined(&all, unit);
                below.push(all.clone());
            }
            let mut order: Vec<usize> = (0..planes.len()).collect();
            // A window is inside a hull until cuts run along all of its sides, so a cut along one
            // side may gain little volume. Planes of faces are therefore tried first, and win if
            // volumes are about equal.
            order.sort_by_key(|&i| (!of_faces.contains(&planes[i]), (2 * i + 1).abs_diff(planes.len())));
            for i in order {
                let total = below[i].volume + above[i + 1].volume;
                let is_better = best.as_ref().is_none_or(|other| total < other.0 * tol::CUT_GAIN);
                if is_better && !below[i].points.is_empty() && !above[i + 1].points.is_empty() {
                    best = Some((total, axis, planes[i], below[i].clone(), above[i + 1].clone()));
                }
            }
        }
        let (_, axis, plane, cloud_below, cloud_above) = best?;
        let [below, above] = self.region.split(axis, plane);
        let mut triangles = [Vec::new(), Vec::new()];
        for &number in &self.triangles {
            let t = surface.triangle(number);
            let (least, most) = ends(t, axis);
            let is_above = least == most && least == plane && self.is_above(t, axis, surface, unit, is_solid);
            if least < plane || (most == plane && !is_above) {
                triangles[0].push(number);
            }
            if plane < most || is_above {
                triangles[1].push(number);
            }
        }
        let [in_below, in_above] = triangles;
        Some([
            Cell { region: below, triangles: in_below, cloud: cloud_below },
            Cell { region: above, triangles: in_above, cloud: cloud_above },
        ])
    }

    /// Returns planes across an axis strictly between two coordinates, in ascending order, at
    /// numbers that `f32` represents. They are those between slabs, and those of the largest faces
    /// across the axis. The second list has the planes of faces alone.
    fn planes(
        &self,
        (low, high): (f64, f64),
        axis: usize,
        surface: &Surface,
        unit: Unit,
    ) -> (Vec<f64>, Vec<f64>) {
        let mut planes = Vec::with_capacity(N_SLABS + MAX_FACE_PLANES);
        for i in 1..N_SLABS {
            let coordinate = low + (high - low) * (i as f64 / N_SLABS as f64);
            if let Some(position) = unit.leave(DVec3::splat(coordinate)) {
                planes.push(unit.enter(position)[axis]);
            }
        }
        // `f32` represents these planes, because the corners of the mesh are `f32` points.
        let mut faces: Vec<(f64, f64)> = Vec::new();
        for &number in &self.triangles {
            let t = surface.triangle(number);
            let (least, most) = ends(t, axis);
            if least == most && low < least && least < high {
                faces.push((least, (t[1] - t[0]).cross(t[2] - t[0]).length()));
            }
        }
        faces.sort_by(|p, q| p.0.total_cmp(&q.0));
        let mut areas: Vec<(f64, f64)> = faces
            .chunk_by(|p, q| p.0 == q.0)
            .map(|same| (same[0].0, same.iter().map(|face| face.1).sum()))
            .collect();
        areas.sort_by(|p, q| q.1.total_cmp(&p.1).then(p.0.total_cmp(&q.0)));
        let of_faces: Vec<f64> = areas.iter().take(MAX_FACE_PLANES).map(|face| face.0).collect();
        planes.extend(&of_faces);
        planes.retain(|coordinate| low < *coordinate && *coordinate < high);
        planes.sort_by(f64::total_cmp);
        planes.dedup();
        (planes, of_faces)
    }

    /// Returns the clouds of the parts between adjacent planes.
    fn slabs(
        &self,
        axis: usize,
        planes: &[f64],
        surface: &Surface,
        unit: Unit,
        is_solid: bool,
    ) -> Vec<Cloud> {
        let Region { low, high } = self.region;
        let heights: Vec<f64> =
            [low[axis]].into_iter().chain(planes.iter().copied()).chain([high[axis]]).collect();
        let regions: Vec<Region> = heights
            .windows(2)
            .map(|pair| {
                let (mut low, mut high) = (low, high);
                (low[axis], high[axis]) = (pair[0], pair[1]);
                Region { low, high }
            })
            .collect();
        let mut points = alloc::vec![Vec::new(); regions.len()];
        let mut corners = Vec::new();
        for &number in &self.triangles {
            let t = surface.triangle(number);
            let (least, most) = ends(t, axis);
            // From the first slab that ends above the triangle's lowest corner, to the last slab
            // that begins below its highest corner.
            let mut first = planes.partition_point(|plane| *plane <= least);
            let mut last = planes.partition_point(|plane| *plane < most);
            if least == most && last < first {
                // The triangle lies in a plane.
                let is_above = self.is_above(t, axis, surface, unit, is_solid);
                (first, last) = if is_above { (first, first) } else { (last, last) };
            }
            for slab in first..=last {
                part_corners(t, &regions[slab], unit, &mut corners);
                for corner in corners.drain(..) {
                    corner.add_points(&regions[slab], unit, &mut points[slab]);
                }
            }
        }
        if is_solid {
            for (region, out) in regions.iter().zip(&mut points) {
                add_full_corners(region, surface, unit, out);
            }
        }
        points.into_iter().map(|points| Cloud::new(points, unit)).collect()
    }

    /// Whether a triangle in a plane across an axis is given to the cell above the plane, not to
    /// the cell below.
    ///
    /// Both are correct. The cell with the solid behind the triangle gets a smaller hull.
    fn is_above(&self, t: &[DVec3; 3], axis: usize, surface: &Surface, unit: Unit, is_solid: bool) -> bool {
        if !is_solid {
            // Without an inside, the solid is assumed to be behind the triangle.
            return orient2d_along(axis, t[0], t[1], t[2]) < 0.0;
        }
        let mut flat = self.region;
        (flat.low[axis], flat.high[axis]) = (t[0][axis], t[0][axis]);
        let mut corners = Vec::new();
        part_corners(t, &flat, unit, &mut corners);
        let sum = corners.iter().fold(DVec3::ZERO, |sum, corner| sum + corner.position);
        let mut middle = sum / corners.len().max(1) as f64;
        middle[axis] = t[0][axis];
        let contains = |is_up: bool| {
            let mut octant = [true; 3];
            octant[axis] = is_up;
            surface.contains_beside(middle, octant)
        };
        !contains(false) && contains(true)
    }
}

/// The least and the greatest coordinate of a triangle along an axis.
fn ends(t: &[DVec3; 3], axis: usize) -> (f64, f64) {
    let [a, b, c] = t.map(|p| p[axis]);
    (a.min(b).min(c), a.max(b).max(c))
}

/// A corner of a triangle clipped by a box, at unit size.
#[derive(Clone, Copy, Debug)]
struct Corner {
    position: DVec3,
    /// Whether each coordinate is exact, and a number of `f32`. Otherwise it is within
    /// [`tol::CUT_ROUNDING`] of the true one.
    is_exact: [bool; 3],
}

impl Corner {
    fn exact(position: DVec3) -> Corner {
        Corner { position, is_exact: [true; 3] }
    }

    /// Rounds a coordinate to the nearest `f32` number, if `is_true` proves that this number is
    /// the exact coordinate.
    fn settle(&mut self, axis: usize, unit: Unit, is_true: impl Fn(f64) -> bool) {
        let Some(near) = unit.leave(self.position) else { return };
        let near = unit.enter(near)[axis];
        if (near - self.position[axis]).abs() <= tol::CUT_ROUNDING && is_true(near) {
            self.position[axis] = near;
            self.is_exact[axis] = true;
        }
    }

    /// Appends `f32` points of the region whose hull contains the true corner.
    fn add_points(&self, region: &Region, unit: Unit, out: &mut Vec<Vec3>) {
        let mut ends = [Vec3::ZERO; 2];
        for axis in 0..3 {
            let x = self.position[axis];
            let slack = if self.is_exact[axis] { 0.0 } else { tol::CUT_ROUNDING };
            let [least, most] = [(x - slack).max(region.low[axis]), (x + slack).min(region.high[axis])];
            ends[0][axis] = rounding::down(unit.leave_length(least));
            ends[1][axis] = rounding::up(unit.leave_length(most));
        }
        for corner in 0..8_usize {
            let [x, y, z] = [0, 1, 2].map(|axis| corner >> axis & 1);
            // A coordinate whose two ends are equal gives one point, not two.
            if (0..3).all(|axis| corner >> axis & 1 == 0 || ends[0][axis] != ends[1][axis]) {
                out.push(Vec3::new(ends[x].x, ends[y].y, ends[z].z));
            }
        }
    }
}

/// Appends the corners of a triangle clipped by a region, and perhaps points within rounding of
/// the clipped part. Appends nothing if that part lies in a side of the region and the triangle
/// does not.
fn part_corners(t: &[DVec3; 3], region: &Region, unit: Unit, out: &mut Vec<Corner>) {
    let &Region { low, high } = region;
    let first = out.len();
    let is_in = |p: DVec3| low.cmple(p).all() && p.cmple(high).all();
    out.extend(t.iter().filter(|p| is_in(**p)).map(|p| Corner::exact(*p)));
    if out.len() - first < 3 {
        for axis in 0..3 {
            for plane in [low[axis], high[axis]] {
                for i in 0..3 {
                    add_crossing(t[i], t[(i + 1) % 3], axis, plane, region, unit, out);
                }
            }
            add_edge_hits(t, axis, region, unit, out);
        }
    }
    for axis in 0..3 {
        for side in [low[axis], high[axis]] {
            if out[first..].iter().all(|corner| corner.position[axis] == side)
                && ends(t, axis) != (side, side)
            {
                out.truncate(first);
            }
        }
    }
}

/// Appends the point in which an edge of a triangle crosses a plane across an axis, if that point
/// may lie in the region.
fn add_crossing(
    p: DVec3,
    q: DVec3,
    axis: usize,
    plane: f64,
    region: &Region,
    unit: Unit,
    out: &mut Vec<Corner>,
) {
    // The edge always runs upwards, so that both of its triangles get the same point.
    let (p, q) = if p[axis] < q[axis] { (p, q) } else { (q, p) };
    if !(p[axis] < plane && plane < q[axis]) {
        return;
    }
    let position = p + (q - p) * ((plane - p[axis]) / (q[axis] - p[axis]));
    let mut corner = Corner { position, is_exact: [false; 3] };
    (corner.position[axis], corner.is_exact[axis]) = (plane, true);
    for other in [(axis + 1) % 3, (axis + 2) % 3] {
        let projected = |x: f64, y: f64| DVec2::new(x, y);
        let (from, to) = (projected(p[axis], p[other]), projected(q[axis], q[other]));
        corner.settle(other, unit, |x| orient2d(from, to, projected(plane, x)) == 0.0);
        let slack = if corner.is_exact[other] { 0.0 } else { tol::CUT_ROUNDING };
        let x = corner.position[other];
        if x + slack < region.low[other] || region.high[other] < x - slack {
            return;
        }
    }
    out.push(corner);
}

/// Appends the points in which the edges of the region along an axis pass through a triangle.
fn add_edge_hits(t: &[DVec3; 3], axis: usize, region: &Region, unit: Unit, out: &mut Vec<Corner>) {
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let ((least_j, most_j), (least_k, most_k)) = (ends(t, j), ends(t, k));
    for y in [region.low[j], region.high[j]] {
        if y < least_j || most_j < y {
            continue;
        }
        for z in [region.low[k], region.high[k]] {
            if z < least_k || most_k < z {
                continue;
            }
            let (mut from, mut to) = (region.low, region.high);
            (from[j], from[k], to[j], to[k]) = (y, z, y, z);
            let sides = [0, 1, 2].map(|i| orient2d_along(axis, t[i], t[(i + 1) % 3], from));
            let is_past = sides.iter().any(|s| *s < 0.0) && sides.iter().any(|s| 0.0 < *s);
            let (at_from, at_to) = (orient3d(t[0], t[1], t[2], from), orient3d(t[0], t[1], t[2], to));
            // The edge of the region lies in the triangle's plane, or the triangle is seen
            // edge-on. Then the triangle's own edges cross the sides of the region.
            let is_along = (at_from == 0.0 && at_to == 0.0) || sides == [0.0; 3];
            if is_past || is_along || (0.0 < at_from && 0.0 < at_to) || (at_from < 0.0 && at_to < 0.0) {
                continue;
            }
            if at_from == 0.0 || at_to == 0.0 {
                out.push(Corner::exact(if at_from == 0.0 { from } else { to }));
                continue;
            }
            let normal = ExactVec3::difference(t[1], t[0]).cross(&ExactVec3::difference(t[2], t[0]));
            let height = normal.dot(&ExactVec3::difference(t[0], from));
            let speed = normal.dot(&ExactVec3::from(DVec3::AXES[axis]));
            let mut corner = Corner::exact(from);
            corner.is_exact[axis] = false;
            corner.position[axis] = (from[axis] + height.quotient(&speed)).clamp(from[axis], to[axis]);
            corner.settle(axis, unit, |x| {
                let mut position = from;
                position[axis] = x;
                orient3d(t[0], t[1], t[2], position) == 0.0
            });
            out.push(corner);
        }
    }
}

/// Appends the full corners of a region: those near which the solid fills it.
fn add_full_corners(region: &Region, surface: &Surface, unit: Unit, out: &mut Vec<Vec3>) {
    for corner in 0..8_usize {
        let mut position = region.low;
        // The octant that points from the corner into the region.
        let mut octant = [true; 3];
        for axis in 0..3 {
            if corner >> axis & 1 == 1 {
                (position[axis], octant[axis]) = (region.high[axis], false);
            }
        }
        if surface.contains_beside(position, octant) {
            Corner::exact(position).add_points(region, unit, out);
        }
    }
}
