//! Bodies and characters push characters as bodies of their masses.

use crate::in_world::{box_of, capsule, cuboid, floor, hero};
use carom_character::{Character, CharacterBody, CharacterSettings, Figure};
use carom_math::Pose;
use carom_math::glam::{DVec3, Quat, Vec3};
use carom_world::{BodyDesc, BodyId, ColliderDesc, Filter, JointDesc, LockedAxes, Motor, World};
use core::f32::consts::FRAC_PI_2;

pub(crate) const DT: f64 = 1.0 / 60.0;

/// Steps the world, and then walks all characters with their wishes.
pub(crate) fn advance(
    world: &mut World,
    heroes: &mut [CharacterBody],
    wish: impl Fn(&CharacterBody) -> DVec3,
) {
    world.step(DT as f32).unwrap();
    for hero in heroes {
        let walked = hero.walk(world, wish(hero), DT).unwrap();
        assert!(!walked.is_stuck && !walked.was_refused, "{walked:?}");
    }
}

pub(crate) fn speed(world: &World, body: BodyId) -> f64 {
    f64::from(world.body(body).unwrap().linear_velocity().x)
}

/// A frictionless box 2 m behind the origin, with this velocity along x.
pub(crate) fn truck(world: &mut World, mass: f32, speed: f32) -> BodyId {
    let desc = box_of(mass, Vec3::ONE).with_friction(0.0).with_position(Vec3::new(-2.0, 1.0, 0.0));
    world.insert(desc.with_linear_velocity(Vec3::X * speed)).unwrap()
}

/// A body at 8 m/s hits a standing character of 80 kg: momentum is kept in the impact to 10 %, and
/// both have the speed of an inelastic impact. A truck goes on, and throws the character ahead; a
/// light crate stops.
#[test]
fn a_truck_throws_a_character() {
    for mass in [20_000.0, 200.0, 5.0] {
        let mut world = World::new();
        world.insert(floor()).unwrap();
        let truck = truck(&mut world, mass, 8.0);
        let mut heroes = [hero(&mut world, capsule(), DVec3::ZERO)];
        let mass = f64::from(mass);
        let shared = 8.0 * mass / (mass + 80.0);
        let mut was_hit = false;
        for n in 0..60 {
            advance(&mut world, &mut heroes, |_| DVec3::ZERO);
            let (knocked, left) = (heroes[0].character().velocity().x, speed(&world, truck));
            if !was_hit && 0.0 < knocked {
                was_hit = true;
                let momentum = mass * left + 80.0 * knocked;
                assert!((momentum / (8.0 * mass) - 1.0).abs() < 0.1, "{mass} kg: {momentum}, frame {n}");
                assert!((knocked - shared).abs() < 0.1 * shared, "{mass} kg: {knocked}");
                assert!((left - shared).abs() < 0.1 * shared.max(1.0), "{mass} kg: {left}");
            }
        }
        assert!(was_hit, "{mass} kg");
        let (x, end) = (heroes[0].character().position().x, speed(&world, truck));
        let front = f64::from(world.body(truck).unwrap().position().x) + 1.0;
        println!("{mass} kg: character at {x}, front at {front}, {end} m/s");
        assert!(front < x - 0.28, "{mass} kg: in the character, {front} {x}");
        match mass {
            20_000.0 => assert!(7.9 < end && 6.0 < x, "{end} {x}"),
            200.0 => assert!(0.5 < x && end < 5.8, "{end} {x}"),
            _ => assert!(end < 1.0 && x < 0.2, "{end} {x}"),
        }
    }
}

/// A crate with restitution bounces off, and a character in the air is thrown too.
#[test]
fn impacts_bounce_and_throw_in_the_air() {
    let mut world = World::new();
    let crate_ = box_of(20.0, Vec3::splat(0.5)).with_gravity_scale(0.0).with_restitution(1.0);
    let crate_ = crate_.with_linear_velocity(Vec3::X * 5.0).with_position(Vec3::new(-1.5, 0.9, 0.0));
    let crate_ = world.insert(crate_).unwrap();
    let settings = CharacterSettings::default().with_gravity(0.0);
    let character = Character::new(capsule(), settings, DVec3::Y * 0.9).unwrap();
    let mut heroes = [CharacterBody::insert(&mut world, character, Filter::default()).unwrap()];
    for _ in 0..60 {
        advance(&mut world, &mut heroes, |_| DVec3::ZERO);
    }
    // An elastic impact of 20 kg at 5 m/s with 80 kg.
    let (knocked, left) = (heroes[0].character().velocity().x, speed(&world, crate_));
    assert!((knocked - 2.0).abs() < 0.1 && (left + 3.0).abs() < 0.15, "{knocked} {left}");
    assert!((heroes[0].knock().x - knocked).abs() < 1e-6);
}

