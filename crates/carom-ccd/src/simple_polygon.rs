//! A polygon that need not be convex, and when a ball or a point that moves first touches it.
//!
//! Three corners in a row whose triangle has no other corner in it are an ear: it is cut off, until
//! a triangle is left. The ball is asked against these triangles, and the earliest contact is that
//! with the polygon: the sides along which they were cut are inside it, and a face is met no later
//! than they are. Corners that lie straight between their neighbours are cut off first; the
//! triangle without area that each leaves keeps it a corner of the surface.
//!
//! Every decision is the exact sign of an area, as seen along one axis of space, so no tolerance
//! parts what is simple from what is not. The answer is proved for the surface of the triangles; of
//! a polygon that is flat only to rounding that is what it is.
//!
//! Reference: G. Meisters, Polygons Have Ears, American Mathematical Monthly 82, 1975; D. Eberly,
//! Triangulation by Ear Clipping, 1998; Akenine-Moller et al., Real-Time Rendering, 4th ed.,
//! 25.11.3 (a ball against a polygon).
//! Differs: exact signs; straight corners; what is no polygon is refused, and the first place told
//! where it is none.

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

/// A polygon in a plane, of any number of corners, convex or not, with nothing cut out of it; it
/// stays where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct SimplePolygon {
    corners: Vec<DVec3>,
    /// Unit, of the side from which the corners go round counter-clockwise.
    normal: DVec3,
    ears: Vec<Ear>,
}

/// A triangle of the polygon.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ear {
    /// In the order in which the polygon goes round.
    corners: [u32; 3],
    /// The side between this corner and the next is on the rim of the polygon; it may be several
    /// edges in a line.
    is_rim: [bool; 3],
    /// The corner in the middle lies between the others: the polygon goes round from the first to
    /// the last.
    is_straight: bool,
}

/// Why corners are no polygon. Corners are numbered as given; an edge has the number of the corner
/// at which it begins.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SimplePolygonError {
    /// So many corners are too few, or more than 2^32.
    Count(usize),
    /// The corner is not a point.
    Corner {
        /// Its number.
        corner: usize,
        /// What is wrong with it.
        error: ShapeError,
    },
    /// All corners lie on a line.
    OnALine,
    /// The corner is where the next one is, as seen along the axis that is nearest the normal.
    Repeated {
        /// Its number.
        corner: usize,
    },
    /// The corner is not in the plane of the others.
    NotFlat {
        /// Its number.
        corner: usize,
        /// How far it is from the plane in the middle of all corners.
        distance: f64,
    },
    /// Two edges have a point in common that is not the corner between them.
    Crossing {
        /// The first edge that another crosses, touches, or goes back on.
        edge: usize,
        /// The first that does.
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
    /// From at least three corners in order, all in one plane to within a [`tol::POLYGON_FLAT`]th
    /// of their largest coordinate. Neighbouring edges may lie in a line; no edges may meet but
    /// where they are neighbours.
    pub fn new(corners: &[DVec3]) -> Result<SimplePolygon, SimplePolygonError> {
        let n = corners.len();
        if n < 3 || u32::try_from(n).is_err() {
            return Err(SimplePolygonError::Count(n));
        }
        for (corner, &place) in corners.iter().enumerate() {
            check::point("a corner", place).map_err(|error| SimplePolygonError::Corner { corner, error })?;
        }
        // Without an area, as of the figure of an eight, any triangle's normal will do to see what
        // crosses what.
        let of_area = scaling::unit(area_direction(n, |i| corners[i]));
        let normal = of_area.or_else(|| any_normal(corners)).ok_or(SimplePolygonError::OnALine)?;
        check_flat(corners, normal)?;
        let axis = normal.abs().max_position();
        if let Some(corner) =
            (0..n).find(|&i| project(axis, corners[i]) == project(axis, corners[(i + 1) % n]))
        {
            return Err(SimplePolygonError::Repeated { corner });
        }
        let seen = Seen { corners, axis, sign: if normal[axis] < 0.0 { -1.0 } else { 1.0 } };
        if let Some([edge, other]) = seen.first_crossing() {
            return Err(SimplePolygonError::Crossing { edge, other });
        }
        // What is simple has ears.
        let ears = seen.ears().ok_or(SimplePolygonError::OnALine)?;
        Ok(SimplePolygon { corners: corners.to_vec(), normal, ears })
    }

    /// The corners in order.
    #[inline]
    pub fn corners(&self) -> &[DVec3] {
        &self.corners
    }

    /// Unit to rounding, of the side from which the corners go round counter-clockwise.
    #[inline]
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// The triangles of the surface by the numbers of their corners, in the polygon's sense; some
    /// may be without area.
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = [u32; 3]> {
        self.ears.iter().map(|ear| ear.corners)
    }

    fn places(&self, ear: &Ear) -> [DVec3; 3] {
        ear.corners.map(|corner| self.corners[corner as usize])
    }

    /// The feature of the polygon that a feature of one of its triangles is part of, at this point.
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
                // Of edges in a line the one that has the point.
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
    /// When the ball, A, first touches the polygon, B, in the time from 0 to `end`: as
    /// [`MovingSphere::against_polygon`], convex or not.
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
            let corners @ [x, y, z] = polygon.places(ear);
            // Beside the box around all of the way; not so for NaN.
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

/// The normal of some triangle of corners; `None` where all lie on a line.
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

/// All corners are near the plane in their middle.
fn check_flat(corners: &[DVec3], normal: DVec3) -> Result<(), SimplePolygonError> {
    let height = |p: DVec3| normal.dot(p - corners[0]);
    let heights = || corners.iter().map(|&p| height(p));
    let middle =
        0.5 * (heights().fold(f64::INFINITY, f64::min) + heights().fold(f64::NEG_INFINITY, f64::max));
    let largest = corners.iter().fold(0.0_f64, |largest, p| largest.max(p.abs().max_element()));
    for (corner, &place) in corners.iter().enumerate() {
        let distance = (height(place) - middle).abs();
        if !(distance <= tol::POLYGON_FLAT * largest) {
            return Err(SimplePolygonError::NotFlat { corner, distance });
        }
    }
    Ok(())
}

/// The polygon as seen along an axis, so that it goes round counter-clockwise.
struct Seen<'a> {
    corners: &'a [DVec3],
    axis: usize,
    sign: f64,
}

