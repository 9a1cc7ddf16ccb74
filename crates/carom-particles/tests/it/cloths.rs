//! Cloth: against the chain and the beam, its energy over a minute, tearing, and ugly meshes.

use crate::connected::{Particles, drifts, equilateral_sheet, kick, shaken, sheet, turned, weightless};
use carom_math::Vec3;
use carom_particles::{Cloth, ClothSettings, ConstraintError, ParticleBody, Rope, RopeSettings, SmallSteps};
use carom_scenes::Rng;
use proptest::prelude::*;

/// Lets go of a level row whose ends are nearer than it is long, and returns how far it sags.
fn sag(particles: &mut Particles, body: &mut dyn ParticleBody, n: usize) -> f64 {
    for (i, p) in particles.positions.iter_mut().enumerate() {
        let part = (i % n) as f32 / (n - 1) as f32;
        (p.x, p.y) = (0.6 * part, -1.5 * part * (1.0 - part));
        particles.inverse_masses[i] = if i % n == 0 || i % n == n - 1 { 0.0 } else { 100.0 };
    }
    particles.run(&SmallSteps::default().with_substeps(40).with_drag(3.0), 300, body);
    -f64::from(particles.positions.iter().fold(f32::INFINITY, |low, p| low.min(p.y)))
}

#[test]
fn a_cloth_of_two_rows_hangs_as_a_chain() {
    const N: u32 = 21;
    let (rest, triangles) = sheet(N, 2, 0.05);
    let mut cloth = Cloth::new(0, &rest, &triangles, &ClothSettings::default().with_damping(20.0)).unwrap();
    let cloth_sag = sag(&mut Particles::new(rest.clone(), 0.01), &mut cloth, N as usize);
    let row = &rest[..N as usize];
    let mut rope = Rope::new(0, row, &RopeSettings::default().with_damping(20.0)).unwrap();
    let rope_sag = sag(&mut Particles::new(row.to_vec(), 0.01), &mut rope, N as usize);
    println!("the cloth sags {cloth_sag}, the rope {rope_sag}");
    assert!((cloth_sag / rope_sag - 1.0).abs() < 0.01);
}

#[test]
fn a_strip_bends_as_a_beam() {
    // A level strip that is clamped at one end. It is narrow, so that it may curve across: the
    // rigidity of a beam is that of the plate times 1 - 1/9.
    const N: u32 = 21;
    let (spacing, stiffness, mass) = (0.05_f32, 1.0_f32, 0.001_f32);
    for (sheet, is_square) in [(equilateral_sheet(N, 5, spacing), false), (sheet(N, 5, spacing), true)] {
        let (rest, triangles) = sheet;
        let settings = ClothSettings::default().with_bend_stiffness(stiffness).with_damping(30.0);
        let mut cloth = Cloth::new(0, &rest, &triangles, &settings).unwrap();
        let mut particles = Particles::new(rest.clone(), mass);
        for (inverse_mass, p) in particles.inverse_masses.iter_mut().zip(&rest) {
            *inverse_mass = if p.x < 1.2 * spacing { 0.0 } else { *inverse_mass };
        }
        let gravity = Vec3::Y * -0.5;
        let steps = SmallSteps::default().with_gravity(gravity).with_iterations(60).with_drag(4.0);
        particles.run(&steps, 100, &mut cloth);
        let z = rest.iter().fold(0.0_f32, |most, p| most.max(p.z));
        let weight = f64::from(mass / spacing) * 5.0 * 0.5;
        // Half of the clamped triangles bends with the first crease, about.
        let length = f64::from(spacing) * if is_square { 19.5 } else { 19.75 };
        let wanted = weight * length.powi(4) / (8.0 * f64::from(stiffness * z) * (1.0 - 1.0 / 9.0));
        let found = -f64::from(particles.positions[(2 * N + N - 1) as usize].y);
        println!("squares {is_square}: deflection {found}, {:.3} of {wanted}", found / wanted);
        assert!((found / wanted - 1.0).abs() < 0.1);
    }
}