/// With `with_pushed(false)` a character is a pillar.
#[test]
fn a_character_that_is_not_pushed_is_a_pillar() {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    let truck = truck(&mut world, 20_000.0, 8.0);
    let mut heroes = [hero(&mut world, capsule(), DVec3::ZERO).with_pushed(false)];
    for _ in 0..60 {
        advance(&mut world, &mut heroes, |_| DVec3::ZERO);
    }
    assert!(speed(&world, truck) < 0.5 && heroes[0].character().position().x.abs() < 1e-9);
}

/// A character between a truck and a wall stays in the room, and the wall stops the truck.
#[test]
fn a_character_stays_between_a_truck_and_a_wall() {
    for (mass, start) in [(20_000.0, 8.0), (20_000.0, 30.0), (200.0, 8.0), (2_000.0, 1.0)] {
        for gap in [0.005, 0.3, 2.0] {
            let mut world = World::new();
            world.insert(floor()).unwrap();
            let wall = BodyDesc::fixed(cuboid(Vec3::new(0.5, 2.0, 4.0)));
            let wall = wall.with_position(Vec3::new(0.805 + gap, 2.0, 0.0));
            world.insert(wall).unwrap();
            let truck = truck(&mut world, mass, start);
            let mut heroes = [hero(&mut world, capsule(), DVec3::ZERO)];
            for n in 0..240 {
                world.step(DT as f32).unwrap();
                heroes[0].walk(&mut world, DVec3::ZERO, DT).unwrap();
                let position = heroes[0].character().position();
                let most = f64::from(gap) + 0.01;
                assert!(position.x < most && position.z.abs() < 3.0, "{mass} kg, gap {gap}, {n}: {position}");
                assert!(position.y < 2.5, "thrown: {position}");
            }
            let end = speed(&world, truck);
            assert!(end < 0.1, "{mass} kg, gap {gap}: {end} m/s");
        }
    }
}

/// A small push does not move a character, and neither does a load on its head. A larger push
/// does.
#[test]
fn feet_hold_against_small_pushes() {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    let crate_ = box_of(20.0, Vec3::splat(0.5)).with_friction(0.0).with_position(Vec3::new(-0.81, 0.5, 0.0));
    let crate_ = world.insert(crate_).unwrap();
    let load = box_of(30.0, Vec3::new(0.3, 0.1, 0.3)).with_position(Vec3::new(0.0, 1.95, 0.0));
    let load = world.insert(load).unwrap();
    let mut heroes = [hero(&mut world, Figure::cylinder(1.8, 0.3).unwrap(), DVec3::ZERO)];
    for _ in 0..240 {
        world.body_mut(crate_).unwrap().apply_force(Vec3::X * 50.0).unwrap();
        advance(&mut world, &mut heroes, |_| DVec3::ZERO);
    }
    assert!(heroes[0].character().position().x.abs() < 0.01, "{}", heroes[0].character().position());
    assert!(1.8 < world.body(load).unwrap().position().y, "the load lies on the head");
    // A force above that moves it.
    for _ in 0..60 {
        world.body_mut(crate_).unwrap().apply_force(Vec3::X * 200.0).unwrap();
        advance(&mut world, &mut heroes, |_| DVec3::ZERO);
    }
    assert!(0.3 < heroes[0].character().position().x, "{}", heroes[0].character().position());
}

/// A hinged door with a motor goes on against a standing character, which gives way.
#[test]
fn a_swing_goes_on() {
    let mut world = World::new();
    let floor = world.insert(floor()).unwrap();
    let hinge = Vec3::Y * 1.15;
    let wing = ColliderDesc::new(cuboid(Vec3::new(0.55, 1.1, 0.03)));
    let wing = wing.with_pose(Pose::from_translation(Vec3::X * 0.6));
    let door = world.insert(BodyDesc::dynamic(wing).with_mass(40.0).with_position(hinge)).unwrap();
    let motor = Motor::velocity(0.8).with_max_force(150.0);
    let joint = JointDesc::revolute(floor, door).with_anchor(hinge).with_axis(Vec3::Y).with_motor(motor);
    let joint = world.insert_joint(joint).unwrap();
    // The wing turns from x towards -z.
    let mut heroes = [hero(&mut world, capsule(), DVec3::new(0.7, 0.0, -0.7))];
    let mut slowest = f32::MAX;
    for n in 0..240 {
        advance(&mut world, &mut heroes, |_| DVec3::ZERO);
        if 30 < n {
            slowest = slowest.min(world.joint(joint).unwrap().speed().unwrap());
        }
    }
    let angle = world.joint(joint).unwrap().angle().unwrap();
    println!("slowest {slowest} rad/s, angle {angle}, {}", heroes[0].character().position());
    assert!(1.5 < angle, "{angle}");
    // It is slowest in the step in which it hits the character.
    assert!(0.05 < slowest, "{slowest}");
}

