//! Characters on and among cloth and soft bodies.

use crate::figures_and_bodies::{DT, go};
use crate::in_world::{capsule, floor, hero};
use crate::vehicles::{BRAKED, STANDING, car, position_of, run};
use carom_character::{CharacterBody, Controls, Vehicle};
use carom_math::Pose;
use carom_math::glam::{DVec3, Vec3};
use carom_particles::{ClothSettings, SoftBodySettings};
use carom_world::{BodyDesc, SoftBodyDesc, SoftBodyId, SoftSettings, World};

/// The vertices and the cells of a block, each as six tetrahedra around its diagonal. Its middle
/// is at x and z 0, and its bottom at y 0.
pub(crate) fn block(n: [u32; 3], size: f32) -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let at = |i: u32, j: u32, k: u32| (i * (n[1] + 1) + j) * (n[2] + 1) + k;
    let (mut vertices, mut cells) = (Vec::new(), Vec::new());
    let middle = Vec3::new(0.5 * n[0] as f32, 0.0, 0.5 * n[2] as f32);
    for i in 0..=n[0] {
        for j in 0..=n[1] {
            for k in 0..=n[2] {
                vertices.push((Vec3::new(i as f32, j as f32, k as f32) - middle) * size);
            }
        }
    }
    for i in 0..n[0] {
        for j in 0..n[1] {
            for k in 0..n[2] {
                let [first, last] = [at(i, j, k), at(i + 1, j + 1, k + 1)];
                let [x, y, z] = [at(i + 1, j, k), at(i, j + 1, k), at(i, j, k + 1)];
                let [xy, yz, zx] = [at(i + 1, j + 1, k), at(i, j + 1, k + 1), at(i + 1, j, k + 1)];
                for [a, b] in [[x, xy], [xy, y], [y, yz], [yz, z], [z, zx], [zx, x]] {
                    cells.push([first, a, b, last]);
                }
            }
        }
    }
    (vertices, cells)
}

const THICKNESS: f32 = 0.04;

/// A mattress of 2.4 m by 2.4 m by 0.4 m with pinned bottom.
fn mattress(world: &mut World) -> SoftBodyId {
    let (vertices, cells) = block([12, 2, 12], 0.2);
    let pinned: Vec<u32> = (0..).zip(&vertices).filter(|(_, p)| p.y == 0.0).map(|(v, _)| v).collect();
    let foam =
        SoftBodySettings::default().with_youngs_modulus(3e4).with_poisson_ratio(0.2).with_damping(10.0);
    let desc = SoftBodyDesc::volume(&vertices, &cells, foam).with_density(50.0).with_thickness(THICKNESS);
    world.insert_soft_body(desc.with_pinned(&pinned)).unwrap()
}

/// A trampoline of 3 m by 3 m, pinned along its border at the height 1.
fn trampoline(world: &mut World, cells: u32, damping: f32) -> SoftBodyId {
    let mat = ClothSettings::default().with_stretch_stiffness(6e4).with_damping(damping);
    let desc =
        SoftBodyDesc::grid([3.0, 3.0], [cells, cells], mat).with_density(2.0).with_thickness(THICKNESS);
    let border: Vec<u32> = (0..(cells + 1) * (cells + 1))
        .filter(|v| [v % (cells + 1), v / (cells + 1)].iter().any(|i| *i == 0 || *i == cells))
        .collect();
    // Light vertices under a heavy load need more substeps, or the mat stretches too much.
    world.set_soft_settings(SoftSettings::default().with_substeps(16)).unwrap();
    world.insert_soft_body(desc.with_pinned(&border).with_position(Vec3::Y)).unwrap()
}

fn feet(hero: &CharacterBody) -> DVec3 {
    hero.character().feet()
}

fn loaded(hero: &mut CharacterBody, mass: f64) {
    let settings = hero.character().settings().with_push(mass, 600.0);
    hero.character_mut().set_settings(settings).unwrap();
}

