//! Winding numbers in logarithmic time: parts of a surface far from the point count as dipoles.
//!
//! Each part of a tree of triangles has the sum of its area vectors and their spread about its
//! centre. A far part acts as a dipole, corrected by the spread. A near part is opened, down to
//! its triangles.
//!
//! Each result has a bound of its error. Let r be the radius of a part, R its distance, A its area
//! and q = r / R. The error of the part is at most A / (4 pi R^2) (1 / (1 - q)^2 - 1 - 2 q).
//! Reason: the k-th term of a charge's field is at most (k + 1) q^k / R^2, by S. Bernstein's
//! inequality for Legendre polynomials.
//!
//! Reference: G. Barill, N. Dickson, R. Schmidt, D. Levin, A. Jacobson, Fast Winding Numbers for
//! Soups and Clouds, ACM TOG 37(4), 2018, section 3.
//! Differs: a bound on the error, which also decides when to open a part. The spread has one order
//! instead of two.

use crate::children::Child;
use crate::tree::Bvh;
use alloc::vec;
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use carom_math::{rounding, tol};
use core::f64::consts::PI;
use glam::DVec3;

/// The winding number of a surface about a point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct WindingNumber {
    /// 1 inside a closed surface that faces outwards, 0 outside, -1 inside one that faces inwards.
    /// Near open parts it is between these numbers.
    pub value: f64,
    /// The error bound of the value. It does not include the rounding of the `f64` sum.
    pub error: f64,
}

impl WindingNumber {
    /// A number that is known exactly.
    pub fn exact(value: f64) -> WindingNumber {
        WindingNumber { value, error: 0.0 }
    }
}

/// Sums over each part of a tree of triangles, for winding numbers. All lengths are in units of
/// the tree.
///
/// `solid_angle(triangle, point)` of the queries returns the solid angle of a triangle as seen
/// from the point, in steradians. It is positive if the back of the triangle is seen. A closed
/// surface that faces outwards has 4 pi, seen from inside.
#[derive(Clone, Debug)]
pub struct WindingTree {
    /// By the reference of the child: see [`Bvh::children`].
    parts: Vec<FarField>,
}

/// The far field of a part of the surface. It is rounded to `f32`; the error bound includes the
/// rounding.
#[derive(Clone, Copy, Debug, Default)]
struct FarField {
    center: [f32; 3],
    /// The radius of a ball about the centre that contains the part.
    radius: f32,
    /// The sum of the areas.
    area: f32,
    /// The sum of the area vectors.
    normal: [f32; 3],
    /// The symmetric part of the sum of (position - center) area vector^T: xx, yy, zz, yz, zx, xy.
    spread: [f32; 6],
}

/// The data of a [`FarField`] before rounding.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// The sum of area times position.
    area_moment: DVec3,
    area: f64,
    normal: DVec3,
    center: DVec3,
    radius: f64,
    spread: [f64; 6],
}

impl Sums {
    /// Adds d n^T, made symmetric.
    fn add_spread(&mut self, d: DVec3, n: DVec3) {
        let mixed = [d.y * n.z + d.z * n.y, d.z * n.x + d.x * n.z, d.x * n.y + d.y * n.x];
        for k in 0..3 {
            self.spread[k] += d[k] * n[k];
            self.spread[3 + k] += 0.5 * mixed[k];
        }
    }

    /// The centre by area, as a point of `f32`. For parts without area, any point of them.
    fn set_center(&mut self, any: DVec3) {
        let center = if 0.0 < self.area { self.area_moment / self.area } else { any };
        self.center = center.as_vec3().as_dvec3();
    }
}

impl WindingTree {
    /// Computes the sums over the parts of a tree; its triangles have these corners.
    pub fn new(tree: &Bvh, corners: impl Fn(u32) -> [DVec3; 3]) -> WindingTree {
        let mut all = vec![Sums::default(); 8 * tree.n_nodes()];
        // Children have larger numbers than their parent, so they are visited first.
        for node in (0..tree.n_nodes() as u32).rev() {
            for (reference, child) in tree.children(node) {
                all[reference] = match child {
                    Child::Node(below) => {
                        merged(|| tree.children(below).filter_map(|(part, _)| all.get(part)))
                    }
                    Child::Leaf(leaf) => of_triangles(leaf.primitives, &corners),
                };
            }
        }
        WindingTree { parts: all.iter().map(FarField::new).collect() }
    }

    /// The winding number, to within the tolerance. With tolerance 0 it is the sum over all
    /// triangles.
    pub fn winding_number(
        &self,
        tree: &Bvh,
        solid_angle: &impl Fn(u32, DVec3) -> f64,
        point: DVec3,
        tolerance: f64,
    ) -> WindingNumber {
        self.refined(tree, solid_angle, point, |found| found.error <= tolerance)
    }

    /// Whether the winding number about the point is more than a half.
    pub fn is_inside(&self, tree: &Bvh, solid_angle: &impl Fn(u32, DVec3) -> f64, point: DVec3) -> bool {
        let found = self.refined(tree, solid_angle, point, |found| found.error < (found.value - 0.5).abs());
        0.5 < found.value
    }

