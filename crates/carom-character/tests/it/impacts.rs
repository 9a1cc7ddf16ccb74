//! Knocks by slanted and joined bodies, near walls, on dynamic grounds, and in walks at another
//! rate than the steps.

use crate::figures_and_bodies::{mesh, sheet};
use crate::in_world::{box_of, capsule, cuboid, floor, hero};
use crate::knocks::{DT, advance, energy, speed, truck};
use carom_character::{Character, CharacterBody, CharacterSettings, Figure, ShapeWorld};
use carom_geom::f64 as wide;
use carom_math::Pose;
use carom_math::f64::Pose as WidePose;
use carom_math::glam::{DVec3, Quat, Vec3};
use carom_query::f64::Shape as WideShape;
use carom_world::{BodyDesc, BodyId, ColliderDesc, Filter, JointDesc, LockedAxes, Material, World};
use core::f32::consts::FRAC_PI_4;

/// A box without friction.
fn smooth(half: Vec3) -> ColliderDesc {
    ColliderDesc::new(cuboid(half)).with_material(Material::new(0.0, 0.0))
}

/// If a game stepped several times and walked once, the pushes of all steps but the last were
/// lost, and the pusher stopped as at a pillar. A detection or a step without time in between lost
/// them too.
#[test]
fn r_pushes_of_all_steps_since_the_last_walk_count() {
    for n_steps in [1, 2, 4, 8] {
        for between in ["nothing", "detection", "step without time"] {
            for mass in [20_000.0, 200.0] {
                let mut world = World::new();
                world.insert(floor()).unwrap();
                let truck = truck(&mut world, mass, 8.0);
                let mut hero = hero(&mut world, capsule(), DVec3::ZERO);
                let (mut fastest, mut was_hit) = (0.0_f64, false);
                let dt = DT / f64::from(n_steps);
                let mass = f64::from(mass);
                for _ in 0..30 {
                    for _ in 0..n_steps {
                        world.step(dt as f32).unwrap();
                    }
                    match between {
                        "detection" => _ = world.detect(),
                        "step without time" => _ = world.step(0.0).unwrap(),
                        _ => {}
                    }
                    hero.walk(&mut world, DVec3::ZERO, DT).unwrap();
                    let knocked = hero.character().velocity().x;
                    fastest = fastest.max(knocked);
                    if !was_hit && 0.0 < knocked {
                        was_hit = true;
                        let momentum = mass * speed(&world, truck) + 80.0 * knocked;
                        let kept = momentum / (8.0 * mass);
                        assert!((kept - 1.0).abs() < 0.1, "{n_steps} steps, {between}, {mass} kg: {kept}");
                    }
                }
                let shared = 8.0 * mass / (mass + 80.0);
                assert!((fastest / shared - 1.0).abs() < 0.05, "{n_steps} steps, {between}: {fastest}");
                assert!(speed(&world, truck) < 8.001);
            }
        }
    }
}

