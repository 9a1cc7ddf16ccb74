//! A moving ball against a triangle or a convex polygon.
//!
//! - The centre is a point that moves against the polygon inflated by the radius. The inflated
//!   polygon is two faces, a cylinder around every edge, and a ball around every corner.
//! - It enters each of these at some time. A time counts if the touched point belongs to that
//!   feature. Faces come first, because they end the search.
//! - The least time is the first guess. It is then proved, and corrected if rounding made it wrong.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.11.3; K. Fauerby, Improved
//! Collision Detection and Response, 2003 (face, corners, edges).
//! Differs: the times of features are compared with each other. Inside tests use signs, independent
//! of size. Both sides count by default. Nearly degenerate triangles are not special.

use crate::moving_sphere::{MovingSphere, Sides, entry, tiny};
use crate::nearest::{Nearest, NearestFeature, level_axis, on_triangle};
use crate::translate::{Near, Translating, first_contact, sound_end};
use crate::{Clear, Earliest, Element, ElementSettings, Impact, Proof, TimeOfImpact};
use carom_geom::{FeatureId, ShapeError, check};
use carom_math::exact_number::{ExactNumber, ExactVec3};
use carom_math::ops::sqrt;
use carom_math::predicates::line_side;
use carom_math::scaling::{scale_of, unit};
use glam::DVec3;

/// The most corners of a polygon of this type.
pub const MAX_POLYGON_CORNERS: usize = 16;

/// A static triangle or convex polygon: the convex hull of its corners, which lie in a plane, in
/// order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Polygon {
    corners: [DVec3; MAX_POLYGON_CORNERS],
    n: usize,
}

impl Polygon {
    /// Builds a triangle. With corners on a line or at one point it is that segment or point.
    pub fn triangle(corners: [DVec3; 3]) -> Result<Polygon, ShapeError> {
        Polygon::new(&corners)
    }

    /// Builds a polygon from 1 to [`MAX_POLYGON_CORNERS`] corners in order. Another number of
    /// corners is an error, and so is a corner that is not finite or too far. A polygon that is
    /// not convex, or not flat, is treated as the triangle fan around its first corner.
    pub fn new(corners: &[DVec3]) -> Result<Polygon, ShapeError> {
        if corners.is_empty() {
            return Err(ShapeError::Empty { what: "the list of corners" });
        }
        if MAX_POLYGON_CORNERS < corners.len() {
            return Err(ShapeError::TooLarge { what: "the number of corners", value: corners.len() as f64 });
        }
        let mut polygon = Polygon { corners: [corners[0]; MAX_POLYGON_CORNERS], n: corners.len() };
        for (to, &corner) in polygon.corners.iter_mut().zip(corners) {
            check::point("a corner of the polygon", corner)?;
            *to = corner;
        }
        Ok(polygon)
    }

    /// Builds a triangle whose corners were checked.
    pub(crate) fn of(corners: [DVec3; 3]) -> Polygon {
        let mut polygon = Polygon { corners: [corners[0]; MAX_POLYGON_CORNERS], n: 3 };
        polygon.corners[..3].copy_from_slice(&corners);
        polygon
    }

    /// Returns the corners in order.
    #[inline]
    pub fn corners(&self) -> &[DVec3] {
        &self.corners[..self.n]
    }
}

/// Returns Newell's normal. Seen from its side, the corners are counter-clockwise. Zero if they
/// span no area.
pub(crate) fn area_normal(corners: &[DVec3]) -> DVec3 {
    let first = corners[0];
    (1..corners.len()).fold(DVec3::ZERO, |sum, i| {
        let next = if i + 1 < corners.len() { i + 1 } else { 0 };
        sum + (corners[i] - first).cross(corners[next] - first)
    })
}

