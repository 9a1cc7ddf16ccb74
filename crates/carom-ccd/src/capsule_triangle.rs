//! A moving capsule against a triangle. The two ends may differ in radius.
//!
//! - The capsule is the union of balls whose centre and radius are interpolated between the ends.
//! - The distance of such a ball from the triangle is a convex function of its parameter. The
//!   nearest ball is found by bisection on the sign of the derivative.
//! - That ball gives the axis, and axes prove everything else.
//! - If an edge meets the mantle, the axis has a closed form. It is perpendicular to the edge, and
//!   at the mantle's slope to the capsule's axis.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.11 (capsules and tapered
//! capsules for limbs); C. Ericson, Real-Time Collision Detection, 2005, 4.5 (swept spheres), 5.5.
//! Differs: one bracketed search for both kinds of capsule.

use crate::moving_sphere::{Sides, tiny};
use crate::nearest::{Nearest, NearestFeature, level_axis, on_triangle};
use crate::sphere_triangle::{Polygon, area_normal};
use crate::translate::{Near, Translating, first_contact, sound_end};
use crate::{Clear, TimeOfImpact};
use carom_geom::{FeatureId, ShapeError, check};
use carom_math::ops::sqrt;
use carom_math::scaling::scale_of;
use glam::DVec3;

/// A capsule, tapered or not, that moves along a straight line without rotation: the convex hull of
/// two balls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingCapsule {
    ends: [DVec3; 2],
    radii: [f64; 2],
    velocity: DVec3,
}

impl MovingCapsule {
    /// Builds a capsule from the centres of its end balls at the time 0, their radii, and the
    /// velocity of both.
    pub fn new(ends: [DVec3; 2], radii: [f64; 2], velocity: DVec3) -> Result<MovingCapsule, ShapeError> {
        check::point("the first end of the capsule", ends[0])?;
        check::point("the second end of the capsule", ends[1])?;
        check::length("the first radius of the capsule", radii[0])?;
        check::length("the second radius of the capsule", radii[1])?;
        check::point("the velocity of the capsule", velocity)?;
        Ok(MovingCapsule { ends, radii, velocity })
    }

    /// Returns the centres of the ends at the time `t`.
    #[inline]
    pub fn ends_at(&self, t: f64) -> [DVec3; 2] {
        self.ends.map(|end| end + self.velocity * t)
    }

    /// Returns the radii of the ends.
    #[inline]
    pub fn radii(&self) -> [f64; 2] {
        self.radii
    }

    /// Returns the time at which the capsule, A, first touches the triangle, B, from 0 to `end`.
    ///
    /// With [`Sides::Front`] a capsule passes if it does not move against the normal, or if its
    /// middle starts behind the plane. It is then clear at a distance of 0.
    pub fn against_triangle(
        &self,
        triangle: &[DVec3; 3],
        sides: Sides,
        end: f64,
    ) -> Result<TimeOfImpact, ShapeError> {
        let polygon = Polygon::triangle(*triangle)?;
        let from = self.ends[0];
        let mut most = self.radii[0].max(self.radii[1]).max(tiny(self.velocity));
        for corner in triangle.iter().chain([&self.ends[1]]) {
            most = most.max((*corner - from).abs().max_element());
        }
        let scale = scale_of(most);
        let w = triangle.map(|corner| (corner - from) * scale);
        let axis = (self.ends[1] - from) * scale;
        let velocity = self.velocity * scale;
        if sides == Sides::Front {
            let normal = area_normal(polygon.corners());
            if 0.0 <= normal.dot(self.velocity) || 0.0 < normal.dot(w[0] - axis * 0.5) {
                return Ok(TimeOfImpact::Clear(Clear::new(0.0)));
            }
        }
        let size = w.iter().fold(axis.abs().element_sum(), |size, w| size.max(w.abs().element_sum()));
        let radii = self.radii.map(|radius| radius * scale);
        let pair = CapsuleTriangle { from: from * scale, w, axis, radii, velocity, size };
        Ok(first_contact(&pair, 0.0, sound_end(end), scale))
    }
}

/// The triangle relative to the first end of the capsule at the start.
struct CapsuleTriangle {
    from: DVec3,
    w: [DVec3; 3],
    /// From the first end to the second.
    axis: DVec3,
    radii: [f64; 2],
    velocity: DVec3,
    size: f64,
}

/// The number of bisections of the parameter on the axis: to the last digit.
const N_HALVINGS: u32 = 56;

