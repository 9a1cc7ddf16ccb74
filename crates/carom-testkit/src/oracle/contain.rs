//! Whether a bounding volume contains a point, in exact numbers. A test in `f64` decides clear
//! cases first.
//!
//! Stored numbers are taken as exact: those of the volume, of the point, and of the matrix of a
//! pose that places the point. Every test is a comparison of polynomials in whole numbers times
//! powers of two, without rounding.
//!
//! Reference: none needed: the definitions of the volumes.

use carom_bounds::{Aabb, KDop, Obb, Slabs, Sphere, SweptSphere};
use carom_math::WidePose;
use core::cmp::Ordering;
use core::ops::{Add, Mul, Sub};
use glam::{DVec3, Vec3};
use num_bigint::BigInt;
use num_traits::Signed;

/// A whole number times a power of two.
#[derive(Clone, Debug)]
pub struct Dyadic {
    whole: BigInt,
    exponent: i32,
}

impl Dyadic {
    /// Returns the exact value of a finite `f64`.
    fn of(x: f64) -> Dyadic {
        let (whole, exponent) = super::triangle::parts(x);
        Dyadic { whole: whole.into(), exponent }
    }

    /// Returns both numbers as multiples of one power of two, and its exponent.
    fn aligned(&self, other: &Dyadic) -> (BigInt, BigInt, i32) {
        let exponent = self.exponent.min(other.exponent);
        let shifted = |x: &Dyadic| &x.whole << (x.exponent - exponent);
        (shifted(self), shifted(other), exponent)
    }

    fn negated(&self) -> Dyadic {
        Dyadic { whole: -&self.whole, exponent: self.exponent }
    }

    fn abs(&self) -> Dyadic {
        Dyadic { whole: self.whole.abs(), exponent: self.exponent }
    }

    fn is_positive(&self) -> bool {
        self.whole.is_positive()
    }

    fn is_at_most(&self, other: &Dyadic) -> bool {
        let (a, b, _) = self.aligned(other);
        a.cmp(&b) != Ordering::Greater
    }
}

impl Add for &Dyadic {
    type Output = Dyadic;
    fn add(self, other: &Dyadic) -> Dyadic {
        let (a, b, exponent) = self.aligned(other);
        Dyadic { whole: a + b, exponent }
    }
}

impl Sub for &Dyadic {
    type Output = Dyadic;
    fn sub(self, other: &Dyadic) -> Dyadic {
        let (a, b, exponent) = self.aligned(other);
        Dyadic { whole: a - b, exponent }
    }
}

impl Mul for &Dyadic {
    type Output = Dyadic;
    fn mul(self, other: &Dyadic) -> Dyadic {
        Dyadic { whole: &self.whole * &other.whole, exponent: self.exponent + other.exponent }
    }
}

/// A point or vector in exact numbers.
pub type Exact = [Dyadic; 3];

/// Returns the exact coordinates of a point.
pub fn exact(p: DVec3) -> Exact {
    p.to_array().map(Dyadic::of)
}

/// Returns a point transformed exactly by the matrix of a pose.
pub fn placed(pose: &WidePose, p: &Exact) -> Exact {
    let [a, b, c] = [0, 1, 2].map(|k| scaled(&exact(pose.rotation.col(k)), &p[k]));
    sum(&sum(&sum(&a, &b), &c), &exact(pose.translation))
}

fn narrow(x: f32) -> Dyadic {
    Dyadic::of(f64::from(x))
}

fn sum(a: &Exact, b: &Exact) -> Exact {
    [0, 1, 2].map(|k| &a[k] + &b[k])
}

fn difference(a: &Exact, b: &Exact) -> Exact {
    [0, 1, 2].map(|k| &a[k] - &b[k])
}

fn scaled(a: &Exact, x: &Dyadic) -> Exact {
    [0, 1, 2].map(|k| &a[k] * x)
}

fn dot(a: &Exact, b: &Exact) -> Dyadic {
    &(&(&a[0] * &b[0]) + &(&a[1] * &b[1])) + &(&a[2] * &b[2])
}