/// A smooth boulder that met a character with a slanted normal kept the lift of the impact at a
/// pillar: energy from nothing, and a spin. A heavy one rolls on undisturbed.
#[test]
fn r_a_slanted_hit_lifts_no_boulder() {
    for (mass, radius) in [(20_000.0, 3.0_f32), (20_000.0, 1.4), (400.0, 3.0), (20_000.0, 0.95), (30.0, 1.4)]
    {
        for locked in [LockedAxes::empty(), LockedAxes::ROTATION] {
            for figure in [capsule(), Figure::cylinder(1.8, 0.3).unwrap()] {
                let mut world = World::new();
                world.insert(floor()).unwrap();
                let ball = BodyDesc::dynamic(carom_query::Shape::sphere(radius).unwrap()).with_mass(mass);
                let ball = ball.with_friction(0.0).with_locked_axes(locked);
                let ball = ball.with_position(Vec3::new(-radius - 1.0, radius, 0.0));
                let ball = world.insert(ball.with_linear_velocity(Vec3::X * 8.0)).unwrap();
                let mut heroes = [hero(&mut world, figure, DVec3::ZERO)];
                let before = energy(&world, &[(ball, f64::from(mass))], &heroes);
                let mut fastest = 0.0_f64;
                for step in 0..60 {
                    advance(&mut world, &mut heroes, |_| DVec3::ZERO);
                    fastest = fastest.max(heroes[0].character().velocity().x);
                    let view = world.body(ball).unwrap();
                    let (velocity, spin) = (view.linear_velocity(), view.angular_velocity().length());
                    let now = energy(&world, &[(ball, f64::from(mass))], &heroes)
                        + 0.5 * f64::from(mass * (velocity.y * velocity.y + velocity.z * velocity.z))
                        + f64::from(mass * 9.81 * (view.position().y - radius)).max(0.0);
                    assert!(now < 1.02 * before, "{mass} kg, {radius} m, step {step}: {before} {now} J");
                    assert!(spin < 0.3, "{mass} kg, {radius} m, step {step}: {spin}");
                    if mass == 20_000.0 {
                        let change = (velocity - Vec3::X * 8.0).length();
                        // The pillar lifts it for a step, by centimetres.
                        assert!(change < 1.0, "{radius} m, step {step}: {velocity}");
                    }
                }
                assert!(0.1 < fastest && fastest < 9.0, "{mass} kg, {radius} m: {fastest}");
                assert!(mass < 400.0 || 5.0 < fastest, "{mass} kg, {radius} m: {fastest}");
            }
        }
    }
}

/// The body of a knocked character moved through a thin wall within a step, and kicked what was
/// behind it.
#[test]
fn r_a_knocked_character_kicks_nothing_behind_a_wall() {
    for gap in (0..14).map(|k| 0.02 + 0.02 * k as f32) {
        for aside in [0.0, 2.0] {
            let mut world = World::new();
            world.insert(floor()).unwrap();
            let wall = BodyDesc::fixed(cuboid(Vec3::new(0.01, 2.0, 4.0)));
            world.insert(wall.with_position(Vec3::new(0.315 + gap, 2.0, 0.0))).unwrap();
            let crate_ = box_of(20.0, Vec3::new(0.25, 0.5, 2.0)).with_friction(0.0);
            let crate_ = world.insert(crate_.with_position(Vec3::new(0.58 + gap, 0.5, 0.0))).unwrap();
            let mut heroes = [hero(&mut world, capsule(), DVec3::ZERO)];
            for _ in 0..10 {
                advance(&mut world, &mut heroes, |_| DVec3::ZERO);
            }
            let impulse = Vec3::new(640.0, 0.0, 80.0 * aside);
            world.body_mut(heroes[0].body()).unwrap().apply_impulse(impulse).unwrap();
            for step in 0..30 {
                advance(&mut world, &mut heroes, |_| DVec3::ZERO);
                let kicked = speed(&world, crate_);
                assert!(kicked.abs() < 0.05, "gap {gap}, step {step}: {kicked} m/s");
            }
        }
    }
}

/// A knocked character pushed the bodies behind the first one of a row with an infinite mass.
#[test]
fn r_a_knocked_character_pushes_a_row_with_its_momentum() {
    for n in [1_u8, 2, 10] {
        for gap in [0.02, 0.07, 0.12, 1.0] {
            let mut world = World::new();
            world.insert(floor()).unwrap();
            let crates: Vec<(BodyId, f64)> = (0..n)
                .map(|k| {
                    let desc = box_of(100.0, Vec3::new(0.25, 0.5, 0.5)).with_friction(0.0);
                    let x = 0.56 + gap + 0.501 * f32::from(k);
                    (world.insert(desc.with_position(Vec3::new(x, 0.5, 0.0))).unwrap(), 100.0)
                })
                .collect();
            let mut heroes = [hero(&mut world, capsule(), DVec3::ZERO)];
            for _ in 0..10 {
                advance(&mut world, &mut heroes, |_| DVec3::ZERO);
            }
            world.body_mut(heroes[0].body()).unwrap().apply_impulse(Vec3::X * 640.0).unwrap();
            let mut most = 0.0_f64;
            for step in 0..40 {
                advance(&mut world, &mut heroes, |_| DVec3::ZERO);
                let momentum: f64 = crates.iter().map(|(id, mass)| mass * speed(&world, *id)).sum();
                let now = energy(&world, &crates, &heroes);
                assert!(now < 2580.0 && momentum < 650.0, "{n}, {gap}, step {step}: {now} J, {momentum}");
                most = most.max(momentum);
            }
            assert!(200.0 < most, "{n}, {gap}: {most}");
        }
    }
}

