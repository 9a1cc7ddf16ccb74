//! Mass of rounded solids and of tapered capsules.
//!
//! A rounded polytope is the union of its core, a slab per face, a cylinder wedge per edge, and a
//! ball wedge per vertex. The normals of a vertex fill a polygon on the sphere. The integrals of n
//! and n n^T over it are sums over its sides, by the divergence theorem in its cone. A rounded
//! solid of revolution is described by lines and arcs, a rounded ellipsoid by its normals.
//!
//! Reference: J. Steiner, Ueber parallele Flaechen, 1840 (the pieces); A. van Oosterom, J.
//! Strackee, The Solid Angle of a Plane Triangle, 1983; M. Abramowitz, I. Stegun, Handbook of
//! Mathematical Functions, 1964, 25.4.30 (Gauss's rule).

use super::super::num::{Real, real, wide, widen};
use super::mass::{of_unit, outer, symmetric};
use super::{
    Capsule, Cone, ConvexHull, Cuboid, Cylinder, Ellipsoid, MassProperties, Rounded, Sphere, TaperedCapsule,
    Tetrahedron, Triangle,
};
use crate::normal::polygon_normal;
use alloc::vec;
use alloc::vec::Vec;
use carom_math::ops::{atan2, sin_cos, sqrt};
use carom_math::scaling::unit;
use core::f64::consts::{FRAC_PI_2, PI};
use glam::{DMat3, DVec3};

/// Returns Gauss's rule of eight points on the interval from -1 to 1, exact up to the fifteenth
/// power: node, half the weight.
fn gauss() -> impl Iterator<Item = (f64, f64)> {
    const RULE: [(f64, f64); 4] = [
        (0.183_434_642_495_649_8, 0.181_341_891_689_181),
        (0.525_532_409_916_329, 0.156_853_322_938_943_65),
        (0.796_666_477_413_626_7, 0.111_190_517_226_687_24),
        (0.960_289_856_497_536_3, 0.050_614_268_145_188_15),
    ];
    RULE.into_iter().flat_map(|(coordinate, weight)| [(-coordinate, weight), (coordinate, weight)])
}

/// Number of pieces of an arc; the rule is then right to rounding.
const N_PIECES: usize = 8;

/// Number of pieces of the quarter circles of an octant.
const N_OCTANT: usize = 20;

/// Returns sine, cosine and weight of angles from 0 to a right angle. They are denser at both
/// ends, to resolve sharp features there.
fn quarter_circle() -> Vec<(f64, f64, f64)> {
    let mut nodes = Vec::with_capacity(8 * N_OCTANT);
    for k in 0..N_OCTANT {
        for (node, weight) in gauss() {
            // Fractions from either end, each with all its digits.
            let n = N_OCTANT as f64;
            let mut s = (k as f64 + 0.5 + 0.5 * node) / n;
            let mut rest = ((N_OCTANT - 1 - k) as f64 + 0.5 - 0.5 * node) / n;
            let mut weight = weight / n;
            for _ in 0..2 {
                // s^2 (3 - 2 s), its complement, and its slope.
                weight *= 6.0 * s * rest;
                (s, rest) = (s * s * (1.0 + 2.0 * rest), rest * rest * (1.0 + 2.0 * s));
            }
            nodes.push((sin_cos(FRAC_PI_2 * s).0, sin_cos(FRAC_PI_2 * rest).0, FRAC_PI_2 * weight));
        }
    }
    nodes
}

/// Volume, and the integrals of x and x x^T.
struct Moments {
    volume: f64,
    first: DVec3,
    second: DMat3,
}

