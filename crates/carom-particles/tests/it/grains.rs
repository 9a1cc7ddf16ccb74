//! Grains: friction on slopes, heaps, momentum.

use crate::blocks::{block, fastest, positions, velocities};
use carom_math::{Mat3, Pose, Ray, Vec3};
use carom_particles::{
    BodyBoundary, FieldBoundary, Grains, Liquid, ParticleError, ParticleSettings, ParticleSolver, Solid,
    Surface, Surroundings,
};

const DT: f32 = 1.0 / 60.0;

/// How far one grain slides on a slope in a second.
fn slide(slope: f32, friction: f32) -> f32 {
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.05)).unwrap();
    let normal = Vec3::new(slope.sin(), slope.cos(), 0.0);
    solver.add_plane(normal, 0.0, &Surface::default().with_friction(friction)).unwrap();
    let grain = Grains::default().with_friction(friction);
    solver.add_grains(&grain, &[normal * 0.05]).unwrap();
    for _ in 0..60 {
        solver.step(DT).unwrap();
    }
    (positions(&solver)[0] - normal * 0.05).length()
}

#[test]
fn a_grain_slides_above_the_angle_of_friction_and_not_below() {
    for friction in [0.2_f32, 0.5, 1.0] {
        let angle = friction.atan();
        let below = slide(0.97 * angle, friction);
        let steep = 1.1 * angle;
        let above = slide(steep, friction);
        let closed_form = 0.5 * 9.81 * (steep.sin() - friction * steep.cos());
        println!("friction {friction}: {below} below, {above} above, {closed_form} in closed form");
        assert!(below < 1e-4, "{below}");
        // Substeps are ahead by half of one.
        assert!((above / closed_form - 1.0).abs() < 0.02, "{above} {closed_form}");
    }
}

/// A block of grains that are held together by nothing but gravity lies on a slope.
#[test]
fn a_layer_slides_above_the_angle_of_friction_and_not_below() {
    let run = |slope: f32| {
        let mut solver = ParticleSolver::new(ParticleSettings::new(0.05)).unwrap();
        let normal = Vec3::new(slope.sin(), slope.cos(), 0.0);
        let along = Vec3::new(slope.cos(), -slope.sin(), 0.0);
        solver.add_plane(normal, 0.0, &Surface::default().with_friction(0.5)).unwrap();
        let mut points = block([8, 1, 8], 0.1, Vec3::ZERO);
        points.iter_mut().for_each(|p| *p = along * p.x + normal * 0.05 + Vec3::Z * p.z);
        solver.add_grains(&Grains::default().with_friction(0.5), &points).unwrap();
        for _ in 0..60 {
            solver.step(DT).unwrap();
        }
        let mean: Vec3 = positions(&solver).iter().zip(&points).map(|(a, b)| *a - *b).sum();
        mean.dot(along) / points.len() as f32
    };
    let (below, above) = (run(0.95 * 0.5_f32.atan()), run(1.15 * 0.5_f32.atan()));
    println!("{below} below, {above} above");
    assert!(below < 0.005 && 0.2 < above, "{below} {above}");
}

/// Grains are poured onto a rough floor. Returns the angle of the heap, in degrees.
fn heap(friction: f32) -> f32 {
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.05)).unwrap();
    solver.add_plane(Vec3::Y, 0.0, &Surface::default().with_friction(friction)).unwrap();
    solver.add_plane(Vec3::NEG_Z, -0.35, &Surface::default().with_friction(0.0)).unwrap();
    solver.add_plane(Vec3::Z, 0.0, &Surface::default().with_friction(0.0)).unwrap();
    // A column that collapses, between two smooth walls.
    let mut points = block([9, 18, 3], 0.103, Vec3::new(-0.46, 0.0, 0.02));
    for (i, position) in points.iter_mut().enumerate() {
        *position += Vec3::new((i * 7 % 5) as f32, 0.0, (i * 3 % 7) as f32) * 0.001;
    }
    solver.add_grains(&Grains::default().with_friction(friction), &points).unwrap();
    for _ in 0..180 {
        solver.step(DT).unwrap();
    }
    // The surface: the highest grain in each column of 0.15. The slope from the top down.
    let points = positions(&solver);
    let height = |from: f32| {
        let inside = points.iter().filter(|p| from <= p.x.abs() && p.x.abs() < from + 0.15);
        inside.map(|p| p.y).fold(0.0, f32::max)
    };
    let heights: Vec<f32> = (0..12).map(|i| height(0.15 * i as f32)).take_while(|&y| 0.1 < y).collect();
    println!("friction {friction}: heights {heights:?}, fastest {}", fastest(&solver));
    // Smooth grains are all gone.
    let n = heights.len().max(2) - 1;
    if heights.len() < 2 {
        return 0.0;
    }
    ((heights[0] - heights[n]) / (0.15 * n as f32)).atan().to_degrees()
}

