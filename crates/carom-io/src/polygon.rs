//! Triangulation of polygons of any shape, with exact predicates.
//!
//! 1. A polygon is projected along the axis nearest to its normal (Newell's). The other two
//!    coordinates stay as they are in the file, so signs of areas are exact.
//! 2. The corners are rotated to start at the one with the least coordinates. So the triangles do
//!    not depend on the file's first corner, except for the fans of point 3.
//! 3. A strictly convex polygon becomes a fan. If it is planar, the fan starts at the file's first
//!    corner, as in other programs. Other polygons get a constrained Delaunay triangulation by the
//!    crate `spade`.
//! 4. The winding number of each triangle is summed over the edges that a walk from outside
//!    crosses. Triangles with number 0 are outside; those with a negative number are flipped.
//! 5. Edges that are traversed in both directions cancel, such as a bridge to a hole. Corners on a
//!    straight line are kept.
//!
//! Reference: M. Newell et al., A New Approach to the Shaded Picture Problem, 1972; L. P. Chew,
//! Constrained Delaunay Triangulations, 1989.

use crate::limits::{
    CROSSING_TESTS_PER_CORNER, FREE_CROSSING_TESTS, MAX_CROSSING_CORNERS, MAX_CROSSINGS_PER_CORNER,
};
use crate::part::RawMesh;
use glam::{DVec2, DVec3};
use robust::{Coord, Coord3D, orient2d, orient3d};
use spade::{ConstrainedDelaunayTriangulation, HasPosition, Point2, Triangulation};
use std::collections::{HashMap, VecDeque};

/// The largest distance of a corner from the plane without a note, relative to the polygon's size.
/// Files have six digits.
const FLATNESS: f64 = 1.0 / 65536.0;

/// The unusual polygons of a file: counts and the first of each kind.
#[derive(Default)]
pub(crate) struct Quirks {
    bent: Option<(String, f64)>,
    n_bent: usize,
    crossing: Option<String>,
    n_crossing: usize,
    empty: Option<String>,
    n_empty: usize,
    /// Corners of all polygons so far.
    n_corners: usize,
    /// Edge tests so far, and work that counts as such.
    n_tests: usize,
}

impl Quirks {
    /// Counts the edge tests of a step before it is made. An error if they are too many for the
    /// corners so far.
    fn count_tests(&mut self, n: usize) -> Result<(), String> {
        self.n_tests = self.n_tests.saturating_add(n);
        let limit = FREE_CROSSING_TESTS + CROSSING_TESTS_PER_CORNER * self.n_corners;
        if self.n_tests <= limit { Ok(()) } else { Err("too many polygons cross themselves".to_owned()) }
    }

    /// Returns one note for each kind of unusual polygon.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let many = |n: usize| if n == 1 { "1 polygon".to_owned() } else { format!("{n} polygons") };
        if let Some((place, by)) = &self.bent {
            let is = if self.n_bent == 1 { "is" } else { "are" };
            notes.push(format!(
                "{} {is} not flat, the first at {place}, by {by:.1e} of its size: the surface depends on how it is cut",
                many(self.n_bent)
            ));
        }
        if let Some(place) = &self.crossing {
            let verb = if self.n_crossing == 1 { "crosses itself" } else { "cross themselves" };
            notes.push(format!("{} {verb}, the first at {place}", many(self.n_crossing)));
        }
        if let Some(place) = &self.empty {
            let verb = if self.n_empty == 1 { "has" } else { "have" };
            notes.push(format!("{} {verb} no area, the first at {place}", many(self.n_empty)));
        }
        notes
    }
}

