//! The time of impact of two convex polytopes that only translate: separating axes over time.
//!
//! On every axis the projections overlap for one interval of time. The bodies touch from the latest
//! start to the earliest end of these intervals. If a start is later than an end, they never touch.
//! The axis with the latest start gives the contact: a face of A, a face of B, or two edges. Two
//! flat bodies, which may lie in one plane, also have axes in their planes, across their edges.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.11.4; D. Eberly, Dynamic
//! Collision Detection Using Oriented Bounding Boxes, 1999, after R. Levine.
//! Differs: each start and each end is a bracket. Cross products of nearly parallel edges are
//! computed in twice the precision, so every axis is exact to rounding. Bodies that overlap on all
//! axes then certainly overlap.

use crate::moving_sphere::tiny;
use crate::search::undecided;
use crate::translate::sound_end;
use crate::{Clear, Impact, Proof, TimeOfImpact};
use alloc::vec::Vec;
use carom_geom::{FeatureId, ShapeError, check, tri_distance};
use carom_math::double_double::DoubleDoubleVec3;
use carom_math::ops::{atan2, sqrt};
use carom_math::scaling::scale_of;
use carom_math::tol;
use glam::DVec3;

/// A convex polytope given by its corners, faces and edges. It moves along a straight line without
/// rotation.
#[derive(Clone, Debug, PartialEq)]
pub struct MovingPolytope {
    corners: Vec<DVec3>,
    /// Three corners of each face that span it. One face is stored for two parallel ones.
    faces: Vec<[u32; 3]>,
    /// Two corners of each edge. One edge is stored for all parallel ones.
    edges: Vec<[u32; 2]>,
    velocity: DVec3,
}

impl MovingPolytope {
    /// Builds a triangle. Corners on a line are an error: such a triangle has no normal.
    pub fn triangle(corners: [DVec3; 3], velocity: DVec3) -> Result<MovingPolytope, ShapeError> {
        MovingPolytope::hull(&corners, &[[0, 1, 2]], &[[0, 1], [1, 2], [2, 0]], velocity)
    }

    /// Builds a box, or any parallelepiped, from its centre and the three vectors to the centres of
    /// its faces.
    pub fn cuboid(
        center: DVec3,
        half_axes: [DVec3; 3],
        velocity: DVec3,
    ) -> Result<MovingPolytope, ShapeError> {
        let corners: [DVec3; 8] = core::array::from_fn(|i| {
            (0..3).fold(center, |p, k| if i >> k & 1 == 1 { p + half_axes[k] } else { p - half_axes[k] })
        });
        // Corners 1, 2 and 4 differ from corner 0 along one axis each.
        MovingPolytope::hull(
            &corners,
            &[[0, 2, 4], [0, 4, 1], [0, 1, 2]],
            &[[0, 1], [0, 2], [0, 4]],
            velocity,
        )
    }

    /// Builds a convex polytope. Each face is given by three corners that span it, and each edge by
    /// its two. Parallel ones may be left out.
    ///
    /// The corners of a face must lie in a plane to within rounding. Otherwise a contact may be
    /// reported that is wrong by their distance from the plane. Degenerate faces, and invalid
    /// indices, are errors.
    pub fn hull(
        corners: &[DVec3],
        faces: &[[u32; 3]],
        edges: &[[u32; 2]],
        velocity: DVec3,
    ) -> Result<MovingPolytope, ShapeError> {
        if corners.is_empty() || faces.is_empty() || edges.is_empty() {
            return Err(ShapeError::Empty { what: "the list of corners, faces or edges" });
        }
        check::point("the velocity of the polytope", velocity)?;
        for &corner in corners {
            check::point("a corner of the polytope", corner)?;
        }
        let is_corner = |&i: &u32| (i as usize) < corners.len();
        if !(faces.iter().flatten().all(is_corner) && edges.iter().flatten().all(is_corner)) {
            return Err(ShapeError::Empty { what: "a corner that a face or an edge names" });
        }
        let polytope = MovingPolytope {
            corners: corners.to_vec(),
            faces: faces.to_vec(),
            edges: edges.to_vec(),
            velocity,
        };
        for face in faces {
            let [a, b, c] = face.map(|i| corners[i as usize]);
            if normal_of(a, b, a, c).is_none() {
                return Err(ShapeError::NoDirection { what: "the normal of a face" });
            }
        }
        Ok(polytope)
    }

