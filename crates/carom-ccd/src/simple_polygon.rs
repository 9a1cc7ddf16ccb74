//! A simple polygon, convex or not, and the time at which a moving ball or point first touches it.
//!
//! - An ear is three consecutive corners with no other corner in their triangle. Ears are cut off
//!   until one triangle is left.
//! - The ball is tested against these triangles, and the earliest contact is the answer. Cuts lie
//!   inside the polygon, and a face is hit no later than its sides.
//! - Corners that are straight between their neighbours are cut off first. Each leaves a triangle
//!   without area, so that it stays a corner of the surface.
//! - Every decision is the exact sign of an area, seen along one coordinate axis. No tolerance
//!   decides which polygons are simple.
//! - The answer is proved for the surface of the triangles. If the polygon is flat only to
//!   rounding, this is the surface that counts.
//!
//! Reference: G. Meisters, Polygons Have Ears, American Mathematical Monthly 82, 1975; D. Eberly,
//! Triangulation by Ear Clipping, 1998; Akenine-Moller et al., Real-Time Rendering, 4th ed.,
//! 25.11.3 (a ball against a polygon).
//! Differs: exact signs, and straight corners. Invalid polygons give an error that names the first
//! offender.

use crate::moving_sphere::{MovingSphere, Sides};
use crate::sphere_triangle::Polygon;
use crate::translate::sound_end;
use crate::{Clear, Earliest, TimeOfImpact};
use alloc::vec::Vec;
use carom_geom::{FeatureId, FeatureKind, ShapeError, check};
use carom_math::exact_sum::area_direction;
use carom_math::predicates::{orient2d_along, project};
use carom_math::{scaling, tol};
use core::fmt;
use glam::DVec3;

/// A static polygon in a plane with any number of corners, convex or not, without holes.
#[derive(Clone, Debug, PartialEq)]
pub struct SimplePolygon {
    corners: Vec<DVec3>,
    /// The unit normal. Seen from its side, the corners are counter-clockwise.
    normal: DVec3,
    ears: Vec<Ear>,
}

/// A triangle of the polygon.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ear {
    /// In the order of the polygon's corners.
    corners: [u32; 3],
    /// Whether the side between this corner and the next is on the rim of the polygon. It may be
    /// several edges in a line.
    is_rim: [bool; 3],
    /// Whether the middle corner lies between the others. The rim then runs from the first to the
    /// last.
    is_straight: bool,
}

/// The error of corners that form no simple polygon. Corners are numbered as given. An edge has the
/// number of the corner at which it begins.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SimplePolygonError {
    /// The number of corners is less than 3, or at least 2^32.
    Count(usize),
    /// The corner is not a valid point.
    Corner {
        /// The number of the corner.
        corner: usize,
        /// The error of the point.
        error: ShapeError,
    },
    /// All corners lie on a line.
    OnALine,
    /// The corner coincides with the next one, seen along the axis nearest to the normal.
    Repeated {
        /// The number of the corner.
        corner: usize,
    },
    /// The corner is not in the plane of the others.
    NotFlat {
        /// The number of the corner.
        corner: usize,
        /// Its distance from the polygon's plane, which lies midway between the outermost corners.
        distance: f64,
    },
    /// Two edges have a common point that is not the corner between them.
    Crossing {
        /// The first edge that another one crosses, touches, or overlaps.
        edge: usize,
        /// The first such other edge.
        other: usize,
    },
}

impl fmt::Display for SimplePolygonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SimplePolygonError::Count(n) => write!(f, "{n} corners make no polygon"),
            SimplePolygonError::Corner { corner, error } => write!(f, "corner {corner}: {error}"),
            SimplePolygonError::OnALine => write!(f, "all corners lie on a line"),
            SimplePolygonError::Repeated { corner } => write!(f, "corner {corner} is where the next one is"),
            SimplePolygonError::NotFlat { corner, distance } => {
                write!(f, "corner {corner} is {distance} off the plane of the polygon")
            }
            SimplePolygonError::Crossing { edge, other } => write!(f, "edge {edge} meets edge {other}"),
        }
    }
}

impl core::error::Error for SimplePolygonError {}

