//! Rays at shapes, for characters and wheels.

use crate::kernel::shape_parts::starts_inside;
use crate::sweep::{NO_OBJECT, RayHit};
use carom_math::{Interval, Pose, Ray, WidePose, scaling};
use carom_query::{Shape, cast_ray};
use glam::DVec3;

/// Returns the plane of a triangle or half-space, in the frame of the shape: its normal, and a
/// point.
fn plane_of(shape: &Shape, part: u32) -> Option<(DVec3, DVec3)> {
    let mesh = match shape {
        Shape::HalfSpace(half_space) => return Some((half_space.normal_wide(), DVec3::ZERO)),
        Shape::Mesh(mesh) => mesh,
        Shape::HeightField(field) => field.mesh(),
        _ => return None,
    };
    let [a, b, c] = mesh.mesh().corners(part);
    scaling::unit((b - a).cross(c - a)).map(|normal| (normal, a))
}

/// Returns the hit of a ray, with the number of the part in the shape. `None` if it misses.
pub(crate) fn ray_shape(shape: &Shape, pose: &WidePose, from: DVec3, displacement: DVec3) -> Option<RayHit> {
    let (from, displacement) =
        (pose.inverse_transform_point(from), pose.inverse_transform_vector(displacement));
    let ray = Ray::new(from.as_vec3(), displacement.as_vec3());
    let hit = cast_ray(shape, &Pose::IDENTITY, &ray, Interval::new(0.0, 1.0))?;
    let normal = hit.normal.as_dvec3();
    let against = scaling::unit(if hit.is_back_face { -normal } else { normal }).unwrap_or(DVec3::ZERO);
    let t = f64::from(hit.t);
    let plane = plane_of(shape, hit.part).filter(|(normal, _)| normal.dot(displacement) != 0.0);
    let (t, against) = plane.map_or((t, against), |(normal, point)| {
        let rate = normal.dot(displacement);
        let exact = (normal.dot(point - from) / rate).clamp(0.0, 1.0);
        (exact, if 0.0 < rate { -normal } else { normal })
    });
    let is_inside = hit.is_back_face && starts_inside(shape, hit.part, from);
    let found = RayHit::new(t, pose.transform_vector(against)).starting_inside(is_inside);
    Some(found.on(NO_OBJECT, hit.part))
}
