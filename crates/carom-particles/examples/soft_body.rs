//! A rope, a cube of jelly, a rigid cube and a balloon, which fall on a floor for three seconds.
//!
//! `cargo run --release -p carom-particles --example soft_body`

use carom_math::Vec3;
use carom_particles::{
    ConstraintError, Filling, Inflatable, InflatableSettings, ParticleBody, Rope, RopeSettings,
    ShapeMatching, SmallSteps, SoftBody, SoftBodySettings, StepMemory,
};

/// The corners of a cube, from a place on.
fn cube(from: Vec3, side: f32) -> Vec<Vec3> {
    (0..8).map(|i| from + Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32) * side).collect()
}

/// Five tetrahedra in a cube.
const TETRAHEDRA: [[u32; 4]; 5] = [[0, 3, 5, 6], [0, 3, 5, 1], [0, 3, 6, 2], [0, 5, 6, 4], [3, 5, 6, 7]];

/// The surface of a cube, seen from outside.
const TRIANGLES: [[u32; 3]; 12] = [
    [0, 2, 3],
    [0, 3, 1],
    [4, 5, 7],
    [4, 7, 6],
    [0, 1, 5],
    [0, 5, 4],
    [2, 6, 7],
    [2, 7, 3],
    [0, 4, 6],
    [0, 6, 2],
    [1, 3, 7],
    [1, 7, 5],
];

fn main() -> Result<(), ConstraintError> {
    // All bodies share three arrays; each begins where the last one ends.
    let row: Vec<Vec3> = (0..20).map(|i| Vec3::new(i as f32 * 0.05, 1.0, 0.0)).collect();
    let (jelly, stone, bag) =
        (cube(Vec3::new(0.0, 0.5, 2.0), 0.4), cube(Vec3::new(2.0, 0.5, 0.0), 0.4), cube(Vec3::ONE, 0.4));
    let mut rope = Rope::new(0, &row, &RopeSettings::default().with_bend_stiffness(1e-4))?;
    let settings = SoftBodySettings::default().with_youngs_modulus(2e3).with_damping(3.0);
    let mut soft = SoftBody::new(20, &jelly, &TETRAHEDRA, &settings)?;
    let mut rigid = ShapeMatching::rigid(28, &stone)?;
    let filling = Filling::Gas { pressure: 102_000.0, ambient: 101_000.0 };
    let settings = InflatableSettings::default().with_filling(filling);
    let mut balloon = Inflatable::new(36, &bag, &TRIANGLES, &settings)?;

    let mut positions = [row, jelly, stone, bag].concat();
    let mut velocities = vec![Vec3::ZERO; positions.len()];
    let mut inverse_masses = vec![10.0; positions.len()];
    inverse_masses[0] = 0.0; // The rope hangs from its first particle.
    let floor = |before: &[Vec3], positions: &mut [Vec3]| {
        for (p, before) in positions.iter_mut().zip(before).filter(|(p, _)| p.y < 0.0) {
            // It sticks.
            *p = Vec3::new(before.x, 0.0, before.z);
        }
    };
    let (steps, mut memory) = (SmallSteps::default().with_substeps(16).with_drag(1.0), StepMemory::default());
    for second in 1..=3 {
        for _ in 0..60 {
            let bodies: &mut [&mut dyn ParticleBody] = &mut [&mut rope, &mut soft, &mut rigid, &mut balloon];
            let (positions, velocities) = (&mut positions, &mut velocities);
            steps.advance(positions, velocities, &inverse_masses, 1.0 / 60.0, bodies, &mut memory, floor)?;
        }
        let height = |from: usize| positions[from..from + 8].iter().map(|p| p.y).sum::<f32>() / 8.0;
        println!(
            "{second} s: rope down to {:.2}, jelly at {:.2}, stone at {:.2}, balloon at {:.2} of {:.3} m3",
            positions[19].y,
            height(20),
            height(28),
            height(36),
            balloon.volume(&positions)?
        );
    }
    Ok(())
}
