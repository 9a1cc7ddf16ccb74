//! Points, segments, triangles and rays in exact arithmetic. The `f64` coordinates are taken as
//! exact, and scaled by one power of two to integers.
//!
//! Two hulls of points meet exactly if the origin lies in the hull of the differences of their
//! points. By Caratheodory's theorem it then lies in a simplex of at most four of these, and all
//! simplices are tried. The method differs from the orientation tests that are compared with it.
//!
//! Reference: C. Caratheodory, Ueber den Variabilitaetsbereich der Koeffizienten von Potenzreihen,
//! Mathematische Annalen 64, 1907; R. T. Rockafellar, Convex Analysis, 1970, section 17.

use glam::DVec3;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Num, One, Signed, ToPrimitive, Zero};

/// A vector of exact numbers.
pub(super) type Exact<T> = [T; 3];

/// `x = mantissa * 2^exponent`.
pub(super) fn parts(x: f64) -> (i64, i32) {
    assert!(x.is_finite());
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, exponent) =
        if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    // Trailing zeros are removed, so that whole numbers stay small.
    let zeros = if mantissa == 0 { 0 } else { mantissa.trailing_zeros() };
    (if x < 0.0 { -(mantissa >> zeros) } else { mantissa >> zeros }, exponent + zeros as i32)
}

/// Returns the lowest exponent among these numbers.
pub(super) fn lowest(points: &[DVec3]) -> i32 {
    let exponents = points.iter().flat_map(|p| p.to_array()).filter(|x| *x != 0.0).map(|x| parts(x).1);
    exponents.min().unwrap_or(0)
}

/// Returns the points times `2^-lowest`, as integers.
pub(super) fn whole(points: &[DVec3], lowest: i32) -> Vec<Exact<BigInt>> {
    let convert = |x: f64| {
        let (mantissa, exponent) = parts(x);
        if mantissa == 0 { BigInt::zero() } else { BigInt::from(mantissa) << (exponent - lowest) }
    };
    points.iter().map(|p| p.to_array().map(convert)).collect()
}

pub(super) fn sub<T: Num + Clone>(a: &Exact<T>, b: &Exact<T>) -> Exact<T> {
    [0, 1, 2].map(|i| a[i].clone() - b[i].clone())
}

fn add<T: Num + Clone>(a: &Exact<T>, b: &Exact<T>) -> Exact<T> {
    [0, 1, 2].map(|i| a[i].clone() + b[i].clone())
}

pub(super) fn cross<T: Num + Clone>(a: &Exact<T>, b: &Exact<T>) -> Exact<T> {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| a[i].clone() * b[j].clone() - a[j].clone() * b[i].clone())
}

pub(super) fn dot<T: Num + Clone>(a: &Exact<T>, b: &Exact<T>) -> T {
    a[0].clone() * b[0].clone() + a[1].clone() * b[1].clone() + a[2].clone() * b[2].clone()
}

pub(super) fn is_zero<T: Num>(v: &Exact<T>) -> bool {
    v.iter().all(Zero::is_zero)
}

/// Returns the sign: -1, 0 or 1.
pub(super) fn sign<T: Signed>(x: &T) -> i32 {
    i32::from(x.is_positive()) - i32::from(x.is_negative())
}

