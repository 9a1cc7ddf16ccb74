//! Characters in a `carom_world::World`: the sweeps are those of a `ShapeWorld`, bodies carry
//! characters and hit them, and characters push bodies.

use crate::worlds::figures;
use carom_character::{
    Character, CharacterBody, CharacterSettings, Figure, RaySweep, ShapeWorld, Sweep, Walked, WorldSweep,
};
use carom_geom::{self as near, MassProperties, f64 as wide};
use carom_math::glam::{DQuat, DVec3, Quat, Vec3};
use carom_math::{Mat3, Pose};
use carom_query::{self as near_query, f64 as wide_query};
use carom_scenes::Rng;
use carom_world::{
    BodyDesc, BodyId, ColliderDesc, Filter, ForceFieldDesc, ForceKind, ForceRegion, Groups, LockedAxes,
    QueryFilter, World,
};
use std::sync::Arc;

const RATES: [f64; 4] = [30.0, 60.0, 144.0, 240.0];

pub(crate) fn cuboid(half: Vec3) -> near_query::Shape {
    near_query::Shape::Cuboid(near::Cuboid::new(half).unwrap())
}

pub(crate) fn floor() -> BodyDesc {
    BodyDesc::fixed(near_query::Shape::HalfSpace(near::HalfSpace::new(Vec3::Y).unwrap()))
}

pub(crate) fn box_of(mass: f32, half: Vec3) -> BodyDesc {
    let sq = half * half * (mass / 3.0);
    let inertia = Mat3::from_diagonal(Vec3::new(sq.y + sq.z, sq.z + sq.x, sq.x + sq.y));
    BodyDesc::dynamic(cuboid(half)).with_mass_properties(MassProperties::new(mass, Vec3::ZERO, inertia))
}

/// Inserts a character with its feet at a position.
pub(crate) fn hero(world: &mut World, figure: Figure, feet: DVec3) -> CharacterBody {
    let position = feet + DVec3::Y * (figure.stature() + 0.01);
    let character = Character::new(figure, CharacterSettings::default(), position).unwrap();
    CharacterBody::insert(world, character, Filter::default()).unwrap()
}

pub(crate) fn capsule() -> Figure {
    Figure::capsule(1.8, 0.3).unwrap()
}

/// Random boxes, balls, capsules and meshes, the same in each kind of world.
fn both(rng: &mut Rng) -> (World, ShapeWorld) {
    let (mut world, mut shapes) = (World::new(), ShapeWorld::new());
    for i in 0..12 {
        let mut number = |low: f64, high: f64| rng.range(low, high) as f32;
        let half = Vec3::new(number(0.2, 1.5), number(0.2, 1.5), number(0.2, 1.5));
        let position = Vec3::new(number(-5.0, 5.0), number(-5.0, 5.0), number(-5.0, 5.0));
        let turn = Quat::from_scaled_axis(Vec3::new(number(-2.0, 2.0), number(-2.0, 2.0), number(-2.0, 2.0)));
        let corners: Vec<Vec3> =
            (0..12).map(|_| Vec3::new(number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0))).collect();
        let wide_corners: Vec<DVec3> = corners.iter().map(|p| p.as_dvec3()).collect();
        let triangles: Vec<[u32; 3]> = (0..10).map(|k| [k, k + 1, k + 2]).collect();
        let (a, b) = match i % 4 {
            0 => (cuboid(half), wide_query::Shape::Cuboid(wide::Cuboid::new(half.as_dvec3()).unwrap())),
            1 => (
                near_query::Shape::Sphere(near::Sphere::new(half.x).unwrap()),
                wide_query::Shape::Sphere(wide::Sphere::new(f64::from(half.x)).unwrap()),
            ),
            2 => (
                near_query::Shape::Capsule(near::Capsule::new(half.x, half.y).unwrap()),
                wide_query::Shape::Capsule(wide::Capsule::new(f64::from(half.x), f64::from(half.y)).unwrap()),
            ),
            _ => {
                let near_mesh = near::TriMesh::new(corners, triangles.clone()).unwrap();
                let wide_mesh = wide::TriMesh::new(wide_corners, triangles).unwrap();
                (
                    near_query::Shape::Mesh(Arc::new(near_query::MeshShape::new(near_mesh).unwrap())),
                    wide_query::Shape::Mesh(Arc::new(wide_query::MeshShape::new(wide_mesh).unwrap())),
                )
            }
        };
        let id = world.insert(BodyDesc::fixed(a).with_pose(Pose::new(turn, position))).unwrap();
        // The world rounds rotations to length 1.
        let pose = world.body(id).unwrap().pose();
        let (turn, position) = (pose.rotation.as_dquat(), pose.translation.as_dvec3());
        shapes.insert(b, carom_math::f64::Pose::new(turn, position));
    }
    (world, shapes)
}

