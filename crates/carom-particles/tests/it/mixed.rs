//! All kinds at once: the same bits on any number of threads, instruction set and from snapshots,
//! no allocation, and input that no scene has.

use crate::blocks::{add_tank, block, fastest, positions, velocities};
use carom_lanes::{Level, force_level};
use carom_math::{Mat3, Pose, Ray, Vec3};
use carom_particles::{
    BodyBoundary, ContactTarget, FieldBoundary, Gas, Grains, Liquid, ParticleError, ParticleEvent,
    ParticleSettings, ParticleSolver, Solid, SolidPass, Surface, Surroundings,
};
use carom_scenes::Rng;

const DT: f32 = 1.0 / 60.0;

fn rock(p: Vec3) -> (f32, Vec3) {
    let out = p - Vec3::new(0.3, 0.1, 0.3);
    (out.length() - 0.25, out.normalize_or(Vec3::Y))
}

fn ball(p: Vec3) -> (f32, Vec3) {
    (p.length() - 0.2, p.normalize_or(Vec3::Y))
}

/// A tank with everything in it: `n` along the longest side of each block.
fn everything(n: u32) -> ParticleSolver {
    let spacing = 0.05;
    let settings = ParticleSettings::new(spacing / 2.0).with_contacts(true);
    let mut solver = ParticleSolver::new(settings).unwrap();
    let above = |x: f32, y: f32| Vec3::new(x, y, 0.02);
    let water = Liquid::default().with_viscosity(0.001).with_cohesion(1.0).with_vorticity(0.5);
    solver.add_liquid(&water, &block([n, n, 8], spacing, above(0.02, 0.01))).unwrap();
    let far = 0.04 + n as f32 * spacing;
    solver.add_grains(&Grains::default(), &block([n / 2, n, 8], spacing, above(far, 0.0))).unwrap();
    let oil = Liquid::default().with_density(800.0);
    solver.add_liquid(&oil, &block([n / 2, 4, 4], spacing, above(far, 0.02 + n as f32 * spacing))).unwrap();
    solver.add_gas(&Gas::default(), &block([3, 3, 3], spacing, above(0.6, 0.02))).unwrap();
    let rope = block([10, 1, 1], spacing, Vec3::new(0.1, 0.1 + n as f32 * spacing, 0.2));
    let mut masses = [8.0; 10];
    masses[0] = 0.0;
    solver.add_solid(&Solid::default(), &rope, &masses).unwrap();
    add_tank(&mut solver, 2.5 * far, 0.5, &Surface::default());
    solver
}

/// Adds the kinds of [`everything`] in another order, and the particles of each kind too. Returns
/// for each particle there its number here.
fn everything_in_another_order(n: u32, seed: u64) -> (ParticleSolver, Vec<u32>) {
    let spacing = 0.05;
    let settings = ParticleSettings::new(spacing / 2.0).with_contacts(true);
    let mut solver = ParticleSolver::new(settings).unwrap();
    let above = |x: f32, y: f32| Vec3::new(x, y, 0.02);
    let far = 0.04 + n as f32 * spacing;
    let mut rng = Rng::new(seed);
    let mut numbers = [const { Vec::new() }; 5];
    let mut shuffled = |mut positions: Vec<Vec3>, order: &mut Vec<u32>| -> Vec<Vec3> {
        order.extend(0..positions.len() as u32);
        for i in (1..positions.len()).rev() {
            let j = rng.below(i + 1);
            positions.swap(i, j);
            order.swap(i, j);
        }
        positions
    };
    let rope = block([10, 1, 1], spacing, Vec3::new(0.1, 0.1 + n as f32 * spacing, 0.2));
    let mut masses = [8.0; 10];
    masses[0] = 0.0;
    let ropes = solver.add_solid(&Solid::default(), &rope, &masses).unwrap();
    numbers[4] = ropes.ids.collect();
    let mut add =
        |kind: usize, positions: Vec<Vec3>, add: &mut dyn FnMut(&[Vec3]) -> core::ops::Range<u32>| {
            let mut order = Vec::new();
            let ids = add(&shuffled(positions, &mut order));
            numbers[kind].resize(order.len(), 0);
            order.iter().zip(ids).for_each(|(&from, id)| numbers[kind][from as usize] = id);
        };
    let gas = block([3, 3, 3], spacing, above(0.6, 0.02));
    add(3, gas, &mut |positions| solver.add_gas(&Gas::default(), positions).unwrap());
    let oil = block([n / 2, 4, 4], spacing, above(far, 0.02 + n as f32 * spacing));
    let light = Liquid::default().with_density(800.0);
    add(2, oil, &mut |positions| solver.add_liquid(&light, positions).unwrap());
    let grains = block([n / 2, n, 8], spacing, above(far, 0.0));
    add(1, grains, &mut |positions| solver.add_grains(&Grains::default(), positions).unwrap());
    let water = block([n, n, 8], spacing, above(0.02, 0.01));
    let liquid = Liquid::default().with_viscosity(0.001).with_cohesion(1.0).with_vorticity(0.5);
    add(0, water, &mut |positions| solver.add_liquid(&liquid, positions).unwrap());
    add_tank(&mut solver, 2.5 * far, 0.5, &Surface::default());
    (solver, numbers.concat())
}

