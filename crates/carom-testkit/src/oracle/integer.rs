//! Intersection of triangles with integer corners, by separating axes in integers. It is fast
//! enough for a hundred million pairs.
//!
//! The difference of two triangles is a polytope that contains the origin exactly if they meet.
//! Its facets are spanned by two sides of the triangles. If it is flat, its edges are parallel to
//! sides; if it is a segment or a point, equations decide. All numbers are exact in `i64` for
//! figures up to 2^14 wide, and in `i128` up to 2^30.
//!
//! Reference: S. Gottschalk, Separating Axis Theorem, UNC technical report TR96-024, 1996.

use num_traits::{Num, Signed};

/// Three whole coordinates.
pub type Point = [i64; 3];

/// Whether the closed triangles, segments or points have a common point. All corners must lie
/// within 2^30 of each other.
pub fn triangles_meet(a: &[Point; 3], b: &[Point; 3]) -> bool {
    let origin = a[0];
    let mut points = [[0_i64; 3]; 6];
    let mut reach = 0;
    for (to, from) in points.iter_mut().zip(a.iter().chain(b)) {
        for axis in 0..3 {
            to[axis] = from[axis] - origin[axis];
            reach = reach.max(to[axis].abs());
        }
    }
    assert!(reach <= 1 << 29, "the corners are too far from each other for exact integers");
    // `reach` is the extent on either side of the first corner, so differences are up to twice as
    // large.
    if reach <= 1 << 13 { meet(&points) } else { meet(&points.map(|p| p.map(i128::from))) }
}

fn meet<T: Num + Signed + PartialOrd + Copy>(points: &[[T; 3]; 6]) -> bool {
    let sides = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)].map(|(i, j)| sub(points[j], points[i]));
    let mut normal = None;
    for i in 0..6 {
        for j in i + 1..6 {
            let axis = cross(sides[i], sides[j]);
            if is_separated(points, axis) {
                return false;
            }
            if !is_zero(axis) {
                normal = normal.or(Some(axis));
            }
        }
    }
    let Some(normal) = normal else {
        // All sides are parallel: the difference is a segment or a point.
        let between = sub(points[3], points[0]);
        return match sides.iter().find(|&&side| !is_zero(side)) {
            Some(&side) => is_zero(cross(between, side)) && !is_separated(points, side),
            None => is_zero(between),
        };
    };
    let is_flat = sides.iter().all(|&side| dot(normal, side).is_zero());
    !(is_flat && sides.iter().any(|&side| is_separated(points, cross(normal, side))))
}

/// Whether the first three points lie strictly before all others along the axis, or strictly
/// behind.
fn is_separated<T: Num + PartialOrd + Copy>(points: &[[T; 3]; 6], axis: [T; 3]) -> bool {
    let range = |triangle: &[[T; 3]]| {
        let first = dot(axis, triangle[0]);
        triangle[1..].iter().fold((first, first), |(low, high), &p| {
            let x = dot(axis, p);
            (if x < low { x } else { low }, if high < x { x } else { high })
        })
    };
    let ((low_a, high_a), (low_b, high_b)) = (range(&points[..3]), range(&points[3..]));
    high_a < low_b || high_b < low_a
}

fn sub<T: Num + Copy>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross<T: Num + Copy>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot<T: Num + Copy>(a: [T; 3], b: [T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn is_zero<T: Num>(v: [T; 3]) -> bool {
    v.iter().all(T::is_zero)
}
