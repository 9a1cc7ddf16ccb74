//! Convex hulls: vertices, polygons with planes, half-edges, and the vertex neighbours for support
//! queries.
//!
//! The vertices are those of the exact convex hull of the points. Vertices that stand out by no
//! more than the merge tolerance are removed. Every vertex lies on or below every face plane, to
//! the rounding of `f64`. A half-edge belongs to one face, which is to its left seen from outside.
//! The half-edges of a face are consecutive.
//!
//! Reference: D. Gregorius, Implementing Quickhull, Game Developers Conference, 2014; G. van den
//! Bergen, Collision Detection in Interactive 3D Environments, 2003, 4.3.3 (supports of polytopes
//! by climbing).
//! Differs: a support climbs over the edges of the exact triangulation, not of the merged faces.
//! Only there is a vertex without a better neighbour a true maximum.

use super::super::num::{EPSILON, Pose, Vec3, wide, widen};
use crate::apex_map::ApexMap;
use crate::bound::{aabb_from_support, around_extremes};
use crate::hull_build::{FlatPoints, quickhull};
use crate::hull_merge::{Polytope, polytope, renumbered, used_vertices};
use crate::hull_scan::{SLACK, Scan};
use crate::inscribed::inscribed_ball;
use crate::wide_hull::{HalfEdge, WideHull};
use crate::{Feature, FeatureId, FeatureKind, MAX_FEATURE_POINTS, SupportMap, SupportPoint};
use alloc::vec;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_math::ops::sqrt;
use carom_math::scaling::{scale_of, unit};
use carom_math::tol;
use core::ops::Range;
use glam::DVec3;

/// Settings for building a hull from points.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct HullSettings {
    /// Pure number, see [`tol::HULL_COPLANAR`]. Zero merges only exactly coplanar facets, and so
    /// does a negative number. Default: 3.
    pub coplanar_tolerance: f64,
}

impl Default for HullSettings {
    fn default() -> HullSettings {
        HullSettings { coplanar_tolerance: tol::HULL_COPLANAR }
    }
}

impl HullSettings {
    /// Returns the merge tolerance as a length, for points of this extent.
    pub(super) fn tolerance(&self, extent: f64) -> f64 {
        self.coplanar_tolerance.max(0.0) * wide(EPSILON) * extent
    }

    /// Returns the same settings with another tolerance, a pure number that is not negative.
    pub fn with_coplanar_tolerance(mut self, tolerance: f64) -> HullSettings {
        self.coplanar_tolerance = tolerance;
        self
    }
}

/// Why there is no hull.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum HullError {
    /// There are no points.
    Empty,
    /// There are 2^29 - 1 points or more, too many to number.
    TooMany,
    /// A coordinate is NaN or infinite.
    NotFinite {
        /// The first such point.
        point: usize,
    },
    /// A coordinate is beyond `carom_math::tol::MAX_LENGTH`; impossible in `f32`.
    TooLarge {
        /// The first such point.
        point: usize,
    },
    /// The points span no volume, exactly: fewer than four are affinely independent. The payload is
    /// their lower-dimensional hull.
    Flat(FlatHull),
    /// The given faces are not those of the hull of the vertices. Only a file gives faces.
    Faces,
}

/// The convex hull of points that span no volume.
#[derive(Clone, Debug, PartialEq)]
pub enum FlatHull {
    /// All points are this one.
    Point(Vec3),
    /// All points lie on the segment between these two.
    Segment(Vec3, Vec3),
    /// All points lie in the convex polygon with these corners, in order; no three are on a line.
    Polygon(Vec<Vec3>),
}

impl core::fmt::Display for HullError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            HullError::Empty => write!(f, "there are no points"),
            HullError::TooMany => write!(f, "there are more points than can be numbered"),
            HullError::NotFinite { point } => write!(f, "point {point} is NaN or infinite"),
            HullError::TooLarge { point } => write!(f, "point {point} is too far from the origin"),
            HullError::Flat(FlatHull::Point(_)) => write!(f, "all points are at one place"),
            HullError::Flat(FlatHull::Segment(..)) => write!(f, "all points lie on a line"),
            HullError::Flat(FlatHull::Polygon(_)) => write!(f, "all points lie in a plane"),
            HullError::Faces => write!(f, "the faces are not those of the hull of the vertices"),
        }
    }
}

