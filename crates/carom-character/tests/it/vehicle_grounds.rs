//! Vehicles on moving decks, on sleds, on light boxes and among boxes; errors; copies of the
//! state.

use crate::vehicles::{
    BRAKED, MASS, RATES, STANDING, car, cuboid, on_slope, plane, position_of, run, solid, velocity,
};
use carom_character::{Controls, Vehicle, WheelDesc};
use carom_math::Pose;
use carom_math::glam::{DVec3, Quat, Vec3};
use carom_world::{BodyDesc, Mobility, World};

/// Parked on a deck that moves, rises and turns, a car stays at its point to within 1 % of the
/// path.
#[test]
fn decks_carry() {
    for hertz in RATES {
        let course = |t: f32| {
            let turn = Quat::from_rotation_y(0.15 * t);
            Pose::new(turn, Vec3::new(2.0 * t, 0.5 * (0.8 * t).sin() - 0.5, -t))
        };
        let mut world = World::new();
        let deck = cuboid(Vec3::new(6.0, 0.5, 6.0));
        let deck = world.insert(BodyDesc::kinematic(deck).with_pose(course(0.0))).unwrap();
        let mut car = car(&mut world, Pose::from_translation(Vec3::new(0.5, STANDING, 0.7)));
        run(&mut world, &mut car, &BRAKED, 3.0, hertz);
        let (mut mark, mut travel, mut last) = (Vec3::ZERO, 0.0, Vec3::ZERO);
        for frame in 1..=(10.0 * hertz) as usize {
            // The deck starts at full speed: the first second is for the springs and tyres.
            world.body_mut(deck).unwrap().move_to(course(frame as f32 / hertz)).unwrap();
            run(&mut world, &mut car, &BRAKED, 1.0 / hertz, hertz);
            let here = position_of(&world, car.chassis());
            if frame == hertz as usize {
                mark = world.body(deck).unwrap().pose().inverse_transform_point(here);
                last = here;
            }
            travel += if hertz as usize <= frame { (here - last).length() } else { 0.0 };
            last = here;
        }
        let on_deck =
            world.body(deck).unwrap().pose().inverse_transform_point(position_of(&world, car.chassis()));
        let off = (on_deck - mark).with_y(0.0).length();
        println!("{hertz} Hz: {off} of {travel}");
        assert!(off < 0.01 * travel && 15.0 < travel, "{hertz} Hz: {off} of {travel}");
    }
}

/// On a deck of constant velocity a car drives as on a road.
#[test]
fn drives_on_a_moving_deck() {
    for hertz in RATES {
        let mut world = World::new();
        let deck = cuboid(Vec3::new(60.0, 0.5, 6.0));
        let deck =
            BodyDesc::kinematic(deck).with_position(Vec3::Y * -0.5).with_linear_velocity(Vec3::Z * 3.0);
        world.insert(deck).unwrap();
        let mut car = car(&mut world, Pose::from_translation(Vec3::Y * STANDING));
        world
            .body_mut(car.chassis())
            .unwrap()
            .set_linear_velocity(Vec3::Z * 3.0)
            .unwrap()
            .set_angular_velocity(Vec3::ZERO)
            .unwrap();
        run(&mut world, &mut car, &BRAKED, 2.0, hertz);
        run(&mut world, &mut car, &Controls::new().with_throttle(0.5), 4.0, hertz);
        let v = velocity(&world, car.chassis());
        println!("{hertz} Hz: {v}");
        assert!((v - Vec3::new(10.0, 0.0, 3.0)).length() < 0.1, "{hertz} Hz: {v}");
    }
}

/// The tyres push the sled under a car back with the force with which they push the car. Without
/// friction under the sled the momenta stay equal and opposite.
#[test]
fn sleds_feel_the_opposite() {
    for hertz in RATES {
        for mass in [3000.0_f32, 300.0] {
            let mut world = World::new();
            world.insert(BodyDesc::fixed(plane()).with_friction(0.0)).unwrap();
            let sled = solid(mass, Vec3::new(8.0, 0.25, 3.0));
            let sled = world.insert(sled.with_position(Vec3::Y * 0.25)).unwrap();
            let mut car = car(&mut world, Pose::from_translation(Vec3::Y * (STANDING + 0.5)));
            run(&mut world, &mut car, &BRAKED, 3.0, hertz);
            run(&mut world, &mut car, &Controls::new().with_throttle(0.3), 1.2, hertz);
            let momenta = [velocity(&world, car.chassis()).x * MASS, velocity(&world, sled).x * mass];
            println!("{mass} kg, {hertz} Hz: {momenta:?}");
            assert!(1500.0 < momenta[0], "{hertz} Hz: {momenta:?}");
            assert!((momenta[0] + momenta[1]).abs() < 0.01 * momenta[0], "{hertz} Hz: {momenta:?}");
        }
    }
}

