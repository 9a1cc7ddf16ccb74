//! Liquids against closed forms.

use crate::blocks::{add_tank, block, fastest, positions, velocities};
use carom_math::Vec3;
use carom_particles::{Liquid, ParticleSettings, ParticleSolver, Surface};

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
        for (place, density) in positions(&solver).iter().zip(&densities) {
            let is_inside = (place.x - 0.15).abs() < 0.09 && (place.z - 0.15).abs() < 0.09;
            let layer = (place.y - 0.1) / 0.2;
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

/// The front of a column twice as high as wide, in base widths, by times in units of the square root
/// of a / 2 g: measured by Martin and Moyce, An Experimental Study of the Collapse of Liquid Columns
/// on a Rigid Horizontal Plane, 1952, figure 3, a = 1.125 inches.
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
    let mut places = block([10, 10, 10], 0.1, Vec3::splat(-0.5));
    places.retain(|p| p.length() < 0.45);
    solver.add_liquid(&Liquid::default(), &places).unwrap();
    for _ in 0..60 {
        solver.step(DT).unwrap();
    }
    let moved = positions(&solver).iter().zip(&places).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    println!("{} particles, moved {moved}", places.len());
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
