//! A sheet that hangs from its upper border tears under a load that grows: `tear [ROWS]`.
//!
//! The edges of the sheet are springs. If one is stretched too far, the sheet tears along the
//! edges of its row. The program extends its arrays for the vertices that the mesh copies.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

use carom_deform::{DeformableMesh, FeaturePair, FeatureSearch, PairKind};
use glam::Vec3;
use std::error::Error;

/// The longest that an edge may become, in parts of its length at rest.
const MAX_STRETCH: f32 = 1.4;

/// How many groups of vertices the edges hold together.
fn n_pieces(mesh: &DeformableMesh) -> usize {
    let mut lowest: Vec<u32> = (0..mesh.positions().len() as u32).collect();
    loop {
        let mut is_done = true;
        for &[v, w] in mesh.edges() {
            let least = lowest[v as usize].min(lowest[w as usize]);
            is_done &= lowest[v as usize] == lowest[w as usize];
            (lowest[v as usize], lowest[w as usize]) = (least, least);
        }
        if is_done {
            return (0..).zip(&lowest).filter(|(vertex, lowest)| vertex == *lowest).count();
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let n: u32 = std::env::args().nth(1).map_or(Ok(16), |word| word.parse())?;
    let n = n.clamp(4, 200);
    let corners = (0..n * (n - 1)).filter(|vertex| vertex % n < n - 1);
    let faces: Vec<[u32; 3]> = corners.flat_map(|v| [[v, v + n, v + 1], [v + 1, v + n, v + n + 1]]).collect();
    let mut rest: Vec<Vec3> = (0..n * n).map(|v| Vec3::new((v % n) as f32, -((v / n) as f32), 0.0)).collect();
    let mut sheet = DeformableMesh::from_triangles(&rest, faces)?;
    let mut search = FeatureSearch::default();
    for step in 0..60 {
        // A Verlet step under the load, then the springs contract; the upper border stays.
        let load = Vec3::new(0.0, -0.2 * step as f32 / n as f32, 0.0);
        let moments = sheet.positions().iter().zip(sheet.before());
        let mut now: Vec<Vec3> = moments.map(|(p, q)| *p + (*p - *q) * 0.9 + load).collect();
        for _ in 0..8 {
            for [v, w] in sheet.edges().iter().map(|edge| edge.map(|vertex| vertex as usize)) {
                let (length, along) = ((rest[v] - rest[w]).length(), now[w] - now[v]);
                let by = along * (0.3 * (1.0 - length / along.length().max(1e-6)));
                (now[v], now[w]) = (now[v] + by, now[w] - by);
            }
            now.iter_mut().zip(&rest).filter(|(_, r)| r.y == 0.0).for_each(|(p, r)| *p = *r);
        }
        sheet.set_positions(&now)?;
        // The upper ends of edges that are too long, and the edges between them.
        let mut is_weak = vec![false; now.len()];
        for [v, w] in sheet.edges().iter().map(|edge| edge.map(|vertex| vertex as usize)) {
            let is_over = MAX_STRETCH * (rest[v] - rest[w]).length() < (now[v] - now[w]).length();
            is_weak[if rest[v].y < rest[w].y { w } else { v }] |= is_over;
        }
        let is_torn = |&[v, w]: &[usize; 2]| is_weak[v] && is_weak[w] && rest[v].y == rest[w].y;
        let edges = sheet.edges().iter().map(|edge| edge.map(|vertex| vertex as usize));
        let torn: Vec<[u32; 2]> = edges.filter(is_torn).map(|edge| edge.map(|v| v as u32)).collect();
        let first = now.len();
        let made = sheet.tear(&torn)?;
        made.iter().for_each(|&from| rest.push(rest[from as usize]));
        if made.is_empty() {
            continue;
        }
        // Count the pairs of a vertex and a face that were neighbours before the tear, so that the
        // search left them out.
        let origin = |v: u32| made.get((v as usize).wrapping_sub(first)).copied().unwrap_or(v);
        let found = search.candidates_within(&mut sheet, 0.0).finish().pairs.to_vec();
        let were_neighbours = |pair: &&FeaturePair| {
            pair.kind == PairKind::VertexFace
                && sheet.faces()[pair.b as usize].map(origin).contains(&origin(pair.a))
        };
        let n = found.iter().filter(were_neighbours).count();
        println!("step {step}: {} vertices part, {} pieces", made.len(), n_pieces(&sheet));
        println!("  {n} pairs of a vertex and a face are found that were neighbours before");
    }
    if n_pieces(&sheet) < 2 { Err("the sheet bears the load".into()) } else { Ok(()) }
}
