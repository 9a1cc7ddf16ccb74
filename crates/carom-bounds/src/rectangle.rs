//! The minimum rectangle around points in the plane, and their convex hull.
//!
//! A side of the minimum rectangle lies on an edge of the hull. So each edge is tried against all
//! corners, because hulls have few.
//!
//! Reference: H. Freeman, R. Shapira, Determining the Minimum-Area Encasing Rectangle for an
//! Arbitrary Closed Curve, 1975; G. Toussaint, Solving Geometric Problems with the Rotating
//! Calipers, 1983; A. Andrew, Another Efficient Algorithm for Convex Hulls in Two Dimensions,
//! 1979.

use alloc::vec::Vec;
use carom_math::ops::sqrt;
use glam::DVec2;

/// The maximum number of edges that are tried; longer hulls use every second, third ... edge.
const MAX_EDGES: usize = 64;

/// Returns the direction of a side of the minimum rectangle around points; x for fewer than two.
/// The points are sorted in place, and their hull is written to the list.
pub(crate) fn least_rectangle(points: &mut [DVec2], hull: &mut Vec<DVec2>) -> DVec2 {
    convex_polygon(points, hull);
    let (mut least, mut along) = ((f64::INFINITY, f64::INFINITY), DVec2::X);
    let step = hull.len().div_ceil(MAX_EDGES).max(1);
    for i in (0..hull.len()).step_by(step) {
        let edge = hull[(i + 1) % hull.len()] - hull[i];
        let length = sqrt(edge.length_squared());
        if !(0.0 < length) {
            continue;
        }
        let e = edge / length;
        let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        for p in &*hull {
            let q = DVec2::new(p.dot(e), p.dot(e.perp()));
            low = low.min(q);
            high = high.max(q);
        }
        let size = high - low;
        // Collinear points have no area, so the shorter rectangle is taken.
        if (size.x * size.y, size.x + size.y) < least {
            (least, along) = ((size.x * size.y, size.x + size.y), e);
        }
    }
    along
}

/// Returns the area of the convex hull of points, which are sorted in place.
pub(crate) fn hull_area(points: &mut [DVec2]) -> f64 {
    let mut hull = Vec::new();
    convex_polygon(points, &mut hull);
    let Some(&first) = hull.first() else { return 0.0 };
    let mut twice = 0.0;
    for edge in hull.windows(2) {
        twice += (edge[0] - first).perp_dot(edge[1] - first);
    }
    twice * 0.5
}

/// Makes `hull` the convex hull of points in the plane, counter-clockwise.
fn convex_polygon(points: &mut [DVec2], hull: &mut Vec<DVec2>) {
    points.sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then_with(|| a.y.total_cmp(&b.y)));
    hull.clear();
    for upper in [false, true] {
        let from = hull.len();
        let n = points.len();
        for i in 0..n {
            let p = if upper { points[n - 1 - i] } else { points[i] };
            while from + 2 <= hull.len() {
                let (a, b) = (hull[hull.len() - 2], hull[hull.len() - 1]);
                if 0.0 < (b - a).perp_dot(p - a) {
                    break;
                }
                hull.pop();
            }
            hull.push(p);
        }
        // The last point starts the other chain.
        hull.pop();
    }
    if hull.is_empty() {
        hull.extend(points.first());
    }
}
