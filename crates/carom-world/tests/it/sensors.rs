//! Sensors and bodies that pass each other: one began and one ended for each pass, at any speed.

use crate::scenes::{CheckedStep, DT, ball, cuboid};
use carom_broad::{BroadPhase, BruteForce};
use carom_broad_tree::DynamicBvh;
use carom_geom::TriMesh;
use carom_math::{Pose, Quat, Vec3};
use carom_query::{Compound, CompoundPart, MeshShape, Shape};
use carom_world::{BodyDesc, BodyId, ColliderDesc, Event, EventKind, Filter, Response, World, WorldSettings};
use std::sync::Arc;

fn empty<B: BroadPhase + Default>() -> World<B> {
    let settings = WorldSettings::default();
    World::with_broad_phase(B::default(), settings.with_solver(settings.solver.with_gravity(Vec3::ZERO)))
}

/// Returns the events of the pair in this many steps.
fn kinds_of<B: BroadPhase>(world: &mut World<B>, pair: [BodyId; 2], n_steps: usize) -> Vec<EventKind> {
    let mut kinds = Vec::new();
    for _ in 0..n_steps {
        world.checked_step(DT).unwrap();
        let own = |event: &&Event| pair.contains(&event.a) && pair.contains(&event.b);
        let told = world.events().iter().filter(own).map(|event| event.kind);
        kinds.extend(told.filter(|&kind| kind != EventKind::Persisted));
    }
    kinds
}

const PASS: [EventKind; 2] = [EventKind::Began, EventKind::Ended];

/// A thin box of two parts, beside each other.
fn two_panes(half: f32) -> Shape {
    let pane = |y: f32| CompoundPart {
        shape: cuboid(Vec3::new(half, 2.5, 5.0)),
        pose: Pose::from_translation(Vec3::Y * y),
    };
    Shape::Compound(Arc::new(Compound::new(vec![pane(-2.5), pane(2.5)]).unwrap()))
}

/// A square across x.
fn sheet() -> Shape {
    let corner = |y: f32, z: f32| Vec3::new(0.0, y, z);
    let points = vec![corner(-5.0, -5.0), corner(5.0, -5.0), corner(5.0, 5.0), corner(-5.0, 5.0)];
    let mesh = TriMesh::new(points, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()))
}

#[test]
fn a_body_that_passes_a_sensor_is_reported_once_at_any_speed() {
    let sensors =
        [cuboid(Vec3::new(0.25, 5.0, 5.0)), cuboid(Vec3::new(0.001, 5.0, 5.0)), two_panes(0.02), sheet()];
    for (number, sensor) in sensors.iter().enumerate() {
        for speed in [3.0, 20.0, 60.0, 120.0, 1000.0] {
            for k in 0..20 {
                let is_fast = number > 0 || k % 2 == 0 || speed == 60.0;
                let mut world = empty::<DynamicBvh>();
                let fixed = BodyDesc::fixed(sensor.clone()).with_sensor(true);
                let sensor = world.insert(fixed).unwrap();
                let start = speed * DT * (3.0 + 0.37 * k as f32) + 1.0;
                let body = BodyDesc::dynamic(ball(0.1)).with_position(Vec3::new(start, 0.3, 0.2));
                let spin = Vec3::new(0.0, 30.0, 200.0) * (k % 3) as f32;
                let body =
                    body.with_linear_velocity(Vec3::X * -speed).with_angular_velocity(spin).with_ccd(is_fast);
                let body = world.insert(body).unwrap();
                let n_steps = (2.0 * start / (speed * DT)) as usize + 4;
                let kinds = kinds_of(&mut world, [sensor, body], n_steps);
                assert_eq!(kinds, PASS, "sensor {number}, {speed} m/s, {k}");
                assert_eq!(world.body(body).unwrap().linear_velocity(), Vec3::X * -speed);
            }
        }
    }
}