impl CapsuleTriangle {
    /// Returns the nearest point of the triangle to the centre at the parameter `s`, and the
    /// triangle relative to that centre.
    fn nearest_from(&self, displacement: DVec3, s: f64) -> ([DVec3; 3], Nearest) {
        let center = self.axis * s + displacement;
        let corners = self.w.map(|corner| corner - center);
        (corners, on_triangle(&corners))
    }

    fn radius(&self, s: f64) -> f64 {
        self.radii[0] * (1.0 - s) + self.radii[1] * s
    }

    /// Returns the parameter of the ball that is nearest to the triangle, or deepest in it.
    fn nearest_parameter(&self, displacement: DVec3) -> f64 {
        let taper = self.radii[1] - self.radii[0];
        // The derivative of the distance by the parameter, times the distance. It is minus the
        // component of the axis towards the triangle, minus the growth of the radius.
        let slope = |s: f64| {
            let (_, nearest) = self.nearest_from(displacement, s);
            -nearest.point.dot(self.axis) - taper * sqrt(nearest.point.length_squared())
        };
        if 0.0 <= slope(0.0) {
            return 0.0;
        }
        if slope(1.0) <= 0.0 {
            return 1.0;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..N_HALVINGS {
            let middle = 0.5 * (low + high);
            if !(low < middle && middle < high) {
                break;
            }
            if slope(middle) < 0.0 { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }

    /// Returns the axes perpendicular to this edge at the slope of the mantle. Along them both ends
    /// of the capsule are equally far.
    fn mantle_axes(&self, edge: DVec3) -> [Option<DVec3>; 2] {
        // Coordinates in the plane perpendicular to the edge: `p` along the projected axis of the
        // capsule, and `q`.
        let across = self.axis - edge * (self.axis.dot(edge) / edge.length_squared());
        let across_sq = across.length_squared();
        let q = edge.cross(across);
        let q_sq = q.length_squared();
        // n . axis = r_0 - r_1.
        let share = (self.radii[0] - self.radii[1]) / across_sq;
        let rest = 1.0 - share * share * across_sq;
        if !(0.0 < across_sq && 0.0 < q_sq && 0.0 <= rest) {
            return [None; 2];
        }
        let along_q = q * (sqrt(rest) / sqrt(q_sq));
        [Some(across * share + along_q), Some(across * share - along_q)]
    }
}

impl Translating for CapsuleTriangle {
    fn nearest(&self, t: f64) -> Near {
        let [e, f] = self.rounding();
        let displacement = self.velocity * t;
        let s = self.nearest_parameter(displacement);
        let (corners, nearest) = self.nearest_from(displacement, s);
        let distance = sqrt(nearest.point.length_squared());
        let radius = self.radius(s);
        let mut axis = level_axis(&corners, &nearest).unwrap_or(DVec3::X);
        let edges = match nearest.part {
            NearestFeature::Side(i) => i..i + 1,
            // Next to a corner or on the face, rounding may have hidden the edge.
            _ => 0..3,
        };
        if 0.0 < s && s < 1.0 {
            let height = |n: DVec3| {
                let [a, b] = self.separation(n);
                a + b * t
            };
            let mut best = height(axis);
            for i in edges {
                for n in self.mantle_axes(self.w[(i + 1) % 3] - self.w[i]).into_iter().flatten() {
                    let height = height(n);
                    if best < height {
                        (best, axis) = (height, n);
                    }
                }
            }
        }
        let center = self.from + self.axis * s + displacement;
        let feature_b = match nearest.part {
            NearestFeature::Corner(i) => FeatureId::vertex(i as u32),
            NearestFeature::Side(i) => FeatureId::edge(i as u32),
            NearestFeature::Inside => FeatureId::face(0),
        };
        Near {
            gap: distance - radius + e + f * t,
            axis,
            points: [center + axis * radius, center + nearest.point],
            features: [FeatureId::UNKNOWN, feature_b],
        }
    }

    fn separation(&self, n: DVec3) -> [f64; 2] {
        let [e, f] = self.rounding();
        let triangle = n.dot(self.w[0]).min(n.dot(self.w[1])).min(n.dot(self.w[2]));
        let capsule = self.radii[0].max(n.dot(self.axis) + self.radii[1]);
        [triangle - capsule - e, -n.dot(self.velocity) - f]
    }

    fn rounding(&self) -> [f64; 2] {
        // Differences, positions, products, sums, and the length of an axis made of two: 20 u.
        let speed = self.velocity.abs().element_sum();
        [self.size + self.radii[0] + self.radii[1], speed].map(|x| 16.0 * f64::EPSILON * x)
    }

    fn touch_at_start(&self) -> bool {
        // An exact closed form has square roots here. The answer is then undecided.
        false
    }
}