/// Keeps a rope together, link by link.
fn links(pass: &mut SolidPass<'_>) {
    for i in 1..pass.positions.len() {
        let [a, b] = [pass.positions[i - 1], pass.positions[i]];
        let [u, v] = [pass.inverse_masses[i - 1], pass.inverse_masses[i]];
        let offset = (b - a) * (1.0 - 0.05 / b.distance(a).max(1e-6)) / (u + v);
        pass.positions[i - 1] += offset * u;
        pass.positions[i] -= offset * v;
    }
}

/// Makes steps among a rock and a ball, which is pushed.
fn run(solver: &mut ParticleSolver, center: &mut Vec3, velocity: &mut Vec3, n_steps: u32) {
    for _ in 0..n_steps {
        let mut bodies = [BodyBoundary {
            inverse_mass: 0.1,
            inverse_inertia: Mat3::IDENTITY,
            linear_velocity: *velocity,
            ..BodyBoundary::fixed(&ball, Pose::from_translation(*center))
        }];
        let fields = [FieldBoundary { distance: &rock, surface: Surface::default() }];
        let mut surroundings = Surroundings {
            fields: &fields,
            bodies: &mut bodies,
            constraints: Some(&mut links),
            ..Surroundings::default()
        };
        solver.step_in(DT, &mut surroundings).unwrap();
        *velocity += bodies[0].impulse * 0.1 - Vec3::Y * (9.81 * DT);
        *center += *velocity * DT;
    }
}

fn after(mut solver: ParticleSolver, n_steps: u32) -> ParticleSolver {
    let (mut center, mut velocity) = (Vec3::new(0.8, 1.0, 0.3), Vec3::ZERO);
    run(&mut solver, &mut center, &mut velocity, n_steps);
    solver
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let n_steps = if std::env::var_os("CAROM_SLOW").is_some() { 200 } else { 2 };
    let with = |n_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        pool.install(|| after(everything(32), n_steps).save())
    };
    let one = with(1);
    assert!(12_000 * 36 < one.len(), "{}", one.len());
    assert!(with(2) == one && with(7) == one);
}

/// Sums run in an order by place, so it does not matter which particle was added first.
#[test]
fn any_order_of_insertion_gives_the_same() {
    let bits = |v: Vec3| v.to_array().map(f32::to_bits);
    let n_steps = if std::env::var_os("CAROM_SLOW").is_some() { 400 } else { 100 };
    let one = after(everything(8), n_steps);
    let [points, speeds] = [positions(&one), velocities(&one)];
    for seed in 0..2 {
        let (other, numbers) = everything_in_another_order(8, seed);
        let other = after(other, n_steps);
        let [other_places, other_speeds] = [positions(&other), velocities(&other)];
        assert_eq!(numbers.len(), points.len());
        let n_moved = (0..).zip(&numbers).filter(|&(id, &number)| id != number).count();
        assert!(points.len() / 2 < n_moved, "the order is another one");
        for (id, &number) in numbers.iter().enumerate() {
            let number = number as usize;
            assert_eq!(bits(points[id]), bits(other_places[number]), "{id}");
            assert_eq!(bits(speeds[id]), bits(other_speeds[number]), "{id}");
        }
    }
}