/// Six characters walk through a revolving door within a minute, from places shifted aside.
/// Returns how many came through, and for how many steps in a row the door stood.
fn revolve(max_push: f64, shift: f64) -> (usize, usize) {
    let mut world = World::new();
    let floor = world.insert(floor()).unwrap();
    let wing = |angle: f32| {
        let turn = Quat::from_rotation_y(angle);
        ColliderDesc::new(cuboid(Vec3::new(0.6, 1.1, 0.02))).with_pose(Pose::new(turn, turn * Vec3::X * 0.65))
    };
    let door =
        (1..4).fold(BodyDesc::dynamic(wing(0.0)), |door, k| door.with_collider(wing(k as f32 * FRAC_PI_2)));
    let door = world.insert(door.with_mass(160.0).with_position(Vec3::Y * 1.15)).unwrap();
    let motor = Motor::velocity(0.8).with_max_force(150.0);
    let hinge =
        JointDesc::revolute(floor, door).with_anchor(Vec3::Y * 1.15).with_axis(Vec3::Y).with_motor(motor);
    let hinge = world.insert_joint(hinge).unwrap();
    for side in [-1.0_f32, 1.0] {
        for k in -3..=3 {
            let turn = Quat::from_rotation_y(-0.2 * k as f32 * side);
            let wall = BodyDesc::fixed(cuboid(Vec3::new(0.02, 1.1, 0.16)));
            world
                .insert(wall.with_pose(Pose::new(turn, turn * (Vec3::X * side * 1.35) + Vec3::Y * 1.1)))
                .unwrap();
        }
        for z in [0.85, -0.85] {
            let wall = BodyDesc::fixed(cuboid(Vec3::new(1.5, 1.1, 0.05)));
            world.insert(wall.with_position(Vec3::new(side * 2.6, 1.1, z))).unwrap();
        }
    }
    let settings = CharacterSettings::default().with_push(80.0, max_push);
    let mut heroes: Vec<CharacterBody> = (0..6)
        .map(|i| {
            let position =
                DVec3::new(0.7 * f64::from(i % 3) - 0.7 + shift, 0.91, 2.2 + 0.8 * f64::from(i / 3));
            let character = Character::new(Figure::capsule(1.8, 0.25).unwrap(), settings, position).unwrap();
            CharacterBody::insert(&mut world, character, Filter::default()).unwrap()
        })
        .collect();
    let wish = |hero: &CharacterBody| {
        let feet = hero.character().feet();
        let goal = match feet.z {
            z if 0.6 < z => DVec3::new(0.75, 0.0, 0.6),
            z if -1.2 < z => DVec3::new(if 0.0 < z { 1.0 } else { 0.7 }, 0.0, z - 0.8),
            _ => DVec3::new(0.0, 0.0, -6.0),
        };
        (goal - feet).with_y(0.0).normalize_or_zero() * 0.8
    };
    let (mut standing, mut longest) = (0, 0);
    for n in 0..3600 {
        world.step(DT as f32).unwrap();
        for hero in &mut heroes {
            hero.walk(&mut world, wish(hero), DT).unwrap();
        }
        let speed = world.joint(hinge).unwrap().speed().unwrap();
        standing = if speed < 0.05 && 60 < n { standing + 1 } else { 0 };
        longest = longest.max(standing);
    }
    (heroes.iter().filter(|hero| hero.character().feet().z < -1.5).count(), longest)
}

/// A door that six characters walk through jammed for ever, as none of them gave way. Now most
/// come through, whatever their force and from wherever they start. A few wedge each other in the
/// door.
#[test]
fn most_walkers_come_through_a_revolving_door() {
    let mut n_through = 0;
    for max_push in [50.0, 100.0, 300.0, 600.0] {
        for shift in [-0.2, 0.0, 0.1] {
            let (through, longest) = revolve(max_push, shift);
            println!("{max_push} N, {shift} m: {through} through, the door stood for {longest} steps");
            n_through += through;
        }
    }
    assert!(58 <= n_through, "{n_through} of 72 came through");
}

/// A walking character pushes one that stands along, and two that walk against each other stay.
#[test]
fn characters_push_each_other() {
    let pair = |wishes: [f64; 2]| {
        let mut world = World::new();
        world.insert(floor()).unwrap();
        let mut heroes = [-0.5, 0.5].map(|x| hero(&mut world, capsule(), DVec3::X * x));
        for _ in 0..180 {
            world.step(DT as f32).unwrap();
            for (hero, wish) in heroes.iter_mut().zip(wishes) {
                hero.walk(&mut world, DVec3::X * wish, DT).unwrap();
            }
        }
        heroes.map(|hero| hero.character().position().x)
    };
    let [behind, before] = pair([1.5, 0.0]);
    assert!(1.5 < before && 0.6 < before - behind && before - behind < 0.8, "{behind} {before}");
    let [left, right] = pair([1.5, -1.5]);
    assert!((left + right).abs() < 0.3 && 0.6 < right - left, "{left} {right}");
}