/// Returns the time at which a ball with this radius enters the convex polygon with these corners,
/// by closed forms in plain `f64`. Its centre moves from the origin with the velocity `v`. `None`
/// if it does not enter before `end`.
pub(crate) fn entry_time(w: &[DVec3], v: DVec3, r: f64, end: f64) -> Option<f64> {
    let next = |i: usize| if i + 1 < w.len() { w[i + 1] } else { w[0] };
    let normal = area_normal(w);
    let length = sqrt(normal.length_squared());
    if 0.0 < length {
        let n = normal * (1.0 / length);
        // The height of the centre above the plane, and its rate of change.
        let (height, rate) = (-n.dot(w[0]), n.dot(v));
        let side = if height < 0.0 { -1.0 } else { 1.0 };
        let t = (side * height - r) / (-side * rate);
        if 0.0 <= t && t <= end {
            let touched = v * t - n * (side * r);
            let is_inside = |i: usize| 0.0 <= normal.dot((next(i) - w[i]).cross(touched - w[i]));
            if (0..w.len()).all(is_inside) {
                return Some(t);
            }
        }
    }
    let mut best = f64::INFINITY;
    for i in 0..w.len() {
        let edge = next(i) - w[i];
        let edge_sq = edge.length_squared();
        if 0.0 < edge_sq {
            // The squared distance from the line, times the squared length of the edge. All vectors
            // are perpendicular to the edge.
            let (p, q) = (edge.cross(w[i]), edge.cross(v));
            let t = entry(p, q, r * sqrt(edge_sq));
            let coordinate = (v * t - w[i]).dot(edge);
            if 0.0 <= coordinate && coordinate <= edge_sq && t < best {
                best = t;
            }
        }
        // A convex polygon has no hidden corner. At a concave corner the ball would lie within the
        // cylinders.
        let t = entry(w[i], v, r);
        if t < best {
            best = t;
        }
    }
    (best <= end).then_some(best)
}

impl MovingSphere {
    /// Returns the time at which the ball, A, first touches the polygon, B, from 0 to `end`.
    ///
    /// The centre at that time is [`MovingSphere::center_at`], and the touched point is `point_b`.
    /// The surface normal there, towards the centre, is minus `normal`. A ball that touches at the
    /// start hits at 0. With [`Sides::Front`] a ball that passes is clear at a distance of 0.
    pub fn against_polygon(&self, polygon: &Polygon, sides: Sides, end: f64) -> TimeOfImpact {
        // Relative to the centre, so that positions far from the origin lose no digits.
        let center = self.center();
        let mut most = self.radius().max(tiny(self.velocity()));
        for &corner in polygon.corners() {
            most = most.max((corner - center).abs().max_element());
        }
        let scale = scale_of(most);
        let mut pair = BallPolygon {
            center: center * scale,
            velocity: self.velocity() * scale,
            radius: self.radius() * scale,
            w: [DVec3::ZERO; MAX_POLYGON_CORNERS],
            n: polygon.n,
            size: 0.0,
            exact: (self, polygon),
        };
        for (to, &corner) in pair.w.iter_mut().zip(polygon.corners()) {
            *to = (corner - center) * scale;
            pair.size = pair.size.max(to.abs().element_sum());
        }
        if sides == Sides::Front {
            let normal = area_normal(&pair.w[..pair.n]);
            if 0.0 <= normal.dot(pair.velocity) || 0.0 < normal.dot(pair.w[0]) {
                return TimeOfImpact::Clear(Clear::new(0.0));
            }
        }
        let end = sound_end(end);
        let hint = entry_time(&pair.w[..pair.n], pair.velocity, pair.radius, end).unwrap_or(0.0);
        let answer = first_contact(&pair, hint, end, scale);
        match answer {
            // A ball of radius 0 is never inside anything: it passes through.
            TimeOfImpact::Undecided(undecided) if self.radius() == 0.0 => {
                let soon = 2.0 * undecided.t_safe;
                let until = if 0.0 < soon { soon.min(end) } else { end };
                self.passes(polygon, until).unwrap_or(answer)
            }
            _ => answer,
        }
    }

