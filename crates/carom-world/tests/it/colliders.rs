//! Several colliders on a body: mass, materials, filters, sensors, and the handles in events, hits
//! and hooks.

use crate::scenes::{CheckedStep, DT, ball, cuboid, ground, world_on};
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, BruteForce};
use carom_broad_auto::catalogue::{ALGORITHMS, SpatialBroadPhase, WorldHints};
use carom_broad_tree::DynamicBvh;
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use carom_query::{Compound, CompoundPart, Shape};
use carom_testkit::conform::dice::Dice;
use carom_world::{
    ActiveHooks, BodyDesc, BodyId, ColliderDesc, ColliderId, CombineRule, ContactMut, Event, EventKind,
    Filter, Groups, Hooks, MassFault, Material, Mobility, PairView, QueryFilter, StepOptions, World,
    WorldError, WorldSettings,
};
use std::sync::Arc;

fn at(shape: Shape, position: Vec3) -> ColliderDesc {
    ColliderDesc::new(shape).with_pose(Pose::from_translation(position))
}

fn weightless<B: BroadPhase + Default>() -> World<B> {
    let settings = WorldSettings::default();
    World::with_broad_phase(B::default(), settings.with_solver(settings.solver.with_gravity(Vec3::ZERO)))
}

/// Three parts with poses, as parts of a compound and as colliders.
fn pieces(seed: u64) -> Vec<(Shape, Pose)> {
    let mut dice = Dice::new(seed);
    let mut pose_at =
        |x: f32| Pose::new(Quat::from_scaled_axis(dice.point(1.0)), Vec3::X * x + dice.point(0.1));
    vec![
        (cuboid(Vec3::new(0.3, 0.2, 0.25)), pose_at(-0.5)),
        (ball(0.3), pose_at(0.0)),
        (Shape::capsule(0.2, 0.15).unwrap(), pose_at(0.5)),
    ]
}

fn as_compound(pieces: &[(Shape, Pose)]) -> BodyDesc {
    let parts = pieces.iter().map(|(shape, pose)| CompoundPart { shape: shape.clone(), pose: *pose });
    BodyDesc::dynamic(Shape::Compound(Arc::new(Compound::new(parts.collect()).unwrap())))
}

fn as_colliders(pieces: &[(Shape, Pose)]) -> BodyDesc {
    let colliders = pieces.iter().map(|(shape, pose)| ColliderDesc::new(shape.clone()).with_pose(*pose));
    colliders.fold(BodyDesc::empty(Mobility::Dynamic), BodyDesc::with_collider)
}

/// Bodies of three parts fall on each other and on a fixed body of two colliders.
fn pile<B: BroadPhase>(world: &mut World<B>, body: impl Fn(&[(Shape, Pose)]) -> BodyDesc) {
    world.insert(ground()).unwrap();
    for i in 0..12 {
        let pose =
            Pose::new(Quat::from_rotation_y(i as f32), Vec3::new((i % 3) as f32 - 1.0, 1.0 + i as f32, 0.0));
        world.insert(body(&pieces(i)).with_pose(pose).with_ccd(i % 4 == 0)).unwrap();
    }
}

#[test]
fn as_one_compound() {
    let run = |body: fn(&[(Shape, Pose)]) -> BodyDesc| {
        let mut world = world_on::<DynamicBvh>();
        pile(&mut world, body);
        let hash = |_| {
            world.checked_step(DT).unwrap();
            world.state_hash()
        };
        (0..400).map(hash).collect::<Vec<u64>>()
    };
    let compounds = run(as_compound);
    assert_eq!(compounds, run(as_colliders));
}

