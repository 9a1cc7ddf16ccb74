//! The point of a simplex that is nearest to the origin.
//!
//! Answers come as a direction `u` that points from the origin to the nearest point, without a square root or a
//! division, and `uw` = u.x, the same for every point x of the part that is kept: the distance is uw / |u|.
//! The newest point is known to belong to the answer, which leaves few cases; where their signs contradict each other,
//! every vertex, edge and face is tried and the nearest taken. Whether a tetrahedron contains the origin is decided exactly.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 9.5; E. G. Gilbert, D. W. Johnson, S. S. Keerthi, A Fast
//! Procedure for Computing the Distance Between Complex Objects, 1988, section V (the fallback).
//! Differs: directions stay unnormalised; normals of thin triangles are computed in twice the precision; exact signs.

use carom_math::double_double::DoubleDouble;
use carom_math::ops::sqrt;
use carom_math::predicates::orient3d;
use glam::DVec3;

/// The nearest feature of up to four points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearest {
    /// From the origin towards the nearest point, of any length; zero when the origin is inside.
    pub(crate) u: DVec3,
    /// `u . x` for every kept point x.
    pub(crate) uw: f64,
    /// Square of the distance.
    pub(crate) distance_sq: f64,
    /// Bit i: point i belongs to the feature.
    pub(crate) keep: u8,
    /// The tetrahedron contains the origin.
    pub(crate) is_inside: bool,
}

impl Nearest {
    const INSIDE: Nearest =
        Nearest { u: DVec3::ZERO, uw: 0.0, distance_sq: 0.0, keep: 0b1111, is_inside: true };
}

/// The nearest feature, given that it contains the last point, the newest.
#[inline(always)]
pub(crate) fn nearest_with_newest(points: &[DVec3; 4], n_points: usize) -> Nearest {
    match n_points {
        1 => point(points, 0),
        2 => edge_with_newest(points, 0, 1),
        3 => triangle_with_newest(points, 0, 1, 2),
        _ => tetrahedron_with_newest(points),
    }
}

/// The nearest feature of all.
#[inline]
pub(crate) fn nearest_of_all(points: &[DVec3; 4], n_points: usize) -> Nearest {
    nearest_of_all_but(points, n_points, 0.0)
}

/// The nearest feature of all, but a triangle is preferred to its edges where it is as near to within `rounding`, a
/// fraction of its size.
///
/// The direction of an edge that passes the origin much nearer than it is long is noise; that of the triangle is as good
/// as the triangle is large.
#[inline(never)]
pub(crate) fn nearest_of_all_but(points: &[DVec3; 4], n_points: usize, rounding: f64) -> Nearest {
    if n_points == 4 && contains_origin(points) {
        return Nearest::INSIDE;
    }
    let mut best = point(points, 0);
    let mut best_sq = best.distance_sq;
    let offer = |best: &mut Nearest, best_sq: &mut f64, candidate: Nearest| {
        let distance_sq = candidate.distance_sq;
        // At equal distance the larger feature: its direction is the better one.
        if distance_sq <= *best_sq {
            (*best, *best_sq) = (candidate, distance_sq);
        }
    };
    for i in 1..n_points {
        offer(&mut best, &mut best_sq, point(points, i));
    }
    for j in 1..n_points {
        for i in 0..j {
            if let Some(edge) = edge_inside(points, i, j) {
                offer(&mut best, &mut best_sq, edge);
            }
        }
    }
    if 0.0 < rounding {
        let reach = points[..n_points].iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        let above = sqrt(best_sq) + rounding * reach;
        best_sq = above * above;
    }
    for k in 2..n_points {
        for j in 1..k {
            for i in 0..j {
                if let Some(face) = triangle_inside(points, i, j, k, rounding) {
                    offer(&mut best, &mut best_sq, face);
                }
            }
        }
    }
    best
}

