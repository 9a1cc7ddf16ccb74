//! The point of a simplex that is nearest to the origin.
//!
//! The answer is a direction `u` from the origin to the nearest point, not normalised. No square
//! root or division is needed. The value `uw` = u.x is the same for every kept point x, so the
//! distance is uw / |u|.
//!
//! The newest point is known to belong to the nearest feature, so few cases remain. If their signs
//! contradict each other, every vertex, edge and face is tried. Whether a tetrahedron contains the
//! origin is decided exactly.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 9.5; E. G. Gilbert, D. W. Johnson,
//! S. S. Keerthi, A Fast Procedure for Computing the Distance Between Complex Objects, 1988,
//! section V (the fallback).
//! Differs: directions are not normalised. Normals of thin triangles are computed in twice the
//! precision. Signs are exact.

use carom_math::double_double::DoubleDouble;
use carom_math::ops::sqrt;
use carom_math::predicates::orient3d;
use glam::DVec3;

/// The nearest feature of up to four points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearest {
    /// A vector from the origin towards the nearest point, not normalised. Zero if the origin is
    /// inside.
    pub(crate) u: DVec3,
    /// `u . x` for every kept point x.
    pub(crate) uw: f64,
    /// The squared distance.
    pub(crate) distance_sq: f64,
    /// Bit i: point i belongs to the feature.
    pub(crate) keep: u8,
    /// Whether the tetrahedron contains the origin.
    pub(crate) is_inside: bool,
}

impl Nearest {
    const INSIDE: Nearest =
        Nearest { u: DVec3::ZERO, uw: 0.0, distance_sq: 0.0, keep: 0b1111, is_inside: true };
}

/// Returns the nearest feature of the older points and the newest one. The feature must contain the
/// newest point, whose bit follows theirs.
#[inline(always)]
pub(crate) fn nearest_with_newest(older: &[DVec3; 4], n_older: usize, w: DVec3) -> Nearest {
    match n_older {
        0 => point(w, 1),
        1 => edge_with_newest(older[0], w),
        2 => triangle_with_newest(older[0], older[1], w, [1, 2, 4]),
        _ => tetrahedron_with_newest(older[0], older[1], older[2], w),
    }
}

/// Returns the nearest feature of all points.
#[inline]
pub(crate) fn nearest_of_all(points: &[DVec3; 4], n_points: usize) -> Nearest {
    nearest_of_all_but(points, n_points, 0.0)
}

/// Returns the nearest feature of a simplex that was the nearest feature before. The whole simplex
/// is tried first.
#[inline(always)]
pub(crate) fn nearest_of_last(points: &[DVec3; 4], n_points: usize) -> Nearest {
    let whole = match n_points {
        1 => Some(point(points[0], 1)),
        2 => edge_inside(points, 0, 1),
        3 => triangle_inside(points, 0, 1, 2, 0.0),
        _ => None,
    };
    whole.unwrap_or_else(|| nearest_of_all(points, n_points))
}