/// The height of the feet after 10 s on soft ground, of a character of this mass. It never leaves
/// the ground once it has settled.
fn settled(make: impl Fn(&mut World) -> SoftBodyId, height: f64, mass: f64) -> f64 {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    let soft = make(&mut world);
    let mut hero = hero(&mut world, capsule(), DVec3::Y * height);
    loaded(&mut hero, mass);
    go(&mut world, &mut hero, DVec3::ZERO, 300);
    for _ in 0..300 {
        go(&mut world, &mut hero, DVec3::ZERO, 1);
        assert_eq!(hero.soft_ground(&world), Some(soft), "{mass} kg at {}", feet(&hero));
    }
    let left = hero.character().velocity().length();
    println!("{mass} kg: {:.4}, left {left:.4} m/s", feet(&hero));
    assert!(left < 0.05 && feet(&hero).with_y(0.0).length() < 0.05, "{} {left}", feet(&hero));
    feet(&hero).y
}

/// Twice the mass sinks into a mattress 1.6 times as deep: 2^(2/3), by Hertz, for a ball in a
/// thick one. A trampoline hardens too.
#[test]
fn soft_ground_sags_with_the_mass() {
    let radius = 0.5 * f64::from(THICKNESS);
    let sags = [40.0, 80.0, 160.0].map(|mass| 0.4 + radius + 0.005 - settled(mattress, 0.43, mass));
    println!("mattress: {sags:.4?}");
    assert!(sags.iter().all(|sag| 0.003 < *sag && *sag < 0.25));
    for pair in sags.windows(2) {
        let ratio = pair[1] / pair[0];
        assert!(1.4 < ratio && ratio < 2.0, "{sags:?}");
    }
    let make = |world: &mut World| trampoline(world, 12, 3.0);
    let sags = [40.0, 80.0, 160.0].map(|mass| 1.0 + radius + 0.005 - settled(make, 1.03, mass));
    println!("trampoline: {sags:.4?}");
    assert!(0.1 < sags[0] && sags[2] < 0.6, "{sags:?}");
    for pair in sags.windows(2) {
        assert!(1.1 * pair[0] < pair[1] && pair[1] < 2.0 * pair[0], "{sags:?}");
    }
}

/// A character walks over a mattress and a trampoline, and is not below their surface anywhere.
#[test]
fn soft_ground_is_walked_across() {
    for (soft, top) in [(true, 0.4), (false, 1.0)] {
        let mut world = World::new();
        world.insert(floor()).unwrap();
        let soft = if soft { mattress(&mut world) } else { trampoline(&mut world, 12, 3.0) };
        let mut hero = hero(&mut world, capsule(), DVec3::new(-0.9, top + 0.03, 0.0));
        go(&mut world, &mut hero, DVec3::ZERO, 120);
        let mut lowest = f64::MAX;
        let mut n = 0;
        while feet(&hero).x < 0.9 {
            go(&mut world, &mut hero, DVec3::X, 1);
            lowest = lowest.min(feet(&hero).y);
            n += 1;
            assert!(n < 300, "{}", feet(&hero));
        }
        println!("{n} steps, down to {lowest:.3}, at {:.3}", feet(&hero));
        assert_eq!(hero.soft_ground(&world), Some(soft));
        assert!(top - 0.5 < lowest, "{lowest}");
        // 1.8 m at 1 m/s, and slower on slopes.
        assert!(107 < n && n < 180, "{n}");
    }
}

/// A character that falls on a trampoline is thrown up: without damping about as high as it fell,
/// and less high with it. Weights that change under the feet change the height by a few percent.
#[test]
fn a_trampoline_throws() {
    let mut last = f64::MAX;
    for damping in [0.0, 2.0, 20.0] {
        let mut world = World::new();
        world.insert(floor()).unwrap();
        trampoline(&mut world, 12, damping);
        let mut hero = hero(&mut world, capsule(), DVec3::Y * 2.0);
        let (mut lowest, mut peak, mut was_down) = (f64::MAX, f64::MIN, false);
        for _ in 0..180 {
            go(&mut world, &mut hero, DVec3::ZERO, 1);
            lowest = lowest.min(feet(&hero).y);
            was_down |= hero.character().ground().is_some();
            if was_down {
                peak = peak.max(feet(&hero).y);
            }
        }
        println!("damping {damping}: down to {lowest:.3}, up to {peak:.3}");
        assert!(0.2 < lowest && lowest < 0.9, "{lowest}");
        assert!(peak < 2.1 && peak < last, "{peak}");
        assert!(0.0 < damping || 1.6 < peak, "{peak}");
        last = peak;
    }
}

