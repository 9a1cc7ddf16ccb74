//! The shaft between two boxes: their convex hull, which is also the sweep of a box between two
//! positions.
//!
//! A face of the hull is a face of the box around both, or joins equal edges of the two. In the
//! second case the normal lies in a plane of two axes; there are at most eight such faces. A box
//! meets the hull unless one of these planes separates them. No edge axes are needed.
//!
//! Reference: E. Haines, J. Wallace, Shaft Culling for Efficient Ray-Traced Radiosity, 1991;
//! Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.11.
//! Differs: offsets are measured from both boxes along the rounded normals, so the shaft contains
//! both.

use crate::Aabb;
use crate::volume::BoundingVolume;
use glam::DVec3;

/// The convex hull of two boxes.
#[derive(Clone, Copy, Debug)]
pub struct Shaft {
    bounds: Aabb,
    sides: [Side; 12],
    n_sides: usize,
}

/// The half-space `normal . x <= offset` holds the shaft; one component of the normal is 0.
#[derive(Clone, Copy, Debug)]
struct Side {
    normal: DVec3,
    offset: f64,
}

/// The rounding error relative to the sums of absolute values. It covers two products and a sum,
/// on both sides of the comparison.
const ALONG: f64 = 8.0 * f64::EPSILON;

impl Shaft {
    /// Returns the hull of the start and the end of a box. If one of the two is empty, the hull is
    /// the other one.
    pub fn new(from: &Aabb, to: &Aabb) -> Shaft {
        let bounds = from.merged(to);
        let none = Side { normal: DVec3::ZERO, offset: 0.0 };
        let mut shaft = Shaft { bounds, sides: [none; 12], n_sides: 0 };
        let finite = |b: &Aabb| b.min.is_finite() && b.max.is_finite() && b.min.cmple(b.max).all();
        if !(finite(from) && finite(to)) {
            return shaft;
        }
        let corner = |b: &Aabb, sign: DVec3| {
            DVec3::select(sign.cmplt(DVec3::ZERO), b.min.as_dvec3(), b.max.as_dvec3())
        };
        for (u, v) in [(0, 1), (1, 2), (2, 0)] {
            for (sign_u, sign_v) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
                let mut sign = DVec3::ZERO;
                (sign[u], sign[v]) = (sign_u, sign_v);
                let (a, b) = (corner(from, sign), corner(to, sign));
                let d = b - a;
                // The line of the two corners bounds the shaft if its normal points away from both
                // boxes.
                if !(d[u] * sign_u * d[v] * sign_v < 0.0) {
                    continue;
                }
                let mut normal = DVec3::ZERO;
                (normal[u], normal[v]) = (d[v].abs() * sign_u, d[u].abs() * sign_v);
                if let Some(side) = shaft.sides.get_mut(shaft.n_sides) {
                    *side = Side { normal, offset: normal.dot(a).max(normal.dot(b)) };
                    shaft.n_sides += 1;
                }
            }
        }
        shaft
    }

    /// Returns the box around the shaft.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Whether the box may meet the shaft; touching counts. Within a rounding error of `f64` it
    /// returns true.
    pub fn overlaps(&self, aabb: &Aabb) -> bool {
        if !self.bounds.overlaps(aabb) {
            return false;
        }
        let (low, high) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
        let reach = low.abs().max(high.abs()) + self.bounds.min.abs().max(self.bounds.max.abs()).as_dvec3();
        self.sides.iter().take(self.n_sides).all(|side| {
            let nearest = DVec3::select(side.normal.cmplt(DVec3::ZERO), high, low);
            // If a box is infinite along an axis on which the normal is 0, the product is NaN, and
            // the comparison does not reject.
            !(side.offset + side.normal.abs().dot(reach) * ALONG < side.normal.dot(nearest))
        })
    }
}