/// A bed with a wall at each end, half of its mass at -x and half at x, without friction on the
/// floor.
fn wagon(world: &mut World, mass: f32) -> BodyId {
    world.insert(floor()).unwrap();
    let gate =
        |x: f32| smooth(Vec3::new(0.1, 0.75, 1.0)).with_pose(Pose::from_translation(Vec3::new(x, 1.0, 0.0)));
    let bed = smooth(Vec3::new(3.0, 0.25, 1.0));
    let wagon = BodyDesc::dynamic(bed).with_collider(gate(-2.9)).with_collider(gate(2.9));
    world.insert(wagon.with_mass(mass).with_position(Vec3::Y * 0.25)).unwrap()
}

/// The walls of a dynamic ground stopped at its passenger as at a pillar, and the passenger could
/// not walk away from them. A wagon takes along the mass of its passenger, and no more.
#[test]
fn r_a_wagon_takes_its_passenger_along() {
    for (mass, at, wish) in [
        (20_000.0, -2.49, 0.0),
        (20_000.0, 2.49, 0.0),
        (20_000.0, -2.49, 1.5),
        (800.0, -2.49, 0.0),
        (800.0, 2.49, 0.0),
        (800.0, 0.0, 0.0),
    ] {
        let mut world = World::new();
        let wagon = wagon(&mut world, mass);
        let mut heroes = [hero(&mut world, capsule(), DVec3::new(at, 0.5, 0.0))];
        for _ in 0..10 {
            advance(&mut world, &mut heroes, |_| DVec3::ZERO);
        }
        let mut expected = 0.0;
        for (acceleration, n) in [(3.0_f32, 60), (-3.0, 90)] {
            for step in 0..n {
                let force = Vec3::X * acceleration * mass;
                world.body_mut(wagon).unwrap().apply_force(force).unwrap();
                advance(&mut world, &mut heroes, |_| DVec3::X * wish);
                expected += f64::from(acceleration) * DT * f64::from(mass / (mass + 80.0));
                let now = speed(&world, wagon);
                let what = format!("{mass} kg, {at}, {wish}, {acceleration}, step {step}");
                assert!((now - expected).abs() < 0.15, "{what}: {now} {expected}");
                let own = heroes[0].character().velocity().x - wish;
                let is_blocked = 0.0 < wish && acceleration < 0.0;
                assert!(is_blocked || (own - now).abs() < 0.15, "{what}: {own} {now}");
            }
        }
        let place = heroes[0].character().position().x - f64::from(world.body(wagon).unwrap().position().x);
        let end = (at + wish * 2.5).min(2.7);
        assert!((place - end).abs() < 0.1 || 0.0 < wish && 0.5 < place, "{mass} kg, {at}: {place}");
    }
}

/// A wagon pushes its passenger against a fixed wall, which stops both.
#[test]
fn a_passenger_between_its_wagon_and_a_wall_stops_it() {
    let mut world = World::new();
    let wagon = wagon(&mut world, 800.0);
    // A beam above the gates.
    let beam = BodyDesc::fixed(cuboid(Vec3::new(0.1, 0.15, 2.0))).with_position(Vec3::new(-1.0, 2.0, 0.0));
    world.insert(beam).unwrap();
    let mut heroes = [hero(&mut world, Figure::cylinder(1.8, 0.3).unwrap(), DVec3::new(-2.4, 0.5, 0.0))];
    for step in 0..240 {
        world.body_mut(wagon).unwrap().apply_force(Vec3::X * 800.0).unwrap();
        world.step(DT as f32).unwrap();
        heroes[0].walk(&mut world, DVec3::ZERO, DT).unwrap();
        let x = heroes[0].character().position().x;
        assert!(x < -1.39, "step {step}: {x}");
    }
    let (left, x) = (speed(&world, wagon), world.body(wagon).unwrap().position().x);
    assert!(left < 0.2 && x < 1.6, "{left} m/s, {x}");
}