/// A block of 0.6 m, with a mass, at x from 0.5 to 1.1.
fn free_block(world: &mut World, mass: f32, friction: f32) -> SoftBodyId {
    let (vertices, cells) = block([3, 5, 3], 0.2);
    let rubber = SoftBodySettings::default().with_youngs_modulus(1e5).with_damping(5.0);
    let desc =
        SoftBodyDesc::volume(&vertices, &cells, rubber).with_density(mass / 0.36).with_friction(friction);
    let desc = desc.with_thickness(THICKNESS).with_position(Vec3::new(0.8, 0.021, 0.0));
    world.insert_soft_body(desc).unwrap()
}

fn middle(world: &World, soft: SoftBodyId) -> Vec3 {
    let positions = world.soft_body(soft).unwrap().positions();
    positions.iter().sum::<Vec3>() / positions.len() as f32
}

fn momentum(world: &World, soft: SoftBodyId, mass: f32) -> f32 {
    let soft = world.soft_body(soft).unwrap();
    mass * soft.velocities().iter().sum::<Vec3>().x / soft.velocities().len() as f32
}

/// A soft block at a wall gives way a little, and stops a character.
#[test]
fn a_soft_block_stops_a_character() {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    let wall = crate::in_world::cuboid(Vec3::new(0.2, 2.0, 2.0));
    world.insert(BodyDesc::fixed(wall).with_position(Vec3::new(1.32, 2.0, 0.0))).unwrap();
    let soft = free_block(&mut world, 20.0, 0.5);
    let mut hero = hero(&mut world, capsule(), DVec3::X * -0.5);
    go(&mut world, &mut hero, DVec3::X * 2.0, 60);
    let early = feet(&hero).x;
    go(&mut world, &mut hero, DVec3::X * 2.0, 240);
    let (late, at) = (feet(&hero).x, middle(&world, soft));
    println!("{early:.3}, {late:.3}, block at {at:.3}");
    // The surface is at 0.48, and the figure has a radius of 0.3.
    assert!(0.17 < late && late < 0.4, "{late}");
    assert!((early - late).abs() < 0.05 && 0.7 < at.x, "{early} {late} {at}");
}

/// Without friction a heavy soft block gets the largest force of pushes. A light one gets the speed
/// of the character, and no more.
#[test]
fn a_soft_block_gets_the_force_of_the_push() {
    for mass in [300.0_f32, 20.0] {
        let mut world = World::new();
        world.insert(floor().with_friction(0.0)).unwrap();
        let soft = free_block(&mut world, mass, 0.0);
        let mut hero = hero(&mut world, capsule(), DVec3::X * 0.15);
        go(&mut world, &mut hero, DVec3::X * 2.0, 30);
        let before = momentum(&world, soft, mass);
        go(&mut world, &mut hero, DVec3::X * 2.0, 30);
        let gained = momentum(&world, soft, mass) - before;
        let speed = (before + gained) / mass;
        println!("{mass} kg: {before:.1} then {gained:.1} more, {speed:.2} m/s, {:.3}", feet(&hero));
        if mass == 300.0 {
            assert!(200.0 < gained && gained < 303.0, "{gained}");
        } else {
            assert!((speed / 2.0 - 1.0).abs() < 0.1, "{speed}");
        }
    }
}

