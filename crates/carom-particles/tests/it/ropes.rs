//! Ropes and links: the catenary and Hooke's law, momentum, damping, and ugly input.

use crate::connected::{Particles, drifts, kick, shaken, turned, weightless};
use carom_math::Vec3;
use carom_particles::{ConstraintError, Link, Links, ParticleBody, Rope, RopeSettings, SmallSteps};
use carom_scenes::Rng;
use proptest::prelude::*;

/// A row of particles along x.
fn row(n: u32, spacing: f32) -> Vec<Vec3> {
    (0..n).map(|i| Vec3::X * (i as f32 * spacing)).collect()
}

/// The least place of a rope of this length that hangs between two points of one height.
fn sag_of_catenary(length: f64, span: f64) -> f64 {
    // a sinh(span / 2a) = length / 2; the left side falls with a.
    let (mut low, mut high) = (span / 50.0, 1e3 * span);
    for _ in 0..200 {
        let a = 0.5 * (low + high);
        if length < 2.0 * a * (0.5 * span / a).sinh() { low = a } else { high = a }
    }
    low * ((0.5 * span / low).cosh() - 1.0)
}

#[test]
fn a_hanging_rope_is_a_catenary() {
    const N: u32 = 33;
    let (length, span) = (1.0, 0.6);
    let mut particles = Particles::new(row(N, length / (N - 1) as f32), 0.01);
    let mut rope = Rope::new(0, &particles.positions, &RopeSettings::default().with_damping(20.0)).unwrap();
    // The ends go to their places, and the rope swings out.
    for (i, p) in particles.positions.iter_mut().enumerate() {
        let part = i as f32 / (N - 1) as f32;
        *p = Vec3::new(span * part, -1.5 * part * (1.0 - part), 0.0);
    }
    (particles.inverse_masses[0], particles.inverse_masses[N as usize - 1]) = (0.0, 0.0);
    let steps = SmallSteps::default().with_substeps(60).with_drag(3.0);
    particles.run(&steps, 400, &mut rope);
    let lowest = particles.positions.iter().fold(f32::INFINITY, |low, p| low.min(p.y));
    let sag = sag_of_catenary(length.into(), span.into());
    println!("sag {} of {sag}, fastest {}", -lowest, particles.fastest());
    assert!((f64::from(-lowest) / sag - 1.0).abs() < 5e-3);
    // Each particle is on the curve.
    let a = {
        let half = 0.5 * f64::from(span);
        let (mut low, mut high) = (0.01, 100.0);
        for _ in 0..100 {
            let a = 0.5 * (low + high);
            if sag < a * ((half / a).cosh() - 1.0) { low = a } else { high = a }
        }
        low
    };
    let worst = particles.positions.iter().fold(0.0_f64, |worst, p| {
        let x = f64::from(p.x) - 0.5 * f64::from(span);
        let above = f64::from(p.y) - a * ((x / a).cosh() - 1.0) + sag;
        // Across the curve, which is steep at its ends.
        worst.max(above.abs() / (x / a).cosh())
    });
    println!("worst place off the curve {worst}");
    assert!(worst < 2e-3);
}

/// The length of a rope that hangs from its end, after it came to rest.
fn hanging_length(n: u32, stiffness: f32, substeps: u32, iterations: u32) -> f64 {
    let down = row(n, 1.0 / (n - 1) as f32).iter().map(|p| Vec3::new(0.0, -p.x, 0.0)).collect();
    let mut particles = Particles::new(down, 0.1);
    particles.inverse_masses[0] = 0.0;
    let settings = RopeSettings::default().with_stretch_stiffness(stiffness).with_damping(5.0);
    let mut rope = Rope::new(0, &particles.positions, &settings).unwrap();
    let steps = SmallSteps::default().with_substeps(substeps).with_iterations(iterations).with_drag(2.0);
    particles.run(&steps, 400, &mut rope);
    -f64::from(particles.positions[n as usize - 1].y)
}