#[test]
fn a_membrane_stretches_by_its_stiffness() {
    // Pulled at one side by a force for each width; it may grow thinner.
    for n in [5, 9] {
        let spacing = 1.0 / (n - 1) as f32;
        let (rest, triangles) = sheet(n, n, spacing);
        let settings = ClothSettings::default().with_stretch_stiffness(100.0).with_damping(20.0);
        let mut cloth = Cloth::new(0, &rest, &triangles, &settings).unwrap();
        let mut particles = Particles::new(rest, 0.01);
        let heavy = 0.2 / n as f32;
        for row in 0..n as usize {
            particles.inverse_masses[row * n as usize] = 0.0;
            particles.inverse_masses[row * n as usize + n as usize - 1] = 1.0 / heavy;
        }
        let steps = SmallSteps::default().with_gravity(Vec3::X * 50.0).with_substeps(10).with_iterations(20);
        particles.run(&steps.with_drag(5.0), 120, &mut cloth);
        let force = 50.0 * (heavy * n as f32 + 0.5 * 0.01 * (n * (n - 2)) as f32);
        let middle = particles.positions[(n / 2 * n + n - 1) as usize].x;
        let ratio = (middle - 1.0) / (force / 100.0);
        println!("{n} by {n}: strain {} at {force} N, {ratio:.3} of a membrane", middle - 1.0);
        assert!(0.7 < ratio && ratio < 1.1);
    }
}

#[test]
fn a_cloth_flaps_for_a_minute_without_growth_of_energy() {
    let (rest, triangles) = sheet(10, 10, 0.1);
    for settings in [
        ClothSettings::default().with_bend_stiffness(1e-3),
        ClothSettings::default().with_stretch_stiffness(500.0).with_bend_stiffness(0.1),
    ] {
        let mut cloth = Cloth::new(0, &rest, &triangles, &settings).unwrap();
        let mut particles = Particles::new(rest.clone(), 0.01);
        (particles.inverse_masses[0], particles.inverse_masses[9]) = (0.0, 0.0);
        let start = particles.energy(9.81);
        // The energy of stretching and bending comes and goes, less each time.
        let most = [0; 3].map(|_| {
            let mut most = f64::NEG_INFINITY;
            for _ in 0..20 {
                particles.run(&SmallSteps::default().with_substeps(4), 60, &mut cloth);
                most = most.max(particles.energy(9.81));
            }
            most
        });
        println!("energy {start}, at most {most:?} J in twenty seconds each");
        assert!(particles.is_finite() && most[0] < start);
        assert!(most[1] < most[0] && most[2] < most[1] + 1e-3);
        assert!(particles.fastest() < 0.5);
    }
}

#[test]
fn momentum_is_kept_by_cloth() {
    let mut rng = Rng::new(8);
    let (rest, triangles) = sheet(8, 8, 0.1);
    let rest = turned(&rest);
    let settings = ClothSettings::default().with_stretch_stiffness(200.0).with_bend_stiffness(0.01);
    let mut cloth = Cloth::new(0, &rest, &triangles, &settings.with_damping(5.0)).unwrap();
    let mut start = Particles::new(rest.clone(), 0.01);
    start.stir(&mut rng, 1.0);
    let mut particles = start.clone();
    particles.run(&weightless(), 60, &mut cloth);
    let drifts = drifts(&start, &particles);
    println!("momenta are off by {drifts:?}");
    assert!(drifts[0] < 3e-4 && drifts[1] < 5e-3);

    // One crease alone.
    let settings = ClothSettings::default().with_stretch_stiffness(0.0).with_bend_stiffness(1.0);
    let corners = [Vec3::ZERO, Vec3::new(1.0, 0.2, 0.0), Vec3::new(0.3, 0.1, 0.8), Vec3::new(0.6, 0.4, -0.7)];
    let mut crease = Cloth::new(0, &corners, &[[0, 1, 2], [1, 0, 3]], &settings).unwrap();
    for _ in 0..50 {
        let particles = Particles::new(shaken(&corners, &mut rng, 0.3), 1.0);
        let [linear, angular] = kick(&particles, &mut crease);
        assert!(linear < 3e-7 && angular < 3e-7, "{linear} {angular}");
    }
}

