//! A bounce leaves the energy that its restitution says: heights after many bounces.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, ball, cuboid, energy, ground};
use carom_geom::{Capsule, HalfSpace};
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;
use carom_testkit::random::Random;
use carom_world::{BodyDesc, BodyId, SolverSettings, World, WorldSettings};

/// A world without sleep.
fn world(solver: SolverSettings) -> World {
    World::with_settings(WorldSettings::default().with_solver(solver.with_sleep(false)))
}

/// A floor of this restitution, and a body that falls onto it from `height` above its place of
/// rest.
fn drop_of(shape: Shape, rest: f32, height: f32, restitution: f32) -> (World, BodyId) {
    let mut world = world(SolverSettings::default());
    world.insert(ground().with_restitution(restitution)).unwrap();
    let at = Vec3::new(0.0, rest + height, 0.0);
    let body = world.insert(of_unit_density(shape).with_position(at)).unwrap();
    (world, body)
}

/// The greatest heights above `rest` after each of `n` bounces.
fn tops(world: &mut World, body: BodyId, rest: f32, dt: f32, n: usize) -> Vec<f32> {
    let mut tops = Vec::new();
    let (mut top, mut was_rising) = (0.0_f32, false);
    for _ in 0..(300.0 / dt) as usize {
        world.checked_step(dt).unwrap();
        let y = world.body(body).unwrap().position().y - rest;
        let rises = 0.0 < world.body(body).unwrap().linear_velocity().y;
        top = if rises && !was_rising { y } else { top.max(y) };
        if was_rising && !rises {
            tops.push(top);
        }
        if tops.len() == n {
            break;
        }
        was_rising = rises;
    }
    tops
}

/// Asserts that `n` bounces return to within `part` of the height that is due, and not above.
fn assert_tops(name: &str, tops: &[f32], (n, height, restitution): (usize, f32, f32), part: f32) {
    let last = tops.last().copied().unwrap_or(0.0);
    println!("{name}: {} of {n} bounces, from {height} to {last:.4}", tops.len());
    assert_eq!(tops.len(), n, "{name}");
    for (k, top) in tops.iter().enumerate() {
        let due = height * restitution.powi(2 * (k as i32 + 1));
        let is_right = (1.0 - part) * due <= *top && *top <= due * 1.001 + 1e-4;
        assert!(is_right, "{name}, bounce {}: {top} of {due}", k + 1);
    }
}

#[test]
fn a_perfect_ball_returns_to_its_height() {
    for height in [5.0, 1.0] {
        let (mut world, body) = drop_of(ball(0.5), 0.5, height, 1.0);
        let tops = tops(&mut world, body, 0.5, DT, 30);
        assert_tops("ball", &tops, (30, height, 1.0), 0.01);
    }
}

#[test]
fn a_height_after_bounces_follows_the_restitution() {
    for (restitution, n) in [(0.9, 12), (0.7, 6), (0.5, 4), (0.3, 2)] {
        for height in [5.0, 1.7] {
            let (mut world, body) = drop_of(ball(0.25), 0.25, height, restitution);
            let tops = tops(&mut world, body, 0.25, DT, n);
            assert_tops(&format!("restitution {restitution}"), &tops, (n, height, restitution), 0.03);
        }
    }
}

/// A ball that falls by 5 cm meets the floor at 1 m/s.
#[test]
fn bodies_slower_than_the_threshold_do_not_bounce() {
    for (threshold, bounces) in [(0.2, true), (0.9, true), (1.1, false), (5.0, false)] {
        let (mut world, body) = drop_of(ball(0.25), 0.25, 0.05, 0.8);
        let solver = world.settings().solver.with_restitution_threshold(threshold);
        world.set_settings(world.settings().with_solver(solver)).unwrap();
        let rises = (0..60).any(|_| {
            world.step(1.0 / 60.0).unwrap();
            0.3 < world.body(body).unwrap().linear_velocity().y
        });
        assert_eq!(rises, bounces, "{threshold}");
    }
}

#[test]
fn steps_of_any_length_keep_the_height() {
    for (dt, substeps) in
        [(1.0 / 30.0, 6), (1.0 / 30.0, 1), (DT, 1), (DT, 12), (1.0 / 144.0, 3), (1.0 / 240.0, 6)]
    {
        let (mut world, body) = drop_of(ball(0.5), 0.5, 2.0, 1.0);
        world.solver_settings_mut().substeps = substeps;
        let tops = tops(&mut world, body, 0.5, dt, 15);
        assert_tops(&format!("dt {dt}, {substeps} substeps"), &tops, (15, 2.0, 1.0), 0.01);
    }
}