/// Bodies that joints connect with a pusher stopped at a character as at a pillar.
#[test]
fn r_joined_bodies_go_on() {
    let block = |mass: f32, half: f32, x: f32| {
        let desc = box_of(mass, Vec3::new(half, 0.5, 0.8)).with_friction(0.0);
        desc.with_position(Vec3::new(x, 0.5, 0.0)).with_linear_velocity(Vec3::X * 8.0)
    };
    // Masses and half lengths, from the front.
    let light: &[(f32, f32)] = &[(10.0, 0.05), (1000.0, 1.0)];
    let bumper: &[(f32, f32)] = &[(50.0, 0.1), (1000.0, 1.0)];
    let tractor: &[(f32, f32)] = &[(8_000.0, 1.0), (20_000.0, 2.0)];
    let train: &[(f32, f32)] = &[(500.0, 0.5), (500.0, 0.5), (500.0, 0.5), (500.0, 0.5)];
    for (bodies, is_fixed) in [(light, true), (bumper, true), (tractor, false), (train, true), (train, false)]
    {
        let mut world = World::new();
        world.insert(floor()).unwrap();
        let mut front = -1.0;
        let mut chain: Vec<(BodyId, f64)> = Vec::new();
        for &(mass, half) in bodies {
            let id = world.insert(block(mass, half, front - half)).unwrap();
            if let Some(&(before, _)) = chain.last() {
                let joint = match is_fixed {
                    true => JointDesc::weld(before, id),
                    false => JointDesc::revolute(before, id).with_axis(Vec3::Y),
                };
                world.insert_joint(joint.with_anchor(Vec3::new(front + 0.05, 0.5, 0.0))).unwrap();
            }
            chain.push((id, f64::from(mass)));
            front -= 2.0 * half + 0.1;
        }
        let mass: f64 = chain.iter().map(|(_, mass)| mass).sum();
        let mut heroes = [hero(&mut world, capsule(), DVec3::ZERO)];
        let before = energy(&world, &chain, &heroes);
        let mut was_hit = false;
        for step in 0..60 {
            advance(&mut world, &mut heroes, |_| DVec3::ZERO);
            let knocked = heroes[0].character().velocity().x;
            let now = energy(&world, &chain, &heroes);
            assert!(now < 1.01 * before, "{bodies:?}, step {step}: {before} {now} J");
            if !was_hit && 0.0 < knocked {
                was_hit = true;
                let momentum: f64 = chain.iter().map(|(id, mass)| mass * speed(&world, *id)).sum();
                let kept = (momentum + 80.0 * knocked) / (8.0 * mass);
                assert!((kept - 1.0).abs() < 0.01, "{bodies:?}, step {step}: {kept}");
            }
        }
        let left = speed(&world, chain[0].0);
        assert!(was_hit && 6.5 < left, "{bodies:?}: {left}");
    }
}