#[test]
fn a_rope_stretches_by_its_weight_over_its_stiffness() {
    let (n, stiffness) = (11, 50.0);
    // Link k of ten bears the particles below it, and its stiffness is ten times that of the rope.
    let force: f64 = (1..n).map(|below| f64::from(below) * 0.1 * 9.81).sum();
    let wanted = 1.0 + force / (f64::from(stiffness) * 10.0);
    let mut all = Vec::new();
    for (substeps, iterations) in [(4, 40), (8, 10), (16, 4), (16, 16), (40, 1), (80, 1)] {
        let length = hanging_length(n, stiffness, substeps, iterations);
        let off = (length - 1.0) / (wanted - 1.0) - 1.0;
        println!("{substeps} substeps of {iterations} passes: {length} of {wanted}, off by {off:.4}");
        all.push(off);
    }
    assert!(all.iter().all(|off| off.abs() < 0.02));
}

#[test]
fn a_stiff_rope_bends_as_a_beam() {
    // A level beam that is clamped at one end: the deflection of the other is F L^3 / 3 EI for a
    // force there, w L^4 / 8 EI under its weight.
    const N: u32 = 21;
    let (spacing, stiffness, mass) = (0.05_f32, 2.0_f32, 0.01_f32);
    let mut particles = Particles::new(row(N, spacing), mass);
    (particles.inverse_masses[0], particles.inverse_masses[1]) = (0.0, 0.0);
    let settings = RopeSettings::default().with_bend_stiffness(stiffness).with_damping(30.0);
    let mut rope = Rope::new(0, &particles.positions, &settings).unwrap();
    particles.run(&SmallSteps::default().with_substeps(40).with_iterations(8).with_drag(4.0), 200, &mut rope);
    let (length, weight) = (f64::from(spacing) * 19.0, f64::from(mass / spacing) * 9.81);
    // Half of the clamped link bends with the first joint; the last particle's weight is whole.
    let length = length + 0.5 * f64::from(spacing);
    let load = weight * length.powi(4) / 8.0 + 0.5 * f64::from(mass) * 9.81 * length.powi(3) / 3.0;
    let wanted = load / f64::from(stiffness);
    let found = -f64::from(particles.positions[20].y);
    println!("deflection {found} of {wanted}, fastest {}", particles.fastest());
    assert!((found / wanted - 1.0).abs() < 0.05);
}

#[test]
fn each_constraint_keeps_both_momenta() {
    let mut rng = Rng::new(5);
    let stiff = RopeSettings::default();
    let soft = stiff.with_stretch_stiffness(50.0);
    let bending = stiff.with_stretch_stiffness(0.0).with_bend_stiffness(1.0);
    for (n, settings) in [(2, stiff), (2, soft), (3, bending)] {
        let rest = turned(&row(n, 0.5));
        for _ in 0..50 {
            // Without a substep before.
            let mut rope = Rope::new(0, &rest, &settings).unwrap();
            let mut particles = Particles::new(shaken(&rest, &mut rng, 0.3), 1.0);
            for (inverse_mass, i) in particles.inverse_masses.iter_mut().zip(1..) {
                *inverse_mass = i as f32 * 0.7;
            }
            let [linear, angular] = kick(&particles, &mut rope);
            assert!(linear < 3e-7 && angular < 3e-7, "{linear} {angular}");
        }
    }
}

/// Forces act at the end of a substep, so angular momentum changes in proportion to its length.
#[test]
fn momentum_is_kept_by_ropes() {
    for settings in [
        RopeSettings::default(),
        RopeSettings::default().with_bend_stiffness(0.5).with_stretch_stiffness(100.0),
        RopeSettings::default().with_bend_stiffness(0.5).with_damping(10.0),
    ] {
        let curved: Vec<Vec3> = row(30, 0.1).iter().map(|p| Vec3::new(p.x, p.x * p.x * 0.1, 0.0)).collect();
        let mut start = Particles::new(turned(&curved), 0.2);
        for i in 0..30 {
            start.inverse_masses[i] *= 1.0 + (i % 3) as f32;
        }
        start.stir(&mut Rng::new(3), 2.0);
        let run = |substeps: u32| {
            let mut particles = start.clone();
            let mut rope = Rope::new(0, &start.positions, &settings).unwrap();
            particles.run(&weightless().with_substeps(substeps), 60, &mut rope);
            assert!(particles.is_finite());
            drifts(&start, &particles)
        };
        let (coarse, fine) = (run(2), run(8));
        println!("momenta are off by {coarse:?} with 2 substeps, {fine:?} with 8");
        assert!(coarse[0] < 3e-4 && fine[0] < 3e-4 && fine[1] < 0.01);
        assert!(fine[1] < 0.6 * coarse[1]);
    }
}