/// Adds the triangles of a polygon to a mesh; `location` names the polygon.
///
/// A self-intersecting polygon adds vertices.
///
/// Errors: such a polygon has too many corners, crossings or tests.
pub(crate) fn triangulate(
    mesh: &mut RawMesh,
    corners: &[u32],
    quirks: &mut Quirks,
    location: impl Fn() -> String,
) -> Result<(), String> {
    quirks.n_corners += corners.len();
    if corners.len() <= 3 {
        mesh.push_polygon(corners);
        return Ok(());
    }
    let Some(seen) = ProjectedPolygon::new(mesh, corners) else {
        // The polygon has no area, or is not finite; the latter is refused later.
        mesh.push_polygon(corners);
        return Ok(());
    };
    if FLATNESS < seen.bend {
        quirks.n_bent += 1;
        quirks.bent.get_or_insert_with(|| (location(), seen.bend));
    }
    if is_strictly_convex(&seen.flat) {
        // All fans of a planar polygon are the same surface. Other programs start at the file's
        // first corner.
        mesh.push_polygon(if seen.is_plane { &seen.in_file } else { &seen.corners });
        return Ok(());
    }
    let n_before = mesh.triangles.len();
    let mut outline = Outline::new(&seen);
    let mut is_crossing = false;
    let (triangles, is_simple) = loop {
        match outline.triangles() {
            Some(found) => break found,
            None => outline.split_crossings(quirks)?,
        }
        is_crossing = true;
    };
    is_crossing |= !is_simple;
    if !seen.is_plane && !is_crossing && !outline.keeps_all(&triangles) {
        // Edges of a bent polygon that differ in space may coincide in the projection. A fan keeps
        // all edges, which the neighbouring polygons share.
        mesh.push_polygon(&seen.in_file);
        return Ok(());
    }
    for point in &outline.points[outline.vertices.len()..] {
        let number = u32::try_from(mesh.vertices.len()).map_err(|_| "too many vertices".to_owned())?;
        outline.vertices.push(number);
        mesh.vertices.push(seen.lifted(*point));
    }
    mesh.triangles.extend(triangles.into_iter().map(|t| t.map(|i| outline.vertices[i])));
    if mesh.triangles.len() == n_before {
        // All its edges cancel.
        quirks.n_empty += 1;
        quirks.empty.get_or_insert_with(location);
    } else if is_crossing {
        quirks.n_crossing += 1;
        quirks.crossing.get_or_insert_with(location);
    }
    Ok(())
}

/// A polygon, projected along an axis.
struct ProjectedPolygon {
    /// The corners in the file's order, without those that repeat the one before.
    in_file: Vec<u32>,
    /// The same corners, starting at the least one.
    corners: Vec<u32>,
    /// Two coordinates of each corner, times `scale`.
    flat: Vec<DVec2>,
    /// A power of two. The largest coordinate times this is near 1.
    scale: f64,
    /// The axis of the projection.
    axis: usize,
    /// A point of the plane, times `scale`, and its normal.
    middle: DVec3,
    normal: DVec3,
    /// The distance of the farthest corner from the plane, relative to the polygon's size.
    bend: f64,
    /// Whether all corners are exactly in one plane.
    is_plane: bool,
}

impl ProjectedPolygon {
    /// Projects a polygon. `None` if it has no area or a corner is not finite.
    fn new(mesh: &RawMesh, corners: &[u32]) -> Option<ProjectedPolygon> {
        let position = |v: u32| mesh.vertices[v as usize];
        let n = corners.len();
        let mut kept: Vec<u32> = Vec::with_capacity(n);
        for i in 0..n {
            if position(corners[i]) != position(corners[(i + n - 1) % n]) {
                kept.push(corners[i]);
            }
        }
        let largest = kept.iter().map(|v| position(*v).abs().max_element()).fold(0.0, f64::max);
        if kept.len() < 3 || !(0.0 < largest && largest.is_finite()) {
            return None;
        }
        let in_file = kept.clone();
        let start = least_start(&kept, position);
        kept.rotate_left(start);
        let scale = scale_to_one(largest);
        let points: Vec<DVec3> = kept.iter().map(|v| position(*v) * scale).collect();
        let n = points.len();
        let middle = points.iter().sum::<DVec3>() / n as f64;
        let (mut newell, mut area, mut widest) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for i in 0..n {
            let cross = (points[i] - middle).cross(points[(i + 1) % n] - middle);
            newell += cross;
            area += cross.abs();
            if widest.length_squared() < cross.length_squared() {
                widest = cross;
            }
        }
        // The two halves of a figure eight cancel. Then the normal of the widest corner is used.
        let is_cancelled = newell.length() * 1048576.0 < area.length();
        let normal = if is_cancelled { widest } else { newell }.try_normalize()?;
        let axis = normal.abs().max_position();
        let flat = points.iter().map(|p| DVec2::new(p[(axis + 1) % 3], p[(axis + 2) % 3])).collect();
        let size = points.iter().map(|p| (*p - points[0]).abs().max_element()).fold(0.0, f64::max);
        let bend = points.iter().map(|p| normal.dot(*p - middle).abs()).fold(0.0, f64::max) / size;
        let is_plane = points[3..].iter().all(|p| side(&points, *p) == 0.0);
        Some(ProjectedPolygon { in_file, corners: kept, flat, scale, axis, middle, normal, bend, is_plane })
    }