#[test]
fn flat_and_long_bodies_keep_their_height() {
    let (mut world, body) = drop_of(cuboid(Vec3::new(0.5, 0.3, 0.4)), 0.3, 2.0, 1.0);
    assert_tops("box", &tops(&mut world, body, 0.3, DT, 15), (15, 2.0, 1.0), 0.01);
    let mut world = self::world(SolverSettings::default());
    world.insert(ground().with_restitution(1.0)).unwrap();
    let lying = Pose::new(Quat::from_rotation_z(0.5 * core::f32::consts::PI), Vec3::new(0.0, 2.3, 0.0));
    let capsule = of_unit_density(Shape::Capsule(Capsule::new(0.5, 0.3).unwrap())).with_pose(lying);
    let body = world.insert(capsule).unwrap();
    assert_tops("capsule", &tops(&mut world, body, 0.3, DT, 15), (15, 2.0, 1.0), 0.01);
}

/// The box is held by the floor, so that the ball alone is accelerated.
#[test]
fn a_ball_on_a_box_at_rest_keeps_its_height() {
    let mut world = self::world(SolverSettings::default());
    world.insert(ground()).unwrap();
    let block = of_unit_density(cuboid(Vec3::splat(1.0))).with_position(Vec3::new(0.0, 1.0, 0.0));
    world.insert(block.with_density(1e5)).unwrap();
    let at = Vec3::new(0.0, 4.25, 0.0);
    let body = world.insert(of_unit_density(ball(0.25)).with_position(at).with_restitution(1.0)).unwrap();
    assert_tops("on a box", &tops(&mut world, body, 2.25, DT, 20), (20, 2.0, 1.0), 0.02);
}

#[test]
fn other_gravity_and_other_units_keep_the_height() {
    for (gravity, unit) in [(1.62, 1.0), (98.1, 1.0), (981.0, 100.0), (9.81e-3, 1e-3)] {
        let solver =
            SolverSettings::default().with_gravity(Vec3::new(0.0, -gravity, 0.0)).with_length_unit(unit);
        let mut world = self::world(solver);
        world.insert(ground().with_restitution(1.0)).unwrap();
        let at = Vec3::new(0.0, 2.5 * unit, 0.0);
        let body = world.insert(of_unit_density(ball(0.5 * unit)).with_position(at)).unwrap();
        let tops: Vec<f32> =
            tops(&mut world, body, 0.5 * unit, DT, 15).iter().map(|top| top / unit).collect();
        assert_tops(&format!("gravity {gravity}"), &tops, (15, 2.0, 1.0), 0.02);
    }
}

/// A ball between a floor and a ceiling, with gravity, hits both. It is found up to a step late.
#[test]
fn a_ball_between_floor_and_ceiling_keeps_its_energy() {
    let mut world = self::world(SolverSettings::default());
    world.insert(ground().with_restitution(1.0)).unwrap();
    let ceiling = BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap()));
    let turn = Quat::from_rotation_x(core::f32::consts::PI);
    let turned = Pose::new(turn, Vec3::new(0.0, 3.0, 0.0));
    world.insert(ceiling.with_pose(turned).with_restitution(1.0)).unwrap();
    let desc = of_unit_density(ball(0.25)).with_position(Vec3::new(0.0, 1.0, 0.0));
    let thrown = desc.with_linear_velocity(Vec3::new(0.0, 12.0, 0.0));
    let body = world.insert(thrown).unwrap();
    let start = energy(&world);
    let (mut least, mut most) = (start, start);
    for _ in 0..3600 {
        world.checked_step(DT).unwrap();
        let now = energy(&world);
        (least, most) = (least.min(now), most.max(now));
        let y = world.body(body).unwrap().position().y;
        assert!(0.0 < y && y < 3.0, "{y}");
    }
    println!("of {start} at least {least}, at most {most}");
    // Stored velocities lag half a substep behind: the energy of a flight is off by g h v / 2.
    assert!(0.995 * start < least && most < 1.005 * start, "{least} {start} {most}");
}