#[test]
fn damping_takes_vibrations_and_leaves_momentum() {
    let mut particles = Particles::new(row(2, 1.0), 1.0);
    particles.velocities = vec![Vec3::new(-1.0, 0.5, 0.0), Vec3::new(3.0, 0.5, 0.0)];
    let mut links = Links::new(0, 2, &[Link { ends: [0, 1], rest: 1.0, compliance: 0.01 }])
        .unwrap()
        .with_damping(8.0)
        .unwrap();
    particles.run(&weightless(), 240, &mut links);
    for velocity in &particles.velocities {
        assert!((*velocity - Vec3::new(1.0, 0.5, 0.0)).length() < 5e-3, "{velocity}");
    }
    assert!((particles.positions[0].distance(particles.positions[1]) - 1.0).abs() < 1e-4);
}

#[test]
fn tensions_are_the_weights_below() {
    let mut particles = Particles::new(vec![Vec3::ZERO, -Vec3::Y, -2.0 * Vec3::Y], 0.5);
    particles.inverse_masses[0] = 0.0;
    let link = |a, b| Link { ends: [a, b], rest: 1.0, compliance: 1e-3 };
    let mut links = Links::new(0, 3, &[link(0, 1), link(1, 2)]).unwrap().with_damping(20.0).unwrap();
    let steps = SmallSteps::default().with_iterations(20).with_drag(5.0);
    particles.run(&steps, 300, &mut links);
    for (ends, force) in links.tensions(1.0 / 480.0) {
        let wanted = if ends == [0, 1] { 9.81 } else { 0.5 * 9.81 };
        println!("{ends:?} pulls with {force} of {wanted} N");
        assert!((force / wanted - 1.0).abs() < 0.02);
    }
}

/// A light rope with a heavy end falls from the side. It keeps its length, and all together has no
/// more energy than by falling, with one pass in a substep.
#[test]
fn a_light_rope_bears_a_heavy_end() {
    for (n, ratio) in [(11_u32, 100.0_f32), (11, 10000.0), (101, 1000.0)] {
        let spacing = 1.0 / (n - 1) as f32;
        let mut particles = Particles::new(row(n, spacing), 0.01);
        particles.inverse_masses[0] = 0.0;
        particles.inverse_masses[n as usize - 1] = 100.0 / ratio;
        let mut rope = Rope::new(0, &particles.positions, &RopeSettings::default()).unwrap();
        let (mut worst, mut fastest, mut gained) = (0.0_f32, 0.0_f32, 0.0_f32);
        for _ in 0..120 {
            particles.run(&SmallSteps::default(), 1, &mut rope);
            let energies = (1..n as usize).map(|k| {
                let (height, speed_sq) = (particles.positions[k].y, particles.velocities[k].length_squared());
                (0.5 * speed_sq + 9.81 * height) / particles.inverse_masses[k]
            });
            gained = gained.max(energies.sum::<f32>() * (100.0 / ratio) / 9.81);
            for pair in particles.positions.windows(2) {
                worst = worst.max((pair[0].distance(pair[1]) / spacing - 1.0).abs());
            }
            fastest = fastest.max(particles.velocities[n as usize - 1].length());
        }
        println!("{n} particles, {ratio}: off by {worst}, at most {fastest} m/s, gained {gained}");
        assert!(worst < 0.01, "{n} particles, {ratio}: {worst}");
        assert!(4.0 < fastest && gained < 1e-3, "{n} particles, {ratio}: {fastest}, {gained}");
    }
}

/// A rope between pins that are farther apart than its length has no solution: its links share the
/// stretch, and it stays calm. Let go, it goes back to its length.
#[test]
fn a_rope_between_pins_too_far_apart_stays_calm() {
    for far in [1.0_f32, 1.0001, 1.01, 2.0] {
        let rest = row(21, 0.05);
        let mut particles = Particles::new(rest.clone(), 0.01);
        particles.positions.iter_mut().for_each(|p| *p *= far);
        (particles.inverse_masses[0], particles.inverse_masses[20]) = (0.0, 0.0);
        let mut rope = Rope::new(0, &rest, &RopeSettings::default()).unwrap();
        let steps = SmallSteps::default().with_iterations(4);
        let mut fastest = 0.0_f32;
        for _ in 0..120 {
            particles.run(&steps, 1, &mut rope);
            fastest = fastest.max(particles.fastest());
        }
        let links = particles.positions.windows(2).map(|pair| pair[0].distance(pair[1]) / 0.05);
        let [least, most] = links.fold([9.0_f32, 0.0], |[a, b], link| [a.min(link), b.max(link)]);
        println!("{far}: links of {least} to {most}, at most {fastest} m/s");
        assert!(far - 0.002 < least && most < far + 0.002, "{far}: {least} {most}");
        assert!(fastest < 0.2, "{far}: {fastest}");
        particles.inverse_masses[20] = 100.0;
        particles.run(&steps, 60, &mut rope);
        let links = particles.positions.windows(2).map(|pair| pair[0].distance(pair[1]) / 0.05);
        assert!(links.into_iter().all(|link| (link - 1.0).abs() < 1e-3));
    }
}