impl SimplePolygon {
    /// Builds a polygon from at least three corners in order. They must lie in one plane to within
    /// [`tol::POLYGON_FLAT`] times their largest coordinate. Neighbouring edges may lie in a line.
    /// Edges may meet only at the corner between neighbours.
    pub fn new(corners: &[DVec3]) -> Result<SimplePolygon, SimplePolygonError> {
        let n = corners.len();
        if n < 3 || u32::try_from(n).is_err() {
            return Err(SimplePolygonError::Count(n));
        }
        for (corner, &position) in corners.iter().enumerate() {
            check::point("a corner", position)
                .map_err(|error| SimplePolygonError::Corner { corner, error })?;
        }
        // Without an area, as in a figure eight, the normal of any triangle serves to find
        // crossings.
        let of_area = scaling::unit(area_direction(n, |i| corners[i]));
        let normal = of_area.or_else(|| any_normal(corners)).ok_or(SimplePolygonError::OnALine)?;
        check_flat(corners, normal)?;
        let axis = normal.abs().max_position();
        if let Some(corner) =
            (0..n).find(|&i| project(axis, corners[i]) == project(axis, corners[(i + 1) % n]))
        {
            return Err(SimplePolygonError::Repeated { corner });
        }
        let projected = ProjectedPolygon { corners, axis, sign: if normal[axis] < 0.0 { -1.0 } else { 1.0 } };
        if let Some([edge, other]) = projected.first_crossing() {
            return Err(SimplePolygonError::Crossing { edge, other });
        }
        // A simple polygon has ears.
        let ears = projected.ears().ok_or(SimplePolygonError::OnALine)?;
        Ok(SimplePolygon { corners: corners.to_vec(), normal, ears })
    }

    /// Returns the corners in order.
    #[inline]
    pub fn corners(&self) -> &[DVec3] {
        &self.corners
    }

    /// Returns the normal, of unit length to rounding. Seen from its side, the corners are
    /// counter-clockwise.
    #[inline]
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// Returns the triangles of the surface as corner numbers, oriented like the polygon. Some may
    /// have no area.
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = [u32; 3]> {
        self.ears.iter().map(|ear| ear.corners)
    }

    fn corners_of(&self, ear: &Ear) -> [DVec3; 3] {
        ear.corners.map(|corner| self.corners[corner as usize])
    }

    /// Returns the feature of the polygon that a feature of one of its triangles belongs to, at
    /// this point.
    fn feature(&self, ear: &Ear, of_ear: FeatureId, point: DVec3) -> FeatureId {
        match of_ear.kind() {
            FeatureKind::Vertex(k) => ear.corners.get(k as usize).map_or(of_ear, |&v| FeatureId::vertex(v)),
            FeatureKind::Edge(k) => {
                let k = k as usize % 3;
                if !ear.is_rim[k] {
                    return FeatureId::face(0);
                }
                let (from, to) = match ear.corners {
                    [first, _, last] if ear.is_straight && k == 2 => (first, last),
                    corners => (corners[k], corners[(k + 1) % 3]),
                };
                let next = |edge: u32| if edge as usize + 1 < self.corners.len() { edge + 1 } else { 0 };
                let along = self.corners[to as usize] - self.corners[from as usize];
                // Several edges may lie in a line: take the one that holds the point.
                let mut edge = from;
                while next(edge) != to && along.dot(self.corners[next(edge) as usize]) < along.dot(point) {
                    edge = next(edge);
                }
                FeatureId::edge(edge)
            }
            _ => of_ear,
        }
    }
}