#[test]
fn a_cloth_keeps_the_curve_it_has_at_rest() {
    // A quarter of a pipe, pressed flat.
    let (flat, triangles) = sheet(9, 3, 0.1);
    let bent = |p: &Vec3| Vec3::new((2.0 * p.x).sin() / 2.0, (1.0 - (2.0 * p.x).cos()) / 2.0, p.z);
    let rest: Vec<Vec3> = flat.iter().map(bent).collect();
    let settings = ClothSettings::default().with_bend_stiffness(0.1).with_damping(5.0);
    let mut cloth = Cloth::new(0, &rest, &triangles, &settings).unwrap();
    let mut particles = Particles::new(flat.clone(), 0.01);
    for (p, i) in particles.positions.iter_mut().zip(0_u32..) {
        // All creases to one side.
        p.y += 0.1 * p.x * p.x + 1e-4 * (i % 2) as f32;
    }
    particles.run(&weightless().with_drag(2.0), 300, &mut cloth);
    let span = |positions: &[Vec3]| positions[0].distance(positions[8]);
    println!("from end to end {} of {}", span(&particles.positions), span(&rest));
    assert!((span(&particles.positions) / span(&rest) - 1.0).abs() < 0.02);
    // Its rest shape does not move.
    let mut still = Particles::new(rest.clone(), 0.01);
    still.run(&weightless(), 60, &mut cloth);
    let moved = still.positions.iter().zip(&rest).fold(0.0_f32, |most, (p, q)| most.max(p.distance(*q)));
    assert!(moved < 1e-4, "{moved}");
}

/// A sheet hangs from its corners with 10,000 times the mass of a particle in the middle. No
/// particle gets farther from a corner than the straight way at rest, and a tenth.
#[test]
fn a_heavy_particle_does_not_stretch_a_pinned_cloth() {
    const N: u32 = 11;
    let (rest, triangles) = sheet(N, N, 0.1);
    let corners = [0, N - 1, N * (N - 1), N * N - 1].map(|corner| corner as usize);
    let middle = (N * N / 2) as usize;
    for load in [1.0, 100.0, 10_000.0] {
        let mut cloth = Cloth::new(0, &rest, &triangles, &ClothSettings::default()).unwrap();
        let mut particles = Particles::new(rest.clone(), 0.001);
        corners.iter().for_each(|&corner| particles.inverse_masses[corner] = 0.0);
        particles.inverse_masses[middle] /= load;
        let mut longest = 0.0_f32;
        for _ in 0..60 {
            particles.run(&SmallSteps::default().with_substeps(4).with_iterations(4), 2, &mut cloth);
            for corner in corners {
                let all = particles.positions.iter().zip(&rest).enumerate();
                let strains = all
                    .filter(|(i, _)| *i != corner)
                    .map(|(_, (p, at))| p.distance(rest[corner]) / at.distance(rest[corner]));
                longest = strains.fold(longest, f32::max);
            }
        }
        println!("{load}: {longest}, the middle is at {}", particles.positions[middle]);
        assert!(longest < 1.11 && particles.positions[middle].y < -0.05, "{load}: {longest}");
    }
}

#[test]
fn a_torn_cloth_loses_no_particle() {
    let (rest, triangles) = sheet(12, 12, 0.1);
    let settings = ClothSettings::default()
        .with_stretch_stiffness(100.0)
        .with_bend_stiffness(1e-3)
        .with_tear_strain(0.3);
    let mut cloth = Cloth::new(0, &rest, &triangles, &settings).unwrap();
    assert!(cloth.tear(&rest).unwrap().edges.is_empty());
    let mut particles = Particles::new(rest.clone(), 0.01);
    particles.inverse_masses[..12].fill(0.0);
    // A ball is thrown through the middle.
    let hit = |particles: &mut Particles| {
        for i in [65, 66, 77, 78] {
            particles.velocities[i] = Vec3::Y * -30.0;
        }
    };
    let (mut n_edges, mut cut) = (0, Vec::new());
    hit(&mut particles);
    for _ in 0..120 {
        particles.run(&SmallSteps::default(), 1, &mut cloth);
        let torn = cloth.tear(&particles.positions).unwrap();
        assert!(torn.edges.is_empty() == torn.triangles.is_empty());
        for edge in &torn.edges {
            let [a, b] = edge.map(|end| end as usize);
            let (now, rest) =
                (particles.positions[a].distance(particles.positions[b]), rest[a].distance(rest[b]));
            assert!(1.299 * rest < now);
        }
        n_edges += torn.edges.len();
        cut.extend(torn.triangles);
    }
    println!("{n_edges} edges broke, {} of {} triangles were cut", cut.len(), triangles.len());
    assert!(4 < cut.len() && cut.len() < triangles.len() / 2);
    // Each triangle is left or was cut, once.
    let mut left: Vec<[u32; 3]> = cloth.triangles().to_vec();
    left.extend(cut.iter().map(|&triangle| triangles[triangle as usize]));
    left.sort_unstable();
    let mut all = triangles.clone();
    all.sort_unstable();
    assert!(left == all && cloth.particles() == (0..144) && particles.is_finite());
    // Particles without a triangle fall freely.
    let mut is_held = [false; 144];
    cloth.triangles().iter().flatten().for_each(|&corner| is_held[corner as usize] = true);
    let free: Vec<usize> = (12..144).filter(|&i| !is_held[i]).collect();
    assert!(!free.is_empty());
    let before = particles.clone();
    particles.run(&SmallSteps::default(), 1, &mut cloth);
    for i in free {
        let fall = before.velocities[i].y - 9.81 / 60.0;
        assert!((particles.velocities[i].y - fall).abs() < 1e-3);
    }
}