/// A curtain moves aside, and falls back behind the character.
#[test]
fn a_curtain_moves_aside() {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    // It hangs from its upper row, along z, at x 1, down to 0.1.
    let mut desc = SoftBodyDesc::grid([2.0, 2.4], [16, 20], ClothSettings::default().with_damping(1.0));
    let turned: Vec<Vec3> = desc.vertices.iter().map(|p| Vec3::new(1.0, 1.3 + p.z, p.x)).collect();
    let top: Vec<u32> = (0..).zip(&turned).filter(|(_, p)| 2.49 < p.y).map(|(v, _)| v).collect();
    desc.vertices = turned;
    let desc = desc.with_density(0.25).with_thickness(0.05).with_pinned(&top);
    let curtain = world.insert_soft_body(desc).unwrap();
    let mut hero = hero(&mut world, capsule(), DVec3::ZERO);
    let mut furthest = 0.0_f32;
    for step in 0..240 {
        go(&mut world, &mut hero, DVec3::X * 1.5, 1);
        let positions = world.soft_body(curtain).unwrap().positions();
        furthest = positions.iter().map(|p| (p.x - 1.0).abs()).fold(furthest, f32::max);
        if step % 30 == 29 {
            println!("{:.3}, furthest {furthest:.2}", feet(&hero));
        }
    }
    assert!(4.5 < feet(&hero).x && 0.3 < furthest, "{} {furthest}", feet(&hero));
    // It swings about its rest.
    let mut mean = Vec3::ZERO;
    for _ in 0..600 {
        go(&mut world, &mut hero, DVec3::ZERO, 1);
        mean += middle(&world, curtain) / 600.0;
    }
    println!("{mean:.3}");
    assert!((mean.x - 1.0).abs() < 0.2 && mean.y < 1.8, "{mean}");
}

/// A car of 1200 kg drives over a rubber bump of 2 m by 0.2 m by 3 m, and is raised by it.
#[test]
fn a_car_rolls_over_a_soft_bump() {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    let (vertices, cells) = block([10, 1, 15], 0.2);
    let rubber = SoftBodySettings::default().with_youngs_modulus(5e5).with_damping(5.0);
    let desc = SoftBodyDesc::volume(&vertices, &cells, rubber).with_density(300.0).with_thickness(THICKNESS);
    let bump = world.insert_soft_body(desc.with_position(Vec3::new(5.0, 0.021, 0.0))).unwrap();
    let mut car = car(&mut world, Pose::from_translation(Vec3::Y * STANDING));
    run(&mut world, &mut car, &BRAKED, 2.0, 60.0);
    let standing = position_of(&world, car.chassis()).y;
    let (mut highest, mut n_wheels) = (0.0_f32, [0; 4]);
    for step in 0..240 {
        let controls = Controls::new().with_throttle(if car.speed() < 4.0 { 0.5 } else { 0.0 });
        run(&mut world, &mut car, &controls, 1.0 / 60.0, 60.0);
        let at = position_of(&world, car.chassis());
        highest = highest.max(at.y);
        for (n, wheel) in n_wheels.iter_mut().zip(car.wheels()) {
            *n += u32::from(wheel.soft_ground == Some(bump));
        }
        if step % 20 == 0 {
            println!(
                "{at:.3} {:?}",
                car.wheels().iter().map(|w| w.soft_ground.is_some()).collect::<Vec<_>>()
            );
        }
    }
    let at = position_of(&world, car.chassis());
    println!(
        "from {standing:.3} up to {highest:.3}, at {at:.3}, wheels {n_wheels:?}, bump at {}",
        middle(&world, bump)
    );
    assert!(7.5 < at.x && n_wheels.iter().all(|n| 10 < *n), "{at} {n_wheels:?}");
    assert!(standing + 0.08 < highest && highest < standing + 0.4, "{highest}");
    assert!((at.y - standing).abs() < 0.05, "{at}");
}

