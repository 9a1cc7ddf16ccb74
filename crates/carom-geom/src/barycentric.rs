//! Barycentric weights: the position of a point in a triangle.
//!
//! A point of a triangle's plane is the weighted sum of the corners; the weights sum to 1. The
//! weights of the second and third corner are the u and v of a ray hit. The weights interpolate
//! data of the corners, such as colours and normals. A triangle without area has no weights.
//!
//! Reference: T. Moller, B. Trumbore, Fast, Minimum Storage Ray/Triangle Intersection, JGT 2(1),
//! 1997.
//! Differs: computed from the hit point and scaled, so that triangles of any size have weights.

use carom_math::scaling::scale_of;
use glam::DVec3;

/// Returns the weights of the corners at a point. A point off the plane has the weights of its
/// projection onto the plane.
///
/// `None` if the triangle has no area, or a number is not finite.
pub fn barycentric([a, b, c]: &[DVec3; 3], point: DVec3) -> Option<[f64; 3]> {
    // Largest coordinates are about 1, so that squares neither overflow nor vanish.
    let size = (b - a).abs().max((c - a).abs()).max_element();
    let scale = scale_of(size);
    let (u, v, p) = ((b - a) * scale, (c - a) * scale, (point - a) * scale);
    let normal = u.cross(v);
    let area = normal.length_squared();
    if !(0.0 < area && p.is_finite()) {
        return None;
    }
    let (second, third) = (p.cross(v).dot(normal) / area, u.cross(p).dot(normal) / area);
    Some([1.0 - second - third, second, third])
}
