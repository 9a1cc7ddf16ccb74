//! Sums of squared distances to planes, as functions of a point, and their minimum, optionally
//! above other planes.
//!
//! The minimum above planes is found plane by plane. If the best point so far violates a plane,
//! the new best point lies on it. That is a problem with one dimension less among the planes
//! before it.
//!
//! Reference: M. Garland, P. Heckbert, Surface Simplification Using Quadric Error Metrics,
//! SIGGRAPH 1997, section 4; R. Seidel, Small-Dimensional Linear Programming and Convex Hulls Made
//! Easy, Discrete & Computational Geometry 6, 1991.
//! Differs: a quadratic in place of a linear objective, for which the same argument holds. The
//! planes are few and stay in the given order, so the expected time is not proven to be linear.

use carom_math::ops::sqrt;
use carom_math::scaling::unit;
use core::ops::Add;
use glam::{DMat3, DVec3};

/// `p . h p - 2 g . p + c`: a sum of squared distances from planes, each times an area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Quadric {
    h: DMat3,
    g: DVec3,
    c: f64,
}

impl Quadric {
    pub(crate) const ZERO: Quadric = Quadric { h: DMat3::ZERO, g: DVec3::ZERO, c: 0.0 };

    /// Returns the squared distance from the plane of a triangle times the triangle's area; zero
    /// if the area is zero.
    pub(crate) fn of_triangle(t: &[DVec3; 3]) -> Quadric {
        let cross = (t[1] - t[0]).cross(t[2] - t[0]);
        let Some(normal) = unit(cross) else { return Quadric::ZERO };
        let area = 0.5 * sqrt(cross.length_squared());
        let offset = normal.dot(t[0]);
        let h = DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z) * area;
        Quadric { h, g: normal * (area * offset), c: area * offset * offset }
    }

    /// The sum of the areas.
    pub(crate) fn weight(&self) -> f64 {
        self.h.x_axis.x + self.h.y_axis.y + self.h.z_axis.z
    }

    /// The sum at a point; not negative.
    pub(crate) fn at(&self, p: DVec3) -> f64 {
        (p.dot(self.h * p) - 2.0 * self.g.dot(p) + self.c).max(0.0)
    }

    /// Returns the point above all planes at which the sum is least, `None` if no point is above
    /// all. Each plane is a unit normal and an offset. A point may be below a plane by `slack`, a
    /// length. The sum includes the squared distance from `home`, times `stiffness` and
    /// [`Quadric::weight`].
    pub(crate) fn least(
        &self,
        home: DVec3,
        stiffness: f64,
        above: &[(DVec3, f64)],
        slack: f64,
    ) -> Option<DVec3> {
        let weight = if 0.0 < self.weight() { stiffness * self.weight() } else { 1.0 };
        let h = self.h + DMat3::from_diagonal(DVec3::splat(weight));
        // Around home, so that coordinates are small.
        let g = self.g - self.h * home;
        let mut best = h.inverse() * g;
        for (i, &(normal, offset)) in above.iter().enumerate() {
            let offset = offset - normal.dot(home);
            if normal.dot(best) < offset - slack {
                best = on_plane(
                    &h,
                    g,
                    normal,
                    offset,
                    above[..i].iter().map(|&(n, d)| (n, d - n.dot(home))),
                    slack,
                )?;
            }
        }
        let best = best + home;
        best.is_finite().then_some(best)
    }
}

impl Add for Quadric {
    type Output = Quadric;

    fn add(self, other: Quadric) -> Quadric {
        Quadric { h: self.h + other.h, g: self.g + other.g, c: self.c + other.c }
    }
}

/// The least of `p . h p - 2 g . p` on a plane and above others.
fn on_plane(
    h: &DMat3,
    g: DVec3,
    normal: DVec3,
    offset: f64,
    above: impl Iterator<Item = (DVec3, f64)> + Clone,
    slack: f64,
) -> Option<DVec3> {
    let origin = normal * offset;
    let u = normal.any_orthonormal_vector();
    let w = normal.cross(u);
    let pull = g - *h * origin;
    let (gu, gw) = (u.dot(pull), w.dot(pull));
    let (uu, uw, ww) = (u.dot(*h * u), u.dot(*h * w), w.dot(*h * w));
    let determinant = uu * ww - uw * uw;
    let mut best = origin + u * ((ww * gu - uw * gw) / determinant) + w * ((uu * gw - uw * gu) / determinant);
    for (i, (n, d)) in above.clone().enumerate() {
        if d - slack <= n.dot(best) {
            continue;
        }
        // The line where both planes meet.
        let along = normal.cross(n);
        let sine_sq = along.length_squared();
        // rounding: the sine of planes that are parallel.
        if sine_sq <= 64.0 * f64::EPSILON * f64::EPSILON {
            return None;
        }
        let cosine = normal.dot(n);
        let start = (normal * (offset - d * cosine) + n * (d - offset * cosine)) / sine_sq;
        best = on_line(h, g, start, along / sqrt(sine_sq), above.clone().take(i), slack)?;
    }
    Some(best)
}

/// The least of `p . h p - 2 g . p` on a line and above planes.
fn on_line(
    h: &DMat3,
    g: DVec3,
    start: DVec3,
    along: DVec3,
    above: impl Iterator<Item = (DVec3, f64)>,
    slack: f64,
) -> Option<DVec3> {
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    for (n, d) in above {
        let (rate, gap) = (n.dot(along), d - n.dot(start));
        // rounding: a line along the plane.
        if rate.abs() <= 8.0 * f64::EPSILON {
            if slack < gap {
                return None;
            }
        } else if 0.0 < rate {
            low = low.max(gap / rate);
        } else {
            high = high.min(gap / rate);
        }
    }
    if high < low {
        // Three planes through one point, to rounding.
        if slack < low - high {
            return None;
        }
        return Some(start + along * (0.5 * (low + high)));
    }
    let free = along.dot(g - *h * start) / along.dot(*h * along);
    Some(start + along * free.max(low).min(high))
}
