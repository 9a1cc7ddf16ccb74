//! Joints between bodies of very different mass: motors, springs and pendulums by their closed
//! forms.

use crate::jointed::{GRAVITY, coordinate_of, insert_box, insert_post, is_near, run, speed_of, world_with};
use crate::scenes::{CheckedStep, DT, ball, cuboid, ground};
use carom_geom::{Capsule, Cylinder};
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;
use carom_scenes::scoreboard::row;
use carom_testkit::scoreboard::carom_film;
use carom_world::{BodyDesc, BodyId, JointDesc, JointId, JointKind, Motor, Spring, World, mass_of};
use core::f32::consts::FRAC_PI_2;
use core::f64::consts::TAU;

/// The masses of A and B, in kilograms.
const PAIRS: [[f32; 2]; 6] = [[1.0, 1.0], [1.0, 2.0], [1e3, 1.0], [1.0, 1e3], [1e5, 1.0], [1.0, 1e5]];

/// The half extents of A and B.
const HALVES: [Vec3; 2] = [Vec3::new(0.3, 0.4, 0.5), Vec3::new(0.2, 0.3, 0.25)];

/// The moment of inertia of a box about its x axis.
fn inertia(mass: f32, half: Vec3) -> f64 {
    f64::from(mass) / 3.0 * f64::from(half.y * half.y + half.z * half.z)
}

/// The effective mass of two bodies that push each other.
fn reduced([a, b]: [f64; 2]) -> f64 {
    a * b / (a + b)
}

/// Two bodies in free space in a joint along or about x.
fn pair(masses: [f32; 2], kind: JointKind) -> (World, [BodyId; 2], JointId) {
    let mut world = world_with(0.0);
    let bodies = [0, 1].map(|k| insert_box(&mut world, HALVES[k], masses[k], Pose::IDENTITY));
    let desc = JointDesc::new(bodies[0], bodies[1], kind).with_anchor(Vec3::ZERO).with_axis(Vec3::X);
    let joint = world.insert_joint(desc).unwrap();
    (world, bodies, joint)
}

fn driven(is_hinge: bool, motor: Motor) -> JointKind {
    let motor = Some(motor);
    if is_hinge {
        JointKind::Revolute { limits: None, motor }
    } else {
        JointKind::Prismatic { limits: None, motor }
    }
}

fn inertias(masses: [f32; 2], is_hinge: bool) -> [f64; 2] {
    [0, 1].map(|k| if is_hinge { inertia(masses[k], HALVES[k]) } else { f64::from(masses[k]) })
}

/// A force F gives each body F / m, and a torque T gives it T / I.
#[test]
fn motors_act_on_true_masses() {
    for masses in PAIRS {
        for is_hinge in [false, true] {
            let own = inertias(masses, is_hinge);
            let force = reduced(own) as f32;
            let kind = driven(is_hinge, Motor::velocity(1000.0).with_max_force(force));
            let (mut world, bodies, joint) = pair(masses, kind);
            run(&mut world, 2.0);
            let speed = speed_of(&world, joint);
            assert!(is_near(speed, 2.0, 0.01), "{masses:?}, {is_hinge}: {speed}");
            for k in 0..2 {
                let body = world.body(bodies[k]).unwrap();
                let motion = if is_hinge { body.angular_velocity() } else { body.linear_velocity() };
                let expected = 2.0 * f64::from(force) / own[k] * [-1.0, 1.0][k];
                assert!(is_near(f64::from(motion.x), expected, 0.01), "{masses:?}, {is_hinge}: {motion}");
            }
        }
    }
}

/// Returns the mean time between passes of `target`, from one side to the other and back.
fn period(world: &mut World, joint: JointId, target: f64, n_steps: usize) -> f64 {
    let (mut last, mut passes) = (coordinate_of(world, joint) - target, Vec::new());
    for step in 0..n_steps {
        world.checked_step(DT).unwrap();
        let now = coordinate_of(world, joint) - target;
        if last < 0.0 && 0.0 <= now {
            passes.push(f64::from(DT) * (step as f64 + last / (last - now)));
        }
        last = now;
    }
    (passes[passes.len() - 1] - passes[0]) / (passes.len() - 1) as f64
}