impl Moments {
    const NONE: Moments = Moments { volume: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    /// Adds the integrals over x = y + `shift`, given those over y.
    fn add_shifted(&mut self, shift: DVec3, volume: f64, first: DVec3, second: DMat3) {
        self.volume += volume;
        self.first += first + shift * volume;
        self.second += second + cross_terms(first, shift) + outer(shift) * volume;
    }

    /// Returns the mass about the centre; `origin` is the point with x = 0.
    fn mass_properties(&self, origin: DVec3, density: Real) -> MassProperties {
        if !(0.0 < self.volume && self.second.is_finite()) {
            return MassProperties::ZERO;
        }
        let center = self.first * (1.0 / self.volume);
        let spread = self.second - outer(center) * self.volume;
        let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
        let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - spread;
        of_unit(self.volume, origin + center, symmetric(inertia), density)
    }
}

/// Returns u v^T + v u^T.
fn cross_terms(u: DVec3, v: DVec3) -> DMat3 {
    outer(u + v) - outer(u) - outer(v)
}

/// A convex polytope, which may be flat: faces with normals and corners, counter-clockwise.
struct Faces {
    vertices: Vec<DVec3>,
    faces: Vec<(DVec3, Vec<u32>)>,
}

/// The integrals of 1, n and n n^T over the normals at a vertex. The first and the last are still
/// to be completed.
#[derive(Clone, Copy)]
struct Cone3 {
    first: DVec3,
    sides: DMat3,
}

impl Faces {
    fn rounded(mut self, radius: f64, density: Real) -> MassProperties {
        let r = radius;
        let (low, high) = self
            .vertices
            .iter()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v)));
        let origin = low * 0.5 + high * 0.5;
        self.vertices.iter_mut().for_each(|v| *v -= origin);
        let mut sum = Moments::NONE;
        let mut sides = Vec::new();
        for (face, (n, ring)) in self.faces.iter().enumerate() {
            let n = *n;
            let corner = |i: usize| self.vertices[ring[i] as usize];
            for i in 1..ring.len() - 1 {
                let (a, b, c) = (corner(0), corner(i), corner(i + 1));
                let (s, squares) = (a + b + c, outer(a) + outer(b) + outer(c));
                // The cone from the middle, and the slab on the triangle.
                let six = a.dot(b.cross(c));
                sum.volume += six / 6.0;
                sum.first += s * (six / 24.0);
                sum.second += (squares + outer(s)) * (six / 120.0);
                let area = 0.5 * (b - a).cross(c - a).dot(n);
                sum.volume += area * r;
                sum.first += (s * (1.0 / 3.0) + n * (0.5 * r)) * (area * r);
                sum.second += ((squares + outer(s)) * (1.0 / 12.0)
                    + cross_terms(s * (1.0 / 3.0), n) * (0.5 * r)
                    + outer(n) * (r * r / 3.0))
                    * (area * r);
            }
            for i in 0..ring.len() {
                sides.push((ring[i], ring[(i + 1) % ring.len()], face));
            }
        }
        sides.sort_unstable();
        let mut cones = vec![Cone3 { first: DVec3::ZERO, sides: DMat3::ZERO }; self.vertices.len()];
        let mut arcs = Vec::new();
        for &(from, to, left) in &sides {
            let at = sides.partition_point(|side| (side.0, side.1) < (to, from));
            let Some(&(start, end, right)) = sides.get(at) else { continue };
            if (start, end) != (to, from) {
                continue;
            }
            let (n_left, n_right) = (self.faces[left].0, self.faces[right].0);
            let offset = self.vertices[to as usize] - self.vertices[from as usize];
            let turn = n_right.cross(n_left);
            // An edge without length has the common direction of both faces.
            let Some(e) = unit(offset).or_else(|| unit(-turn)) else { continue };
            // From the right normal to the left one, about -e.
            let angle = atan2(turn.dot(-e), n_right.dot(n_left)).abs();
            let (sine, cosine) = sin_cos(0.5 * angle);
            let middle = n_right * cosine + n_right.cross(e) * sine;
            let across = e.cross(middle);
            if from < to {
                let length = sqrt(offset.length_squared());
                let center = (self.vertices[from as usize] + self.vertices[to as usize]) * 0.5;
                let volume = 0.5 * r * r * angle * length;
                let first = middle * (r * r * r * (2.0 / 3.0) * sine * length);
                // Twice the product of sine and cosine is the sine of the whole angle.
                let (wide, narrow) = (0.5 * angle + sine * cosine, 0.5 * angle - sine * cosine);
                let quartic = r * r * r * r * 0.25 * length;
                let second = outer(middle) * (wide * quartic)
                    + outer(across) * (narrow * quartic)
                    + outer(offset) * (volume / 12.0);
                sum.add_shifted(center, volume, first, second);
            }
            let cone = &mut cones[from as usize];
            cone.first -= e * (0.5 * angle);
            let moment = middle * (2.0 / 3.0 * sine);
            // e moment^T; the sum over the vertex is symmetric, so the transpose is averaged at the
            // end.
            cone.sides -= DMat3::from_cols(e * moment.x, e * moment.y, e * moment.z);
            arcs.push((from, n_right, middle, n_left));
        }
        let mut angles = vec![0.0; self.vertices.len()];
        for &(vertex, right, middle, left) in &arcs {
            let Some(axis) = unit(cones[vertex as usize].first) else { continue };
            angles[vertex as usize] += solid_angle(axis, right, middle) + solid_angle(axis, middle, left);
        }
        for ((&vertex, cone), &angle) in self.vertices.iter().zip(&cones).zip(&angles) {
            let cube = r * r * r;
            let second = DMat3::from_diagonal(DVec3::splat(angle / 3.0)) + symmetric(cone.sides);
            let (volume, first) = (angle * cube / 3.0, cone.first * (cube * r / 4.0));
            sum.add_shifted(vertex, volume, first, second * (cube * r * r / 5.0));
        }
        sum.mass_properties(origin, density)
    }
}

