//! Rasterizes triangles into a depth buffer: a ray through the centre of each pixel against the
//! plane of the triangle.
//!
//! - Three edge functions give the side of each edge on which a pixel's ray passes. For two
//!   triangles with a common edge the functions of that edge are exactly opposite, so at least one
//!   of the two gets the ray.
//! - Edge functions belong to lines, so a triangle that reaches behind the camera needs no
//!   clipping: its part in front has a positive depth.
//! - Only pixels in a bounding box are tested, which contains the part of the triangle beyond the
//!   depth `near`.
//!
//! Reference: M. Olano, T. Greer, Triangle Scan Conversion using 2D Homogeneous Coordinates,
//! Graphics Hardware 1997.

use crate::camera::Projection;
use crate::depth_buffer::DepthBuffer;
use carom_math::scaling::unit;
use glam::{DVec2, DVec3};

/// Draws one triangle, given in the camera's frame.
pub(crate) fn draw(buffer: &mut DepthBuffer, corners: &[DVec3; 3]) {
    let Some(normal) = unit((corners[1] - corners[0]).cross(corners[2] - corners[0])) else { return };
    let Some([columns, rows]) = pixels(buffer, corners) else { return };
    let camera = buffer.camera;
    for row in rows[0]..=rows[1] {
        for column in columns[0]..=columns[1] {
            let (origin, direction) = camera.ray(buffer.middle(column, row));
            let Some(depth) = depth(camera.projection, origin, direction, corners) else { continue };
            let depth = depth as f32;
            let pixel = buffer.pixel(column, row);
            if buffer.is_in_range(depth) && depth < buffer.depths[pixel] {
                let facing = if 0.0 < normal.dot(direction) { -normal } else { normal };
                buffer.depths[pixel] = depth;
                buffer.normals[pixel] = camera.pose.transform_vector(facing).as_vec3();
            }
        }
    }
}

/// Returns the depth at which a ray meets a triangle; `None` if it does not.
fn depth(projection: Projection, origin: DVec3, direction: DVec3, corners: &[DVec3; 3]) -> Option<f64> {
    let edges = [(1, 2), (2, 0), (0, 1)];
    let sides = match projection {
        Projection::Perspective { .. } => edges.map(|(i, k)| direction.dot(corners[i].cross(corners[k]))),
        Projection::Orthographic { .. } => edges.map(|(i, k)| {
            let (p, q) =
                (corners[i].truncate() - origin.truncate(), corners[k].truncate() - origin.truncate());
            p.perp_dot(q)
        }),
    };
    let sum = sides[0] + sides[1] + sides[2];
    let is_hit = sides.iter().all(|side| 0.0 <= *side) || sides.iter().all(|side| *side <= 0.0);
    if !is_hit || sum == 0.0 {
        return None;
    }
    // A triangle that is seen edge-on, or is too thin for its edge functions, has no depth.
    let depth = match projection {
        Projection::Perspective { .. } => corners[0].dot(corners[1].cross(corners[2])) / sum,
        Projection::Orthographic { .. } => {
            -(corners[0].z * sides[0] + corners[1].z * sides[1] + corners[2].z * sides[2]) / sum
        }
    };
    depth.is_finite().then_some(depth)
}

/// Returns the first and last column and row of the pixels that a triangle may cover.
fn pixels(buffer: &DepthBuffer, corners: &[DVec3; 3]) -> Option<[[u32; 2]; 2]> {
    let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
    let mut hold = |point: DVec3| {
        let position = buffer.camera.project(point);
        (low, high) = (low.min(position), high.max(position));
    };
    let near = f64::from(buffer.camera.near);
    for i in 0..3 {
        let (p, q) = (corners[i], corners[(i + 1) % 3]);
        let (over_p, over_q) = (-p.z - near, -q.z - near);
        if 0.0 <= over_p {
            hold(p);
        }
        if (0.0 <= over_p) != (0.0 <= over_q) {
            hold(p + (q - p) * (over_p / (over_p - over_q)));
        }
    }
    // A pixel more on each side, for rounding.
    let range = |low: f64, high: f64, n: u32| {
        let scale = 0.5 * f64::from(n);
        let (first, last) = ((low + 1.0) * scale - 1.5, (high + 1.0) * scale + 0.5);
        // Saturates; NaN is 0.
        (first <= last && first < f64::from(n) && 0.0 <= last)
            .then(|| [first.max(0.0) as u32, (last.max(0.0) as u32).min(n - 1)])
    };
    let columns = range(low.x, high.x, buffer.width)?;
    let rows = range(-high.y, -low.y, buffer.height)?;
    Some([columns, rows])
}