impl core::error::Error for HullError {}

impl FlatHull {
    fn of(flat: FlatPoints, points: &[Vec3]) -> FlatHull {
        let point = |i: u32| points[i as usize];
        match flat {
            FlatPoints::Point(i) => FlatHull::Point(point(i)),
            FlatPoints::Segment(i, j) => FlatHull::Segment(point(i), point(j)),
            FlatPoints::Polygon(ring) => FlatHull::Polygon(ring.into_iter().map(point).collect()),
        }
    }
}

/// The surface of the convex hull of points, as plain triangles.
///
/// It is faster to build than a [`ConvexHull`], which adds polygon faces, neighbours, and fast
/// supports.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HullSurface {
    /// Points of the input, in its order. Each is a corner of the hull, or lies exactly in a face
    /// or an edge.
    pub vertices: Vec<Vec3>,
    /// Numbers of vertices, counter-clockwise seen from outside. The surface is closed and convex,
    /// exactly.
    pub triangles: Vec<[u32; 3]>,
}

impl HullSurface {
    /// Creates the convex hull of points; no point is above the plane of a triangle, exactly.
    ///
    /// # Errors
    /// As [`ConvexHull::from_points_with`].
    pub fn from_points(points: &[Vec3]) -> Result<HullSurface, HullError> {
        let (scaled, _) = scaled(points)?;
        let surface = quickhull(&scaled).map_err(|flat| HullError::Flat(FlatHull::of(flat, points)))?;
        let used = used_vertices(points.len(), &surface);
        let triangles = renumbered(surface, points.len(), &used).triangles;
        Ok(HullSurface { vertices: used.iter().map(|&v| points[v as usize]).collect(), triangles })
    }
}

/// Maximum number of level vertices that a climb tests one by one; beyond it tests all vertices.
const MAX_LEVEL: usize = 24;

/// A convex polytope with a volume.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "super::hull_faces::Unchecked"))]
#[cfg_attr(feature = "serde", serde(into = "super::hull_faces::Unchecked"))]
pub struct ConvexHull {
    vertices: Vec<Vec3>,
    half_edges: Vec<HalfEdge>,
    /// Start of each face's half-edges, and the end.
    first_half_edge: Vec<u32>,
    /// Vertices of the faces: the origins of the half-edges, stored again for use as slices.
    corners: Vec<u32>,
    normals: Vec<DVec3>,
    /// `normal . x <= offset` for all vertices.
    offsets: Vec<f64>,
    /// One half-edge that starts at each vertex.
    vertex_half_edge: Vec<u32>,
    /// The neighbours that a support climbs over, one vertex after the other.
    neighbours: Vec<u32>,
    first_neighbour: Vec<u32>,
    center: DVec3,
    radius: f64,
    inscribed_center: DVec3,
    inscribed_radius: f64,
    n_tests: u64,
    scan: Scan,
    settings: HullSettings,
}

impl ConvexHull {
    /// Creates the convex hull of points, with the default settings: see
    /// [`ConvexHull::from_points_with`].
    pub fn from_points(points: &[Vec3]) -> Result<ConvexHull, HullError> {
        ConvexHull::from_points_with(points, &HullSettings::default())
    }

    /// Creates the convex hull of points.
    ///
    /// Every point lies on or below every face plane, to within a length. With the largest
    /// coordinates x, y and z this is `10 * coplanar_tolerance * EPSILON * (|x| + |y| + |z|)`.
    /// Nearly always a tenth of this is enough. The time is usually O(n log n), and quadratic at
    /// worst.
    ///
    /// # Errors
    ///
    /// [`HullError::Flat`] if the points span no volume. The other errors are no points, too many
    /// points, and a coordinate that is not finite or too large.
    pub fn from_points_with(points: &[Vec3], settings: &HullSettings) -> Result<ConvexHull, HullError> {
        let (scaled, extent) = scaled(points)?;
        let tolerance = settings.tolerance(extent);
        let flat_hull = |flat| HullError::Flat(FlatHull::of(flat, points));
        let polytope = polytope(&scaled, tolerance).map_err(flat_hull)?;
        Ok(ConvexHull::assemble(points, polytope, *settings))
    }

