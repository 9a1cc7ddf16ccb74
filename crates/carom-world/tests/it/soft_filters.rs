//! The bodies that soft things meet, how they bounce, and how deforming meshes drag them.

use crate::scenes::{CheckedStep, DT, cuboid};
use crate::soft::tetrahedra;
use carom_geom::TriMesh;
use carom_math::{Pose, Ray, Vec3};
use carom_query::{MeshShape, Shape};
use carom_world::{
    ActiveHooks, BodyDesc, ClothSettings, ColliderDesc, CombineRule, Filter, Grains, Groups, Hooks, Liquid,
    Material, PairView, ParticlePhase, ParticlesDesc, QueryFilter, RopeSettings, SoftBodyDesc,
    SoftBodySettings, SoftThing, StepOptions, World,
};
use std::sync::Arc;

const THICKNESS: f32 = 0.05;
const SOFT: Groups = Groups::from_bits_retain(2);
const HARD: Groups = Groups::from_bits_retain(4);

/// In the group of soft things, meeting what is in the group of hard ones.
const OF_SOFT: Filter = Filter::new(SOFT, HARD);

fn run(world: &mut World, seconds: f32) {
    (0..(seconds / DT).round() as usize).for_each(|_| _ = world.checked_step(DT).unwrap());
}

/// Inserts one thing of each kind side by side, a metre above zero.
fn put_each(world: &mut World, filter: Filter) -> Vec<SoftThing> {
    let at = |z: f32| Vec3::new(0.0, 1.0, z);
    let line: Vec<Vec3> = (0..8).map(|i| Vec3::X * (0.07 * i as f32)).collect();
    let (vertices, cells) = tetrahedra([3, 1, 3], 0.1);
    let bodies = [
        SoftBodyDesc::grid([0.4, 0.4], [6, 6], ClothSettings::default()).with_position(at(-3.0)),
        SoftBodyDesc::rope(&line, RopeSettings::default()).with_position(at(-1.5)),
        SoftBodyDesc::volume(&vertices, &cells, SoftBodySettings::default()).with_position(at(0.0)),
    ];
    let kinds =
        [ParticlePhase::Grains(Grains::default()), ParticlePhase::Liquid(Liquid::default())].into_iter();
    let mut things = Vec::new();
    for desc in bodies {
        let desc = desc.with_thickness(THICKNESS).with_filter(filter);
        things.push(SoftThing::Body(world.insert_soft_body(desc).unwrap()));
    }
    for (kind, z) in kinds.zip([1.5, 3.0]) {
        let desc = ParticlesDesc::new(kind, 0.5 * THICKNESS).with_positions(&[at(z), at(z + 0.05)]);
        things.push(SoftThing::Particles(world.insert_particles(desc.with_filter(filter)).unwrap()));
    }
    things
}

fn lowest(world: &World, thing: SoftThing) -> f32 {
    let positions = match thing {
        SoftThing::Body(id) => world.soft_body(id).unwrap().positions(),
        SoftThing::Particles(id) => world.particles(id).unwrap().positions(),
    };
    positions.iter().map(|position| position.y).fold(f32::INFINITY, f32::min)
}

/// A floor with its top at a height.
fn floor(height: f32, filter: Filter) -> BodyDesc {
    let collider = ColliderDesc::new(cuboid(Vec3::new(20.0, 0.5, 20.0))).with_filter(filter);
    BodyDesc::fixed(collider).with_position(Vec3::Y * (height - 0.5))
}

#[test]
fn each_kind_falls_through_what_its_filter_excludes() {
    let mut world = World::new();
    // The first floor does not meet soft things, the second does.
    world.insert(floor(0.0, Filter::new(HARD, HARD))).unwrap();
    world.insert(floor(-2.0, Filter::new(HARD, SOFT))).unwrap();
    let things = put_each(&mut world, OF_SOFT);
    run(&mut world, 3.0);
    for thing in things {
        let height = lowest(&world, thing);
        assert!((height - (-2.0 + 0.5 * THICKNESS)).abs() < 0.2 * THICKNESS, "{thing:?}: {height}");
    }
}

/// Beside each other, each meets what its own filter says. One family does not meet.
#[test]
fn each_thing_has_its_own_filter() {
    let mut world = World::new();
    world.insert(floor(0.0, Filter::default().with_family(7))).unwrap();
    world.insert(floor(-2.0, Filter::default())).unwrap();
    let family = put_each(&mut world, Filter::default().with_family(7));
    let others = put_each(&mut world, Filter::default());
    // Apart, so that they do not meet each other.
    for &thing in &others {
        if let SoftThing::Body(id) = thing {
            world.soft_body_mut(id).unwrap().set_velocity(Vec3::X * 4.0).unwrap();
        }
    }
    run(&mut world, 3.0);
    for thing in family {
        assert!(lowest(&world, thing) < -1.9, "{thing:?}");
    }
    for thing in others {
        assert!(0.0 < lowest(&world, thing), "{thing:?}");
    }
}

