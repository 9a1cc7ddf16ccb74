//! Meshes that deform.

use crate::scenes::{DT, ball, cuboid, world_on};
use carom_broad::Mobility;
use carom_broad::{BroadPhase, BruteForce};
use carom_broad_tree::DynamicBvh;
use carom_geom::{Capsule, MassProperties, MeshError, TriMesh};
use carom_math::{Interval, Mat3, Pose, Ray, Vec3};
use carom_query::{MeshShape, Shape};
use carom_testkit::random::Random;
use carom_world::{BodyDesc, BodyId, EventKind, QueryFilter, SavedCollider, World, WorldError};
use std::sync::Arc;

/// The sine, with the same bits on every machine.
fn sin(x: f32) -> f32 {
    carom_math::ops::sin_cos(f64::from(x)).0 as f32
}

/// Squares along each side of a sheet of 8 by 8 metres.
const N: usize = 16;

/// The vertices of a sheet around the origin, moved by a displacement that depends on their place.
fn sheet_at(displacement: impl Fn(Vec3) -> Vec3) -> Vec<Vec3> {
    let at = |k: usize| 8.0 * (k as f32 / N as f32 - 0.5);
    let positions = (0..=N).flat_map(|i| (0..=N).map(move |j| Vec3::new(at(i), 0.0, at(j))));
    positions.map(|position| position + displacement(position)).collect()
}

fn sheet_of(vertices: Vec<Vec3>) -> Shape {
    let at = |i: usize, j: usize| (i * (N + 1) + j) as u32;
    let cells = (0..N * N).flat_map(|cell| {
        let (i, j) = (cell / N, cell % N);
        [[at(i, j), at(i, j + 1), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i + 1, j)]]
    });
    let mesh = TriMesh::new(vertices, cells.collect()).unwrap();
    Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()))
}

fn flat(y: f32) -> Vec<Vec3> {
    sheet_at(|_| Vec3::Y * y)
}

fn sheet(friction: f32) -> BodyDesc {
    BodyDesc::fixed(sheet_of(flat(0.0))).with_friction(friction)
}

fn at<B: BroadPhase>(world: &World<B>, id: BodyId) -> Vec3 {
    world.body(id).unwrap().position()
}

fn velocity<B: BroadPhase>(world: &World<B>, id: BodyId) -> Vec3 {
    world.body(id).unwrap().linear_velocity()
}

/// A ball, a box, a capsule, each with the height of its middle when it lies on something.
fn shapes() -> [(Shape, f32); 3] {
    let capsule = Shape::Capsule(Capsule::new(0.3, 0.25).unwrap());
    [(ball(0.4), 0.4), (cuboid(Vec3::new(0.5, 0.2, 0.4)), 0.2), (capsule, 0.55)]
}

/// A ball follows at once. A box is shaken by the sudden start, as on a mesh that a kinematic body
/// lifts.
#[test]
fn a_body_on_a_rising_sheet_rises_with_it() {
    for speed in [0.5, 3.0, 20.0] {
        let kinematic = sheet(0.5).colliders[0].shape.clone();
        let lift = BodyDesc::kinematic(kinematic).with_linear_velocity(Vec3::Y * speed);
        let mut worlds = [World::new(), World::new()];
        let floor = worlds[0].insert(sheet(0.5)).unwrap();
        worlds[1].insert(lift).unwrap();
        let insert = |world: &mut World| {
            let mut x = -4.0;
            shapes().map(|(shape, height)| {
                x += 2.0;
                let start = Vec3::new(x, height, 0.1);
                world.insert(BodyDesc::dynamic(shape).with_position(start)).unwrap()
            })
        };
        let bodies = insert(&mut worlds[0]);
        assert_eq!(bodies, insert(&mut worlds[1]));
        for step in 1..=60 {
            let y = speed * DT * step as f32;
            worlds[0].body_mut(floor).unwrap().deform(&flat(y)).unwrap();
            for world in &mut worlds {
                world.step(DT).unwrap();
            }
            worlds[0].validate().unwrap();
            let above = at(&worlds[0], bodies[0]).y - y - 0.4;
            let off = velocity(&worlds[0], bodies[0]) - Vec3::Y * speed;
            assert!(above.abs() < 1e-3 && off.length() < 1e-3 * speed, "{speed} {step}: {above} {off}");
            let [own, other] = [0, 1].map(|k: usize| at(&worlds[k], bodies[1]));
            assert!((own - other).length() < 2e-3, "{speed} {step}: {own} {other}");
        }
    }
}