/// Forces that the feet hold had no reaction: a body on a raft that pressed on a character on that
/// raft drove the raft. So did a character that walked against a wall of its raft, and a load on
/// its head weighed nothing.
#[test]
fn r_a_raft_feels_what_the_feet_hold() {
    for (inner, wish) in [(50.0_f32, 0.0), (300.0, -1.0), (0.0, 1.5), (0.0, -1.5)] {
        let mut world = World::new();
        let raft = wagon(&mut world, 800.0);
        let at = if 0.0 < inner { 0.0 } else { 2.49_f64.copysign(wish) };
        let motor = box_of(50.0, Vec3::new(0.25, 0.5, 0.5)).with_friction(0.0);
        let motor = world.insert(motor.with_position(Vec3::new(-0.57, 1.0, 0.0))).unwrap();
        let mut heroes = [hero(&mut world, capsule(), DVec3::new(at, 0.5, 0.0))];
        for _ in 0..10 {
            advance(&mut world, &mut heroes, |_| DVec3::ZERO);
        }
        for _ in 0..240 {
            world.body_mut(motor).unwrap().apply_force(Vec3::X * inner).unwrap();
            world.body_mut(raft).unwrap().apply_force(Vec3::X * -inner).unwrap();
            advance(&mut world, &mut heroes, |_| DVec3::X * wish);
        }
        let drift = speed(&world, raft);
        assert!(drift.abs() < 0.1, "{inner} N, wish {wish}: {drift} m/s");
    }
}

/// A dynamic plate on a spring of contacts bears a load on the head of the character on it.
#[test]
fn a_load_on_the_head_weighs_on_the_ground() {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    let plate = box_of(20.0, Vec3::new(1.0, 0.1, 1.0)).with_impulse_threshold(0.0);
    let plate = world.insert(plate.with_position(Vec3::Y * 0.1)).unwrap();
    let figure = Figure::cylinder(1.8, 0.3).unwrap();
    let mut heroes = [hero(&mut world, figure, DVec3::Y * 0.2)];
    let load = box_of(60.0, Vec3::new(0.3, 0.1, 0.3)).with_can_sleep(false);
    let load = load.with_position(Vec3::Y * 2.13);
    let load = world.insert(load).unwrap();
    for _ in 0..120 {
        advance(&mut world, &mut heroes, |_| DVec3::ZERO);
    }
    let weight: f32 = world.body(plate).unwrap().pushes().map(|push| push.impulse.y).sum();
    let expected = (20.0 + 80.0 + 60.0) * 9.81 / 60.0;
    assert!(2.0 < world.body(load).unwrap().position().y, "the load lies on the head");
    assert!((weight / expected - 1.0).abs() < 0.03, "{weight} {expected}");
}

/// A body that a knocked character met in several places took its part in each of them.
#[test]
fn r_a_body_takes_its_part_of_a_knock_once() {
    for mass in [8.0, 80.0, 800.0] {
        let mut world = World::new();
        world.insert(floor()).unwrap();
        let wing = |side: f32| {
            let turn = Quat::from_rotation_y(side * FRAC_PI_4);
            let wing = smooth(Vec3::new(0.6, 0.5, 0.05));
            wing.with_pose(Pose::new(turn, Vec3::new(-0.4, 0.0, side * 0.4)))
        };
        let corner = BodyDesc::dynamic(wing(1.0)).with_collider(wing(-1.0)).with_mass(mass);
        let corner = corner.with_position(Vec3::new(1.4, 0.5, 0.0));
        let corner = [(world.insert(corner).unwrap(), f64::from(mass))];
        let mut heroes = [hero(&mut world, capsule(), DVec3::ZERO)];
        for _ in 0..10 {
            advance(&mut world, &mut heroes, |_| DVec3::ZERO);
        }
        world.body_mut(heroes[0].body()).unwrap().apply_impulse(Vec3::X * 640.0).unwrap();
        let mut most = 0.0_f64;
        for step in 0..60 {
            advance(&mut world, &mut heroes, |_| DVec3::ZERO);
            let now = energy(&world, &corner, &heroes);
            let momentum = f64::from(mass) * speed(&world, corner[0].0);
            most = most.max(momentum);
            assert!(now < 2600.0 && momentum < 650.0, "{mass} kg, step {step}: {now} J, {momentum}");
        }
        assert!(30.0 < most, "{mass} kg: {most}");
    }
}