    pub(super) fn assemble(points: &[Vec3], polytope: Polytope, settings: HullSettings) -> ConvexHull {
        let vertices: Vec<Vec3> = polytope.vertices.iter().map(|&i| points[i as usize]).collect();
        let n_faces = polytope.normals.len();
        let (first_half_edge, corners) = (polytope.first_corner, polytope.corners);

        // The twin of a half-edge is among those that start where it ends.
        let mut half_edges: Vec<HalfEdge> =
            corners.iter().map(|&origin| HalfEdge { origin, twin: 0, face: 0 }).collect();
        let mut ends = vec![0; corners.len()];
        for face in 0..n_faces {
            let (first, end) = (first_half_edge[face] as usize, first_half_edge[face + 1] as usize);
            for e in first..end {
                half_edges[e].face = face as u32;
                ends[e] = corners[if e + 1 == end { first } else { e + 1 }];
            }
        }
        let mut starts = vec![0_u32; vertices.len() + 1];
        for &v in &corners {
            starts[v as usize + 1] += 1;
        }
        for v in 0..vertices.len() {
            starts[v + 1] += starts[v];
        }
        let mut fill = starts.clone();
        let mut leaving = vec![0_u32; corners.len()];
        for (e, &v) in corners.iter().enumerate() {
            leaving[fill[v as usize] as usize] = e as u32;
            fill[v as usize] += 1;
        }
        for e in 0..corners.len() {
            let around = &leaving[starts[ends[e] as usize] as usize..starts[ends[e] as usize + 1] as usize];
            if let Some(&twin) = around.iter().find(|&&other| ends[other as usize] == corners[e]) {
                half_edges[e].twin = twin;
            }
        }
        let vertex_half_edge: Vec<u32> =
            (0..vertices.len()).map(|v| leaving.get(starts[v] as usize).copied().unwrap_or(0)).collect();

        let mut hull = ConvexHull {
            vertices,
            half_edges,
            first_half_edge,
            corners,
            normals: polytope.normals,
            offsets: Vec::with_capacity(n_faces),
            vertex_half_edge,
            neighbours: polytope.neighbours,
            first_neighbour: polytope.first_neighbour,
            center: DVec3::ZERO,
            radius: 0.0,
            inscribed_center: DVec3::ZERO,
            inscribed_radius: 0.0,
            n_tests: polytope.n_tests,
            scan: Scan::default(),
            settings,
        };
        // Offsets support the hull, whatever the rounding of the normals.
        for face in 0..n_faces {
            let near = hull.face_vertices(face as u32)[0];
            let v = hull.climb(hull.normals[face], near);
            let ring = hull.face_vertices(face as u32);
            let height = |v: u32| hull.normals[face].dot(widen(hull.vertices[v as usize]));
            let offset = ring.iter().fold(height(v), |most, &v| most.max(height(v)));
            hull.offsets.push(offset);
        }
        hull.center = hull.centroid();
        let farthest =
            hull.vertices.iter().fold(0.0_f64, |m, &v| m.max((widen(v) - hull.center).length_squared()));
        hull.radius = sqrt(farthest) * (1.0 + 4.0 * f64::EPSILON);
        let planes: Vec<(DVec3, f64)> =
            hull.normals.iter().copied().zip(hull.offsets.iter().copied()).collect();
        (hull.inscribed_center, hull.inscribed_radius) = inscribed_ball(&planes, hull.center, hull.radius);
        hull.scan = Scan::new(
            hull.vertices.iter().map(|&v| widen(v)),
            |v| hull.neighbours(v),
            hull.center,
            hull.radius,
        );
        hull
    }