/// A change wakes what sleeps, in either way: of the soft thing, or of the body.
#[test]
fn a_changed_filter_counts_at_once() {
    for changes_body in [false, true] {
        let mut world = World::new();
        let top = world.insert(floor(0.0, Filter::new(HARD, SOFT))).unwrap();
        world.insert(floor(-2.0, Filter::new(HARD, Groups::all()))).unwrap();
        let things = put_each(&mut world, OF_SOFT);
        run(&mut world, 8.0);
        for &thing in &things {
            assert!(0.0 < lowest(&world, thing), "{thing:?}");
        }
        if changes_body {
            world.body_mut(top).unwrap().set_groups(HARD, HARD).unwrap();
        }
        for &thing in things.iter().filter(|_| !changes_body) {
            // The second floor has all groups in its mask.
            let other = Filter::new(Groups::from_bits_retain(8), HARD);
            match thing {
                SoftThing::Body(id) => _ = world.soft_body_mut(id).unwrap().set_filter(other),
                SoftThing::Particles(id) => _ = world.particles_mut(id).unwrap().set_filter(other),
            }
        }
        run(&mut world, 3.0);
        for thing in things {
            let height = lowest(&world, thing);
            assert!(-2.0 < height && height < -1.9, "{changes_body}, {thing:?}: {height}");
        }
    }
}

/// A body of several colliders meets soft things if one of its solid colliders does.
#[test]
fn a_collider_decides_for_its_body() {
    for (is_sensor, expected) in [(false, 0.0), (true, -2.0)] {
        let mut world = World::new();
        let shape = cuboid(Vec3::new(20.0, 0.5, 20.0));
        let away =
            ColliderDesc::new(cuboid(Vec3::splat(0.1))).with_pose(Pose::from_translation(Vec3::X * 30.0));
        let colliders = [
            ColliderDesc::new(shape).with_filter(Filter::new(HARD, HARD)),
            away.with_filter(Filter::new(HARD, SOFT)).with_sensor(is_sensor),
        ];
        let [first, second] = colliders;
        let desc = BodyDesc::fixed(first).with_collider(second).with_position(Vec3::NEG_Y * 0.5);
        world.insert(desc).unwrap();
        world.insert(floor(-2.0, Filter::new(HARD, SOFT))).unwrap();
        let things = put_each(&mut world, OF_SOFT);
        run(&mut world, 3.0);
        for thing in things {
            let height = lowest(&world, thing) - 0.5 * THICKNESS;
            assert!((height - expected).abs() < 0.2 * THICKNESS, "{thing:?}: {height}");
        }
    }
}

#[test]
fn a_snapshot_keeps_filter_and_restitution() {
    let mut world = World::new();
    world.insert(floor(0.0, Filter::new(HARD, HARD))).unwrap();
    world.insert(floor(-2.0, Filter::new(HARD, SOFT))).unwrap();
    put_each(&mut world, OF_SOFT);
    let rope = SoftBodyDesc::rope(&[Vec3::ZERO, Vec3::X * 0.1], RopeSettings::default());
    let rope = rope.with_position(Vec3::new(5.0, 1.0, 0.0)).with_filter(OF_SOFT);
    world.insert_soft_body(rope.with_thickness(THICKNESS).with_restitution(0.7)).unwrap();
    run(&mut world, 0.5);
    let mut other = World::new();
    other.restore(&world.snapshot()).unwrap();
    for _ in 0..120 {
        world.step(DT).unwrap();
        other.step(DT).unwrap();
        assert_eq!(world.state_hash(), other.state_hash());
    }
}

/// The two vertices of a rope leap from a floor with the larger restitution, or by the rule.
#[test]
fn soft_bodies_bounce_by_their_restitution() {
    for (own, rule, expected) in
        [(0.8, CombineRule::Max, 0.8), (0.8, CombineRule::Average, 0.6), (0.0, CombineRule::Max, 0.4)]
    {
        let mut world = World::new();
        let material = Material::new(0.5, 0.4).with_rules(CombineRule::GeometricMean, rule);
        let ground = ColliderDesc::new(cuboid(Vec3::new(20.0, 0.5, 20.0))).with_material(material);
        world.insert(BodyDesc::fixed(ground).with_position(Vec3::NEG_Y * 0.5)).unwrap();
        let rope = SoftBodyDesc::rope(&[Vec3::ZERO, Vec3::X * 0.1], RopeSettings::default());
        let rope = rope.with_position(Vec3::Y).with_thickness(0.1).with_restitution(own);
        let rope = world.insert_soft_body(rope.with_rules(CombineRule::GeometricMean, rule)).unwrap();
        let (mut highest, mut has_met) = (0.0_f32, false);
        for _ in 0..80 {
            world.checked_step(DT).unwrap();
            let rope = world.soft_body(rope).unwrap();
            has_met |= 0.1 < rope.velocities()[0].y;
            highest = if has_met { highest.max(rope.positions()[0].y - 0.05) } else { 0.0 };
        }
        let found = (highest / 0.95).sqrt();
        assert!((found - expected).abs() < 0.05, "{own}, {rule:?}: {found}");
    }
    let bad = SoftBodyDesc::grid([1.0, 1.0], [2, 2], ClothSettings::default()).with_restitution(1.5);
    let error = World::new().insert_soft_body(bad).unwrap_err();
    assert_eq!(error.to_string(), "restitution may not be 1.5");
}

