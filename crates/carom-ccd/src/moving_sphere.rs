//! A moving ball against a plane and against another ball: closed forms, bracketed by their
//! rounding.
//!
//! Against a plane, the signed distances at both ends give the time by similar triangles, on either
//! side. Two balls are a point that moves against a ball of both radii. That is a quadratic
//! equation, and its smaller root is computed without cancellation.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.11.1 (eq. 25.15) and 25.11.2
//! (eq. 25.16 to 25.21).
//! Differs: the discriminant is r^2 v^2 - |l x v|^2, which loses no digits if the balls start far
//! apart. A root is a bracket.

use crate::translate::{Near, Translating, first_contact, sound_end};
use crate::{Clear, TimeOfImpact};
use carom_geom::{FeatureId, ShapeError, check};
use carom_math::exact_number::{ExactNumber, ExactVec3};
use carom_math::ops::sqrt;
use carom_math::scaling::{length, scale_of};
use glam::DVec3;

/// A ball whose centre moves along a straight line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingSphere {
    center: DVec3,
    radius: f64,
    velocity: DVec3,
}

/// The sides from which a surface is hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Sides {
    /// Both sides, for a sheet.
    #[default]
    Both,
    /// Only the side to which the normal points, and only against the normal. A ball that starts
    /// behind, or moves along the normal, passes. Use it for closed surfaces, whose back faces are
    /// hit too late to matter.
    Front,
}

/// The plane of the points `x` with `normal . x + offset = 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SheetPlane {
    normal: DVec3,
    offset: f64,
}

impl SheetPlane {
    /// Builds a plane from a normal of any length except zero. The numbers are divided by this
    /// length and rounded. The quotients must be in the range of lengths.
    pub fn new(normal: DVec3, offset: f64) -> Result<SheetPlane, ShapeError> {
        check::point("the normal of the plane", normal)?;
        let size = length(normal);
        if !(0.0 < size) {
            return Err(ShapeError::NoDirection { what: "the normal of the plane" });
        }
        let offset = offset / size;
        check::length("the offset of the plane", offset.abs())?;
        Ok(SheetPlane { normal: normal / size, offset })
    }

    /// Returns the normal, of unit length to rounding.
    #[inline]
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// Returns minus the distance of the plane from the origin, along the normal.
    #[inline]
    pub fn offset(&self) -> f64 {
        self.offset
    }
}

impl MovingSphere {
    /// Builds a ball from its centre at the time 0, its radius, and the velocity of the centre.
    pub fn new(center: DVec3, radius: f64, velocity: DVec3) -> Result<MovingSphere, ShapeError> {
        check::point("the centre of the sphere", center)?;
        check::length("the radius of the sphere", radius)?;
        check::point("the velocity of the sphere", velocity)?;
        Ok(MovingSphere { center, radius, velocity })
    }

    /// Returns the centre at the time 0.
    #[inline]
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// Returns the radius.
    #[inline]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Returns the velocity, length per unit of time.
    #[inline]
    pub fn velocity(&self) -> DVec3 {
        self.velocity
    }

    /// Returns the centre at the time `t`.
    #[inline]
    pub fn center_at(&self, t: f64) -> DVec3 {
        self.center + self.velocity * t
    }

    /// Returns the time at which the ball, A, first touches the plane, B, from 0 to `end`.
    ///
    /// A ball that touches at the start hits at 0. With [`Sides::Front`] a ball that passes is
    /// clear at a distance of 0.
    pub fn against_plane(&self, plane: &SheetPlane, sides: Sides, end: f64) -> TimeOfImpact {
        let end = sound_end(end);
        let height = plane.normal.dot(self.center) + plane.offset;
        let rate = plane.normal.dot(self.velocity);
        if sides == Sides::Front && (height < 0.0 || 0.0 <= rate) {
            return TimeOfImpact::Clear(Clear::new(0.0));
        }
        let scale = scale_of(
            self.center.abs().max_element().max(self.radius).max(plane.offset.abs()).max(tiny(self.velocity)),
        );
        let side = if height < 0.0 { -1.0 } else { 1.0 };
        let n = plane.normal * side;
        let pair = BallPlane {
            center: self.center * scale,
            velocity: self.velocity * scale,
            radius: self.radius * scale,
            n,
            offset: side * plane.offset * scale,
        };
        // 25.15, with the signed distance at the end as s_c + rate * end.
        let hint = (height.abs() - self.radius) / (-side * rate);
        first_contact(&pair, hint, end, scale)
    }

    /// Returns the time at which this ball, A, first touches another, B, from 0 to `end`.
    pub fn against_sphere(&self, other: &MovingSphere, end: f64) -> TimeOfImpact {
        let l = other.center - self.center;
        let v = other.velocity - self.velocity;
        let most = l.abs().max_element().max(self.radius).max(other.radius).max(tiny(v));
        let scale = scale_of(most);
        let pair = Balls {
            center: self.center * scale,
            velocity: self.velocity * scale,
            l: l * scale,
            v: v * scale,
            radii: [self.radius * scale, other.radius * scale],
            exact: [self.center, other.center],
            exact_radii: [self.radius, other.radius],
        };
        first_contact(&pair, pair.hint(), sound_end(end), scale)
    }
}

