//! A cloth that falls over a ball, and does not pass through it or through itself.
//!
//! `cargo run --release -p carom-particles --example cloth`

use carom_deform::{DeformableMesh, FeatureSearch, NearPair, Stencil};
use carom_math::Vec3;
use carom_particles::{Cloth, ClothSettings, FeatureContacts, NearFeatures, SmallSteps, StepMemory};
use carom_scenes::mesh::icosphere;
use core::error::Error;

const N: u32 = 40;

/// A pair as the contacts take it. Vertices of the ball have no weight.
fn near(pair: &NearPair, stencil: &Stencil, is_obstacle: bool) -> NearFeatures {
    let n = if is_obstacle { stencil.n_first } else { 4 };
    NearFeatures {
        particles: [0, 1, 2, 3].map(|i| stencil.vertices[if i < n { i } else { 0 }]),
        weights: [0, 1, 2, 3].map(|i| if i < n { stencil.weights[i] as f32 } else { 0.0 }),
        point: if is_obstacle { pair.point_b.as_vec3() } else { Vec3::ZERO },
        is_obstacle,
        normal: ((pair.point_a - pair.point_b) / pair.distance).as_vec3(),
        distance: pair.distance as f32,
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let spacing = 1.0 / (N - 1) as f32;
    let position_of = |i: u32| Vec3::new((i % N) as f32 * spacing - 0.5, 0.3, (i / N) as f32 * spacing - 0.5);
    let mut positions: Vec<Vec3> = (0..N * N).map(position_of).collect();
    let corners = (0..N * (N - 1)).filter(|i| i % N < N - 1);
    let triangles: Vec<[u32; 3]> =
        corners.flat_map(|i| [[i, i + N, i + 1], [i + 1, i + N, i + N + 1]]).collect();
    let settings = ClothSettings::default().with_bend_stiffness(1e-5).with_damping(2.0);
    let mut cloth = Cloth::new(0, &positions, &triangles, &settings)?;
    let mut mesh = DeformableMesh::from_triangles(&positions, triangles)?;
    let ball = icosphere(1280).scaled(0.25);
    let mut ball = DeformableMesh::from_triangles(&ball.vertices_f32(), ball.triangles)?;

    let mut velocities = vec![Vec3::ZERO; positions.len()];
    let inverse_masses = vec![1e4; positions.len()];
    let mut contacts = FeatureContacts::new(0..positions.len(), 0.3 * spacing, 0.6 * spacing, 0.3)?;
    let (mut search, mut pairs, mut memory) = (FeatureSearch::default(), Vec::new(), StepMemory::default());
    let steps = SmallSteps::default().with_drag(0.5);
    for frame in 1..=60 {
        let (mut n_searches, mut result) = (0, Ok(()));
        let mut collide = |before: &[Vec3], positions: &mut [Vec3]| -> Result<(), Box<dyn Error>> {
            if contacts.needs_search(before, positions, Vec3::ZERO)? {
                mesh.set_positions(before)?;
                pairs.clear();
                let found = search.within(&mut mesh, contacts.reach()).finish().pairs.to_vec();
                pairs.extend(found.iter().map(|pair| near(pair, &pair.stencil(&mesh, &mesh), false)));
                let found = search.within((&mut mesh, &mut ball), contacts.reach()).finish().pairs.to_vec();
                pairs.extend(found.iter().map(|pair| near(pair, &pair.stencil(&mesh, &ball), true)));
                contacts.set(before, &pairs)?;
                n_searches += 1;
            }
            contacts.project(before, positions, &inverse_masses)?;
            contacts.limit(positions, Vec3::ZERO)?;
            Ok(())
        };
        let collide = |before: &[Vec3], positions: &mut [Vec3]| result = collide(before, positions);
        let (p, v, memory, dt) = (&mut positions, &mut velocities, &mut memory, 1.0 / 60.0);
        steps.advance(p, v, &inverse_masses, dt, &mut [&mut cloth], memory, collide)?;
        result?;
        if frame % 15 == 0 {
            mesh.set_positions(&positions)?;
            let n_crossings = search.crossings(&mut mesh).finish().pairs.len()
                + search.crossings((&mut mesh, &mut ball)).finish().pairs.len();
            let lowest = positions.iter().fold(0.0_f32, |low, p| low.min(p.y));
            println!(
                "{frame} frames: lowest at {lowest:.2}, {n_searches} searches in the last, {n_crossings} crossings"
            );
        }
    }
    Ok(())
}