impl MovingSphere {
    /// Returns the time at which the ball, A, first touches the polygon, B, from 0 to `end`. As
    /// [`MovingSphere::against_polygon`], for any simple polygon.
    pub fn against_simple_polygon(&self, polygon: &SimplePolygon, sides: Sides, end: f64) -> TimeOfImpact {
        let end = sound_end(end);
        if sides == Sides::Front {
            let behind = polygon.normal.dot(polygon.corners[0] - self.center());
            if 0.0 <= polygon.normal.dot(self.velocity()) || 0.0 < behind {
                return TimeOfImpact::Clear(Clear::new(0.0));
            }
        }
        let (from, to) = (self.center(), self.center_at(end));
        let (low, high) = (from.min(to) - self.radius(), from.max(to) + self.radius());
        let mut earliest = Earliest::new();
        for ear in &polygon.ears {
            let corners @ [x, y, z] = polygon.corners_of(ear);
            // Outside the box around the whole path. False for NaN.
            let above = (x.min(y).min(z) - high).max_element();
            let below = (low - x.max(y).max(z)).max_element();
            let reach = (x.abs().max(y.abs()).max(z.abs()) + low.abs() + high.abs()).max_element();
            let apart = above.max(below) - 4.0 * f64::EPSILON * reach;
            if 0.0 < apart {
                earliest.add_clear(apart);
                continue;
            }
            let mut answer = self.against_polygon(&Polygon::of(corners), Sides::Both, earliest.until(end));
            if let TimeOfImpact::Hit(impact) = &mut answer {
                impact.feature_b = polygon.feature(ear, impact.feature_b, impact.point_b);
            }
            earliest.add(answer);
        }
        earliest.answer()
    }
}

/// Returns the normal of some triangle of corners, or `None` if all lie on a line.
fn any_normal(corners: &[DVec3]) -> Option<DVec3> {
    let from = corners[0];
    let far = |d: &DVec3| d.length_squared();
    let &to = corners.iter().max_by(|&&x, &&y| far(&(x - from)).total_cmp(&far(&(y - from))))?;
    let line = scaling::unit(to - from)?;
    // Rounding must not make a plane of a line.
    let is_off = |&&p: &&DVec3| (0..3).any(|axis| orient2d_along(axis, from, to, p) != 0.0);
    let off = corners.iter().filter(is_off).map(|&p| line.cross(p - from));
    scaling::unit(off.max_by(|x, y| far(x).total_cmp(&far(y)))?)
}

/// Checks that all corners are near the plane midway between the outermost corners along the
/// normal.
fn check_flat(corners: &[DVec3], normal: DVec3) -> Result<(), SimplePolygonError> {
    let height = |p: DVec3| normal.dot(p - corners[0]);
    let heights = || corners.iter().map(|&p| height(p));
    let middle =
        0.5 * (heights().fold(f64::INFINITY, f64::min) + heights().fold(f64::NEG_INFINITY, f64::max));
    let largest = corners.iter().fold(0.0_f64, |largest, p| largest.max(p.abs().max_element()));
    for (corner, &position) in corners.iter().enumerate() {
        let distance = (height(position) - middle).abs();
        if !(distance <= tol::POLYGON_FLAT * largest) {
            return Err(SimplePolygonError::NotFlat { corner, distance });
        }
    }
    Ok(())
}

/// The polygon seen along an axis, so that it is counter-clockwise.
struct ProjectedPolygon<'a> {
    corners: &'a [DVec3],
    axis: usize,
    sign: f64,
}