/// An impulse on the body of a character knocks it, and the feet bring it to rest.
#[test]
fn an_impulse_on_its_body_knocks_it() {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    let mut heroes = [hero(&mut world, capsule(), DVec3::ZERO)];
    for _ in 0..10 {
        advance(&mut world, &mut heroes, |_| DVec3::ZERO);
    }
    world.body_mut(heroes[0].body()).unwrap().apply_impulse(Vec3::X * 320.0).unwrap();
    advance(&mut world, &mut heroes, |_| DVec3::ZERO);
    let knocked = heroes[0].character().velocity().x;
    assert!((3.7..4.0).contains(&knocked), "{knocked}");
    for _ in 0..180 {
        advance(&mut world, &mut heroes, |_| DVec3::ZERO);
    }
    let x = heroes[0].character().position().x;
    assert!(heroes[0].knock() == DVec3::ZERO && (0.8..2.2).contains(&x), "{x}");
}

/// Pushes are recorded for pairs with an impulse threshold, on both bodies with opposite signs. An
/// impulse on a kinematic body is recorded once, and needs a threshold. They can be cleared.
#[test]
fn pushes_are_recorded() {
    let mut world = World::new();
    let threshold = f32::MAX.next_down();
    let plate = BodyDesc::fixed(cuboid(Vec3::new(2.0, 0.5, 2.0))).with_impulse_threshold(threshold);
    let plate = world.insert(plate.with_position(Vec3::Y * -0.5)).unwrap();
    let load = world.insert(box_of(30.0, Vec3::splat(0.5)).with_position(Vec3::Y * 0.5)).unwrap();
    let lifts = [threshold, f32::MAX].map(|threshold| {
        let lift = BodyDesc::kinematic(cuboid(Vec3::ONE)).with_impulse_threshold(threshold);
        world.insert(lift.with_position(Vec3::X * 20.0)).unwrap()
    });
    for _ in 0..30 {
        world.step(DT as f32).unwrap();
    }
    // The weight of a sixtieth of a second.
    let weight = 30.0 * 9.81 / 60.0;
    let on = |world: &World, body| world.body(body).unwrap().pushes().collect::<Vec<_>>();
    let [down, up] = [on(&world, plate), on(&world, load)];
    assert!(down.len() == 1 && down[0].by == Some(load) && up[0].by == Some(plate));
    assert!((up[0].impulse.y - weight).abs() < 0.05 * weight && up[0].impulse == -down[0].impulse, "{up:?}");
    assert!(up[0].point.y.abs() < 0.01 && up[0].approach_speed < 0.2 && world.impulse_events().is_empty());
    world.body_mut(plate).unwrap().clear_pushes();
    assert!(on(&world, plate).is_empty() && on(&world, load).is_empty());
    for lift in lifts {
        for _ in 0..2 {
            world.body_mut(lift).unwrap().apply_impulse(Vec3::X).unwrap();
        }
    }
    world.step(DT as f32).unwrap();
    let [recorded, ignored] = lifts.map(|lift| on(&world, lift));
    assert!(recorded.len() == 1 && recorded[0].impulse == Vec3::X * 2.0 && recorded[0].by.is_none());
    assert!(ignored.is_empty());
    world.step(DT as f32).unwrap();
    assert!(on(&world, lifts[0]).is_empty());
}

/// Pushes on a kinematic body are kept for 16 steps, or until they are removed. Others are those of
/// the last step.
#[test]
fn recent_pushes_are_kept_for_16_steps() {
    let mut world = World::new();
    let threshold = f32::MAX.next_down();
    let plate = |x: f32, desc: BodyDesc| desc.with_impulse_threshold(threshold).with_position(Vec3::X * x);
    let shape = || cuboid(Vec3::new(2.0, 0.5, 2.0));
    let plates = [BodyDesc::kinematic(shape()), BodyDesc::fixed(shape())];
    let mut k = 0.0;
    let plates = plates.map(|desc| {
        k += 10.0;
        let load = box_of(30.0, Vec3::splat(0.5)).with_position(Vec3::new(k, 1.0, 0.0));
        let load = load.with_can_sleep(false);
        (world.insert(plate(k, desc)).unwrap(), world.insert(load).unwrap())
    });
    for _ in 0..5 {
        world.step(DT as f32).unwrap();
    }
    for (body, _) in plates {
        world.body_mut(body).unwrap().clear_pushes();
    }
    let n_recent = |world: &World, body| world.body(body).unwrap().recent_pushes().count();
    for n in 1..=20 {
        world.step(DT as f32).unwrap();
        let [(moving, load), (fixed, other)] = plates;
        assert_eq!([moving, load].map(|body| n_recent(&world, body)), [n.min(16); 2]);
        assert_eq!([fixed, other].map(|body| n_recent(&world, body)), [1; 2]);
        assert_eq!(world.body(moving).unwrap().pushes().count(), 1);
    }
    world.detect();
    let kept: Vec<_> = world.body(plates[0].0).unwrap().recent_pushes().collect();
    assert!(kept.len() == 15 && kept.iter().all(|push| push.by == Some(plates[0].1)));
    assert_eq!(plates.map(|(body, _)| world.body(body).unwrap().pushes().count()), [0; 2]);
    world.body_mut(plates[0].0).unwrap().clear_pushes();
    assert_eq!(plates.map(|(body, _)| n_recent(&world, body)), [0; 2]);
}