/// Returns the sign of `det(a - d, b - d, c - d)`.
pub fn orient3d(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> i32 {
    let points = [a, b, c, d];
    let p = whole(&points, lowest(&points));
    sign(&dot(&sub(&p[0], &p[3]), &cross(&sub(&p[1], &p[3]), &sub(&p[2], &p[3]))))
}

/// Returns the sign of `direction . ((a - origin) x (b - origin))`.
pub fn line_side(origin: DVec3, direction: DVec3, a: DVec3, b: DVec3) -> i32 {
    let points = [origin, a, b];
    let p = whole(&points, lowest(&points));
    let d = whole(&[direction], lowest(&[direction])).remove(0);
    sign(&dot(&d, &cross(&sub(&p[1], &p[0]), &sub(&p[2], &p[0]))))
}

/// Whether the closed convex hulls of two sets of points have a common point.
pub fn hulls_meet(a: &[DVec3], b: &[DVec3]) -> bool {
    let all: Vec<DVec3> = a.iter().chain(b).copied().collect();
    let low = lowest(&all);
    let (a, b) = (whole(a, low), whole(b, low));
    let mut differences = Vec::new();
    for p in &a {
        for q in &b {
            differences.push(sub(p, q));
        }
    }
    // Numbers below 2^28 have products of four in an i128.
    let small = |v: &Exact<BigInt>| -> Option<Exact<i128>> {
        let mut out = [0; 3];
        for (o, x) in out.iter_mut().zip(v) {
            *o = x.to_i128().filter(|x| x.unsigned_abs() < 1 << 28)?;
        }
        Some(out)
    };
    match differences.iter().map(small).collect::<Option<Vec<_>>>() {
        Some(differences) => hull_contains_origin(&differences),
        None => hull_contains_origin(&differences),
    }
}

/// Whether the hull of the points contains the origin: tests every simplex of at most four points.
fn hull_contains_origin<T: Num + Signed + Clone>(p: &[Exact<T>]) -> bool {
    let n = p.len();
    let mut crosses = Vec::with_capacity(n * n);
    for i in 0..n {
        for j in 0..n {
            crosses.push(if i < j { cross(&p[i], &p[j]) } else { [T::zero(), T::zero(), T::zero()] });
        }
    }
    let c = |i: usize, j: usize| &crosses[i * n + j];
    if p.iter().any(is_zero) {
        return true;
    }
    for i in 0..n {
        for j in i + 1..n {
            if is_zero(c(i, j)) && !dot(&p[i], &p[j]).is_positive() {
                return true; // On the segment i, j.
            }
        }
    }
    let mut volumes = vec![T::zero(); n * n * n];
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                let volume = dot(c(i, j), &p[k]);
                if volume.is_zero() {
                    let (ij, jk, ki) = (c(i, j), c(j, k), [0, 1, 2].map(|x| -c(i, k)[x].clone()));
                    let normal = add(&add(ij, jk), &ki);
                    if !is_zero(&normal) && [ij, jk, &ki].iter().all(|side| !dot(side, &normal).is_negative())
                    {
                        return true; // In the triangle i, j, k.
                    }
                }
                volumes[(i * n + j) * n + k] = volume;
            }
        }
    }
    let v = |i: usize, j: usize, k: usize| &volumes[(i * n + j) * n + k];
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                for l in k + 1..n {
                    // Weights of the four corners, times six volumes.
                    let w =
                        [v(j, k, l).clone(), -v(i, k, l).clone(), v(i, j, l).clone(), -v(i, j, k).clone()];
                    let is_positive = w.iter().any(Signed::is_positive);
                    let is_negative = w.iter().any(Signed::is_negative);
                    let total = w.iter().fold(T::zero(), |sum, x| sum + x.clone());
                    let is_mixed = is_positive && is_negative;
                    if !is_mixed && !total.is_zero() {
                        return true; // In the tetrahedron i, j, k, l.
                    }
                }
            }
        }
    }
    false
}

/// The relation of a line and a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LineHit {
    /// The line is in the plane, or parallel to it, or the triangle has no area.
    Parallel,
    /// The line does not meet the closed triangle.
    Miss,
    /// The line meets the inside of the triangle.
    Inside {
        /// The parameter along the direction, rounded to `f64`.
        t: f64,
        /// The exact sign of `t`: -1, 0 or 1.
        t_sign: i32,
    },
    /// The line meets an edge or a corner.
    Boundary {
        /// The parameter along the direction, rounded to `f64`.
        t: f64,
        /// The exact sign of `t`: -1, 0 or 1.
        t_sign: i32,
    },
}