#[test]
fn balls_that_meet_exchange_their_velocities() {
    for (restitution, masses) in [(1.0, [1.0, 1.0]), (1.0, [1.0, 9.0]), (0.6, [2.0, 1.0])] {
        let mut world = self::world(SolverSettings::default().with_gravity(Vec3::ZERO));
        let insert = |world: &mut World, x: f32, v: f32, mass: f32| {
            let desc = of_unit_density(ball(0.5)).with_position(Vec3::new(x, 0.0, 0.0)).with_density(mass);
            let desc = desc.with_linear_velocity(Vec3::new(v, 0.0, 0.0));
            world.insert(desc.with_restitution(restitution)).unwrap()
        };
        let [m_a, m_b] = masses;
        let (v_a, v_b) = (6.0, -1.0);
        let a = insert(&mut world, -2.0, v_a, m_a);
        let b = insert(&mut world, 2.0, v_b, m_b);
        for _ in 0..120 {
            world.checked_step(DT).unwrap();
        }
        let middle = (m_a * v_a + m_b * v_b) / (m_a + m_b);
        for (body, v) in [(a, v_a), (b, v_b)] {
            let after = world.body(body).unwrap().linear_velocity().x;
            let due = middle - restitution * (v - middle);
            assert!((after - due).abs() < 1e-4, "{restitution}, {masses:?}: {after} {due}");
        }
    }
}

/// A body of uneven inertia turns before and after it bounces within a step. Both parts keep its
/// energy.
#[test]
fn boxes_that_fly_about_in_a_room_keep_their_energy() {
    for half in [Vec3::new(0.15, 0.2, 0.25), Vec3::new(0.05, 0.3, 0.3), Vec3::new(0.4, 0.1, 0.1)] {
        let mut world = self::world(SolverSettings::default().with_gravity(Vec3::ZERO));
        for normal in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z] {
            let wall = BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(normal).unwrap()));
            let wall = wall.with_position(normal * -2.0).with_friction(0.0).with_restitution(1.0);
            world.insert(wall).unwrap();
        }
        let mut random = Random::new(7);
        for cell in 0..27 {
            let at = Vec3::new((cell % 3) as f32, (cell / 3 % 3) as f32, (cell / 9) as f32) - Vec3::ONE;
            let mut vector = || random.cube_point().as_vec3();
            let (turn, velocity, spin) = (vector(), vector() * 4.0, vector() * 8.0);
            let pose = Pose::new(Quat::from_scaled_axis(turn), at * 1.2);
            let desc = of_unit_density(cuboid(half)).with_pose(pose).with_friction(0.0).with_restitution(1.0);
            let desc = desc.with_linear_velocity(velocity).with_angular_velocity(spin);
            world.insert(desc).unwrap();
        }
        let start = energy(&world);
        for step in 0..1200 {
            world.checked_step(DT).unwrap();
            let now = energy(&world);
            assert!(now < 1.0001 * start, "{half}, step {step}: {now} of {start}");
        }
        println!("{half}: {} of the energy after 20 s", energy(&world) / start);
        assert!(0.997 * start < energy(&world), "{half}: {} of {start}", energy(&world));
    }
}

/// A ball that is stopped before a surface while it already moves up has the speed that belongs to
/// its height.
#[test]
fn a_fast_ball_that_is_stopped_as_it_bounces_gains_no_energy() {
    for (k, dt) in [1.0 / 30.0, DT, 1.0 / 120.0, 1.0 / 240.0].into_iter().enumerate() {
        for n in 0..12 {
            let radius = [0.0024, 0.019, 0.12][n % 3];
            let height = 0.03 + 0.37 * n as f32 + 0.01 * k as f32;
            let mut world = world(SolverSettings::default());
            world.insert(ground().with_restitution(1.0)).unwrap();
            let at = Vec3::new(0.0, radius + height, 0.0);
            let desc = of_unit_density(ball(radius)).with_position(at).with_ccd(true);
            let body = world.insert(desc).unwrap();
            // The stored velocity lags half a substep behind.
            let lag = 0.5 * f64::from(dt) / 6.0 * 9.81;
            let mut top = 0.0_f64;
            for _ in 0..(4.0 / dt) as usize {
                world.checked_step(dt).unwrap();
                let speed = f64::from(world.body(body).unwrap().linear_velocity().y) - lag;
                let y = f64::from(world.body(body).unwrap().position().y - radius);
                top = top.max(y + speed * speed / (2.0 * 9.81));
            }
            assert!(top <= f64::from(height) * 1.001 + 1e-4, "radius {radius}, dt {dt}: {height} to {top}");
        }
    }
}