/// Weights of the points of the feature `keep` that give its point nearest to the origin; they sum to one.
pub(crate) fn weights(points: &[DVec3; 4], keep: u8) -> [f64; 4] {
    let mut index = [0usize; 4];
    let mut n = 0;
    for i in 0..4 {
        if keep & (1 << i) != 0 {
            index[n] = i;
            n += 1;
        }
    }
    let mut weights = [0.0; 4];
    match n {
        2 => {
            let (a, w) = (points[index[0]], points[index[1]]);
            let e = a - w;
            let t = ratio(-w.dot(e), e.length_squared());
            weights[index[0]] = t;
            weights[index[1]] = 1.0 - t;
        }
        3 => {
            let [la, lb, lw] = face_weights(points[index[0]], points[index[1]], points[index[2]]);
            weights[index[0]] = la;
            weights[index[1]] = lb;
            weights[index[2]] = lw;
        }
        4 => {
            // The origin is inside: volumes of the four tetrahedra that it makes with the faces.
            let [a, b, c, w] = *points;
            let va = orient3d(DVec3::ZERO, b, c, w).abs();
            let vb = orient3d(a, DVec3::ZERO, c, w).abs();
            let vc = orient3d(a, b, DVec3::ZERO, w).abs();
            let vw = orient3d(a, b, c, DVec3::ZERO).abs();
            let sum = va + vb + vc + vw;
            if sum > 0.0 {
                weights = [va / sum, vb / sum, vc / sum, vw / sum];
            } else {
                weights[0] = 1.0;
            }
        }
        _ => weights[index[0]] = 1.0,
    }
    weights
}

/// The weights of the projection of the origin on a triangle when it falls inside.
#[inline]
pub(crate) fn inner_weights(a: DVec3, b: DVec3, w: DVec3) -> Option<[f64; 3]> {
    let (n, la, lb) = normal_and_weights(a, b, w);
    let nn = n.length_squared();
    let lw = nn - la - lb;
    (0.0 < la && 0.0 < lb && 0.0 < lw).then(|| [la / nn, lb / nn, lw / nn])
}

/// Weights of the projection of the origin on a triangle, clamped to it roughly: none is negative, and they sum to one.
fn face_weights(a: DVec3, b: DVec3, w: DVec3) -> [f64; 3] {
    let (n, la, lb) = normal_and_weights(a, b, w);
    let nn = n.length_squared();
    if !(nn > 0.0) {
        return [0.0, 0.0, 1.0];
    }
    let (la, lb) = (la.max(0.0) / nn, lb.max(0.0) / nn);
    let lw = (1.0 - la - lb).max(0.0);
    let sum = la + lb + lw;
    [la / sum, lb / sum, lw / sum]
}

/// The triangle's normal (a - w) x (b - w) and the weights of a and b, times n.n, with all their digits.
#[inline(always)]
fn normal_and_weights(a: DVec3, b: DVec3, w: DVec3) -> (DVec3, f64, f64) {
    let (ea, eb) = (a - w, b - w);
    let n = ea.cross(eb);
    if is_thin(n, ea, eb) {
        let n = exact_cross(a, w, b, w);
        return (n, n.dot(exact_cross(b, w, w, DVec3::ZERO)), n.dot(exact_cross(w, DVec3::ZERO, a, w)));
    }
    (n, n.dot(eb.cross(w)), n.dot(w.cross(ea)))
}

/// A normal of the triangle, (a - w) x (b - w), with all its digits.
#[inline(always)]
pub(crate) fn normal_of(a: DVec3, b: DVec3, w: DVec3) -> DVec3 {
    let (ea, eb) = (a - w, b - w);
    let n = ea.cross(eb);
    if is_thin(n, ea, eb) { exact_cross(a, w, b, w) } else { n }
}

/// (p1 - p0) x (q1 - q0), right to the last digits also where the two are nearly parallel: twice the precision inside.
#[cold]
fn exact_cross(p1: DVec3, p0: DVec3, q1: DVec3, q0: DVec3) -> DVec3 {
    let difference = |x: DVec3, y: DVec3| {
        [
            DoubleDouble::difference(x.x, y.x),
            DoubleDouble::difference(x.y, y.y),
            DoubleDouble::difference(x.z, y.z),
        ]
    };
    let (p, q) = (difference(p1, p0), difference(q1, q0));
    let component = |i: usize, j: usize| (p[i] * q[j] - p[j] * q[i]).to_f64();
    DVec3::new(component(1, 2), component(2, 0), component(0, 1))
}

/// p / q within [0, 1]; 0 where q is none.
fn ratio(p: f64, q: f64) -> f64 {
    if q > 0.0 { (p / q).clamp(0.0, 1.0) } else { 0.0 }
}

#[inline(always)]
fn point(points: &[DVec3; 4], i: usize) -> Nearest {
    let w = points[i];
    let ww = w.length_squared();
    Nearest { u: w, uw: ww, distance_sq: ww, keep: 1 << i, is_inside: false }
}