/// Particles that are alike in all but their numbers part. The order of insertion decides the
/// particle at each position, but not the set of positions.
#[test]
fn coincident_particles_separate_to_the_same_positions_in_any_order() {
    let run = |is_reversed: bool| {
        let settings = ParticleSettings::new(0.05).with_gravity(Vec3::ZERO);
        let mut solver = ParticleSolver::new(settings).unwrap();
        let mut points = block([3, 3, 3], 0.1, Vec3::ZERO);
        points.extend_from_slice(&points.clone()[10..16]);
        if is_reversed {
            points.reverse();
        }
        solver.add_liquid(&Liquid::default(), &points).unwrap();
        let grains = [Vec3::X, Vec3::X, Vec3::X * 1.05];
        solver.add_grains(&Grains::default(), &grains).unwrap();
        (0..30).for_each(|_| solver.step(DT).unwrap());
        let mut all: Vec<[u32; 3]> =
            positions(&solver).iter().map(|p| p.to_array().map(f32::to_bits)).collect();
        all.sort_unstable();
        all
    };
    let mut all = run(false);
    assert_eq!(all, run(true));
    all.dedup();
    assert_eq!(all.len(), 27 + 6 + 3, "all have parted");
}

#[test]
fn any_instruction_set_gives_the_same() {
    let wanted = after(everything(8), 12).save();
    for level in [Level::Generic, Level::Sse2, Level::Avx2, Level::Neon] {
        if force_level(Some(level)) {
            assert!(after(everything(8), 12).save() == wanted, "{level:?}");
        }
    }
    force_level(None);
}

#[test]
fn a_loaded_solver_goes_on_with_the_same_bits() {
    let (mut center, mut velocity) = (Vec3::new(0.8, 1.0, 0.3), Vec3::ZERO);
    let mut solver = everything(8);
    run(&mut solver, &mut center, &mut velocity, 20);
    let bytes = solver.save();
    let mut loaded = ParticleSolver::load(&bytes).unwrap();
    assert!(loaded.save() == bytes);
    let (mut other_center, mut other_velocity) = (center, velocity);
    run(&mut solver, &mut center, &mut velocity, 20);
    run(&mut loaded, &mut other_center, &mut other_velocity, 20);
    assert!(loaded.save() == solver.save());
    assert_eq!((loaded.events(), other_center), (solver.events(), center));
}

#[test]
fn bytes_that_are_no_snapshot_are_refused() {
    let bytes = after(everything(4), 2).save();
    for n in (0..bytes.len()).step_by(37).chain([0, 8, bytes.len() - 1]) {
        assert_eq!(ParticleSolver::load(&bytes[..n]).unwrap_err(), ParticleError::BadSnapshot);
    }
    assert!(ParticleSolver::load(&[&bytes[..], &[0]].concat()).is_err());
    // Any byte may be wrong. An accepted state can go on, or says that it cannot.
    let mut n_accepted = 0;
    for at in (0..bytes.len()).step_by(61) {
        let mut wrong = bytes.clone();
        wrong[at] ^= 0x81;
        if let Ok(mut solver) = ParticleSolver::load(&wrong) {
            n_accepted += 1;
            if solver.settings().substeps < 9 && solver.settings().iterations < 9 {
                let _ = solver.step(DT);
            }
        }
    }
    assert!(10 < n_accepted);
}

#[test]
fn warm_steps_do_not_allocate() {
    let all = || {
        let mut solver = everything(6);
        let (mut center, mut velocity) = (Vec3::new(0.8, 1.0, 0.3), Vec3::ZERO);
        // Memory grows with the number of pairs and contacts, which is largest in the splash.
        run(&mut solver, &mut center, &mut velocity, 150);
        let info = allocation_counter::measure(|| run(&mut solver, &mut center, &mut velocity, 10));
        assert_eq!(info.count_total, 0);
    };
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().unwrap().install(all);
}

/// A rope that is held at one end swings down, and hangs as long as it is. A held particle with a
/// velocity goes by it.
#[test]
fn constraints_hold_solids_together() {
    let settings = ParticleSettings::new(0.025).with_iterations(30);
    let mut solver = ParticleSolver::new(settings).unwrap();
    // Other kinds are sorted; the particles of solids keep their places.
    solver.add_grains(&Grains::default(), &[Vec3::ONE * 5.0, Vec3::ONE * 3.0]).unwrap();
    let points = block([10, 1, 1], 0.05, Vec3::ZERO);
    let mut masses = [8.0; 10];
    masses[0] = 0.0;
    let rope = solver.add_solid(&Solid::default(), &points, &masses).unwrap();
    assert_eq!((rope.ids.clone(), rope.indices.clone()), (2..12, 0..10));
    solver.set_particle(2, points[0], Vec3::Z * 0.05).unwrap();
    for _ in 0..600 {
        let mut surroundings = Surroundings { constraints: Some(&mut links), ..Surroundings::default() };
        solver.step_in(DT, &mut surroundings).unwrap();
    }
    let all = &positions(&solver)[2..];
    let held = points[0] + Vec3::Z * 0.5;
    println!("held at {}, ends at {}", all[0], all[9]);
    assert!(all[0].distance(held) < 1e-4, "{}", all[0]);
    assert!((all[9].distance(all[0]) / 0.45 - 1.0).abs() < 0.02);
    for pair in all.windows(2) {
        assert!((pair[0].distance(pair[1]) / 0.05 - 1.0).abs() < 0.02);
    }
}