    /// Returns the corners at the time 0.
    #[inline]
    pub fn corners(&self) -> &[DVec3] {
        &self.corners
    }

    /// Returns the velocity, length per unit of time.
    #[inline]
    pub fn velocity(&self) -> DVec3 {
        self.velocity
    }

    /// Returns the largest distance of a corner from the first one.
    fn size(&self) -> f64 {
        self.corners.iter().fold(0.0_f64, |size, &p| size.max((p - self.corners[0]).length()))
    }

    /// Whether all corners lie in one plane, or nearly.
    fn is_flat(&self) -> bool {
        let [p, q, r] = self.faces[0].map(|corner| self.corners[corner as usize]);
        let nearly = tol::TOUCHING_CORNER * self.size();
        normal_of(p, q, p, r).is_some_and(|n| self.corners.iter().all(|&c| n.dot(c - p).abs() <= nearly))
    }

    /// Returns the time at which this polytope, A, first touches the other, B, from 0 to `end`.
    ///
    /// For a hit on a face, that face is the feature. On the other side a single corner or edge is
    /// named if there is one. Bodies that touch and slide along each other are undecided within
    /// rounding.
    pub fn time_of_impact(&self, other: &MovingPolytope, end: f64) -> TimeOfImpact {
        Axes::new(self, other, sound_end(end)).run()
    }
}

/// The features that define an axis.
#[derive(Clone, Copy, Debug)]
enum Source {
    FaceOfA(usize),
    FaceOfB(usize),
    Edges(usize, usize),
    /// In the plane of a flat body, across one of its edges.
    EdgeOfA(usize),
    EdgeOfB(usize),
}

/// A linear lower bound of the distance, `a + b t`.
#[derive(Clone, Copy)]
struct Line {
    a: f64,
    b: f64,
}

impl Line {
    fn at(&self, t: f64) -> f64 {
        self.a + self.b * t
    }
}

struct Axes<'a> {
    bodies: [&'a MovingPolytope; 2],
    origin: DVec3,
    scale: f64,
    /// The velocity of B relative to A.
    velocity: DVec3,
    end: f64,
    rounding: [f64; 2],
    /// On [first_lo, last_hi] no tested axis separates the bodies.
    first_lo: f64,
    last_hi: f64,
    /// On [first_hi, last_lo] they overlap on all tested axes.
    first_hi: f64,
    last_lo: f64,
    /// The separation that holds until `first_lo`. `last` is the one from `last_hi` on.
    first: Option<Line>,
    /// That axis, or an earlier one that is equal within rounding: faces come before edges.
    contact: Option<(DVec3, Source)>,
    last: Option<Line>,
    /// The axis with the least overlap at the start.
    nearest: (f64, DVec3, Source),
}