    /// Returns the time at which the centre passes through a triangle of the polygon's fan, if that
    /// can be proved.
    #[cold]
    fn passes(&self, polygon: &Polygon, end: f64) -> Option<TimeOfImpact> {
        // Relative to the centre, as above. The end of the path is rounded by no more than a
        // difference of corners.
        let (center, displacement) = (self.center(), self.velocity() * end);
        let corner = |i: usize| polygon.corners[i] - center;
        let mut earliest = Earliest::new();
        for i in 1..polygon.n.saturating_sub(1) {
            let at = |position: DVec3| [position, corner(0), corner(i), corner(i + 1)];
            let element = Element::vertex_face(at(DVec3::ZERO), at(displacement)).ok()?;
            let mut answer = element.time_of_impact(&ElementSettings::default());
            match &mut answer {
                TimeOfImpact::Hit(impact) => {
                    let slack = 4.0 * f64::EPSILON * end;
                    impact.t_lo = (impact.t_lo * end - slack).max(0.0);
                    impact.t_hi = (impact.t_hi * end + slack).min(end);
                    impact.point_a += center;
                    impact.point_b += center;
                    impact.feature_a = FeatureId::UNKNOWN;
                }
                // The path may run along the rim of the triangle.
                TimeOfImpact::Undecided(_) => {
                    let corners = [polygon.corners[0], polygon.corners[i], polygon.corners[i + 1]];
                    answer = self.pierces(&corners, end)?;
                }
                TimeOfImpact::Clear(_) => {}
            }
            earliest.add(answer);
        }
        let answer = earliest.answer();
        answer.hit().is_some().then_some(answer)
    }

    /// Returns the time at which the centre passes through a triangle, rim included, by exact
    /// signs. `None` if it moves in the plane of the triangle, or not at all.
    #[cold]
    fn pierces(&self, corners: &[DVec3; 3], end: f64) -> Option<TimeOfImpact> {
        let [a, b, c] = *corners;
        let side = |from: DVec3, to: DVec3| line_side(self.center(), self.velocity(), from, to);
        let sides = [side(a, b), side(b, c), side(c, a)];
        let normal = ExactVec3::difference(b, a).cross(&ExactVec3::difference(c, a));
        let rate = normal.dot(&ExactVec3::from(self.velocity()));
        if rate.sign() == 0.0 {
            return None;
        }
        let passed = TimeOfImpact::Clear(Clear::new(0.0));
        if sides.iter().any(|&x| 0.0 < x) && sides.iter().any(|&x| x < 0.0) {
            return Some(passed);
        }
        // The height of the plane, and the rate at which the centre rises to it.
        let height = normal.dot(&ExactVec3::difference(a, self.center()));
        let is_past = height.sign() * rate.sign() < 0.0;
        if is_past || (&(&rate.clone().abs() * &ExactNumber::from(end)) - &height.clone().abs()).sign() < 0.0
        {
            return Some(passed);
        }
        let time = height.quotient(&rate);
        let slack = 8.0 * f64::EPSILON * time;
        let bracket = [(time - slack).max(0.0), (time + slack).min(end)];
        let toward = unit((b - a).cross(c - a)).unwrap_or(DVec3::X);
        let toward = if rate.sign() < 0.0 { -toward } else { toward };
        let mut impact = Impact::new(bracket, [self.center_at(time); 2], toward, Proof::Overlap);
        impact.feature_b = FeatureId::face(0);
        Some(TimeOfImpact::Hit(impact))
    }
}

/// The polygon relative to the centre of the ball at the start.
struct BallPolygon<'a> {
    center: DVec3,
    velocity: DVec3,
    radius: f64,
    w: [DVec3; MAX_POLYGON_CORNERS],
    n: usize,
    size: f64,
    exact: (&'a MovingSphere, &'a Polygon),
}