/// Pushes from the time in which a character stood like a pillar do not count later.
#[test]
fn r_pushes_on_a_pillar_do_not_count_later() {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    let ball = box_of(500.0, Vec3::splat(0.5)).with_friction(0.0).with_position(Vec3::new(-1.5, 0.6, 0.0));
    let ball = world.insert(ball.with_linear_velocity(Vec3::X * 10.0)).unwrap();
    let mut hero = hero(&mut world, capsule(), DVec3::ZERO).with_pushed(false);
    (0..12).for_each(|_| advance(&mut world, core::slice::from_mut(&mut hero), |_| DVec3::ZERO));
    let left = speed(&world, ball);
    assert!(left < 0.1, "the pillar stops it: {left}");
    let mut hero = hero.with_pushed(true);
    hero.walk(&mut world, DVec3::ZERO, DT).unwrap();
    assert_eq!(hero.knock(), DVec3::ZERO);
    (0..10).for_each(|_| advance(&mut world, core::slice::from_mut(&mut hero), |_| DVec3::ZERO));
    assert!((speed(&world, ball) - left).abs() < 0.01 && hero.character().velocity().length() < 0.01);
}

/// The impulse threshold of a character's body is the caller's: a character with events of its own
/// gives way like others.
#[test]
fn r_the_impulse_threshold_is_free() {
    let walk_into =
        |threshold: Option<f32>| {
            let mut world = World::new();
            world.insert(floor()).unwrap();
            let mut heroes = [0.0, 1.0].map(|x| hero(&mut world, capsule(), DVec3::X * x));
            if let Some(threshold) = threshold {
                world.body_mut(heroes[1].body()).unwrap().set_impulse_threshold(threshold).unwrap();
            }
            let first = heroes[0].body();
            for _ in 0..120 {
                advance(&mut world, &mut heroes, |hero| {
                    if hero.body() == first { DVec3::X * 3.0 } else { DVec3::ZERO }
                });
            }
            heroes.map(|hero| hero.character().position().x)
        };
    let due = walk_into(None);
    assert!(5.0 < due[1], "{due:?}");
    for threshold in [0.0, 10.0, f32::MAX] {
        assert_eq!(walk_into(Some(threshold)), due, "{threshold}");
    }
}

/// The kinetic energy along x.
pub(crate) fn energy(world: &World, bodies: &[(BodyId, f64)], heroes: &[CharacterBody]) -> f64 {
    let of = |mass: f64, speed: f64| 0.5 * mass * speed * speed;
    let bodies: f64 = bodies.iter().map(|(id, mass)| of(*mass, speed(world, *id))).sum();
    bodies + heroes.iter().map(|hero| of(80.0, hero.character().velocity().length())).sum::<f64>()
}

/// Pushes of a step counted again in each further walk, so a truck and a character got twice the
/// speed. A walk without time takes none.
#[test]
fn r_pushes_count_once() {
    for n_walks in [1, 2, 5] {
        for is_truck in [true, false] {
            let mut world = World::new();
            world.insert(floor()).unwrap();
            let truck = truck(&mut world, 20_000.0, if is_truck { 8.0 } else { 0.0 });
            let mut heroes = [hero(&mut world, capsule(), DVec3::ZERO)];
            for _ in 0..10 {
                advance(&mut world, &mut heroes, |_| DVec3::ZERO);
            }
            if !is_truck {
                world.body_mut(heroes[0].body()).unwrap().apply_impulse(Vec3::X * 640.0).unwrap();
            }
            let mut fastest = 0.0_f64;
            for _ in 0..30 {
                world.step(DT as f32).unwrap();
                heroes[0].walk(&mut world, DVec3::ZERO, 0.0).unwrap();
                for _ in 0..n_walks {
                    heroes[0].walk(&mut world, DVec3::ZERO, DT / f64::from(n_walks)).unwrap();
                    fastest = fastest.max(heroes[0].character().velocity().x);
                }
            }
            // A hit above the middle of the truck also turns it, so its face is a little faster.
            assert!((7.5..8.25).contains(&fastest), "{n_walks} walks: {fastest}");
            assert!(speed(&world, truck) < 8.001, "{n_walks} walks: {}", speed(&world, truck));
        }
    }
}

