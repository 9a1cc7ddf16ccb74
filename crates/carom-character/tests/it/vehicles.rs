//! Vehicles whose chassis is a body of a world: at rest, on slopes, driving, braking and landing,
//! against closed forms.

use carom_character::{Controls, Vehicle, WheelDesc};
use carom_geom::{Cuboid, HalfSpace, MassProperties};
use carom_math::glam::{DVec3, Quat, Vec3, Vec3Swizzles};
use carom_math::{Mat3, Pose};
use carom_query::Shape;
use carom_world::{BodyDesc, BodyId, ForceFieldDesc, ForceKind, Mobility, Response, World};

pub(crate) const MASS: f32 = 1200.0;
pub(crate) const RATES: [f32; 4] = [30.0, 60.0, 144.0, 240.0];

/// The height of the middle of the chassis above a road that carries nothing.
pub(crate) const STANDING: f32 = 0.85;

pub(crate) const BRAKED: Controls = Controls { throttle: 0.0, brake: 1.0, steer: 0.0 };

pub(crate) fn cuboid(half: Vec3) -> Shape {
    Shape::Cuboid(Cuboid::new(half).unwrap())
}

pub(crate) fn solid(mass: f32, half: Vec3) -> BodyDesc {
    let sq = half * half * (mass / 3.0);
    let inertia = Mat3::from_diagonal(Vec3::new(sq.y + sq.z, sq.z + sq.x, sq.x + sq.y));
    BodyDesc::dynamic(cuboid(half)).with_mass_properties(MassProperties::new(mass, Vec3::ZERO, inertia))
}

pub(crate) fn chassis() -> BodyDesc {
    solid(MASS, Vec3::new(1.9, 0.55, 0.8))
}

/// A car of the size of the default `Car`, driven on its rear wheels.
pub(crate) fn car_of(world: &mut World, chassis: BodyDesc) -> Vehicle {
    let mut car = Vehicle::new(world.insert(chassis).unwrap());
    for (x, z) in [(1.3, -0.75), (1.3, 0.75), (-1.3, -0.75), (-1.3, 0.75)] {
        let wheel = WheelDesc::new(0.35).with_mount(DVec3::new(x, -0.5, z));
        let wheel = if x < 0.0 { wheel.with_max_drive_force(3000.0) } else { wheel.with_max_steer(0.6) };
        car.add_wheel(wheel).unwrap();
    }
    car
}

pub(crate) fn car(world: &mut World, pose: Pose) -> Vehicle {
    car_of(world, chassis().with_pose(pose))
}

pub(crate) fn plane() -> Shape {
    Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap())
}

/// A plane that rises along x by an angle, and a car on it.
pub(crate) fn on_slope(degrees: f32) -> (World, Vehicle) {
    let turn = Quat::from_rotation_z(degrees.to_radians());
    let mut world = World::new();
    world.insert(BodyDesc::fixed(plane()).with_pose(Pose::new(turn, Vec3::ZERO))).unwrap();
    let car = car(&mut world, Pose::new(turn, turn * Vec3::Y * STANDING));
    (world, car)
}

pub(crate) fn run(world: &mut World, car: &mut Vehicle, controls: &Controls, seconds: f32, hertz: f32) {
    for _ in 0..(seconds * hertz).round() as usize {
        car.drive(world, controls, f64::from(1.0 / hertz)).unwrap();
        world.step(1.0 / hertz).unwrap();
    }
}

pub(crate) fn position_of(world: &World, id: BodyId) -> Vec3 {
    world.body(id).unwrap().position()
}

pub(crate) fn velocity(world: &World, id: BodyId) -> Vec3 {
    world.body(id).unwrap().linear_velocity()
}

/// On a level road the springs carry the weight, and are compressed by it as in the closed form.
#[test]
fn rests_on_its_springs() {
    for hertz in RATES {
        let (mut world, mut car) = on_slope(0.0);
        run(&mut world, &mut car, &BRAKED, 6.0, hertz);
        let load: f64 = car.wheels().iter().map(|wheel| wheel.load).sum();
        assert!((load / (f64::from(MASS) * 9.81) - 1.0).abs() < 1e-4, "{hertz} Hz: {load}");
        let pulse = std::f64::consts::TAU * 1.5;
        for wheel in car.wheels() {
            assert!((wheel.compression - 9.81 / (pulse * pulse)).abs() < 1e-4, "{hertz} Hz: {wheel:?}");
        }
        let left = velocity(&world, car.chassis()).length();
        println!("{hertz} Hz: {left:.1e} m/s");
        assert!(left < 1e-4, "{hertz} Hz: {left}");
    }
}