impl Seen<'_> {
    /// The sign of the turn at the second corner: positive to the left.
    fn turn(&self, [a, b, c]: [usize; 3]) -> f64 {
        self.sign * orient2d_along(self.axis, self.corners[a], self.corners[b], self.corners[c])
    }

    /// The edge with the lowest number that meets another where it should not, and the lowest of
    /// those.
    fn first_crossing(&self) -> Option<[usize; 2]> {
        let n = self.corners.len();
        let place = |i: usize| project(self.axis, self.corners[i % n]);
        // From left to right: edges meet only where their shadows do.
        let mut order: Vec<(f64, f64, usize)> =
            (0..n).map(|i| (place(i).x.min(place(i + 1).x), place(i).x.max(place(i + 1).x), i)).collect();
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

    /// Two edges have a point in common, neighbours one besides their corner.
    fn meet(&self, [i, j]: [usize; 2]) -> bool {
        let n = self.corners.len();
        let (i_end, j_end) = ((i + 1) % n, (j + 1) % n);
        let place = |k: usize| project(self.axis, self.corners[k]);
        if i_end == j || j_end == i {
            // Neighbours: only where one goes back on the other. A triangle's edges are both on
            // both sides.
            let [a, b, c] = if i_end == j { [i, j, j_end] } else { [j, i, i_end] };
            let (p, q, r) = (place(a), place(b), place(c));
            let same_side = |x: f64, y: f64, z: f64| (x < y) == (z < y) && x != y && z != y;
            return self.turn([a, b, c]) == 0.0 && (same_side(p.x, q.x, r.x) || same_side(p.y, q.y, r.y));
        }
        let box_meets = |p: f64, q: f64, r: f64, s: f64| p.min(q) <= r.max(s) && r.min(s) <= p.max(q);
        let (p, q, r, s) = (place(i), place(i_end), place(j), place(j_end));
        if !(box_meets(p.x, q.x, r.x, s.x) && box_meets(p.y, q.y, r.y, s.y)) {
            return false;
        }
        // On a common line boxes that meet are edges that do.
        let parts = |x: f64, y: f64| x == 0.0 || y == 0.0 || (0.0 < x) != (0.0 < y);
        parts(self.turn([i, i_end, j]), self.turn([i, i_end, j_end]))
            && parts(self.turn([j, j_end, i]), self.turn([j, j_end, i_end]))
    }

    /// Cuts ears off until nothing is left; `None` where there is none, as of what crosses itself.
    fn ears(&self) -> Option<Vec<Ear>> {
        let n = self.corners.len();
        let mut next: Vec<usize> = (0..n).map(|i| (i + 1) % n).collect();
        let mut previous: Vec<usize> = (0..n).map(|i| (i + n - 1) % n).collect();
        let mut is_rim = alloc::vec![true; n];
        // Only a corner that is not pointed can be in the way of an ear.
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
            // From another place, so that not all triangles have one corner in common.
            at = next[after];
        }
        let (before, after) = (previous[at], next[at]);
        if self.turn([before, at, after]) <= 0.0 {
            return None;
        }
        ears.push(ear([before, at, after], [is_rim[before], is_rim[at], is_rim[after]], false));
        Some(ears)
    }

    /// No other corner is in the triangle of a pointed corner and its neighbours, or on its rim.
    fn is_ear(&self, at: usize, next: &[usize], previous: &[usize], pointed: &[bool]) -> bool {
        let (before, after) = (previous[at], next[at]);
        let mut other = next[after];
        while other != before {
            let is_in_the_way = !pointed[other]
                && 0.0 <= self.turn([before, at, other])
                && 0.0 <= self.turn([at, after, other])
                && 0.0 <= self.turn([after, before, other]);
            if is_in_the_way {
                return false;
            }
            other = next[other];
        }
        true
    }
}