/// Returns the relation of the line `origin + t direction` and the triangle, decided exactly.
pub fn line_triangle(origin: DVec3, direction: DVec3, t: &[DVec3; 3]) -> LineHit {
    let points = [origin, t[0], t[1], t[2], direction];
    let p = whole(&points, lowest(&points));
    let d = &p[4];
    let corner = [1, 2, 3].map(|i| sub(&p[i], &p[0]));
    let sides = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| sign(&dot(d, &cross(&corner[i], &corner[j]))));
    let normal = cross(&sub(&corner[1], &corner[0]), &sub(&corner[2], &corner[0]));
    let speed = dot(&normal, d);
    if speed.is_zero() {
        return LineHit::Parallel;
    }
    if sides.contains(&1) && sides.contains(&-1) {
        return LineHit::Miss;
    }
    let exact = BigRational::new(dot(&normal, &corner[0]), speed);
    let (t, t_sign) = (to_f64(&exact), sign(&exact));
    if sides.contains(&0) { LineHit::Boundary { t, t_sign } } else { LineHit::Inside { t, t_sign } }
}

/// The location of a point relative to a closed mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointLocation {
    /// Inside: a ray in a generic direction meets an odd number of triangles.
    Inside,
    /// Outside.
    Outside,
    /// On a triangle.
    Surface,
}

/// Returns the location of a point relative to a closed mesh. It counts triangles along a ray, and
/// takes another ray if one meets an edge.
pub fn point_in_mesh(p: DVec3, triangles: &[[DVec3; 3]]) -> PointLocation {
    if triangles.iter().any(|t| hulls_meet(&[p], t)) {
        return PointLocation::Surface;
    }
    'rays: for k in 1..100 {
        let k = f64::from(k);
        let direction = DVec3::new(97.0 - 3.0 * k, 11.0 + 7.0 * k, 31.0 - k * k);
        let mut is_inside = false;
        for t in triangles {
            match line_triangle(p, direction, t) {
                LineHit::Miss => {}
                LineHit::Inside { t_sign, .. } => is_inside ^= t_sign > 0,
                LineHit::Boundary { .. } => continue 'rays,
                LineHit::Parallel => {
                    if hulls_meet(&[p - direction * 1e3, p + direction * 1e3], t) {
                        continue 'rays;
                    }
                }
            }
        }
        return if is_inside { PointLocation::Inside } else { PointLocation::Outside };
    }
    panic!("a hundred rays, and all of them meet an edge");
}

/// Returns the number as `f64`, within a few roundings: numerator and denominator are cut to 128
/// bits first.
pub(crate) fn to_f64(x: &BigRational) -> f64 {
    let cut = |n: &BigInt| {
        let shift = n.bits().saturating_sub(128);
        ((n >> shift).to_f64().unwrap_or(0.0), shift as i32)
    };
    let ((n, sn), (d, sd)) = (cut(x.numer()), cut(x.denom()));
    let shift = sn - sd;
    // In two steps, since 2^shift alone may be out of range.
    n / d * 2f64.powi(shift / 2) * 2f64.powi(shift - shift / 2)
}

/// Returns the square root of an exact number as `f64`.
fn sqrt_to_f64(x: &BigRational) -> f64 {
    if x.is_zero() {
        return 0.0;
    }
    // An even power of two brings the number near 1.
    let shift = (x.numer().bits() as i64 - x.denom().bits() as i64) / 2;
    let four = BigRational::from_integer(BigInt::from(1) << (2 * shift.unsigned_abs()));
    let near_one = if shift < 0 { x * four } else { x / four };
    to_f64(&near_one).sqrt() * 2f64.powi(shift as i32)
}

