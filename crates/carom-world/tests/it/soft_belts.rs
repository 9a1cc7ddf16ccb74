//! Soft things on belts, and by the combine rules of both sides: closed forms.

use crate::scenes::{CheckedStep, DT, cuboid};
use crate::soft::tetrahedra;
use carom_math::{Pose, Quat, Vec3};
use carom_world::{
    BodyDesc, ClothSettings, ColliderDesc, CombineRule, Grains, Material, ParticlePhase, ParticlesDesc,
    RopeSettings, SoftBodyDesc, SoftBodySettings, SoftThing, World,
};

const GRAVITY: f32 = 9.81;
const THICKNESS: f32 = 0.05;
const FRICTION: f32 = 0.4;

/// Rules of friction of the soft things and of the floor.
type Rules = [CombineRule; 2];

/// Puts a cloth, a rope, a soft body and three grains on the floor, beside each other along z.
fn put_each(world: &mut World, friction: f32, rule: CombineRule) -> [SoftThing; 4] {
    let at = |z: f32| Vec3::new(0.0, 0.5 * THICKNESS, z);
    let cloth = SoftBodyDesc::grid([0.4, 0.4], [6, 6], ClothSettings::default()).with_position(at(-3.0));
    let line: Vec<Vec3> = (0..8).map(|i| Vec3::X * (0.07 * i as f32)).collect();
    let rope = SoftBodyDesc::rope(&line, RopeSettings::default()).with_position(at(-1.5));
    let (vertices, cells) = tetrahedra([3, 1, 3], 0.1);
    let low = vertices.iter().map(|vertex| vertex.y).fold(f32::INFINITY, f32::min);
    let stiff = SoftBodySettings::default().with_youngs_modulus(1e6);
    let block = SoftBodyDesc::volume(&vertices, &cells, stiff).with_position(at(0.0) - Vec3::Y * low);
    let soft = [cloth, rope, block].map(|desc| {
        let desc = desc.with_thickness(THICKNESS).with_friction(friction).with_rules(rule, CombineRule::Max);
        SoftThing::Body(world.insert_soft_body(desc).unwrap())
    });
    let grains = ParticlePhase::Grains(Grains::default().with_friction(friction));
    let positions = [1.5, 2.0, 2.5].map(at);
    let grains = ParticlesDesc::new(grains, 0.5 * THICKNESS).with_positions(&positions);
    let grains = world.insert_particles(grains.with_rules(rule, CombineRule::Max)).unwrap();
    [soft[0], soft[1], soft[2], SoftThing::Particles(grains)]
}

/// The mean place along x, and the mean velocity.
fn motion(world: &World, thing: SoftThing) -> (f32, Vec3) {
    let (positions, velocities) = match thing {
        SoftThing::Body(id) => {
            let body = world.soft_body(id).unwrap();
            (body.positions().to_vec(), body.velocities().to_vec())
        }
        SoftThing::Particles(id) => {
            let all = world.particles(id).unwrap();
            (all.positions().to_vec(), all.velocities().to_vec())
        }
    };
    let n = positions.len() as f32;
    (positions.iter().map(|position| position.x).sum::<f32>() / n, velocities.iter().sum::<Vec3>() / n)
}

/// A floor with its top at y = 0.
fn floor(material: Material) -> BodyDesc {
    let at = Pose::from_translation(Vec3::NEG_Y * 0.5);
    BodyDesc::fixed(
        ColliderDesc::new(cuboid(Vec3::new(20.0, 0.5, 5.0))).with_pose(at).with_material(material),
    )
}

fn run(world: &mut World, seconds: f32) {
    (0..(seconds / DT).round() as usize).for_each(|_| _ = world.checked_step(DT).unwrap());
}

/// Friction accelerates a thing by f g until it has the speed of the belt. Then it rides along, and
/// after the belt stops it comes to rest in v^2 / (2 f g).
#[test]
fn belts_carry_soft_things() {
    const SPEED: f32 = 2.0;
    let belt = Material::new(FRICTION, 0.0).with_surface_velocity(Vec3::X * SPEED, Vec3::ZERO);
    for turn in [0.0, 0.7] {
        let mut world = World::new();
        // The belt is the same in the world, however its body is turned.
        let rotation = Quat::from_rotation_y(turn);
        let own = rotation.inverse() * Vec3::X * SPEED;
        let belt = belt.with_surface_velocity(own, Vec3::ZERO);
        let half = Vec3::new(20.0, 0.5, 20.0);
        let floor = BodyDesc::fixed(ColliderDesc::new(cuboid(half)).with_material(belt));
        let floor = floor.with_pose(Pose::new(rotation, Vec3::NEG_Y * 0.5));
        let floor = world.insert(floor).unwrap();
        let things = put_each(&mut world, FRICTION, CombineRule::GeometricMean);
        let starts = things.map(|thing| motion(&world, thing).0);
        run(&mut world, 0.25);
        for thing in things {
            let speed = motion(&world, thing).1.x;
            let expected = FRICTION * GRAVITY * 0.25;
            assert!((speed / expected - 1.0).abs() < 0.05, "{thing:?}: {speed} {expected}");
        }
        run(&mut world, 1.75);
        for (thing, start) in things.into_iter().zip(starts) {
            let (coordinate, velocity) = motion(&world, thing);
            // It lags by v^2 / (2 f g).
            let travel = SPEED * 2.0 - SPEED * SPEED / (2.0 * FRICTION * GRAVITY);
            println!("{thing:?}: {velocity}, {} of {travel}", coordinate - start);
            assert!((velocity - Vec3::X * SPEED).length() < 0.02 * SPEED, "{thing:?}: {velocity}");
            assert!(
                ((coordinate - start) / travel - 1.0).abs() < 0.03,
                "{thing:?}: {} {travel}",
                coordinate - start
            );
        }
        world.body_mut(floor).unwrap().set_surface_velocity(Vec3::ZERO, Vec3::ZERO).unwrap();
        let before = things.map(|thing| motion(&world, thing).0);
        run(&mut world, 1.5);
        for (thing, start) in things.into_iter().zip(before) {
            let (coordinate, velocity) = motion(&world, thing);
            let travel = SPEED * SPEED / (2.0 * FRICTION * GRAVITY);
            assert!(velocity.length() < 0.02, "{thing:?}: {velocity}");
            assert!(
                ((coordinate - start) / travel - 1.0).abs() < 0.06,
                "{thing:?}: {} {travel}",
                coordinate - start
            );
        }
    }
}