/// If the tangent of the slope is below the grip, a braked car stands still. Above, it slides.
#[test]
fn parks_on_slopes_below_the_grip() {
    for hertz in RATES {
        for degrees in [10.0_f32, 20.0, 30.0, 40.0, 46.0] {
            let (mut world, mut car) = on_slope(degrees);
            run(&mut world, &mut car, &BRAKED, 5.0, hertz);
            let from = position_of(&world, car.chassis());
            let mut fastest = 0.0_f32;
            for _ in 0..20 {
                run(&mut world, &mut car, &BRAKED, 1.0, hertz);
                fastest = fastest.max(velocity(&world, car.chassis()).length());
            }
            let crept = (position_of(&world, car.chassis()) - from).length();
            println!("{degrees} degrees, {hertz} Hz: {crept:.1e} m in 20 s, {fastest:.1e} m/s");
            assert!(crept < 1e-4 && fastest < 1e-3, "{degrees} degrees, {hertz} Hz: {crept} {fastest}");
        }
        let (mut world, mut car) = on_slope(52.0);
        run(&mut world, &mut car, &BRAKED, 4.0, hertz);
        assert!(0.3 < velocity(&world, car.chassis()).length(), "{hertz} Hz: tan is 1.28, the grip 1.1");
    }
}

/// Across a slope the tyres hold it without a brake.
#[test]
fn stands_across_a_slope_without_a_brake() {
    for hertz in RATES {
        let turn = Quat::from_rotation_x(20_f32.to_radians());
        let mut world = World::new();
        world.insert(BodyDesc::fixed(plane()).with_pose(Pose::new(turn, Vec3::ZERO))).unwrap();
        let mut car = car(&mut world, Pose::new(turn, turn * Vec3::Y * STANDING));
        run(&mut world, &mut car, &Controls::new(), 4.0, hertz);
        let from = position_of(&world, car.chassis());
        run(&mut world, &mut car, &Controls::new(), 10.0, hertz);
        let crept = (position_of(&world, car.chassis()) - from).length();
        println!("{hertz} Hz: {crept:.1e} m in 10 s");
        assert!(crept < 5e-3, "{hertz} Hz: {crept}");
    }
}

/// A car climbs a slope of 20 degrees, at the acceleration of the closed form, and straight.
#[test]
fn climbs() {
    for hertz in RATES {
        let (mut world, mut car) = on_slope(20.0);
        run(&mut world, &mut car, &BRAKED, 2.0, hertz);
        run(&mut world, &mut car, &Controls::new().with_throttle(1.0), 4.0, hertz);
        let expected = 4.0 * (6000.0 / f64::from(MASS) - 9.81 * 20.0_f64.to_radians().sin());
        println!("{hertz} Hz: {} of {expected}", car.speed());
        assert!((car.speed() / expected - 1.0).abs() < 0.03, "{hertz} Hz: {} of {expected}", car.speed());
        assert!(position_of(&world, car.chassis()).z.abs() < 0.01, "{hertz} Hz");
    }
}

/// From 20 m/s with all wheels locked it stops after v^2 / (2 mu g).
#[test]
fn brakes_in_the_distance_of_coulomb() {
    for hertz in RATES {
        let (mut world, mut car) = on_slope(0.0);
        run(&mut world, &mut car, &BRAKED, 2.0, hertz);
        world
            .body_mut(car.chassis())
            .unwrap()
            .set_linear_velocity(Vec3::X * 20.0)
            .unwrap()
            .set_angular_velocity(Vec3::ZERO)
            .unwrap();
        let from = position_of(&world, car.chassis()).x;
        run(&mut world, &mut car, &BRAKED, 4.0, hertz);
        let travel = position_of(&world, car.chassis()).x - from;
        let expected = 400.0 / (2.0 * 1.1 * 9.81);
        println!("{hertz} Hz: {travel} of {expected}");
        // The tolerance covers one step of braking, and the weight that shifts to the front.
        assert!((travel / expected - 1.0).abs() < 0.02, "{hertz} Hz: {travel} of {expected}");
        assert!(velocity(&world, car.chassis()).length() < 1e-3, "{hertz} Hz");
    }
}