/// A world of bodies gives the answers of a world of shapes in `f64`, to a nanometre on sweeps and
/// to a micrometre on rays.
#[test]
fn a_world_answers_as_shapes_do() {
    let mut rng = Rng::new(71);
    let (mut n_hits, mut n_inside, mut n_rays, mut n) = (0, 0, 0, 0);
    for _ in 0..12 {
        let (world, mut shapes) = both(&mut rng);
        let mut sweep = WorldSweep::new(&world, QueryFilter::default());
        for _ in 0..60 {
            let from = rng.direction() * rng.range(0.0, 6.0);
            let direction = rng.direction() * rng.range(0.0, 8.0);
            for (name, figure) in figures() {
                let (a, b) = (
                    sweep.sweep(&figure, from, direction, 0.005),
                    shapes.sweep(&figure, from, direction, 0.005),
                );
                assert_eq!(a.is_some(), b.is_some(), "{name}: {a:?} {b:?}");
                let (Some(a), Some(b)) = (a, b) else { continue };
                assert_eq!(a.starts_inside, b.starts_inside);
                assert!((a.t - b.t).abs() * direction.length() < 1e-9, "{name}: {a:?} {b:?}");
                assert!(a.object == b.object && (a.normal - b.normal).length() < 1e-6, "{a:?} {b:?}");
                n_hits += 1;
                n_inside += usize::from(a.starts_inside);
                assert_eq!(sweep.is_free(&figure, from), shapes.is_free(&figure, from));
            }
            let (a, b) = (sweep.ray(from, direction, None), shapes.ray(from, direction, None));
            n += 1;
            // A ray that grazes an edge may hit or miss.
            if let (Some(a), Some(b)) = (a, b)
                && a.object == b.object
            {
                let off = (a.t - b.t).abs() * direction.length();
                n_rays += usize::from(off < 1e-6 && (a.normal - b.normal).length() < 1e-5);
            } else {
                n_rays += usize::from(a.is_none() && b.is_none());
            }
        }
    }
    assert!(1000 < n_hits && 100 < n_inside && n_inside < n_hits, "{n_hits} {n_inside}");
    assert!(n - 4 <= n_rays, "{n_rays} of {n}");
}

/// Sensors, the own body, other groups and the family are left out; other bodies are hit.
#[test]
fn filters_leave_bodies_out() {
    let mut world = World::new();
    let group = Groups::from_bits_retain(2);
    let wall = BodyDesc::fixed(cuboid(Vec3::new(0.1, 2.0, 2.0)));
    let at = |desc: BodyDesc, x: f32| desc.with_position(Vec3::X * x);
    world.insert(at(wall.clone(), 1.0).with_sensor(true)).unwrap();
    let other = world.insert(at(wall.clone(), 2.0).with_groups(group, Groups::all())).unwrap();
    let kin = world.insert(at(wall.clone(), 3.0).with_family(7)).unwrap();
    let own = world.insert(at(wall.clone(), 4.0)).unwrap();
    let last = world.insert(at(wall, 5.0)).unwrap();
    let without = [own];
    let filter = Filter::new(Groups::DEFAULT, Groups::DEFAULT);
    let kind = QueryFilter::SOLID.with_filter(filter.with_family(7));
    let cases = [
        (QueryFilter::SOLID, other),
        (QueryFilter::SOLID.with_filter(filter), kin),
        (kind, own),
        (kind.without(&without), last),
    ];
    for (filter, expected) in cases {
        let mut sweep = WorldSweep::new(&world, filter);
        let hit = sweep.sweep(&capsule(), DVec3::ZERO, DVec3::X * 9.0, 0.005).unwrap();
        assert_eq!(hit.object, expected.index());
        assert_eq!(sweep.ray(DVec3::ZERO, DVec3::X * 9.0, None).unwrap().object, expected.index());
    }
}