impl BallPolygon<'_> {
    fn nearest_at(&self, t: f64) -> ([DVec3; 3], usize, Nearest) {
        let displacement = self.velocity * t;
        let at = |i: usize| self.w[i] - displacement;
        let mut best: Option<([DVec3; 3], usize, Nearest)> = None;
        // The fan of the polygon. A point and a segment are one triangle.
        for i in 1..(self.n - 1).max(2) {
            let corners = [at(0), at(i.min(self.n - 1)), at((i + 1).min(self.n - 1))];
            let found = on_triangle(&corners);
            let is_nearer = |(_, _, other): &([DVec3; 3], usize, Nearest)| {
                found.point.length_squared() < other.point.length_squared()
            };
            if best.as_ref().is_none_or(is_nearer) {
                best = Some((corners, i, found));
            }
        }
        best.unwrap_or_else(|| ([at(0); 3], 1, on_triangle(&[at(0); 3])))
    }

    /// Returns the feature number of the polygon for this part of the fan's triangle `i`.
    fn feature(&self, i: usize, part: NearestFeature) -> FeatureId {
        let last = self.n - 1;
        match part {
            NearestFeature::Corner(k) => FeatureId::vertex([0, i.min(last), (i + 1).min(last)][k] as u32),
            NearestFeature::Side(1) => FeatureId::edge(i.min(last) as u32),
            NearestFeature::Side(0) if i == 1 => FeatureId::edge(0),
            NearestFeature::Side(2) if i + 1 == last => FeatureId::edge(last as u32),
            _ => FeatureId::face(0),
        }
    }
}

impl Translating for BallPolygon<'_> {
    fn nearest(&self, t: f64) -> Near {
        let [e, f] = self.rounding();
        let (corners, i, nearest) = self.nearest_at(t);
        let axis = level_axis(&corners, &nearest).unwrap_or(DVec3::X);
        let distance = sqrt(nearest.point.length_squared());
        let center = self.center + self.velocity * t;
        Near {
            gap: distance - self.radius + e + f * t,
            axis,
            points: [center + axis * self.radius, center + nearest.point],
            features: [FeatureId::UNKNOWN, self.feature(i, nearest.part)],
        }
    }

    fn separation(&self, axis: DVec3) -> [f64; 2] {
        let [e, f] = self.rounding();
        let least = self.w[..self.n].iter().fold(f64::INFINITY, |least, &w| least.min(axis.dot(w)));
        [least - self.radius - e, -axis.dot(self.velocity) - f]
    }

    fn rounding(&self) -> [f64; 2] {
        // Differences, positions at t, weights of corners, products, sums and the length of the
        // axis: 16 u.
        let speed = self.velocity.abs().element_sum();
        [self.size + self.radius, speed].map(|x| 12.0 * f64::EPSILON * x)
    }

    fn touch_at_start(&self) -> bool {
        let (ball, polygon) = self.exact;
        let radius_sq = ExactNumber::from(ball.radius()).squared();
        let is_near = |p: &ExactNumber| (p - &radius_sq).sign() <= 0.0;
        let n = polygon.n;
        let from_center = |i: usize| ExactVec3::difference(polygon.corners[i], ball.center());
        for i in 0..n {
            let p = from_center(i);
            if is_near(&p.length_squared()) {
                return true;
            }
            let next = if i + 1 < n { i + 1 } else { 0 };
            let edge = ExactVec3::difference(polygon.corners[next], polygon.corners[i]);
            let (edge_sq, along_edge) = (edge.length_squared(), -p.dot(&edge));
            // An edge without length is a corner.
            let has_length = 0.0 < edge_sq.sign();
            let is_beside = has_length && 0.0 <= along_edge.sign() && (&along_edge - &edge_sq).sign() <= 0.0;
            if is_beside && (&p.cross(&edge).length_squared() - &(&radius_sq * &edge_sq)).sign() <= 0.0 {
                return true;
            }
        }
        // Above one of the triangles of the fan.
        let side = |a: &ExactVec3, b: &ExactVec3, normal: &ExactVec3| a.cross(b).dot(normal).sign();
        let apex = from_center(0);
        (1..n.saturating_sub(1)).any(|i| {
            let (p, q) = (from_center(i), from_center(i + 1));
            let normal = ExactVec3::difference(polygon.corners[i], polygon.corners[0])
                .cross(&ExactVec3::difference(polygon.corners[i + 1], polygon.corners[0]));
            let is_above = 0.0 <= side(&apex, &p, &normal)
                && 0.0 <= side(&p, &q, &normal)
                && 0.0 <= side(&q, &apex, &normal);
            let height = normal.dot(&apex);
            !normal.is_zero()
                && is_above
                && (&height.squared() - &(&radius_sq * &normal.length_squared())).sign() <= 0.0
        })
    }
}
