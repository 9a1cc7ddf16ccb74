//! What of a mesh lies in a box, and the points whose hull contains it.
//!
//! A cell is a box, and in it convex polygons: the triangles cut by the cell's sides. Cuts run along the axes at numbers that `f32`
//! holds, and a cut point is stood for by the corners of a little box of `f32` points around it. The hull of these points
//! contains the triangles' parts; with the corners of the cell that lie inside a closed mesh it contains the solid's part as well,
//! because an extreme point of that is a corner of a polygon, or lies inside the solid and is then one of the cell.
//!
//! Reference: K. Mamou, Volumetric Hierarchical Approximate Convex Decomposition, Game Engine Gems 3, 2016 (planes along
//! the axes, judged by the volume of the hulls).
//! Differs: triangles are cut, not voxels, so that nothing is lost; the solid's inside is kept by a few points.

use crate::polygon;
use crate::surface::{Surface, Unit};
use alloc::vec::Vec;
use carom_geom::{ConvexHull, FlatHull, HullError, HullSettings};
use carom_math::{rounding, tol};
use glam::{DVec3, Vec3};

/// So many slabs each axis is cut into to find the best plane.
const N_SLABS: usize = 12;

/// Points of which the hull is meant, in the mesh's coordinates, and its volume at unit size.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cloud {
    pub(crate) points: Vec<Vec3>,
    pub(crate) volume: f64,
}

impl Cloud {
    /// The extreme points among these; no points give none.
    pub(crate) fn new(points: Vec<Vec3>, unit: Unit) -> Cloud {
        // Whatever stands out stays: so the hull of these is the hull of all.
        let settings = HullSettings::default().with_coplanar_tolerance(0.0);
        match ConvexHull::from_points_with(&points, &settings) {
            Ok(hull) => Cloud { points: hull.vertices().to_vec(), volume: volume(&hull, unit) },
            Err(HullError::Flat(FlatHull::Point(p))) => Cloud { points: Vec::from([p]), volume: 0.0 },
            Err(HullError::Flat(FlatHull::Segment(p, q))) => Cloud { points: Vec::from([p, q]), volume: 0.0 },
            Err(HullError::Flat(FlatHull::Polygon(ring))) => Cloud { points: ring, volume: 0.0 },
            // Empty; the coordinates were checked with the mesh.
            Err(_) => Cloud { points, volume: 0.0 },
        }
    }

    /// The extreme points of both; either may be none.
    pub(crate) fn joined(&self, other: &Cloud, unit: Unit) -> Cloud {
        if other.points.is_empty() {
            return self.clone();
        }
        if self.points.is_empty() {
            return other.clone();
        }
        Cloud::new(self.points.iter().chain(&other.points).copied().collect(), unit)
    }

    /// A lower bound of the distance of two, from their boxes, at unit size.
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

/// The triangles of a hull's surface at unit size.
pub(crate) fn hull_triangles(hull: &ConvexHull, unit: Unit) -> Vec<[DVec3; 3]> {
    let place = |v: u32| unit.enter(hull.vertices()[v as usize]);
    (0..hull.n_faces() as u32)
        .flat_map(|face| {
            let ring = hull.face_vertices(face);
            ring[1..].windows(2).map(|pair| [place(ring[0]), place(pair[0]), place(pair[1])])
        })
        .collect()
}

fn volume(hull: &ConvexHull, unit: Unit) -> f64 {
    carom_geom::winding::signed_volume(hull_triangles(hull, unit)).max(0.0)
}

/// The part of a mesh in a box.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    low: DVec3,
    high: DVec3,
    polygons: Vec<Vec<DVec3>>,
    pub(crate) cloud: Cloud,
}

impl Cell {
    /// The whole mesh.
    pub(crate) fn whole(surface: &Surface, unit: Unit) -> Cell {
        let (low, high) = surface.bounds();
        let polygons: Vec<Vec<DVec3>> = surface.triangles().iter().map(|t| t.to_vec()).collect();
        let mut points = Vec::with_capacity(3 * polygons.len());
        for p in polygons.iter().flatten() {
            add_point(*p, low, high, unit, &mut points);
        }
        Cell { low, high, polygons, cloud: Cloud::new(points, unit) }
    }

