//! Bodies of tetrahedra: the beam, volumes, momenta, and tetrahedra that are flat or inside out.

use crate::connected::{Particles, drifts, kick, shaken, turned, weightless};
use carom_math::Vec3;
use carom_particles::{ConstraintError, ParticleBody, SmallSteps, SoftBody, SoftBodySettings};
use carom_scenes::Rng;
use proptest::prelude::*;

/// A block of cells of this side, each of five tetrahedra, mirrored in turn so that faces match.
pub(crate) fn block(cells: [u32; 3], side: f32) -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let [nx, ny, nz] = cells.map(|n| n + 1);
    let points: Vec<Vec3> = (0..nx * ny * nz)
        .map(|i| Vec3::new((i % nx) as f32, (i / nx % ny) as f32, (i / nx / ny) as f32) * side)
        .collect();
    let mut tetrahedra = Vec::new();
    for i in 0..cells.iter().product() {
        let cell = [i % cells[0], i / cells[0] % cells[1], i / cells[0] / cells[1]];
        let is_mirrored = cell.iter().sum::<u32>() % 2;
        let corner = |x: u32, y: u32, z: u32| {
            let x = x ^ is_mirrored;
            cell[0] + x + nx * (cell[1] + y + ny * (cell[2] + z))
        };
        let (a, b, c, d) = (corner(0, 0, 0), corner(1, 1, 0), corner(1, 0, 1), corner(0, 1, 1));
        tetrahedra.push([a, b, c, d]);
        tetrahedra.push([a, b, c, corner(1, 0, 0)]);
        tetrahedra.push([a, b, d, corner(0, 1, 0)]);
        tetrahedra.push([a, c, d, corner(0, 0, 1)]);
        tetrahedra.push([b, c, d, corner(1, 1, 1)]);
    }
    (points, tetrahedra)
}

/// The signed volumes of tetrahedra, as large as at rest they are positive.
fn volumes(rest: &[Vec3], positions: &[Vec3], tetrahedra: &[[u32; 4]]) -> Vec<f64> {
    let six = |positions: &[Vec3], corners: &[u32; 4]| {
        let [a, b, c, d] = corners.map(|corner| positions[corner as usize].as_dvec3());
        (b - a).cross(c - a).dot(d - a)
    };
    tetrahedra.iter().map(|c| six(positions, c) * six(rest, c).signum() / 6.0).collect()
}

fn volume(rest: &[Vec3], positions: &[Vec3], tetrahedra: &[[u32; 4]]) -> f64 {
    volumes(rest, positions, tetrahedra).iter().sum()
}

/// Masses for a density, a quarter of each tetrahedron for each of its corners.
fn weighed(rest: &[Vec3], tetrahedra: &[[u32; 4]], density: f64) -> Particles {
    let mut masses = vec![0.0; rest.len()];
    for (corners, volume) in tetrahedra.iter().zip(volumes(rest, rest, tetrahedra)) {
        corners.iter().for_each(|&corner| masses[corner as usize] += 0.25 * density * volume);
    }
    let mut particles = Particles::new(rest.to_vec(), 1.0);
    particles.inverse_masses = masses.iter().map(|&mass| (1.0 / mass) as f32).collect();
    particles
}

