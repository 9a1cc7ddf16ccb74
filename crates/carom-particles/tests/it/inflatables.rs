//! Inflatables: the law of gases, the pressure of Laplace, volumes, and meshes that are open.

use crate::connected::{Particles, drifts, kick, shaken, turned, weightless};
use carom_math::Vec3;
use carom_particles::{
    ClothSettings, ConstraintError, Filling, Inflatable, InflatableSettings, ParticleBody, SmallSteps,
};
use carom_scenes::Rng;
use carom_scenes::mesh::icosphere;
use proptest::prelude::*;

/// A ball of this radius, of about so many triangles.
fn ball(radius: f64, n_triangles: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mesh = icosphere(n_triangles).scaled(radius);
    (mesh.vertices_f32(), mesh.triangles)
}

fn gas(pressure: f32, ambient: f32) -> Filling {
    Filling::Gas { pressure, ambient }
}

#[test]
fn a_gas_keeps_pressure_times_volume() {
    let (rest, triangles) = ball(0.5, 320);
    // A skin that hardly resists: the pressure inside becomes that outside.
    let skin =
        ClothSettings::default().with_stretch_stiffness(1.0).with_bend_stiffness(1e-3).with_damping(5.0);
    let settings = InflatableSettings::default().with_skin(skin);
    for (pressure, ambient) in [(2000.0, 1000.0), (1000.0, 1500.0), (1000.0, 1000.0)] {
        let filling = gas(pressure, ambient);
        let mut balloon = Inflatable::new(0, &rest, &triangles, &settings.with_filling(filling)).unwrap();
        let mut particles = Particles::new(rest.clone(), 0.01);
        let whole = balloon.volume(&rest).unwrap();
        particles.run(&weightless().with_drag(20.0), 180, &mut balloon);
        let ratio = balloon.volume(&particles.positions).unwrap() / whole;
        println!("{pressure} Pa in {ambient} Pa: {ratio} of the volume");
        assert!((ratio / f64::from(pressure / ambient) - 1.0).abs() < 0.01);
    }
}

#[test]
fn the_skin_of_a_balloon_bears_its_pressure() {
    let (rest, triangles) = ball(0.5, 1280);
    let skin = ClothSettings::default().with_stretch_stiffness(500.0).with_damping(10.0);
    let settings = InflatableSettings::default().with_skin(skin).with_filling(gas(101_000.0, 100_000.0));
    let mut balloon = Inflatable::new(0, &rest, &triangles, &settings).unwrap();
    let mut particles = Particles::new(rest.clone(), 0.005);
    let start = balloon.volume(&rest).unwrap();
    particles.run(&weightless().with_iterations(10).with_drag(5.0), 60, &mut balloon);
    let volume = balloon.volume(&particles.positions).unwrap();
    let over = f64::from(balloon.overpressure(1.0 / 480.0));
    // From the volume by the gas, and by the skin: tension 2 E (1 + nu) strain / (1 - nu^2) / 2,
    // with a ratio of 1/3 for springs along edges, and over = 2 tension / radius.
    let by_gas = 101_000.0 * start / volume - 100_000.0;
    let strain = (volume / start).cbrt() - 1.0;
    let by_skin = 2.0 * (500.0 * strain / (1.0 - 1.0 / 3.0)) / (0.5 * (1.0 + strain));
    println!("{over} Pa, {by_gas} by the gas, {by_skin} by the skin, strain {strain}");
    assert!((over / by_gas - 1.0).abs() < 0.01);
    assert!((over / by_skin - 1.0).abs() < 0.1);
    // Blown up further.
    balloon.set_filling(gas(110_000.0, 100_000.0)).unwrap();
    particles.run(&weightless().with_drag(5.0), 120, &mut balloon);
    assert!(volume < balloon.volume(&particles.positions).unwrap());
}