#[test]
fn contacts_and_events_say_what_touched_what() {
    let settings = ParticleSettings::new(0.05).with_contacts(true);
    let mut solver = ParticleSolver::new(settings).unwrap();
    solver.add_plane(Vec3::Y, 0.0, &Surface::default()).unwrap();
    let low = solver.add_grains(&Grains::default(), &[Vec3::new(0.0, 0.05, 0.0)]).unwrap().start;
    let high = solver.add_grains(&Grains::default(), &[Vec3::new(0.0, 0.4, 0.0)]).unwrap().start;
    solver.step(DT).unwrap();
    let [contact] = solver.contacts() else { panic!("{:?}", solver.contacts()) };
    assert_eq!((contact.particle, contact.touched, contact.normal), (low, ContactTarget::Plane(0), Vec3::Y));
    assert!(contact.point.length() < 1e-6, "{}", contact.point);
    // The speed that gravity gave the grain in the step.
    let wanted = 9.81 * DT / solver.inverse_mass(low).unwrap();
    assert!((contact.impulse / wanted - 1.0).abs() < 1e-3, "{}", contact.impulse);
    assert_eq!(solver.events(), [ParticleEvent::Began(low, ContactTarget::Plane(0))]);
    let mut n_steps = 0;
    let both = loop {
        solver.step(DT).unwrap();
        n_steps += 1;
        if !solver.events().is_empty() {
            break solver.events().to_vec();
        }
        assert!(n_steps < 60);
    };
    assert_eq!(both, [ParticleEvent::Began(low, ContactTarget::Particle(high))]);
    assert!(10 < n_steps);
    // Taken away again.
    solver.set_particle(high, Vec3::Y * 9.0, Vec3::ZERO).unwrap();
    solver.step(DT).unwrap();
    assert_eq!(solver.events(), [ParticleEvent::Ended(low, ContactTarget::Particle(high))]);
}

#[test]
fn rays_meet_the_first_particle() {
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.5)).unwrap();
    solver.add_liquid(&Liquid::default(), &[Vec3::X * 9.0, Vec3::X * 4.0, Vec3::ONE * 20.0]).unwrap();
    let hit = solver.cast_ray(&Ray::new(Vec3::ZERO, Vec3::X * 2.0), 10.0).unwrap();
    assert_eq!((hit.particle, hit.t, hit.point), (1, 1.75, Vec3::X * 3.5));
    assert_eq!(solver.cast_ray(&Ray::new(Vec3::ZERO, Vec3::X * 2.0), 1.7), None);
    assert_eq!(solver.cast_ray(&Ray::new(Vec3::ZERO, Vec3::NEG_X), 100.0), None);
    let inside = solver.cast_ray(&Ray::new(Vec3::X * 4.1, Vec3::X), 10.0).unwrap();
    assert_eq!((inside.particle, inside.t), (1, 0.0));
    for bad in [Vec3::ZERO, Vec3::NAN, Vec3::INFINITY] {
        assert_eq!(solver.cast_ray(&Ray::new(Vec3::ZERO, bad), 10.0), None);
    }
}