/// Several heavy bodies at once threw a character at the sum of their speeds. It gets at most the
/// speed of the fastest one, and no energy appears.
#[test]
fn r_several_bodies_at_once_are_one_impact() {
    for (mass, n, expected) in [(20_000.0, 1, 7.97), (20_000.0, 2, 7.98), (20_000.0, 5, 8.0), (80.0, 2, 5.33)]
    {
        let mut world = World::new();
        world.insert(floor()).unwrap();
        let width = 0.5 / n as f32;
        let bodies: Vec<(BodyId, f64)> = (0..n)
            .map(|k| {
                let z = width * (2 * k + 1 - n) as f32 * 0.2;
                let desc = box_of(mass, Vec3::new(0.5, 0.5 / n as f32 * 0.9, 0.5)).with_friction(0.0);
                let y = 0.4 + (k as f32 + 0.5) / n as f32;
                let desc = desc.with_locked_axes(LockedAxes::ROTATION).with_gravity_scale(0.0);
                let desc = desc.with_position(Vec3::new(-1.5, y, z)).with_linear_velocity(Vec3::X * 8.0);
                (world.insert(desc).unwrap(), f64::from(mass))
            })
            .collect();
        let mut heroes = [hero(&mut world, Figure::cylinder(1.8, 0.3).unwrap(), DVec3::ZERO)];
        let before = energy(&world, &bodies, &heroes);
        let mut fastest = 0.0_f64;
        for _ in 0..20 {
            advance(&mut world, &mut heroes, |_| DVec3::ZERO);
            fastest = fastest.max(heroes[0].character().velocity().x);
            let now = energy(&world, &bodies, &heroes);
            assert!(now < 1.001 * before, "{n} x {mass} kg: {before} {now}");
        }
        assert!((fastest - expected).abs() < 0.15, "{n} x {mass} kg: {fastest}");
    }
}

/// A character that walked was hit as if it stood. It is hit with the difference of the speeds, and
/// then has the speed of the impact.
#[test]
fn r_a_walker_is_hit_by_its_relative_speed() {
    for (mass, start, expected) in [(80.0, 6.0, 5.5), (20_000.0, 5.2, 5.2), (20_000.0, 8.0, 8.0)] {
        let mut world = World::new();
        world.insert(floor()).unwrap();
        let mut heroes = [hero(&mut world, capsule(), DVec3::ZERO)];
        for _ in 0..10 {
            advance(&mut world, &mut heroes, |_| DVec3::X * 5.0);
        }
        let front = heroes[0].character().position().x as f32 - 0.45;
        let desc = box_of(mass, Vec3::new(0.5, 1.0, 1.0)).with_friction(0.0);
        let desc =
            desc.with_position(Vec3::new(front - 0.5, 1.0, 0.0)).with_locked_axes(LockedAxes::ROTATION);
        let pusher = world.insert(desc.with_linear_velocity(Vec3::X * start)).unwrap();
        let (mut fastest, mut slowest) = (0.0_f64, f64::MAX);
        for _ in 0..120 {
            advance(&mut world, &mut heroes, |_| DVec3::X * 5.0);
            let now = heroes[0].character().velocity().x;
            (fastest, slowest) = (fastest.max(now), slowest.min(now));
        }
        let left = speed(&world, pusher);
        assert!((fastest - expected).abs() < 0.12, "{mass} kg, {start} m/s: {fastest}");
        assert!(4.9 < slowest && 4.8 < left, "{mass} kg, {start} m/s: {slowest} {left}");
    }
}

/// A walker that another one touched from behind lost its wish, and stumbled. It goes on, whichever
/// of them walks first, and so does a queue.
#[test]
fn r_a_push_from_behind_takes_nothing_from_the_wish() {
    for (n, is_reversed) in [(2, false), (2, true), (6, false), (6, true)] {
        let mut world = World::new();
        world.insert(floor()).unwrap();
        let at = |k: usize| DVec3::X * (-0.7 * k as f64);
        let mut heroes: Vec<CharacterBody> = (0..n).map(|k| hero(&mut world, capsule(), at(k))).collect();
        let mut wishes: Vec<f64> = (0..n).map(|k| 1.5 + 0.1 * k as f64).collect();
        if is_reversed {
            heroes.reverse();
            wishes.reverse();
        }
        for _ in 0..10 {
            advance(&mut world, &mut heroes, |_| DVec3::ZERO);
        }
        let starts: Vec<f64> = heroes.iter().map(|hero| hero.character().position().x).collect();
        for step in 0..300 {
            world.step(DT as f32).unwrap();
            for (hero, wish) in heroes.iter_mut().zip(&wishes) {
                hero.walk(&mut world, DVec3::X * *wish, DT).unwrap();
                let now = hero.character().velocity().x;
                // The one behind stops in a call in which it meets the one in front.
                assert!(now < 2.6 && (1.5 < *wish || 1.499 < now), "{n}, step {step}: {now} of {wish}");
            }
        }
        for (hero, start) in heroes.iter().zip(starts) {
            let mean = (hero.character().position().x - start) / 5.0;
            assert!((1.45..1.5 + 0.1 * n as f64).contains(&mean), "{n} walkers: {mean}");
        }
    }
}