/// A membrane that goes up and stops throws a ball up by v^2 / 2g.
#[test]
fn a_trampoline_throws_a_ball_up() {
    for speed in [3.0, 8.0] {
        let mut world = World::new();
        let floor = world.insert(sheet(0.5)).unwrap();
        let body = world.insert(BodyDesc::dynamic(ball(0.4)).with_position(Vec3::Y * 0.4)).unwrap();
        let (mut y, mut highest) = (0.0, 0.0f32);
        for step in 0..300 {
            if step < 12 {
                y += speed * DT;
                // A bulge in the middle; its top is flat.
                let bulge = |p: Vec3| Vec3::Y * y * (1.5 - 0.3 * p.length()).clamp(0.0, 1.0);
                world.body_mut(floor).unwrap().deform(&sheet_at(bulge)).unwrap();
            }
            world.step(DT).unwrap();
            highest = highest.max(at(&world, body).y - 0.4 - y);
        }
        let expected = speed * speed / (2.0 * 9.81);
        assert!((highest / expected - 1.0).abs() < 0.03, "{speed}: {highest}, {expected}");
    }
}

/// A sheet that goes up and down holds a box while it accelerates by less than gravity.
#[test]
fn a_box_rides_on_a_heaving_sheet() {
    let (height, rate) = (0.4f32, 4.0f32);
    let mut world = World::new();
    let floor = world.insert(sheet(0.5)).unwrap();
    let body = BodyDesc::dynamic(cuboid(Vec3::splat(0.3))).with_position(Vec3::Y * 0.3);
    let body = world.insert(body).unwrap();
    for step in 1..=600 {
        let y = height * sin(rate * DT * step as f32);
        world.body_mut(floor).unwrap().deform(&flat(y)).unwrap();
        world.step(DT).unwrap();
        let above = at(&world, body).y - 0.3 - y;
        assert!(above.abs() < 0.012, "{step}: {above}");
        assert!(!world.body(body).unwrap().is_sleeping());
    }
    // At rest again, it falls asleep.
    for _ in 0..120 {
        world.step(DT).unwrap();
    }
    assert!(world.body(body).unwrap().is_sleeping());
}

/// A wave travels under boxes and balls; their middles stay above it.
#[test]
fn bodies_stay_above_a_travelling_wave() {
    let mut random = Random::new(11);
    let mut world = World::new();
    let wave = |time: f32| move |p: Vec3| Vec3::Y * 0.35 * sin(1.6 * p.x - 3.0 * time);
    let floor = world.insert(BodyDesc::fixed(sheet_of(sheet_at(wave(0.0))))).unwrap();
    for side in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
        let half = Vec3::splat(0.5) + (Vec3::ONE - side.abs()) * 6.0;
        world.insert(BodyDesc::fixed(cuboid(half)).with_position(side * 4.4)).unwrap();
    }
    let mut bodies = Vec::new();
    for k in 0..24 {
        let (shape, _) = shapes()[k % 3].clone();
        let position = Vec3::new((k % 6) as f32 - 2.5, 1.0 + (k % 2) as f32, (k / 6) as f32 * 1.4 - 2.1);
        let body = BodyDesc::dynamic(shape).with_position(position + random.cube_point().as_vec3() * 0.1);
        bodies.push(world.insert(body).unwrap());
    }
    for step in 1..=480 {
        let time = DT * step as f32;
        world.body_mut(floor).unwrap().deform(&sheet_at(wave(time))).unwrap();
        world.step(DT).unwrap();
        for &body in &bodies {
            let p = at(&world, body);
            let surface = wave(time)(p).y;
            assert!(surface < p.y && p.y < 8.0, "{step}: {p}, {surface}");
            assert!(velocity(&world, body).length() < 15.0, "{step}");
        }
    }
}