/// A car on four light boxes rests on them: neither throws the other away.
#[test]
fn light_boxes_bear_it() {
    for mass in [60.0, 20.0] {
        for hertz in RATES {
            let mut world = World::new();
            world.insert(BodyDesc::fixed(plane())).unwrap();
            let mut boxes = Vec::new();
            for (x, z) in [(1.3, -0.75), (1.3, 0.75), (-1.3, -0.75), (-1.3, 0.75)] {
                let one = solid(mass, Vec3::new(0.5, 0.2, 0.4)).with_position(Vec3::new(x, 0.2, z));
                boxes.push(world.insert(one).unwrap());
            }
            let mut car = car(&mut world, Pose::from_translation(Vec3::Y * (STANDING + 0.4)));
            let mut fastest = 0.0_f32;
            for _ in 0..(6.0 * hertz) as usize {
                run(&mut world, &mut car, &BRAKED, 1.0 / hertz, hertz);
                fastest = boxes.iter().map(|id| velocity(&world, *id).length()).fold(fastest, f32::max);
            }
            let heights: Vec<f32> = boxes.iter().map(|id| position_of(&world, *id).y).collect();
            let (left, height) = (velocity(&world, car.chassis()), position_of(&world, car.chassis()).y);
            println!("{mass} kg, {hertz} Hz: {heights:?}, car at {height}, left {left}, boxes {fastest} m/s");
            assert!(heights.iter().all(|y| (y - 0.2).abs() < 0.05), "{hertz} Hz: {heights:?}");
            assert!(left.length() < 0.01, "{hertz} Hz: {left}");
            assert!(STANDING < height && fastest < 3.0, "{hertz} Hz: {height}, {fastest}");
        }
    }
}

/// A car that drives over light boxes, on the ground and in the air, throws none of them away.
#[test]
fn light_boxes_are_not_thrown() {
    for hertz in RATES {
        let mut world = World::new();
        world.insert(BodyDesc::fixed(plane())).unwrap();
        let mut boxes = Vec::new();
        for i in 0..24 {
            let (x, z) = (4.0 + 0.9 * (i / 2) as f32, if i % 2 == 0 { -0.75 } else { 0.75 });
            let y = if i < 12 { 0.06 } else { 0.3 };
            let one = solid(1.0 + i as f32, Vec3::new(0.2, 0.06, 0.2)).with_position(Vec3::new(x, y, z));
            boxes.push(world.insert(one).unwrap());
        }
        let mut car = car(&mut world, Pose::from_translation(Vec3::Y * STANDING));
        run(&mut world, &mut car, &BRAKED, 0.2, hertz);
        let (mut fastest, mut highest) = (0.0_f32, 0.0_f32);
        for _ in 0..(6.0 * hertz) as usize {
            let throttle = if car.speed() < 6.0 { 0.5 } else { 0.0 };
            run(&mut world, &mut car, &Controls::new().with_throttle(throttle), 1.0 / hertz, hertz);
            for id in &boxes {
                fastest = fastest.max(velocity(&world, *id).length());
                highest = highest.max(position_of(&world, *id).y);
            }
        }
        let at = position_of(&world, car.chassis());
        println!("{hertz} Hz: boxes up to {fastest} m/s and {highest} m, car at {at}");
        assert!(20.0 < at.x && 0.6 < at.y && at.y < 1.0, "{hertz} Hz: {at}");
        assert!(fastest < 12.0 && highest < 1.5, "{hertz} Hz: {fastest} m/s, {highest} m");
    }
}

/// A car pushes a box ahead, and the box brakes it.
#[test]
fn pushes_boxes() {
    for hertz in RATES {
        let (mut world, mut car) = on_slope(0.0);
        let heavy = solid(300.0, Vec3::splat(0.5)).with_position(Vec3::new(6.0, 0.5, 0.0));
        let heavy = world.insert(heavy).unwrap();
        run(&mut world, &mut car, &BRAKED, 1.0, hertz);
        run(&mut world, &mut car, &Controls::new().with_throttle(0.6), 5.0, hertz);
        let (at, pushed) = (position_of(&world, car.chassis()), position_of(&world, heavy));
        println!("{hertz} Hz: car {at}, box {pushed}, {} m/s", car.speed());
        assert!(15.0 < pushed.x && at.x + 1.9 < pushed.x, "{hertz} Hz: {at} {pushed}");
        assert!(car.speed() < 0.95 * 5.0 * 3600.0 / f64::from(MASS), "{hertz} Hz: {}", car.speed());
    }
}