/// The colliders of a body are filtered one by one: a sensor and one of another group are passed.
#[test]
fn colliders_are_filtered_one_by_one() {
    let mut world = World::new();
    let group = Groups::from_bits_retain(2);
    let wall = |x: f32| {
        let shape = cuboid(Vec3::new(0.1, 2.0, 2.0));
        ColliderDesc::new(shape).with_pose(Pose::from_translation(Vec3::X * x))
    };
    let walls = BodyDesc::fixed(wall(1.0).with_sensor(true))
        .with_collider(wall(2.0).with_filter(Filter::new(group, Groups::all())))
        .with_collider(wall(3.0));
    let walls = world.insert(walls).unwrap();
    let filter = QueryFilter::SOLID.with_filter(Filter::new(Groups::DEFAULT, Groups::DEFAULT));
    for (filter, x) in [(filter, 2.9), (QueryFilter::SOLID, 1.9)] {
        let mut sweep = WorldSweep::new(&world, filter);
        let hit = sweep.ray(DVec3::ZERO, DVec3::X * 10.0, None).unwrap();
        assert!((hit.t - 0.1 * x).abs() < 1e-6 && hit.object == walls.index(), "{hit:?}");
        let met = sweep.sweep(&capsule(), DVec3::ZERO, DVec3::X * 10.0, 0.0).unwrap();
        assert!(met.t < 0.1 * x && 0.1 * (x - 1.0) < met.t, "{met:?}");
    }
}

/// The motion of a carrier: its pose at a time.
type Course<'a> = &'a dyn Fn(f64) -> Pose;

/// Rides on a body that moves on a course, and checks that it stays where it stands.
fn ride(what: &str, shape: near_query::Shape, start: DVec3, course: Course<'_>, height: f64) {
    for hertz in RATES {
        for (kind, figure) in figures() {
            let mut world = World::new();
            let carrier = world.insert(BodyDesc::kinematic(shape.clone()).with_pose(course(0.0))).unwrap();
            let mut hero = hero(&mut world, figure, start);
            let dt = 1.0 / hertz;
            for _ in 0..30 {
                world.step(dt as f32).unwrap();
                hero.walk(&mut world, DVec3::ZERO, dt).unwrap();
            }
            assert_eq!(hero.contacts()[0].body, carrier);
            let first = world.body(carrier).unwrap().pose().wide();
            let mut mark = first.inverse_transform_point(hero.character().feet());
            mark.y -= hero.character().settings().skin;
            let (mut travel, mut last, mut worst) = (0.0, first.transform_point(mark), 0.0_f64);
            for frame in 1..=(4.0 * hertz) as usize {
                world.body_mut(carrier).unwrap().move_to(course(frame as f64 * dt)).unwrap();
                world.step(dt as f32).unwrap();
                let walked = hero.walk(&mut world, DVec3::ZERO, dt).unwrap();
                assert!(walked.freed == DVec3::ZERO && !walked.is_stuck, "{what} {kind} {hertz}: {walked:?}");
                assert!(hero.character().ground().is_some(), "{what} {kind} {hertz} Hz");
                let point = world.body(carrier).unwrap().pose().wide().transform_point(mark);
                let off = hero.character().feet() - point;
                worst = worst.max(off.x.hypot(off.z));
                assert!(off.y.abs() < height, "{what} {kind} {hertz} Hz: {off}");
                travel += (point - last).length();
                last = point;
            }
            assert!(worst <= 0.01 * travel && worst < 0.02, "{what} {kind} {hertz} Hz: {worst} of {travel}");
        }
    }
}