#[test]
fn a_sensor_that_passes_is_reported_once() {
    for (is_kinematic, speed) in [(false, 60.0), (true, 60.0), (false, 500.0), (true, 500.0), (true, 4.0)] {
        for k in 0..15 {
            for other in [BodyDesc::fixed(cuboid(Vec3::new(0.005, 5.0, 5.0))), BodyDesc::dynamic(ball(0.05))]
            {
                let mut world = empty::<DynamicBvh>();
                let shape = cuboid(Vec3::new(0.05, 0.3, 0.1));
                let desc = if is_kinematic { BodyDesc::kinematic(shape) } else { BodyDesc::dynamic(shape) };
                let start = speed * DT * (2.0 + 0.37 * k as f32) + 1.0;
                let desc = desc
                    .with_position(Vec3::X * start)
                    .with_linear_velocity(Vec3::X * -speed)
                    .with_angular_velocity(Vec3::X * 10.0)
                    .with_sensor(true)
                    .with_ccd(k % 2 == 0);
                let sensor = world.insert(desc).unwrap();
                let other = world.insert(other).unwrap();
                let n_steps = (2.0 * start / (speed * DT)) as usize + 4;
                let kinds = kinds_of(&mut world, [sensor, other], n_steps);
                assert_eq!(kinds, PASS, "kinematic {is_kinematic}, {speed} m/s, {k}");
                // Neither of them is stopped.
                assert!(world.body(sensor).unwrap().position().x < 0.0);
                assert_eq!(world.body(other).unwrap().pose(), Pose::IDENTITY);
            }
        }
    }
}

#[test]
fn two_that_fly_at_each_other_pass_once() {
    for k in 0..20 {
        let mut world = empty::<DynamicBvh>();
        let body = |x: f32, speed: f32| {
            let turn = Quat::from_rotation_y(0.1 * k as f32);
            BodyDesc::dynamic(cuboid(Vec3::new(0.02, 0.3, 0.05)))
                .with_pose(Pose::new(turn, Vec3::X * x))
                .with_linear_velocity(Vec3::X * speed)
                .with_angular_velocity(Vec3::Z * 40.0)
                .with_ccd(true)
        };
        let a = world.insert(body(-9.0 - 0.37 * k as f32, 200.0).with_sensor(true)).unwrap();
        let b = world.insert(body(9.0, -300.0)).unwrap();
        assert_eq!(kinds_of(&mut world, [a, b], 12), PASS, "{k}");
    }
}

/// A wall stops the body: a sensor in front of it was passed, on the way back too, and one behind
/// it was not.
#[test]
fn a_sensor_behind_a_wall_is_not_reported() {
    for (speed, restitution) in [(60.0, 0.0), (60.0, 1.0), (300.0, 0.0), (300.0, 0.8)] {
        for k in 0..20 {
            let mut world = empty::<DynamicBvh>();
            let at = |x: f32| Vec3::X * x;
            let pane = || BodyDesc::fixed(cuboid(Vec3::new(0.01, 5.0, 5.0)));
            let front = world.insert(pane().with_sensor(true).with_position(at(0.6))).unwrap();
            world.insert(pane()).unwrap();
            let behind = world.insert(pane().with_sensor(true).with_position(at(-0.2))).unwrap();
            let start = 1.0 + speed * DT * (1.0 + 0.37 * k as f32);
            let desc = BodyDesc::dynamic(ball(0.1)).with_position(at(start)).with_ccd(k % 2 == 0);
            let desc = desc.with_linear_velocity(at(-speed)).with_restitution(restitution);
            let body = world.insert(desc).unwrap();
            let mut kinds = [Vec::new(), Vec::new()];
            for _ in 0..60 {
                world.checked_step(DT).unwrap();
                for event in world.events().iter().filter(|event| event.kind != EventKind::Persisted) {
                    for (own, sensor) in kinds.iter_mut().zip([front, behind]) {
                        if [event.a, event.b].contains(&sensor) && event.b == body {
                            own.push(event.kind);
                        }
                    }
                }
            }
            // A fast body that bounces may turn back where the step begins, in front of the sensor.
            let n_passes = if restitution == 0.0 { 1 } else { kinds[0].len() / 2 };
            assert_eq!(kinds[0], PASS.repeat(n_passes), "{speed} m/s, {restitution}, {k}");
            assert!(n_passes <= 2);
            assert_eq!(kinds[1], [], "{speed} m/s, {restitution}, {k}");
        }
    }
}