/// A spring of frequency f and stiffness k = m (2 pi f)^2 has the period 1 / f. It holds a constant
/// force F at the distance F / k.
#[test]
fn springs_have_their_period_and_their_stiffness() {
    for masses in PAIRS {
        for is_hinge in [false, true] {
            let what = format!("{masses:?}, {is_hinge}");
            let kind = driven(is_hinge, Motor::position(0.3, Spring::new(0.8, 0.0)));
            let (mut world, _, joint) = pair(masses, kind);
            let found = period(&mut world, joint, 0.3, 600);
            assert!(is_near(found, 1.0 / 0.8, 0.01), "{what}: {found}");

            let kind = driven(is_hinge, Motor::position(0.0, Spring::new(2.0, 1.0)));
            let (mut world, bodies, joint) = pair(masses, kind);
            let mass = reduced(inertias(masses, is_hinge));
            let push = Vec3::X * (10.0 * mass) as f32;
            for _ in 0..180 {
                for (body, push) in bodies.into_iter().zip([-push, push]) {
                    let mut body = world.body_mut(body).unwrap();
                    if is_hinge {
                        body.apply_torque(push).unwrap();
                    } else {
                        body.apply_force(push).unwrap();
                    }
                }
                world.checked_step(DT).unwrap();
            }
            let coordinate = coordinate_of(&world, joint);
            assert!(is_near(coordinate, 10.0 / (TAU * 2.0).powi(2), 0.01), "{what}: {coordinate}");
        }
    }
}

/// A door on a body that is welded to a post: period 2 pi sqrt(I / (m g r)) for small angles.
#[test]
fn a_light_pendulum_swings_at_its_period_on_a_heavy_body() {
    for mass in [1.0, 1e3, 1e5] {
        let mut world = world_with(GRAVITY);
        let post = insert_post(&mut world, Vec3::ZERO);
        let heavy = insert_box(&mut world, Vec3::splat(0.5), mass, Pose::IDENTITY);
        let half = Vec3::new(0.05, 0.5, 0.05);
        let light = insert_box(&mut world, half, 1.0, Pose::from_translation(Vec3::NEG_Y * 0.5));
        world.insert_joint(JointDesc::new(post, heavy, JointKind::Weld)).unwrap();
        let hinge = JointDesc::new(heavy, light, JointKind::FREE_REVOLUTE).with_anchor(Vec3::ZERO);
        let hinge = world.insert_joint(hinge.with_axis(Vec3::X)).unwrap();
        world.body_mut(light).unwrap().set_angular_velocity(Vec3::X * 0.2).unwrap();
        world.body_mut(light).unwrap().set_linear_velocity(Vec3::NEG_Z * 0.1).unwrap();
        let expected = TAU * ((inertia(1.0, half) + 0.25) / (f64::from(GRAVITY) * 0.5)).sqrt();
        let found = period(&mut world, hinge, 0.0, 900);
        assert!(is_near(found, expected, 0.01), "{mass}: {found} {expected}");
    }
}

/// The arm of a robot: two light links on a heavy base, the elbow stiff. A torque at the shoulder
/// turns both about it.
#[test]
fn a_motor_turns_an_arm_of_light_links_on_a_heavy_base() {
    for base in [10.0, 1e4, 1e6] {
        let mut world = world_with(0.0);
        let half = Vec3::new(0.05, 0.25, 0.05);
        let base = insert_box(&mut world, Vec3::splat(1.0), base, Pose::IDENTITY);
        let links =
            [0.25, 0.75].map(|y| insert_box(&mut world, half, 1.0, Pose::from_translation(Vec3::Y * y)));
        let at = |y: f32| Vec3::Y * y;
        let shoulder = driven(true, Motor::velocity(1000.0).with_max_force(0.5));
        let shoulder = JointDesc::new(base, links[0], shoulder).with_anchor(at(0.0)).with_axis(Vec3::X);
        let shoulder = world.insert_joint(shoulder).unwrap();
        world.insert_joint(JointDesc::new(links[0], links[1], JointKind::Weld).with_anchor(at(0.5))).unwrap();
        run(&mut world, 1.0);
        let arm = 2.0 * inertia(1.0, half) + 0.25f64.powi(2) + 0.75f64.powi(2);
        let speed = speed_of(&world, shoulder);
        // A base of 10 kg is moved by the arm, so it is only compared from 1e4 kg on.
        let mass = world.body(base).unwrap().mass();
        assert!(mass < 100.0 || is_near(speed, 0.5 / arm, 0.01), "{mass}: {speed} {}", 0.5 / arm);
    }
}

