//! A figure of tubes walks. In each frame its hand is tested against a box: `skin [RINGS]`.
//!
//! The skin is blended by dual quaternions. Boxes of nodes follow from the bones alone; only
//! vertices near the box are computed. A mesh that is refitted in each frame gives the same
//! answers.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

use carom_bounds::Aabb;
use carom_deform::known::BoneWeights;
use carom_deform::{DeformableMesh, DualQuaternionTree, RefitTree};
use carom_math::Pose;
use glam::{Quat, Vec3};
use std::error::Error;

/// Five limbs, in metres: the joint at the top, the vector from there to the end, and the radius.
const LIMBS: [([f32; 3], [f32; 3], f32); 5] = [
    ([0.0, 1.6, 0.0], [0.0, -0.7, 0.0], 0.16),
    ([0.2, 1.4, 0.0], [0.0, -0.6, 0.0], 0.05),
    ([-0.2, 1.4, 0.0], [0.0, -0.6, 0.0], 0.05),
    ([0.1, 0.9, 0.0], [0.0, -0.9, 0.0], 0.07),
    ([-0.1, 0.9, 0.0], [0.0, -0.9, 0.0], 0.07),
];

/// Returns a rotation by an angle about the axis through a point that is parallel to x.
fn turned_about(point: Vec3, angle: f32) -> Pose {
    let turn = Quat::from_rotation_x(angle);
    Pose::new(turn, point - turn * point)
}

fn main() -> Result<(), Box<dyn Error>> {
    let n: u32 = std::env::args().nth(1).map_or(Ok(200), |word| word.parse())?;
    let (n, sides) = (n.clamp(2, 10_000), 16);
    let (mut rest, mut faces, mut bones, mut weights) = (vec![], vec![], vec![], vec![]);
    for (limb, (top, down, radius)) in (0_u16..).zip(LIMBS) {
        for vertex in 0..n * sides {
            let (along, around) = ((vertex / sides) as f32 / (n - 1) as f32, vertex % sides);
            let (sine, cosine) = (around as f32 / sides as f32 * std::f32::consts::TAU).sin_cos();
            let first = rest.len() as u32;
            rest.push(Vec3::from(top) + Vec3::from(down) * along + Vec3::new(cosine, 0.0, sine) * radius);
            if vertex < (n - 1) * sides {
                let next = if around == sides - 1 { first + 1 - sides } else { first + 1 };
                faces.extend([[first, next, first + sides], [next, next + sides, first + sides]]);
            }
            // Two bones for each limb: above and below the knee or elbow, blended about the
            // middle.
            let lower = ((along - 0.4) * 5.0).clamp(0.0, 1.0);
            bones.push([2 * limb, 2 * limb + 1]);
            weights.push([1.0 - lower, lower]);
        }
    }
    let skin = BoneWeights::new(&bones, &weights, 2 * LIMBS.len())?;
    let mut figure = DualQuaternionTree::new(&rest, skin, faces.clone())?;
    let mut mesh = DeformableMesh::from_triangles(&rest, faces)?.with_trees::<RefitTree>();
    let button = Aabb { min: Vec3::new(0.1, 0.7, 0.3), max: Vec3::new(0.3, 1.1, 0.5) };
    let (mut found, mut of_mesh, mut positions) = (Vec::new(), Vec::new(), Vec::new());
    for frame in 0..16 {
        let swing = (frame as f32 * std::f32::consts::TAU / 16.0).sin();
        let placed = LIMBS.iter().zip([0.0, 0.9, -0.9, -0.6, 0.6]).flat_map(|((top, down, _), most)| {
            let upper = turned_about(Vec3::from(*top), -most * swing);
            let middle = Vec3::from(*top) + Vec3::from(*down) * 0.5;
            [upper, upper * turned_about(middle, -0.5 * most.abs() * (1.0 + swing))]
        });
        figure.set_bones(&placed.collect::<Vec<_>>())?;
        let before = figure.work();
        found.clear();
        figure.collect_faces_touching(&button, &mut found);
        let work = figure.work();
        let (volumes, vertices) = (work.volumes - before.volumes, work.vertices - before.vertices);

        figure.positions_into(&mut positions);
        mesh.set_positions(&positions)?;
        of_mesh.clear();
        mesh.collect_faces_touching(&button, &mut of_mesh);
        assert_eq!(found, of_mesh, "the same answers by all vertices and a refit");
        let all = (mesh.faces().len(), positions.len());
        println!(
            "frame {frame}: {} faces of the hand at the button; {volumes} boxes, {vertices} vertices of {all:?}",
            found.len()
        );
    }
    Ok(())
}
