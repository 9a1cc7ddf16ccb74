//! All kinds in one solver: what connects particles, and what only pushes them.

use carom_math::Vec3;
use carom_particles::{
    Cloth, ClothSettings, Grains, Liquid, ParticleSettings, ParticleSolver, Rope, RopeSettings,
    ShapeMatching, Solid, Surface, Surroundings,
};

const SIDE: u32 = 24;

/// A block of particles at rest, from a place on.
fn block(from: Vec3, [x, y, z]: [u32; 3], spacing: f32) -> Vec<Vec3> {
    (0..x * y * z)
        .map(|i| from + Vec3::new((i % x) as f32, (i / (x * z)) as f32, (i / x % z) as f32) * spacing)
        .collect()
}

/// A cloth that is held at its border holds water. A rigid block lies on the floor beside it, under
/// grains and a rope.
#[test]
fn cloth_holds_water_and_a_block_holds_grains() {
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.05)).unwrap();
    let spacing = solver.spacing();
    solver.add_plane(Vec3::Y, 0.0, &Surface::default()).unwrap();

    let sheet = block(Vec3::Y, [SIDE, 1, SIDE], 0.7 * spacing);
    let mut masses = vec![5.0; sheet.len()];
    // The border is held, or the water would run over it.
    for (i, mass) in masses.iter_mut().enumerate() {
        let (x, z) = (i as u32 % SIDE, i as u32 / SIDE);
        if [x, z].into_iter().any(|k| k == 0 || k == SIDE - 1) {
            *mass = 0.0;
        }
    }
    let quads = (0..SIDE - 1).flat_map(|z| (0..SIDE - 1).map(move |x| z * SIDE + x));
    let triangles: Vec<[u32; 3]> =
        quads.flat_map(|i| [[i, i + 1, i + SIDE], [i + 1, i + SIDE + 1, i + SIDE]]).collect();
    let sheet_particles = solver.add_solid(&Solid::default(), &sheet, &masses).unwrap();
    let mut cloth = Cloth::new(
        sheet_particles.indices.start as usize,
        &sheet,
        &triangles,
        &ClothSettings::default().with_damping(1.0),
    )
    .unwrap();

    let stone = block(Vec3::new(2.0, 0.05, 0.0), [4, 3, 4], spacing);
    let stone_particles = solver.add_solid(&Solid::default(), &stone, &vec![0.5; stone.len()]).unwrap();
    let mut rigid = ShapeMatching::rigid(stone_particles.indices.start as usize, &stone).unwrap();

    let line = block(Vec3::new(1.8, 0.6, 0.15), [8, 1, 1], spacing);
    let line_particles = solver.add_solid(&Solid::default(), &line, &[5.0; 8]).unwrap();
    let mut rope = Rope::new(line_particles.indices.start as usize, &line, &RopeSettings::default()).unwrap();

    let water =
        solver.add_liquid(&Liquid::default(), &block(Vec3::new(0.7, 1.1, 0.7), [3, 3, 3], spacing)).unwrap();
    let sand =
        solver.add_grains(&Grains::default(), &block(Vec3::new(2.1, 0.4, 0.1), [2, 1, 2], spacing)).unwrap();

    for _ in 0..120 {
        let mut constraints = |pass: &mut carom_particles::SolidPass<'_>| {
            pass.project(&mut cloth).unwrap();
            pass.project(&mut rigid).unwrap();
            pass.project(&mut rope).unwrap();
        };
        let mut around = Surroundings { constraints: Some(&mut constraints), ..Surroundings::default() };
        solver.step_in(1.0 / 60.0, &mut around).unwrap();
    }
    let height = |particle: u32| solver.position(particle).unwrap().y;
    let lowest =
        |mut of: core::ops::Range<u32>| of.clone().map(height).fold(height(of.next().unwrap()), f32::min);
    let (water, sheet, sand) = (lowest(water), lowest(sheet_particles.ids), lowest(sand));
    let (stone, rope) = (lowest(stone_particles.ids), lowest(line_particles.ids));
    println!("lowest: water {water}, cloth {sheet}, grains {sand}, stone {stone}, rope {rope}");
    assert!(0.2 < sheet && sheet < 0.95, "the cloth sags: {sheet}");
    assert!(sheet < water + 0.02, "water is on the cloth: {water} {sheet}");
    assert!((stone - 0.05).abs() < 0.01, "the block lies on the floor: {stone}");
    assert!(0.3 < sand, "grains lie on the block: {sand}");
    assert!(0.04 < rope, "the rope is above the floor: {rope}");
}