#[test]
fn a_bar_bends_as_a_beam() {
    // Clamped at one end, under its weight: w L^4 / 8 EI. Linear tetrahedra are too stiff, less so
    // the finer they are.
    let (young, density, gravity) = (1e5, 50.0, 5.0);
    let mut ratios = Vec::new();
    let finest = if std::env::var_os("CAROM_SLOW").is_some() { 4 } else { 2 };
    for n in 1..=finest {
        let (rest, tetrahedra) = block([4 * n, n, n], 0.2 / n as f32);
        let settings =
            SoftBodySettings::default().with_youngs_modulus(young).with_poisson_ratio(0.0).with_damping(20.0);
        let mut bar = SoftBody::new(0, &rest, &tetrahedra, &settings).unwrap();
        let mut particles = weighed(&rest, &tetrahedra, density);
        for (inverse_mass, p) in particles.inverse_masses.iter_mut().zip(&rest) {
            *inverse_mass = if p.x == 0.0 { 0.0 } else { *inverse_mass };
        }
        let steps = SmallSteps::default().with_gravity(Vec3::Y * -gravity).with_drag(6.0);
        particles.run(&steps.with_substeps(8).with_iterations(20), 60, &mut bar);
        let moment = 0.2_f64.powi(4) / 12.0;
        let load = density * 0.04 * f64::from(gravity) * 0.8_f64.powi(4);
        let wanted = load / (8.0 * f64::from(young) * moment);
        let tip = rest.len() - 1;
        let found = f64::from(rest[tip].y - particles.positions[tip].y);
        println!("{n} cells high: {found} of {wanted}, {:.3}, {}", found / wanted, particles.fastest());
        ratios.push(found / wanted);
    }
    // A third, two thirds, and 85 % of it: as linear tetrahedra are known to.
    let wanted = [(0.3, 0.4), (0.63, 0.75), (0.8, 0.95), (0.85, 1.0)];
    assert!(ratios.iter().zip(wanted).all(|(ratio, (low, high))| low < *ratio && *ratio < high));
}

#[test]
fn a_block_under_load_keeps_its_volume() {
    let (rest, tetrahedra) = block([4, 4, 4], 0.25);
    let settings =
        SoftBodySettings::default().with_youngs_modulus(2e4).with_poisson_ratio(0.5).with_damping(10.0);
    let mut body = SoftBody::new(0, &rest, &tetrahedra, &settings).unwrap();
    let mut particles = weighed(&rest, &tetrahedra, 1000.0);
    for (inverse_mass, p) in particles.inverse_masses.iter_mut().zip(&rest) {
        // It stands on its lower side, with a weight of a ton on its upper side.
        if p.y == 0.0 {
            *inverse_mass = 0.0;
        } else if p.y == 1.0 {
            *inverse_mass = 1.0 / 40.0;
        }
    }
    let steps = SmallSteps::default().with_substeps(10).with_iterations(4).with_drag(2.0);
    particles.run(&steps, 120, &mut body);
    let (height, whole) = (particles.positions[112].y, volume(&rest, &particles.positions, &tetrahedra));
    println!("squeezed to {height}, volume {whole}");
    assert!(height < 0.9 && (whole - 1.0).abs() < 0.01);
    assert!(volumes(&rest, &particles.positions, &tetrahedra).iter().all(|&volume| 0.0 < volume));
}

#[test]
fn a_bar_grows_thinner_by_its_ratio() {
    for (ratio, wanted_ratio) in [(0.0, 0.0), (0.3, 0.3), (0.45, 0.45)] {
        let (rest, tetrahedra) = block([8, 2, 2], 0.125);
        let settings =
            SoftBodySettings::default().with_youngs_modulus(1e5).with_poisson_ratio(ratio).with_damping(10.0);
        let mut bar = SoftBody::new(0, &rest, &tetrahedra, &settings).unwrap();
        let mut particles = weighed(&rest, &tetrahedra, 100.0);
        // The ends are held, 2 % farther apart.
        for (i, at_rest) in rest.iter().enumerate() {
            particles.positions[i].x *= 1.02;
            if at_rest.x == 0.0 || at_rest.x == 1.0 {
                particles.inverse_masses[i] = 0.0;
            }
        }
        let steps = weightless().with_substeps(10).with_iterations(4).with_drag(5.0);
        particles.run(&steps, 60, &mut bar);
        let position_of = |x: usize, y: usize| particles.positions[x + 9 * (y + 3)];
        let strain = position_of(6, 1).x - position_of(2, 1).x;
        let across = position_of(4, 2).y - position_of(4, 0).y;
        let found = (1.0 - f64::from(across) / 0.25) / (f64::from(strain) / 0.5 - 1.0);
        println!("ratio {ratio}: {found}");
        assert!((found - wanted_ratio).abs() < 0.08);
    }
}

