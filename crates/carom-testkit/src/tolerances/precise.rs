//! The reference: placed points, overlaps and distances of boxes in numbers of 106 bits.
//!
//! The matrix of a pose is taken as exact, so a placed box is the image of a cube and nearly a
//! box.
//!
//! Reference: S. Gottschalk, Separating Axis Theorem, TR96-024, UNC Chapel Hill, 1996; C. Ericson,
//! Real-Time Collision Detection, 2005, 5.1.9.

pub(super) use crate::oracle::solid::placed;
use carom_math::WidePose;
use carom_math::double_double::{DoubleDouble, DoubleDoubleVec3};
use glam::DVec3;

/// Returns the absolute difference of two numbers, rounded.
pub(super) fn off(x: f64, truth: DoubleDouble) -> f64 {
    (DoubleDouble::from(x) - truth).to_f64().abs()
}

/// Returns the length of a vector, rounded to `f64`.
pub(super) fn length(v: DoubleDoubleVec3) -> f64 {
    v.to_dvec3().length()
}

/// Two boxes, A in its own frame and B placed by a pose.
pub(super) struct Boxes {
    a: [DoubleDoubleVec3; 8],
    b: [DoubleDoubleVec3; 8],
    axes_b: [DoubleDoubleVec3; 3],
}

const ZERO: DoubleDoubleVec3 =
    DoubleDoubleVec3 { x: DoubleDouble::ZERO, y: DoubleDouble::ZERO, z: DoubleDouble::ZERO };

/// Returns the indices of the ends of the twelve edges of a box.
fn edges() -> impl Iterator<Item = [usize; 2]> {
    (0..8_usize)
        .flat_map(|k| [1, 2, 4].into_iter().filter(move |bit| k & bit == 0).map(move |bit| [k, k | bit]))
}

impl Boxes {
    pub(super) fn new(half_a: DVec3, half_b: DVec3, b_in_a: &WidePose) -> Boxes {
        let corner = |half: DVec3, k: usize| {
            half * DVec3::from_array([1, 2, 4].map(|bit| if k & bit == 0 { -1.0 } else { 1.0 }))
        };
        let r = &b_in_a.rotation;
        Boxes {
            a: core::array::from_fn(|k| corner(half_a, k).into()),
            b: core::array::from_fn(|k| placed(b_in_a, corner(half_b, k))),
            axes_b: [r.x_axis, r.y_axis, r.z_axis].map(DoubleDoubleVec3::from),
        }
    }

    /// Returns how far B must move along the direction of a vector to lie wholly beyond A.
    pub(super) fn overlap(&self, n: DoubleDoubleVec3) -> f64 {
        let largest = |points: &[DoubleDoubleVec3], n: DoubleDoubleVec3| {
            points.iter().map(|p| p.dot(n)).reduce(|m, x| if (m - x).is_negative() { x } else { m })
        };
        let (Some(a), Some(b)) = (largest(&self.a, n), largest(&self.b, ZERO - n)) else { return f64::NAN };
        // The quotient: the square of the length in 106 bits, its root in 53.
        (a + b).to_f64() / n.dot(n).to_f64().sqrt()
    }

    /// Returns the directions that can separate: normals of faces and of pairs of edges, of either
    /// sign.
    pub(super) fn axes(&self) -> Vec<DoubleDoubleVec3> {
        let a = DVec3::AXES.map(DoubleDoubleVec3::from);
        let b = self.axes_b;
        let mut all = a.to_vec();
        all.extend((0..3).map(|k| b[(k + 1) % 3].cross(b[(k + 2) % 3])));
        for e in a {
            all.extend(b.map(|f| e.cross(f)).into_iter().filter(|n| 0.0 < n.dot(*n).to_f64()));
        }
        all.iter().flat_map(|n| [*n, ZERO - *n]).collect()
    }

    /// Returns the least overlap; negative if a direction separates.
    pub(super) fn least_overlap(&self) -> f64 {
        self.axes().into_iter().map(|n| self.overlap(n)).fold(f64::INFINITY, f64::min)
    }

    /// Returns the distance, or minus the depth.
    pub(super) fn signed_distance(&self) -> f64 {
        let overlap = self.least_overlap();
        if 0.0 <= overlap { -overlap } else { self.distance() }
    }

    /// Returns the least distance of two edges, or of a corner and a face.
    fn distance(&self) -> f64 {
        let mut best = f64::INFINITY;
        for e in edges() {
            for f in edges() {
                best = best.min(edge_distance(e.map(|k| self.a[k]), f.map(|k| self.b[k])));
            }
        }
        for (face_of, corners_of) in [(&self.a, &self.b), (&self.b, &self.a)] {
            for p in corners_of {
                for axis in 0..3 {
                    for start in [0, 1 << axis] {
                        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
                        let corner = face_of[start];
                        let along = [face_of[start | u] - corner, face_of[start | v] - corner];
                        best = best.min(face_distance(*p - corner, along));
                    }
                }
            }
        }
        best
    }
}

/// Returns the distance of two points of the segments, which is at least that of the segments. It
/// is equal if the closest points are inside of both.
fn edge_distance([a, a_end]: [DoubleDoubleVec3; 2], [b, b_end]: [DoubleDoubleVec3; 2]) -> f64 {
    let (u, v, r) = (a_end - a, b_end - b, b - a);
    let n = u.cross(v);
    let nn = n.dot(n);
    let (uu, vv) = (u.dot(u), v.dot(v));
    let quotient =
        |x: DoubleDouble, y: DoubleDouble| if y.to_f64() == 0.0 { DoubleDouble::ZERO } else { x / y };
    // The edges are parallel or points: each start is right.
    let s = quotient(r.cross(v).dot(n), nn).clamp_unit();
    let t = quotient((u * s - r).dot(v), vv).clamp_unit();
    let s = quotient((v * t + r).dot(u), uu).clamp_unit();
    length(r + v * t - u * s)
}

/// Returns the distance of a point from the plane of a face, if it projects into the face; else
/// infinity.
fn face_distance(w: DoubleDoubleVec3, [u, v]: [DoubleDoubleVec3; 2]) -> f64 {
    let n = u.cross(v);
    let nn = n.dot(n);
    let is_over = |x: DoubleDouble| !x.is_negative() && !(nn - x).is_negative();
    if nn.to_f64() == 0.0 || !is_over(w.cross(v).dot(n)) || !is_over(u.cross(w).dot(n)) {
        return f64::INFINITY;
    }
    w.dot(n).to_f64().abs() / nn.to_f64().sqrt()
}