/// A door on a ship by two hinges turns by its own inertia.
#[test]
fn two_hinges_on_one_heavy_body_carry_nothing() {
    for ship in [100.0, 1e7] {
        let mut world = world_with(0.0);
        let half = Vec3::new(0.5, 1.0, 0.05);
        let ship = insert_box(&mut world, Vec3::splat(3.0), ship, Pose::IDENTITY);
        let door = insert_box(&mut world, half, 20.0, Pose::from_translation(Vec3::X * 0.5));
        let motor = Motor::velocity(1000.0).with_max_force(5.0);
        let kinds = [driven(true, motor), JointKind::FREE_REVOLUTE];
        let hinges = [-0.8, 0.8].map(|y| Vec3::Y * y).into_iter().zip(kinds).map(|(at, kind)| {
            world.insert_joint(JointDesc::new(ship, door, kind).with_anchor(at).with_axis(Vec3::Y)).unwrap()
        });
        let hinges: Vec<JointId> = hinges.collect();
        run(&mut world, 1.0);
        let door = 20.0 / 3.0 * (0.25 + 0.05f64.powi(2)) + 20.0 * 0.25;
        // A ship of 100 kg, 6 m wide, is turned too, and moved.
        let speed = speed_of(&world, hinges[0]);
        let mass = world.body(ship).unwrap().mass();
        assert!(mass < 1e3 || is_near(speed, 5.0 / door, 0.01), "{mass}: {speed} {}", 5.0 / door);
    }
}

/// A light pinion turns a heavy wheel: the motor turns the inertia of both.
#[test]
fn a_light_pinion_drives_a_heavy_wheel() {
    for masses in [[1.0, 1e5], [1e5, 1.0]] {
        let mut world = world_with(0.0);
        let mut joints = Vec::new();
        for (k, mass) in masses.into_iter().enumerate() {
            let at = Vec3::X * (2.0 * k as f32);
            let post = insert_post(&mut world, at);
            let wheel = insert_box(&mut world, HALVES[0], mass, Pose::from_translation(at));
            let desc = JointDesc::new(post, wheel, JointKind::FREE_REVOLUTE).with_anchor(at);
            joints.push(world.insert_joint(desc.with_axis(Vec3::X)).unwrap());
        }
        let ratio = 300.0;
        let gear = world.insert_joint(JointDesc::gear(joints[0], joints[1], ratio)).unwrap();
        let [own, other] = masses.map(|mass| inertia(mass, HALVES[0]));
        let all = own + other / f64::from(ratio * ratio);
        let motor = Motor::velocity(1000.0).with_max_force(2.0 * all as f32);
        world.joint_mut(joints[0]).unwrap().set_motor(Some(motor)).unwrap();
        run(&mut world, 2.0);
        let speed = speed_of(&world, joints[0]);
        assert!(is_near(speed, 4.0, 0.01), "{masses:?}: {speed}");
        let other = speed_of(&world, joints[1]);
        assert!(is_near(other, -speed / f64::from(ratio), 0.01), "{masses:?}: {other}");
        assert!(world.joint(gear).unwrap().error() < 1e-3);
    }
}

/// A load of 1000 links' mass swings for a minute on ten of them.
#[test]
fn a_chain_under_a_thousandfold_load_swings_for_a_minute() {
    let row = row("hung-1000").unwrap();
    let film = carom_film(&row.scene, 60.0, false);
    for figure in &row.figures {
        let number = figure.of(&film);
        println!("{}: {number} ({})", figure.name, figure.limit);
        assert!(figure.limit.allows(number), "{} is {number}, not {}", figure.name, figure.limit);
    }
}

