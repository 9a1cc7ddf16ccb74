//! Cameras, meshes and particles for the tests.

use carom_math::{Pose, Quat, Vec3};
use carom_particles::{Camera, DepthBuffer};
use carom_scenes::Rng;

/// A camera in the origin that looks along -Z.
pub(crate) fn camera() -> Camera {
    Camera::perspective(&Pose::IDENTITY, 1.2, 1.0, 0.1, 100.0).unwrap()
}

/// A camera at a height that looks down.
pub(crate) fn from_above(height: f32, size: f32) -> Camera {
    let down = Quat::from_xyzw(-0.5_f32.sqrt(), 0.0, 0.0, 0.5_f32.sqrt());
    Camera::orthographic(&Pose::new(down, Vec3::Y * height), size, 1.0, 0.1, 4.0 * height).unwrap()
}

/// Two triangles of a square around a point, with two half sides.
pub(crate) fn square(center: Vec3, u: Vec3, v: Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    (vec![center - u - v, center + u - v, center + u + v, center - u + v], vec![[0, 1, 2], [0, 2, 3]])
}

/// The view of a square by `camera`.
pub(crate) fn buffer_of(
    camera: Camera,
    n: u32,
    (vertices, triangles): &(Vec<Vec3>, Vec<[u32; 3]>),
) -> DepthBuffer {
    let mut buffer = DepthBuffer::new(camera, n, n).unwrap();
    buffer.draw(vertices, triangles, &Pose::IDENTITY).unwrap();
    buffer
}

/// A point in a cube of this half side.
pub(crate) fn point(rng: &mut Rng, half: f64) -> Vec3 {
    Vec3::new(rng.range(-half, half) as f32, rng.range(-half, half) as f32, rng.range(-half, half) as f32)
}