/// Returns the nearest feature, but prefers a triangle to its edges if it is as near to within
/// `rounding`. `rounding` is a fraction of the size.
///
/// If an edge passes the origin much nearer than it is long, its direction is noise. The direction
/// of the triangle is as good as the triangle is large.
#[inline(never)]
pub(crate) fn nearest_of_all_but(points: &[DVec3; 4], n_points: usize, rounding: f64) -> Nearest {
    if n_points == 4 && contains_origin(points) {
        return Nearest::INSIDE;
    }
    let mut best = point(points[0], 1);
    let mut best_sq = best.distance_sq;
    let offer = |best: &mut Nearest, best_sq: &mut f64, candidate: Nearest| {
        let distance_sq = candidate.distance_sq;
        // At equal distance the larger feature wins: its direction is more accurate.
        if distance_sq <= *best_sq {
            (*best, *best_sq) = (candidate, distance_sq);
        }
    };
    for i in 1..n_points {
        offer(&mut best, &mut best_sq, point(points[i], 1 << i));
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

/// Returns the weights of the nearest point in the first `n_points` points. Their nearest feature
/// must be the whole simplex. The weights sum to one.
#[inline(always)]
pub(crate) fn weights_of_whole(points: &[DVec3; 4], n_points: usize) -> [f64; 4] {
    let [a, b, c, w] = *points;
    match n_points {
        0 | 1 => [1.0, 0.0, 0.0, 0.0],
        2 => {
            let e = a - b;
            let t = ratio(-b.dot(e), e.length_squared());
            [t, 1.0 - t, 0.0, 0.0]
        }
        3 => {
            let [la, lb, lc] = face_weights(a, b, c);
            [la, lb, lc, 0.0]
        }
        _ => {
            // The origin is inside: the weights are the volumes of the tetrahedra that it makes
            // with the faces.
            let va = orient3d(DVec3::ZERO, b, c, w).abs();
            let vb = orient3d(a, DVec3::ZERO, c, w).abs();
            let vc = orient3d(a, b, DVec3::ZERO, w).abs();
            let vw = orient3d(a, b, c, DVec3::ZERO).abs();
            let sum = va + vb + vc + vw;
            if sum > 0.0 { [va / sum, vb / sum, vc / sum, vw / sum] } else { [1.0, 0.0, 0.0, 0.0] }
        }
    }
}

/// Returns the weights for the points of the feature `keep`. The other points get 0.
pub(crate) fn weights(points: &[DVec3; 4], keep: u8) -> [f64; 4] {
    let mut index = [0usize; 4];
    let mut kept = [DVec3::ZERO; 4];
    let mut n = 0;
    for i in 0..4 {
        if keep & (1 << i) != 0 {
            (index[n], kept[n]) = (i, points[i]);
            n += 1;
        }
    }
    let own = weights_of_whole(&kept, n);
    let mut weights = [0.0; 4];
    for (i, weight) in index.into_iter().zip(own).take(n.max(1)) {
        weights[i] = weight;
    }
    weights
}

/// Returns the weights of the origin's projection on a triangle, or `None` if it falls outside.
#[inline]
pub(crate) fn inner_weights(a: DVec3, b: DVec3, w: DVec3) -> Option<[f64; 3]> {
    let (n, la, lb) = normal_and_weights(a, b, w);
    let nn = n.length_squared();
    let lw = nn - la - lb;
    (0.0 < la && 0.0 < lb && 0.0 < lw).then(|| [la / nn, lb / nn, lw / nn])
}

/// Returns the weights of the origin's projection on a triangle, roughly clamped to it. None is
/// negative, and they sum to one.
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

/// Returns the triangle's normal (a - w) x (b - w), and the weights of a and b times n.n, at full
/// precision.
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

/// Returns a normal of the triangle, (a - w) x (b - w), at full precision.
#[inline(always)]
pub(crate) fn normal_of(a: DVec3, b: DVec3, w: DVec3) -> DVec3 {
    let (ea, eb) = (a - w, b - w);
    let n = ea.cross(eb);
    if is_thin(n, ea, eb) { exact_cross(a, w, b, w) } else { n }
}

/// Returns (p1 - p0) x (q1 - q0), accurate to the last digits even if the two are nearly parallel.
/// Computed in twice the precision.
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

/// Returns p / q clamped to [0, 1], or 0 if q is not positive.
fn ratio(p: f64, q: f64) -> f64 {
    if q > 0.0 { (p / q).clamp(0.0, 1.0) } else { 0.0 }
}

#[inline(always)]
fn point(w: DVec3, bit: u8) -> Nearest {
    let ww = w.length_squared();
    Nearest { u: w, uw: ww, distance_sq: ww, keep: bit, is_inside: false }
}

/// Returns the answer for a nearest feature that is an edge, strictly between its ends. `bit_a`
/// and `bit_w` are the bits of the ends.
#[inline(always)]
fn edge(a: DVec3, w: DVec3, [bit_a, bit_w]: [u8; 2], e: DVec3, ee: f64, d: f64) -> Nearest {
    // The square of a shorter length would vanish. The two ends are then one point.
    const SHORTEST_SQ: f64 = f64::from_bits((1023 - 480) << 52);
    if ee < SHORTEST_SQ {
        let is_a = a.length_squared() < w.length_squared();
        return if is_a { point(a, bit_a) } else { point(w, bit_w) };
    }
    let mut u = w * ee + e * d;
    const NEAR_SQ: f64 = 1.0 / (1u64 << 20) as f64;
    if u.length_squared() <= NEAR_SQ * (w.length_squared() * (ee * ee)) {
        // The edge is much nearer than it is long. From the nearer end fewer digits cancel. An
        // error along the edge would cost the lower bound its accuracy.
        if a.length_squared() < w.length_squared() {
            u = a * ee - e * a.dot(e);
        }
        u -= e * (u.dot(e) / ee);
    }
    // Not u.w: if the edge passes through the origin, u is noise, and only its own length shows
    // that.
    let uw = u.length_squared() / ee;
    Nearest { u, uw, distance_sq: uw / ee, keep: bit_a | bit_w, is_inside: false }
}

#[inline(always)]
fn edge_with_newest(a: DVec3, w: DVec3) -> Nearest {
    let e = a - w;
    let ee = e.length_squared();
    let d = -w.dot(e);
    if d <= 0.0 {
        point(w, 2)
    } else if d < ee || 0.0 < a.dot(e) {
        // If the end is so near that d rounds to ee, the computation at the end decides.
        edge(a, w, [1, 2], e, ee, d)
    } else {
        // The newest point is not the nearest: caused by rounding, or by a start from a cache.
        point(a, 1)
    }
}

fn edge_inside(points: &[DVec3; 4], i: usize, j: usize) -> Option<Nearest> {
    let (a, w) = (points[i], points[j]);
    let e = a - w;
    let ee = e.length_squared();
    let d = -w.dot(e);
    (0.0 < d && (d < ee || 0.0 < a.dot(e))).then(|| edge(a, w, [1 << i, 1 << j], e, ee, d))
}

/// Returns the answer for a nearest feature that is a triangle, strictly inside. `w` is a corner
/// of it, and `n` a normal of any length.
#[inline(always)]
fn face(w: DVec3, n: DVec3, keep: u8) -> Nearest {
    let nw = n.dot(w);
    // Products instead of a branch, because the sign is hard to predict.
    let (u, uw) = (n * 1.0_f64.copysign(nw), nw.abs());
    let distance_sq = if uw == 0.0 { 0.0 } else { uw * uw / u.length_squared() };
    Nearest { u, uw, distance_sq, keep, is_inside: false }
}

/// Square of the sine below which the cross product of two edges loses too many digits.
pub(crate) const THIN_SINE_SQ: f64 = 1.0 / (1u64 << 16) as f64;

/// Whether the triangle is so thin that its cross product loses digits.
#[inline(always)]
fn is_thin(n: DVec3, ea: DVec3, eb: DVec3) -> bool {
    n.length_squared() <= THIN_SINE_SQ * (ea.length_squared() * eb.length_squared())
}

#[inline(always)]
fn triangle_with_newest(a: DVec3, b: DVec3, w: DVec3, bits: [u8; 3]) -> Nearest {
    let (ea, eb) = (a - w, b - w);
    triangle_of_edges(a, b, w, bits, ea, eb, ea.cross(eb), ea.cross(w), eb.cross(w))
}

/// As [`triangle_with_newest`], with the last corner newest. The caller has the edges from it,
/// their cross product, and their cross products with it.
#[inline(always)]
fn triangle_of_edges(
    a: DVec3,
    b: DVec3,
    w: DVec3,
    bits: [u8; 3],
    ea: DVec3,
    eb: DVec3,
    n: DVec3,
    ca: DVec3,
    cb: DVec3,
) -> Nearest {
    let [bit_a, bit_b, bit_w] = bits;
    let (eea, eeb, nn) = (ea.length_squared(), eb.length_squared(), n.length_squared());
    if nn <= THIN_SINE_SQ * (eea * eeb) {
        return nearest_in_triangle(a, b, w, bits);
    }
    // Weights of a, b and w, times n.n.
    let la = n.dot(cb);
    let lb = -n.dot(ca);
    let lw = nn - la - lb;
    if (0.0 < la) & (0.0 < lb) & (0.0 < lw) {
        return face(w, n, bit_a | bit_b | bit_w);
    }
    let (da, db) = (-w.dot(ea), -w.dot(eb));
    if da <= 0.0 && db <= 0.0 {
        return point(w, bit_w);
    }
    let on_a = lb <= 0.0 && 0.0 < da && da < eea;
    let on_b = la <= 0.0 && 0.0 < db && db < eeb;
    match (on_a, on_b) {
        (true, false) => edge(a, w, [bit_a, bit_w], ea, eea, da),
        (false, true) => edge(b, w, [bit_b, bit_w], eb, eeb, db),
        _ => nearest_in_triangle(a, b, w, bits),
    }
}

/// As [`triangle_of_edges`], but tries every feature.
#[cold]
#[inline(never)]
fn nearest_in_triangle(a: DVec3, b: DVec3, w: DVec3, bits: [u8; 3]) -> Nearest {
    let mut nearest = nearest_of_all(&[a, b, w, DVec3::ZERO], 3);
    let mut keep = 0;
    for (i, bit) in bits.into_iter().enumerate() {
        if nearest.keep & (1 << i) != 0 {
            keep |= bit;
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
    (least < la && least < lb && least < lw).then(|| face(points[w], n, 1 << a | 1 << b | 1 << w))
}

/// Returns exact signs: of the tetrahedron's orientation, and of the origin tests on the three
/// faces at the newest point.
#[cold]
#[inline(never)]
fn exact_signs(a: DVec3, b: DVec3, c: DVec3, w: DVec3) -> (f64, [f64; 3]) {
    let o = DVec3::ZERO;
    (orient3d(a, b, c, w), [-orient3d(a, b, o, w), -orient3d(b, c, o, w), -orient3d(c, a, o, w)])
}

#[inline(always)]
fn tetrahedron_with_newest(a: DVec3, b: DVec3, c: DVec3, w: DVec3) -> Nearest {
    let (ea, eb, ec) = (a - w, b - w, c - w);
    let (nab, nbc, nca) = (ea.cross(eb), eb.cross(ec), ec.cross(ea));
    let mut det = nab.dot(ec);
    let mut s = [nab.dot(w), nbc.dot(w), nca.dot(w)];
    // Safe bounds of the rounding: 2^-46 times lengths.
    const ROUNDING_SQ: f64 = 1.0 / (1u128 << 92) as f64;
    let (la, lb, lc, lw) =
        (ea.length_squared(), eb.length_squared(), ec.length_squared(), w.length_squared());
    let (ab, bc, ca) = (la * lb, lb * lc, lc * la);
    let sure = |x: f64, bound_sq: f64| ROUNDING_SQ * bound_sq < x * x;
    // All tests at once, because each is nearly always sure.
    if !(sure(det, ab * lc) & sure(s[0], ab * lw) & sure(s[1], bc * lw) & sure(s[2], ca * lw)) {
        (det, s) = exact_signs(a, b, c, w);
    }
    // A face sees the origin when the origin lies beyond it, away from the fourth point.
    let side = 1.0_f64.copysign(det);
    let mut sees = [0.0 < s[0] * side, 0.0 < s[1] * side, 0.0 < s[2] * side];
    if det == 0.0 {
        // Flat: any of the three faces may hold the nearest point, and none has an inner side.
        sees = [true; 3];
    }
    if !(sees[0] | sees[1] | sees[2]) {
        // Inside, unless the origin lies beyond the face of the older three. Then the newest point
        // is not the nearest: it only appeared so by rounding.
        let is_beyond = orient3d(a, b, c, DVec3::ZERO) * side < 0.0;
        return if is_beyond { nearest_of_all(&[a, b, c, w], 4) } else { Nearest::INSIDE };
    }
    let (ca, cb, cc) = (ea.cross(w), eb.cross(w), ec.cross(w));
    let mut best = Nearest::INSIDE;
    let mut best_sq = f64::INFINITY;
    if sees[0] {
        nearer(&mut best, &mut best_sq, triangle_of_edges(a, b, w, [1, 2, 8], ea, eb, nab, ca, cb));
    }
    if sees[1] {
        nearer(&mut best, &mut best_sq, triangle_of_edges(b, c, w, [2, 4, 8], eb, ec, nbc, cb, cc));
    }
    if sees[2] {
        nearer(&mut best, &mut best_sq, triangle_of_edges(c, a, w, [4, 1, 8], ec, ea, nca, cc, ca));
    }
    best
}

#[inline(always)]
fn nearer(best: &mut Nearest, best_sq: &mut f64, candidate: Nearest) {
    if candidate.distance_sq < *best_sq {
        (*best, *best_sq) = (candidate, candidate.distance_sq);
    }
}

/// Whether the tetrahedron contains the origin, decided exactly. The surface counts as inside. A
/// flat tetrahedron contains nothing.
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