/// A figure presses against the side of a block. The top of the block is at `height` at first and
/// rises by `speed`, in metres and seconds. Returns the greatest height of the feet.
fn press(figure: Figure, height: f64, speed: f64, seconds: f64) -> f64 {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    let at = |t: f64| Pose::from_translation(Vec3::new(0.0, (height + speed * t - 2.0) as f32, 2.0));
    let block = BodyDesc::kinematic(cuboid(Vec3::new(4.0, 2.0, 1.5))).with_pose(at(0.0));
    let block = world.insert(block).unwrap();
    let mut hero = hero(&mut world, figure, DVec3::ZERO);
    let (dt, mut highest) = (1.0 / 60.0, 0.0_f64);
    for n in 1..=(60.0 * seconds) as u32 {
        world.body_mut(block).unwrap().move_to(at(f64::from(n) * dt)).unwrap();
        world.step(dt as f32).unwrap();
        // Along the side too, so that the figure slides.
        let aside = if n % 40 < 20 { 1.2 } else { -1.2 };
        hero.walk(&mut world, DVec3::new(aside, 0.0, 4.8), dt).unwrap();
        highest = highest.max(hero.character().position().y - figure.stature());
    }
    highest
}

/// A ledge above a step is no ground, although a round figure touches its edge from below: neither
/// if it stands still nor if it rises beside the figure. A ledge below a step is walked onto.
#[test]
fn a_ledge_above_a_step_is_a_wall() {
    let ellipsoids = [Figure::ellipsoid(1.8, 0.3).unwrap(), Figure::ellipsoid(1.0, 0.5).unwrap()];
    for figure in ellipsoids.into_iter().chain(figures().map(|(_, figure)| figure)) {
        for height in (42..120).step_by(3).map(|cm| f64::from(cm) / 100.0) {
            let highest = press(figure, height, 0.0, 1.0);
            assert!(highest < 0.02, "{figure:?} beside {height} m: {highest}");
        }
        for speed in [0.05, 0.3, 0.75, 2.0] {
            let highest = press(figure, 0.45, speed, 0.8 / speed);
            assert!(highest < 0.02, "{figure:?} beside a lift of {speed} m/s: {highest}");
        }
        let highest = press(figure, 0.38, 0.0, 1.0);
        assert!(0.37 < highest && highest < 0.41, "{figure:?} onto 0.38 m: {highest}");
    }
}

/// Lifts that also move aside carry each figure at each rate, to within 1 % of the path.
#[test]
fn lifts_carry() {
    let up = |t: f64| Pose::from_translation(Vec3::new(0.5 * t as f32, 2.0 * t as f32, 0.0));
    let down = |t: f64| Pose::from_translation(Vec3::new(0.5, -2.0, 1.0) * t as f32);
    let wheel = |t: f64| {
        Pose::from_translation(Vec3::new((2.0 * t).cos() as f32 - 1.0, (2.0 * t).sin() as f32, 0.0) * 3.0)
    };
    let shape = cuboid(Vec3::new(2.0, 0.5, 2.0));
    let start = DVec3::new(0.3, 0.5, -0.4);
    ride("up", shape.clone(), start, &up, 0.0052);
    ride("down", shape.clone(), start, &down, 0.0052);
    ride("wheel", shape, start, &wheel, 0.0052);
}

/// A disc that turns, tilts and rises.
#[test]
fn discs_that_turn_and_tilt_carry() {
    let disc = |t: f64| {
        let tilt = DQuat::from_rotation_x(0.2 * (0.7 * t).sin()) * DQuat::from_rotation_z(0.15 * t.sin());
        let turn = (tilt * DQuat::from_rotation_y(1.5 * t)).as_quat().normalize();
        Pose::new(turn, Vec3::Y * (0.5 * (1.3 * t).sin()) as f32)
    };
    let shape = near_query::Shape::Cylinder(near::Cylinder::new(0.25, 4.0).unwrap());
    ride("disc", shape, DVec3::new(-0.7, 0.25, 0.9), &disc, 0.15);
}

