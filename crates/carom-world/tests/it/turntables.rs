//! Bodies that turn carry others round.

use crate::scenes::{CheckedStep, cuboid, ground};
use carom_geom::Cylinder;
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;
use carom_world::{BodyDesc, BodyId, ColliderDesc, World};

const RATES: [f32; 3] = [30.0, 60.0, 240.0];

/// A box at this place on a disc with its top at the height of 0.
fn cargo(place: Vec3) -> BodyDesc {
    BodyDesc::dynamic(cuboid(Vec3::new(0.1, 0.05, 0.1))).with_mass(1.0).with_position(place + Vec3::Y * 0.05)
}

fn disc() -> Shape {
    Shape::Cylinder(Cylinder::new(0.1, 5.0).unwrap())
}

/// The same box with the velocities of a disc about the axis through the origin.
fn riding(desc: BodyDesc, spin: Vec3) -> BodyDesc {
    let velocity = spin.cross(desc.pose.translation);
    desc.with_linear_velocity(velocity).with_angular_velocity(spin)
}

fn radius(world: &World, body: BodyId) -> f32 {
    world.body(body).unwrap().position().with_y(0.0).length()
}

/// Friction 0.5 holds a box at 1 m up to 2.21 rad/s. It goes through the angle of the disc.
#[test]
fn r_a_kinematic_disc_carries_a_box_round() {
    for hertz in RATES {
        for spin in [0.5_f32, -1.0, 1.5, 2.0] {
            let mut world = World::new();
            let spin = Vec3::Y * spin;
            let table = BodyDesc::kinematic(disc()).with_position(Vec3::NEG_Y * 0.1);
            let table = world.insert(table.with_angular_velocity(spin)).unwrap();
            let body = world.insert(riding(cargo(Vec3::X), spin)).unwrap();
            for _ in 0..(10.0 * hertz) as usize {
                world.checked_step(1.0 / hertz).unwrap();
            }
            let table = world.body(table).unwrap().pose();
            let body = world.body(body).unwrap();
            let there = table.inverse_transform_point(body.position()).with_y(0.0);
            println!("{hertz} Hz, {} rad/s: at {there} of the disc", spin.y);
            assert!((there - Vec3::X).length() < 2e-3, "{hertz} Hz, {} rad/s: {there}", spin.y);
            let heading = 2.0 * (table.rotation.inverse() * body.rotation()).y;
            assert!(heading.abs() < 0.01, "{hertz} Hz, {} rad/s: turned by {heading}", spin.y);
        }
    }
}

/// Above 2.21 rad/s friction cannot hold it.
#[test]
fn a_fast_disc_throws_a_box_off() {
    let mut world = World::new();
    let spin = Vec3::Y * 2.4;
    let table = BodyDesc::kinematic(disc()).with_position(Vec3::NEG_Y * 0.1);
    world.insert(table.with_angular_velocity(spin)).unwrap();
    let body = world.insert(riding(cargo(Vec3::X), spin)).unwrap();
    for _ in 0..600 {
        world.checked_step(1.0 / 60.0).unwrap();
    }
    assert!(2.0 < radius(&world, body), "{}", radius(&world, body));
}

/// Pegs that are smaller than their cargo: the contacts stay on the pegs.
#[test]
fn turning_pegs_carry_a_long_board() {
    let mut world = World::new();
    let spin = Vec3::Y * 1.0;
    // The board lies on two pegs of one body, near its ends.
    let peg = || ColliderDesc::new(cuboid(Vec3::new(0.1, 0.1, 0.1)));
    let pegs = BodyDesc::kinematic(peg()).with_collider(peg().with_position(Vec3::X * 2.0));
    let pegs = pegs.with_position(Vec3::NEG_Y * 0.1).with_angular_velocity(spin);
    let pegs = world.insert(pegs).unwrap();
    let board = BodyDesc::dynamic(cuboid(Vec3::new(1.5, 0.05, 0.1)));
    let board = riding(board.with_mass(5.0).with_position(Vec3::new(1.2, 0.05, 0.0)), spin);
    let board = world.insert(board).unwrap();
    for _ in 0..600 {
        world.checked_step(1.0 / 60.0).unwrap();
    }
    let pose = world.body(pegs).unwrap().pose();
    let there = pose.inverse_transform_point(world.body(board).unwrap().position()).with_y(0.0);
    println!("the board is at {there} of the pegs");
    assert!((there - Vec3::X * 1.2).length() < 0.01, "{there}");
}