    /// Returns the point of the plane at a projected point, in the file's unit.
    fn lifted(&self, p: DVec2) -> DVec3 {
        let (u, v, w) = ((self.axis + 1) % 3, (self.axis + 2) % 3, self.axis);
        let (n, c) = (self.normal, self.middle);
        let mut point = DVec3::ZERO;
        point[u] = p.x;
        point[v] = p.y;
        point[w] = c[w] - (n[u] * (p.x - c[u]) + n[v] * (p.y - c[v])) / n[w];
        point / self.scale
    }
}

/// Returns the power of two that brings a positive number near 1.
fn scale_to_one(largest: f64) -> f64 {
    let exponent = (largest.to_bits() >> 52) as i32 - 1023;
    2f64.powi((-exponent).clamp(-1000, 1000))
}

/// Returns the index of the corner with the least coordinates. Between equal corners, those that
/// follow them decide.
fn least_start(corners: &[u32], position: impl Fn(u32) -> DVec3) -> usize {
    /// The number of corners that are compared, the first included.
    const REACH: usize = 16;
    let n = corners.len();
    let key = |i: usize| (position(corners[i % n]) + 0.0).to_array();
    let is_less = |a: usize, b: usize| {
        let order = (0..REACH.min(n)).map(|k| {
            let (x, y) = (key(a + k), key(b + k));
            x[0].total_cmp(&y[0]).then(x[1].total_cmp(&y[1])).then(x[2].total_cmp(&y[2]))
        });
        order.into_iter().find(|o| o.is_ne()).is_some_and(|o| o.is_lt())
    };
    (1..n).fold(0, |least, i| if is_less(i, least) { i } else { least })
}

/// Returns the side of a plane through three points on which a point lies; the sign is exact.
fn side(plane: &[DVec3], p: DVec3) -> f64 {
    let coord = |p: DVec3| Coord3D { x: p.x, y: p.y, z: p.z };
    orient3d(coord(plane[0]), coord(plane[1]), coord(plane[2]), coord(p))
}

/// Returns twice the signed area of a triangle; the sign is exact.
fn signed_area2(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let coord = |p: DVec2| Coord { x: p.x, y: p.y };
    orient2d(coord(a), coord(b), coord(c))
}

/// Whether all corners turn to the same side and the polygon goes around once.
fn is_strictly_convex(points: &[DVec2]) -> bool {
    let n = points.len();
    let at = |i: usize| points[i % n];
    let goes_up = |i: usize| (at(i).x, at(i).y) < (at(i + 1).x, at(i + 1).y);
    let side = signed_area2(at(0), at(1), at(2));
    let is_turned = |i: usize| {
        let t = signed_area2(at(i), at(i + 1), at(i + 2));
        (0.0 < side && 0.0 < t) || (side < 0.0 && t < 0.0)
    };
    // Once around, the edges change between ascending and descending twice; twice around, four
    // times.
    (0..n).all(is_turned) && (0..n).filter(|i| goes_up(*i) != goes_up(i + 1)).count() == 2
}

/// A corner in the triangulation.
struct Corner {
    position: Point2<f64>,
    number: usize,
}

impl HasPosition for Corner {
    type Scalar = f64;

    fn position(&self) -> Point2<f64> {
        self.position
    }
}

type Cdt = ConstrainedDelaunayTriangulation<Corner>;