    /// Returns the centre of volume; the mean of the vertices if rounding puts the centre outside.
    fn centroid(&self) -> DVec3 {
        let n = self.vertices.len() as f64;
        let origin = widen(self.vertices[0]);
        let mut mean = DVec3::ZERO;
        for &v in &self.vertices {
            mean += widen(v) - origin;
        }
        let mean = origin + mean * (1.0 / n);
        let (mut volume, mut moment) = (0.0, DVec3::ZERO);
        for face in 0..self.n_faces() as u32 {
            let ring = self.face_vertices(face);
            let a = widen(self.vertices[ring[0] as usize]) - mean;
            for pair in ring[1..].windows(2) {
                let b = widen(self.vertices[pair[0] as usize]) - mean;
                let c = widen(self.vertices[pair[1] as usize]) - mean;
                let six = a.dot(b.cross(c));
                volume += six;
                moment += (a + b + c) * (0.25 * six);
            }
        }
        let center = mean + moment * (1.0 / volume);
        let is_inside =
            |p: DVec3| (0..self.n_faces()).all(|face| self.normals[face].dot(p) <= self.offsets[face]);
        if 0.0 < volume && center.is_finite() && is_inside(center) { center } else { mean }
    }

    /// Returns the settings that the hull was built with.
    #[inline]
    pub fn settings(&self) -> HullSettings {
        self.settings
    }

    /// Returns the vertices.
    #[inline]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Returns the number of faces.
    #[inline]
    pub fn n_faces(&self) -> usize {
        self.normals.len()
    }

    /// Returns the number of edges, each counted once.
    #[inline]
    pub fn n_edges(&self) -> usize {
        self.half_edges.len() / 2
    }

    /// Returns the outward unit normal of a face.
    #[inline]
    pub fn face_normal(&self, face: u32) -> DVec3 {
        self.normals[face as usize]
    }

    /// Returns the offset of the face's plane: `normal . x <= offset` for all vertices x.
    #[inline]
    pub fn face_offset(&self, face: u32) -> f64 {
        self.offsets[face as usize]
    }

    /// Returns the face's vertices, counter-clockwise seen from outside.
    #[inline]
    pub fn face_vertices(&self, face: u32) -> &[u32] {
        let range = self.face_half_edges(face);
        &self.corners[range.start as usize..range.end as usize]
    }

    /// Returns the numbers of the face's half-edges; the first starts at the first of its
    /// vertices.
    #[inline]
    pub fn face_half_edges(&self, face: u32) -> Range<u32> {
        self.first_half_edge[face as usize]..self.first_half_edge[face as usize + 1]
    }

    /// Returns all half-edges, face by face.
    #[inline]
    pub fn half_edges(&self) -> &[HalfEdge] {
        &self.half_edges
    }

    /// Returns the half-edge that follows in the same face.
    #[inline]
    pub fn next(&self, half_edge: u32) -> u32 {
        let range = self.face_half_edges(self.half_edges[half_edge as usize].face);
        if half_edge + 1 == range.end { range.start } else { half_edge + 1 }
    }

    /// Returns some half-edge that starts at a vertex. The twin's successor is the next one around
    /// the vertex, clockwise.
    #[inline]
    pub fn vertex_half_edge(&self, vertex: u32) -> u32 {
        self.vertex_half_edge[vertex as usize]
    }