fn determinant(columns: &[Exact; 3]) -> Dyadic {
    let [a, b, c] = columns;
    let minor = |i: usize, j: usize| &(&b[i] * &c[j]) - &(&b[j] * &c[i]);
    &(&(&a[0] * &minor(1, 2)) - &(&a[1] * &minor(0, 2))) + &(&a[2] * &minor(0, 1))
}

/// A generous bound of the relative error of a few operations in `f64`.
const ROUGH: f64 = 1e-13;

/// A volume that can be tested against a point.
pub trait Contains {
    /// Returns the exact answer.
    fn holds(&self, p: &Exact) -> bool;

    /// Returns true only if all points within `room` of `p` surely lie in the volume.
    fn surely_holds(&self, p: DVec3, room: f64) -> bool;

    /// Returns the exact answer for a point that is transformed by a pose.
    fn surrounds(&self, pose: &WidePose, p: DVec3) -> bool {
        if *pose == WidePose::IDENTITY {
            return self.surely_holds(p, 0.0) || self.holds(&exact(p));
        }
        let room = (p.abs().element_sum() + pose.translation.abs().element_sum()) * ROUGH;
        self.surely_holds(pose.transform_point(p), room) || self.holds(&placed(pose, &exact(p)))
    }
}

impl Contains for Aabb {
    fn holds(&self, p: &Exact) -> bool {
        (0..3).all(|k| {
            let (low, high) = (self.min[k], self.max[k]);
            (low == f32::NEG_INFINITY || low.is_finite() && narrow(low).is_at_most(&p[k]))
                && (high == f32::INFINITY || high.is_finite() && p[k].is_at_most(&narrow(high)))
        })
    }

    fn surely_holds(&self, p: DVec3, room: f64) -> bool {
        // The differences here are rounded themselves, unless `room` is 0.
        let (low, high) = if room == 0.0 { (p, p) } else { (p - room * 2.0, p + room * 2.0) };
        self.min.as_dvec3().cmple(low).all() && high.cmple(self.max.as_dvec3()).all()
    }
}

impl Contains for Sphere {
    fn holds(&self, p: &Exact) -> bool {
        if self.radius == f32::INFINITY {
            return true;
        }
        let from = difference(p, &exact(self.center.as_dvec3()));
        is_within(&from, self.radius)
    }

    fn surely_holds(&self, p: DVec3, room: f64) -> bool {
        let distance = (p - self.center.as_dvec3()).length();
        // Squares that may underflow decide nothing.
        self.radius == f32::INFINITY
            || 1e-100 < distance && distance * (1.0 + ROUGH) + room < f64::from(self.radius)
    }
}

impl Contains for Obb {
    fn holds(&self, p: &Exact) -> bool {
        if !self.half_extents.cmpge(Vec3::ZERO).all() {
            return false;
        }
        // Cramer's rule: the share along axis k is a quotient of determinants.
        let columns = [0, 1, 2].map(|k| exact(self.axes.col(k).as_dvec3()));
        let from = difference(p, &exact(self.center.as_dvec3()));
        let whole = determinant(&columns).abs();
        whole.is_positive()
            && (0..3).all(|k| {
                let half = self.half_extents[k];
                let mut replaced = columns.clone();
                replaced[k] = from.clone();
                half == f32::INFINITY || determinant(&replaced).abs().is_at_most(&(&whole * &narrow(half)))
            })
    }

    fn surely_holds(&self, p: DVec3, room: f64) -> bool {
        let from = p - self.center.as_dvec3();
        let shares = (self.axes.as_dmat3().inverse() * from).abs();
        let lost = from.abs().element_sum() * ROUGH + room * 4.0;
        (shares + lost).cmplt(self.half_extents.as_dvec3()).all()
    }
}

