//! Two sheets of cloth that wave through each other, and one that is pushed off a ball:
//! `two_objects [ROWS]`.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

use carom_deform::{ContactSides, DeformError, DeformableMesh, OverlapRegion, VoxelOverlap};
use carom_scenes::mesh::icosphere;
use glam::Vec3;
use std::error::Error;

/// A square sheet with sides of 2 m and `n` by `n` vertices, its heights from a function.
fn sheet(n: u16, height: impl Fn(f32, f32) -> f32) -> Vec<Vec3> {
    let at = |i: u16| 2.0 * f32::from(i) / f32::from(n - 1) - 1.0;
    let coordinates = (0..n).flat_map(|row| (0..n).map(move |column| (at(column), at(row))));
    coordinates.map(|(x, z)| Vec3::new(x, height(x, z), z)).collect()
}

fn cloth(n: u16, positions: &[Vec3]) -> Result<DeformableMesh, DeformError> {
    let n = u32::from(n);
    let corners = (0..n * (n - 1)).filter(|vertex| vertex % n < n - 1);
    let triangles = corners.flat_map(|v| [[v, v + n, v + 1], [v + 1, v + n, v + n + 1]]).collect();
    DeformableMesh::from_triangles(positions, triangles)
}

fn main() -> Result<(), Box<dyn Error>> {
    let n: u16 = std::env::args().nth(1).map_or(Ok(40), |word| word.parse())?;
    let n = n.clamp(2, 250);
    let wave =
        |by: f32, phase: f32| sheet(n, move |x, z| by + 0.1 * (4.0 * x + phase).sin() * (3.0 * z).cos());
    let (mut low, mut high) = (cloth(n, &wave(0.0, 0.0))?, cloth(n, &wave(0.5, 2.0))?);

    // The high sheet sinks. Voxels are a cheap first test, the overlap region gives the pairs.
    let (mut voxels, mut region) = (VoxelOverlap::new(64)?, OverlapRegion::default());
    for step in 0..6_u8 {
        let phase = 0.1 * f32::from(step);
        low.set_positions(&wave(0.0, phase))?;
        high.set_positions(&wave(0.5 - phase, 2.0 - phase))?;
        if voxels.may_touch(&low, &high) {
            let found = region.crossings(&low, &high).finish();
            let (n_pairs, n_tests) = (found.pairs.len(), found.counters.exact_tests);
            println!("step {step}: {n_pairs} pairs of triangles cross, {n_tests} were tested");
        } else {
            println!("step {step}: the sheets do not touch");
        }
    }

    // A sheet falls into a ball by some way in each step, and is pushed back each time.
    let ball = icosphere(2000);
    let mut ball = DeformableMesh::from_triangles(&ball.vertices_f32(), ball.triangles)?;
    let mut falling = cloth(n, &sheet(n, |_, _| 1.2))?.with_thickness(0.02)?;
    let mut sides = ContactSides::new(&ball, 0.5)?;
    for step in 0..10 {
        let mut positions: Vec<Vec3> = falling.positions().iter().map(|p| *p - Vec3::Y * 0.1).collect();
        falling.set_positions(&positions)?;
        let found = sides.update(&falling, &mut ball)?.finish().push_outs;
        let deepest = found.iter().map(|push_out| push_out.depth).fold(0.0, f64::max);
        println!("step {step}: {} vertices are pushed out, by up to {deepest:.3} m", found.len());
        for push_out in found {
            positions[push_out.vertex as usize] += (push_out.direction * push_out.depth).as_vec3();
        }
        falling.set_positions(&positions)?;
    }
    let n_pairs = region.crossings(&falling, &ball).finish().pairs.len();
    println!("{n_pairs} pairs of the sheet and the ball cross");
    let deepest = falling.positions().iter().map(|p| p.length()).fold(f32::INFINITY, f32::min);
    if 0.99 < deepest { Ok(()) } else { Err("the sheet is in the ball".into()) }
}
