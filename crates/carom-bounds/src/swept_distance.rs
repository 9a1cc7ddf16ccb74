//! A lower bound of the distance of two swept spheres.
//!
//! The closest points of two disjoint rectangles lie on two edges, or on a corner and a face. All
//! cases are tried, and the line through the best two points is an axis. Along any axis, the gap
//! of the two volumes is a lower bound of their distance. For the true closest points it is the
//! distance.
//!
//! Reference: E. Larsen, S. Gottschalk, M. C. Lin, D. Manocha, Fast Proximity Queries with Swept
//! Sphere Volumes, 1999, 5; C. Ericson, Real-Time Collision Detection, 2005, 5.1.9 (closest points
//! of two segments).
//! Differs: no region tests. The axis is the certificate, so a wrong pair of points only makes the
//! bound less tight.

use crate::outward::LENGTH;
use crate::swept_sphere::{CORE, SweptSphere};
use carom_math::ops::sqrt;
use glam::DVec3;

/// Returns a lower bound of the distance of two non-empty swept spheres; 0 or less if they may
/// touch.
pub(crate) fn separation<const E: usize>(a: &SweptSphere<E>, b: &SweptSphere<E>) -> f64 {
    // The two are put in a fixed order, so that swapped arguments give the same bits.
    let is_later = |a: &SweptSphere<E>, b: &SweptSphere<E>| {
        let key = |s: &SweptSphere<E>| (s.center.to_array(), s.edges.map(|e| e.to_array()), s.radius);
        key(b) < key(a)
    };
    let (a, b) = if is_later(a, b) { (b, a) } else { (a, b) };
    let radii = (f64::from(a.radius) + f64::from(b.radius)) * (1.0 + LENGTH);
    let t = b.center.as_dvec3() - a.center.as_dvec3();
    let (edges_a, edges_b) = (a.wide_edges(), b.wide_edges());
    let mut size = t.abs().element_sum();
    let mut reach = 0.0;
    for e in edges_a.iter().chain(&edges_b) {
        size += e.abs().element_sum();
        reach += sqrt(e.length_squared());
    }
    let gap_along = |n: DVec3| {
        let length = sqrt(n.length_squared()) * (1.0 + LENGTH);
        if !(0.0 < length) {
            return f64::NEG_INFINITY;
        }
        let mut gap = t.dot(n).abs();
        for e in edges_a.iter().chain(&edges_b) {
            gap -= e.dot(n).abs();
        }
        // Rounding: each input length is projected by three products and three sums.
        (gap - size * n.abs().max_element() * (3.0 * CORE)) / length * (1.0 - LENGTH) - radii
    };
    let centers = gap_along(t);
    // At this distance the cores are points up to 2^-20, so the axis of the centres is enough.
    if reach * f64::from(1_u32 << 20) < centers {
        return centers;
    }
    let (p, q) = closest(t, &edges_a, &edges_b);
    gap_along(q - p).max(centers)
}

/// Returns the closest points of the cores, relative to the centre of A. If the cores intersect,
/// the points are arbitrary.
fn closest<const E: usize>(t: DVec3, edges_a: &[DVec3; E], edges_b: &[DVec3; E]) -> (DVec3, DVec3) {
    let mut best = (f64::INFINITY, DVec3::ZERO, t);
    let mut consider = |p: DVec3, q: DVec3| {
        let distance_sq = (q - p).length_squared();
        if distance_sq < best.0 {
            best = (distance_sq, p, q);
        }
    };
    let segments_b: [(DVec3, DVec3); 4] = segments(t, edges_b);
    for (c, e) in segments(DVec3::ZERO, edges_a) {
        for (d, f) in segments_b {
            let (x, y) = closest_on_segments(d - c, e, f);
            consider(c + e * x, d + f * y);
        }
    }
    if let ([a0, a1], [b0, b1]) = (edges_a.as_slice(), edges_b.as_slice()) {
        for (x, y) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            let corner = t + *b0 * x + *b1 * y;
            consider(on_face(corner, *a0, *a1), corner);
            let corner = *a0 * x + *a1 * y;
            consider(corner, t + on_face(corner - t, *b0, *b1));
        }
    }
    (best.1, best.2)
}

/// Returns the sides of a core: centre and half edge. A segment is listed four times.
fn segments<const E: usize>(center: DVec3, edges: &[DVec3; E]) -> [(DVec3, DVec3); 4] {
    match *edges.as_slice() {
        [a, b] => [(center + b, a), (center - b, a), (center + a, b), (center - a, b)],
        [a, ..] => [(center, a); 4],
        [] => [(center, DVec3::ZERO); 4],
    }
}

/// Returns the point of a rectangle about the origin that is closest to `p`. Its edges are
/// orthogonal only up to rounding.
fn on_face(p: DVec3, a: DVec3, b: DVec3) -> DVec3 {
    let share = |e: DVec3| {
        let length_sq = e.length_squared();
        if 0.0 < length_sq { (p.dot(e) / length_sq).clamp(-1.0, 1.0) } else { 0.0 }
    };
    a * share(a) + b * share(b)
}

/// Returns the x and y in [-1, 1] for which `x * e` and `t + y * f` are closest.
fn closest_on_segments(t: DVec3, e: DVec3, f: DVec3) -> (f64, f64) {
    let (ee, ff, ef) = (e.length_squared(), f.length_squared(), e.dot(f));
    let (te, tf) = (t.dot(e), t.dot(f));
    let along = |num: f64, den: f64| if 0.0 < den { (num / den).clamp(-1.0, 1.0) } else { 0.0 };
    // Parallel segments: any x is valid, and y follows from it.
    let x = along(te * ff - tf * ef, ee * ff - ef * ef);
    let y = along(ef * x - tf, ff);
    (along(te + ef * y, ee), y)
}