/// A car drives over a bridge of strong cloth between two banks. The bridge sags under it, and
/// bears all wheels.
#[test]
fn a_car_crosses_a_soft_bridge() {
    let mut world = World::new();
    for x in [-6.0, 10.0] {
        let bank = crate::in_world::cuboid(Vec3::new(5.0, 0.5, 3.0));
        world.insert(BodyDesc::fixed(bank).with_position(Vec3::new(x, -0.5, 0.0))).unwrap();
    }
    // From x -1 to 5.
    let mat = ClothSettings::default().with_stretch_stiffness(1e6).with_damping(5.0);
    let desc = SoftBodyDesc::grid([5.8, 4.0], [24, 16], mat).with_density(20.0).with_thickness(0.05);
    let ends: Vec<(u32, Vec3)> = (0..)
        .zip(&desc.vertices)
        .filter(|(_, p)| 2.89 < p.x.abs())
        .map(|(v, p)| (v, Vec3::new(2.0 + 3.0 * p.x.signum(), 0.0, p.z)))
        .collect();
    world.set_soft_settings(SoftSettings::default().with_substeps(12)).unwrap();
    let bridge = world.insert_soft_body(desc.with_position(Vec3::new(2.0, 0.0, 0.0))).unwrap();
    // Stretched by 3.4 %.
    for &(vertex, position) in &ends {
        world.soft_body_mut(bridge).unwrap().pin(vertex, position).unwrap();
    }
    let mut car = car(&mut world, Pose::from_translation(Vec3::new(-4.0, STANDING, 0.0)));
    run(&mut world, &mut car, &BRAKED, 1.0, 60.0);
    let (mut lowest, mut n_all) = (f64::MAX, 0);
    for step in 0..600 {
        let controls = Controls::new().with_throttle(if car.speed() < 3.0 { 0.6 } else { 0.0 });
        run(&mut world, &mut car, &controls, 1.0 / 60.0, 60.0);
        let at = position_of(&world, car.chassis());
        lowest = car.wheels().iter().map(|wheel| wheel.point.y).fold(lowest, f64::min);
        n_all += u32::from(car.wheels().iter().all(|wheel| wheel.soft_ground == Some(bridge)));
        if step % 30 == 0 {
            println!(
                "{at:.3} {:?}",
                car.wheels()
                    .iter()
                    .map(|w| (w.soft_ground.is_some(), w.load as i32, (w.point.y * 100.0) as i32))
                    .collect::<Vec<_>>()
            );
        }
        if 9.0 < at.x {
            break;
        }
    }
    let at = position_of(&world, car.chassis());
    println!("lowest wheel {lowest:.3}, {n_all} steps on the bridge alone, at {at:.3}");
    assert!(9.0 < at.x && 0.7 < at.y, "{at}");
    assert!(-0.4 < lowest && lowest < -0.02 && 20 < n_all, "{lowest} {n_all}");
}

/// The surface of a thick cloth is a radius above its triangles: more than the springs of a car
/// give way under its weight. All vertices are pinned, so it bears the car as a floor does.
#[test]
fn a_car_stands_on_thick_cloth_as_on_a_floor() {
    for turn in [0.0, 0.1] {
        let tilt = Pose::new(carom_math::glam::Quat::from_rotation_z(turn), Vec3::ZERO);
        let (mut soft, mut firm) = (World::new(), World::new());
        let mut desc = SoftBodyDesc::grid([8.0, 6.0], [16, 12], ClothSettings::default());
        desc.vertices.iter_mut().for_each(|p| *p = tilt.transform_point(*p));
        let all: Vec<u32> = (0..17 * 13).collect();
        let cloth = soft.insert_soft_body(desc.with_pinned(&all)).unwrap();
        let radius = soft.soft_body(cloth).unwrap().radius();
        assert!(0.15 < radius);
        let floor = crate::in_world::cuboid(Vec3::new(4.0, 1.0, 3.0));
        let below = tilt * Pose::from_translation(Vec3::Y * (radius - 1.0));
        firm.insert(BodyDesc::fixed(floor).with_pose(below)).unwrap();
        let start = tilt * Pose::from_translation(Vec3::Y * (STANDING + radius));
        let [on_cloth, on_floor] = [&mut soft, &mut firm].map(|world| {
            let mut car = car(world, start);
            for step in 0..180 {
                run(world, &mut car, &BRAKED, 1.0 / 60.0, 60.0);
                let loads: Vec<f64> = car.wheels().iter().map(|wheel| wheel.load).collect();
                let (least, most) =
                    loads.iter().fold((f64::MAX, 0.0_f64), |(a, b), x| (a.min(*x), b.max(*x)));
                assert!(0.0 < least && most < 3.0 * least, "step {step}: {loads:?}");
            }
            position_of(world, car.chassis())
        });
        assert!((on_cloth - on_floor).length() < 0.01, "{turn}: {on_cloth} {on_floor}");
    }
}

