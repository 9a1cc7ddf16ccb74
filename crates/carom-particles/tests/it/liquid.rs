//! Liquids against closed forms.

use crate::blocks::{add_tank, block, fastest, positions, velocities};
use carom_math::Vec3;
use carom_particles::{Gas, Liquid, ParticleSettings, ParticleSolver, Surface};

const DT: f32 = 1.0 / 60.0;

/// Water in a column, after it came to rest.
#[test]
fn a_column_is_compressed_little_and_more_below() {
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.025)).unwrap();
    solver.add_liquid(&Liquid::default(), &block([6, 16, 6], 0.05, Vec3::ZERO)).unwrap();
    add_tank(&mut solver, 0.3, 0.3, &Surface::default());
    let (mut mean, mut worst, mut densities) = (0.0, 0.0_f32, Vec::new());
    // Three layers: sums of densities, and how many.
    let mut layers = [(0.0, 0); 3];
    for step in 0..150 {
        solver.step(DT).unwrap();
        if step < 90 {
            continue;
        }
        let compression = solver.compression().unwrap();
        mean += compression.mean / 60.0;
        worst = worst.max(compression.worst);
        solver.collect_densities(&mut densities).unwrap();
        for (position, density) in positions(&solver).iter().zip(&densities) {
            let is_inside = (position.x - 0.15).abs() < 0.09 && (position.z - 0.15).abs() < 0.09;
            let layer = (position.y - 0.1) / 0.2;
            if is_inside && 0.0 <= layer && layer < 3.0 {
                let layer = &mut layers[layer as usize];
                *layer = (layer.0 + density, layer.1 + 1);
            }
        }
    }
    let layers = layers.map(|(sum, n)| sum / n as f32);
    let top = positions(&solver).iter().map(|p| p.y).fold(0.0, f32::max);
    println!("mean {mean}, worst {worst}, layers {layers:?}, top {top}, fastest {}", fastest(&solver));
    assert!(mean < 0.005 && worst < 0.06, "{mean} {worst}");
    assert!(layers[2] < layers[1] && layers[1] < layers[0], "{layers:?}");
}

/// The front of a column twice as high as wide, in base widths, by times in units of the square
/// root of a / 2 g: measured by Martin and Moyce, An Experimental Study of the Collapse of Liquid
/// Columns on a Rigid Horizontal Plane, 1952, figure 3, a = 1.125 inches.
const MARTIN_MOYCE: [[f32; 2]; 5] =
    [[0.849, 1.245], [1.212, 1.443], [1.602, 1.884], [2.283, 2.689], [2.950, 3.728]];

#[test]
fn the_front_of_a_dam_moves_as_measured() {
    let (spacing, base, dt) = (0.04, 0.4, 1.0 / 120.0);
    let settings = ParticleSettings::new(spacing / 2.0).with_substeps(2);
    let mut solver = ParticleSolver::new(settings).unwrap();
    solver.add_liquid(&Liquid::default(), &block([10, 20, 5], spacing, Vec3::ZERO)).unwrap();
    add_tank(&mut solver, 10.0, 5.0 * spacing, &Surface::default());
    let unit = (base / (2.0 * 9.81_f32)).sqrt();
    let limit = (2.0 * 9.81 * 2.0 * base).sqrt();
    let (mut time, mut greatest, mut last) = (0.0, 0.0_f32, (0.0, 1.0));
    let mut errors = Vec::new();
    while errors.len() < MARTIN_MOYCE.len() {
        solver.step(dt).unwrap();
        time += dt / unit;
        greatest = greatest.max(fastest(&solver));
        let mut front: Vec<f32> = positions(&solver).iter().map(|p| p.x).collect();
        front.sort_unstable_by(f32::total_cmp);
        // Not the first drop, but one in a hundred.
        let front = (front[front.len() - front.len() / 100] + spacing / 2.0) / base;
        let [measured, at] = MARTIN_MOYCE[errors.len()];
        if at <= front {
            let arrival = last.0 + (time - last.0) * (at - last.1) / (front - last.1);
            errors.push(arrival / measured - 1.0);
        }
        last = (time, front);
        assert!(time < 10.0);
    }
    println!("arrivals differ by {errors:?}; fastest {greatest}, in free fall {limit}");
    assert!(errors.iter().all(|error| error.abs() < 0.15), "{errors:?}");
    assert!(greatest < 4.0 / 3.0 * limit, "{greatest}");
}

#[test]
fn a_drop_without_gravity_stays() {
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.05).with_gravity(Vec3::ZERO)).unwrap();
    let mut points = block([10, 10, 10], 0.1, Vec3::splat(-0.5));
    points.retain(|p| p.length() < 0.45);
    solver.add_liquid(&Liquid::default(), &points).unwrap();
    for _ in 0..60 {
        solver.step(DT).unwrap();
    }
    let moved = positions(&solver).iter().zip(&points).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    println!("{} particles, moved {moved}", points.len());
    assert!(moved < 0.001);
}