/// A sensor beside the others pushes nothing and has no mass: a body on the ground, which is one
/// pair from the start, moves as without it.
#[test]
fn as_without_its_sensor() {
    let run = |has_sensor: bool| {
        let mut world = world_on::<DynamicBvh>();
        world.insert(ground()).unwrap();
        let mut desc = as_colliders(&pieces(5));
        if has_sensor {
            let sensor = at(ball(0.4), Vec3::X * 0.2).with_sensor(true).with_density(900.0);
            desc = desc.with_collider(sensor);
        }
        let pose = Pose::new(Quat::from_rotation_z(0.4), Vec3::Y * 2.0);
        let desc = desc.with_pose(pose).with_linear_velocity(Vec3::X);
        world.insert(desc.with_angular_velocity(Vec3::new(3.0, 1.0, 2.0))).unwrap();
        let hash = |_| {
            world.checked_step(DT).unwrap();
            world.state_hash()
        };
        (0..300).map(hash).collect::<Vec<u64>>()
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn two_boxes_weigh_as_a_dumbbell() {
    let half = Vec3::new(0.1, 0.2, 0.3);
    let (volume, apart) = (8.0 * half.x * half.y * half.z, 2.0);
    let mut world = weightless::<DynamicBvh>();
    let heavy = at(cuboid(half), Vec3::X * apart).with_density(3.0);
    let desc = BodyDesc::dynamic(cuboid(half)).with_density(1.0).with_collider(heavy);
    let spin = Vec3::new(0.0, 0.5, 0.0);
    let body = world
        .insert(desc.with_position(Vec3::Y * 4.0).with_linear_velocity(Vec3::Z).with_angular_velocity(spin))
        .unwrap();
    let motion = *world.body(body).unwrap().motion();
    assert!((motion.inverse_mass * 4.0 * volume - 1.0).abs() < 1e-5);
    assert!((motion.center_of_mass - Vec3::X * 1.5).length() < 1e-6);
    // About y: both own inertias, and the masses at 1.5 and 0.5 from the common centre.
    let own = (2.0 * half.x * 2.0 * half.x + 2.0 * half.z * 2.0 * half.z) / 12.0;
    let expected = 4.0 * volume * own + volume * 1.5 * 1.5 + 3.0 * volume * 0.5 * 0.5;
    let inverse = motion.world_inverse_inertia() * Vec3::Y;
    assert!((inverse.y * expected - 1.0).abs() < 1e-5, "{inverse} {expected}");

    // Without the heavy one it is a box again; points keep their velocities and places.
    let second = world.body(body).unwrap().colliders().nth(1).unwrap().id();
    let (pose, corner) = (world.body(body).unwrap().pose(), Vec3::new(0.3, 4.1, 0.2));
    let velocity = world.body(body).unwrap().velocity_at(corner);
    world.remove_collider(second).unwrap();
    let view = world.body(body).unwrap();
    assert_eq!((view.pose(), view.motion().center_of_mass), (pose, Vec3::ZERO));
    assert!((view.mass() / volume - 1.0).abs() < 1e-5);
    assert!((view.velocity_at(corner) - velocity).length() < 1e-5);
    world.validate().unwrap();

    // And back again, by each way to change a mass.
    let again = world.insert_collider(body, at(cuboid(half), Vec3::ZERO).with_density(9.0)).unwrap();
    assert_eq!((again.index(), again.generation()), (1, 3));
    world.collider_mut(again).unwrap().set_density(3.0).unwrap();
    world.collider_mut(again).unwrap().set_local_pose(Pose::from_translation(Vec3::X * apart)).unwrap();
    let now = world.body(body).unwrap().motion();
    assert!((now.center_of_mass - motion.center_of_mass).length() < 1e-6);
    assert!((now.inverse_mass / motion.inverse_mass - 1.0).abs() < 1e-6);
    world.collider_mut(again).unwrap().set_sensor(true).unwrap();
    assert_eq!(world.body(body).unwrap().motion().center_of_mass, Vec3::ZERO);
    world.collider_mut(again).unwrap().set_sensor(false).unwrap().set_shape(ball(0.1)).unwrap();
    let ball_mass = 3.0 * 4.0 / 3.0 * std::f32::consts::PI * 0.001;
    assert!((world.body(body).unwrap().mass() / (volume + ball_mass) - 1.0).abs() < 1e-5);
    world.validate().unwrap();
}

/// A sledge slides on feet: two of ice on one side, one of rubber on the other. The rubber brakes
/// its side, so the sledge turns.
#[test]
fn a_sledge_turns_to_its_rubber_foot() {
    let (friction, lever, radius) = (0.4, 0.5, 0.05);
    let foot = |x: f32, z: f32, friction: f32| {
        at(ball(radius), Vec3::new(x, 0.0, z)).with_material(Material::new(friction, 0.0))
    };
    let mut world = world_on::<DynamicBvh>();
    let rules = CombineRule::Min;
    world.insert(ground().with_friction(1.0).with_combine_rules(rules, CombineRule::Max)).unwrap();
    let mut desc = BodyDesc::dynamic(at(cuboid(Vec3::new(0.6, 0.02, 0.5)), Vec3::Y * 0.05));
    // Three feet: the one of rubber bears half of the weight.
    desc = desc.with_collider(foot(0.0, lever, friction));
    for x in [-0.6, 0.6] {
        desc = desc.with_collider(foot(x, -lever, 0.0));
    }
    let desc = desc.with_combine_rules(rules, CombineRule::Max).with_can_sleep(false);
    let sledge = world.insert(desc.with_position(Vec3::Y * radius)).unwrap();
    // It settles first.
    (0..30).for_each(|_| _ = world.checked_step(DT).unwrap());
    world.body_mut(sledge).unwrap().set_linear_velocity(Vec3::X * 5.0).unwrap();
    let n = 12;
    (0..n).for_each(|_| _ = world.checked_step(DT).unwrap());
    let view = world.body(sledge).unwrap();
    let (time, weight) = (n as f32 * DT, 9.81 * view.mass());
    let braked = friction * 0.5 * weight;
    let inertia = 1.0 / (view.motion().world_inverse_inertia() * Vec3::Y).y;
    let (lost, turning) = (braked / view.mass() * time, braked * lever / inertia * time);
    let (found, spin) = (5.0 - view.linear_velocity().x, view.angular_velocity().y);
    println!("lost {found} of {lost}, turns at {spin} of {turning}");
    // The force is along -x at +z: a turn about -y.
    assert!((found / lost - 1.0).abs() < 0.03, "{found} {lost}");
    assert!((-spin / turning - 1.0).abs() < 0.03, "{spin} {turning}");
}

/// Both bodies have a collider of each colour, and colours meet only their own.
#[test]
fn colliders_meet_by_their_own_filters() {
    let colour = |bit: u32| Filter::new(Groups::from_bits_retain(bit), Groups::from_bits_retain(bit));
    for ccd in [false, true] {
        for (offset, meets) in [(0.0, true), (2.0, false)] {
            let mut world = weightless::<DynamicBvh>();
            let body = |x: f32, shift: f32, speed: f32| {
                BodyDesc::dynamic(at(ball(0.5), Vec3::Y * shift).with_filter(colour(2)).with_user_data(2))
                    .with_collider(
                        at(ball(0.5), Vec3::Y * (shift + 2.0)).with_filter(colour(4)).with_user_data(4),
                    )
                    .with_position(Vec3::X * x)
                    .with_linear_velocity(Vec3::X * speed)
                    .with_ccd(ccd)
            };
            let a = world.insert(body(-3.0, 0.0, 6.0)).unwrap();
            let b = world.insert(body(3.0, offset, -6.0)).unwrap();
            let mut touched = Vec::new();
            for _ in 0..60 {
                world.checked_step(DT).unwrap();
                for event in world.events() {
                    let data = [event.collider_a(), event.collider_b()];
                    touched.push(data.map(|id| world.collider(id).unwrap().user_data()));
                }
            }
            let have_passed = world.body(b).unwrap().position().x < world.body(a).unwrap().position().x;
            assert_eq!(have_passed, !meets, "ccd {ccd}, offset {offset}");
            assert_eq!(!touched.is_empty(), meets);
            assert!(touched.iter().all(|[a, b]| a == b), "{touched:?}");
        }
    }
}

/// The events of two bodies, by the numbers of their colliders.
fn named<B: BroadPhase>(world: &World<B>, kind: EventKind) -> Vec<[u64; 2]> {
    let of = |event: &Event| [event.collider_a(), event.collider_b()];
    let data = |id: ColliderId| world.collider(id).unwrap().user_data();
    world.events().iter().filter(|event| event.kind == kind).map(|event| of(event).map(data)).collect()
}

#[test]
fn a_sensor_at_the_head_reports_and_pushes_nothing() {
    let mut world = weightless::<DynamicBvh>();
    let nail = world.insert(BodyDesc::fixed(ColliderDesc::new(ball(0.2)).with_user_data(9))).unwrap();
    let sensor = at(ball(1.0), Vec3::X).with_sensor(true).with_user_data(3);
    let hammer = BodyDesc::dynamic(ColliderDesc::new(cuboid(Vec3::splat(0.2))).with_user_data(1))
        .with_collider(at(ball(0.3), Vec3::X).with_user_data(2))
        .with_collider(sensor);
    let hammer = world.insert(hammer.with_position(Vec3::X * -4.0)).unwrap();
    world.body_mut(hammer).unwrap().set_linear_velocity(Vec3::X * 3.0).unwrap();
    let mut seen = Vec::new();
    for _ in 0..60 {
        world.checked_step(DT).unwrap();
        seen.extend(named(&world, EventKind::Began));
        if seen.len() == 1 {
            let view = world.body(hammer).unwrap();
            assert_eq!(view.linear_velocity(), Vec3::X * 3.0);
            let ids: Vec<ColliderId> = view.colliders().map(|collider| collider.id()).collect();
            assert_eq!(world.collider(ids[2]).unwrap().overlapping().len(), 1);
            assert!(world.collider(ids[1]).unwrap().overlapping().is_empty());
            let contacts: Vec<_> = view.contacts().filter(|contact| contact.is_touching).collect();
            assert_eq!((contacts.len(), contacts[0].is_sensor, contacts[0].collider_b), (1, true, ids[2]));
        }
    }
    // First the sensor, then the head, which is turned away.
    assert_eq!(seen, [[9, 3], [9, 2]]);
    assert!(world.body(hammer).unwrap().linear_velocity().x < 2.9);
    assert!(world.body(nail).unwrap().contacts().all(|contact| contact.a == nail));
}

/// A wing far from the middle meets a wall that the body alone would pass beside.
#[test]
fn a_fast_wing_is_stopped_a_fast_sensor_reports() {
    let wall = || BodyDesc::fixed(cuboid(Vec3::new(0.005, 1.0, 1.0))).with_position(Vec3::Y * 4.0);
    let other = Filter::new(Groups::from_bits_retain(8), Groups::from_bits_retain(8));
    for k in 0..12 {
        for (number, wing) in [
            at(ball(0.1), Vec3::Y * 4.0),
            at(ball(0.1), Vec3::Y * 4.0).with_sensor(true),
            at(ball(0.1), Vec3::Y * 4.0).with_filter(other),
        ]
        .into_iter()
        .enumerate()
        {
            let mut world = weightless::<DynamicBvh>();
            let wall = world.insert(wall()).unwrap();
            let desc = BodyDesc::dynamic(cuboid(Vec3::splat(0.2))).with_collider(wing).with_ccd(true);
            let speed = Vec3::new(90.0, 0.0, 0.0);
            let position = Vec3::X * (-3.0 - 0.1 * k as f32);
            let body = world.insert(desc.with_position(position).with_linear_velocity(speed)).unwrap();
            let mut reports = Vec::new();
            for _ in 0..6 {
                world.checked_step(DT).unwrap();
                let wing = world.body(body).unwrap().colliders().nth(1).unwrap().pose().translation;
                // Later the body swings around, and its wing passes below the wall.
                assert!(number != 0 || wing.y < 2.9 || wing.x < 0.0, "{k}: {wing}");
                reports.extend(
                    world.events().iter().filter(|event| event.kind != EventKind::Persisted).copied(),
                );
            }
            let view = world.body(body).unwrap();
            let wing = view.colliders().nth(1).unwrap();
            if number != 0 {
                assert_eq!(view.linear_velocity(), speed, "{number}, {k}");
            }
            let kinds: Vec<_> = reports.iter().map(|event| event.kind).collect();
            match number {
                0 => assert!(kinds.contains(&EventKind::Began), "{k}"),
                1 => assert_eq!(kinds, [EventKind::Began, EventKind::Ended], "{k}"),
                _ => assert!(kinds.is_empty(), "{k}: {kinds:?}"),
            }
            let names = |event: &Event| event.a == wall && event.collider_b() == wing.id();
            assert!(reports.iter().all(|event| names(event) && event.is_sensor == (number == 1)));
        }
    }
}

#[test]
fn rays_contacts_and_impulses_name_the_collider() {
    let mut world = world_on::<DynamicBvh>();
    world.insert(ground()).unwrap();
    let leg = |x: f32, threshold: f32| {
        at(cuboid(Vec3::new(0.1, 0.5, 0.5)), Vec3::X * x).with_impulse_threshold(threshold)
    };
    let table = at(cuboid(Vec3::new(1.0, 0.1, 0.5)), Vec3::Y * 0.6);
    let desc = BodyDesc::dynamic(table).with_collider(leg(-0.9, 0.0)).with_collider(leg(0.9, 1e6));
    let body = world.insert(desc.with_position(Vec3::Y * 0.5)).unwrap();
    let ids: Vec<ColliderId> = world.body(body).unwrap().colliders().map(|collider| collider.id()).collect();
    (0..10).for_each(|_| _ = world.checked_step(DT).unwrap());

    let impulses = world.impulse_events();
    assert_eq!(impulses.len(), 1, "{impulses:?}");
    assert_eq!(impulses[0].collider_b, ids[1]);
    // Half the weight, in a step.
    let half = 0.5 * world.body(body).unwrap().mass() * 9.81 * DT;
    assert!((impulses[0].total / half - 1.0).abs() < 0.05, "{} {half}", impulses[0].total);

    let contacts: Vec<_> = world.body(body).unwrap().contacts().collect();
    assert_eq!(contacts.iter().map(|contact| contact.collider_b).collect::<Vec<_>>(), ids[1..]);
    assert!(contacts.iter().all(|c| c.is_touching && c.manifolds.len() == 1 && c.impulses.len() == 1));
    assert_eq!(world.body(body).unwrap().touching().count(), 2);

    for (x, expected) in [(0.0, ids[0]), (-0.9, ids[0])] {
        let down = Ray::new(Vec3::new(x, 9.0, 0.0), Vec3::NEG_Y);
        assert_eq!(
            world.query(&QueryFilter::SOLID).cast_ray(&down, Interval::FORWARD).unwrap().collider,
            expected
        );
        let mut query = world.query(&QueryFilter::SOLID);
        let all = query.cast_ray_all(&down, Interval::FORWARD);
        assert_eq!(all.iter().any(|hit| hit.collider == ids[1]), x != 0.0);
    }
    let near = world.query(&QueryFilter::DYNAMIC).nearest(Vec3::new(1.5, 0.3, 0.0), 9.0).unwrap();
    assert_eq!(near.collider, ids[2]);
}

/// Hooks see colliders: one of two ledges of a body is open from below, the other a filter parts.
struct Ledges;

const ONE_WAY: u64 = 1;
const GHOST: u64 = 2;

impl Hooks for Ledges {
    fn filter_pair(&self, pair: &PairView<'_>) -> bool {
        pair.side_with(|side| side.collider_data == GHOST).is_none()
    }
    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        if let Some(ledge) = contact.side_with(|side| side.collider_data == ONE_WAY) {
            contact.make_one_way(ledge, Vec3::Y);
        }
    }
}

#[test]
fn hooks_see_colliders() {
    for ccd in [false, true] {
        let mut world = world_on::<DynamicBvh>();
        let hooks = ActiveHooks::FILTER | ActiveHooks::MODIFY;
        let ledge = |x: f32, data: u64| {
            at(cuboid(Vec3::new(1.0, 0.1, 1.0)), Vec3::X * x).with_user_data(data).with_hooks(hooks)
        };
        let level = BodyDesc::fixed(ledge(-3.0, ONE_WAY)).with_collider(ledge(0.0, GHOST));
        world.insert(level.with_collider(ledge(3.0, 0)).with_collider(ledge(6.0, ONE_WAY))).unwrap();
        let jump = |world: &mut World, x: f32, y: f32, speed: f32| {
            let desc = BodyDesc::dynamic(ball(0.2)).with_position(Vec3::new(x, y, 0.0)).with_ccd(ccd);
            world.insert(desc.with_linear_velocity(Vec3::Y * speed)).unwrap()
        };
        let up = [-3.0, 0.0, 3.0].map(|x| jump(&mut world, x, -1.0, 8.0));
        let down = [-2.5, 0.5, 3.5, 6.0].map(|x| jump(&mut world, x, 1.0, 0.0));
        for _ in 0..100 {
            world.step_with(DT, StepOptions::new().with_hooks(&Ledges)).unwrap();
            world.validate().unwrap();
        }
        let above = |id: BodyId| 0.0 < world.body(id).unwrap().position().y;
        assert_eq!(up.map(above), [true, false, false], "ccd {ccd}");
        assert_eq!(down.map(above), [true, false, true, true], "ccd {ccd}");
    }
}

/// A heap of bodies with sensors, filters and materials, edited on the way.
fn busy<B: BroadPhase>(
    world: &mut World<B>,
    n_steps: usize,
    restore: impl Fn(&mut World<B>),
) -> Vec<(u64, Vec<Event>)> {
    let mut trace = Vec::new();
    pile(world, |pieces| {
        let filter = Filter::new(Groups::DEFAULT | Groups::from_bits_retain(2), Groups::DEFAULT);
        as_colliders(pieces)
            .with_collider(at(cuboid(Vec3::splat(0.15)), Vec3::Y * 0.6).with_filter(filter))
            .with_collider(at(ball(0.5), Vec3::X * 0.5).with_sensor(true))
            .with_collider(at(ball(0.2), Vec3::Z * 0.5).with_material(Material::new(0.05, 0.5)))
    });
    let bodies: Vec<BodyId> = world.body_ids().collect();
    for step in 0..n_steps {
        match step {
            40 => _ = world.insert_collider(bodies[3], at(ball(0.3), Vec3::X * 0.9)).unwrap(),
            60 => {
                let id = world.body(bodies[5]).unwrap().colliders().nth(2).unwrap().id();
                world.remove_collider(id).unwrap();
            }
            70 => world.remove(bodies[7]).unwrap(),
            80 => {
                let id = world.body(bodies[2]).unwrap().colliders().nth(1).unwrap().id();
                world.collider_mut(id).unwrap().set_sensor(true).unwrap();
                world.body_mut(bodies[8]).unwrap().set_friction(0.9).unwrap();
            }
            90 => restore(world),
            _ => {}
        }
        world.checked_step(DT).unwrap();
        trace.push((world.state_hash(), world.events().to_vec()));
    }
    trace
}

fn restore<B: BroadPhase + Default>(world: &mut World<B>) {
    world.restore(&world.snapshot()).unwrap();
}

#[test]
fn the_same_bits_with_any_broad_phase_threads_and_after_a_snapshot() {
    let trace = busy(&mut world_on::<DynamicBvh>(), 160, |_| {});
    let n_sensed = trace.iter().flat_map(|(_, events)| events).filter(|event| event.is_sensor).count();
    let n_pushed = trace.iter().flat_map(|(_, events)| events).filter(|event| !event.is_sensor).count();
    assert!(500 < n_sensed && 500 < n_pushed, "{n_sensed} {n_pushed}");
    // All edits are in these.
    let trace = &trace[..100];
    assert_eq!(trace, busy(&mut world_on::<BruteForce>(), 100, |_| {}));
    assert_eq!(trace, busy(&mut world_on::<DynamicBvh>(), 100, restore), "restored");
    for n in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        assert_eq!(trace, pool.install(|| busy(&mut world_on::<DynamicBvh>(), 100, |_| {})), "{n} threads");
    }
    let place = WorldHints::of(&[Aabb { min: Vec3::splat(-30.0), max: Vec3::splat(30.0) }; 100]);
    for listed in ALGORITHMS {
        let mut world: World<Box<dyn SpatialBroadPhase>> =
            World::with_broad_phase(listed.make(&place), WorldSettings::default());
        assert_eq!(trace, busy(&mut world, 100, |_| {}), "{}", listed.name);
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_stored_snapshot_has_all_of_them() {
    let mut world = world_on::<DynamicBvh>();
    busy(&mut world, 100, |_| {});
    let text = serde_json::to_string(&world.snapshot()).unwrap();
    let snapshot: carom_world::Snapshot = serde_json::from_str(&text).unwrap();
    let mut again = crate::scenes::restored::<BruteForce>(&snapshot, &world).unwrap();
    for _ in 0..30 {
        world.checked_step(DT).unwrap();
        again.checked_step(DT).unwrap();
        assert_eq!((world.state_hash(), world.events()), (again.state_hash(), again.events()));
    }
}

#[test]
fn a_stale_handle_is_an_error() {
    let mut world = world_on::<DynamicBvh>();
    let body = world.insert(BodyDesc::dynamic(ball(0.5))).unwrap();
    let first = world.body(body).unwrap().colliders().next().unwrap().id();
    let second = world.insert_collider(body, at(ball(0.5), Vec3::X)).unwrap();
    assert_eq!((first.index(), first.generation(), first.body()), (0, 1, body));
    world.remove_collider(first).unwrap();
    let stale = WorldError::StaleCollider(first);
    assert_eq!(world.collider(first).err(), Some(stale));
    assert_eq!(world.collider_mut(first).err(), Some(stale));
    assert_eq!(world.remove_collider(first), Err(stale));
    let third = world.insert_collider(body, ball(0.1)).unwrap();
    assert_eq!((third.index(), third.generation()), (0, 3));
    assert!(world.collider(first).is_err() && world.collider(third).is_ok());
    world.remove(body).unwrap();
    assert_eq!(world.collider(second).err(), Some(WorldError::StaleCollider(second)));
    assert_eq!(world.insert_collider(body, ball(0.5)), Err(WorldError::StaleBody(body)));
    // The number of the body passes on; the collider's handle does not.
    let next = world.insert(BodyDesc::dynamic(ball(0.5))).unwrap();
    assert_eq!(next.index(), body.index());
    assert!(world.collider(first).is_err());
}

#[test]
fn the_last_collider_may_go() {
    let mut world = world_on::<DynamicBvh>();
    world.insert(ground()).unwrap();
    let body = world.insert(BodyDesc::dynamic(ball(0.5)).with_position(Vec3::Y * 0.5)).unwrap();
    (0..200).for_each(|_| _ = world.checked_step(DT).unwrap());
    assert!(world.body(body).unwrap().is_sleeping());
    let mass = world.body(body).unwrap().mass();
    let only = world.body(body).unwrap().colliders().next().unwrap().id();
    world.remove_collider(only).unwrap();
    world.checked_step(DT).unwrap();
    // It meets nothing, and falls on with its mass. The contact ended once.
    assert_eq!(world.events().iter().map(|event| event.kind).collect::<Vec<_>>(), [EventKind::Ended]);
    (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
    let view = world.body(body).unwrap();
    assert!(view.position().y < -3.0 && view.mass() == mass && view.colliders().count() == 0);
    assert_eq!(world.body_at(body.index()), Some(body));
    let down = Ray::new(view.position() + Vec3::Y, Vec3::NEG_Y);
    assert!(world.query(&QueryFilter::DYNAMIC).cast_ray(&down, Interval::FORWARD).is_none());
    // With a collider it meets others again, with the mass of that.
    world.body_mut(body).unwrap().set_pose(Pose::from_translation(Vec3::Y * 2.0)).unwrap();
    world.insert_collider(body, ball(0.25)).unwrap();
    assert!((world.body(body).unwrap().mass() / mass - 0.125).abs() < 1e-5);
    (0..200).for_each(|_| _ = world.checked_step(DT).unwrap());
    assert!((world.body(body).unwrap().position().y - 0.25).abs() < 0.02);

    let empty = BodyDesc::empty(Mobility::Fixed);
    let shelf = world.insert(empty.with_position(Vec3::Y * 5.0)).unwrap();
    world.insert_collider(shelf, cuboid(Vec3::ONE)).unwrap();
    world.checked_step(DT).unwrap();
    assert_eq!(
        world.insert(BodyDesc::empty(Mobility::Dynamic)),
        Err(WorldError::NoMass(MassFault::NoCollider))
    );
}

#[test]
fn a_body_of_sensors_falls_and_reports() {
    let mut world = world_on::<DynamicBvh>();
    let floor = world.insert(ground()).unwrap();
    let eye = |x: f32| at(ball(0.5), Vec3::X * x).with_sensor(true);
    let body =
        world.insert(BodyDesc::dynamic(eye(-2.0)).with_collider(eye(2.0)).with_position(Vec3::Y)).unwrap();
    let (mut began, mut ended) = (0, 0);
    for _ in 0..90 {
        world.checked_step(DT).unwrap();
        began += named(&world, EventKind::Began).len();
        ended += named(&world, EventKind::Ended).len();
    }
    // A half-space has no other side.
    assert_eq!((began, ended), (2, 0));
    assert!(world.body(body).unwrap().position().y < -5.0);
    assert!(world.body(floor).unwrap().touching().all(|id| id == body));
}

#[test]
fn bad_colliders_are_refused_and_change_nothing() {
    let mut world = world_on::<DynamicBvh>();
    let body = world.insert(BodyDesc::dynamic(ball(0.5)).with_collider(at(ball(0.5), Vec3::X))).unwrap();
    let only = world.insert(BodyDesc::dynamic(ball(0.5)).with_position(Vec3::Y * 3.0)).unwrap();
    let half_space = Shape::half_space(Vec3::Y).unwrap();
    let nan = Pose::from_translation(Vec3::new(f32::NAN, 0.0, 0.0));
    let bad = [
        at(ball(0.5), Vec3::NAN),
        ColliderDesc::new(ball(0.5)).with_pose(Pose::new(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), Vec3::ZERO)),
        ColliderDesc::new(ball(0.5)).with_density(f32::NAN),
        ColliderDesc::new(ball(0.5)).with_density(-1.0),
        ColliderDesc::new(ball(0.5)).with_material(Material::new(f32::INFINITY, 0.0)),
        ColliderDesc::new(ball(0.5)).with_material(Material::new(0.5, f32::NAN)),
        ColliderDesc::new(ball(0.5))
            .with_material(Material::default().with_surface_velocity(Vec3::NAN, Vec3::ZERO)),
        ColliderDesc::new(ball(0.5)).with_impulse_threshold(-1.0),
        // No body that moves by forces has one: see `half_space_among_colliders`.
        ColliderDesc::new(half_space),
    ];
    let before = (world.state_hash(), world.body(body).unwrap().mass());
    for desc in bad {
        for id in [body, only] {
            assert!(world.insert_collider(id, desc.clone()).is_err(), "{desc:?}");
            assert!(world.insert(BodyDesc::dynamic(ball(1.0)).with_collider(desc.clone())).is_err());
        }
        world.validate().unwrap();
    }
    for id in [body, only] {
        let collider = world.body(id).unwrap().colliders().next().unwrap().id();
        let mut view = world.collider_mut(collider).unwrap();
        assert!(view.set_local_pose(nan).is_err() && view.set_density(f32::NAN).is_err());
        assert!(view.set_material(Material::new(-1.0, 0.0)).is_err());
        assert!(view.set_impulse_threshold(f32::NAN).is_err());
    }
    let only_one = world.body(only).unwrap().colliders().next().unwrap().id();
    assert_eq!(
        world.collider_mut(only_one).unwrap().set_density(0.0).err(),
        Some(WorldError::NoMass(MassFault::NoDensity))
    );
    assert!(matches!(
        world.body_mut(body).unwrap().set_shape(ball(1.0)),
        Err(WorldError::SeveralColliders(id)) if id == body
    ));
    assert_eq!(before, (world.state_hash(), world.body(body).unwrap().mass()));
    assert_eq!(world.body(only).unwrap().colliders().count(), 1);
    world.checked_step(DT).unwrap();
}

/// A wall of a thousand bricks on one body, with a hole, and a thousand colliders that roll on it.
#[test]
fn a_thousand_colliders() {
    let mut world = world_on::<DynamicBvh>();
    let mut floor = BodyDesc::empty(Mobility::Fixed);
    for i in 0..1000 {
        let position = Vec3::new((i % 40) as f32 - 20.0, -0.5, (i / 40) as f32 - 12.0);
        floor = floor.with_collider(at(cuboid(Vec3::splat(0.5)), position).with_user_data(i));
    }
    let floor = world.insert(floor).unwrap();
    let mut wheel = BodyDesc::empty(Mobility::Dynamic);
    for i in 0..1000 {
        let angle = i as f32 * 0.006283;
        wheel = wheel.with_collider(at(ball(0.1), Quat::from_rotation_z(angle) * (Vec3::X * 2.0)));
    }
    let wheel = world.insert(wheel.with_position(Vec3::Y * 2.2)).unwrap();
    for _ in 0..60 {
        world.checked_step(DT).unwrap();
    }
    let y = world.body(wheel).unwrap().position().y;
    assert!((y - 2.1).abs() < 0.05, "{y}");
    let ids: Vec<ColliderId> = world.body(floor).unwrap().colliders().map(|collider| collider.id()).collect();
    let under = Ray::new(Vec3::new(0.0, -5.0, 0.0), Vec3::Y);
    let hit = world.query(&QueryFilter::SOLID).cast_ray(&under, Interval::FORWARD).unwrap();
    assert_eq!(world.collider(hit.collider).unwrap().user_data(), 12 * 40 + 20);
    for &id in &ids[12 * 40 + 18..12 * 40 + 23] {
        world.remove_collider(id).unwrap();
    }
    assert_eq!(world.body(floor).unwrap().colliders().count(), 995);
    assert!(world.query(&QueryFilter::FIXED).cast_ray(&under, Interval::FORWARD).is_none());
    for _ in 0..120 {
        world.checked_step(DT).unwrap();
    }
    assert!(world.body(wheel).unwrap().position().y < 1.9);
}

/// A collider alone on its body is set as the body is, and its handle is the first.
#[test]
fn one_collider_has_a_view_too() {
    let run = |change: &dyn Fn(&mut World, BodyId)| {
        let mut world = world_on::<DynamicBvh>();
        world.insert(ground()).unwrap();
        let desc = BodyDesc::dynamic(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.6);
        let body = world.insert(desc.with_linear_velocity(Vec3::X * 3.0)).unwrap();
        change(&mut world, body);
        (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
        world.state_hash()
    };
    let by_body = run(&|world, body| {
        let mut body = world.body_mut(body).unwrap();
        body.set_friction(0.2).unwrap().set_restitution(0.4).unwrap();
    });
    let by_collider = run(&|world, body| {
        let id = world.body(body).unwrap().colliders().next().unwrap().id();
        world.collider_mut(id).unwrap().set_material(Material::new(0.2, 0.4)).unwrap().set_user_data(5);
        let view = world.collider(id).unwrap();
        assert_eq!((view.user_data(), view.body().user_data()), (5, 0));
        assert_eq!(view.material(), Material::new(0.2, 0.4));
        assert_eq!((view.local_pose(), view.filter()), (Pose::IDENTITY, Filter::default()));
    });
    assert_eq!(by_body, by_collider);
    // At another pose it moves off the body's frame, and the mass with it.
    let mut world = weightless::<DynamicBvh>();
    let body = world.insert(BodyDesc::dynamic(ball(0.5))).unwrap();
    let id = world.body(body).unwrap().colliders().next().unwrap().id();
    let aside = Pose::new(Quat::from_rotation_y(0.3), Vec3::new(1.0, 2.0, 3.0));
    world.collider_mut(id).unwrap().set_local_pose(aside).unwrap().set_user_data(7);
    let view = world.collider(id).unwrap();
    assert_eq!((view.local_pose(), view.pose(), view.user_data()), (aside, aside, 7));
    assert!((view.body().center_of_mass() - aside.translation).length() < 1e-6);
    assert!(matches!(view.shape(), Shape::Sphere(_)));
    let other = world.insert(BodyDesc::dynamic(at(ball(0.5), Vec3::X)).with_position(Vec3::X * 9.0)).unwrap();
    assert_eq!(world.body(other).unwrap().center_of_mass(), Vec3::X * 10.0);
    world.checked_step(DT).unwrap();
}

/// A compound that a user made is one collider, beside others too.
#[test]
fn a_compound_is_one_collider() {
    let mut world = world_on::<DynamicBvh>();
    world.insert(ground()).unwrap();
    let pieces = pieces(1);
    let two = pieces[..2].iter().map(|(shape, pose)| CompoundPart { shape: shape.clone(), pose: *pose });
    let two = Shape::Compound(Arc::new(Compound::new(two.collect()).unwrap()));
    let pose = Pose::new(Quat::from_rotation_x(0.4), Vec3::new(0.0, 0.2, 0.0));
    let desc =
        BodyDesc::dynamic(ColliderDesc::new(two).with_pose(pose)).with_collider(at(ball(0.2), Vec3::Z));
    let body = world.insert(desc.with_position(Vec3::Y * 2.0)).unwrap();
    let ids: Vec<ColliderId> = world.body(body).unwrap().colliders().map(|collider| collider.id()).collect();
    assert_eq!(ids.len(), 2);
    assert!(
        matches!(world.collider(ids[0]).unwrap().shape(), Shape::Compound(all) if all.parts().len() == 2)
    );
    let mut found = Vec::new();
    for _ in 0..120 {
        world.checked_step(DT).unwrap();
        found.extend(world.events().iter().map(Event::collider_b));
    }
    found.sort_unstable();
    found.dedup();
    assert_eq!(found, ids);
}

/// Each collider has its own belt: a parcel goes with the one that it lies on.
#[test]
fn each_collider_has_its_own_belt() {
    let mut world = world_on::<DynamicBvh>();
    let belt = |z: f32, turn: f32, speed: f32| {
        let material = Material::default().with_surface_velocity(Vec3::X * speed, Vec3::ZERO);
        ColliderDesc::new(cuboid(Vec3::new(9.0, 0.5, 0.5)))
            .with_pose(Pose::new(Quat::from_rotation_y(turn), Vec3::new(0.0, -0.5, z)))
            .with_material(material)
    };
    let half_turn = std::f32::consts::PI;
    let belts = BodyDesc::fixed(belt(-2.0, 0.0, 1.0)).with_collider(belt(0.0, half_turn, 1.0));
    world.insert(belts.with_collider(belt(2.0, 0.0, 0.0))).unwrap();
    let parcel = |z: f32| BodyDesc::dynamic(cuboid(Vec3::splat(0.2))).with_position(Vec3::new(0.0, 0.2, z));
    let parcels = [-2.0, 0.0, 2.0].map(|z| world.insert(parcel(z)).unwrap());
    (0..120).for_each(|_| _ = world.checked_step(DT).unwrap());
    let speeds = parcels.map(|id| world.body(id).unwrap().linear_velocity().x);
    for (found, expected) in speeds.into_iter().zip([1.0, -1.0, 0.0]) {
        assert!((found - expected).abs() < 0.01, "{speeds:?}");
    }
}

/// A sleeping body wakes if a collider under it is removed, or one is inserted into it.
#[test]
fn edits_wake_what_they_concern() {
    let mut world = world_on::<DynamicBvh>();
    let plank = |x: f32| at(cuboid(Vec3::new(1.0, 0.1, 1.0)), Vec3::X * x);
    let shelf = world.insert(BodyDesc::fixed(plank(-1.0)).with_collider(plank(1.0))).unwrap();
    let boxes = [-1.0, 1.0].map(|x| {
        let desc = BodyDesc::dynamic(cuboid(Vec3::splat(0.3))).with_position(Vec3::new(x, 0.4, 0.0));
        world.insert(desc).unwrap()
    });
    (0..200).for_each(|_| _ = world.checked_step(DT).unwrap());
    assert!(boxes.iter().all(|&id| world.body(id).unwrap().is_sleeping()));
    let ids: Vec<ColliderId> = world.body(shelf).unwrap().colliders().map(|collider| collider.id()).collect();
    world.collider_mut(ids[0]).unwrap().set_user_data(3);
    assert!(world.body(boxes[0]).unwrap().is_sleeping());
    world.remove_collider(ids[0]).unwrap();
    (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
    let y = boxes.map(|id| world.body(id).unwrap().position().y);
    assert!(y[0] < -2.0 && (y[1] - 0.4).abs() < 0.02, "{y:?}");
}

/// Random edits: the world stays valid, and events of each pair of colliders alternate.
#[test]
fn random_edits_leave_a_valid_world() {
    let mut dice = Dice::new(11);
    let mut world = world_on::<DynamicBvh>();
    world.insert(ground()).unwrap();
    let mut bodies = Vec::new();
    for i in 0..8 {
        let position = Vec3::new((i % 3) as f32, 1.0 + i as f32, 0.0);
        bodies.push(world.insert(BodyDesc::dynamic(ball(0.4)).with_position(position)).unwrap());
    }
    let mut touching = std::collections::BTreeSet::new();
    for _ in 0..400 {
        let body = bodies[dice.range(0.0, 8.0) as usize % 8];
        let colliders: Vec<ColliderId> = world.body(body).unwrap().colliders().map(|c| c.id()).collect();
        let one = colliders.get(dice.range(0.0, 4.0) as usize).copied();
        match (dice.range(0.0, 8.0) as u32, one) {
            (0, _) if colliders.len() < 5 => {
                _ = world.insert_collider(body, at(cuboid(Vec3::splat(0.2)), dice.point(0.6))).unwrap();
            }
            (1, Some(id)) => world.remove_collider(id).unwrap(),
            (2, Some(id)) => _ = world.collider_mut(id).unwrap().set_sensor(dice.range(0.0, 1.0) < 0.5),
            (3, Some(id)) => {
                let groups = Groups::from_bits_retain(1 + dice.range(0.0, 3.0) as u32);
                world.collider_mut(id).unwrap().set_filter(Filter::new(groups, Groups::all())).unwrap();
            }
            (4, Some(id)) => {
                let pose = Pose::from_translation(dice.point(0.5));
                world.collider_mut(id).unwrap().set_local_pose(pose).unwrap();
            }
            (5, _) => _ = world.body_mut(body).unwrap().set_sensor(dice.range(0.0, 1.0) < 0.3),
            (6, _) => {
                let position = Vec3::new(dice.range(-1.0, 2.0), dice.range(0.5, 4.0), 0.0);
                world.body_mut(body).unwrap().set_pose(Pose::from_translation(position)).unwrap();
            }
            (7, Some(id)) => _ = world.collider_mut(id).unwrap().set_shape(ball(dice.range(0.1, 0.5))),
            _ => {}
        }
        world.validate().unwrap();
        world.checked_step(DT).unwrap();
        for event in world.events() {
            let key = (event.collider_a(), event.collider_b());
            match event.kind {
                EventKind::Began => assert!(touching.insert(key), "{event:?} began twice"),
                EventKind::Persisted => assert!(touching.contains(&key), "{event:?} did not begin"),
                EventKind::Ended => assert!(touching.remove(&key), "{event:?} did not begin"),
            }
        }
    }
}