#[test]
fn stiffness_does_not_depend_on_passes_or_time_steps() {
    // A column under its weight, which is longer by rho g L^2 / 2 E if it hangs.
    let wanted = 1000.0 * 9.81 / (2.0 * 2e5);
    for (substeps, iterations) in [(4, 30), (8, 10), (16, 8), (32, 4)] {
        let (rest, tetrahedra) = block([1, 8, 1], 0.125);
        let settings =
            SoftBodySettings::default().with_youngs_modulus(2e5).with_poisson_ratio(0.0).with_damping(20.0);
        let mut column = SoftBody::new(0, &rest, &tetrahedra, &settings).unwrap();
        let mut particles = weighed(&rest, &tetrahedra, 1000.0);
        for (inverse_mass, p) in particles.inverse_masses.iter_mut().zip(&rest) {
            *inverse_mass = if p.y == 1.0 { 0.0 } else { *inverse_mass };
        }
        let steps = SmallSteps::default().with_substeps(substeps).with_iterations(iterations).with_drag(3.0);
        particles.run(&steps, 120, &mut column);
        let found = -f64::from(particles.positions[0].y);
        println!("{substeps} substeps of {iterations} passes: {found} of {wanted}, {:.3}", found / wanted);
        assert!((found / wanted - 1.0).abs() < 0.06);
    }
}

#[test]
fn momentum_is_kept_by_soft_bodies() {
    let mut rng = Rng::new(4);
    let (rest, tetrahedra) = block([3, 2, 2], 0.2);
    let rest = turned(&rest);
    let mut body =
        SoftBody::new(0, &rest, &tetrahedra, &SoftBodySettings::default().with_damping(1.0)).unwrap();
    let mut start = weighed(&rest, &tetrahedra, 1000.0);
    start.stir(&mut rng, 1.0);
    let mut particles = start.clone();
    particles.run(&weightless(), 60, &mut body);
    let drifts = drifts(&start, &particles);
    println!("momenta are off by {drifts:?}");
    assert!(drifts[0] < 3e-4 && drifts[1] < 5e-3);

    // One tetrahedron alone. Its second constraint meets what the first has left.
    let mut one = SoftBody::new(0, &rest[..20], &tetrahedra[..1], &SoftBodySettings::default()).unwrap();
    for _ in 0..50 {
        let particles = Particles::new(shaken(&rest[..20], &mut rng, 0.05), 1.0);
        let [linear, angular] = kick(&particles, &mut one);
        assert!(linear < 3e-7 && angular < 3e-7, "{linear} {angular}");
    }
}

#[test]
fn a_soft_body_at_rest_stays_and_turns_freely() {
    let (rest, tetrahedra) = block([2, 2, 2], 0.25);
    for ratio in [0.0, 0.45, 0.5] {
        let settings = SoftBodySettings::default().with_poisson_ratio(ratio);
        let mut body = SoftBody::new(0, &rest, &tetrahedra, &settings).unwrap();
        let mut particles = weighed(&turned(&rest), &tetrahedra, 1000.0);
        particles.inverse_masses = weighed(&rest, &tetrahedra, 1000.0).inverse_masses;
        particles.positions = turned(&rest);
        particles.run(&weightless(), 60, &mut body);
        let worst = (0..rest.len()).fold(0.0_f32, |worst, i| {
            let lengths = [&particles.positions, &rest].map(|all| all[i].distance(all[0]));
            worst.max((lengths[0] - lengths[1]).abs())
        });
        println!("ratio {ratio}: off by {worst} after a second");
        assert!(worst < 0.01 && particles.fastest() < 0.2);
    }
}