impl<const K: usize> Contains for KDop<K>
where
    KDop<K>: Slabs,
{
    fn holds(&self, p: &Exact) -> bool {
        let half = K / 2;
        Self::DIRECTIONS.iter().enumerate().all(|(i, d)| {
            let along = dot(&d.map(|x| Dyadic::of(f64::from(x))), p);
            let is_below = |along: &Dyadic, offset: f32| {
                offset == f32::INFINITY || offset.is_finite() && along.is_at_most(&narrow(offset))
            };
            is_below(&along, self.offsets[i]) && is_below(&along.negated(), self.offsets[half + i])
        })
    }

    fn surely_holds(&self, p: DVec3, room: f64) -> bool {
        let half = K / 2;
        Self::DIRECTIONS.iter().enumerate().all(|(i, d)| {
            let d = DVec3::from(d.map(f64::from));
            let (along, size) = (d.dot(p), d.abs().dot(p.abs()));
            // Along an axis no operation rounds.
            let lost = if i < 3 && room == 0.0 { 0.0 } else { size * ROUGH + room * 4.0 };
            along + lost <= f64::from(self.offsets[i]) && lost - along <= f64::from(self.offsets[half + i])
        })
    }
}

impl<const E: usize> Contains for SweptSphere<E> {
    fn holds(&self, p: &Exact) -> bool {
        if self.radius == f32::INFINITY {
            return true;
        }
        let from = difference(p, &exact(self.center.as_dvec3()));
        let edges: Vec<Exact> = self.edges.iter().map(|e| exact(e.as_dvec3())).collect();
        is_within_of_core(&from, &edges, self.radius)
    }

    fn surely_holds(&self, p: DVec3, room: f64) -> bool {
        let mut rest = p - self.center.as_dvec3();
        let mut size = rest.abs().element_sum();
        for e in self.edges.map(|e| e.as_dvec3()) {
            if 1e-100 < e.length_squared() {
                rest -= e * (rest.dot(e) / e.length_squared()).clamp(-1.0, 1.0);
                size += e.abs().element_sum();
            }
        }
        let distance = rest.length();
        self.radius == f32::INFINITY
            || 1e-100 < distance && distance + size * ROUGH + room < f64::from(self.radius)
    }
}

/// Whether the length of the vector is at most `radius`.
fn is_within(v: &Exact, radius: f32) -> bool {
    0.0 <= radius && dot(v, v).is_at_most(&(&narrow(radius) * &narrow(radius)))
}

/// Whether the point is within `radius` of the points `x_0 e_0 + x_1 e_1 ...`, `|x_i| <= 1`, for
/// up to two edges.
fn is_within_of_core(p: &Exact, edges: &[Exact], radius: f32) -> bool {
    if !(0.0 <= radius) {
        return false;
    }
    let squared = &narrow(radius) * &narrow(radius);
    match edges {
        [] => is_within(p, radius),
        [e] => {
            let (pe, ee) = (dot(p, e), dot(e, e));
            if ee.is_positive() && pe.abs().is_at_most(&ee) {
                // The closest point is inside the segment: p.p - (p.e)^2 / e.e.
                return (&(&dot(p, p) - &squared) * &ee).is_at_most(&(&pe * &pe));
            }
            is_within(&(if pe.is_positive() { difference(p, e) } else { sum(p, e) }), radius)
        }
        [e, f, ..] => {
            let (ee, ff, ef) = (dot(e, e), dot(f, f), dot(e, f));
            let (pe, pf) = (dot(p, e), dot(p, f));
            let whole = &(&ee * &ff) - &(&ef * &ef);
            let x = &(&pe * &ff) - &(&pf * &ef);
            let y = &(&pf * &ee) - &(&pe * &ef);
            if whole.is_positive() && x.abs().is_at_most(&whole) && y.abs().is_at_most(&whole) {
                // The closest point is inside. Both sides are multiplied by `whole`.
                let rest = difference(&difference(&scaled(p, &whole), &scaled(e, &x)), &scaled(f, &y));
                return dot(&rest, &rest).is_at_most(&(&squared * &(&whole * &whole)));
            }
            // Otherwise it is on a side.
            [(sum(p, e), f), (difference(p, e), f), (sum(p, f), e), (difference(p, f), e)]
                .iter()
                .any(|(from, side)| is_within_of_core(from, core::slice::from_ref(side), radius))
        }
    }
}