#[test]
fn rough_grains_heap_up_and_smooth_ones_do_not() {
    let [smooth, rough, rougher] = [0.0, 0.4, 0.8].map(heap);
    println!("angles {smooth}, {rough}, {rougher} degrees");
    assert!(smooth < 5.0, "{smooth}");
    assert!(12.0 < rough && rough < 35.0, "{rough}");
    assert!(rough < rougher && rougher < 45.0, "{rougher}");
}

/// With a speed below which they sleep, grains end at rest, to the bit.
#[test]
fn a_heap_comes_to_rest() {
    let settings = ParticleSettings::new(0.05).with_sleep_speed(0.02);
    let mut solver = ParticleSolver::new(settings).unwrap();
    solver.add_plane(Vec3::Y, 0.0, &Surface::default()).unwrap();
    let mut points = block([4, 6, 4], 0.102, Vec3::ZERO);
    points.iter_mut().enumerate().for_each(|(i, p)| p.x += (i % 7) as f32 * 0.001);
    solver.add_grains(&Grains::default(), &points).unwrap();
    let mut n_steps = 0;
    while n_steps < 10 || 0.0 < fastest(&solver) {
        solver.step(DT).unwrap();
        n_steps += 1;
        assert!(n_steps < 900);
    }
    let before = positions(&solver);
    let top = before.iter().map(|p| p.y).fold(0.0, f32::max);
    println!("at rest after {n_steps} steps, {top} high");
    solver.step(DT).unwrap();
    assert_eq!(positions(&solver), before);
    assert!(0.2 < top);
}

#[test]
fn momentum_is_kept_to_rounding() {
    let settings = ParticleSettings::new(0.05).with_gravity(Vec3::ZERO);
    let mut solver = ParticleSolver::new(settings).unwrap();
    let a = solver.add_grains(&Grains::default(), &block([6, 6, 6], 0.1, Vec3::ZERO)).unwrap();
    let heavy = Grains::default().with_density(5000.0);
    solver.add_grains(&heavy, &block([5, 5, 5], 0.1, Vec3::new(0.7, 0.2, 0.1))).unwrap();
    for id in a {
        solver.set_particle(id, solver.position(id).unwrap(), Vec3::X * 2.0).unwrap();
    }
    let momentum = |solver: &ParticleSolver| {
        let mut sum = Vec3::ZERO.as_dvec3();
        for (id, v) in (0..).zip(velocities(solver)) {
            sum += v.as_dvec3() / f64::from(solver.inverse_mass(id).unwrap());
        }
        sum
    };
    let before = momentum(&solver);
    for _ in 0..100 {
        solver.step(DT).unwrap();
    }
    let drift = (momentum(&solver) - before).length();
    // As of liquids: rounded positions below 8, read as velocities.
    let n = solver.n_particles() as f64;
    let bound = f64::from(f32::EPSILON) * 8.0 * 240.0 * 5.0 * (n * 400.0).sqrt();
    println!("drift {drift:e}, bound {bound:e}, of {}", before.length());
    assert!(drift < bound, "{drift}");
    assert!(0.1 < velocities(&solver)[300].x);
}

/// Particles of a solid do not touch those that are near them at rest, and others do.
#[test]
fn solids_touch_themselves_unless_near_at_rest() {
    let settings = ParticleSettings::new(0.05).with_gravity(Vec3::ZERO);
    let run = |solid: &Solid, far: f32| {
        let mut solver = ParticleSolver::new(settings).unwrap();
        // Two at half of the distance of others. The third comes near to both afterwards.
        let points = [Vec3::ZERO, Vec3::X * 0.05, Vec3::X * far];
        let added = solver.add_solid(solid, &points, &[1.0; 3]).unwrap();
        solver.set_particle(added.ids.start + 2, Vec3::new(0.0, 0.06, 0.0), Vec3::ZERO).unwrap();
        solver.step(DT).unwrap();
        positions(&solver)
    };
    let apart = run(&Solid::default(), 1.0);
    assert!(0.09 < apart[2].distance(apart[0]), "{apart:?}");
    let near = run(&Solid::default().with_self_collision(false), 1.0);
    assert_eq!(near, [Vec3::ZERO, Vec3::X * 0.05, Vec3::Y * 0.06]);
    let filtered = run(&Solid::default(), 0.09);
    assert_eq!(filtered[2], Vec3::Y * 0.06);
}