/// Two drops meet. Nothing else acts.
#[test]
fn momentum_is_kept_to_rounding() {
    let settings = ParticleSettings::new(0.05).with_gravity(Vec3::ZERO);
    let mut solver = ParticleSolver::new(settings).unwrap();
    let liquid = Liquid::default().with_viscosity(0.01).with_cohesion(2.0);
    let heavy = liquid.with_density(3000.0);
    let a = solver.add_liquid(&liquid, &block([6, 6, 6], 0.1, Vec3::ZERO)).unwrap();
    let b = solver.add_liquid(&heavy, &block([6, 6, 6], 0.1, Vec3::new(0.7, 0.2, 0.1))).unwrap();
    for id in a {
        solver.set_particle(id, solver.position(id).unwrap(), Vec3::X * 2.0).unwrap();
    }
    for id in b {
        solver.set_particle(id, solver.position(id).unwrap(), Vec3::X * -2.0).unwrap();
    }
    let momentum = |solver: &ParticleSolver| {
        let (mut sum, mut size) = (Vec3::ZERO.as_dvec3(), 0.0);
        for (id, v) in (0..).zip(velocities(solver)) {
            let mass = 1.0 / f64::from(solver.inverse_mass(id).unwrap());
            sum += v.as_dvec3() * mass;
            size += f64::from(v.length()) * mass;
        }
        (sum, size)
    };
    let (before, size) = momentum(&solver);
    for _ in 0..100 {
        solver.step(DT).unwrap();
    }
    let (after, _) = momentum(&solver);
    let drift = (after - before).length();
    // Positions below 4 are rounded, and read as velocities. Each of n does so in 400 substeps, at
    // random.
    let n = solver.n_particles() as f64;
    let bound = f64::from(f32::EPSILON) * 4.0 * 240.0 * 3.0 * (n * 400.0).sqrt();
    println!("drift {drift:e}, bound {bound:e}, sum of sizes {size}");
    assert!(drift < bound, "{drift}");
    // It was a collision: what was fast is no more.
    assert!(velocities(&solver)[100].x < 1.0);
}

/// A shear whose speed is a cosine across a block decays by exp(-nu k^2 t): no stress acts on the
/// faces of the block. Particles there have fewer neighbours, so it is a little slower.
#[test]
fn viscosity_slows_a_shear_as_in_closed_form() {
    let (viscosity, height) = (0.02_f32, 1.0);
    let settings = ParticleSettings::new(0.05).with_gravity(Vec3::ZERO).with_smoothing(0.0);
    let mut solver = ParticleSolver::new(settings).unwrap();
    let liquid = Liquid::default().with_viscosity(viscosity);
    solver.add_liquid(&liquid, &block([8, 10, 8], 0.1, Vec3::ZERO)).unwrap();
    let wave = |y: f32| (core::f32::consts::PI * y / height).cos();
    for (id, position) in (0..).zip(positions(&solver)) {
        solver.set_particle(id, position, Vec3::X * (0.001 * wave(position.y))).unwrap();
    }
    let amplitude = |solver: &ParticleSolver| -> f32 {
        let all = positions(solver).into_iter().zip(velocities(solver));
        all.map(|(position, v)| v.x * wave(position.y)).sum()
    };
    let before = amplitude(&solver);
    for _ in 0..120 {
        solver.step(DT).unwrap();
    }
    let k = core::f32::consts::PI / height;
    let (left, wanted) = (amplitude(&solver) / before, (-viscosity * k * k * 2.0).exp());
    println!("{left} of the shear is left, {wanted} in closed form");
    assert!((left.ln() / wanted.ln() - 1.0).abs() < 0.15, "{left} {wanted}");
}

#[test]
fn cohesion_makes_a_cube_round() {
    let run = |cohesion: f32| {
        let settings = ParticleSettings::new(0.05).with_gravity(Vec3::ZERO).with_smoothing(0.2);
        let mut solver = ParticleSolver::new(settings).unwrap();
        let liquid = Liquid::default().with_cohesion(cohesion);
        solver.add_liquid(&liquid, &block([7, 7, 7], 0.1, Vec3::splat(-0.35))).unwrap();
        for _ in 0..120 {
            solver.step(DT).unwrap();
        }
        let volume = 0.343 * 3.0 / (4.0 * core::f32::consts::PI);
        let farthest = positions(&solver).iter().map(|p| p.length()).fold(0.0, f32::max);
        farthest / volume.cbrt()
    };
    let (without, with) = (run(0.0), run(20.0));
    println!("farthest, in radii of a ball: {without} without, {with} with");
    assert!(1.15 < without && with < 1.05, "{without} {with}");
}