/// Steered to the left (-z) it drives the circle of its wheel base, at a speed that the grip
/// bears.
#[test]
fn steers_the_circle_of_its_wheel_base() {
    for hertz in RATES {
        for steer in [0.2_f64, -0.35] {
            let (mut world, mut car) = on_slope(0.0);
            run(&mut world, &mut car, &BRAKED, 2.0, hertz);
            run(&mut world, &mut car, &Controls::new().with_throttle(0.3), 2.0, hertz);
            run(&mut world, &mut car, &Controls::new().with_steer(steer), 1.5, hertz);
            let body = world.body(car.chassis()).unwrap().motion();
            // The middle of the rear axle goes straight ahead.
            let rear = body.pose.transform_point(Vec3::X * -1.3);
            let radius = f64::from(body.velocity_at(rear).length() / body.angular_velocity.y);
            let expected = 2.6 / steer.tan();
            println!("{hertz} Hz, {steer}: {radius} of {expected}");
            // Both front wheels have one angle, but their circles differ.
            assert!((radius / expected - 1.0).abs() < 0.04, "{hertz} Hz: {radius} of {expected}");
        }
    }
}

/// With damping as the drag of the air, the speed ends at which the engine equals the drag.
#[test]
fn ends_at_the_speed_at_which_the_drag_is_the_drive() {
    for hertz in RATES {
        let mut world = World::new();
        world.insert(BodyDesc::fixed(plane())).unwrap();
        let chassis = chassis().with_position(Vec3::Y * STANDING).with_damping(0.25, 0.0);
        let mut car = car_of(&mut world, chassis);
        run(&mut world, &mut car, &Controls::new().with_throttle(0.5), 30.0, hertz);
        let expected = 3000.0 / (f64::from(MASS) * 0.25);
        println!("{hertz} Hz: {} of {expected}", car.speed());
        assert!((car.speed() / expected - 1.0).abs() < 0.01, "{hertz} Hz: {} of {expected}", car.speed());
    }
}

/// Dropped from two metres, standing or driving, a car lands on its wheels. It does not enter the
/// ground, gains no energy, and comes to rest.
#[test]
fn lands() {
    for hertz in RATES {
        for speed in [0.0, 15.0] {
            let mut world = World::new();
            world.insert(BodyDesc::fixed(plane())).unwrap();
            let mut car = car(&mut world, Pose::from_translation(Vec3::Y * (STANDING + 2.0)));
            world
                .body_mut(car.chassis())
                .unwrap()
                .set_linear_velocity(Vec3::X * speed)
                .unwrap()
                .set_angular_velocity(Vec3::ZERO)
                .unwrap();
            car.drive(&mut world, &Controls::default(), f64::from(1.0 / hertz)).unwrap();
            assert!(car.wheels().iter().all(|wheel| wheel.ground.is_none() && wheel.load == 0.0));
            let energy = |world: &World| world.energy().total();
            let (start, mut most, mut lowest) = (energy(&world), 0.0_f64, f32::INFINITY);
            for frame in 0..(6.0 * hertz) as usize {
                let controls = if frame as f32 <= 2.0 * hertz { Controls::new() } else { BRAKED };
                run(&mut world, &mut car, &controls, 1.0 / hertz, hertz);
                most = most.max(energy(&world));
                lowest = lowest.min(position_of(&world, car.chassis()).y);
            }
            let pose = world.body(car.chassis()).unwrap().pose();
            let left = velocity(&world, car.chassis());
            println!("{hertz} Hz, {speed} m/s: lowest {lowest}, energy {most:.1} of {start:.1}, left {left}");
            // Half the height of the chassis, less its slop.
            assert!(0.54 < lowest, "{hertz} Hz: {lowest}");
            assert!(most <= start * (1.0 + 1e-4), "{hertz} Hz: {most} of {start}");
            assert!(0.999 < (pose.rotation * Vec3::Y).y, "{hertz} Hz: {pose:?}");
            assert!(left.length() < 1e-3, "{hertz} Hz: {left}");
            assert!(pose.translation.z.abs() < 0.1, "{hertz} Hz: {pose:?}");
        }
    }
}