/// The mesh moves along itself: friction pulls the box to its velocity, or turns it.
#[test]
fn a_sheet_that_moves_along_itself_carries_a_box() {
    let start = || (0..2).map(|_| cuboid(Vec3::new(0.4, 0.2, 0.4)));
    for (turns, shape) in [false, true].into_iter().zip(start()) {
        let mut world = World::new();
        let floor = world.insert(sheet(0.5)).unwrap();
        let body = world.insert(BodyDesc::dynamic(shape).with_position(Vec3::Y * 0.2)).unwrap();
        for step in 1..=90 {
            let time = DT * step as f32;
            let (sine, cosine) = (sin(0.6 * time), sin(0.6 * time + core::f32::consts::FRAC_PI_2));
            let turned = |p: Vec3| Vec3::new(cosine * p.x + sine * p.z, 0.0, cosine * p.z - sine * p.x) - p;
            let moved = |_| Vec3::X * time;
            let next = if turns { sheet_at(turned) } else { sheet_at(moved) };
            world.body_mut(floor).unwrap().deform(&next).unwrap();
            world.step(DT).unwrap();
        }
        let body = world.body(body).unwrap().motion();
        let (linear, angular) = if turns { (Vec3::ZERO, Vec3::Y * 0.6) } else { (Vec3::X, Vec3::ZERO) };
        assert!((body.linear_velocity - linear).length() < 0.03, "{}", body.linear_velocity);
        assert!((body.angular_velocity - angular).length() < 0.03, "{}", body.angular_velocity);
    }
}

/// Without gravity a sheet gives a ball its speed, or twice that if it bounces.
#[test]
fn a_hit_gives_the_speed_of_the_sheet() {
    for (restitution, factor) in [(0.0, 1.0), (1.0, 2.0), (0.5, 1.5)] {
        let mut world = World::new();
        world.solver_settings_mut().gravity = Vec3::ZERO;
        let floor = world.insert(sheet(0.5)).unwrap();
        let body = BodyDesc::dynamic(ball(0.4)).with_position(Vec3::Y * 1.0).with_restitution(restitution);
        let body = world.insert(body).unwrap();
        for step in 1..=20 {
            world.body_mut(floor).unwrap().deform(&flat(4.0 * DT * step as f32)).unwrap();
            world.step(DT).unwrap();
        }
        let found = velocity(&world, body);
        assert!((found - Vec3::Y * 4.0 * factor).length() < 0.1, "{restitution}: {found}");
    }
}

/// The velocities of the body and of its vertices add up.
#[test]
fn a_mesh_that_moves_and_deforms_does_both() {
    let mut world = World::new();
    let floor = BodyDesc::kinematic(sheet_of(flat(0.0))).with_linear_velocity(Vec3::Y * 1.5);
    let floor = world.insert(floor).unwrap();
    let body = BodyDesc::dynamic(ball(0.3)).with_position(Vec3::new(0.2, 0.3, 0.1));
    let body = world.insert(body).unwrap();
    for step in 1..=40 {
        world.body_mut(floor).unwrap().deform(&flat(0.5 * DT * step as f32)).unwrap();
        world.step(DT).unwrap();
        let above = at(&world, body).y - 2.0 * DT * step as f32 - 0.3;
        assert!(above.abs() < 1e-3, "{step}: {above}");
    }
    assert!((velocity(&world, body).y - 2.0).abs() < 1e-3, "{}", velocity(&world, body));
}