#[test]
fn a_bag_of_liquid_keeps_its_volume_on_the_floor() {
    let (rest, triangles) = ball(0.5, 320);
    let skin = ClothSettings::default().with_stretch_stiffness(300.0).with_damping(2.0);
    for ratio in [1.0, 0.8] {
        let settings = InflatableSettings::default().with_skin(skin).with_filling(Filling::Volume(ratio));
        let mut bag = Inflatable::new(0, &rest, &triangles, &settings).unwrap();
        let mut particles = Particles::new(rest.clone(), 0.05);
        let wanted = f64::from(ratio) * bag.volume(&rest).unwrap();
        let mut worst = 0.0_f64;
        let mut memory = carom_particles::StepMemory::default();
        for frame in 0..120 {
            let (positions, velocities) = (&mut particles.positions, &mut particles.velocities);
            let floor = |_: &[Vec3], positions: &mut [Vec3]| {
                positions.iter_mut().for_each(|p| p.y = p.y.max(-0.45));
            };
            let steps = SmallSteps::default().with_drag(1.0).with_iterations(2);
            let masses = &particles.inverse_masses;
            steps
                .advance(positions, velocities, masses, 1.0 / 60.0, &mut [&mut bag], &mut memory, floor)
                .unwrap();
            if 2 < frame {
                worst = worst.max((bag.volume(&particles.positions).unwrap() / wanted - 1.0).abs());
            }
        }
        println!("ratio {ratio}: off by at most {worst}");
        assert!(worst < 0.01);
    }
}

#[test]
fn momentum_is_kept_by_inflatables() {
    let mut rng = Rng::new(8);
    let (rest, triangles) = ball(0.5, 80);
    let rest = turned(&rest);
    let skin = ClothSettings::default().with_stretch_stiffness(0.0);
    for filling in [Filling::Volume(1.2), gas(2000.0, 1000.0)] {
        let settings = InflatableSettings::default().with_filling(filling).with_skin(skin);
        let mut alone = Inflatable::new(0, &rest, &triangles, &settings).unwrap();
        for _ in 0..20 {
            let [linear, angular] = kick(&Particles::new(shaken(&rest, &mut rng, 0.1), 0.1), &mut alone);
            assert!(linear < 3e-7 && angular < 3e-7, "{linear} {angular}");
        }
        let settings = settings.with_skin(skin.with_stretch_stiffness(500.0));
        let mut balloon = Inflatable::new(0, &rest, &triangles, &settings).unwrap();
        let mut start = Particles::new(rest.clone(), 0.1);
        start.stir(&mut rng, 1.0);
        let mut run = |substeps: u32| {
            let mut particles = start.clone();
            particles.run(&weightless().with_substeps(substeps), 60, &mut balloon);
            drifts(&start, &particles)
        };
        let (coarse, fine) = (run(4), run(16));
        println!("momenta are off by {coarse:?} with 4 substeps, {fine:?} with 16");
        assert!(coarse[0] < 3e-4 && fine[0] < 3e-4 && fine[1] < 0.02 && fine[1] < coarse[1]);
    }
}