/// An edge whose nearest point is strictly between its ends.
#[inline(always)]
fn edge(points: &[DVec3; 4], a: usize, w: usize, e: DVec3, ee: f64, d: f64) -> Nearest {
    // Squared once more it would vanish; its ends are one point to any digit.
    const SHORTEST_SQ: f64 = f64::from_bits((1023 - 480) << 52);
    if ee < SHORTEST_SQ {
        let is_a = points[a].length_squared() < points[w].length_squared();
        return point(points, if is_a { a } else { w });
    }
    let mut u = points[w] * ee + e * d;
    const NEAR_SQ: f64 = 1.0 / (1u64 << 20) as f64;
    if u.length_squared() <= NEAR_SQ * (points[w].length_squared() * (ee * ee)) {
        // Much nearer than long: from the end that is nearer fewer digits cancel, and what is left along the edge would
        // cost the lower bound its digits.
        if points[a].length_squared() < points[w].length_squared() {
            u = points[a] * ee - e * points[a].dot(e);
        }
        u -= e * (u.dot(e) / ee);
    }
    // Not u.w: where the edge passes through the origin u is noise, and only its own length tells so.
    let uw = u.length_squared() / ee;
    Nearest { u, uw, distance_sq: uw / ee, keep: 1 << a | 1 << w, is_inside: false }
}

#[inline(always)]
fn edge_with_newest(points: &[DVec3; 4], a: usize, w: usize) -> Nearest {
    let e = points[a] - points[w];
    let ee = e.length_squared();
    let d = -points[w].dot(e);
    if d <= 0.0 {
        point(points, w)
    } else if d < ee || 0.0 < points[a].dot(e) {
        // Where the end is so near that d rounds to ee, the end itself tells.
        edge(points, a, w, e, ee, d)
    } else {
        // Not the newest: rounding, or a start from a cache.
        point(points, a)
    }
}

fn edge_inside(points: &[DVec3; 4], a: usize, w: usize) -> Option<Nearest> {
    let e = points[a] - points[w];
    let ee = e.length_squared();
    let d = -points[w].dot(e);
    (0.0 < d && (d < ee || 0.0 < points[a].dot(e))).then(|| edge(points, a, w, e, ee, d))
}

/// A triangle whose nearest point is strictly inside; `n` is any normal of it.
#[inline(always)]
fn face(points: &[DVec3; 4], a: usize, b: usize, w: usize, n: DVec3) -> Nearest {
    let nw = n.dot(points[w]);
    let (u, uw) = if nw < 0.0 { (-n, -nw) } else { (n, nw) };
    let distance_sq = if uw == 0.0 { 0.0 } else { uw * uw / u.length_squared() };
    Nearest { u, uw, distance_sq, keep: 1 << a | 1 << b | 1 << w, is_inside: false }
}

/// Square of the sine below which the cross product of two edges loses too many digits.
const THIN_SINE_SQ: f64 = 1.0 / (1u64 << 16) as f64;

/// Is the triangle so thin that its cross product loses digits?
#[inline(always)]
fn is_thin(n: DVec3, ea: DVec3, eb: DVec3) -> bool {
    n.length_squared() <= THIN_SINE_SQ * (ea.length_squared() * eb.length_squared())
}

#[inline(always)]
fn triangle_with_newest(points: &[DVec3; 4], a: usize, b: usize, w: usize) -> Nearest {
    let (ea, eb) = (points[a] - points[w], points[b] - points[w]);
    triangle_of_edges(points, a, b, w, ea, eb, ea.cross(eb))
}

/// [`triangle_with_newest`] where the edges from the newest point and their cross product are known.
#[inline(always)]
fn triangle_of_edges(
    points: &[DVec3; 4],
    a: usize,
    b: usize,
    w: usize,
    ea: DVec3,
    eb: DVec3,
    n: DVec3,
) -> Nearest {
    let pw = points[w];
    let (eea, eeb, nn) = (ea.length_squared(), eb.length_squared(), n.length_squared());
    if nn <= THIN_SINE_SQ * (eea * eeb) {
        return nearest_in_triangle(points, a, b, w);
    }
    // Weights of a, b and w, times n.n.
    let la = n.dot(eb.cross(pw));
    let lb = n.dot(pw.cross(ea));
    let lw = nn - la - lb;
    if 0.0 < la && 0.0 < lb && 0.0 < lw {
        return face(points, a, b, w, n);
    }
    let (da, db) = (-pw.dot(ea), -pw.dot(eb));
    if da <= 0.0 && db <= 0.0 {
        return point(points, w);
    }
    let on_a = lb <= 0.0 && 0.0 < da && da < eea;
    let on_b = la <= 0.0 && 0.0 < db && db < eeb;
    match (on_a, on_b) {
        (true, false) => edge(points, a, w, ea, eea, da),
        (false, true) => edge(points, b, w, eb, eeb, db),
        _ => nearest_in_triangle(points, a, b, w),
    }
}

