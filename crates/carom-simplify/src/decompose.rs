//! Covers a concave mesh with a few convex hulls.
//!
//! - Split: the part whose hull deviates most from the mesh is cut in two. Candidates are planes
//!   across an axis. The plane that leaves the hulls the least volume is taken; among equal ones,
//!   planes of the mesh's own faces come first.
//! - Splitting stops if all hulls are near enough, or if there are twice as many as allowed.
//! - Merge: while there are too many parts, the pair whose common hull adds least volume is
//!   joined. Then parts whose common hull is still near enough are joined.
//! - The deviation of a hull is bounded by `reach.rs`. The inside of a closed mesh counts as
//!   distance 0.
//!
//! Reference: K. Mamou, F. Ghorbel, A Simple and Efficient Approach for 3D Mesh Approximate Convex
//! Decomposition, ICIP 2009; X. Wei, M. Liu, Z. Ling, H. Su, Approximate Convex Decomposition for
//! 3D Meshes with Collision-Aware Concavity and Tree Search, ACM TOG 41(4), 2022 (cutting the mesh
//! itself; concavity as a distance).
//! Differs: the concavity is a proven bound. The search looks one step ahead, not many. Vertices
//! are reduced by growing the hull, never by dropping points.

use crate::cell::{Cell, Cloud, Region};
use crate::full::is_surely_full;
use crate::reach::{Goal, reach};
use crate::simplify::outer_points;
use crate::surface::{Surface, Unit};
use crate::{DecomposeError, Progress, Stage};
use alloc::vec::Vec;
use carom_geom::{ConvexHull, HullError, HullSettings, HullSurface, TriMesh};
use carom_math::tol;
use core::ops::ControlFlow;
use glam::{DVec3, Vec3};

/// The limits of a decomposition.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DecomposeSettings {
    /// The maximum number of hulls; at least 1. The time grows with its square: the mesh is cut
    /// into up to twice as many parts, and the hull of each pair of them is built. Default: 32.
    pub max_hulls: usize,
    /// The wanted bound of each hull's distance from the mesh: a fraction of the diagonal of the
    /// box around the mesh, at least 0. If all hulls are within it, no more cuts are made.
    /// Default: 0.02.
    pub concavity: f64,
    /// The maximum number of vertices of a hull; at least 8. Default: 64.
    pub max_vertices: usize,
}

impl Default for DecomposeSettings {
    fn default() -> DecomposeSettings {
        DecomposeSettings { max_hulls: 32, concavity: 0.02, max_vertices: 64 }
    }
}

impl DecomposeSettings {
    /// Returns these settings with another number of hulls.
    #[must_use]
    pub fn with_max_hulls(self, max_hulls: usize) -> DecomposeSettings {
        DecomposeSettings { max_hulls, ..self }
    }

    /// Returns these settings with another concavity, a fraction of the mesh's diagonal.
    #[must_use]
    pub fn with_concavity(self, concavity: f64) -> DecomposeSettings {
        DecomposeSettings { concavity, ..self }
    }

    /// Returns these settings with another number of vertices.
    #[must_use]
    pub fn with_max_vertices(self, max_vertices: usize) -> DecomposeSettings {
        DecomposeSettings { max_vertices, ..self }
    }
}

/// A box, and the hull that contains the part of the mesh in it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CoverCell {
    /// Least coordinates.
    pub min: Vec3,
    /// Greatest coordinates.
    pub max: Vec3,
    /// The number of the hull.
    pub hull: usize,
}

/// Why a decomposition ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// Each hull is within the concavity of the settings.
    Concavity,
    /// The allowed number of hulls is too small for the concavity.
    MaxHulls,
    /// The concavity is not reached, though more hulls would be allowed. Parts are too small to be
    /// cut, or hulls are larger because of the limit on vertices or the thickness of flat parts.
    Resolution,
}