impl ProjectedPolygon<'_> {
    /// Returns the sign of the turn at the second corner: positive to the left.
    fn turn(&self, [a, b, c]: [usize; 3]) -> f64 {
        self.sign * orient2d_along(self.axis, self.corners[a], self.corners[b], self.corners[c])
    }

    /// Returns the first edge that wrongly meets another, with the first such other edge.
    fn first_crossing(&self) -> Option<[usize; 2]> {
        let n = self.corners.len();
        let position_of = |i: usize| project(self.axis, self.corners[i % n]);
        // Sorted from left to right: edges meet only if their projections overlap.
        let mut order: Vec<(f64, f64, usize)> = (0..n)
            .map(|i| {
                (position_of(i).x.min(position_of(i + 1).x), position_of(i).x.max(position_of(i + 1).x), i)
            })
            .collect();
        order.sort_by(|x, y| x.0.total_cmp(&y.0));
        let mut first: Option<[usize; 2]> = None;
        for (number, &(_, right, i)) in order.iter().enumerate() {
            for &(_, _, j) in order[number + 1..].iter().take_while(|other| other.0 <= right) {
                let pair = [i.min(j), i.max(j)];
                if first.is_none_or(|first| pair < first) && self.meet(pair) {
                    first = Some(pair);
                }
            }
        }
        first
    }

    /// Whether two edges have a common point. For neighbours the corner between them does not
    /// count.
    fn meet(&self, [i, j]: [usize; 2]) -> bool {
        let n = self.corners.len();
        let (i_end, j_end) = ((i + 1) % n, (j + 1) % n);
        let position_of = |k: usize| project(self.axis, self.corners[k]);
        if i_end == j || j_end == i {
            // Neighbours meet only if one folds back on the other. In a triangle any two edges are
            // neighbours.
            let [a, b, c] = if i_end == j { [i, j, j_end] } else { [j, i, i_end] };
            let (p, q, r) = (position_of(a), position_of(b), position_of(c));
            let same_side = |x: f64, y: f64, z: f64| (x < y) == (z < y) && x != y && z != y;
            return self.turn([a, b, c]) == 0.0 && (same_side(p.x, q.x, r.x) || same_side(p.y, q.y, r.y));
        }
        let box_meets = |p: f64, q: f64, r: f64, s: f64| p.min(q) <= r.max(s) && r.min(s) <= p.max(q);
        let (p, q, r, s) = (position_of(i), position_of(i_end), position_of(j), position_of(j_end));
        if !(box_meets(p.x, q.x, r.x, s.x) && box_meets(p.y, q.y, r.y, s.y)) {
            return false;
        }
        // On a common line, edges meet if their boxes do.
        let parts = |x: f64, y: f64| x == 0.0 || y == 0.0 || (0.0 < x) != (0.0 < y);
        parts(self.turn([i, i_end, j]), self.turn([i, i_end, j_end]))
            && parts(self.turn([j, j_end, i]), self.turn([j, j_end, i_end]))
    }

    /// Cuts off ears until nothing is left. Returns `None` if there is no ear, as in a polygon that
    /// crosses itself.
    fn ears(&self) -> Option<Vec<Ear>> {
        let n = self.corners.len();
        let mut next: Vec<usize> = (0..n).map(|i| (i + 1) % n).collect();
        let mut previous: Vec<usize> = (0..n).map(|i| (i + n - 1) % n).collect();
        let mut is_rim = alloc::vec![true; n];
        // Only a corner that is not convex can lie in an ear.
        let is_pointed =
            |next: &[usize], previous: &[usize], i: usize| 0.0 < self.turn([previous[i], i, next[i]]);
        let mut pointed: Vec<bool> = (0..n).map(|i| is_pointed(&next, &previous, i)).collect();
        let mut ears = Vec::with_capacity(n - 2);
        let (mut at, mut n_left, mut n_tried) = (0, n, 0);
        let ear = |corners: [usize; 3], is_rim: [bool; 3], is_straight: bool| Ear {
            corners: corners.map(|i| i as u32),
            is_rim,
            is_straight,
        };
        while 3 < n_left {
            let (before, after) = (previous[at], next[at]);
            let is_straight = self.turn([before, at, after]) == 0.0;
            if !(is_straight || pointed[at] && self.is_ear(at, &next, &previous, &pointed)) {
                n_tried += 1;
                if n_left < n_tried {
                    return None;
                }
                at = after;
                continue;
            }
            let still_rim = is_straight && is_rim[before] && is_rim[at];
            ears.push(ear([before, at, after], [is_rim[before], is_rim[at], still_rim], is_straight));
            (next[before], previous[after], is_rim[before]) = (after, before, still_rim);
            for i in [before, after] {
                pointed[i] = is_pointed(&next, &previous, i);
            }
            (n_left, n_tried) = (n_left - 1, 0);
            // Continue elsewhere, so that not all triangles share one corner.
            at = next[after];
        }
        let (before, after) = (previous[at], next[at]);
        if self.turn([before, at, after]) <= 0.0 {
            return None;
        }
        ears.push(ear([before, at, after], [is_rim[before], is_rim[at], is_rim[after]], false));
        Some(ears)
    }

    /// Whether no other corner is in the triangle of a convex corner and its neighbours, or on its
    /// rim.
    fn is_ear(&self, at: usize, next: &[usize], previous: &[usize], pointed: &[bool]) -> bool {
        let (before, after) = (previous[at], next[at]);
        let mut other = next[after];
        while other != before {
            let is_blocking = !pointed[other]
                && 0.0 <= self.turn([before, at, other])
                && 0.0 <= self.turn([at, after, other])
                && 0.0 <= self.turn([after, before, other]);
            if is_blocking {
                return false;
            }
            other = next[other];
        }
        true
    }
}
