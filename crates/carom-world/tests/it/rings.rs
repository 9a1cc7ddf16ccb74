//! Tori as bodies: a ring lies, falls over a peg, hangs in another ring.

use crate::of_unit_density;
use crate::scenes::CheckedStep;
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;
use carom_world::{BodyDesc, BodyId, World};

const MINOR: f32 = 0.15;

fn ring() -> Shape {
    Shape::torus(0.4, MINOR).unwrap()
}

fn world() -> World {
    let mut world = World::default();
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y).unwrap())).unwrap();
    world
}

fn energy(world: &World, id: BodyId) -> f32 {
    let body = world.body(id).unwrap();
    let mass = body.mass();
    body.kinetic_energy() as f32 + mass * 9.81 * body.position().y
}

fn run(world: &mut World, id: BodyId, n_steps: u32) {
    let mut last = energy(world, id);
    let first = last;
    for step in 0..n_steps {
        world.checked_step(1.0 / 60.0).unwrap();
        let now = energy(world, id);
        assert!(now <= last.max(0.0) + 2e-2 * first, "step {step}: {last} {now}");
        last = now;
    }
}

#[test]
fn a_ring_that_is_dropped_lies_and_sleeps() {
    for (tilt, ground) in [(0.0, "half-space"), (0.7, "half-space"), (0.3, "box"), (0.0, "mesh")] {
        let mut world = World::default();
        let ground = match ground {
            "half-space" => Shape::half_space(Vec3::Y).unwrap(),
            "box" => Shape::cuboid(Vec3::new(5.0, 1.0, 5.0)).unwrap(),
            _ => {
                let vertices =
                    [[-5.0, -5.0], [5.0, -5.0], [5.0, 5.0], [-5.0, 5.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
                Shape::mesh(vertices.to_vec(), vec![[0, 2, 1], [0, 3, 2]]).unwrap()
            }
        };
        let top = if matches!(ground, Shape::Cuboid(_)) { -1.0 } else { 0.0 };
        let name = ground.name();
        world.insert(BodyDesc::fixed(ground).with_pose(Pose::from_translation(Vec3::Y * top))).unwrap();
        let pose = Pose::new(Quat::from_rotation_x(tilt), Vec3::new(0.1, 0.8, 0.2));
        let id = world.insert(of_unit_density(ring()).with_pose(pose)).unwrap();
        run(&mut world, id, 600);
        let body = world.body(id).unwrap();
        let (height, up) = (body.position().y, body.pose().transform_vector(Vec3::Y).y.abs());
        assert!((height - MINOR).abs() < 6e-3 && 0.9999 < up, "{name} {tilt}: {height} {up}");
        assert!(body.is_sleeping(), "{name} {tilt}");
    }
}

#[test]
fn a_ring_falls_over_a_peg_and_stays_around_it() {
    let mut world = world();
    let peg = Shape::cylinder(0.75, 0.15).unwrap();
    world.insert(BodyDesc::fixed(peg).with_pose(Pose::from_translation(Vec3::Y * 0.75))).unwrap();
    let pose = Pose::new(Quat::from_rotation_x(0.1), Vec3::new(0.05, 2.2, 0.0));
    let id = world.insert(of_unit_density(ring()).with_pose(pose)).unwrap();
    run(&mut world, id, 600);
    let at = world.body(id).unwrap().position();
    assert!((at.y - MINOR).abs() < 1e-2 && at.x.hypot(at.z) < 0.4 - MINOR - 0.15 + 5e-3, "{at}");
    // It is caught: a pull that would move it far moves it by its play.
    world.body_mut(id).unwrap().apply_impulse(Vec3::X * 0.5).unwrap();
    run(&mut world, id, 300);
    let at = world.body(id).unwrap().position();
    assert!(at.x.hypot(at.z) < 0.4 - MINOR - 0.15 + 1e-2, "{at}");
}

#[test]
fn links_hang_in_each_other() {
    let mut world = world();
    let link = Shape::torus(0.4, 0.1).unwrap();
    // The first one is held; each next one is turned by a quarter, and hangs 0.6 below.
    let pose = |k: u32| {
        let turn =
            if k.is_multiple_of(2) { Quat::from_rotation_x(1.57) } else { Quat::from_rotation_z(1.57) };
        Pose::new(turn, Vec3::Y * (5.0 - 0.59 * k as f32))
    };
    world.insert(BodyDesc::fixed(link.clone()).with_pose(pose(0))).unwrap();
    let links: Vec<BodyId> =
        (1..5).map(|k| world.insert(of_unit_density(link.clone()).with_pose(pose(k))).unwrap()).collect();
    for _ in 0..600 {
        world.checked_step(1.0 / 60.0).unwrap();
    }
    for (k, id) in (1..).zip(&links) {
        let at = world.body(*id).unwrap().position();
        let expected = 5.0 - 0.6 * k as f32;
        assert!((at.y - expected).abs() < 0.03 && at.x.hypot(at.z) < 0.05, "link {k}: {at} {expected}");
    }
}