/// All at one place, two at one place, one at 1e30.
#[test]
fn hostile_positions_end_in_an_error_or_in_order() {
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.05)).unwrap();
    solver.add_liquid(&Liquid::default(), &vec![Vec3::ONE; 20_000]).unwrap();
    let error = solver.step(DT).unwrap_err();
    assert!(matches!(error, ParticleError::TooDense { .. }), "{error}");
    assert!(solver.compression().is_err());
    assert!(positions(&solver).iter().all(|&p| p == Vec3::ONE));
    assert!(velocities(&solver).iter().all(|&v| v == Vec3::ZERO));

    for kind in 0..2 {
        let settings = ParticleSettings::new(0.05).with_gravity(Vec3::ZERO);
        let mut solver = ParticleSolver::new(settings).unwrap();
        let points = vec![Vec3::ONE; 40];
        if kind == 0 {
            solver.add_liquid(&Liquid::default(), &points).unwrap();
        } else {
            solver.add_grains(&Grains::default(), &points).unwrap();
        }
        for _ in 0..30 {
            solver.step(DT).unwrap();
        }
        let points = positions(&solver);
        let mut nearest = f32::INFINITY;
        for (i, a) in points.iter().enumerate() {
            nearest = points[..i].iter().map(|b| a.distance(*b)).fold(nearest, f32::min);
        }
        println!("kind {kind}: nearest {nearest}, fastest {}", fastest(&solver));
        assert!(0.05 < nearest, "{nearest}");
    }

    let mut solver = ParticleSolver::new(ParticleSettings::new(0.05)).unwrap();
    let far = [Vec3::splat(1e30), Vec3::ZERO, Vec3::X * 0.1, Vec3::splat(-1e30), Vec3::X * 3e38];
    solver.add_liquid(&Liquid::default(), &far).unwrap();
    solver.add_plane(Vec3::Y, -9.0, &Surface::default()).unwrap();
    solver.step(DT).unwrap();
    assert!(positions(&solver)[1].y < 0.0);
    solver.set_particle(4, Vec3::X * 3e38, Vec3::X * 3e38).unwrap();
    let before = positions(&solver);
    for _ in 0..9 {
        let _ = solver.step(1.0);
    }
    solver.set_particle(4, Vec3::X * f32::MAX, Vec3::X * f32::MAX).unwrap();
    let error = solver.step(1.0).unwrap_err();
    assert_eq!(error, ParticleError::Exploded { particle: 4 });
    assert_eq!(before.len(), solver.n_particles());
}

/// An accepted state can be saved and loaded: no number in a solver is beyond `f32`.
#[test]
fn numbers_that_overflow_are_refused() {
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.05)).unwrap();
    // It is not finite if the normal is made a unit vector.
    let plane = solver.add_plane(Vec3::Y * 0.995, f32::MAX, &Surface::default());
    assert_eq!(plane, Err(ParticleError::BadPlane));
    let grains = [Vec3::ZERO, Vec3::X * 0.05];
    solver.add_grains(&Grains::default(), &grains).unwrap();
    // Grains that part, in no time.
    assert_eq!(solver.step(1e-39), Err(ParticleError::Exploded { particle: 0 }));
    assert_eq!(positions(&solver), grains);
    // A body whose spin overflows when the grain pushes it.
    let mut bodies = [BodyBoundary {
        inverse_mass: 1.0,
        inverse_inertia: Mat3::IDENTITY * 1e38,
        angular_velocity: Vec3::splat(1e38),
        ..BodyBoundary::fixed(&ball, Pose::from_translation(Vec3::new(0.05, 0.2, 0.02)))
    }];
    let mut surroundings = Surroundings { bodies: &mut bodies, ..Surroundings::default() };
    let refused = solver.step_in(DT, &mut surroundings);
    assert_eq!(refused, Err(ParticleError::BadBody { body: 0 }));
    assert_eq!((bodies[0].impulse, positions(&solver)), (Vec3::ZERO, grains.to_vec()));
    assert!(ParticleSolver::load(&solver.save()).is_ok());
}