/// A grain that falls from a height comes up to the square of the restitution times it, from a
/// plane and from a field, whichever of both is elastic. A slow grain stays down.
#[test]
fn grains_bounce_to_their_height() {
    let floor = |p: Vec3| (p.y, Vec3::Y);
    for (restitution, is_plane, is_surface) in [(0.5, true, false), (0.8, false, true), (1.0, true, true)] {
        let mut solver = ParticleSolver::new(ParticleSettings::new(0.05).with_substeps(16)).unwrap();
        let surface = Surface::default().with_restitution(if is_surface { restitution } else { 0.0 });
        let of_grain = if is_surface { 0.0 } else { restitution };
        let fields = [FieldBoundary { distance: &floor, surface }];
        if is_plane {
            solver.add_plane(Vec3::Y, 0.0, &surface).unwrap();
        }
        let fields = if is_plane { &[][..] } else { &fields[..] };
        let grain = Grains::default().with_restitution(of_grain);
        let height = 1.0;
        let id = solver.add_grains(&grain, &[Vec3::Y * (0.05 + height)]).unwrap().start;
        let (mut has_bounced, mut highest) = (false, 0.0_f32);
        for _ in 0..70 {
            solver.step_in(DT, &mut Surroundings { fields, ..Surroundings::default() }).unwrap();
            has_bounced |= 0.0 < solver.velocity(id).unwrap().y;
            if has_bounced {
                highest = highest.max(solver.position(id).unwrap().y - 0.05);
            }
        }
        let wanted = restitution * restitution * height;
        println!("restitution {restitution}: up to {highest}, wanted {wanted}");
        assert!((highest - wanted).abs() < 0.04 * height, "{highest} {wanted}");
        if restitution < 1.0 {
            for _ in 0..600 {
                solver.step_in(DT, &mut Surroundings { fields, ..Surroundings::default() }).unwrap();
            }
            let coordinate = solver.position(id).unwrap().y;
            assert!((coordinate - 0.05).abs() < 1e-3, "it rests: {coordinate}");
        }
    }
}

/// Two grains of unequal masses, and a grain and a body, meet on a line: momentum is kept, and they
/// part with the restitution times the speed at which they met.
#[test]
fn what_meets_parts_with_its_restitution() {
    let settings = ParticleSettings::new(0.05).with_gravity(Vec3::ZERO).with_contacts(true);
    for restitution in [0.3_f32, 1.0] {
        let mut solver = ParticleSolver::new(settings).unwrap();
        let grain = Grains::default().with_restitution(restitution).with_friction(0.0);
        let a = solver.add_grains(&grain, &[Vec3::ZERO]).unwrap().start;
        let heavy = grain.with_density(4800.0).with_restitution(0.0);
        let b = solver.add_grains(&heavy, &[Vec3::X * 0.3]).unwrap().start;
        solver.set_particle(a, Vec3::ZERO, Vec3::X * 2.0).unwrap();
        (0..30).for_each(|_| solver.step(DT).unwrap());
        let [u, v] = [a, b].map(|id| solver.velocity(id).unwrap().x);
        println!("restitution {restitution}: {u} and {v}");
        assert!((u + 3.0 * v - 2.0).abs() < 1e-4, "momentum of {u} and {v}");
        assert!((v - u - 2.0 * restitution).abs() < 1e-3, "{u} {v}");

        let mut solver = ParticleSolver::new(settings).unwrap();
        let id = solver.add_grains(&grain, &[Vec3::ZERO]).unwrap().start;
        solver.set_particle(id, Vec3::ZERO, Vec3::X * 2.0).unwrap();
        let ball = |p: Vec3| (p.length() - 0.2, p.normalize_or(Vec3::Y));
        let (mut position, mut velocity) = (Vec3::X * 0.5, Vec3::ZERO);
        for _ in 0..30 {
            let mut bodies = [BodyBoundary {
                inverse_mass: 0.2,
                inverse_inertia: Mat3::IDENTITY,
                linear_velocity: velocity,
                ..BodyBoundary::fixed(&ball, Pose::from_translation(position))
            }];
            let mut around = Surroundings { bodies: &mut bodies, ..Surroundings::default() };
            solver.step_in(DT, &mut around).unwrap();
            velocity += bodies[0].impulse * 0.2;
            position += velocity * DT;
            let listed: Vec3 = solver.body_impulses().iter().map(|impulse| impulse.impulse).sum();
            assert!((listed - bodies[0].impulse).length() < 1e-4);
        }
        let u = solver.velocity(id).unwrap().x;
        // 1.6 kg and 5 kg.
        println!("and with a body: {u} and {}", velocity.x);
        assert!((1.6 * u + 5.0 * velocity.x - 3.2).abs() < 1e-3);
        assert!((velocity.x - u - 2.0 * restitution).abs() < 2e-3);
    }
}