/// An escalator: the surface of a body that stands still moves.
#[test]
fn belts_carry() {
    for hertz in RATES {
        let mut world = World::new();
        let belt = BodyDesc::fixed(cuboid(Vec3::new(20.0, 0.5, 2.0)));
        world.insert(belt.with_surface_velocity(Vec3::X * 1.5, Vec3::ZERO)).unwrap();
        let mut hero = hero(&mut world, capsule(), DVec3::Y * 0.5);
        let dt = 1.0 / hertz;
        let mut go = |n: usize| {
            for _ in 0..n {
                world.step(dt as f32).unwrap();
                hero.walk(&mut world, DVec3::ZERO, dt).unwrap();
            }
            hero.character().position().x
        };
        let from = go((0.5 * hertz) as usize);
        let travel = go((4.0 * hertz) as usize) - from;
        assert!((travel - 6.0).abs() < 0.01 * 6.0, "{hertz} Hz: {travel}");
    }
}

/// Walks into a box for some seconds. Returns how far it was pushed, its largest speed, the world
/// and the character.
fn push(mass: f32, max_push: f64, wish: f64) -> (f64, f64, World, CharacterBody) {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    // Low, so that it does not tip; higher than a step.
    let half = Vec3::new(0.5, 0.25, 0.5);
    let crate_ = world.insert(box_of(mass, half).with_position(Vec3::new(1.5, 0.25, 0.0))).unwrap();
    let figure = capsule();
    let position = DVec3::Y * (figure.stature() + 0.01);
    let settings = CharacterSettings::default().with_push(80.0, max_push);
    let character = Character::new(figure, settings, position).unwrap();
    let mut hero = CharacterBody::insert(&mut world, character, Filter::default()).unwrap();
    let (dt, mut fastest) = (1.0 / 60.0, 0.0_f64);
    for _ in 0..240 {
        world.step(dt as f32).unwrap();
        hero.walk(&mut world, DVec3::X * wish, dt).unwrap();
        let total: f64 = hero.contacts().iter().filter(|c| c.approach > 0.0).map(|c| c.force.length()).sum();
        assert!(total <= max_push * 1.000_001, "{total}");
        fastest = fastest.max(f64::from(world.body(crate_).unwrap().linear_velocity().x));
    }
    let travel = f64::from(world.body(crate_).unwrap().position().x) - 1.5;
    (travel, fastest, world, hero)
}

/// A light box is pushed no faster than the character walks. A box whose friction is above the
/// largest force stays, and stops the character.
#[test]
fn pushes_have_a_largest_force() {
    // Friction 0.5: 98 newtons hold 20 kg, and 4905 hold a ton.
    let (travel, fastest, _, hero) = push(20.0, 600.0, 2.0);
    assert!(3.0 < travel && fastest < 2.0 * 1.05, "{travel} {fastest}");
    assert!(3.0 < hero.character().position().x);
    let (travel, _, _, hero) = push(1000.0, 600.0, 2.0);
    assert!(travel < 2e-3, "{travel}");
    let x = hero.character().position().x;
    assert!((x - 0.695).abs() < 5e-3, "{x}");
    // Friction holds 200 kg with 981 newtons.
    let travel = push(200.0, 600.0, 2.0).0;
    assert!(travel < 5e-3, "{travel}");
    assert!(1.0 < push(200.0, 1300.0, 2.0).0);
}

