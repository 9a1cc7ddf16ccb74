//! The signed distance of points from a shape, for particles.
//!
//! - Far from the bounding box of the shape, the distance from the box is enough.
//! - The gradient is the direction from the nearest point of the surface. Very near the surface
//!   rounding destroys this direction. Then differences of distances, or the triangle, give the
//!   gradient.
//! - An open mesh and a height field have no inside, so the distance from them is not negative.
//!
//! Reference: J. C. Hart, Sphere Tracing, The Visual Computer 12(10), 1996 (distances as bounds).

use carom_bounds::Aabb;
use carom_math::{Pose, Vec3};
use carom_query::{MeshShape, Shape, project_point};

/// The distance, relative to the coordinates, below which its direction is lost: 128 roundings.
const MIN_DIRECTION_RATIO: f32 = 1.0 / 65536.0;

/// A shape in the frame of its body.
pub(crate) struct ShapeDistance<'a> {
    shape: &'a Shape,
    aabb: Aabb,
    /// The distance from the box beyond which that distance is the result.
    near: f32,
}

impl<'a> ShapeDistance<'a> {
    /// Prepares a shape. Distances up to the length `near` are exact.
    pub(crate) fn new(shape: &'a Shape, near: f32) -> ShapeDistance<'a> {
        ShapeDistance { shape, aabb: shape.aabb(&Pose::IDENTITY), near }
    }

    /// Returns the signed distance of a point, or a lower bound if it is far away, and the unit
    /// gradient.
    pub(crate) fn at(&self, point: Vec3) -> (f32, Vec3) {
        let offset = point - point.max(self.aabb.min).min(self.aabb.max);
        let outside = offset.length();
        if self.near < outside { (outside, offset / outside) } else { exact(self.shape, point) }
    }
}

fn exact(shape: &Shape, point: Vec3) -> (f32, Vec3) {
    match shape {
        Shape::HalfSpace(s) => (point.dot(s.normal()), s.normal()),
        Shape::Sphere(s) => (point.length() - s.radius(), point.normalize_or(Vec3::Y)),
        _ => {
            let Some(found) = project_point(shape, &Pose::IDENTITY, point) else {
                return (f32::MAX, Vec3::Y);
            };
            let offset = (point - found.point) * 1.0_f32.copysign(found.distance);
            let length = offset.length();
            if MIN_DIRECTION_RATIO * point.abs().max_element() < length {
                return (found.distance, offset / length);
            }
            (found.distance, normal_at(shape, point, found.part))
        }
    }
}

/// Returns the normal of the surface at a point on it. `part` is the triangle of a mesh.
fn normal_at(shape: &Shape, point: Vec3, part: u32) -> Vec3 {
    // A step for which rounding changes the direction by about a hundredth.
    let step = 64.0 * MIN_DIRECTION_RATIO * point.abs().max_element().max(f32::MIN_POSITIVE);
    let distance = |p: Vec3| project_point(shape, &Pose::IDENTITY, p).map_or(0.0, |found| found.distance);
    let slope = |axis: Vec3| distance(point + axis * step) - distance(point - axis * step);
    let slopes = Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z));
    // On an open surface both sides have the same distance, and the differences vanish.
    if step * step < slopes.length_squared() {
        return slopes.normalize_or(Vec3::Y);
    }
    let of_triangle = |mesh: &MeshShape| {
        let [a, b, c] = mesh.mesh().corners(part);
        (b - a).cross(c - a).as_vec3().normalize_or(Vec3::Y)
    };
    match shape {
        Shape::Mesh(mesh) => of_triangle(mesh),
        Shape::HeightField(field) => of_triangle(field.mesh()),
        _ => slopes.normalize_or(Vec3::Y),
    }
}