/// A sheet goes past where bodies are, in one step or some, while they fly against it, marked fast
/// or not.
#[test]
fn no_middle_passes_a_sheet() {
    let mut random = Random::new(3);
    let mut n_far = 0;
    for case in 0..96 {
        let mut world = World::new();
        let is_fast = case % 2 == 0;
        let (shape, _) = shapes()[case % 3].clone();
        let mut range = |low: f64, high: f64| random.range(low, high) as f32;
        let speed = range(5.0, 240.0);
        let bulge = [range(0.0, 1.0), range(0.5, 2.0), range(-1.0, 1.0)];
        let start = range(-4.0, -0.2);
        let form = move |y: f32, time: f32| {
            move |p: Vec3| {
                let wave = bulge[0] * sin(bulge[1] * p.x + 5.0 * time);
                Vec3::Y * (start + y - 1.0 + wave * 0.6 + bulge[2] * 0.1 * p.z)
            }
        };
        let floor = world.insert(BodyDesc::fixed(sheet_of(sheet_at(form(0.0, 0.0))))).unwrap();
        let velocity = Vec3::new(range(-3.0, 3.0), -range(0.0, 120.0), range(-3.0, 3.0));
        let position = Vec3::new(range(-1.0, 1.0), 0.7, range(-1.0, 1.0));
        let body = BodyDesc::dynamic(shape).with_position(position).with_linear_velocity(velocity);
        let body = world.insert(body.with_ccd(is_fast)).unwrap();
        for step in 1..=8 {
            let y = speed * DT * step as f32;
            world.body_mut(floor).unwrap().deform(&sheet_at(form(y, DT * step as f32))).unwrap();
            world.step(DT).unwrap();
            let p = at(&world, body);
            // A body that slid over the rim may be anywhere.
            if p.x.abs() < 3.9 && p.z.abs() < 3.9 {
                let down = Ray::new(p, Vec3::NEG_Y);
                let hit = world.query(&QueryFilter::FIXED).cast_ray(&down, Interval::FORWARD);
                let hit = hit.filter(|hit| hit.body == floor);
                assert!(hit.is_some(), "case {case}, step {step}: {p}, at {y}");
                n_far += usize::from(0.4 < speed * DT);
            }
        }
    }
    assert!(300 < n_far, "{n_far}");
}

#[test]
fn wrong_vertices_are_refused_and_nothing_is_lost() {
    let mut world = World::new();
    let floor = world.insert(sheet(0.5)).unwrap();
    let body = world.insert(BodyDesc::dynamic(ball(0.4)).with_position(Vec3::Y * 0.4)).unwrap();
    let n = flat(0.0).len();
    world.body_mut(floor).unwrap().deform(&flat(0.1)).unwrap();
    let refused = |world: &mut World, positions: &[Vec3]| match world
        .body_mut(floor)
        .and_then(|mut body| body.deform(positions).map(|_| ()))
    {
        Err(WorldError::Vertices(error)) => error,
        other => panic!("{other:?}"),
    };
    let count = MeshError::WrongCount { expected: n, given: n - 1 };
    assert_eq!(refused(&mut world, &flat(1.0)[1..]), count);
    assert_eq!(refused(&mut world, &[]), MeshError::WrongCount { expected: n, given: 0 });
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut positions = flat(1.0);
        (positions[7].z, positions[9].x) = (bad, bad);
        assert_eq!(refused(&mut world, &positions), MeshError::NotFinite { vertex: 7 });
    }
    assert_eq!(
        world.body_mut(body).and_then(|mut body| body.deform(&flat(1.0)).map(|_| ())),
        Err(WorldError::NotAMesh(body))
    );
    // The call before them still counts.
    world.step(DT).unwrap();
    assert!((velocity(&world, body).y - 0.1 / DT).abs() < 0.1, "{}", velocity(&world, body));
    world.remove(floor).unwrap();
    assert_eq!(
        world.body_mut(floor).and_then(|mut body| body.deform(&flat(1.0)).map(|_| ())),
        Err(WorldError::StaleBody(floor))
    );
    world.step(DT).unwrap();
    // Its number passes to another one, which is at rest.
    let new = world.insert(sheet(0.5)).unwrap();
    assert_eq!(new.index(), floor.index());
    world.step(DT).unwrap();
    world.validate().unwrap();
}