/// The edges of a polygon, split at their crossings.
struct Outline {
    /// The corners, then the crossings; no two are equal.
    points: Vec<DVec2>,
    /// The mesh vertices of the corners.
    vertices: Vec<u32>,
    known: HashMap<[u64; 2], usize>,
    /// Indices of two points each, in the direction of the polygon.
    edges: Vec<[usize; 2]>,
    n_rounds: usize,
    n_corners: usize,
}

impl Outline {
    fn new(seen: &ProjectedPolygon) -> Outline {
        let n = seen.corners.len();
        let mut outline = Outline {
            points: Vec::with_capacity(n),
            vertices: Vec::with_capacity(n),
            known: HashMap::new(),
            edges: Vec::with_capacity(n),
            n_rounds: 0,
            n_corners: n,
        };
        let mut numbers = Vec::with_capacity(n);
        for (point, vertex) in seen.flat.iter().zip(&seen.corners) {
            let number = outline.number(*point);
            if number == outline.vertices.len() {
                outline.vertices.push(*vertex);
            }
            numbers.push(number);
        }
        for i in 0..n {
            let edge = [numbers[i], numbers[(i + 1) % n]];
            if edge[0] != edge[1] {
                outline.edges.push(edge);
            }
        }
        outline
    }

    /// Returns the index of a point; a new point is added.
    fn number(&mut self, point: DVec2) -> usize {
        // The triangulation rejects smaller numbers: 2^-142 of the polygon's size.
        let tidy = |x: f64| if x.abs() < spade::MIN_ALLOWED_VALUE { 0.0 } else { x };
        let point = DVec2::new(tidy(point.x), tidy(point.y));
        let next = self.points.len();
        let number = *self.known.entry(point.to_array().map(f64::to_bits)).or_insert(next);
        if number == next {
            self.points.push(point);
        }
        number
    }

    /// Returns the triangles inside, and whether all winding numbers differ by at most one, as in a
    /// simple polygon. `None` if edges cross.
    fn triangles(&self) -> Option<(Vec<[usize; 3]>, bool)> {
        let mut cdt = Cdt::new();
        let mut handles = Vec::with_capacity(self.points.len());
        for (number, p) in self.points.iter().enumerate() {
            handles.push(cdt.insert(Corner { position: Point2::new(p.x, p.y), number }).ok()?);
        }
        // The edges of the polygon as edges of the triangulation: several if points lie on one.
        let mut paths = Vec::with_capacity(self.edges.len());
        for [a, b] in &self.edges {
            let path = cdt.try_add_constraint(handles[*a], handles[*b]);
            if path.is_empty() {
                return None;
            }
            paths.extend(path);
        }
        let mut count = vec![0_i32; cdt.num_directed_edges()];
        for edge in paths {
            count[edge.index()] += 1;
        }
        // A walk from outside. Crossing an edge changes the winding number by the number of times
        // that the polygon runs along it, counted with its direction.
        let mut winding: Vec<Option<i32>> = vec![None; cdt.num_all_faces()];
        let outer = cdt.outer_face();
        winding[outer.index()] = Some(0);
        let mut open = VecDeque::new();
        for edge in cdt.directed_edges().filter(|edge| edge.face().is_outer()) {
            open.push_back((edge.fix(), 0));
        }
        while let Some((edge, number)) = open.pop_front() {
            let edge = cdt.directed_edge(edge);
            let back = edge.rev();
            let beyond = back.face().index();
            if winding[beyond].is_some() {
                continue;
            }
            let number = number + count[back.fix().index()] - count[edge.fix().index()];
            winding[beyond] = Some(number);
            for next in [back.next(), back.prev()] {
                open.push_back((next.fix(), number));
            }
        }
        let numbers = || winding.iter().flatten();
        let (least, most) = (numbers().fold(0, |m, w| m.min(*w)), numbers().fold(0, |m, w| m.max(*w)));
        let mut triangles = Vec::new();
        for face in cdt.inner_faces() {
            let [a, b, c] = face.vertices().map(|v| v.data().number);
            match winding[face.fix().index()].unwrap_or(0) {
                0 => {}
                w if 0 < w => triangles.push([a, b, c]),
                _ => triangles.push([a, c, b]),
            }
        }
        Some((triangles, most - least <= 1))
    }