/// Two characters that walk against each other with the same force hold each other. The rounding of
/// an impulse to `f32` decided which of them lost its wish.
#[test]
fn r_equal_walkers_hold_each_other() {
    for max_push in [300.0, 600.0, 700.0, 710.0, 1100.0] {
        let mut world = World::new();
        world.insert(floor()).unwrap();
        let settings = CharacterSettings::default().with_push(80.0, max_push);
        let mut heroes = [-0.5, 0.5].map(|x| {
            let character = Character::new(capsule(), settings, DVec3::new(x, 0.91, 0.0)).unwrap();
            CharacterBody::insert(&mut world, character, Filter::default()).unwrap()
        });
        for step in 0..240 {
            advance(&mut world, &mut heroes, |hero| {
                DVec3::X * -1.5_f64.copysign(hero.character().position().x)
            });
            let [left, right] = [0, 1].map(|k: usize| heroes[k].character().position().x);
            assert!((left + right).abs() < 0.05, "{max_push} N, step {step}: {left} {right}");
            assert!([0, 1].iter().all(|k: &usize| heroes[*k].knock().length() < 0.1), "{max_push} N");
        }
    }
}

/// A load pressed a flat figure through a floor of triangles.
#[test]
fn r_a_load_presses_no_figure_through_a_sheet() {
    for (size, start) in [(0.1, 3.0), (0.1, 8.0), (0.06, 8.0), (0.2, 8.0)] {
        let mut world = World::new();
        world.insert(BodyDesc::fixed(mesh(sheet(12, |_, _| 0.0)))).unwrap();
        let figure = Figure::cuboid(DVec3::new(0.34, size, 0.34)).unwrap();
        let mut heroes = [hero(&mut world, figure, DVec3::ZERO)];
        for _ in 0..10 {
            advance(&mut world, &mut heroes, |_| DVec3::ZERO);
        }
        let load = box_of(2000.0, Vec3::splat(0.3)).with_linear_velocity(Vec3::Y * -start);
        world.insert(load.with_position(Vec3::Y * (size as f32 + 0.5))).unwrap();
        for step in 0..120 {
            world.step(DT as f32).unwrap();
            heroes[0].walk(&mut world, DVec3::ZERO, DT).unwrap();
            let position = heroes[0].character().position();
            assert!(-0.01 < position.y, "{size} m, {start} m/s, step {step}: {position}");
        }
    }
}

/// A figure in flight that an obstacle lifted is lowered afterwards. `freed` said that it was
/// lowered all the way, even if something stopped it.
#[test]
fn r_freed_is_what_remains_of_a_lift() {
    let slab = || WideShape::Cuboid(wide::Cuboid::new(DVec3::new(2.0, 0.5, 2.0)).unwrap());
    let at = |y: f64| WidePose::from_translation(DVec3::Y * y);
    for rise in [0.01, 0.02, 0.03] {
        let mut world = ShapeWorld::new();
        let floor = world.insert(slab(), at(-0.5));
        world.insert(slab(), at(2.35));
        let position = DVec3::Y * 0.91;
        let mut character = Character::new(capsule(), CharacterSettings::default(), position).unwrap();
        for _ in 0..10 {
            character.walk(&mut world, DVec3::ZERO, DT);
        }
        let start = character.position().y;
        assert!(character.jump(6.0));
        assert!(world.set_motion(floor, at(rise - 0.5), DVec3::ZERO, DVec3::ZERO));
        let freed = character.walk(&mut world, DVec3::ZERO, DT).freed.y;
        assert!(character.ground().is_none());
        // The ceiling ends the flight.
        let top = start.max(rise + 0.9 + 1e-3);
        assert!(top - 1e-3 <= character.position().y, "{rise}: {}", character.position());
        let flown = character.position().y - start - freed;
        assert!(-1e-9 < freed && (-1e-9..0.1).contains(&flown), "{rise}: freed {freed}, flown {flown}");
        assert!(rise < 0.03 || 0.01 < freed, "{rise}: freed {freed}");
        assert!(freed < 1e-9 || (character.feet().y - rise).abs() < 0.01, "{rise}: {freed}");
    }
}