/// Many bodies and sensors, by broad phase and threads: the same events, sorted.
fn crowd<B: BroadPhase + Default>() -> Vec<Vec<Event>> {
    let mut world = empty::<B>();
    for k in 0..12 {
        let at = Vec3::X * (2.0 * k as f32);
        let pane = BodyDesc::fixed(cuboid(Vec3::new(0.01, 9.0, 9.0))).with_sensor(true);
        world.insert(pane.with_position(at)).unwrap();
    }
    for k in 0..60 {
        let at = Vec3::new(30.0 + 0.3 * (k % 7) as f32, (k % 8) as f32, (k / 8) as f32);
        let desc = BodyDesc::dynamic(ball(0.1)).with_position(at).with_ccd(k % 2 == 0);
        world
            .insert(
                desc.with_linear_velocity(Vec3::X * (-50.0 - 10.0 * k as f32))
                    .with_angular_velocity(Vec3::ONE),
            )
            .unwrap();
    }
    (0..40)
        .map(|_| {
            world.checked_step(DT).unwrap();
            assert!(world.events().is_sorted());
            world.events().to_vec()
        })
        .collect()
}

#[test]
fn passes_are_the_same_on_any_machine() {
    let all = crowd::<DynamicBvh>();
    for kind in PASS {
        assert_eq!(all.iter().flatten().filter(|event| event.kind == kind).count(), 12 * 60, "{kind:?}");
    }
    assert_eq!(all, crowd::<BruteForce>());
    #[cfg(feature = "parallel")]
    for n in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        assert_eq!(all, pool.install(crowd::<DynamicBvh>), "{n} threads");
    }
}

/// A sensor on a body makes its pairs with static and kinematic bodies, but adds no contacts of
/// its other colliders: these report what they would without the sensor.
#[test]
fn a_sensor_adds_no_contacts_of_the_other_colliders() {
    let at = |shape: Shape, position: Vec3| ColliderDesc::new(shape).with_position(position);
    for other in [BodyDesc::fixed, BodyDesc::kinematic] {
        for filter in [Filter::default(), Filter::default().with_family(1)] {
            for has_sensor in [false, true] {
                let mut world: World = World::new();
                world.insert(other(ColliderDesc::new(cuboid(Vec3::ONE)))).unwrap();
                let lift = at(cuboid(Vec3::ONE), Vec3::X * 0.5).with_filter(filter);
                let mut lift = BodyDesc::kinematic(lift).with_collider(at(ball(0.1), Vec3::Y * 3.0));
                if has_sensor {
                    lift = lift.with_collider(at(ball(0.2), Vec3::Y * 9.0).with_sensor(true));
                }
                world.insert(lift.with_linear_velocity(Vec3::Z * 0.01)).unwrap();
                for _ in 0..3 {
                    world.checked_step(DT).unwrap();
                    assert!(world.events().is_empty(), "{has_sensor}: {:?}", world.events());
                }
            }
        }
    }
}

