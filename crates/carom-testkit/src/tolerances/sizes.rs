//! Errors of balls around points, and of bodies with the inertia of a ball.
//!
//! Reference: M. de Berg et al., Computational Geometry, 3rd ed., 4.7.

use super::rounding::{size, turn};
use crate::oracle::sat;
use crate::random::Random;
use carom_geom::ConvexHull;
use glam::{DVec3, Mat3, Vec3};

/// Returns the distance of the last three corners of a regular enough tetrahedron from the surface
/// of its circumscribed ball, relative to the squared radius. The first corner is on it by
/// construction.
pub(super) fn ball_through_points(random: &mut Random) -> f64 {
    let [a, b, c] = [0; 3].map(|_| random.cube_point());
    let volume = a.dot(b.cross(c));
    // Points that determine a smallest ball are spread around it; for flat sets, three points
    // determine it.
    if volume * volume < 1e-4 * a.length_squared() * b.length_squared() * c.length_squared() {
        return 0.0;
    }
    let center =
        (b.cross(c) * a.length_squared() + c.cross(a) * b.length_squared() + a.cross(b) * c.length_squared())
            / (2.0 * volume);
    let radius_sq = center.length_squared();
    [a, b, c]
        .iter()
        .fold(0.0, |m: f64, p: &DVec3| m.max(((*p - center).length_squared() / radius_sq - 1.0).abs()))
}

/// Returns the relative difference of the inverse inertia of a cube from that of a ball. The cube
/// was turned, and its corners were rounded to `f32`.
pub(super) fn cube_inertia(random: &mut Random) -> f64 {
    let (half, q) = (size(random), turn(random));
    let corners: Vec<Vec3> =
        sat::box_corners(DVec3::splat(half), |p| q * p).into_iter().map(DVec3::as_vec3).collect();
    let Ok(cube) = ConvexHull::from_points(&corners) else { return f64::NAN };
    // The inversion is that of bodies.
    let inverse = cube.mass_properties(1.0).inertia.as_dmat3().inverse().as_mat3();
    let of_one = Mat3::from_diagonal(Vec3::splat(inverse.x_axis.x));
    let most = (inverse - of_one).to_cols_array().iter().fold(0.0, |m: f32, x| m.max(x.abs()));
    f64::from(most / inverse.x_axis.x.abs())
}
