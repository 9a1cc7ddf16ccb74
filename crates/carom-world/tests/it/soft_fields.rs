//! Force fields on soft things, against closed forms.

use crate::scenes::{CheckedStep, DT, cuboid};
use carom_geom::Sphere;
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_world::{
    BodyDesc, ClothSettings, Filter, ForceFieldDesc, ForceKind, ForceRegion, Gas, Grains, Groups, Liquid,
    ParticlePhase, ParticlesDesc, RopeSettings, SoftBodyDesc, SoftThing, World, WorldSettings,
};

fn weightless() -> World {
    let mut settings = WorldSettings::default();
    settings.solver.gravity = Vec3::ZERO;
    World::with_settings(settings)
}

fn run(world: &mut World, seconds: f32) {
    (0..(seconds / DT).round() as usize).for_each(|_| _ = world.checked_step(DT).unwrap());
}

/// One thing of each kind, three metres apart along z.
fn put_each(world: &mut World, filter: Filter) -> Vec<SoftThing> {
    let at = |k: usize| Vec3::Z * (3.0 * k as f32);
    let line: Vec<Vec3> = (0..5).map(|i| Vec3::X * (0.1 * i as f32)).collect();
    let cloth = SoftBodyDesc::grid([0.4, 0.4], [4, 4], ClothSettings::default());
    let bodies = [cloth, SoftBodyDesc::rope(&line, RopeSettings::default())];
    let mut things = Vec::new();
    for (k, desc) in bodies.into_iter().enumerate() {
        let desc = desc.with_position(at(k)).with_filter(filter);
        things.push(SoftThing::Body(world.insert_soft_body(desc).unwrap()));
    }
    let kinds = [ParticlePhase::Grains(Grains::default()), ParticlePhase::Liquid(Liquid::default())];
    for (k, kind) in kinds.into_iter().enumerate() {
        let desc = ParticlesDesc::new(kind, 0.05).with_positions(&[at(k + 2)]).with_filter(filter);
        things.push(SoftThing::Particles(world.insert_particles(desc).unwrap()));
    }
    things
}

/// The first vertex or particle: its place and its velocity.
fn first(world: &World, thing: SoftThing) -> (Vec3, Vec3) {
    match thing {
        SoftThing::Body(id) => {
            let body = world.soft_body(id).unwrap();
            (body.positions()[0], body.velocities()[0])
        }
        SoftThing::Particles(id) => {
            let all = world.particles(id).unwrap();
            (all.positions()[0], all.velocities()[0])
        }
    }
}

/// An acceleration adds to gravity, and a gravity replaces it.
#[test]
fn each_kind_falls_by_gravity_and_acceleration() {
    let fields = [
        (ForceKind::Acceleration(Vec3::X * 3.0), Vec3::new(3.0, -9.81, 0.0)),
        (ForceKind::Gravity(Vec3::X * 3.0), Vec3::X * 3.0),
    ];
    for (kind, expected) in fields {
        let mut world = World::new();
        world.insert_force_field(ForceFieldDesc::everywhere(kind)).unwrap();
        let things = put_each(&mut world, Filter::default());
        let starts: Vec<Vec3> = things.iter().map(|&thing| first(&world, thing).0).collect();
        run(&mut world, 1.0);
        for (&thing, start) in things.iter().zip(starts) {
            let (position, velocity) = first(&world, thing);
            assert!((velocity - expected).length() < 0.02, "{thing:?}: {velocity}");
            // A substep of 1/240 s moves by its velocity at the end.
            let displacement = expected * 0.5 * (1.0 + 1.0 / 240.0);
            assert!((position - start - displacement).length() < 0.02, "{thing:?}: {}", position - start);
        }
    }
}

/// Half of what falls through a weightless room of two metres keeps its speed there.
#[test]
fn a_region_acts_inside_alone() {
    let mut world = World::new();
    let pose = Pose::from_translation(Vec3::Y * -5.0);
    let room = ForceRegion::Cuboid { pose, half_extents: Vec3::new(10.0, 1.0, 20.0) };
    world.insert_force_field(ForceFieldDesc::inside(room, ForceKind::Gravity(Vec3::ZERO))).unwrap();
    let things = put_each(&mut world, Filter::default());
    let mut inside: Vec<Vec<f32>> = vec![Vec::new(); things.len()];
    for _ in 0..90 {
        world.checked_step(DT).unwrap();
        for (&thing, speeds) in things.iter().zip(&mut inside) {
            let (position, velocity) = first(&world, thing);
            if (-5.7..-4.3).contains(&position.y) {
                speeds.push(-velocity.y);
            }
        }
    }
    for (thing, speeds) in things.iter().zip(inside) {
        let expected = (2.0_f32 * 9.81 * 4.0).sqrt();
        assert!(4 < speeds.len(), "{thing:?}");
        assert!(speeds.iter().all(|speed| (speed / expected - 1.0).abs() < 0.02), "{thing:?}: {speeds:?}");
    }
}

/// In a wind all of them come to its speed, by the law of the rate.
#[test]
fn wind_carries_each_kind() {
    let mut world = weightless();
    let wind = ForceKind::Drag { linear: 2.0, angular: 0.0, flow: Vec3::X * 5.0 };
    world.insert_force_field(ForceFieldDesc::everywhere(wind)).unwrap();
    let things = put_each(&mut world, Filter::default());
    run(&mut world, 0.5);
    for thing in things {
        let speed = first(&world, thing).1.x;
        let expected = 5.0 * (1.0 - (-1.0_f32).exp());
        assert!((speed / expected - 1.0).abs() < 0.02, "{thing:?}: {speed} {expected}");
    }
}