/// Gravel of three times the radius, in sand, in water: each rests at its own radius, momentum is
/// kept, and a snapshot goes on with the same bits.
#[test]
fn gravel_rests_in_sand() {
    let [fine, coarse] = [0.03, 0.09];
    let mut solver = ParticleSolver::new(ParticleSettings::new(fine).with_sleep_speed(0.02)).unwrap();
    solver.add_plane(Vec3::Y, 0.0, &Surface::default()).unwrap();
    for (normal, offset) in [(Vec3::X, 0.0), (Vec3::NEG_X, -0.54), (Vec3::Z, 0.0), (Vec3::NEG_Z, -0.54)] {
        solver.add_plane(normal, offset, &Surface::default()).unwrap();
    }
    let sand = solver.add_grains(&Grains::default(), &block([9, 3, 9], 2.0 * fine, Vec3::ZERO)).unwrap();
    let stones = Grains::default().with_density(2600.0).with_radius(coarse);
    let stones = solver.add_grains(&stones, &block([3, 1, 3], 2.0 * coarse, Vec3::Y * 0.2)).unwrap();
    let mass = 2600.0 * (2.0 * coarse).powi(3);
    assert!((solver.inverse_mass(stones.start).unwrap() * mass - 1.0).abs() < 1e-5);
    for _ in 0..240 {
        solver.step(DT).unwrap();
    }
    let mut other = ParticleSolver::load(&solver.save()).unwrap();
    for _ in 0..3 {
        solver.step(DT).unwrap();
        other.step(DT).unwrap();
    }
    assert!(other.save() == solver.save());
    let radius = |id: usize| if sand.contains(&(id as u32)) { fine } else { coarse };
    let (points, mut deepest) = (positions(&solver), 0.0_f32);
    for (i, a) in points.iter().enumerate() {
        assert!(0.95 * radius(i) < a.y && a.y < 0.5, "{i} {a}");
        for (j, b) in points[..i].iter().enumerate() {
            deepest = deepest.max((radius(i) + radius(j) - a.distance(*b)) / fine);
        }
    }
    // A stone has the mass of 44 grains below it, in four iterations.
    println!("deepest overlap {deepest} fine radii; fastest {}", fastest(&solver));
    assert!(deepest < 0.35, "{deepest}");
    assert!(fastest(&solver) < 0.1);
    // A ray from above meets the top of a stone.
    let stone = points[stones.start as usize];
    let hit = solver.cast_ray(&Ray::new(stone + Vec3::Y, Vec3::NEG_Y), 2.0).unwrap();
    assert_eq!(hit.particle, stones.start);
    assert!((hit.t - (1.0 - coarse)).abs() < 1e-5);

    // Water in between finds its neighbours too.
    let mut solver = ParticleSolver::new(ParticleSettings::new(fine).with_gravity(Vec3::ZERO)).unwrap();
    let water = block([6, 6, 6], 2.0 * fine, Vec3::ZERO);
    solver.add_liquid(&Liquid::default(), &water).unwrap();
    let mut one = Vec::new();
    solver.collect_densities(&mut one).unwrap();
    let stone = Grains::default().with_radius(coarse);
    let stone = solver.add_grains(&stone, &[Vec3::new(0.18, 0.18, -0.3)]).unwrap().start;
    let mut with_stone = Vec::new();
    solver.collect_densities(&mut with_stone).unwrap();
    let differ = one.iter().zip(&with_stone).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(differ < 1e-6, "{differ}");
    solver.set_particle(stone, Vec3::new(0.18, 0.18, -0.3), Vec3::Z * 2.0).unwrap();
    let momentum = |solver: &ParticleSolver| -> f32 {
        let all = (0..).zip(velocities(solver));
        all.map(|(id, v)| v.z / solver.inverse_mass(id).unwrap()).sum()
    };
    let before = momentum(&solver);
    (0..40).for_each(|_| solver.step(DT).unwrap());
    let after = momentum(&solver);
    let speed = solver.velocity(stone).unwrap().z;
    println!("momentum {before} and {after}; the stone has {speed} m/s of 2");
    assert!((after / before - 1.0).abs() < 1e-4 && speed < 1.9);

    for radius in [0.0, -1.0, f32::NAN, fine / 9.0, fine * 9.0] {
        let refused = solver.add_grains(&Grains::default().with_radius(radius), &[]);
        assert!(matches!(refused, Err(ParticleError::BadSetting { .. })), "{radius} {refused:?}");
    }
    for restitution in [-0.1, 1.1, f32::NAN] {
        let grains = Grains::default().with_restitution(restitution);
        let name = "restitution";
        let refused = solver.add_grains(&grains, &[]).unwrap_err();
        assert!(matches!(refused, ParticleError::BadSetting { name: of, .. } if of == name));
        let surface = Surface::default().with_restitution(restitution);
        assert!(solver.add_plane(Vec3::Y, 0.0, &surface).is_err());
    }
}