/// A whirl in a box.
#[test]
fn confinement_keeps_whirls_up() {
    let run = |vorticity: f32| {
        let mut solver = ParticleSolver::new(ParticleSettings::new(0.05)).unwrap();
        let liquid = Liquid::default().with_vorticity(vorticity);
        solver.add_liquid(&liquid, &block([10, 4, 10], 0.1, Vec3::ZERO)).unwrap();
        add_tank(&mut solver, 1.0, 1.0, &Surface::default());
        let whirl = |position: Vec3| Vec3::Y.cross(position - Vec3::new(0.5, position.y, 0.5)) * 2.0;
        for (id, position) in (0..).zip(positions(&solver)) {
            solver.set_particle(id, position, whirl(position)).unwrap();
        }
        for _ in 0..60 {
            solver.step(DT).unwrap();
        }
        velocities(&solver).iter().map(|v| v.length_squared()).sum::<f32>()
    };
    let (without, with) = (run(0.0), run(3.0));
    println!("energy {without} without, {with} with");
    assert!(1.1 * without < with && with < 10.0 * without, "{without} {with}");
}

/// Alone, a particle of gas rises by lift against drag. Among water, gas comes up.
#[test]
fn gas_rises() {
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.05)).unwrap();
    let gas = Gas::default().with_lift(0.5).with_drag(2.0);
    solver.add_gas(&gas, &[Vec3::ZERO]).unwrap();
    for _ in 0..30 {
        solver.step(DT).unwrap();
    }
    let (speed, wanted) = (velocities(&solver)[0].y, 0.5 * 9.81 / 2.0 * (1.0 - (-1.0_f32).exp()));
    println!("{speed} after half a second, {wanted} in closed form");
    assert!((speed / wanted - 1.0).abs() < 0.01);

    let mut solver = ParticleSolver::new(ParticleSettings::new(0.05)).unwrap();
    let mut water = block([6, 8, 6], 0.1, Vec3::ZERO);
    let is_bubble = |p: &Vec3| p.distance(Vec3::new(0.3, 0.2, 0.3)) < 0.16;
    let bubble: Vec<Vec3> = water.iter().copied().filter(is_bubble).collect();
    water.retain(|p| !is_bubble(p));
    solver.add_liquid(&Liquid::default(), &water).unwrap();
    let ids = solver.add_gas(&Gas::default().with_lift(1.0), &bubble).unwrap();
    add_tank(&mut solver, 0.6, 0.6, &Surface::default());
    for _ in 0..90 {
        solver.step(DT).unwrap();
    }
    let mean = ids.clone().map(|id| solver.position(id).unwrap().y).sum::<f32>() / ids.len() as f32;
    println!("{} particles of gas, from 0.2 to {mean}", bubble.len());
    assert!(0.7 < mean, "{mean}");
}

/// A lighter liquid beside a heavier one ends above it.
#[test]
fn oil_comes_up_on_water() {
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.05)).unwrap();
    let oil = Liquid::default().with_density(500.0);
    let left = solver.add_liquid(&oil, &block([5, 5, 4], 0.1, Vec3::ZERO)).unwrap();
    let right = solver.add_liquid(&Liquid::default(), &block([5, 5, 4], 0.1, Vec3::X * 0.5)).unwrap();
    add_tank(&mut solver, 1.0, 0.4, &Surface::default());
    for _ in 0..180 {
        solver.step(DT).unwrap();
    }
    let mean = |ids: core::ops::Range<u32>| {
        ids.clone().map(|id| solver.position(id).unwrap().y).sum::<f32>() / ids.len() as f32
    };
    let (oil, water) = (mean(left), mean(right));
    println!("oil at {oil}, water at {water}");
    assert!(water + 0.1 < oil, "{oil} {water}");
}

/// Liquid that is held, such as frozen water, does not stop the rest: the other particles move, and
/// those that are held stay where they are.
#[test]
fn r_held_liquid_stays_and_the_rest_moves() {
    let settings = ParticleSettings::new(0.05);
    for is_all_held in [true, false] {
        for (spacing, has_walls) in [(1e-4, false), (0.08, true), (0.0, false)] {
            let mut solver = ParticleSolver::new(settings).unwrap();
            if has_walls {
                add_tank(&mut solver, 1.0, 1.0, &Surface::default());
            }
            let pressed = block([3, 3, 3], spacing, Vec3::splat(0.01));
            let ids = solver.add_liquid(&Liquid::default(), &pressed).unwrap();
            let n_held = if is_all_held { ids.len() } else { ids.len() - 1 };
            ids.clone().take(n_held).for_each(|id| solver.set_inverse_mass(id, 0.0).unwrap());
            let drop = solver.add_liquid(&Liquid::default(), &[Vec3::new(0.5, 0.8, 0.5)]).unwrap().start;
            for _ in 0..10 {
                solver.step(DT).unwrap();
            }
            for (id, position) in ids.clone().take(n_held).zip(&pressed) {
                assert_eq!(solver.position(id), Some(*position));
            }
            let fallen = 0.8 - solver.position(drop).unwrap().y;
            assert!((fallen - 0.5 * 9.81 * 100.0 * DT * DT).abs() < 0.02, "{fallen}");
            if !is_all_held {
                let free = ids.start + n_held as u32;
                assert!(solver.position(free).unwrap().distance(pressed[n_held]) > 0.01);
            }
        }
    }
}
