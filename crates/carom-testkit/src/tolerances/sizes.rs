//! Balls around points, and bodies that turn like balls.
//!
//! Reference: M. de Berg et al., Computational Geometry, 3rd ed., 4.7.

use super::rounding::{size, turn};
use crate::oracle::sat;
use crate::random::Random;
use carom_geom::ConvexHull;
use glam::{DVec3, Mat3, Vec3};

/// The ball through four corners of a good tetrahedron: by how much the last three are off its
/// surface, as a part of the squared radius. The first is on it by construction.
pub(super) fn ball_through_points(random: &mut Random) -> f64 {
    let [a, b, c] = [0; 3].map(|_| random.cube_point());
    let volume = a.dot(b.cross(c));
    // Points that decide a smallest ball spread around it; flat ones decide it by three.
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

/// The inverse inertia of a cube that was turned before its corners were rounded to `f32`, off that
/// of a ball, as a part of it.
pub(super) fn cube_inertia(random: &mut Random) -> f64 {
    let (half, q) = (size(random), turn(random));
    let corners: Vec<Vec3> =
        sat::box_corners(DVec3::splat(half), |p| q * p).into_iter().map(DVec3::as_vec3).collect();
    let Ok(cube) = ConvexHull::from_points(&corners) else { return f64::NAN };
    // As bodies invert it.
    let inverse = cube.mass_properties(1.0).inertia.as_dmat3().inverse().as_mat3();
    let of_one = Mat3::from_diagonal(Vec3::splat(inverse.x_axis.x));
    let most = (inverse - of_one).to_cols_array().iter().fold(0.0, |m: f32, x| m.max(x.abs()));
    f64::from(most / inverse.x_axis.x.abs())
}