/// Returns the distance of two triangles, exact up to the final rounding: the least distance over
/// all pairs of features whose nearest points lie inside both.
pub fn triangle_distance(a: &[DVec3; 3], b: &[DVec3; 3]) -> f64 {
    let (distance_sq, low) = scaled_distance_sq(a, b);
    sqrt_to_f64(&distance_sq) * 2f64.powi(low / 2) * 2f64.powi(low - low / 2)
}

/// Whether the distance of two triangles is at most the sum of two radii, decided exactly.
pub fn triangles_within(a: &[DVec3; 3], b: &[DVec3; 3], radii: [f64; 2]) -> bool {
    let (distance_sq, low) = scaled_distance_sq(a, b);
    let radius = |x: f64| BigRational::from_float(x).expect("a finite radius");
    let one = BigInt::from(1) << low.unsigned_abs();
    let unit = if low < 0 { BigRational::new(BigInt::one(), one) } else { BigRational::from_integer(one) };
    let reach = (radius(radii[0]) + radius(radii[1])) / unit;
    distance_sq <= &reach * &reach
}

/// Returns the exact squared distance in units of a power of two, and its exponent.
fn scaled_distance_sq(a: &[DVec3; 3], b: &[DVec3; 3]) -> (BigRational, i32) {
    if hulls_meet(a, b) {
        return (BigRational::zero(), 0);
    }
    let all: Vec<DVec3> = a.iter().chain(b).copied().collect();
    let low = lowest(&all);
    let (a, b) = (whole(a, low), whole(b, low));
    // Squared distances are fractions, compared by cross multiplication.
    let mut least: Option<(BigInt, BigInt)> = None;
    let mut keep = |numerator: BigInt, denominator: BigInt| {
        if least.as_ref().is_none_or(|(n, d)| &numerator * d < n * &denominator) {
            least = Some((numerator, denominator));
        }
    };
    let square = |v: &Exact<BigInt>| dot(v, v);
    for (s, t) in [(&a, &b), (&b, &a)] {
        for p in s {
            for i in 0..3 {
                let w = sub(p, &t[i]);
                keep(square(&w), BigInt::one());
                let u = sub(&t[(i + 1) % 3], &t[i]);
                let (along, uu) = (dot(&w, &u), square(&u));
                if along.is_positive() && along < uu {
                    keep(square(&cross(&w, &u)), uu);
                }
            }
            let (u, v, w) = (sub(&t[1], &t[0]), sub(&t[2], &t[0]), sub(p, &t[0]));
            let n = cross(&u, &v);
            let nn = square(&n);
            let x = dot(&cross(&w, &v), &n);
            let y = dot(&cross(&u, &w), &n);
            if x.is_positive() && y.is_positive() && x + y < nn {
                let height = dot(&n, &w);
                keep(&height * &height, nn);
            }
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            let (u, v) = (sub(&a[(i + 1) % 3], &a[i]), sub(&b[(j + 1) % 3], &b[j]));
            let r = sub(&b[j], &a[i]);
            let n = cross(&u, &v);
            // For parallel edges, n = 0, a corner is as near as any other point.
            let nn = square(&n);
            let x = dot(&cross(&r, &v), &n);
            let y = dot(&cross(&r, &u), &n);
            if x.is_positive() && y.is_positive() && x < nn && y < nn {
                let height = dot(&n, &r);
                keep(&height * &height, nn);
            }
        }
    }
    let (numerator, denominator) = least.expect("corners have distances");
    (BigRational::new(numerator, denominator), low)
}

/// Returns the exact sign of a sum of products of two numbers.
pub fn sum_of_products(products: &[(f64, f64)]) -> i32 {
    let exact = |x: f64| {
        let (mantissa, exponent) = parts(x);
        // All exponents of f64 are at least -1074.
        BigInt::from(mantissa) << if mantissa == 0 { 0 } else { exponent + 1074 }
    };
    let sum = products.iter().fold(BigInt::zero(), |sum, &(a, b)| sum + exact(a) * exact(b));
    sign(&sum)
}