/// The tension of each link of a rope is the weight below it.
#[test]
fn tensions_of_a_rope_are_the_weights_below() {
    let down = row(11, 0.1).iter().map(|p| Vec3::new(0.0, -p.x, 0.0)).collect();
    let mut particles = Particles::new(down, 0.5);
    particles.inverse_masses[0] = 0.0;
    let mut rope = Rope::new(0, &particles.positions, &RopeSettings::default()).unwrap();
    particles.run(&SmallSteps::default(), 60, &mut rope);
    for (below, force) in (1..=10).rev().zip(rope.tensions()) {
        let wanted = 0.5 * 9.81 * below as f32;
        assert!((force / wanted - 1.0).abs() < 0.01, "{force} of {wanted}");
    }
    assert!(
        Rope::new(0, &row(3, 1.0), &RopeSettings::default().with_stretch_stiffness(0.0))
            .unwrap()
            .tensions()
            .all(|force| force == 0.0)
    );
}

/// A body may lie anywhere in the arrays, and leaves other particles alone.
#[test]
fn a_body_moves_its_own_particles_alone() {
    let alone = {
        let mut particles = Particles::new(row(10, 0.1), 1.0);
        particles.inverse_masses[0] = 0.0;
        let mut rope = Rope::new(0, &particles.positions, &RopeSettings::default()).unwrap();
        particles.run(&SmallSteps::default(), 30, &mut rope);
        particles
    };
    let mut particles = Particles::new(row(20, 0.1), 1.0);
    particles.positions.copy_within(0..10, 7);
    particles.inverse_masses[..8].fill(0.0);
    particles.inverse_masses[17..].fill(0.0);
    let before = particles.clone();
    let mut rope = Rope::new(7, &before.positions[7..17], &RopeSettings::default()).unwrap();
    assert_eq!(rope.particles(), 7..17);
    particles.run(&SmallSteps::default(), 30, &mut rope);
    assert!(particles.positions[7..17] == alone.positions);
    assert!(particles.positions[..7] == before.positions[..7]);
    assert!(particles.positions[17..] == before.positions[17..]);
}

#[test]
fn links_with_bad_ends_or_numbers_are_refused_by_name() {
    let link = |a, b, rest, compliance| Link { ends: [a, b], rest, compliance };
    let good = link(0, 1, 1.0, 0.0);
    let refused = |bad| Links::new(0, 3, &[good, bad]).unwrap_err();
    assert_eq!(refused(link(0, 3, 1.0, 0.0)), ConstraintError::NoSuchParticle { element: 1 });
    assert_eq!(refused(link(2, 2, 1.0, 0.0)), ConstraintError::RepeatedParticle { element: 1 });
    for (rest, compliance) in [(-1.0, 0.0), (f32::NAN, 0.0), (1.0, -1.0), (1.0, f32::INFINITY)] {
        assert_eq!(refused(link(0, 1, rest, compliance)), ConstraintError::BadLink { link: 1 });
    }
    for bad in [Vec3::NAN, Vec3::Y * f32::INFINITY, Vec3::X * 1e30] {
        let refused = Rope::new(0, &[Vec3::ZERO, bad], &RopeSettings::default()).unwrap_err();
        assert_eq!(refused, ConstraintError::BadParticle { particle: 1 });
    }
    for settings in [
        RopeSettings::default().with_damping(-1.0),
        RopeSettings::default().with_bend_stiffness(f32::NAN),
        RopeSettings::default().with_stretch_stiffness(-0.1),
    ] {
        let refused = Rope::new(0, &[Vec3::ZERO], &settings);
        assert!(matches!(refused, Err(ConstraintError::BadSetting { .. })));
    }
}