/// The same, every feature tried.
#[cold]
fn nearest_in_triangle(points: &[DVec3; 4], a: usize, b: usize, w: usize) -> Nearest {
    let local = [points[a], points[b], points[w], DVec3::ZERO];
    let mut nearest = nearest_of_all(&local, 3);
    let bits = [a, b, w];
    let mut keep = 0;
    for (i, original) in bits.into_iter().enumerate() {
        if nearest.keep & (1 << i) != 0 {
            keep |= 1 << original;
        }
    }
    nearest.keep = keep;
    nearest
}

fn triangle_inside(points: &[DVec3; 4], a: usize, b: usize, w: usize, rounding: f64) -> Option<Nearest> {
    let (n, la, lb) = normal_and_weights(points[a], points[b], points[w]);
    let nn = n.length_squared();
    let lw = nn - la - lb;
    let least = -rounding * nn;
    (least < la && least < lb && least < lw).then(|| face(points, a, b, w, n))
}

/// Signs, exact, of the tetrahedron's orientation and of the three origin tests on the faces through the newest point.
#[cold]
fn exact_signs(points: &[DVec3; 4]) -> (f64, [f64; 3]) {
    let ([a, b, c, w], o) = (*points, DVec3::ZERO);
    (orient3d(a, b, c, w), [-orient3d(a, b, o, w), -orient3d(b, c, o, w), -orient3d(c, a, o, w)])
}

#[inline(always)]
fn tetrahedron_with_newest(points: &[DVec3; 4]) -> Nearest {
    let [a, b, c, w] = *points;
    let (ea, eb, ec) = (a - w, b - w, c - w);
    let (nab, nbc, nca) = (ea.cross(eb), eb.cross(ec), ec.cross(ea));
    let mut det = nab.dot(ec);
    let mut s = [nab.dot(w), nbc.dot(w), nca.dot(w)];
    // Generous bounds of the rounding: 2^-46 times lengths.
    const ROUNDING_SQ: f64 = 1.0 / (1u128 << 92) as f64;
    let (la, lb, lc, lw) =
        (ea.length_squared(), eb.length_squared(), ec.length_squared(), w.length_squared());
    let (ab, bc, ca) = (la * lb, lb * lc, lc * la);
    let sure = |x: f64, bound_sq: f64| ROUNDING_SQ * bound_sq < x * x;
    if !(sure(det, ab * lc) && sure(s[0], ab * lw) && sure(s[1], bc * lw) && sure(s[2], ca * lw)) {
        (det, s) = exact_signs(points);
    }
    // A face sees the origin when the origin lies beyond it, away from the fourth point.
    let sees = if 0.0 < det {
        [0.0 < s[0], 0.0 < s[1], 0.0 < s[2]]
    } else if det < 0.0 {
        [s[0] < 0.0, s[1] < 0.0, s[2] < 0.0]
    } else {
        // Flat: any of the three may hold the nearest point, and none of them has an inside.
        [true; 3]
    };
    let mut best = Nearest::INSIDE;
    let mut best_sq = f64::INFINITY;
    if sees[0] {
        nearer(&mut best, &mut best_sq, triangle_of_edges(points, 0, 1, 3, ea, eb, nab));
    }
    if sees[1] {
        nearer(&mut best, &mut best_sq, triangle_of_edges(points, 1, 2, 3, eb, ec, nbc));
    }
    if sees[2] {
        nearer(&mut best, &mut best_sq, triangle_of_edges(points, 2, 0, 3, ec, ea, nca));
    }
    best
}

#[inline(always)]
fn nearer(best: &mut Nearest, best_sq: &mut f64, candidate: Nearest) {
    if candidate.distance_sq < *best_sq {
        (*best, *best_sq) = (candidate, candidate.distance_sq);
    }
}

/// Does the tetrahedron contain the origin? Exact; its surface counts; a flat one contains nothing.
pub(crate) fn contains_origin(points: &[DVec3; 4]) -> bool {
    let [a, b, c, w] = *points;
    let o = DVec3::ZERO;
    let det = orient3d(a, b, c, w);
    let parts = [orient3d(o, b, c, w), orient3d(a, o, c, w), orient3d(a, b, o, w), orient3d(a, b, c, o)];
    if 0.0 < det {
        parts.iter().all(|&part| 0.0 <= part)
    } else if det < 0.0 {
        parts.iter().all(|&part| part <= 0.0)
    } else {
        false
    }
}
