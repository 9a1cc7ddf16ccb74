//! A bumpy ball swells and dents. In each frame a query finds its faces in a small box: `morph
//! [ROWS]`.
//!
//! The tree computes only the boxes and vertices near the query. A mesh whose vertices are all
//! computed and whose tree is refitted gives the same answers. A second query is a slanted needle:
//! its 18-DOP touches fewer faces than its box.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

use carom_bounds::{Aabb, BoundingVolume as _, KDop};
use carom_deform::{DeformableMesh, MorphKDopTree, MorphTree, RefitTree};
use glam::Vec3;
use std::error::Error;

/// A ball of radius 1 metre with `n` rows of vertices, and its triangles.
fn ball(n: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let at = |vertex: u32| {
        let (across, around) = (vertex / (2 * n), vertex % (2 * n));
        let (sine, cosine) = ((across as f32 + 0.5) / n as f32 * std::f32::consts::PI).sin_cos();
        let (z, x) = (around as f32 / n as f32 * std::f32::consts::PI).sin_cos();
        Vec3::new(sine * x, cosine, sine * z)
    };
    let of = |vertex: u32| {
        let next = if vertex % (2 * n) == 2 * n - 1 { vertex + 1 - 2 * n } else { vertex + 1 };
        [[vertex, next, vertex + 2 * n], [next, next + 2 * n, vertex + 2 * n]]
    };
    ((0..2 * n * n).map(at).collect(), (0..2 * n * (n - 1)).flat_map(of).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let n: u32 = std::env::args().nth(1).map_or(Ok(100), |word| word.parse())?;
    let (rest, faces) = ball(n.clamp(2, 1000));
    // Three targets: the ball swells, it waves, and it is dented near one point.
    let dent = |p: &Vec3| -*p * (1.0 - p.distance(Vec3::X)).max(0.0);
    let targets: [Vec<Vec3>; 3] = [
        rest.clone(),
        rest.iter().map(|p| *p * (9.0 * p.y).sin() * 0.2).collect(),
        rest.iter().map(dent).collect(),
    ];
    let mut tree = MorphTree::new(&rest, &targets, faces.clone())?;
    let mut kdops = MorphKDopTree::<18>::new(&rest, &targets, faces.clone())?;
    let needle = [Vec3::splat(0.3), Vec3::splat(0.9)];
    let (mut by_box, mut by_kdop) = (Vec::new(), Vec::new());
    let mut mesh = DeformableMesh::from_triangles(&rest, faces)?.with_trees::<RefitTree>();
    let query = Aabb { min: Vec3::new(0.9, -0.05, -0.05), max: Vec3::new(1.0, 0.05, 0.05) };
    let (mut found, mut of_mesh, mut positions) = (Vec::new(), Vec::new(), Vec::new());
    for frame in 0..12 {
        let (sine, cosine) = (frame as f32 * 0.5).sin_cos();
        // Weights may be negative.
        tree.set_weights(&[0.2 * sine, cosine, 0.5 * sine])?;
        let before = tree.work();
        found.clear();
        tree.collect_faces_touching(&query, &mut found);
        let work = tree.work();

        tree.positions_into(&mut positions);
        mesh.set_positions(&positions)?;
        of_mesh.clear();
        mesh.collect_faces_touching(&query, &mut of_mesh);
        if found != of_mesh {
            return Err(format!("frame {frame}: {found:?}, and {of_mesh:?} of the whole mesh").into());
        }
        kdops.set_weights(&[0.2 * sine, cosine, 0.5 * sine])?;
        by_box.clear();
        by_kdop.clear();
        tree.collect_faces_touching(&Aabb::from_points(&needle), &mut by_box);
        kdops.collect_faces_touching(&KDop::from_points(&needle), &mut by_kdop);
        if by_kdop.iter().any(|face| by_box.binary_search(face).is_err()) {
            return Err(format!("frame {frame}: the box of the needle misses a face").into());
        }
        println!(
            "frame {frame}: {} faces in the box; {} boxes and {} vertices computed, all are {} and {}",
            found.len(),
            work.volumes - before.volumes,
            work.vertices - before.vertices,
            mesh.faces().len(),
            positions.len(),
        );
        println!("  the needle: {} faces by its box, {} by its 18-DOP", by_box.len(), by_kdop.len());
    }
    Ok(())
}