/// A mesh whose vertices move along it drags what lies on it, as a belt does.
#[test]
fn a_mesh_that_slides_under_them_drags_soft_things() {
    const SPEED: f32 = 1.0;
    let plate = |shift: f32| -> Vec<Vec3> {
        let corner = |x: f32, z: f32| Vec3::new(x + shift, 0.0, z);
        vec![corner(-20.0, -20.0), corner(-20.0, 20.0), corner(20.0, 20.0), corner(20.0, -20.0)]
    };
    let mesh = TriMesh::new(plate(0.0), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let shape = Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()));
    let mut world = World::new();
    let ground = world.insert(BodyDesc::fixed(shape).with_friction(0.5)).unwrap();
    let at = Vec3::Y * 0.5 * THICKNESS;
    let grains = ParticlePhase::Grains(Grains::default().with_friction(0.5));
    let grain = ParticlesDesc::new(grains, 0.5 * THICKNESS).with_positions(&[at]);
    let grain = world.insert_particles(grain).unwrap();
    // It falls asleep on the mesh at rest.
    run(&mut world, 4.0);
    let start = world.particles(grain).unwrap().positions()[0].x;
    for step in 1..=120 {
        world.body_mut(ground).unwrap().deform(&plate(SPEED * DT * step as f32)).unwrap();
        world.checked_step(DT).unwrap();
    }
    let found = world.particles(grain).unwrap();
    // It lags by v^2 / (2 f g).
    let travel = SPEED * 120.0 * DT - SPEED * SPEED / (2.0 * 0.5 * 9.81);
    let travelled = found.positions()[0].x - start;
    assert!((travelled / travel - 1.0).abs() < 0.05, "{travelled} of {travel}");
    assert!((found.velocities()[0].x / SPEED - 1.0).abs() < 0.02, "{}", found.velocities()[0]);
}

/// Queries pass soft things by their groups, as they pass colliders.
#[test]
fn queries_use_the_filter_of_soft_things() {
    let mut world = World::new();
    let sheet = SoftBodyDesc::grid([2.0, 2.0], [4, 4], ClothSettings::default()).with_filter(OF_SOFT);
    world.insert_soft_body(sheet).unwrap();
    let down = Ray::new(Vec3::new(0.1, 9.0, 0.1), Vec3::NEG_Y);
    for (mask, is_found) in [(SOFT, true), (HARD, false)] {
        let filter = QueryFilter::SOLID.with_mask(mask);
        let query = world.query(&filter);
        assert_eq!(query.cast_ray_soft(&down, 100.0).is_some(), is_found);
        assert_eq!(query.nearest_soft(Vec3::Y, 10.0).is_some(), is_found);
    }
}

/// Rejects all pairs.
struct Rejects;

impl Hooks for Rejects {
    fn filter_pair(&self, _: &PairView<'_>) -> bool {
        false
    }
}

/// A hook does not part soft things from a body; their filter does.
#[test]
fn hooks_do_not_see_soft_things() {
    for (filter, lies) in [(Filter::default(), true), (Filter::new(SOFT, HARD), false)] {
        let mut world = World::new();
        let floor = BodyDesc::fixed(cuboid(Vec3::new(10.0, 0.5, 10.0))).with_position(Vec3::NEG_Y * 0.5);
        world.insert(floor.with_hooks(ActiveHooks::all())).unwrap();
        let crate_ = BodyDesc::dynamic(cuboid(Vec3::splat(0.1))).with_position(Vec3::new(6.0, 1.0, 0.0));
        let crate_ = world.insert(crate_).unwrap();
        let things = put_each(&mut world, filter);
        (0..60).for_each(|_| _ = world.step_with(DT, StepOptions::new().with_hooks(&Rejects)).unwrap());
        assert!(world.body(crate_).unwrap().position().y < -1.0);
        for thing in things {
            assert_eq!(-0.01 < lowest(&world, thing), lies, "{thing:?}: {}", lowest(&world, thing));
        }
    }
}