#[test]
fn open_meshes_and_bad_fillings_are_refused_by_name() {
    let (rest, mut triangles) = ball(0.5, 80);
    let settings = InflatableSettings::default();
    for filling in [
        Filling::Volume(0.0),
        Filling::Volume(f32::NAN),
        Filling::Volume(f32::INFINITY),
        gas(-1.0, 0.0),
        gas(0.0, f32::NAN),
    ] {
        let refused = Inflatable::new(0, &rest, &triangles, &settings.with_filling(filling));
        assert!(matches!(refused, Err(ConstraintError::BadSetting { .. })));
        let mut good = Inflatable::new(0, &rest, &triangles, &settings).unwrap();
        assert!(good.set_filling(filling).is_err());
    }
    // Inside out.
    let turned: Vec<[u32; 3]> = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    let refused = Inflatable::new(0, &rest, &turned, &settings).unwrap_err();
    assert!(matches!(refused, ConstraintError::NoVolume { volume } if volume < -0.1));
    // A tetrahedron twice, with an edge of four triangles, is closed.
    let corners = [Vec3::ZERO, Vec3::Y, Vec3::X, Vec3::Z, -Vec3::X, -Vec3::Z];
    let two = [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2], [0, 1, 4], [0, 4, 5], [0, 5, 1], [1, 5, 4]];
    let volume = Inflatable::new(0, &corners, &two, &settings).unwrap().volume(&corners).unwrap();
    assert!((volume - 1.0 / 3.0).abs() < 1e-12);
    let [a, b, _] = triangles.pop().unwrap();
    let refused = Inflatable::new(0, &rest, &triangles, &settings).unwrap_err();
    let ConstraintError::OpenEdge { edge } = refused else { panic!("{refused}") };
    assert!(edge == [a.min(b), a.max(b)] || edge.contains(&a) || edge.contains(&b));
    assert!(matches!(Inflatable::new(0, &[], &[], &settings), Err(ConstraintError::NoVolume { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ugly_inflatables_never_give_nan(
        indices in prop::collection::vec(0_usize..6, 12),
        masses in prop::collection::vec(0_usize..4, 12),
        filling in 0_usize..4,
        dt in 0_usize..3,
    ) {
        let menu = [
            Vec3::ZERO, Vec3::X, Vec3::new(0.5, 1e-20, 0.0), Vec3::splat(1e-30), Vec3::splat(1e30),
            Vec3::new(-1.0, 2.0, 3.0),
        ];
        let (rest, triangles) = ball(1.0, 20);
        let filling = [Filling::Volume(1.0), Filling::Volume(1e30), gas(1e30, 0.0), gas(0.0, 1e30)][filling];
        let settings = InflatableSettings::default().with_filling(filling);
        let mut balloon = Inflatable::new(0, &rest, &triangles, &settings).unwrap();
        let mut particles = Particles::new(indices.iter().map(|&index| menu[index]).collect(), 1.0);
        for (inverse_mass, &mass) in particles.inverse_masses.iter_mut().zip(&masses) {
            *inverse_mass = [0.0, 1.0, 1e-38, 1e38][mass];
        }
        let dt = [1.0 / 60.0, 1e-25, 1e10][dt];
        for _ in 0..5 {
            balloon.begin_step();
            for _ in 0..3 {
                balloon.project(&mut particles.positions, &particles.inverse_masses, dt).unwrap();
            }
            prop_assert!(particles.is_finite());
        }
    }
}

/// The tear strain of a skin is ignored: also an invalid one, and tethers hold a pinned skin under
/// a load as they do without. The skin tells which of its particles they hold.
#[test]
fn r_the_tear_strain_of_a_skin_changes_nothing() {
    let (rest, triangles) = ball(0.5, 320);
    let top = (0..rest.len()).max_by(|&a, &b| rest[a].y.total_cmp(&rest[b].y)).unwrap();
    let hang = |tear_strain: f32| {
        let skin = ClothSettings::default().with_tear_strain(tear_strain);
        let settings = InflatableSettings::default().with_skin(skin);
        let mut bag = Inflatable::new(0, &rest, &triangles, &settings).unwrap();
        let mut particles = Particles::new(rest.clone(), 0.01);
        particles.inverse_masses[top] = 0.0;
        // A load of 1000 times the mass at the bottom.
        let low = (0..rest.len()).min_by(|&a, &b| rest[a].y.total_cmp(&rest[b].y)).unwrap();
        particles.inverse_masses[low] /= 1000.0;
        particles.run(&SmallSteps::default(), 60, &mut bag);
        (particles, bag.taut().len())
    };
    let (plain, n_taut) = hang(f32::INFINITY);
    assert!(0 < n_taut);
    for tear_strain in [0.5, 0.0, -1.0, f32::NAN] {
        assert_eq!(hang(tear_strain), (plain.clone(), n_taut), "{tear_strain}");
    }
}