/// A queue goes as one, no slower than its first walker and no faster than its last one wants, and
/// alike for one or several steps of the world for each walk.
#[test]
fn a_queue_goes_as_one_for_any_number_of_steps() {
    for (n, is_reversed) in [(2, false), (2, true), (6, false), (6, true), (12, false)] {
        let mut with_one_step = 0.0;
        for n_steps in [1, 2, 4] {
            let mut world = World::new();
            world.insert(floor()).unwrap();
            let at = |k: usize| DVec3::X * (-0.63 * k as f64);
            let mut heroes: Vec<CharacterBody> = (0..n).map(|k| hero(&mut world, capsule(), at(k))).collect();
            let mut wishes: Vec<f64> = (0..n).map(|k| 1.5 + 0.1 * k as f64).collect();
            if is_reversed {
                heroes.reverse();
                wishes.reverse();
            }
            let go = |world: &mut World, heroes: &mut Vec<CharacterBody>, n_walks: usize| {
                for _ in 0..n_walks {
                    for _ in 0..n_steps {
                        world.step((DT / f64::from(n_steps)) as f32).unwrap();
                    }
                    for (hero, wish) in heroes.iter_mut().zip(&wishes) {
                        hero.walk(world, DVec3::X * *wish, DT).unwrap();
                    }
                }
            };
            go(&mut world, &mut heroes, 180);
            let starts: Vec<f64> = heroes.iter().map(|hero| hero.character().position().x).collect();
            go(&mut world, &mut heroes, 240);
            let means = heroes.iter().zip(starts).map(|(hero, x)| (hero.character().position().x - x) / 4.0);
            let (least, most) = means.fold((f64::MAX, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)));
            let what = format!("{n} walkers, {n_steps} steps: {least} to {most} m/s");
            assert!(1.5 < least && most < 1.5 + 0.1 * n as f64 && most - least < 0.01 * least, "{what}");
            with_one_step = if n_steps == 1 { least } else { with_one_step };
            assert!((least / with_one_step - 1.0).abs() < 0.01, "{what}, {with_one_step} m/s with one");
        }
    }
}

/// Each neighbour in front got the whole knock of a character, so the energy grew in a crowd.
#[test]
fn r_a_crowd_gains_no_energy() {
    for (angle, n_knocked) in
        [0.0_f64, 0.5, 0.53, 0.6].into_iter().flat_map(|angle| [1, 3].map(|n| (angle, n)))
    {
        for is_reversed in [false, true] {
            let mut world = World::new();
            world.insert(floor()).unwrap();
            let (ahead, aside) = (0.63 * angle.cos(), 0.32 * (angle.sin() / 0.5).max(1.0));
            let place = |row: u8, k: u8| {
                DVec3::new(ahead * f64::from(row), 0.0, aside * (2.0 * f64::from(k) - f64::from(row)))
            };
            let rows = (0..5_u8).flat_map(|row| (0..=row).map(move |k| (row, k)));
            let mut heroes: Vec<CharacterBody> =
                rows.map(|(row, k)| hero(&mut world, capsule(), place(row, k))).collect();
            let knocked: Vec<BodyId> = heroes[..n_knocked].iter().map(|hero| hero.body()).collect();
            if is_reversed {
                heroes.reverse();
            }
            for _ in 0..5 {
                advance(&mut world, &mut heroes, |_| DVec3::ZERO);
            }
            for body in knocked {
                world.body_mut(body).unwrap().apply_impulse(Vec3::X * 640.0).unwrap();
            }
            let n = n_knocked as f64;
            for step in 0..120 {
                advance(&mut world, &mut heroes, |_| DVec3::ZERO);
                let knocks: f64 = heroes.iter().map(|hero| 40.0 * hero.knock().length_squared()).sum();
                let momentum: f64 = heroes.iter().map(|hero| 80.0 * hero.knock().x).sum();
                assert!(knocks < 2561.0 * n, "angle {angle}, {n}, step {step}: {knocks} J");
                assert!(momentum < 641.0 * n, "angle {angle}, {n}, step {step}: {momentum}");
            }
        }
    }
}

/// A heavy body with restitution lost half of its speed at a character, and two characters in a row
/// stopped it as a wall does.
#[test]
fn r_a_truck_goes_on_after_a_bounce_and_a_row() {
    for restitution in [0.0, 0.5, 1.0] {
        for n in [1_u8, 2] {
            for is_reversed in [false, true] {
                let mut world = World::new();
                world.insert(floor()).unwrap();
                let desc = box_of(20_000.0, Vec3::ONE).with_friction(0.0).with_restitution(restitution);
                let desc = desc.with_position(Vec3::new(-2.0, 1.0, 0.0)).with_linear_velocity(Vec3::X * 8.0);
                let truck = world.insert(desc).unwrap();
                let at = |k: u8| DVec3::X * (0.65 * f64::from(k));
                let mut heroes: Vec<CharacterBody> =
                    (0..n).map(|k| hero(&mut world, capsule(), at(k))).collect();
                if is_reversed {
                    heroes.reverse();
                }
                for _ in 0..60 {
                    advance(&mut world, &mut heroes, |_| DVec3::ZERO);
                }
                let left = speed(&world, truck);
                assert!((7.5..8.01).contains(&left), "{restitution}, {n} characters: {left}");
                let x = heroes.iter().map(|hero| hero.character().position().x).fold(f64::MAX, f64::min);
                assert!(3.0 < x, "{restitution}, {n} characters: {x}");
            }
        }
    }
}