/// A ton of steel slides against a character at rest that is not pushed: it stops, and the
/// character stays.
#[test]
fn bodies_stop_at_a_character() {
    for (mass, speed) in [(10.0, 2.0), (1000.0, 4.0), (1000.0, 15.0)] {
        let mut world = World::new();
        world.insert(floor()).unwrap();
        let half = Vec3::splat(0.5);
        let desc = box_of(mass, half).with_friction(0.0).with_position(Vec3::new(2.0, 0.5, 0.0));
        let body = world.insert(desc.with_linear_velocity(Vec3::X * -speed)).unwrap();
        let mut hero = hero(&mut world, capsule(), DVec3::ZERO).with_pushed(false);
        let mut was_met = false;
        for _ in 0..120 {
            world.step(1.0 / 60.0).unwrap();
            let walked = hero.walk(&mut world, DVec3::ZERO, 1.0 / 60.0).unwrap();
            assert!(walked.freed == DVec3::ZERO && !walked.is_stuck, "{walked:?}");
            was_met |= world.body(hero.body()).unwrap().touching().any(|other| other == body);
        }
        let (position, x) = (hero.character().position(), world.body(body).unwrap().position().x);
        assert!(was_met && position.x.hypot(position.z) < 1e-9, "{position}");
        assert!(0.78 < x, "{mass} kg, {speed} m/s: {x}");
    }
}

/// A box that overlaps a character by 0.1 m does not move it at once. They are pushed apart, and a
/// character that is not pushed stays.
#[test]
fn overlapping_bodies_are_pushed_apart() {
    let after = |n_steps: usize, is_pushed: bool| {
        let mut world = World::new();
        world.insert(floor()).unwrap();
        let mut hero = hero(&mut world, capsule(), DVec3::ZERO).with_pushed(is_pushed);
        let desc = box_of(1000.0, Vec3::splat(0.5)).with_position(Vec3::new(0.7, 0.5, 0.0));
        let crate_ = world.insert(desc).unwrap();
        hero.walk(&mut world, DVec3::ZERO, 1.0 / 60.0).unwrap();
        for _ in 0..n_steps {
            world.step(1.0 / 60.0).unwrap();
            hero.walk(&mut world, DVec3::ZERO, 1.0 / 60.0).unwrap();
        }
        let x = hero.character().position().x;
        (x, f64::from(world.body(crate_).unwrap().position().x) - 0.5 - x)
    };
    for is_pushed in [false, true] {
        assert!(after(0, is_pushed).0.abs() < 1e-6, "{:?}", after(0, is_pushed));
        let (x, gap) = after(120, is_pushed);
        assert!(0.28 < gap && -1.0 < x && (is_pushed || x.abs() < 1e-6), "{is_pushed}: {x} {gap}");
    }
}

/// A character on a dynamic raft in space: its weight accelerates both.
#[test]
fn weight_acts_on_what_it_stands_on() {
    let mut world = World::new();
    let raft = box_of(200.0, Vec3::new(2.0, 0.2, 2.0)).with_gravity_scale(0.0);
    let raft = world.insert(raft).unwrap();
    let mut hero = hero(&mut world, capsule(), DVec3::Y * 0.2);
    for _ in 0..60 {
        world.step(1.0 / 60.0).unwrap();
        hero.walk(&mut world, DVec3::ZERO, 1.0 / 60.0).unwrap();
    }
    // 784.8 newtons on 280 kg, raft and character, for nearly a second.
    let fall = f64::from(world.body(raft).unwrap().linear_velocity().y);
    assert!((-2.85..-2.72).contains(&fall), "{fall}");
    assert!(hero.contacts().iter().any(|contact| contact.body == raft && 0.9 < contact.normal.y));
    // It rides on the raft, and does not float above it.
    let top = f64::from(world.body(raft).unwrap().position().y) + 0.2;
    assert!((hero.character().feet().y - top).abs() < 0.02, "{} {top}", hero.character().feet());
}

/// A raft of 1000 kg without gravity that cannot turn, on which a character stands still, after 2
/// seconds. Returns the velocities of both along x.
fn drift(speed: f32, force: f32) -> (f64, f64) {
    let mut world = World::new();
    let raft = box_of(1000.0, Vec3::new(2.0, 0.2, 2.0)).with_gravity_scale(0.0);
    let raft = raft.with_linear_velocity(Vec3::X * speed).with_locked_axes(LockedAxes::ROTATION);
    let raft = world.insert(raft).unwrap();
    let mut hero = hero(&mut world, capsule(), DVec3::Y * 0.2);
    for _ in 0..120 {
        world.body_mut(raft).unwrap().apply_force(Vec3::X * force).unwrap();
        world.step(1.0 / 60.0).unwrap();
        hero.walk(&mut world, DVec3::ZERO, 1.0 / 60.0).unwrap();
    }
    assert!(hero.character().ground().is_some());
    (hero.character().velocity().x, f64::from(world.body(raft).unwrap().linear_velocity().x))
}