/// A drive among boxes that uses all of a vehicle's state. Returns a hash for each frame.
fn drive(world: &mut World, car: &mut Vehicle, frames: std::ops::Range<usize>) -> Vec<u64> {
    frames
        .map(|frame| {
            let controls = match frame / 40 % 4 {
                0 => Controls::new().with_throttle(0.9),
                1 => Controls::new().with_throttle(0.5).with_steer(0.3),
                2 => Controls::new().with_steer(-0.2),
                _ => BRAKED,
            };
            run(world, car, &controls, 1.0 / 60.0, 60.0);
            world.state_hash() ^ car.wheels().iter().fold(0, |h, wheel| h ^ wheel.load.to_bits())
        })
        .collect()
}

fn among_boxes() -> (World, Vehicle) {
    let (mut world, car) = on_slope(3.0);
    for i in 0..60 {
        let (x, z) = (4.0 + 1.1 * (i % 10) as f32, -3.0 + 1.1 * (i / 10) as f32);
        let one = solid(5.0 + i as f32, Vec3::new(0.3, 0.2, 0.3));
        world.insert(one.with_position(Vec3::new(x, 0.5 + 0.06 * x, z))).unwrap();
    }
    (world, car)
}

#[test]
fn threads_give_the_same_bits() {
    let with = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| {
            let (mut world, mut car) = among_boxes();
            drive(&mut world, &mut car, 0..200)
        })
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(7));
}

/// With a snapshot of the world and a copy of the vehicle, cloned or from text, the drive
/// continues with the same bits.
#[test]
fn its_state_is_data() {
    let (mut world, mut car) = among_boxes();
    drive(&mut world, &mut car, 0..90);
    let (snapshot, copy) = (world.snapshot(), car.clone());
    let text = serde_json::to_string(&car).unwrap();
    let truth = drive(&mut world, &mut car, 90..200);
    assert_ne!(copy, car);
    for mut car in [copy, serde_json::from_str::<Vehicle>(&text).unwrap()] {
        world.restore(&snapshot).unwrap();
        assert_eq!(drive(&mut world, &mut car, 90..200), truth);
    }
}

/// A stored wheel with a number out of its range is refused when it is read.
#[test]
fn a_broken_vehicle_is_refused() {
    let (_, car) = on_slope(0.0);
    let stored = serde_json::to_value(&car).unwrap();
    assert_eq!(serde_json::from_value::<Vehicle>(stored.clone()).unwrap(), car);
    for (name, value) in [("max_steer", -0.6), ("max_steer", 2.0), ("travel", -0.3), ("radius", 0.0)] {
        let mut broken = stored.clone();
        broken["wheels"][2]["desc"][name] = value.into();
        let error = serde_json::from_value::<Vehicle>(broken).unwrap_err().to_string();
        assert!(error.contains(name), "{name}: {error}");
    }
}

/// Numbers out of their range and removed bodies are errors, and change nothing.
#[test]
fn errors_name_what_is_wrong() {
    let (mut world, mut car) = on_slope(0.0);
    let wheel = WheelDesc::default();
    let bad = [
        (wheel.with_mount(DVec3::NAN), "mount"),
        (WheelDesc::new(0.0), "radius"),
        (wheel.with_travel(f64::INFINITY), "travel"),
        (wheel.with_suspension(-1.0, 0.5), "frequency"),
        (wheel.with_suspension(1.0, f64::NAN), "damping_ratio"),
        (wheel.with_grip(1.0, -0.1), "grip"),
        (wheel.with_max_steer(2.0), "max_steer"),
        (wheel.with_max_drive_force(f64::NAN), "max_drive_force"),
        (wheel.with_max_brake_force(-1.0), "max_brake_force"),
    ];
    for (desc, name) in bad {
        assert_eq!(car.add_wheel(desc).unwrap_err().0, name);
    }
    assert_eq!(car.wheels().len(), 4);
    let before = (car.clone(), world.state_hash());
    let controls = Controls { throttle: f64::NAN, ..BRAKED };
    assert!(car.drive(&mut world, &controls, 0.01).is_err());
    assert!(
        car.drive(&mut world, &BRAKED, 0.0).is_err() && car.drive(&mut world, &BRAKED, f64::NAN).is_err()
    );
    assert_eq!((car.clone(), world.state_hash()), before);
    // A fixed chassis does not drive, and is no error.
    world.body_mut(car.chassis()).unwrap().set_mobility(Mobility::Fixed).unwrap();
    car.drive(&mut world, &BRAKED, 0.01).unwrap();
    assert!(car.wheels().iter().all(|wheel| wheel.load == 0.0));
    world.remove(car.chassis()).unwrap();
    assert!(car.drive(&mut world, &BRAKED, 0.01).is_err());
}