/// Vertices anywhere in range, folded and flat, with bodies among them.
#[test]
fn ugly_meshes_do_no_harm() {
    let mut random = Random::new(17);
    for size in [1e-6, 1.0, 1e6, 1e12] {
        let mut world = World::new();
        let floor = world.insert(sheet(0.5)).unwrap();
        let bodies: Vec<BodyId> = (0..6)
            .map(|k| {
                let (shape, _) = shapes()[k % 3].clone();
                let position = Vec3::new(k as f32 - 2.5, 0.6, 0.0);
                world.insert(BodyDesc::dynamic(shape).with_position(position).with_ccd(k < 3)).unwrap()
            })
            .collect();
        for step in 0..24 {
            let next = match step % 3 {
                0 => vec![Vec3::ZERO; flat(0.0).len()],
                1 => flat(0.0),
                _ => flat(0.0).iter().map(|p| p + random.cube_point().as_vec3() * size).collect(),
            };
            world.body_mut(floor).unwrap().deform(&next).unwrap();
            world.step(DT).unwrap();
            world.validate().unwrap();
            assert!(bodies.iter().all(|&id| world.body(id).unwrap().pose().is_finite()), "{size} {step}");
        }
    }
}

#[test]
fn a_deformed_mesh_wakes_what_it_touches_or_reaches() {
    let mut world = World::new();
    let floor = world.insert(sheet(0.5)).unwrap();
    let lies = world.insert(BodyDesc::dynamic(ball(0.4)).with_position(Vec3::Y * 0.4)).unwrap();
    let shelf = cuboid(Vec3::new(0.5, 0.1, 0.5));
    world.insert(BodyDesc::fixed(shelf).with_position(Vec3::new(3.0, 0.5, 0.0))).unwrap();
    let above = BodyDesc::dynamic(cuboid(Vec3::new(0.8, 0.1, 0.3))).with_position(Vec3::new(3.0, 0.7, 0.0));
    let above = world.insert(above).unwrap();
    for _ in 0..120 {
        world.step(DT).unwrap();
    }
    assert!(world.body(lies).unwrap().is_sleeping() && world.body(above).unwrap().is_sleeping());
    // The same places: nothing moves.
    world.body_mut(floor).unwrap().deform(&flat(0.0)).unwrap();
    world.step(DT).unwrap();
    assert!(world.body(lies).unwrap().is_sleeping());
    world.body_mut(floor).unwrap().deform(&flat(0.01)).unwrap();
    assert!(!world.body(lies).unwrap().is_sleeping() && world.body(above).unwrap().is_sleeping());
    world.step(DT).unwrap();
    assert!((velocity(&world, lies).y - 0.01 / DT).abs() < 0.05, "{}", velocity(&world, lies));
    world.body_mut(floor).unwrap().deform(&flat(1.2)).unwrap();
    world.step(DT).unwrap();
    assert!(0.0 < velocity(&world, above).y && 1.2 < at(&world, above).y, "{}", at(&world, above));
}

/// Contacts go on while the mesh deforms, and rays see it where it is.
#[test]
fn events_and_queries_follow_the_mesh() {
    let mut world = World::new();
    let floor = world.insert(sheet(0.5)).unwrap();
    let body = world.insert(BodyDesc::dynamic(ball(0.4)).with_position(Vec3::Y * 0.4)).unwrap();
    let mut kinds = Vec::new();
    for step in 1..=40 {
        let y = if step <= 20 { 0.02 * step as f32 } else { 0.4 - 0.2 * (step - 20) as f32 };
        world.body_mut(floor).unwrap().deform(&flat(y)).unwrap();
        world.step(DT).unwrap();
        kinds.extend(world.events().iter().map(|event| event.kind));
        let down = Ray::new(Vec3::new(2.0, 9.0, 1.0), Vec3::NEG_Y);
        let hit = world.query(&QueryFilter::SOLID).cast_ray(&down, Interval::FORWARD).unwrap();
        assert!(hit.body == floor && (hit.hit.t - (9.0 - y)).abs() < 1e-4, "{step}");
    }
    let n = |kind: EventKind| kinds.iter().filter(|known| **known == kind).count();
    assert_eq!((n(EventKind::Began), n(EventKind::Ended)), (1, 1));
    assert!(15 < n(EventKind::Persisted));
    let _ = body;
}

