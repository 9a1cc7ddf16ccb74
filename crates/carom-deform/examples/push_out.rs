//! A sheet falls on a ball, and on a plate that it passes in one step. It is pushed out by a
//! distance field, by rays, and by history: `push_out [ROWS]`.
//!
//! All three keep the sheet out of the ball. A field and rays know only where vertices are, so the
//! sheet falls through the plate. History knows on which side they were.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

use carom_deform::{ContactSides, DeformError, DeformableMesh, PushOut, RayDepths};
use carom_scenes::mesh::icosphere;
use glam::{DVec3, Vec3};

/// A square sheet with sides of 1 m and `n` by `n` vertices, at the height 1.2 m. Its faces turn
/// down.
fn sheet(n: u16) -> Result<DeformableMesh, DeformError> {
    let at = |i: u16| f32::from(i) / f32::from(n - 1) - 0.5;
    let positions: Vec<Vec3> = (0..n * n).map(|i| Vec3::new(at(i % n), 1.2, at(i / n))).collect();
    let n = u32::from(n);
    let corners = (0..n * (n - 1)).filter(|vertex| vertex % n < n - 1);
    let triangles = corners.flat_map(|v| [[v, v + 1, v + n], [v + 1, v + n + 1, v + n]]).collect();
    DeformableMesh::from_triangles(&positions, triangles)?.with_thickness(0.01)
}

/// The distance to a box around the origin, negative inside, and its direction.
fn box_distance(half: DVec3, p: DVec3) -> Option<(f64, DVec3)> {
    let over = p.abs() - half;
    let outside = over.max(DVec3::ZERO);
    if outside != DVec3::ZERO {
        let length = outside.length();
        return Some((length, outside * p.signum() / length));
    }
    let axis =
        [DVec3::X, DVec3::Y, DVec3::Z][over.to_array().iter().position(|x| *x == over.max_element())?];
    Some((over.max_element(), axis * p.signum()))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = std::env::args().nth(1).map_or(Ok(20), |word| word.parse::<u16>())?.clamp(2, 250);
    let round = icosphere(2000);
    let ball = DeformableMesh::from_triangles(&round.vertices_f32(), round.triangles)?;
    let half = DVec3::new(1.0, 0.015, 1.0);
    let sign = |i: u8| DVec3::from([1, 2, 4].map(|bit| if i & bit == 0 { -1.0 } else { 1.0 }));
    let corners: Vec<Vec3> = (0..8).map(|i| (half * sign(i)).as_vec3()).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let sides = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    let plate = DeformableMesh::from_triangles(&corners, sides)?;
    let ball_field = |p: DVec3| Some((p.length() - 1.0, p.normalize_or(DVec3::Y)));
    for (name, collider) in [("ball", &ball), ("plate", &plate)] {
        let mut n_kept = Vec::new();
        for method in ["field", "rays", "history"] {
            let (mut falling, mut collider) = (sheet(n)?, collider.clone());
            let (mut rays, mut history) = (RayDepths::new(8), ContactSides::new(&collider, 0.5)?);
            let (mut found, mut deepest): (Vec<PushOut>, f64) = (Vec::new(), 0.0);
            for _ in 0..12 {
                let mut positions: Vec<Vec3> =
                    falling.positions().iter().map(|p| *p - Vec3::Y * 0.125).collect();
                falling.set_positions(&positions)?;
                found.clear();
                match (method, name) {
                    ("field", "ball") => falling.collect_push_outs(&ball_field, &mut found),
                    ("field", _) => falling.collect_push_outs(&|p| box_distance(half, p), &mut found),
                    ("rays", _) => found.extend(rays.update(&falling, &mut collider).finish().push_outs),
                    _ => found.extend(history.update(&falling, &mut collider)?.finish().push_outs),
                }
                for push_out in &found {
                    positions[push_out.vertex as usize] += (push_out.direction * push_out.depth).as_vec3();
                    deepest = deepest.max(push_out.depth);
                }
                falling.set_positions(&positions)?;
            }
            let is_kept = |p: &&Vec3| if name == "ball" { 0.99 < p.length() } else { 0.0 < p.y };
            let n_now = falling.positions().iter().filter(is_kept).count();
            println!("{name}, {method}: {n_now} vertices are kept off, by up to {deepest:.3} m");
            n_kept.push(n_now);
        }
        let n_all = usize::from(n * n);
        if n_kept != if name == "ball" { [n_all; 3] } else { [0, 0, n_all] } {
            return Err(format!("{name}: {n_kept:?} of {n_all} vertices are kept off").into());
        }
    }
    Ok(())
}