impl<'a> Axes<'a> {
    fn new(a: &'a MovingPolytope, b: &'a MovingPolytope, end: f64) -> Axes<'a> {
        let origin = a.corners[0];
        let velocity = b.velocity - a.velocity;
        let mut sum = 0.0_f64;
        for &corner in a.corners.iter().chain(&b.corners) {
            sum = sum.max((corner - origin).abs().element_sum());
        }
        let scale = scale_of(sum.max(tiny(velocity)));
        // Differences, the axis, which is accurate to 26 u, products and sums: 40 u.
        let rounding = [sum, velocity.abs().element_sum()].map(|x| 32.0 * f64::EPSILON * (x * scale));
        Axes {
            bodies: [a, b],
            origin,
            scale,
            velocity: velocity * scale,
            end,
            rounding,
            first_lo: 0.0,
            last_hi: end,
            first_hi: 0.0,
            last_lo: end,
            first: None,
            contact: None,
            last: None,
            nearest: (f64::NEG_INFINITY, DVec3::X, Source::FaceOfA(0)),
        }
    }

    fn run(mut self) -> TimeOfImpact {
        let [a, b] = self.bodies;
        let faces = [a, b].into_iter().enumerate().flat_map(|(k, body)| {
            body.faces.iter().enumerate().map(move |(i, face)| {
                let [p, q, r] = face.map(|corner| body.corners[corner as usize]);
                (normal_of(p, q, p, r), if k == 0 { Source::FaceOfA(i) } else { Source::FaceOfB(i) })
            })
        });
        let edges = a.edges.iter().enumerate().flat_map(|(i, edge_a)| {
            let [p, q] = edge_a.map(|corner| a.corners[corner as usize]);
            b.edges.iter().enumerate().map(move |(j, edge_b)| {
                let [r, s] = edge_b.map(|corner| b.corners[corner as usize]);
                // Parallel edges have no axis, and need none.
                (normal_of(p, q, r, s), Source::Edges(i, j))
            })
        });
        let are_flat = a.is_flat() && b.is_flat();
        let sides = [a, b].into_iter().enumerate().filter(|_| are_flat).flat_map(|(k, body)| {
            let [p, q, r] = body.faces[0].map(|corner| body.corners[corner as usize]);
            let normal = normal_of(p, q, p, r).unwrap_or(DVec3::ZERO);
            body.edges.iter().enumerate().map(move |(i, edge)| {
                let [p, q] = edge.map(|corner| body.corners[corner as usize]);
                let source = if k == 0 { Source::EdgeOfA(i) } else { Source::EdgeOfB(i) };
                (normal_of(p, q, DVec3::ZERO, normal), source)
            })
        });
        for (axis, source) in faces.chain(edges).chain(sides) {
            let Some(axis) = axis else { continue };
            if let Some(clear) = self.test_axis(axis, source) {
                return clear;
            }
        }
        self.conclude()
    }

    /// Tests one axis, in both directions. Returns clear if it, alone or with another, separates
    /// the bodies at all times.
    fn test_axis(&mut self, axis: DVec3, source: Source) -> Option<TimeOfImpact> {
        let interval = |body: &MovingPolytope| {
            body.corners.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &corner| {
                let x = axis.dot((corner - self.origin) * self.scale);
                (low.min(x), high.max(x))
            })
        };
        let [(a_low, a_high), (b_low, b_high)] = self.bodies.map(interval);
        let rate = axis.dot(self.velocity);
        for (gap, rate, n) in [(b_low - a_high, rate, axis), (a_low - b_high, -rate, -axis)] {
            let [e, f] = self.rounding;
            if self.nearest.0 < gap {
                self.nearest = (gap, n, source);
            }
            // The bodies are apart while this is above 0.
            let apart = Line { a: gap - e, b: rate - f };
            // They overlap on this axis while this is not above 0.
            let over = Line { a: gap + e, b: rate + f };
            if 0.0 < apart.a.min(apart.at(self.end)) {
                // They are apart at all times.
                return Some(self.clear(apart.a.min(apart.at(self.end))));
            }
            if 0.0 < apart.a {
                let until = apart.a / -apart.b;
                if self.contact.is_none() || 4.0 * (e + f * self.first_lo) < apart.at(self.first_lo) {
                    self.contact = Some((n, source));
                }
                if self.first_lo <= until {
                    (self.first_lo, self.first) = (until, Some(apart));
                }
            } else if 0.0 < apart.at(self.end) {
                let from = -apart.a / apart.b;
                if from <= self.last_hi {
                    (self.last_hi, self.last) = (from, Some(apart));
                }
            }
            if 0.0 < over.a {
                // The time is infinite if the gap does not shrink.
                self.first_hi =
                    self.first_hi.max(if over.b < 0.0 { over.a / -over.b } else { f64::INFINITY });
            } else if 0.0 < over.at(self.end) {
                self.last_lo = self.last_lo.min(-over.a / over.b);
            }
        }
        if let (true, Some(first), Some(last)) = (self.last_hi < self.first_lo, self.first, self.last) {
            // One axis separates until after the other has begun to.
            let crossing = (last.a - first.a) / (first.b - last.b);
            return Some(self.clear(first.at(crossing).max(0.0)));
        }
        None
    }

    fn clear(&self, distance: f64) -> TimeOfImpact {
        TimeOfImpact::Clear(Clear::new(distance / self.scale))
    }

    fn conclude(&self) -> TimeOfImpact {
        let (n, source) = self.contact.unwrap_or((self.nearest.1, self.nearest.2));
        let is_proved = self.first_hi <= self.last_lo;
        let t = if is_proved { self.first_hi } else { self.first_lo };
        let ([point_a, point_b], distance, [single_a, single_b]) = self.touch(n, t);
        if !is_proved {
            let [e, f] = self.rounding;
            let size = self.bodies[0].size().max(self.bodies[1].size());
            let rounding = (e + f * t) / self.scale + tol::TOUCHING_CORNER * size;
            return undecided(t, distance, 0.0, rounding);
        }
        let mut impact = Impact::new([self.first_lo, self.first_hi], [point_a, point_b], n, Proof::Overlap);
        [impact.feature_a, impact.feature_b] = match source {
            Source::FaceOfA(i) => [FeatureId::face(i as u32), single_b],
            Source::FaceOfB(i) => [single_a, FeatureId::face(i as u32)],
            Source::Edges(i, j) => [FeatureId::edge(i as u32), FeatureId::edge(j as u32)],
            Source::EdgeOfA(i) => [FeatureId::edge(i as u32), single_b],
            Source::EdgeOfB(i) => [single_a, FeatureId::edge(i as u32)],
        };
        TimeOfImpact::Hit(impact)
    }

    /// Returns the nearest points of the two supporting features along `n`, their distance, and
    /// their corners if those are single.
    fn touch(&self, n: DVec3, t: f64) -> ([DVec3; 2], f64, [FeatureId; 2]) {
        let mut single = [FeatureId::UNKNOWN; 2];
        let mut sides: [Vec<DVec3>; 2] = [Vec::new(), Vec::new()];
        for k in 0..2 {
            let body = self.bodies[k];
            let displacement = body.velocity * t;
            let height = |p: DVec3| if k == 0 { n.dot(p - self.origin) } else { -n.dot(p - self.origin) };
            let most = body.corners.iter().fold(f64::NEG_INFINITY, |most, &p| most.max(height(p)));
            let size = body.size();
            for (i, &p) in body.corners.iter().enumerate() {
                if most - tol::TOUCHING_CORNER * size <= height(p) {
                    sides[k].push(p + displacement);
                    single[k] = FeatureId::vertex(i as u32);
                }
            }
            if 1 < sides[k].len() {
                single[k] = FeatureId::UNKNOWN;
            }
        }
        let mut best: Option<tri_distance::ClosestPoints> = None;
        let [side_a, side_b] = &mut sides;
        let b_side: Vec<[DVec3; 3]> = triangles(side_b, n).collect();
        for a in triangles(side_a, n) {
            for b in &b_side {
                let found = tri_distance::closest_points(&a, b);
                if best.is_none_or(|best| found.distance < best.distance) {
                    best = Some(found);
                }
            }
        }
        match best {
            Some(found) => ([found.point_a, found.point_b], found.distance, single),
            None => ([self.bodies[0].corners[0]; 2], 0.0, single),
        }
    }
}