/// Returns the solid angle of a triangle of unit vectors, negative if it is clockwise seen from
/// outside.
fn solid_angle(a: DVec3, b: DVec3, c: DVec3) -> f64 {
    2.0 * atan2(a.dot(b.cross(c)), 1.0 + a.dot(b) + b.dot(c) + c.dot(a))
}

/// A piece of the outline of a solid of revolution, upwards in the half-plane (distance from the
/// axis, height).
enum Outline {
    Line([f64; 2], [f64; 2]),
    /// Centre, radius, and the angles above the horizontal of start and end.
    Arc([f64; 2], f64, f64, f64),
}

/// Returns the mass properties of a solid of revolution about the y axis.
fn revolved(pieces: &[Outline], density: Real) -> MassProperties {
    let points: Vec<(f64, f64, f64)> = pieces.iter().flat_map(samples).collect();
    let sum = |f: &dyn Fn(f64, f64) -> f64| PI * points.iter().map(|&(x, y, dy)| f(x, y) * dy).sum::<f64>();
    let volume = sum(&|x, _| x * x);
    if !(0.0 < volume) {
        return MassProperties::ZERO;
    }
    let center = sum(&|x, y| x * x * y) / volume;
    // For a disc: x^4 / 4 about a diameter, and its distance from the centre.
    let along = sum(&|x, _| 0.5 * (x * x) * (x * x));
    let across = 0.5 * along + sum(&|x, y| x * x * (y - center) * (y - center));
    let inertia = DMat3::from_diagonal(DVec3::new(across, along, across));
    of_unit(volume, DVec3::new(0.0, center, 0.0), inertia, density)
}

/// Returns points of a piece as (distance from the axis, height, weight in height).
fn samples(piece: &Outline) -> Vec<(f64, f64, f64)> {
    let mut out = Vec::new();
    match *piece {
        Outline::Line(from, to) => {
            // The highest power of a line here is the fourth.
            for (node, weight) in gauss() {
                let s = 0.5 + 0.5 * node;
                let at = |i: usize| from[i] + (to[i] - from[i]) * s;
                out.push((at(0), at(1), weight * (to[1] - from[1])));
            }
        }
        Outline::Arc([x, y], radius, from, to) => {
            let step = (to - from) / N_PIECES as f64;
            for k in 0..N_PIECES {
                for (node, weight) in gauss() {
                    let angle = from + step * (k as f64 + 0.5 + 0.5 * node);
                    let (sine, cosine) = sin_cos(angle);
                    out.push((x + radius * cosine, y + radius * sine, weight * step * radius * cosine));
                }
            }
        }
    }
    out
}