fn trace<B: BroadPhase + Default>(restores: bool) -> Vec<u64> {
    let mut world = world_on::<B>();
    let floor = world.insert(sheet(0.5)).unwrap();
    for k in 0..30 {
        let (shape, _) = shapes()[k % 3].clone();
        let position = Vec3::new((k % 5) as f32 * 1.2 - 2.4, 0.8 + (k / 15) as f32, (k / 5 % 3) as f32 - 1.0);
        world.insert(BodyDesc::dynamic(shape).with_position(position).with_ccd(k % 7 == 0)).unwrap();
    }
    let mut random = Random::new(23);
    let mut hashes = Vec::new();
    for step in 1..=90 {
        // Halfway all places are drawn again at random, so that trees become bad and are rebuilt.
        let mixed: Vec<Vec3> = (0..flat(0.0).len()).map(|_| random.cube_point().as_vec3() * 4.0).collect();
        let time = DT * step as f32;
        let wave = |p: Vec3| Vec3::Y * 0.3 * sin(1.3 * p.x + p.z - 4.0 * time);
        let next = if (40..60).contains(&step) { mixed } else { sheet_at(wave) };
        world.body_mut(floor).unwrap().deform(&next).unwrap();
        if restores && step % 9 == 4 {
            let snapshot = world.snapshot();
            // With the mesh as it was at first.
            #[cfg(feature = "serde")]
            let snapshot = crate::scenes::reread(&snapshot);
            let own = world;
            world = world_on::<B>();
            let shape_of = |saved: &SavedCollider| match saved.body {
                body if body == floor => Some(sheet_of(flat(0.0))),
                _ => Some(own.collider(saved.collider).unwrap().shape()),
            };
            world.restore_with(&snapshot, shape_of).unwrap();
        }
        world.step(DT).unwrap();
        world.validate().unwrap();
        hashes.push(world.state_hash());
    }
    hashes
}

#[test]
fn the_same_bits_with_any_broad_phase_and_after_any_snapshot() {
    let expected = trace::<DynamicBvh>(false);
    assert_eq!(expected, trace::<BruteForce>(false));
    assert_eq!(expected, trace::<DynamicBvh>(true));
}

#[cfg(feature = "parallel")]
#[test]
fn the_same_bits_on_one_two_and_four_threads() {
    let with = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| trace::<DynamicBvh>(false))
    };
    let one = with(1);
    assert!([2, 4].iter().all(|&n| one == with(n)));
}

#[cfg(feature = "serde")]
#[test]
fn a_snapshot_needs_a_mesh_with_as_many_vertices() {
    let mut world = World::new();
    let floor = world.insert(sheet(0.5)).unwrap();
    world.body_mut(floor).unwrap().deform(&flat(0.5)).unwrap();
    world.step(DT).unwrap();
    let snapshot = crate::scenes::reread(&world.snapshot());
    let small = TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Z], vec![[0, 1, 2]]).unwrap();
    for wrong in [ball(1.0), Shape::Mesh(Arc::new(MeshShape::new(small).unwrap()))] {
        let refused = World::new().restore_with(&snapshot, |_| Some(wrong.clone()));
        assert!(matches!(refused, Err(WorldError::Inconsistent(_))));
    }
    let mut again = World::new();
    again.restore_with(&snapshot, |_| Some(sheet_of(flat(0.0)))).unwrap();
    let pose = Pose::IDENTITY;
    assert_eq!(
        again.body(floor).unwrap().shape().aabb(&pose),
        world.body(floor).unwrap().shape().aabb(&pose)
    );
}