/// A grain goes around a planet and comes back.
#[test]
fn a_grain_orbits_a_planet() {
    let mut world = weightless();
    let pull = ForceKind::Radial { center: Vec3::ZERO, strength: 4.0, exponent: -2 };
    world.insert_force_field(ForceFieldDesc::everywhere(pull)).unwrap();
    let grains = ParticlePhase::Grains(Grains::default());
    let desc = ParticlesDesc::new(grains, 0.05).with_positions(&[Vec3::X]).with_velocity(Vec3::Y * 2.0);
    let grain = world.insert_particles(desc).unwrap();
    // Radius 1 and speed 2: once around in half of two pi seconds.
    let mut farthest = 0.0_f32;
    for _ in 0..1131 {
        world.checked_step(DT).unwrap();
        let position = world.particles(grain).unwrap().positions()[0];
        farthest = farthest.max((position.length() - 1.0).abs());
    }
    assert!(farthest < 0.02, "{farthest}");
    // Six turns in 18.85 s.
    let position = world.particles(grain).unwrap().positions()[0];
    assert!(position.distance(Vec3::X) < 0.2, "{position}");
}

/// A gas rises against the gravity of a field, and the mask selects by the groups of the filter.
#[test]
fn lift_and_mask() {
    let mut world = weightless();
    let group = Groups::from_bits_retain(2);
    let field = ForceFieldDesc::everywhere(ForceKind::Gravity(Vec3::NEG_Y * 4.0)).with_mask(group);
    world.insert_force_field(field).unwrap();
    let gas = ParticlesDesc::new(ParticlePhase::Gas(Gas::default()), 0.05).with_positions(&[Vec3::Z * -3.0]);
    let gas = world.insert_particles(gas.with_filter(Filter::new(group, Groups::all()))).unwrap();
    let met = put_each(&mut world, Filter::new(group, Groups::all()));
    run(&mut world, 0.5);
    assert!(0.1 < world.particles(gas).unwrap().velocities()[0].y);
    assert!(met.iter().all(|&thing| first(&world, thing).1.y < -1.9));
    let mut world = weightless();
    world.insert_force_field(field).unwrap();
    let others = put_each(&mut world, Filter::default());
    run(&mut world, 0.5);
    assert!(others.iter().all(|&thing| first(&world, thing).1 == Vec3::ZERO));
}

/// A change of a field wakes soft things that sleep on a floor. One that lies there falls asleep
/// under a field too.
#[test]
fn a_field_wakes_soft_things() {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(cuboid(Vec3::new(20.0, 0.5, 20.0))).with_position(Vec3::Y * -0.6)).unwrap();
    let moon = ForceFieldDesc::everywhere(ForceKind::Gravity(Vec3::Y * -1.6));
    let field = world.insert_force_field(moon).unwrap();
    let grains = ParticlePhase::Grains(Grains::default());
    let desc = ParticlesDesc::new(grains, 0.05).with_positions(&[Vec3::ZERO, Vec3::X]);
    let grains = world.insert_particles(desc).unwrap();
    run(&mut world, 4.0);
    assert!(world.particles(grains).unwrap().is_sleeping());
    let lift = ForceFieldDesc::everywhere(ForceKind::Gravity(Vec3::Y));
    world.set_force_field(field, lift).unwrap();
    run(&mut world, 1.0);
    assert!(0.9 < world.particles(grains).unwrap().velocities()[0].y);
    world.remove_force_field(field).unwrap();
    run(&mut world, 3.0);
    assert!((world.particles(grains).unwrap().positions()[0].y + 0.05).abs() < 0.01);
}

/// A ball that falls with water in a field stays where it is among the water.
#[test]
fn a_body_falls_with_the_liquid_around_it() {
    let mut world = weightless();
    world.insert_force_field(ForceFieldDesc::everywhere(ForceKind::Gravity(Vec3::Y * -9.81))).unwrap();
    let ball = BodyDesc::dynamic(Shape::Sphere(Sphere::new(0.15).unwrap()));
    let ball = world.insert(ball.with_position(Vec3::new(0.0, 0.5, 0.0))).unwrap();
    let liquid = ParticlePhase::Liquid(Liquid::default());
    let half = cuboid(Vec3::new(0.3, 0.3, 0.3));
    let desc = ParticlesDesc::new(liquid, 0.05).with_filling(&half, &Pose::IDENTITY);
    let water = world.insert_particles(desc).unwrap();
    run(&mut world, 0.5);
    let fallen = -world.body(ball).unwrap().linear_velocity().y;
    assert!((fallen / (9.81 * 0.5) - 1.0).abs() < 0.02, "{fallen}");
    let speeds = world.particles(water).unwrap().velocities().iter().map(|v| -v.y);
    let mean = speeds.sum::<f32>() / world.particles(water).unwrap().velocities().len() as f32;
    assert!((mean / (9.81 * 0.5) - 1.0).abs() < 0.02, "{mean}");
}

/// A thing that a field cannot accelerate by a finite number stays as it is.
#[test]
fn a_field_beyond_all_numbers_changes_nothing() {
    let mut world = weightless();
    let huge = ForceFieldDesc::everywhere(ForceKind::Acceleration(Vec3::X * 3e38));
    world.insert_force_field(huge).unwrap();
    world.insert_force_field(huge).unwrap();
    let things = put_each(&mut world, Filter::default());
    run(&mut world, 0.2);
    assert!(things.iter().all(|&thing| first(&world, thing).1 == Vec3::ZERO));
}
