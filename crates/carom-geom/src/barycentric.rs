//! Barycentric weights: where in its triangle a point is.
//!
//! A point of a triangle's plane is its corners, each times a weight; the weights sum to 1. Those
//! of the second and the third corner are the u and v of a ray's hit. They carry what is stored at
//! the corners, such as colours and normals, to the point. A triangle without area has none.
//!
//! Reference: T. Moller, B. Trumbore, Fast, Minimum Storage Ray/Triangle Intersection, JGT 2(1),
//! 1997.
//! Differs: from the point of a hit, scaled, so that triangles of any size have them.

use carom_math::scaling::scale_of;
use glam::DVec3;

/// The weights of the corners at a point of the triangle's plane; of another point, those of its
/// foot there.
///
/// None where the triangle has no area, or a number is not finite.
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