    /// Returns the neighbours of a vertex: those that share an edge, and in larger faces some that
    /// share a diagonal. A vertex that no neighbour exceeds along a direction is farthest along
    /// it.
    #[inline]
    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.neighbours[self.first_neighbour[v] as usize..self.first_neighbour[v + 1] as usize]
    }

    /// Returns the centre of a large ball inside the hull; to rounding it is the largest.
    #[inline]
    pub fn inscribed_center(&self) -> DVec3 {
        self.inscribed_center
    }

    /// Returns the radius of the ball about [`ConvexHull::inscribed_center`] that is inside all
    /// face planes.
    #[inline]
    pub fn inscribed_radius(&self) -> f64 {
        self.inscribed_radius
    }

    /// Returns the number of tests of a point against a plane while the hull was built: a measure
    /// of the cost.
    #[inline]
    pub fn n_build_tests(&self) -> u64 {
        self.n_tests
    }

    /// Returns a cube map of directions for supports in constant time. It has `n_side` by `n_side`
    /// cells on each of six sides; `n_side` is clamped to 1..=256. About four cells per vertex are
    /// a good choice.
    pub fn apex_map(&self, n_side: u32) -> ApexMap {
        ApexMap::new(n_side, |direction, near| self.climb(direction, near))
    }

    /// Returns a farthest vertex along a direction of any length but zero, exact to rounding in
    /// `f64`. The vertex is looked up in a map of this hull, then improved by climbing. The map of
    /// another hull gives the same result more slowly.
    #[inline]
    pub fn support_by(&self, map: &ApexMap, direction: DVec3) -> SupportPoint {
        let start = map.near(direction).min(self.vertices.len() as u32 - 1);
        let vertex = self.climb(direction, start);
        SupportPoint { point: widen(self.vertices[vertex as usize]), vertex }
    }

    /// Maps a feature of one of its faces, numbered within the face, to the hull's number.
    pub(crate) fn feature_of(&self, face: u32, on_face: FeatureId) -> FeatureId {
        let first = self.face_half_edges(face).start;
        match on_face.kind() {
            FeatureKind::Vertex(i) => FeatureId::vertex(self.face_vertices(face)[i as usize]),
            FeatureKind::Edge(i) => {
                FeatureId::edge((first + i).min(self.half_edges[(first + i) as usize].twin))
            }
            FeatureKind::Face(_) | FeatureKind::Unknown => FeatureId::face(face),
        }
    }

    /// Returns a box around the placed hull, in the parent frame of the pose, rounded outwards.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        aabb_from_support(self, &pose.wide())
    }

    /// Returns the same box by a map of this hull: supports in constant time, for large hulls that
    /// rotate.
    pub fn aabb_by(&self, map: &ApexMap, pose: &Pose) -> Aabb {
        let reach = self.center().abs().max_element() + self.radius();
        around_extremes(&pose.wide(), 0.0, reach, |direction| self.support_by(map, direction).point)
    }

    /// [`ConvexHull::climb`] from a vertex; if it is no vertex, from the vertex that the scan
    /// finds.
    #[inline(never)]
    fn climb_from(&self, direction: DVec3, near: u32) -> u32 {
        let is_known = (near as usize) < self.vertices.len();
        self.climb(direction, if is_known { near } else { self.scan.farthest(direction) })
    }

    /// Moves to a better neighbour until none is better, to the precision of `f64`.
    ///
    /// A step needs a gain beyond rounding. Each gain is then real, and equal vertices cannot make
    /// the climb cycle. If neighbours are level to rounding, the vertices behind them are tested
    /// too, because whole regions of a hull can be level.
    ///
    /// Tried: a branchless test of all neighbours for "surely behind"; no gain. At the end of a
    /// distance search most vertices have a level neighbour.
    fn climb(&self, direction: DVec3, from: u32) -> u32 {
        let behind = self.surely_behind(direction);
        let mut at = from;
        // Every step gains, so no vertex is visited twice.
        for _ in 0..self.vertices.len() {
            let here = widen(self.vertices[at as usize]);
            let (mut best, mut most, mut is_level) = (at, 0.0, false);
            for &neighbour in self.neighbours(at) {
                let displacement = self.displacement_to(here, neighbour);
                let gain = displacement.dot(direction);
                if gain < behind {
                    continue;
                }
                let noise = noise(displacement, direction);
                is_level |= gain.abs() <= noise;
                if most < gain - noise {
                    (best, most) = (neighbour, gain - noise);
                }
            }
            if best == at && is_level {
                best = self.search_level(direction, at, behind);
            }
            if best == at {
                break;
            }
            at = best;
        }
        at
    }

    /// Returns a gain so negative that it exceeds the rounding between any two vertices. This test
    /// alone rejects most neighbours.
    #[inline]
    fn surely_behind(&self, direction: DVec3) -> f64 {
        // Each coordinate difference is at most twice the radius, and their sum at most 2 sqrt(3)
        // times.
        -noise(DVec3::X * (4.0 * self.radius), DVec3::splat(direction.abs().max_element()))
    }

    /// Returns the displacement from a point to a vertex.
    #[inline]
    fn displacement_to(&self, here: DVec3, vertex: u32) -> DVec3 {
        widen(self.vertices[vertex as usize]) - here
    }

    /// Returns how much farther a vertex is than a point, and the largest rounding of that.
    #[inline]
    fn gain(&self, here: DVec3, vertex: u32, direction: DVec3) -> (f64, f64) {
        let displacement = self.displacement_to(here, vertex);
        (displacement.dot(direction), noise(displacement, direction))
    }

    /// Returns a vertex surely farther than `at` behind vertices level with it, else `at`.
    fn search_level(&self, direction: DVec3, at: u32, behind: f64) -> u32 {
        let here = widen(self.vertices[at as usize]);
        let mut level = [at; MAX_LEVEL];
        let mut n_level = 1;
        let mut next = 0;
        while next < n_level {
            for &neighbour in self.neighbours(level[next]) {
                let displacement = self.displacement_to(here, neighbour);
                let gain = displacement.dot(direction);
                if gain < behind {
                    continue;
                }
                let noise = noise(displacement, direction);
                if noise < gain {
                    return neighbour;
                }
                if -noise <= gain && !level[..n_level].contains(&neighbour) {
                    if n_level == MAX_LEVEL {
                        return self.search_all(direction, at);
                    }
                    level[n_level] = neighbour;
                    n_level += 1;
                }
            }
            next += 1;
        }
        at
    }

    /// Returns the vertex with the largest gain over `at`, if one surely gains.
    #[cold]
    fn search_all(&self, direction: DVec3, at: u32) -> u32 {
        let here = widen(self.vertices[at as usize]);
        let (mut best, mut most) = (at, 0.0);
        for vertex in 0..self.vertices.len() as u32 {
            let (gain, noise) = self.gain(here, vertex, direction);
            if most < gain - noise {
                (best, most) = (vertex, gain - noise);
            }
        }
        best
    }

    /// Returns all half-edges that start at a vertex.
    fn around(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.vertex_half_edge[vertex as usize];
        let mut next = Some(first);
        core::iter::from_fn(move || {
            let here = next?;
            let after = self.next(self.half_edges[here as usize].twin);
            next = (after != first).then_some(after);
            Some(here)
        })
        .take(self.half_edges.len())
    }

    /// Returns the polygon of a face. More than 32 corners are reduced to a fixed choice of 32,
    /// which always includes `vertex`.
    fn face_feature(&self, face: u32, vertex: u32, out: &mut Feature) {
        out.id = FeatureId::face(face);
        out.normal = self.normals[face as usize];
        let ring = self.face_vertices(face);
        let n = ring.len();
        let n_out = n.min(MAX_FEATURE_POINTS);
        for slot in 0..n_out {
            let choice = &ring[slot * n / n_out..(slot + 1) * n / n_out];
            let v = if choice.contains(&vertex) { vertex } else { choice[0] };
            out.push(widen(self.vertices[v as usize]), FeatureId::vertex(v));
        }
    }
}