/// Returns a speed that is negligible against the lengths at any time of interest. It sets the
/// scale if all lengths are zero.
pub(crate) fn tiny(velocity: DVec3) -> f64 {
    velocity.abs().max_element() * f64::from_bits((1023 - 100) << 52)
}

struct BallPlane {
    center: DVec3,
    velocity: DVec3,
    radius: f64,
    /// The normal towards the side on which the centre starts.
    n: DVec3,
    offset: f64,
}

impl BallPlane {
    fn height(&self, t: f64) -> f64 {
        self.n.dot(self.center) + self.offset + self.n.dot(self.velocity) * t
    }
}

impl Translating for BallPlane {
    fn nearest(&self, t: f64) -> Near {
        let [e, f] = self.rounding();
        let height = self.height(t);
        let center = self.center + self.velocity * t;
        let axis = if height < 0.0 { self.n } else { -self.n };
        Near {
            // On the other side of the plane, the ball has passed.
            gap: height - self.radius + e + f * t,
            axis,
            points: [center + axis * self.radius, center - self.n * height],
            features: [FeatureId::UNKNOWN, FeatureId::face(0)],
        }
    }

    fn separation(&self, axis: DVec3) -> [f64; 2] {
        // Only the normal can separate a body from a plane.
        let side = if axis.dot(self.n) < 0.0 { 1.0 } else { -1.0 };
        let at_start = side * (self.n.dot(self.center) + self.offset) - self.radius;
        let [e, f] = self.rounding();
        [at_start - e, side * self.n.dot(self.velocity) - f]
    }

    fn rounding(&self) -> [f64; 2] {
        // The normal is unit to 3 u, products and sums are 5 u, and the position at t another 4.
        let sum = |v: DVec3| (self.n * v).abs().element_sum();
        [sum(self.center) + self.offset.abs() + self.radius, sum(self.velocity)]
            .map(|x| 8.0 * f64::EPSILON * x)
    }

    fn touch_at_start(&self) -> bool {
        let (n, c) = (ExactVec3::from(self.n), ExactVec3::from(self.center));
        let height = &n.dot(&c) + &ExactNumber::from(self.offset);
        let reach = &ExactNumber::from(self.radius).squared() * &n.length_squared();
        (&height.squared() - &reach).sign() <= 0.0
    }
}

struct Balls {
    center: DVec3,
    velocity: DVec3,
    /// The centre of B relative to that of A. `v` is its velocity.
    l: DVec3,
    v: DVec3,
    radii: [f64; 2],
    exact: [DVec3; 2],
    exact_radii: [f64; 2],
}

impl Balls {
    /// Returns the smaller root of the quadratic, or the time at which the balls are nearest.
    fn hint(&self) -> f64 {
        let t = entry(-self.l, self.v, self.radii[0] + self.radii[1]);
        if t < f64::INFINITY { t } else { -self.l.dot(self.v) / self.v.length_squared() }
    }
}

/// Returns the least t from 0 on at which `|v t - p|` is `r`, from outside. Infinite if there is
/// none.
pub(crate) fn entry(p: DVec3, v: DVec3, r: f64) -> f64 {
    // a t^2 + b t + c = 0, eq. 25.17, with |p - v t|^2 - r^2.
    let (a, half_b) = (v.length_squared(), -p.dot(v));
    let discriminant = r * r * a - p.cross(v).length_squared();
    if !(half_b < 0.0 && 0.0 <= discriminant) {
        return f64::INFINITY;
    }
    let apart = sqrt(p.length_squared());
    let t = (apart - r) * (apart + r) / (sqrt(discriminant) - half_b);
    if 0.0 <= t { t } else { f64::INFINITY }
}

impl Translating for Balls {
    fn nearest(&self, t: f64) -> Near {
        let [e, f] = self.rounding();
        let displacement = self.l + self.v * t;
        let distance = sqrt(displacement.length_squared());
        let axis = if 0.0 < distance { displacement * (1.0 / distance) } else { DVec3::X };
        let center = self.center + self.velocity * t;
        Near {
            gap: distance - (self.radii[0] + self.radii[1]) + e + f * t,
            axis,
            points: [center + axis * self.radii[0], center + displacement - axis * self.radii[1]],
            features: [FeatureId::UNKNOWN; 2],
        }
    }

    fn separation(&self, axis: DVec3) -> [f64; 2] {
        let [e, f] = self.rounding();
        let at_start = axis.dot(self.l) - (self.radii[0] + self.radii[1]);
        [at_start - e, axis.dot(self.v) - f]
    }

    fn rounding(&self) -> [f64; 2] {
        // Differences, products, sums and the length of the axis: 10 u.
        let sum = |v: DVec3| v.abs().element_sum();
        [sum(self.l) + self.radii[0] + self.radii[1], sum(self.v)].map(|x| 8.0 * f64::EPSILON * x)
    }

    fn touch_at_start(&self) -> bool {
        let radius = &ExactNumber::from(self.exact_radii[0]) + &ExactNumber::from(self.exact_radii[1]);
        let displacement = ExactVec3::difference(self.exact[1], self.exact[0]);
        (&displacement.length_squared() - &radius.squared()).sign() <= 0.0
    }
}