/// Hulls that cover a mesh.
///
/// The cells prove that nothing is left out. They tile the box around the mesh, and each names a
/// hull. That hull contains the mesh's part in the cell: the triangles and, if the mesh is closed,
/// the inside. So a point can be checked with one cell and one hull.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Decomposition {
    /// The hulls, at least one. Every triangle of the mesh lies in their union, and so does the
    /// inside of a closed mesh (test: `cover::generated_solids_are_covered`). This is exact for
    /// the stored vertices of the hulls; the planes of their faces are rounded.
    pub hulls: Vec<ConvexHull>,
    /// Boxes that overlap only in their sides. Their union is the box around the mesh.
    pub cells: Vec<CoverCell>,
    /// Why there are no more hulls.
    pub stop: Stop,
    /// For each hull, an upper bound, a length, of the distance of the points of its surface from
    /// the mesh. Points inside a closed mesh have distance 0.
    pub concavities: Vec<f64>,
    /// Whether the mesh is closed, whatever the orientation of its triangles. Then its inside is
    /// covered.
    pub is_solid: bool,
}

impl Decomposition {
    /// The largest of the concavities, a length.
    pub fn concavity(&self) -> f64 {
        self.concavities.iter().fold(0.0, |most, c| most.max(*c))
    }
}

/// Returns hulls that cover a mesh. The mesh may be open, flat, or intersect itself (test:
/// `decompose::any_soup_is_covered`). The same input gives the same hulls.
///
/// There may be fewer hulls than allowed. If the concavity of the settings is not reached,
/// [`Decomposition::stop`] has the reason, and [`Decomposition::concavities`] the bounds that were
/// reached. A mesh that is not closed is covered as a surface. A part without volume becomes a
/// very thin hull. Errors: see [`DecomposeError`].
pub fn decompose(mesh: &TriMesh, settings: &DecomposeSettings) -> Result<Decomposition, DecomposeError> {
    decompose_with(mesh, settings, &mut |_| ControlFlow::Continue(()))
}

/// [`decompose`] with a progress callback, which may cancel it: [`DecomposeError::Cancelled`].
pub fn decompose_with(
    mesh: &TriMesh,
    settings: &DecomposeSettings,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Decomposition, DecomposeError> {
    if settings.max_hulls == 0 {
        return Err(DecomposeError::NoHulls);
    }
    if settings.max_vertices < 8 {
        return Err(DecomposeError::TooFewVertices);
    }
    if !(0.0 <= settings.concavity) {
        return Err(DecomposeError::BadConcavity);
    }
    let unit = Unit::of(mesh);
    // Triangles that face the wrong way are flipped if the mesh is closed. Then solids are
    // covered, and cavities are not.
    let (mesh, _) = mesh.clone().oriented();
    let surface = Surface::new(mesh.iter_corners().map(|t| t.map(|p| unit.enter_wide(p))).collect());
    let is_solid = mesh.is_solid();
    let target = settings.concavity * surface.diagonal();
    let mut work = Work { unit, surface, is_solid, target, progress };
    let max_parts = settings.max_hulls.saturating_mul(2);
    let parts = work.cut(max_parts)?;
    let is_limited = max_parts <= parts.len() || settings.max_hulls < parts.len();
    let parts = work.merge(parts, settings.max_hulls)?;
    let n = parts.len();
    let (mut hulls, mut concavities) = (Vec::with_capacity(n), Vec::with_capacity(n));
    let mut cells = Vec::new();
    for HullData { cloud, regions } in parts {
        for region in regions {
            // `f32` represents the sides of a region.
            if let (Some(min), Some(max)) = (unit.leave(region.low), unit.leave(region.high)) {
                cells.push(CoverCell { min, max, hull: hulls.len() });
            }
        }
        let hull = work.hull(&cloud, settings.max_vertices)?;
        let goal = Goal { gap: tol::REACH_GAP, ..work.goal(0.25 * target) };
        concavities.push(unit.leave_length(work.concavity(hull.vertices(), goal, Stage::Measuring, n)?));
        hulls.push(hull);
    }
    let is_near = concavities.iter().all(|c| *c <= unit.leave_length(target));
    let stop = match (is_near, is_limited) {
        (true, _) => Stop::Concavity,
        (false, true) => Stop::MaxHulls,
        (false, false) => Stop::Resolution,
    };
    Ok(Decomposition { hulls, cells, stop, concavities, is_solid })
}

/// The data of a future hull: its extreme points, and the cells that they cover.
struct HullData {
    cloud: Cloud,
    regions: Vec<Region>,
}

/// The state shared by all parts.
struct Work<'a> {
    unit: Unit,
    surface: Surface,
    is_solid: bool,
    /// The target concavity, at unit size.
    target: f64,
    progress: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
}