/// Returns the outline of the hull of two balls, or tori, with one slope.
fn tapered([lower, upper]: [([f64; 2], f64); 2], slope: f64, density: Real) -> MassProperties {
    let (sine, cosine) = sin_cos(slope);
    let touch = |([x, y], r): ([f64; 2], f64)| [x + r * cosine, y + r * sine];
    let pieces = [
        Outline::Arc(lower.0, lower.1, -FRAC_PI_2, slope),
        Outline::Line(touch(lower), touch(upper)),
        Outline::Arc(upper.0, upper.1, slope, FRAC_PI_2),
    ];
    revolved(&pieces, density)
}

impl TaperedCapsule {
    /// Returns mass, centre and inertia, in the shape's frame. `density` is mass per volume,
    /// finite and not negative.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let taper = self.taper();
        match taper.slope {
            Some((sine, cosine)) => {
                let ends =
                    [([0.0, -taper.half_height], taper.lower), ([0.0, taper.half_height], taper.upper)];
                tapered(ends, atan2(sine, cosine), density)
            }
            None => {
                let (center, radius, _) = taper.larger();
                revolved(&[Outline::Arc([0.0, center.y], radius, -FRAC_PI_2, FRAC_PI_2)], density)
            }
        }
    }
}

impl Rounded<Sphere> {
    /// Returns mass, centre and inertia, in the shape's frame. `density` is mass per volume,
    /// finite and not negative.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let r = wide(self.core().radius()) + wide(self.radius());
        revolved(&[Outline::Arc([0.0, 0.0], r, -FRAC_PI_2, FRAC_PI_2)], density)
    }
}

impl Rounded<Capsule> {
    /// Returns mass, centre and inertia, in the shape's frame. `density` is mass per volume,
    /// finite and not negative.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let (h, r) = (wide(self.core().half_height()), wide(self.core().radius()) + wide(self.radius()));
        tapered([([0.0, -h], r), ([0.0, h], r)], 0.0, density)
    }
}

impl Rounded<TaperedCapsule> {
    /// Returns mass, centre and inertia, in the shape's frame. `density` is mass per volume,
    /// finite and not negative.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let grown = |r: Real| real(wide(r) + wide(self.radius()));
        let core = self.core();
        let (upper, lower) = (grown(core.upper_radius()), grown(core.lower_radius()));
        TaperedCapsule::new(core.half_height(), upper, lower)
            .map_or(MassProperties::ZERO, |whole| whole.mass_properties(density))
    }
}

impl Rounded<Cylinder> {
    /// Returns mass, centre and inertia, in the shape's frame. `density` is mass per volume,
    /// finite and not negative.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let (h, x, r) = (wide(self.core().half_height()), wide(self.core().radius()), wide(self.radius()));
        tapered([([x, -h], r), ([x, h], r)], 0.0, density)
    }
}

impl Rounded<Cone> {
    /// Returns mass, centre and inertia, in the shape's frame. `density` is mass per volume,
    /// finite and not negative.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let (h, x, r) = (wide(self.core().half_height()), wide(self.core().radius()), wide(self.radius()));
        tapered([([x, -h], r), ([0.0, h], r)], atan2(x, 2.0 * h), density)
    }
}

impl Rounded<Cuboid> {
    /// Returns mass, centre and inertia, in the shape's frame. `density` is mass per volume,
    /// finite and not negative.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let h = widen(self.core().half_extents());
        let sign = |vertex: u32, axis: usize| if vertex >> axis & 1 == 0 { -1.0 } else { 1.0 };
        let corner = |v: u32| h * DVec3::new(sign(v, 0), sign(v, 1), sign(v, 2));
        let faces = (0..6).map(|face| {
            let (axis, is_upper) = (face / 2, face % 2);
            let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
            let base = (is_upper as u32) << axis;
            let ring = if is_upper == 1 { [0, u, u | v, v] } else { [0, v, u | v, u] };
            (DVec3::AXES[axis] * sign(base, axis), ring.map(|i| i | base).to_vec())
        });
        Faces { vertices: (0..8).map(corner).collect(), faces: faces.collect() }
            .rounded(wide(self.radius()), density)
    }
}