#[test]
fn steps_with_bad_arrays_or_times_are_refused_and_nothing_changes() {
    let mut rope = Rope::new(1, &row(3, 1.0), &RopeSettings::default()).unwrap();
    let mut positions = row(4, 2.0);
    let before = positions.clone();
    for dt in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let refused = rope.project(&mut positions, &[1.0; 4], dt);
        assert!(matches!(refused, Err(ConstraintError::BadTimeStep { .. })));
    }
    let refused = rope.project(&mut positions, &[1.0; 3], 0.1);
    assert_eq!(refused, Err(ConstraintError::WrongCount { expected: 4, given: 3 }));
    let refused = rope.project(&mut positions[..2], &[1.0; 4], 0.1);
    assert_eq!(refused, Err(ConstraintError::WrongCount { expected: 4, given: 2 }));
    assert!(positions == before);
    // Empty bodies, and one of a single particle, are no error.
    for n in [0, 1] {
        let mut rope = Rope::new(0, &row(n, 1.0), &RopeSettings::default()).unwrap();
        rope.begin_step();
        rope.project(&mut row(n, 1.0), &vec![1.0; n as usize], 0.1).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// Coincident particles, links without length, hubs, huge and tiny numbers.
    #[test]
    fn ugly_links_never_give_nan(
        indices in prop::collection::vec(0_usize..7, 12),
        ends in prop::collection::vec((0_u32..12, 0_u32..12), 1..60),
        rests in prop::collection::vec(0_usize..5, 60),
        masses in prop::collection::vec(0_usize..4, 12),
        dt in 0_usize..3,
    ) {
        let menu = [
            Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1e-30, 0.0), Vec3::splat(1e-25), Vec3::Y * 1e-3,
            Vec3::splat(1e11), Vec3::new(-1.0, 2.0, 3.0),
        ];
        let positions: Vec<Vec3> = indices.iter().map(|&index| menu[index]).collect();
        let mut links = Vec::new();
        for (&(a, b), &rest) in ends.iter().zip(&rests) {
            let rest = [0.0, 1.0, 1e-30, 1e20, 1e-3][rest];
            if a != b {
                links.push(Link { ends: [a, b], rest, compliance: [0.0, 1e-6, 1e30][(a as usize + links.len()) % 3] });
            }
        }
        let mut particles = Particles::new(positions, 1.0);
        for (inverse_mass, &mass) in particles.inverse_masses.iter_mut().zip(&masses) {
            *inverse_mass = [0.0, 1.0, 1e-20, 1e20][mass];
        }
        let mut links = Links::new(0, 12, &links).unwrap().with_damping(3.0).unwrap();
        let mut rope = Rope::new(
            0, &particles.positions, &RopeSettings::default().with_bend_stiffness(1.0).with_damping(1.0),
        ).unwrap();
        particles.positions.iter_mut().filter(|p| 1e10 < p.x).for_each(|p| *p *= 1e9);
        let dt = [1.0 / 60.0, 1e-25, 1e10][dt];
        for _ in 0..20 {
            links.begin_step();
            rope.begin_step();
            for _ in 0..3 {
                links.project(&mut particles.positions, &particles.inverse_masses, dt).unwrap();
                rope.project(&mut particles.positions, &particles.inverse_masses, dt).unwrap();
            }
            links.damp(&particles.positions, &mut particles.velocities, &particles.inverse_masses, dt).unwrap();
            rope.damp(&particles.positions, &mut particles.velocities, &particles.inverse_masses, dt).unwrap();
            prop_assert!(particles.is_finite());
        }
    }
}

#[test]
fn coincident_particles_part() {
    let mut particles = Particles::new(vec![Vec3::ONE; 6], 1.0);
    let links: Vec<Link> = (1..6).map(|i| Link { ends: [0, i], rest: 0.5, compliance: 0.0 }).collect();
    let mut links = Links::new(0, 6, &links).unwrap();
    for _ in 0..40 {
        links.begin_step();
        links.project(&mut particles.positions, &particles.inverse_masses, 0.01).unwrap();
    }
    for i in 1..6 {
        assert!((particles.positions[0].distance(particles.positions[i]) - 0.5).abs() < 1e-3);
    }
}