#[test]
fn what_cannot_be_is_refused_and_changes_nothing() {
    for (radius, name) in [(0.0, "radius"), (-1.0, "radius"), (f32::NAN, "radius"), (1e30, "radius")] {
        let refused = ParticleSolver::new(ParticleSettings::new(radius)).unwrap_err();
        assert!(matches!(refused, ParticleError::BadSetting { name: n, .. } if n == name));
    }
    let good = ParticleSettings::new(0.1);
    let bad = [
        (good.with_substeps(0), "substeps"),
        (good.with_iterations(257), "iterations"),
        (good.with_relaxation(2.0), "relaxation"),
        (good.with_relaxation(f32::NAN), "relaxation"),
        (good.with_smoothing(0.6), "smoothing"),
        (good.with_gravity(Vec3::NAN), "gravity"),
        (good.with_sleep_speed(-1.0), "sleep_speed"),
    ];
    let mut solver = ParticleSolver::new(good).unwrap();
    for (settings, wanted) in bad {
        let refused = solver.set_settings(settings).unwrap_err();
        assert!(matches!(refused, ParticleError::BadSetting { name, .. } if name == wanted), "{refused}");
    }
    assert!(solver.set_settings(ParticleSettings::new(0.2)).is_err());
    let points = [Vec3::ZERO, Vec3::X, Vec3::new(0.0, f32::NAN, 0.0)];
    let bad = Err(ParticleError::BadParticle { particle: 2 });
    assert_eq!(solver.add_liquid(&Liquid::default(), &points), bad);
    for density in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(solver.add_liquid(&Liquid::default().with_density(density), &points[..1]).is_err());
    }
    assert!(solver.add_grains(&Grains::default().with_friction(-0.1), &points[..1]).is_err());
    let solid = |solver: &mut ParticleSolver, masses: &[f32]| {
        solver.add_solid(&Solid::default(), &points[..2], masses).unwrap_err()
    };
    assert_eq!(solid(&mut solver, &[1.0]), ParticleError::WrongCount { expected: 2, given: 1 });
    assert_eq!(solid(&mut solver, &[1.0, -1.0]), ParticleError::BadMass { particle: 1 });
    assert_eq!(solver.add_plane(Vec3::Y * 1.1, 0.0, &Surface::default()), Err(ParticleError::BadPlane));
    assert_eq!(solver.n_particles(), 0);
    assert_eq!(
        solver.set_particle(0, Vec3::ZERO, Vec3::ZERO),
        Err(ParticleError::BadParticle { particle: 0 })
    );
    solver.add_liquid(&Liquid::default(), &points[..2]).unwrap();
    for dt in [-1.0, f32::NAN, f32::INFINITY] {
        assert!(matches!(solver.step(dt), Err(ParticleError::BadTimeStep { .. })));
    }
    let nowhere = Pose::from_translation(Vec3::NAN);
    let mut bodies = [BodyBoundary::fixed(&ball, Pose::IDENTITY), BodyBoundary::fixed(&ball, nowhere)];
    let mut surroundings = Surroundings { bodies: &mut bodies, ..Surroundings::default() };
    assert_eq!(solver.step_in(DT, &mut surroundings), Err(ParticleError::BadBody { body: 1 }));
    solver.step(0.0).unwrap();
    assert_eq!(positions(&solver), points[..2]);
    // A distance that is not a number is no surface.
    let nan = |_: Vec3| (f32::NAN, Vec3::NAN);
    let fields = [FieldBoundary { distance: &nan, surface: Surface::default() }];
    solver.step_in(DT, &mut Surroundings { fields: &fields, ..Surroundings::default() }).unwrap();
    assert!(positions(&solver)[0].y < 0.0);
}

/// A snapshot with a contact that cannot be is refused: of a particle that does not exist, with
/// numbers that are not finite, or out of order.
#[test]
fn r_contacts_of_a_wrong_snapshot_are_refused() {
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.05).with_contacts(true)).unwrap();
    solver.add_plane(Vec3::Y, 0.0, &Surface::default()).unwrap();
    solver.add_grains(&Grains::default(), &[Vec3::Y * 0.05, Vec3::new(1.0, 0.05, 0.0)]).unwrap();
    solver.step(DT).unwrap();
    assert_eq!(solver.contacts().len(), 2);
    let bytes = solver.save();
    let mut same = ParticleSolver::load(&bytes).unwrap();
    assert_eq!(same.contacts(), solver.contacts());
    same.remove_where(|particle| particle == 0).unwrap();
    assert_eq!(same.contacts().len(), 1);
    // A contact has 40 bytes: particle, kind and number of the other side, normal, impulse, point.
    let last = bytes.len() - 40;
    let word = |at: usize, word: u32| {
        let mut wrong = bytes.clone();
        wrong[at..at + 4].copy_from_slice(&word.to_le_bytes());
        wrong
    };
    let nan = f32::NAN.to_bits();
    let infinite = f32::INFINITY.to_bits();
    let mut all = vec![word(last, u32::MAX), word(last, 2), word(last, 0), word(last - 40, 1)];
    all.extend(
        [12, 16, 20, 24, 28, 32, 36].iter().flat_map(|at| [word(last + at, nan), word(last + at, infinite)]),
    );
    all.push(word(last + 24, (-1.0_f32).to_bits()));
    // Two particles: the other one does not exist, or comes first, or is the same.
    for other in [u32::MAX, 2, 0, 1] {
        let mut wrong = word(last + 4, 3);
        wrong[last + 8..last + 12].copy_from_slice(&other.to_le_bytes());
        all.push(wrong);
    }
    for (k, wrong) in all.iter().enumerate() {
        assert_eq!(ParticleSolver::load(wrong).unwrap_err(), ParticleError::BadSnapshot, "{k}");
    }
}