#[test]
fn edges_of_three_triangles_and_flat_triangles_are_taken() {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, Vec3::X * 2.0];
    // Three pages of a book, a page twice, and a triangle without area.
    let triangles = [[0, 1, 2], [0, 1, 3], [0, 1, 4], [0, 1, 4], [0, 1, 5]];
    let settings = ClothSettings::default().with_bend_stiffness(1.0).with_damping(1.0);
    let mut book = Cloth::new(0, &corners, &triangles, &settings).unwrap();
    let mut particles = Particles::new(corners.to_vec(), 1.0);
    particles.stir(&mut Rng::new(1), 1.0);
    particles.run(&weightless(), 60, &mut book);
    assert!(particles.is_finite());
    for [a, b] in [[0, 1], [0, 2], [1, 4], [0, 5]] {
        let [p, q] = [a, b].map(|i: usize| particles.positions[i].distance(particles.positions[i ^ a ^ b]));
        assert!((p - corners[a].distance(corners[b])).abs() < 0.02 && p == q);
    }
}

#[test]
fn bad_cloth_is_refused_by_name() {
    let (mut rest, mut triangles) = sheet(3, 3, 1.0);
    let settings = ClothSettings::default();
    for settings in [
        settings.with_tear_strain(0.0),
        settings.with_tear_strain(f32::NAN),
        settings.with_stretch_stiffness(-1.0),
        settings.with_bend_stiffness(f32::NAN),
        settings.with_damping(-1.0),
    ] {
        let refused = Cloth::new(0, &rest, &triangles, &settings);
        assert!(matches!(refused, Err(ConstraintError::BadSetting { .. })));
    }
    triangles[3][1] = triangles[3][0];
    let refused = Cloth::new(0, &rest, &triangles, &settings).unwrap_err();
    assert_eq!(refused, ConstraintError::RepeatedParticle { element: 3 });
    triangles[2][2] = 9;
    let refused = Cloth::new(0, &rest, &triangles, &settings).unwrap_err();
    assert_eq!(refused, ConstraintError::NoSuchParticle { element: 2 });
    rest[4].z = f32::NAN;
    let refused = Cloth::new(0, &rest, &triangles, &settings).unwrap_err();
    assert_eq!(refused, ConstraintError::BadParticle { particle: 4 });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Crumpled, collapsed and coincident: any mesh from any positions.
    #[test]
    fn ugly_cloth_never_gives_nan(
        indices in prop::collection::vec((0_usize..6, 0_usize..6), 10),
        triangles in prop::collection::vec((0_u32..10, 0_u32..10, 0_u32..10), 1..30),
        is_stiff in any::<bool>(),
    ) {
        let menu = [
            Vec3::ZERO, Vec3::X, Vec3::new(0.5, 1e-20, 0.0), Vec3::splat(1e-30), Vec3::splat(1e10),
            Vec3::new(-1.0, 2.0, 3.0),
        ];
        let rest: Vec<Vec3> = indices.iter().map(|&(at_rest, _)| menu[at_rest]).collect();
        let triangles: Vec<[u32; 3]> = triangles.into_iter().map(|(a, b, c)| [a, b, c])
            .filter(|&[a, b, c]| a != b && b != c && c != a).collect();
        let stretch = if is_stiff { f32::INFINITY } else { 10.0 };
        let settings = ClothSettings::default().with_stretch_stiffness(stretch).with_bend_stiffness(1.0)
            .with_damping(2.0).with_tear_strain(1e3);
        let mut cloth = Cloth::new(0, &rest, &triangles, &settings).unwrap();
        let mut particles = Particles::new(indices.iter().map(|&(_, now)| menu[now]).collect(), 1.0);
        for _ in 0..10 {
            particles.run(&SmallSteps::default().with_iterations(2), 1, &mut cloth);
            cloth.tear(&particles.positions).unwrap();
            prop_assert!(particles.is_finite());
        }
    }
}