/// A character that comes to stand on a raft takes over its velocity, and their momentum is kept.
/// A force has to accelerate both.
#[test]
fn a_raft_feels_its_passenger() {
    let (hero, raft) = drift(10.0, 0.0);
    let shared = 10.0 * 1000.0 / 1080.0;
    assert!((hero - shared).abs() < 0.05 && (raft - shared).abs() < 0.05, "{hero} {raft}");
    let (hero, raft) = drift(0.0, 1080.0);
    assert!((hero - 2.0).abs() < 0.05 && (raft - 2.0).abs() < 0.05, "{hero} {raft}");
}

/// Light boxes that spin fast under a character throw it no higher than a step, for several sizes
/// and axes.
#[test]
fn a_light_box_that_spins_throws_nobody() {
    for (mass, size) in [(2.0, 0.15), (5.0, 0.25), (20.0, 0.4)] {
        for axis in [Vec3::X, Vec3::Z, Vec3::new(0.6, 0.0, 0.8), Vec3::Y] {
            let mut world = World::new();
            world.insert(floor()).unwrap();
            let spinning = box_of(mass, Vec3::splat(size)).with_position(Vec3::Y * 1.5 * size);
            let spinning = world.insert(spinning.with_angular_velocity(axis * 60.0)).unwrap();
            let mut hero = hero(&mut world, capsule(), DVec3::Y * 3.0 * f64::from(size));
            let mut highest = 0.0_f64;
            for n in 0..180 {
                // Something keeps it spinning.
                world.body_mut(spinning).unwrap().apply_torque(axis * 2.0).unwrap();
                world.step(1.0 / 60.0).unwrap();
                let wish = DVec3::X * if n % 60 < 30 { 3.0 } else { -3.0 };
                hero.walk(&mut world, wish, 1.0 / 60.0).unwrap();
                highest = highest.max(hero.character().feet().y);
            }
            assert!(highest < 3.0 * f64::from(size) + 0.4, "{mass} kg about {axis}: {highest}");
        }
    }
}