/// Bad trees are rebuilt, and answers stay right.
#[test]
fn trees_that_became_bad_are_built_anew() {
    let mut random = Random::new(29);
    let mut world = World::new();
    let floor = world.insert(sheet(0.5)).unwrap();
    let mixed: Vec<Vec3> = (0..flat(0.0).len()).map(|_| random.cube_point().as_vec3() * 4.0).collect();
    let cost = |world: &World| match world.body(floor).unwrap().shape() {
        Shape::Mesh(mesh) => mesh.tree().quality().sah_cost,
        _ => panic!("not a mesh"),
    };
    let first = cost(&world);
    // The triangles of each small part are in one place, and then the parts are far apart.
    let shuffled: Vec<usize> = {
        let mut order: Vec<usize> = (0..mixed.len()).collect();
        order.sort_by_key(|&k| mixed[k].x.to_bits());
        order
    };
    let positions = flat(0.0);
    let mut worst = 0.0f64;
    for step in 0..40 {
        let lift = 0.01 * step as f32;
        let next: Vec<Vec3> = shuffled.iter().map(|&k| positions[k] + Vec3::Y * lift).collect();
        world.body_mut(floor).unwrap().deform(&next).unwrap();
        world.step(DT).unwrap();
        worst = worst.max(cost(&world));
        let fresh = sheet_of(next);
        for _ in 0..4 {
            let p = random.cube_point().as_vec3() * 3.0;
            let ray = Ray::new(p + Vec3::Y * 5.0, Vec3::NEG_Y);
            let hit = world.query(&QueryFilter::SOLID).cast_ray(&ray, Interval::FORWARD).map(|hit| hit.hit.t);
            let expected = carom_query::cast_ray(&fresh, &Pose::IDENTITY, &ray, Interval::FORWARD);
            let expected = expected.map(|hit| hit.t);
            assert!(hit.zip(expected).is_none_or(|(a, b)| (a - b).abs() < 1e-4), "{hit:?} {expected:?}");
            assert_eq!(hit.is_some(), expected.is_some());
        }
    }
    assert!(2.0 * first < worst && cost(&world) < worst, "{first} {worst} {}", cost(&world));
}

/// Setters and `deform` give the same bits in any order, and after a restore. The plate hardly
/// moves before the step in which the dip under it rises, so its contacts would be recycled.
#[test]
fn setters_and_deform_may_come_in_any_order() {
    let dip =
        |y: f32| sheet_at(move |p| if p.x.abs().max(p.z.abs()) < 0.8 { Vec3::Y * y } else { Vec3::ZERO });
    type Set = fn(&mut World, BodyId);
    let setters: [(&str, Set); 3] = [
        ("ccd", |world, id| _ = world.body_mut(id).unwrap().set_ccd(false).unwrap()),
        ("mobility", |world, id| {
            world.body_mut(id).unwrap().set_mobility(Mobility::Kinematic).unwrap();
            world.body_mut(id).unwrap().set_mobility(Mobility::Fixed).unwrap();
        }),
        ("mass", |world, id| {
            let mass = MassProperties::new(1.0, Vec3::ZERO, Mat3::IDENTITY);
            world.body_mut(id).unwrap().set_mass_properties(mass).unwrap();
            world.body_mut(id).unwrap().set_mobility(Mobility::Dynamic).unwrap();
            world.body_mut(id).unwrap().set_mass(2.0).unwrap().set_mobility(Mobility::Fixed).unwrap();
        }),
    ];
    for (name, set) in setters {
        let run = |sets_first: bool, restores: bool| {
            let mut world: World = World::new();
            let floor = world.insert(BodyDesc::fixed(sheet_of(dip(-0.3)))).unwrap();
            let plate = BodyDesc::dynamic(cuboid(Vec3::new(1.5, 0.2, 1.5))).with_can_sleep(false);
            let plate = world.insert(plate.with_position(Vec3::Y * 0.2)).unwrap();
            (0..120).for_each(|_| _ = world.step(DT).unwrap());
            if sets_first {
                set(&mut world, floor);
            }
            world.body_mut(floor).unwrap().deform(&dip(0.1)).unwrap();
            if !sets_first {
                set(&mut world, floor);
            }
            if restores {
                let shot = world.snapshot();
                world.restore(&shot).unwrap();
            }
            world.step(DT).unwrap();
            assert_eq!(world.validate(), Ok(()));
            (world.state_hash(), at(&world, plate))
        };
        let expected = run(true, false);
        assert!(0.25 < expected.1.y, "the dip lifts the plate in that step");
        assert_eq!(run(false, false), expected, "{name}");
        assert_eq!(run(false, true), expected, "{name}, after a restore");
    }
}