/// Returns the largest rounding of a displacement's product with a direction.
///
/// The displacement is a difference, which keeps the digits of short edges. Rounding: one there,
/// one of the products, two of the sum, each half a unit.
#[inline]
fn noise(displacement: DVec3, direction: DVec3) -> f64 {
    // Underflow: three products may each lose half of the least number, and so may the noise.
    const UNDERFLOW: f64 = f64::from_bits(8);
    displacement.abs().dot(direction.abs()) * (2.0 * f64::EPSILON) + UNDERFLOW
}

/// Checks the points, and scales them by a power of two so that the largest coordinate is near 1.
/// Also returns the sum of the three largest coordinates.
pub(super) fn scaled(points: &[Vec3]) -> Result<(Vec<DVec3>, f64), HullError> {
    if points.is_empty() {
        return Err(HullError::Empty);
    }
    if u32::MAX as usize / 8 <= points.len() {
        return Err(HullError::TooMany);
    }
    let mut largest = DVec3::ZERO;
    for (i, &p) in points.iter().enumerate() {
        if !p.is_finite() {
            return Err(HullError::NotFinite { point: i });
        }
        largest = largest.max(widen(p).abs());
        if tol::MAX_LENGTH < largest.max_element() {
            return Err(HullError::TooLarge { point: i });
        }
    }
    let scale = scale_of(largest.max_element());
    let scaled = points.iter().map(|&p| without_dust(widen(p) * scale)).collect();
    Ok((scaled, (largest * scale).element_sum()))
}

/// Sets coordinates to zero that are negligible against the largest, which is near 1. Scaling may
/// have taken different digits from them. Impossible in `f32`.
fn without_dust(p: DVec3) -> DVec3 {
    let least = f64::from_bits((1023 - 800) << 52);
    let keep = |x: f64| if x.abs() < least { 0.0 } else { x };
    DVec3::new(keep(p.x), keep(p.y), keep(p.z))
}