/// A slow belt carries what would fall asleep on a floor, and a belt that starts wakes what sleeps.
#[test]
fn a_slow_belt_keeps_soft_things_awake() {
    let mut world = World::new();
    let floor = world.insert(floor(Material::new(FRICTION, 0.0))).unwrap();
    let things = put_each(&mut world, FRICTION, CombineRule::GeometricMean);
    run(&mut world, 4.0);
    let starts = things.map(|thing| motion(&world, thing).0);
    world.body_mut(floor).unwrap().set_surface_velocity(Vec3::X * 0.01, Vec3::ZERO).unwrap();
    run(&mut world, 5.0);
    for (thing, start) in things.into_iter().zip(starts) {
        let travel = motion(&world, thing).0 - start;
        assert!((travel / 0.05 - 1.0).abs() < 0.05, "{thing:?}: {travel}");
    }
}

/// A turntable turns a grain about its centre.
#[test]
fn a_turntable_carries_a_grain_around() {
    let mut world = World::new();
    let table = Material::new(1.0, 0.0).with_surface_velocity(Vec3::ZERO, Vec3::Y * 1.0);
    world.insert(floor(table)).unwrap();
    let grains = ParticlePhase::Grains(Grains::default().with_friction(1.0));
    let at = Vec3::new(1.0, 0.5 * THICKNESS, 0.0);
    let grain = ParticlesDesc::new(grains, 0.5 * THICKNESS).with_positions(&[at]);
    let grain = world.insert_particles(grain.with_velocity(Vec3::NEG_Z)).unwrap();
    run(&mut world, core::f32::consts::PI);
    let position = world.particles(grain).unwrap().positions()[0];
    assert!((position - Vec3::new(-1.0, at.y, 0.0)).length() < 0.05, "{position}");
}

/// On a slope of tangent 0.3 with frictions 0.1 and 0.9, the rule decides: a thing slides by
/// g (0.3 - f) or stays.
#[test]
fn combine_rules_decide_whether_a_thing_slides() {
    use CombineRule::{Average, GeometricMean, Max, Min, Multiply};
    const SLOPE: f32 = 0.3;
    let cases: [(Rules, f32); 8] = [
        ([Min, Min], 0.1),
        ([Max, Max], 0.9),
        ([Average, Average], 0.5),
        ([Multiply, Multiply], 0.09),
        ([GeometricMean, GeometricMean], 0.3),
        // The later rule counts.
        ([Min, Max], 0.9),
        ([Max, Min], 0.9),
        ([Average, Min], 0.1),
    ];
    for ([soft, hard], friction) in cases {
        for (own, other) in [(0.1, 0.9), (0.9, 0.1)] {
            let mut world = World::new();
            world.solver_settings_mut().gravity = Vec3::new(GRAVITY * SLOPE, -GRAVITY, 0.0);
            world.insert(floor(Material::new(other, 0.0).with_rules(hard, CombineRule::Max))).unwrap();
            let things = put_each(&mut world, own, soft);
            let starts = things.map(|thing| motion(&world, thing).0);
            run(&mut world, 1.0);
            let expected = 0.5 * GRAVITY * (SLOPE - friction).max(0.0);
            for (thing, start) in things.into_iter().zip(starts) {
                let travel = motion(&world, thing).0 - start;
                let off = (travel - expected).abs();
                assert!(
                    off < 0.01 + 0.06 * expected,
                    "{soft:?}, {hard:?}, {own}, {thing:?}: {travel} {expected}"
                );
            }
        }
    }
}

/// A grain leaps from a floor by the combined restitution.
#[test]
fn combine_rules_count_for_bounces() {
    use CombineRule::{Average, Max, Min};
    for (rules, restitution) in [([Min, Min], 0.2), ([Average, Average], 0.5), ([Min, Max], 0.8)] {
        let mut world = World::new();
        let mut material = Material::new(0.5, 0.8);
        material.restitution_rule = rules[1];
        world.insert(floor(material)).unwrap();
        let grains = ParticlePhase::Grains(Grains::default().with_restitution(0.2));
        let grain = ParticlesDesc::new(grains, 0.05).with_positions(&[Vec3::Y]);
        let grain = world.insert_particles(grain.with_rules(CombineRule::GeometricMean, rules[0])).unwrap();
        let (mut highest, mut has_met) = (0.0_f32, false);
        for _ in 0..75 {
            world.checked_step(DT).unwrap();
            let grain = world.particles(grain).unwrap();
            let height = grain.positions()[0].y - 0.05;
            has_met |= 0.1 < grain.velocities()[0].y;
            highest = if has_met { highest.max(height) } else { highest };
        }
        let expected = restitution * restitution * 0.95;
        assert!((highest - expected).abs() < 0.05, "{rules:?}: {highest} {expected}");
    }
}