/// A random walk among 20 boxes and a moving platform in a pen: no body passes a wall, the
/// character is rarely stuck, and no box is thrown fast.
#[test]
fn a_random_walk_among_boxes() {
    let n_moves = if std::env::var_os("CAROM_SLOW").is_some() { 1_000_000 } else { 20_000 };
    for seed in 0..2 {
        let (mut world, mut rng) = (World::new(), Rng::new(900 + seed));
        world.insert(floor()).unwrap();
        for (x, z) in [(8.5, 0.0), (-8.5, 0.0), (0.0, 8.5), (0.0, -8.5)] {
            let half = if z == 0.0 { Vec3::new(0.5, 3.0, 9.0) } else { Vec3::new(9.0, 3.0, 0.5) };
            world.insert(BodyDesc::fixed(cuboid(half)).with_position(Vec3::new(x, 3.0, z))).unwrap();
        }
        let boxes: Vec<BodyId> = (0..20)
            .map(|i| {
                let half = Vec3::splat(rng.range(0.15, 0.6) as f32);
                let position = Vec3::new((i % 5) as f32 * 2.5 - 5.0, 1.0, (i / 5) as f32 * 2.5 - 3.75);
                world.insert(box_of(400.0 * half.x, half).with_position(position)).unwrap()
            })
            .collect();
        let lift = world.insert(BodyDesc::kinematic(cuboid(Vec3::new(1.5, 0.1, 1.5)))).unwrap();
        let mut hero = hero(&mut world, capsule(), DVec3::new(6.3, 0.0, 6.0));
        let (mut wish, mut fastest, mut n_freed, mut n_stuck) = (DVec3::ZERO, 0.0_f32, 0, 0);
        let (mut n_pushes, mut n_rides) = (0, 0);
        for frame in 0..n_moves {
            if frame % 40 == 0 {
                let direction = rng.direction();
                wish = DVec3::new(direction.x, 0.0, direction.z).normalize_or_zero() * 3.0;
                hero.character_mut().jump(rng.range(0.0, 5.0));
            }
            let t = frame as f32 / 60.0;
            let pose = Pose::from_translation(Vec3::new(2.0 * (0.5 * t).sin(), 0.6 - 0.5 * t.cos(), -6.0));
            world.body_mut(lift).unwrap().move_to(pose).unwrap();
            world.step(1.0 / 60.0).unwrap();
            let Walked { freed, is_stuck, .. } = *hero.walk(&mut world, wish, 1.0 / 60.0).unwrap();
            (n_freed, n_stuck) =
                (n_freed + usize::from(freed != DVec3::ZERO), n_stuck + usize::from(is_stuck));
            n_pushes +=
                usize::from(hero.contacts().iter().any(|c| 0.0 < c.approach && c.force != DVec3::ZERO));
            n_rides += usize::from(hero.contacts().iter().any(|c| c.body == lift));
            let (position, feet) = (hero.character().position(), hero.character().feet());
            assert!(
                position.x.abs() < 7.7 && position.z.abs() < 7.7 && -1e-3 < feet.y,
                "{frame}: {position}"
            );
            for &id in &boxes {
                let body = world.body(id).unwrap().motion();
                // At first they fall on to the floor.
                if 60 < frame {
                    fastest = fastest.max(body.linear_velocity.length());
                }
                let at = body.pose.translation;
                assert!(at.x.abs() < 8.0 && at.z.abs() < 8.0 && 0.0 < at.y, "{frame}: {at}");
            }
        }
        eprintln!(
            "seed {seed}: {n_moves} moves, {n_freed} freed, {n_stuck} stuck, {n_pushes} pushes, {n_rides} rides, fastest {fastest}"
        );
        assert!(n_moves <= 50 * n_pushes && 0 < n_rides, "{n_pushes} pushes, {n_rides} rides");
        assert!(n_freed * 100 <= n_moves && n_stuck * 1000 <= n_moves, "{n_freed} freed, {n_stuck} stuck");
        assert!(fastest < 9.0, "{fastest}");
    }
}

/// In a zone with a gravity of its own, the recipe in the docs of [`CharacterBody`] gives this
/// gravity, and after it the gravity of the world.
#[test]
fn a_character_falls_by_the_gravity_of_its_zone() {
    let dt = 1.0 / 60.0;
    for gravity in [Vec3::NEG_Y * 1.6, Vec3::X * 3.0] {
        let mut world = World::new();
        let region = ForceRegion::Ball { center: Vec3::ZERO, radius: 50.0 };
        let field = ForceFieldDesc::inside(region, ForceKind::Gravity(gravity));
        let field = world.insert_force_field(field).unwrap();
        let mut hero = hero(&mut world, capsule(), DVec3::ZERO);
        let mut fall = |world: &mut World| {
            // A new `up` turns the figure about its feet.
            let from = hero.character().feet();
            for _ in 0..60 {
                let gravity = world.body(hero.body()).unwrap().step_forces(dt).gravity;
                hero.character_mut().set_gravity(f64::from(gravity.length())).unwrap();
                hero.character_mut().set_up(-gravity.as_dvec3());
                world.step(dt).unwrap();
                hero.walk(world, DVec3::ZERO, f64::from(dt)).unwrap();
            }
            (hero.character().feet() - from).as_vec3()
        };
        let fallen = fall(&mut world);
        assert!((fallen - gravity * 0.5).length() < 0.03 * gravity.length(), "{gravity}: {fallen}");
        world.remove_force_field(field).unwrap();
        let down = fall(&mut world);
        assert!(down.y < -4.5, "{gravity}: {down}");
    }
}