impl Rounded<Tetrahedron> {
    /// Returns mass, centre and inertia, in the shape's frame; zero if the tetrahedron is flat.
    /// `density` is mass per volume, finite and not negative.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let core = self.core();
        let mut faces = Vec::with_capacity(4);
        for face in 0..4 {
            let Some(normal) = core.face_normal(face) else { return MassProperties::ZERO };
            faces.push((normal, core.face(face).map(|v| v as u32).to_vec()));
        }
        if core.is_flat() {
            return MassProperties::ZERO;
        }
        Faces { vertices: core.corners_wide().to_vec(), faces }.rounded(wide(self.radius()), density)
    }
}

impl Rounded<Ellipsoid> {
    /// Returns mass, centre and inertia, in the shape's frame. `density` is mass per volume,
    /// finite and not negative.
    ///
    /// Uses quadrature over the normals. The result is right to rounding for radii within a factor
    /// of a thousand of each other, and to about 1e-6 otherwise.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let r = wide(self.radius());
        let radii = widen(self.core().radii());
        let size = radii.max_element();
        if size == 0.0 {
            return revolved(&[Outline::Arc([0.0, 0.0], r, -FRAC_PI_2, FRAC_PI_2)], density);
        }
        // An axis with almost no extent gets 2^-24 of the largest, so that normals along it stay
        // distinct.
        let e = radii.max(DVec3::splat(size / (1 << 24) as f64));
        let squares = e * e;
        // Normals and points of the ellipsoid are both dense at sharp regions. Directions halfway
        // between them are evenly spread.
        let half = 1.0 / DVec3::new(sqrt(e.x), sqrt(e.y), sqrt(e.z));
        let (product, stretch) = (e.element_product(), half.element_product());
        let nodes = quarter_circle();
        let (mut volume, mut spread) = (0.0, DVec3::ZERO);
        for &(sine, cosine, weight) in &nodes {
            for &(around_sine, around_cosine, around_weight) in &nodes {
                let w = half * DVec3::new(sine * around_cosine, sine * around_sine, cosine);
                let length = sqrt(w.length_squared());
                let n = w * (1.0 / length);
                // The distance of the supporting plane, and the product and sum of the radii of
                // curvature.
                let q = sqrt((squares * n).dot(n));
                let curvature = (product / (q * q)) * (product / (q * q));
                let both = (squares.element_sum() - (squares * n).length_squared() / (q * q)) / q;
                let area = curvature + r * both + r * r;
                let share = area * weight * around_weight * sine * stretch / (length * length * length);
                let x = squares * n * (1.0 / q) + n * r;
                volume += share * (q + r) * (8.0 / 3.0);
                spread += x * x * (share * (q + r) * (8.0 / 5.0));
            }
        }
        let moments = DVec3::splat(spread.element_sum()) - spread;
        of_unit(volume, DVec3::ZERO, DMat3::from_diagonal(moments), density)
    }
}

impl Rounded<Triangle> {
    /// Returns mass, centre and inertia, in the shape's frame; zero if the triangle has no area.
    /// `density` is mass per volume, finite and not negative.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let corners = self.core().corners_wide();
        let Some(normal) = polygon_normal(3, |i| corners[i]) else { return MassProperties::ZERO };
        let faces = vec![(normal, vec![0, 1, 2]), (-normal, vec![0, 2, 1])];
        Faces { vertices: corners.to_vec(), faces }.rounded(wide(self.radius()), density)
    }
}

impl Rounded<ConvexHull> {
    /// Returns mass, centre and inertia, in the shape's frame. `density` is mass per volume,
    /// finite and not negative.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let hull = self.core();
        let faces = (0..hull.n_faces() as u32)
            .map(|face| (hull.face_normal(face), hull.face_vertices(face).to_vec()))
            .collect();
        let vertices = hull.vertices().iter().map(|&v| widen(v)).collect();
        Faces { vertices, faces }.rounded(wide(self.radius()), density)
    }
}