    /// Estimates the winding number more and more precisely, until `is_enough` accepts the
    /// estimate. The last one is the sum over all triangles, and is returned in any case.
    pub fn refined(
        &self,
        tree: &Bvh,
        solid_angle: &impl Fn(u32, DVec3) -> f64,
        point: DVec3,
        is_enough: impl Fn(&WindingNumber) -> bool,
    ) -> WindingNumber {
        for ratio in tol::WINDING_RATIOS {
            let found = self.estimate(tree, solid_angle, point, ratio);
            if is_enough(&found) {
                return found;
            }
        }
        self.estimate(tree, solid_angle, point, 0.0)
    }

    /// Estimates the winding number. Parts with a radius below this fraction of their distance are
    /// far.
    fn estimate(
        &self,
        tree: &Bvh,
        solid_angle: &impl Fn(u32, DVec3) -> f64,
        point: DVec3,
        ratio: f64,
    ) -> WindingNumber {
        let (mut angle, mut error) = (0.0, 0.0);
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            for (reference, child) in tree.children(node) {
                let part = self.parts.get(reference).filter(|part| 0.0 < ratio && part.is_far(point, ratio));
                match (part, child) {
                    (Some(part), _) => {
                        let (more, wrong) = part.solid_angle(point);
                        angle += more;
                        error += wrong;
                    }
                    (None, Child::Node(below)) => open.push(below),
                    (None, Child::Leaf(leaf)) => {
                        angle += leaf.primitives.iter().map(|&t| solid_angle(t, point)).sum::<f64>();
                    }
                }
            }
        }
        WindingNumber { value: angle * (0.25 / PI), error: error * (0.25 / PI) }
    }
}

/// The sums over a few triangles.
fn of_triangles(triangles: &[u32], corners: &impl Fn(u32) -> [DVec3; 3]) -> Sums {
    let mut sums = Sums::default();
    let area_vector = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a) * 0.5;
    let middle = |[a, b, c]: [DVec3; 3]| (a + b + c) / 3.0;
    for &triangle in triangles {
        let t = corners(triangle);
        let normal = area_vector(t);
        let area = normal.length();
        sums.area += area;
        sums.normal += normal;
        sums.area_moment += middle(t) * area;
    }
    sums.set_center(triangles.first().map_or(DVec3::ZERO, |&triangle| corners(triangle)[0]));
    for &triangle in triangles {
        let t = corners(triangle);
        sums.add_spread(middle(t) - sums.center, area_vector(t));
        let reach = t.iter().fold(0.0_f64, |most, p| most.max((*p - sums.center).length_squared()));
        sums.radius = sums.radius.max(sqrt(reach));
    }
    sums
}

/// The sums over a few parts.
fn merged<'a, I: Iterator<Item = &'a Sums>>(parts: impl Fn() -> I) -> Sums {
    let mut sums = Sums::default();
    let mut any = DVec3::ZERO;
    for part in parts() {
        sums.area += part.area;
        sums.normal += part.normal;
        sums.area_moment += part.area_moment;
        any = part.center;
    }
    sums.set_center(any);
    for part in parts() {
        let d = part.center - sums.center;
        sums.add_spread(d, part.normal);
        for (sum, spread) in sums.spread.iter_mut().zip(part.spread) {
            *sum += spread;
        }
        sums.radius = sums.radius.max(d.length() + part.radius);
    }
    sums
}

impl FarField {
    fn new(sums: &Sums) -> FarField {
        FarField {
            center: sums.center.as_vec3().to_array(),
            // The factor covers the roundings of the `f64` sums.
            radius: rounding::up(sums.radius * (1.0 + 1e3 * f64::EPSILON)),
            area: rounding::up(sums.area * (1.0 + 1e3 * f64::EPSILON)),
            normal: sums.normal.as_vec3().to_array(),
            spread: sums.spread.map(|x| x as f32),
        }
    }

    fn center_from(&self, point: DVec3) -> DVec3 {
        DVec3::from_array(self.center.map(f64::from)) - point
    }

    fn is_far(&self, point: DVec3, ratio: f64) -> bool {
        let radius = f64::from(self.radius);
        radius * radius < ratio * ratio * self.center_from(point).length_squared()
    }

    /// The solid angle, and its error bound.
    fn solid_angle(&self, point: DVec3) -> (f64, f64) {
        let y = self.center_from(point);
        let distance_sq = y.length_squared();
        let distance = sqrt(distance_sq);
        let normal = DVec3::from_array(self.normal.map(f64::from));
        let [xx, yy, zz, yz, zx, xy] = self.spread.map(f64::from);
        let trace = xx + yy + zz;
        let along = xx * y.x * y.x
            + yy * y.y * y.y
            + zz * y.z * y.z
            + 2.0 * (yz * y.y * y.z + zx * y.z * y.x + xy * y.x * y.y);
        let angle = (normal.dot(y) + trace - 3.0 * along / distance_sq) / (distance_sq * distance);
        let q = f64::from(self.radius) / distance;
        let rest = 1.0 / ((1.0 - q) * (1.0 - q)) - 1.0 - 2.0 * q;
        // Covers the rounding of the sums to `f32`: some ten roundings of 2^-24 each.
        let rounded = 16.0 * f64::from(f32::EPSILON);
        (angle, f64::from(self.area) / distance_sq * (rest + rounded))
    }
}