    /// Whether each corner belongs to a triangle.
    fn keeps_all(&self, triangles: &[[usize; 3]]) -> bool {
        let mut is_kept = vec![false; self.vertices.len()];
        for i in triangles.as_flattened().iter().filter(|i| **i < self.vertices.len()) {
            is_kept[*i] = true;
        }
        // Corners that coincide in the projection share one point.
        self.n_corners == self.vertices.len() && is_kept.into_iter().all(|is_kept| is_kept)
    }

    /// Splits all edges at their crossings. Crossings are rounded, so new edges may cross nearby
    /// again.
    fn split_crossings(&mut self, quirks: &mut Quirks) -> Result<(), String> {
        /// The maximum number of rounds. One or two suffice unless crossings nearly coincide.
        const MAX_ROUNDS: usize = 12;
        /// The cost of a point of a triangulation, in edge tests.
        const TESTS_PER_POINT: usize = 128;
        let n_corners = self.n_corners;
        let too_many =
            |what: String| Err(format!("a polygon of {n_corners} corners that crosses itself {what}"));
        if MAX_CROSSING_CORNERS < n_corners {
            return too_many(format!(": the limit is {MAX_CROSSING_CORNERS}"));
        }
        self.n_rounds += 1;
        if MAX_ROUNDS < self.n_rounds {
            return too_many("and cannot be cut into triangles".to_owned());
        }
        quirks.count_tests(TESTS_PER_POINT * self.points.len())?;
        let limit = MAX_CROSSINGS_PER_CORNER * n_corners;
        // Each edge is parametrized from its lower index, so that equal edges are split at equal
        // points.
        let ends: Vec<[usize; 2]> = self.edges.iter().map(|[a, b]| [*a.min(b), *a.max(b)]).collect();
        let extent = |i: usize| {
            let [a, b] = ends[i].map(|p| self.points[p].x);
            (a.min(b), a.max(b))
        };
        let extents: Vec<(f64, f64)> = (0..ends.len()).map(extent).collect();
        let mut order: Vec<usize> = (0..ends.len()).collect();
        order.sort_by(|i, j| extents[*i].0.total_cmp(&extents[*j].0).then(i.cmp(j)));
        // For each edge its split points: the parameter along it, and the index of the point.
        let mut cuts: Vec<Vec<(f64, usize)>> = vec![Vec::new(); ends.len()];
        for (index, &i) in order.iter().enumerate() {
            let others = &order[index + 1..];
            let n_others = others.partition_point(|j| extents[*j].0 <= extents[i].1);
            quirks.count_tests(n_others)?;
            for &j in &others[..n_others] {
                let [a, b] = ends[i].map(|p| self.points[p]);
                let [c, d] = ends[j].map(|p| self.points[p]);
                if a.y.max(b.y) < c.y.min(d.y) || c.y.max(d.y) < a.y.min(b.y) {
                    continue;
                }
                let (ca, cb) = (signed_area2(c, d, a), signed_area2(c, d, b));
                let (ac, ad) = (signed_area2(a, b, c), signed_area2(a, b, d));
                let is_opposite = |x: f64, y: f64| (x < 0.0 && 0.0 < y) || (y < 0.0 && 0.0 < x);
                if !(is_opposite(ca, cb) && is_opposite(ac, ad)) {
                    continue;
                }
                let (t, u) = (ca / (ca - cb), ac / (ac - ad));
                // The edge with the lower indices defines the point.
                let at = if ends[i] < ends[j] { a + (b - a) * t } else { c + (d - c) * u };
                let point = self.number(at);
                cuts[i].push((t, point));
                cuts[j].push((u, point));
                if limit + n_corners < self.points.len() {
                    return too_many(format!("in more than {limit} places"));
                }
            }
        }
        let mut edges = Vec::with_capacity(self.edges.len());
        for ((edge, ends), mut cut) in self.edges.iter().zip(ends).zip(cuts) {
            cut.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
            if *edge != ends {
                cut.reverse();
            }
            let mut last = edge[0];
            for point in cut.into_iter().map(|(_, point)| point).chain([edge[1]]) {
                if point != last {
                    edges.push([last, point]);
                    last = point;
                }
            }
        }
        self.edges = edges;
        Ok(())
    }
}