/// Returns triangles that cover the convex hull of points in a plane perpendicular to `n`. Fewer
/// than four points give one triangle.
fn triangles(points: &mut [DVec3], n: DVec3) -> impl Iterator<Item = [DVec3; 3]> {
    let first = points[0];
    let right = n.any_orthonormal_vector();
    let up = n.cross(right);
    let middle = points.iter().fold(DVec3::ZERO, |sum, &p| sum + (p - first)) / points.len() as f64;
    let angle = |p: DVec3| {
        let from = p - first - middle;
        atan2(from.dot(up), from.dot(right))
    };
    points.sort_unstable_by(|&a, &b| angle(a).total_cmp(&angle(b)));
    let last = points.len() - 1;
    (1..last.max(2)).map(move |i| [points[0], points[i.min(last)], points[(i + 1).min(last)]])
}

/// Returns the unit vector along `(b - a) x (d - c)`, accurate to rounding for any angle. `None` if
/// it is zero.
fn normal_of(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Option<DVec3> {
    let scale = |p: DVec3, q: DVec3| scale_of((q - p).abs().max_element());
    let (scale_e, scale_f) = (scale(a, b), scale(c, d));
    let (e, f) = ((b - a) * scale_e, (d - c) * scale_f);
    let mut normal = e.cross(f);
    // A sine below a quarter magnifies rounding by more than four.
    if normal.length_squared() < e.length_squared() * f.length_squared() / 16.0 {
        let e = DoubleDoubleVec3::difference(b, a).scaled(scale_e);
        let f = DoubleDoubleVec3::difference(d, c).scaled(scale_f);
        normal = e.cross(f).to_dvec3();
    }
    let largest = normal.abs().max_element();
    // Below 2^-98 of the edges, the result is rounding of zero even in twice the precision.
    if !(f64::from_bits((1023 - 98) << 52) < largest) {
        return None;
    }
    let normal = normal * scale_of(largest);
    Some(normal * (1.0 / sqrt(normal.length_squared())))
}