impl Work<'_> {
    fn report_progress(&mut self, stage: Stage, count: usize) -> Result<(), DecomposeError> {
        match (self.progress)(&Progress::new(stage, count)) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(DecomposeError::Cancelled),
        }
    }

    /// The accuracy of bounds while parts are chosen: rough, and no better than `enough`.
    fn goal(&self, enough: f64) -> Goal {
        let least = tol::CONCAVITY_ENOUGH * self.surface.diagonal();
        Goal {
            is_solid: self.is_solid,
            enough: enough.max(least),
            gap: tol::CONCAVITY_GAP,
            too_far: f64::INFINITY,
        }
    }

    /// An upper bound, at unit size, of the distance of the surface of the hull of points from the
    /// mesh.
    fn concavity(
        &mut self,
        points: &[Vec3],
        goal: Goal,
        stage: Stage,
        count: usize,
    ) -> Result<f64, DecomposeError> {
        let hull = self.exact_hull(points, HullSurface::from_points)?;
        let position_of = |v: u32| self.unit.enter(hull.vertices[v as usize]);
        let triangles: Vec<[DVec3; 3]> = hull.triangles.iter().map(|t| t.map(position_of)).collect();
        if self.is_solid && is_surely_full(&triangles, &self.surface) {
            return Ok(0.0);
        }
        let progress = &mut *self.progress;
        match reach(&triangles, &self.surface, goal, &mut || progress(&Progress::new(stage, count))) {
            ControlFlow::Continue(bound) => Ok(bound),
            ControlFlow::Break(()) => Err(DecomposeError::Cancelled),
        }
    }

    /// Cuts the mesh into parts, until their hulls are near enough or cannot be cut, or there are
    /// `max_parts`.
    fn cut(&mut self, max_parts: usize) -> Result<Vec<HullData>, DecomposeError> {
        let whole = Cell::whole(&self.surface, self.unit);
        // Parts, each with the bound of its hull; `None` if the part cannot be cut.
        let mut parts = alloc::vec![(whole, Some(f64::INFINITY))];
        while parts.len() < max_parts {
            self.report_progress(Stage::Cutting, parts.len())?;
            let mut worst = None;
            for (i, (_, concavity)) in parts.iter().enumerate() {
                if let Some(c) = *concavity
                    && self.target < c
                    && worst.is_none_or(|(_, most)| most < c)
                {
                    worst = Some((i, c));
                }
            }
            let Some((i, c)) = worst else { break };
            if c == f64::INFINITY {
                // The whole mesh, not measured yet.
                let concavity = self.rough_concavity(&parts[i].0.cloud, 1)?;
                parts[i].1 = Some(concavity);
                continue;
            }
            let Some(halves) = parts[i].0.cut(&self.surface, self.unit, self.is_solid) else {
                parts[i].1 = None;
                continue;
            };
            let n = parts.len();
            let [below, above] = halves;
            let (c_below, c_above) =
                (self.rough_concavity(&below.cloud, n)?, self.rough_concavity(&above.cloud, n)?);
            parts[i] = (below, Some(c_below));
            parts.push((above, Some(c_above)));
        }
        let part = |cell: Cell| HullData { cloud: cell.cloud, regions: Vec::from([cell.region]) };
        Ok(parts.into_iter().map(|(cell, _)| part(cell)).collect())
    }

    /// A rough upper bound of the distance of a part's hull from the mesh.
    fn rough_concavity(&mut self, cloud: &Cloud, count: usize) -> Result<f64, DecomposeError> {
        self.concavity(&cloud.points, self.goal(self.target), Stage::Cutting, count)
    }

    /// Joins parts. While there are too many, those that add least volume are joined; then those
    /// whose common hull is near enough.
    fn merge(&mut self, mut parts: Vec<HullData>, max_parts: usize) -> Result<Vec<HullData>, DecomposeError> {
        let unit = self.unit;
        // For each pair: the volume added by joining the two parts, and whether joining them is
        // refused. It is if they are too far apart, or if their common hull deviates too much.
        let cost = |a: &Cloud, b: &Cloud| a.joined(b, unit).volume - a.volume - b.volume;
        let target = self.target;
        let entry = |a: &Cloud, b: &Cloud| (cost(a, b), target < a.gap(b, unit));
        let mut costs: Vec<Vec<(f64, bool)>> = Vec::new();
        for (i, part) in parts.iter().enumerate() {
            self.report_progress(Stage::Merging, parts.len())?;
            costs.push(parts[..i].iter().map(|other| entry(&part.cloud, &other.cloud)).collect());
        }
        loop {
            self.report_progress(Stage::Merging, parts.len())?;
            let must = max_parts < parts.len();
            let mut best: Option<(f64, usize, usize)> = None;
            for (i, row) in costs.iter().enumerate() {
                for (k, &(cost, is_refused)) in row.iter().enumerate() {
                    if (must || !is_refused) && best.is_none_or(|least| cost < least.0) {
                        best = Some((cost, i, k));
                    }
                }
            }
            let Some((_, i, k)) = best else { return Ok(parts) };
            let joined = parts[i].cloud.joined(&parts[k].cloud, unit);
            let goal = Goal { too_far: self.target, ..self.goal(self.target) };
            if !must && self.target < self.concavity(&joined.points, goal, Stage::Merging, parts.len())? {
                costs[i][k].1 = true;
                continue;
            }
            let gone = parts.remove(i);
            parts[k].cloud = joined;
            parts[k].regions.extend(gone.regions);
            costs.remove(i);
            for row in costs.iter_mut().skip(i) {
                row.remove(i);
            }
            for other in 0..parts.len() {
                if other != k {
                    let new = entry(&parts[k].cloud, &parts[other].cloud);
                    costs[other.max(k)][other.min(k)] = new;
                }
            }
        }
    }

    /// Returns the hull of all these points, made by `build`. Points without volume are thickened
    /// a little.
    fn exact_hull<T>(
        &self,
        points: &[Vec3],
        build: impl Fn(&[Vec3]) -> Result<T, HullError>,
    ) -> Result<T, DecomposeError> {
        if let Ok(hull) = build(points) {
            return Ok(hull);
        }
        // The points are thickened along every axis, at least by some steps of `f32` if the mesh
        // is far from the origin.
        let thickness = tol::FLAT_PART * self.surface.diagonal() + 4.0 * tol::COLLAPSE_MARGIN;
        let thickness = self.unit.leave_length(thickness);
        let thickness = (thickness as f32).max(f32::MIN_POSITIVE);
        let thick: Vec<Vec3> = points
            .iter()
            .flat_map(|&p| Vec3::AXES.map(|axis| [p - axis * thickness, p + axis * thickness]))
            .flatten()
            .collect();
        build(&thick).map_err(DecomposeError::Hull)
    }

    /// Returns a hull with at most `max_vertices` vertices that contains all points.
    fn hull(&self, cloud: &Cloud, max_vertices: usize) -> Result<ConvexHull, DecomposeError> {
        let settings = HullSettings::default().with_coplanar_tolerance(0.0);
        let build = |points: &[Vec3]| ConvexHull::from_points_with(points, &settings);
        let mut hull = self.exact_hull(&cloud.points, build)?;
        let mut wanted = max_vertices;
        for _ in 0..4 {
            if hull.vertices().len() <= max_vertices {
                return Ok(hull);
            }
            let Some(points) = outer_points(&hull, wanted) else { break };
            hull = self.exact_hull(&points, build)?;
            // The collapsed shape is slightly concave, so its hull may have more vertices.
            wanted -= wanted / 8;
        }
        if hull.vertices().len() <= max_vertices {
            return Ok(hull);
        }
        // Fallback: the box around the hull.
        let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for p in hull.vertices() {
            (min, max) = (min.min(*p), max.max(*p));
        }
        let corner = |i: usize| {
            let end = |axis: usize| if i >> axis & 1 == 0 { min[axis] } else { max[axis] };
            Vec3::new(end(0), end(1), end(2))
        };
        let corners: Vec<Vec3> = (0..8).map(corner).collect();
        self.exact_hull(&corners, build)
    }
}