/// A row of characters between a truck and a wall, or one that walks to the wall, stays in the room
/// and stops the truck. No energy appears, but for that of the feet.
#[test]
fn a_row_stays_between_a_truck_and_a_wall() {
    for (n, wish, start) in [(1_u8, 3.0, 8.0), (2, 0.0, 8.0), (3, 1.0, 4.0), (2, -1.5, 8.0)] {
        let mut world = World::new();
        world.insert(floor()).unwrap();
        let wall = BodyDesc::fixed(cuboid(Vec3::new(0.5, 2.0, 4.0)));
        let room = 0.65 * f32::from(n);
        world.insert(wall.with_position(Vec3::new(room + 0.3, 2.0, 0.0))).unwrap();
        let truck = truck(&mut world, 2_000.0, start);
        let at = |k: u8| DVec3::X * (0.65 * f64::from(k));
        let mut heroes: Vec<CharacterBody> = (0..n).map(|k| hero(&mut world, capsule(), at(k))).collect();
        let before = energy(&world, &[(truck, 2_000.0)], &heroes);
        for step in 0..300 {
            world.step(DT as f32).unwrap();
            for hero in &mut heroes {
                hero.walk(&mut world, DVec3::X * wish, DT).unwrap();
                let position = hero.character().position();
                assert!(position.x < f64::from(room) - 0.49, "{n}, {wish}, step {step}: {position}");
                assert!(hero.knock().length() < f64::from(start) + 0.1, "{n}, {wish}: {}", hero.knock());
            }
            let now = energy(&world, &[(truck, 2_000.0)], &heroes);
            assert!(now < 1.02 * before + 200.0, "{n}, {wish}, step {step}: {now} J");
        }
        assert!(speed(&world, truck) < 0.5, "{n}, {wish}: {}", speed(&world, truck));
    }
}

/// A push of the last step threw a character at the place to which it was moved, and its pusher
/// got velocity.
#[test]
fn r_set_position_forgets_pushes() {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    let truck = truck(&mut world, 20_000.0, 8.0);
    let mut hero = hero(&mut world, capsule(), DVec3::ZERO);
    for _ in 0..60 {
        world.step(DT as f32).unwrap();
        if world.body(hero.body()).unwrap().pushes().any(|push| push.by.is_some()) {
            break;
        }
        hero.walk(&mut world, DVec3::ZERO, DT).unwrap();
    }
    let stopped = speed(&world, truck);
    hero.set_position(&mut world, DVec3::new(0.0, 5.0, 50.0)).unwrap();
    hero.walk(&mut world, DVec3::ZERO, DT).unwrap();
    assert!(hero.knock() == DVec3::ZERO && hero.character().velocity().x == 0.0);
    assert!(stopped < 1.0 && speed(&world, truck) == stopped);
}

/// The part of a knock from the air that led up stayed after the landing, so the body lifted loads
/// with any force.
#[test]
fn r_a_knock_does_not_lead_up_on_the_ground() {
    for up in [-80.0, 0.0, 160.0, 320.0] {
        let mut world = World::new();
        world.insert(floor()).unwrap();
        let mut heroes = [hero(&mut world, capsule(), DVec3::Y * 0.3)];
        advance(&mut world, &mut heroes, |_| DVec3::ZERO);
        world.body_mut(heroes[0].body()).unwrap().apply_impulse(Vec3::new(800.0, up, 0.0)).unwrap();
        let mut n_on_ground = 0;
        for step in 0..90 {
            advance(&mut world, &mut heroes, |_| DVec3::ZERO);
            if heroes[0].ground().is_some() {
                n_on_ground += usize::from(1.0 < heroes[0].knock().x);
                assert!(heroes[0].knock().y == 0.0, "{up}, step {step}: {}", heroes[0].knock());
            }
        }
        assert!(5 < n_on_ground, "{up}: {n_on_ground}");
    }
}

/// A character that pushes nothing glided for ever after a knock.
#[test]
fn r_feet_without_a_force_of_pushes_brake() {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    let settings = CharacterSettings::default().with_push(80.0, 0.0);
    let character = Character::new(capsule(), settings, DVec3::Y * 0.91).unwrap();
    let mut heroes = [CharacterBody::insert(&mut world, character, Filter::default()).unwrap()];
    for _ in 0..10 {
        advance(&mut world, &mut heroes, |_| DVec3::ZERO);
    }
    world.body_mut(heroes[0].body()).unwrap().apply_impulse(Vec3::X * 320.0).unwrap();
    advance(&mut world, &mut heroes, |_| DVec3::ZERO);
    assert!(3.5 < heroes[0].knock().x);
    for _ in 0..300 {
        advance(&mut world, &mut heroes, |_| DVec3::ZERO);
    }
    assert!(heroes[0].knock() == DVec3::ZERO);
}
