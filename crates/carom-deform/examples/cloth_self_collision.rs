//! A cloth is rolled up, and stops where it meets itself: `cloth_self_collision [ROWS]`.
//!
//! In each step the vertices move towards wanted positions. The search returns how far they may
//! go; they stop a little before. The search runs in parts, as in a program with a budget for each
//! frame. At the end the barriers that an implicit solver would use are summed.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

use carom_deform::{Barrier, DeformableMesh, FeatureSearch};
use glam::Vec3;
use std::error::Error;

/// Metres from sheet to sheet.
const THICKNESS: f32 = 0.01;

/// The approximate number of tests of boxes and features in a part of a search.
const BUDGET: u64 = 2000;

/// Returns the position of a point of the cloth. The coordinates `u` and `v` are from 0 to 1. At
/// `part` 0 the cloth is nearly flat, at 1 it is a roll so narrow that it passes through itself.
fn rolled(u: f32, v: f32, part: f32) -> Vec3 {
    let turn = 0.1 + 8.0 * part;
    let (sine, cosine) = (u * turn).sin_cos();
    Vec3::new(sine / turn, (1.0 - cosine) / turn, v)
}

fn main() -> Result<(), Box<dyn Error>> {
    let n: u32 = std::env::args().nth(1).map_or(Ok(40), |word| word.parse())?;
    let n = n.clamp(2, 1000);
    let position_of = |vertex: u32, part: f32| {
        let (row, column) = ((vertex / n) as f32, (vertex % n) as f32);
        rolled(column / (n - 1) as f32, row / (n - 1) as f32, part)
    };
    let corners = (0..n * (n - 1)).filter(|vertex| vertex % n < n - 1);
    let triangles: Vec<[u32; 3]> =
        corners.flat_map(|v| [[v, v + n, v + 1], [v + 1, v + n, v + n + 1]]).collect();
    let mut now: Vec<Vec3> = (0..n * n).map(|vertex| position_of(vertex, 0.0)).collect();
    let mut cloth = DeformableMesh::from_triangles(&now, triangles)?.with_thickness(THICKNESS)?;
    let mut search = FeatureSearch::default();
    let n_steps = 30;
    for step in 1..=n_steps {
        let part = step as f32 / n_steps as f32;
        let wanted: Vec<Vec3> = (0..n * n).map(|vertex| position_of(vertex, part)).collect();
        cloth.set_positions(&wanted)?;
        let (mut impacts, mut n_parts) = (search.impacts(&mut cloth), 1);
        while !impacts.run(BUDGET) {
            n_parts += 1;
        }
        let found = impacts.finish();
        let (free, counters) = (found.free_step(), found.counters);
        // A little less, because positions in between are rounded.
        let fraction = if free.fraction < 1.0 { 0.9 * free.fraction as f32 } else { 1.0 };
        for (p, q) in now.iter_mut().zip(&wanted) {
            *p += (*q - *p) * fraction;
        }
        // The next step starts from the positions that were reached.
        cloth.set_positions(&now)?;
        println!(
            "step {step}: {n_parts} parts, {} candidates, {} tested closely; {:.1} % of the step is free",
            counters.candidates,
            counters.exact_tests,
            100.0 * free.fraction
        );
    }
    let near = search.within(&mut cloth, THICKNESS).finish().pairs.to_vec();
    let reach = f64::from(THICKNESS);
    let barriers: Vec<Barrier> =
        near.iter().filter_map(|pair| pair.barrier(&pair.stencil(&cloth, &cloth), reach, reach)).collect();
    let sum: f64 = barriers.iter().map(|barrier| barrier.value).sum();
    let steepest =
        barriers.iter().flat_map(|barrier| barrier.gradient).map(|g| g.length()).fold(0.0, f64::max);
    println!("{} barriers with the sum {sum:.2e} m2, the steepest {steepest:.2e} m", barriers.len());
    let crossings = search.crossings(&mut cloth).finish().pairs.len();
    println!(
        "{} pairs of features within twice the thickness, {crossings} pairs of triangles that cross",
        near.len()
    );
    if crossings == 0 { Ok(()) } else { Err("the cloth passes through itself".into()) }
}