impl SupportMap for ConvexHull {
    // Inlined into a loop that is compiled for an instruction set.
    #[inline(always)]
    fn support(&self, direction: DVec3) -> SupportPoint {
        let vertex = self.scan.farthest(direction);
        SupportPoint { point: widen(self.vertices[vertex as usize]), vertex }
    }

    #[inline(always)]
    fn support_exact(&self, direction: DVec3, near: SupportPoint) -> SupportPoint {
        if self.scan.is_exact() {
            return self.support(direction);
        }
        let vertex = self.climb_from(direction, near.vertex);
        SupportPoint { point: widen(self.vertices[vertex as usize]), vertex }
    }

    #[inline]
    fn support_slack(&self) -> f64 {
        if self.scan.is_exact() { 0.0 } else { SLACK * self.radius }
    }

    #[inline]
    fn vertex(&self, number: u32) -> Option<DVec3> {
        self.vertices.get(number as usize).map(|&v| widen(v))
    }

    #[inline]
    fn center(&self) -> DVec3 {
        self.center
    }

    #[inline]
    fn radius(&self) -> f64 {
        self.radius
    }

    fn feature_within(&self, normal: DVec3, sine: f64, out: &mut Feature) {
        out.clear();
        let vertex = self.support_exact(normal, self.support(normal)).vertex;
        let mut best_face = None;
        let mut best_cosine = sqrt(1.0 - sine * sine);
        let mut best_edge = None;
        let mut best_sine = sine;
        let here = widen(self.vertices[vertex as usize]);
        for half_edge in self.around(vertex) {
            let edge = self.half_edges[half_edge as usize];
            let cosine = self.normals[edge.face as usize].dot(normal);
            if best_cosine <= cosine {
                (best_face, best_cosine) = (Some(edge.face), cosine);
            }
            let end = self.half_edges[edge.twin as usize].origin;
            let offset = widen(self.vertices[end as usize]) - here;
            if let Some(along) = unit(offset)
                && along.dot(normal).abs() <= best_sine
            {
                (best_edge, best_sine) = (Some((half_edge.min(edge.twin), end)), along.dot(normal).abs());
            }
        }
        if let Some(face) = best_face {
            self.face_feature(face, vertex, out);
        } else if let Some((edge, end)) = best_edge {
            out.id = FeatureId::edge(edge);
            out.push(here, FeatureId::vertex(vertex));
            out.push(widen(self.vertices[end as usize]), FeatureId::vertex(end));
        } else {
            out.id = FeatureId::vertex(vertex);
            out.push(here, FeatureId::vertex(vertex));
        }
    }
}

impl WideHull for ConvexHull {
    #[inline(always)]
    fn n_vertices(&self) -> usize {
        self.vertices.len()
    }

    #[inline(always)]
    fn position(&self, vertex: u32) -> DVec3 {
        widen(self.vertices[vertex as usize])
    }

    #[inline(always)]
    fn neighbours(&self, vertex: u32) -> &[u32] {
        self.neighbours(vertex)
    }

    #[inline(always)]
    fn vertex_half_edge(&self, vertex: u32) -> u32 {
        self.vertex_half_edge(vertex)
    }

    #[inline(always)]
    fn half_edges(&self) -> &[HalfEdge] {
        &self.half_edges
    }

    #[inline(always)]
    fn n_faces(&self) -> usize {
        self.n_faces()
    }

    #[inline(always)]
    fn face_normal(&self, face: u32) -> DVec3 {
        self.face_normal(face)
    }

    #[inline(always)]
    fn face_offset(&self, face: u32) -> f64 {
        self.face_offset(face)
    }

    #[inline(always)]
    fn face_vertices(&self, face: u32) -> &[u32] {
        self.face_vertices(face)
    }

    #[inline(always)]
    fn face_half_edges(&self, face: u32) -> Range<u32> {
        self.face_half_edges(face)
    }

    #[inline(always)]
    fn inscribed_center(&self) -> DVec3 {
        self.inscribed_center
    }

    #[inline(always)]
    fn inscribed_radius(&self) -> f64 {
        self.inscribed_radius
    }
}