    /// The two cells on both sides of the plane along an axis for which their hulls have the least volume together; `None` where the
    /// cell is a point or so small that `f32` has no plane through it. `is_solid`: the mesh is closed.
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
            let planes = planes(min[axis].max(self.low[axis]), max[axis].min(self.high[axis]), axis, unit);
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
            order.sort_by_key(|&i| (2 * i + 1).abs_diff(planes.len()));
            for i in order {
                let total = below[i].volume + above[i + 1].volume;
                let is_better = best.as_ref().is_none_or(|other| total < other.0 * tol::CUT_GAIN);
                if is_better && !below[i].points.is_empty() && !above[i + 1].points.is_empty() {
                    best = Some((total, axis, planes[i], below[i].clone(), above[i + 1].clone()));
                }
            }
        }
        let (_, axis, plane, cloud_below, cloud_above) = best?;
        let (mut below, mut above) = (Vec::new(), Vec::new());
        for polygon in &self.polygons {
            let (lower, upper) = split(polygon, axis, plane);
            below.extend((!lower.is_empty()).then_some(lower));
            above.extend((!upper.is_empty()).then_some(upper));
        }
        let (mut high, mut low) = (self.high, self.low);
        (high[axis], low[axis]) = (plane, plane);
        Some([
            Cell { low: self.low, high, polygons: below, cloud: cloud_below },
            Cell { low, high: self.high, polygons: above, cloud: cloud_above },
        ])
    }

    /// What lies between neighbouring planes, as points.
    fn slabs(
        &self,
        axis: usize,
        planes: &[f64],
        surface: &Surface,
        unit: Unit,
        is_solid: bool,
    ) -> Vec<Cloud> {
        let mut points = alloc::vec![Vec::new(); planes.len() + 1];
        for polygon in &self.polygons {
            let mut rest = polygon.clone();
            for (slab, out) in points.iter_mut().enumerate() {
                let part = match planes.get(slab) {
                    Some(&plane) => {
                        let (lower, upper) = split(&rest, axis, plane);
                        rest = upper;
                        lower
                    }
                    None => core::mem::take(&mut rest),
                };
                let (mut low, mut high) = (self.low, self.high);
                if let Some(&plane) = planes.get(slab) {
                    high[axis] = plane;
                }
                if 0 < slab {
                    low[axis] = planes[slab - 1];
                }
                for &p in &part {
                    add_point(p, low, high, unit, out);
                }
                if rest.is_empty() {
                    break;
                }
            }
        }
        if is_solid {
            self.add_corners(axis, planes, surface, unit, &mut points);
        }
        points.into_iter().map(|points| Cloud::new(points, unit)).collect()
    }

    /// Corners of the slabs that are inside the solid.
    fn add_corners(
        &self,
        axis: usize,
        planes: &[f64],
        surface: &Surface,
        unit: Unit,
        points: &mut [Vec<Vec3>],
    ) {
        let heights: Vec<f64> =
            core::iter::once(self.low[axis]).chain(planes.iter().copied()).chain([self.high[axis]]).collect();
        for (i, &height) in heights.iter().enumerate() {
            for corner in 0..4 {
                let mut p = DVec3::splat(height);
                for (bit, other) in [(axis + 1) % 3, (axis + 2) % 3].into_iter().enumerate() {
                    p[other] = if corner >> bit & 1 == 0 { self.low[other] } else { self.high[other] };
                }
                // A corner on the surface is one of a polygon, if it belongs to what is on this side.
                if !surface.contains_strictly(p) {
                    continue;
                }
                for slab in i.saturating_sub(1)..=i {
                    if let Some(out) = points.get_mut(slab) {
                        add_point(p, self.low, self.high, unit, out);
                    }
                }
            }
        }
    }
}

/// The parts of a polygon below and above a plane across an axis.
fn split(polygon: &[DVec3], axis: usize, plane: f64) -> (Vec<DVec3>, Vec<DVec3>) {
    polygon::split(polygon, |p| p[axis] - plane, |p| p[axis] = plane)
}

/// Planes strictly between two coordinates, which `f32` holds, in order.
fn planes(low: f64, high: f64, axis: usize, unit: Unit) -> Vec<f64> {
    let mut planes = Vec::with_capacity(N_SLABS);
    for i in 1..N_SLABS {
        let place = low + (high - low) * (i as f64 / N_SLABS as f64);
        let Some(place) = unit.leave(DVec3::splat(place)) else { continue };
        let place = unit.enter(place)[axis];
        if low < place && place < high && planes.last().is_none_or(|last| *last < place) {
            planes.push(place);
        }
    }
    planes
}

/// `f32` points around a point of a cell, itself if `f32` holds it: its coordinates on the cell's sides are exact, the others
/// have been rounded.
fn add_point(p: DVec3, low: DVec3, high: DVec3, unit: Unit, out: &mut Vec<Vec3>) {
    if let Some(same) = unit.leave(p)
        && unit.enter(same) == p
    {
        out.push(same);
        return;
    }
    let mut ends = [Vec3::ZERO; 2];
    for axis in 0..3 {
        let slack = if p[axis] == low[axis] || p[axis] == high[axis] { 0.0 } else { tol::CUT_ROUNDING };
        ends[0][axis] = rounding::down(unit.leave_length(p[axis] - slack));
        ends[1][axis] = rounding::up(unit.leave_length(p[axis] + slack));
    }
    for corner in 0..8_usize {
        let [x, y, z] = [0, 1, 2].map(|axis| corner >> axis & 1);
        // A coordinate without slack has one end.
        if (0..3).all(|axis| corner >> axis & 1 == 0 || ends[0][axis] != ends[1][axis]) {
            out.push(Vec3::new(ends[x].x, ends[y].y, ends[z].z));
        }
    }
}