/// A lift that sways, moves and rises: two boxes on it stay where they are, for ten minutes.
#[test]
fn r_nothing_creeps_on_a_lift_that_sways() {
    let mut world = World::new();
    let floor = BodyDesc::kinematic(cuboid(Vec3::new(3.0, 0.1, 3.0))).with_position(Vec3::NEG_Y * 0.1);
    let lift = world.insert(floor).unwrap();
    let boxes = [0.3_f32, 0.9].map(|height| {
        let desc = BodyDesc::dynamic(cuboid(Vec3::splat(0.3)));
        world.insert(desc.with_position(Vec3::new(1.5, height, 0.0))).unwrap()
    });
    let dt = 1.0 / 60.0;
    let place = |world: &World, body: BodyId| {
        let pose = world.body(lift).unwrap().pose();
        pose.inverse_transform_point(world.body(body).unwrap().position())
    };
    let mut first = [Vec3::ZERO; 2];
    for step in 1..=36_000 {
        let time = step as f32 * dt;
        let turn = Quat::from_rotation_y((time * 0.4).sin());
        let at = Vec3::new((time * 0.5).sin() * 2.0, 0.9 - (time * 0.7).cos(), 0.0);
        world.body_mut(lift).unwrap().move_to(Pose::new(turn, at)).unwrap();
        world.step(dt).unwrap();
        if step == 600 {
            first = boxes.map(|body| place(&world, body));
        }
    }
    for (body, first) in boxes.into_iter().zip(first) {
        let crept = place(&world, body) - first;
        println!("crept by {crept} from {first}");
        assert!(crept.length() < 0.02, "{crept}");
    }
}

/// A carousel that nothing drives, on a smooth floor: the box stays on its circle, and energy and
/// angular momentum stay.
#[test]
fn r_a_free_carousel_keeps_its_cargo_and_momentum() {
    for hertz in RATES {
        for speed in [0.5_f32, 1.0, 1.8] {
            let mut world = World::new();
            world.insert(ground().with_friction(0.0)).unwrap();
            let spin = Vec3::Y * speed;
            let disc = Shape::Cylinder(Cylinder::new(0.1, 2.0).unwrap());
            let disc = BodyDesc::dynamic(disc).with_mass(100.0).with_position(Vec3::Y * 0.1);
            let disc = world.insert(disc.with_angular_velocity(spin)).unwrap();
            // Two boxes, so that the centre of all stays.
            let boxes =
                [1.0_f32, -1.0].map(|x| world.insert(riding(cargo(Vec3::new(x, 0.2, 0.0)), spin)).unwrap());
            let momentum = |world: &World| {
                let bodies = [disc, boxes[0], boxes[1]].map(|id| *world.body(id).unwrap().motion());
                let own = bodies.iter().map(|body| body.angular_momentum().y as f32).sum::<f32>();
                own + bodies
                    .iter()
                    .map(|body| {
                        let of_mass = body.linear_velocity / body.inverse_mass;
                        body.pose.translation.cross(of_mass).y
                    })
                    .sum::<f32>()
            };
            // From the first step on, the energy has the lag of the speed of fall.
            world.checked_step(1.0 / hertz).unwrap();
            let (start, energy) = (momentum(&world), world.energy().kinetic);
            let mut most = energy;
            for _ in 0..(10.0 * hertz) as usize {
                world.checked_step(1.0 / hertz).unwrap();
                most = most.max(world.energy().kinetic);
            }
            let away = boxes.map(|body| {
                let center = world.body(disc).unwrap().position();
                (world.body(body).unwrap().position() - center).with_y(0.0).length()
            });
            let kept = momentum(&world) / start;
            println!("{hertz} Hz, {speed} rad/s: {away:?} m, momentum {kept}, energy {}", most / energy);
            assert!(away.iter().all(|away| (away - 1.0).abs() < 2e-3), "{hertz} Hz, {speed}: {away:?}");
            assert!((kept - 1.0).abs() < 1e-3, "{hertz} Hz, {speed}: momentum {kept}");
            // At 60 Hz and 1.8 rad/s it gains 1.4e-4, in the other cases less than 1e-5.
            assert!(most < energy * 1.0005, "{hertz} Hz, {speed}: {most} J of {energy} J");
        }
    }
}