#[test]
fn what_is_flat_inverted_or_collapsed_comes_back() {
    let (rest, tetrahedra) = block([2, 2, 2], 0.25);
    type Crush = fn(Vec3) -> Vec3;
    let crushed: [(&str, Crush); 4] = [
        ("flat", |p| Vec3::new(p.x, 0.0, p.z)),
        ("on a line", |p| Vec3::new(p.x, 0.0, 0.0)),
        ("in a point", |_| Vec3::ONE),
        ("inside out", |p| Vec3::new(p.x, -p.y, p.z)),
    ];
    let settings = SoftBodySettings::default().with_youngs_modulus(1e4).with_damping(5.0);
    for (what, crush) in crushed {
        let mut body = SoftBody::new(0, &rest, &tetrahedra, &settings).unwrap();
        let mut particles = weighed(&rest, &tetrahedra, 1000.0);
        let mut rng = Rng::new(9);
        particles.positions = rest.iter().map(|&p| crush(p)).collect();
        // Exactly symmetric bodies may balance on an edge.
        if what != "in a point" {
            particles.positions = shaken(&particles.positions, &mut rng, 1e-3);
        }
        particles.run(&weightless().with_drag(3.0), 600, &mut body);
        let all = volumes(&rest, &particles.positions, &tetrahedra);
        let (whole, least) = (all.iter().sum::<f64>(), all.iter().fold(f64::INFINITY, |a, &b| a.min(b)));
        println!("{what}: volume {whole} of 0.125, least {least}");
        assert!(particles.is_finite());
        // A body that is inside out may stay so in part, if its surface keeps it there.
        assert!(0.1 < whole && whole < 0.15, "{what}");
    }
}

#[test]
fn bad_tetrahedra_and_settings_are_refused_by_name() {
    let (mut rest, mut tetrahedra) = block([1, 1, 1], 1.0);
    let settings = SoftBodySettings::default();
    for settings in [
        settings.with_youngs_modulus(0.0),
        settings.with_youngs_modulus(f32::INFINITY),
        settings.with_poisson_ratio(0.6),
        settings.with_poisson_ratio(f32::NAN),
        settings.with_damping(-1.0),
    ] {
        let refused = SoftBody::new(0, &rest, &tetrahedra, &settings);
        assert!(matches!(refused, Err(ConstraintError::BadSetting { .. })));
    }
    let refused =
        |rest: &[Vec3], tetrahedra: &[[u32; 4]]| SoftBody::new(0, rest, tetrahedra, &settings).unwrap_err();
    // Four corners of a face.
    let mut flat = tetrahedra.clone();
    flat[4] = [0, 1, 2, 3];
    assert_eq!(refused(&rest, &flat), ConstraintError::FlatTetrahedron { tetrahedron: 4 });
    tetrahedra[3][1] = tetrahedra[3][0];
    assert_eq!(refused(&rest, &tetrahedra), ConstraintError::RepeatedParticle { element: 3 });
    tetrahedra[2][1] = 8;
    assert_eq!(refused(&rest, &tetrahedra), ConstraintError::NoSuchParticle { element: 2 });
    rest[6].y = f32::NEG_INFINITY;
    assert_eq!(refused(&rest, &tetrahedra), ConstraintError::BadParticle { particle: 6 });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// From any positions, with pinned and very light or heavy particles.
    #[test]
    fn ugly_soft_bodies_never_give_nan(
        indices in prop::collection::vec(0_usize..7, 18),
        masses in prop::collection::vec(0_usize..4, 18),
        ratio in 0_usize..3,
        dt in 0_usize..3,
    ) {
        let menu = [
            Vec3::ZERO, Vec3::X, Vec3::new(0.5, 1e-20, 0.0), Vec3::splat(1e-30), Vec3::splat(1e18),
            Vec3::new(-1.0, 2.0, 3.0), Vec3::splat(1e-3),
        ];
        let (rest, tetrahedra) = block([2, 2, 1], 0.5);
        let settings = SoftBodySettings::default()
            .with_poisson_ratio([0.0, 0.3, 0.5][ratio]).with_damping(1.0);
        let mut body = SoftBody::new(0, &rest, &tetrahedra, &settings).unwrap();
        let mut particles = Particles::new(indices.iter().map(|&index| menu[index]).collect(), 1.0);
        for (inverse_mass, &mass) in particles.inverse_masses.iter_mut().zip(&masses) {
            *inverse_mass = [0.0, 1.0, 1e-20, 1e20][mass];
        }
        let dt = [1.0 / 60.0, 1e-25, 1e10][dt];
        for _ in 0..10 {
            body.begin_step();
            for _ in 0..3 {
                body.project(&mut particles.positions, &particles.inverse_masses, dt).unwrap();
            }
            body.damp(&particles.positions, &mut particles.velocities, &particles.inverse_masses, dt).unwrap();
            prop_assert!(particles.is_finite());
        }
    }
}