fn insert(world: &mut World, shape: Shape, mass: f32, pose: Pose) -> BodyId {
    let density = mass / mass_of(&shape, 1.0).mass;
    world.insert(BodyDesc::dynamic(shape).with_density(density).with_pose(pose).with_family(1)).unwrap()
}

/// Steps so many times. Returns the largest error of a joint.
fn largest_gap(world: &mut World, n_steps: usize) -> f32 {
    let mut gap = 0.0f32;
    for _ in 0..n_steps {
        world.checked_step(DT).unwrap();
        gap = world.joints().map(|joint| joint.error()).fold(gap, f32::max);
    }
    gap
}

/// The handle of a flail is caught on two bars, by contact alone. So its chain carries the load
/// although no joint fixes it: without the contact as a connection its joints opened by 14 m.
#[test]
fn a_chain_carries_a_load_from_a_contact() {
    for (link, load) in [(0.01, 10.0), (0.01, 600.0), (1.0, 10_000.0)] {
        let mut world = world_with(GRAVITY);
        for x in [-0.6, 0.6] {
            let bar = BodyDesc::fixed(cuboid(Vec3::new(0.5, 0.2, 0.5)));
            world.insert(bar.with_position(Vec3::new(x, -0.35, 0.0))).unwrap();
        }
        let down = |y: f32| Vec3::NEG_Y * y;
        let mut last = insert(&mut world, cuboid(Vec3::new(0.5, 0.1, 0.1)), link, Pose::IDENTITY);
        let free = JointKind::FREE_SPHERICAL;
        for k in 0..10 {
            let top = 0.3 * k as f32;
            let capsule = Shape::Capsule(Capsule::new(0.12, 0.03).unwrap());
            let next = insert(&mut world, capsule, link, Pose::from_translation(down(top + 0.15)));
            world.insert_joint(JointDesc::new(last, next, free).with_anchor(down(top))).unwrap();
            last = next;
        }
        let iron = insert(&mut world, ball(0.4), load, Pose::from_translation(down(3.4)));
        world.insert_joint(JointDesc::new(last, iron, free).with_anchor(down(3.0))).unwrap();
        world.body_mut(iron).unwrap().set_linear_velocity(Vec3::X * 2.0).unwrap();
        let gap = largest_gap(&mut world, 900);
        assert!(gap < 0.1, "{load} kg on {link} kg: {gap}");
    }
}

/// A truck rolls on light wheels. The ground carries them, so they carry the truck.
#[test]
fn light_wheels_carry_a_heavy_truck() {
    for (chassis, knuckle, wheel) in [(2e3, 20.0, 50.0), (1e4, 2.0, 10.0), (1e5, 2.0, 10.0)] {
        let mut world = world_with(GRAVITY);
        world.insert(ground()).unwrap();
        let pose = Pose::from_translation(Vec3::Y * 1.1);
        let body = insert(&mut world, cuboid(Vec3::new(2.0, 0.3, 0.8)), chassis, pose);
        let mut bodies = vec![body];
        for (x, z) in [(-1.5, -1.0), (-1.5, 1.0), (1.5, -1.0), (1.5, 1.0)] {
            let at = Vec3::new(x, 0.5, z);
            let holder = insert_box(&mut world, Vec3::splat(0.1), knuckle, Pose::from_translation(at));
            let round = Shape::Cylinder(Cylinder::new(0.2, 0.5).unwrap());
            let round = insert(&mut world, round, wheel, Pose::new(Quat::from_rotation_x(FRAC_PI_2), at));
            world.insert_joint(JointDesc::new(body, holder, JointKind::Weld).with_anchor(at)).unwrap();
            let axle = JointDesc::revolute(holder, round).with_anchor(at).with_axis(Vec3::Z);
            world.insert_joint(axle).unwrap();
            bodies.extend([holder, round]);
        }
        for &id in &bodies {
            world.body_mut(id).unwrap().set_linear_velocity(Vec3::X * 5.0).unwrap();
        }
        let gap = largest_gap(&mut world, 300);
        let height = world.body(body).unwrap().position().y;
        assert!(gap < 0.02 && 1.07 < height, "{chassis} kg: {gap}, {height}");
    }
}