/// A contact that becomes that of a sensor while it lasts ends, and the new one begins, in this
/// order; and back. So whoever adds at each beginning and removes at each end knows what touches.
fn check_flips(wall: BodyDesc, flip: impl Fn(&mut World, BodyId, bool)) {
    let mut world = empty::<DynamicBvh>();
    let wall = world.insert(wall).unwrap();
    // It overlaps the wall slightly, so that the sensor feels it too.
    let ball = BodyDesc::dynamic(ball(0.5)).with_position(Vec3::X * 0.999).with_can_sleep(false);
    let ball = world.insert(ball).unwrap();
    let mut touching: Vec<bool> = Vec::new();
    let mut told = Vec::new();
    for step in 0..40 {
        if step % 10 == 5 {
            flip(&mut world, wall, step % 20 == 5);
            world.body_mut(ball).unwrap().set_pose(Pose::from_translation(Vec3::X * 0.999)).unwrap();
        }
        world.checked_step(DT).unwrap();
        for event in world.events() {
            match event.kind {
                EventKind::Began => touching.push(event.is_sensor),
                EventKind::Ended => {
                    let known = touching.iter().position(|&is_sensor| is_sensor == event.is_sensor);
                    touching.remove(known.unwrap());
                }
                EventKind::Persisted => continue,
            }
            told.push((step, event.kind, event.is_sensor));
        }
        assert_eq!(touching, [5 <= step % 20 && step % 20 < 15], "step {step}");
    }
    let (began, ended) = (EventKind::Began, EventKind::Ended);
    let mut expected = vec![(0, began, false)];
    for step in [5, 15, 25, 35] {
        let is_sensor = step % 20 == 5;
        expected.extend([(step, ended, !is_sensor), (step, began, is_sensor)]);
    }
    assert_eq!(told, expected);
}

#[test]
fn r_a_contact_that_flips_to_a_sensor_ends_and_begins() {
    let wall = || BodyDesc::fixed(cuboid(Vec3::splat(0.5)));
    let far = || ColliderDesc::new(cuboid(Vec3::splat(0.5))).with_pose(Pose::from_translation(Vec3::NEG_X));
    for wall in [wall(), wall().with_collider(far())] {
        check_flips(wall, |world, wall, is_sensor| {
            world.body_mut(wall).unwrap().set_sensor(is_sensor).unwrap();
        });
    }
}

#[test]
fn r_a_contact_that_flips_to_a_pass_ends_and_begins() {
    let wall = || BodyDesc::fixed(cuboid(Vec3::splat(0.5)));
    let far = || ColliderDesc::new(cuboid(Vec3::splat(0.5))).with_pose(Pose::from_translation(Vec3::NEG_X));
    for wall in [wall(), wall().with_collider(far())] {
        check_flips(wall, |world, wall, is_sensor| {
            let response = if is_sensor { Response::Pass } else { Response::Collide };
            world.body_mut(wall).unwrap().set_response(response).unwrap();
        });
    }
}

/// A ball that was in a thin gate is outside at the next detection, and passes the gate in that
/// step: its first contact ends before the pass begins.
#[test]
fn r_the_end_of_a_contact_precedes_a_pass() {
    let gate = || BodyDesc::fixed(cuboid(Vec3::new(0.02, 5.0, 5.0))).with_sensor(true);
    let far = ColliderDesc::new(cuboid(Vec3::splat(0.5))).with_position(Vec3::Z * 20.0).with_sensor(true);
    for gate in [gate(), gate().with_collider(far)] {
        for is_fast in [false, true] {
            let mut world = empty::<DynamicBvh>();
            let gate = world.insert(gate.clone()).unwrap();
            let ball = world.insert(BodyDesc::dynamic(ball(0.1)).with_ccd(is_fast)).unwrap();
            assert_eq!(kinds_of(&mut world, [gate, ball], 1), [EventKind::Began]);
            for side in [-1.0, 1.0] {
                let mut body = world.body_mut(ball).unwrap();
                body.set_pose(Pose::from_translation(Vec3::X * (0.5 * side))).unwrap();
                body.set_linear_velocity(Vec3::X * (-60.0 * side)).unwrap();
                let kinds = kinds_of(&mut world, [gate, ball], 1);
                assert_eq!(kinds, [EventKind::Ended, EventKind::Began, EventKind::Ended]);
                let mut body = world.body_mut(ball).unwrap();
                body.set_pose(Pose::IDENTITY).unwrap().set_linear_velocity(Vec3::ZERO).unwrap();
                assert_eq!(kinds_of(&mut world, [gate, ball], 1), [EventKind::Began]);
            }
        }
    }
}