/// A character and a car among soft things.
fn scene() -> (World, CharacterBody, Vehicle) {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    mattress(&mut world);
    let (vertices, cells) = block([5, 1, 15], 0.2);
    let desc = SoftBodyDesc::volume(&vertices, &cells, SoftBodySettings::default()).with_density(300.0);
    let desc = desc.with_thickness(THICKNESS).with_position(Vec3::new(4.0, 0.021, 6.0));
    world.insert_soft_body(desc).unwrap();
    let car = car(&mut world, Pose::from_translation(Vec3::new(0.0, STANDING, 6.0)));
    let hero = hero(&mut world, capsule(), DVec3::Y * 0.6);
    (world, hero, car)
}

/// Runs the scene for some steps, and returns the hash of the world and the state of both.
fn play(world: &mut World, hero: &mut CharacterBody, car: &mut Vehicle, n: usize) -> (u64, String) {
    let controls = Controls::new().with_throttle(0.5);
    for step in 0..n {
        car.drive(world, &controls, DT).unwrap();
        let wish = if step % 60 < 40 { DVec3::X } else { DVec3::ZERO };
        go(world, hero, wish, 1);
    }
    (world.state_hash(), format!("{:?} {}", feet(hero), serde_json::to_string(car).unwrap()))
}

/// Any number of threads gives the same bits, and so does a snapshot with copies of both, cloned
/// and from text.
#[test]
fn its_bits_are_the_same() {
    let with = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| {
            let (mut world, mut hero, mut car) = scene();
            play(&mut world, &mut hero, &mut car, 150)
        })
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(7));

    let (mut world, mut hero, mut car) = scene();
    play(&mut world, &mut hero, &mut car, 90);
    assert!(hero.soft_ground(&world).is_some());
    let (snapshot, copies) = (world.snapshot(), (hero.clone(), car.clone()));
    let texts = (serde_json::to_string(&hero).unwrap(), serde_json::to_string(&car).unwrap());
    let saved = serde_json::to_string(&snapshot).unwrap();
    let truth = play(&mut world, &mut hero, &mut car, 60);
    for (mut hero, mut car) in
        [copies, (serde_json::from_str(&texts.0).unwrap(), serde_json::from_str(&texts.1).unwrap())]
    {
        world.restore(&serde_json::from_str(&saved).unwrap()).unwrap();
        assert_eq!(play(&mut world, &mut hero, &mut car, 60), truth);
    }
}

/// A character at rest lets its mattress fall asleep, and a jump wakes it.
#[test]
fn a_mattress_sleeps_under_a_character() {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    let soft = mattress(&mut world);
    let mut hero = hero(&mut world, capsule(), DVec3::Y * 0.43);
    for s in 0..20 {
        go(&mut world, &mut hero, DVec3::ZERO, 60);
        if world.soft_body(soft).unwrap().is_sleeping() {
            break;
        }
        let v = world.soft_body(soft).unwrap().velocities().iter().map(|v| v.length()).fold(0.0, f32::max);
        println!(
            "{s} {:?} {v} {}",
            hero.character().velocity(),
            world.soft_body(soft).unwrap().is_sleeping()
        );
    }
    assert!(world.soft_body(soft).unwrap().is_sleeping());
    let standing = feet(&hero);
    go(&mut world, &mut hero, DVec3::ZERO, 60);
    assert_eq!(feet(&hero), standing);
    assert!(hero.character_mut().jump(3.0));
    go(&mut world, &mut hero, DVec3::ZERO, 2);
    assert!(!world.soft_body(soft).unwrap().is_sleeping());
}