/// A gravity of a force field is a gravity too: on a slope the braked car stands still, and its
/// springs carry the weight. Without gravity in the field they carry nothing.
#[test]
fn a_field_is_a_gravity_too() {
    for hertz in RATES {
        for (degrees, g) in [(20.0, 9.81), (0.0, 9.81), (0.0, 3.0)] {
            let (mut world, mut car) = on_slope(degrees);
            if degrees != 0.0 {
                world.solver_settings_mut().gravity = Vec3::ZERO;
            }
            let field = ForceFieldDesc::everywhere(ForceKind::Gravity(Vec3::NEG_Y * g));
            world.insert_force_field(field).unwrap();
            run(&mut world, &mut car, &BRAKED, 6.0, hertz);
            let from = position_of(&world, car.chassis());
            run(&mut world, &mut car, &BRAKED, 20.0, hertz);
            let crept = (position_of(&world, car.chassis()) - from).length();
            assert!(crept < 1e-4, "{degrees} degrees, {hertz} Hz: {crept}");
            let load: f64 = car.wheels().iter().map(|wheel| wheel.load).sum();
            let weight = f64::from(MASS * g) * f64::from(degrees.to_radians().cos());
            assert!((load / weight - 1.0).abs() < 1e-4, "{degrees} degrees, {hertz} Hz: {load} of {weight}");
        }
    }
}

/// A force that is applied before each call is known to the wheels as a constant one is: the car
/// moves alike, to a tenth of a millimetre in four seconds.
#[test]
fn forces_of_the_step_are_known() {
    let (mut world, mut car) = on_slope(10.0);
    let (mut other_world, mut other) = on_slope(10.0);
    let force = Vec3::new(-500.0, -3000.0, 200.0);
    other_world.body_mut(other.chassis()).unwrap().set_constant_force(force, Vec3::ZERO).unwrap();
    for frame in 0..240 {
        world.body_mut(car.chassis()).unwrap().apply_force(force).unwrap();
        run(&mut world, &mut car, &BRAKED, 1.0 / 60.0, 60.0);
        run(&mut other_world, &mut other, &BRAKED, 1.0 / 60.0, 60.0);
        let [a, b] = [(&world, car.chassis()), (&other_world, other.chassis())]
            .map(|(world, id)| world.body(id).unwrap().position());
        assert!((a - b).length() < 1e-4, "{frame}: {a} {b}");
    }
    let load: f64 = car.wheels().iter().map(|wheel| wheel.load).sum();
    assert!(f64::from(MASS) * 9.81 < load, "{load}");
}

/// Wheels of a chassis that is not dynamic find the ground, keep their numbers finite, and push
/// nothing.
#[test]
fn wheels_of_a_chassis_on_rails_find_the_ground() {
    for chassis in [BodyDesc::kinematic(cuboid(Vec3::ONE)), BodyDesc::fixed(cuboid(Vec3::ONE))] {
        let is_moving = chassis.mobility == Mobility::Kinematic;
        let mut world = World::new();
        let road = world.insert(BodyDesc::fixed(plane())).unwrap();
        let chassis = chassis.with_position(Vec3::Y * (STANDING - 0.1));
        let mut car = car_of(&mut world, chassis.with_linear_velocity(Vec3::X * 2.0));
        let crate_ = solid(20.0, Vec3::splat(0.05)).with_position(Vec3::new(-1.3, 0.05, 0.75));
        let crate_ = world.insert(crate_).unwrap();
        let gas = Controls::new().with_throttle(1.0);
        for controls in [gas, Controls::new(), gas] {
            run(&mut world, &mut car, &controls, 0.2, 60.0);
            for wheel in car.wheels() {
                assert!(wheel.ground.is_some_and(|ground| ground == road || ground == crate_), "{wheel:?}");
                assert!((0.09..0.21).contains(&wheel.compression), "{wheel:?}");
                assert_eq!((wheel.load, wheel.traction), (0.0, DVec3::ZERO), "{wheel:?}");
            }
        }
        assert_eq!(is_moving, 0.1 < car.wheels()[0].rolled, "{:?}", car.wheels()[0]);
        assert!(velocity(&world, crate_).length() < 1e-3);
    }
}

/// Wheels roll through a body that the chassis passes.
#[test]
fn wheels_pass_what_the_chassis_passes() {
    for passes in [false, true] {
        let (mut world, mut car) = on_slope(0.0);
        let slab = BodyDesc::fixed(cuboid(Vec3::new(9.0, 0.05, 9.0))).with_position(Vec3::Y * 0.05);
        let slab = world.insert(slab).unwrap();
        if passes {
            world.set_pair_response(car.chassis(), slab, Some(Response::Pass)).unwrap();
        }
        run(&mut world, &mut car, &BRAKED, 3.0, 60.0);
        assert!(car.wheels().iter().all(|wheel| (wheel.ground != Some(slab)) == passes), "{passes}");
    }
}

/// A car that slides straight aside, rolling or spinning all wheels: a tyre that slid aside was not
/// reported as sliding, and full wheelspin left nearly half of the lateral grip.
#[test]
fn r_tyres_that_slide_aside_or_spin_say_so() {
    for (throttle, most) in [(0.0, 1.05), (1.0, 0.2)] {
        let mut world = World::new();
        world.insert(BodyDesc::fixed(plane())).unwrap();
        let chassis = world.insert(chassis().with_position(Vec3::Y * STANDING)).unwrap();
        let mut car = Vehicle::new(chassis);
        for (x, z) in [(1.3, -0.75), (1.3, 0.75), (-1.3, -0.75), (-1.3, 0.75)] {
            let wheel = WheelDesc::new(0.35).with_mount(DVec3::new(x, -0.5, z)).with_grip(0.3, 0.3);
            car.add_wheel(wheel.with_max_drive_force(10_000.0)).unwrap();
        }
        run(&mut world, &mut car, &BRAKED, 2.0, 60.0);
        world.body_mut(chassis).unwrap().set_linear_velocity(Vec3::Z * 6.0).unwrap();
        let controls = Controls::new().with_throttle(throttle);
        for n in 0..20 {
            run(&mut world, &mut car, &controls, 1.0 / 60.0, 60.0);
            for wheel in car.wheels() {
                let part = wheel.traction.z.abs() / (0.3 * wheel.load);
                assert!(wheel.is_sliding, "throttle {throttle}, step {n}: {wheel:?}");
                let is_in_range = part < most && (0.8 < part || 0.0 < throttle);
                assert!(is_in_range, "throttle {throttle}, step {n}: {part} of the lateral grip");
            }
        }
    }
}

/// A vehicle of 20 t on six wheels: the left ones are driven back and the right ones ahead, so it
/// turns left on the spot. With a brake on the left side alone it drives a bend to the left.
#[test]
fn a_tracked_vehicle_turns_on_the_spot() {
    for hertz in RATES {
        let mut world = World::new();
        world.insert(BodyDesc::fixed(plane())).unwrap();
        let hull = solid(20_000.0, Vec3::new(3.0, 0.5, 1.5)).with_position(Vec3::Y * 1.2);
        let hull = world.insert(hull).unwrap();
        let mut tank = Vehicle::new(hull);
        for (x, z) in [-1.6, 1.6].into_iter().flat_map(|z| [-2.4, 0.0, 2.4].map(|x| (x, z))) {
            let wheel = WheelDesc::new(0.5).with_mount(DVec3::new(x, -0.4, z)).with_grip(1.0, 0.4);
            tank.add_wheel(wheel.with_max_drive_force(20_000.0)).unwrap();
        }
        let go = |world: &mut World, tank: &mut Vehicle, sides: [Controls; 2], seconds: f32| {
            let controls = [0, 0, 0, 1, 1, 1].map(|side| sides[side]);
            for _ in 0..(seconds * hertz).round() as usize {
                tank.drive_each(world, &controls, f64::from(1.0 / hertz)).unwrap();
                world.step(1.0 / hertz).unwrap();
            }
            let body = world.body(hull).unwrap();
            (body.position(), body.rotation() * Vec3::X, body.angular_velocity())
        };
        let (start, ..) = go(&mut world, &mut tank, [BRAKED; 2], 1.0);
        let spin = [-1.0, 1.0].map(|throttle| Controls::new().with_throttle(throttle));
        let (position, ahead, turning) = go(&mut world, &mut tank, spin, 2.0);
        println!("{hertz} Hz: {turning} rad/s, {ahead}, {}", position - start);
        assert!(0.5 < turning.y && turning.xz().length() < 0.05, "{hertz} Hz: {turning}");
        assert!((position - start).xz().length() < 0.1, "{hertz} Hz: {position}");
        let (_, ahead, turning) = go(&mut world, &mut tank, [BRAKED; 2], 3.0);
        assert!(turning.length() < 1e-3, "{hertz} Hz: {turning}");
        let bend = [BRAKED, Controls::new().with_throttle(1.0)];
        let (_, then, turning) = go(&mut world, &mut tank, bend, 1.0);
        assert!(0.05 < turning.y && ahead.z * then.x - ahead.x * then.z > 0.0, "{hertz} Hz: {turning}");
        let wrong = tank.drive_each(&mut world, &[BRAKED; 5], 0.01);
        assert!(matches!(wrong, Err(carom_world::WorldError::BadValue { what: "number of controls", .. })));
    }
}
