//! Cloth, ropes, soft bodies and particles with any numbers in a world of bodies.

use crate::bytes::Bytes;
use crate::world::{check_finite, insert};
use carom_geom::{Cuboid, HalfSpace};
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_world::{
    BodyDesc, ClothSettings, Gas, Grains, Liquid, ParticlePhase, ParticlesDesc, RopeSettings, SoftBodyDesc,
    SoftBodySettings, SoftSettings, SoftThing, World,
};

/// Particles, bodies and calls of one input.
const MAX_PARTICLES: usize = 20;
const MAX_BODIES: usize = 5;
const MAX_CALLS: usize = 30;

fn usual(bytes: &mut Bytes<'_>, value: f32) -> f32 {
    if bytes.byte() < 208 { value } else { bytes.size() as f32 }
}

fn insert_soft(world: &mut World, bytes: &mut Bytes<'_>) {
    let damping = usual(bytes, 1.0);
    let desc = match bytes.below(4) {
        0 => {
            let settings = ClothSettings::default().with_damping(damping);
            let cells = [1 + bytes.below(3) as u32, 1 + bytes.below(3) as u32];
            SoftBodyDesc::grid([usual(bytes, 1.0), usual(bytes, 1.0)], cells, settings)
        }
        1 => {
            let points: Vec<Vec3> = (0..bytes.below(8)).map(|_| bytes.point_f32()).collect();
            SoftBodyDesc::rope(&points, RopeSettings::default().with_damping(damping))
        }
        2 => {
            let points: Vec<Vec3> = (0..4 + bytes.below(3)).map(|_| bytes.point_f32()).collect();
            let n = points.len() + usize::from(bytes.byte() < 8);
            let tetrahedra: Vec<[u32; 4]> =
                (0..1 + bytes.below(3)).map(|_| [0; 4].map(|_| bytes.below(n) as u32)).collect();
            let settings = SoftBodySettings::default().with_youngs_modulus(usual(bytes, 1e4));
            SoftBodyDesc::volume(&points, &tetrahedra, settings)
        }
        _ => {
            let points: Vec<Vec3> = (0..3 + bytes.below(4)).map(|_| bytes.point_f32()).collect();
            let n = points.len() + usize::from(bytes.byte() < 8);
            let triangles: Vec<[u32; 3]> =
                (0..1 + bytes.below(4)).map(|_| [0; 3].map(|_| bytes.below(n) as u32)).collect();
            SoftBodyDesc::cloth(&points, &triangles, ClothSettings::default().with_damping(damping))
        }
    };
    let mut desc = desc.with_position(bytes.point_f32()).with_velocity(bytes.point_f32());
    if bytes.byte() < 128 {
        desc = desc.with_thickness(usual(bytes, 0.2));
    }
    if bytes.byte() < 64 {
        desc = desc.with_density(bytes.size() as f32).with_friction(bytes.size() as f32);
    }
    if bytes.byte() < 64 {
        let pinned: Vec<u32> = (0..bytes.below(4)).map(|_| bytes.below(9) as u32).collect();
        desc = desc.with_pinned(&pinned);
    }
    let n = world.soft_things().count();
    let added = world.insert_soft_body(desc);
    check(&added, world, n);
}

fn insert_particles(world: &mut World, bytes: &mut Bytes<'_>) {
    let phase = match bytes.below(3) {
        0 => ParticlePhase::Liquid(Liquid::default().with_viscosity(usual(bytes, 0.0))),
        1 => ParticlePhase::Gas(Gas::default().with_drag(usual(bytes, 1.0))),
        _ => ParticlePhase::Grains(Grains::default().with_friction(usual(bytes, 0.5))),
    };
    let positions: Vec<Vec3> = (0..bytes.below(MAX_PARTICLES)).map(|_| bytes.point_f32()).collect();
    let desc = ParticlesDesc::new(phase, usual(bytes, 0.2)).with_positions(&positions);
    let n = world.soft_things().count();
    let added = world.insert_particles(desc.with_velocity(bytes.point_f32()));
    check(&added, world, n);
}

/// Checks that something was added, or refused with a reason.
fn check<T>(added: &Result<T, carom_world::WorldError>, world: &World, n: usize) {
    if let Err(error) = added {
        assert!(!error.to_string().is_empty());
    }
    assert_eq!(world.soft_things().count(), n + usize::from(added.is_ok()));
}

/// Changes one soft thing. A refusal has a reason.
fn change(world: &mut World, thing: SoftThing, bytes: &mut Bytes<'_>) {
    let body = world.body_ids().nth(bytes.below(world.len().max(1)));
    let (call, vertex, vector) = (bytes.below(8), bytes.below(16) as u32, bytes.point_f32());
    match thing {
        SoftThing::Body(id) => {
            if call == 0 {
                world.remove_soft_body(id).unwrap();
                assert!(world.soft_body(id).is_err());
                return;
            }
            let mut soft = world.soft_body_mut(id).unwrap();
            drop(match (call, body) {
                (1, _) => soft.pin(vertex, vector),
                (2 | 3, Some(body)) => soft.attach(vertex, body),
                (4, _) => soft.release(vertex),
                (5, _) => soft.apply_force(vector),
                (6, _) => soft.set_velocity(vector),
                _ => Ok(soft.wake()),
            });
        }
        SoftThing::Particles(id) => {
            if call == 0 {
                world.remove_particles(id).unwrap();
                assert!(world.particles(id).is_err());
                return;
            }
            let other = bytes.point_f32();
            let mut particles = world.particles_mut(id).unwrap();
            drop(match call {
                1..=3 => particles.emit(&[vector, other], vector),
                4 | 5 => particles.kill(&[vertex]),
                _ => Ok(particles.wake()),
            });
        }
    }
}

/// Inserts, changes and removes soft things among bodies. A step ends in an error, or with finite
/// numbers.
pub fn soft_world(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let mut world = World::new();
    let settings = SoftSettings::default().with_substeps(1 + bytes.below(3) as u32);
    world.set_soft_settings(settings.with_iterations(1 + bytes.below(4) as u32)).unwrap();
    if let (Ok(plane), 0..200) = (HalfSpace::new(Vec3::Y), bytes.byte()) {
        world.insert(BodyDesc::fixed(Shape::HalfSpace(plane)).with_position(Vec3::Y * -2.0)).unwrap();
    }
    if let (Ok(cube), 0..200) = (Cuboid::new(Vec3::splat(0.5)), bytes.byte()) {
        world
            .insert(BodyDesc::dynamic(Shape::Cuboid(cube)).with_density(1.0).with_pose(Pose::IDENTITY))
            .unwrap();
    }
    let mut n_calls = 0;
    while !bytes.is_empty() && n_calls < MAX_CALLS {
        n_calls += 1;
        let thing = world.soft_things().nth(bytes.below(world.soft_things().count().max(1)));
        match (bytes.below(12), thing) {
            (0 | 1, _) => insert_soft(&mut world, &mut bytes),
            (2 | 3, _) => insert_particles(&mut world, &mut bytes),
            (4 | 5, Some(thing)) => change(&mut world, thing, &mut bytes),
            (6, _) if world.len() < MAX_BODIES => _ = insert(&mut world, &mut bytes),
            (7, _) => {
                let body = world.body_ids().nth(bytes.below(world.len().max(1)));
                _ = body.map(|id| world.remove(id));
            }
            _ => {
                let dt = if bytes.byte().is_multiple_of(16) { bytes.float() as f32 } else { 1.0 / 60.0 };
                step(&mut world, dt);
            }
        }
    }
    step(&mut world, 1.0 / 60.0);
    step(&mut world, 1.0 / 60.0);
}

fn step(world: &mut World, dt: f32) {
    let done = world.step(dt).map(|_| ());
    if let Err(error) = done {
        assert!(!error.to_string().is_empty());
    }
    check_finite(world);
    world.validate().unwrap();
    for thing in world.soft_things() {
        let (positions, velocities) = match thing {
            SoftThing::Body(id) => {
                let soft = world.soft_body(id).unwrap();
                assert!(soft.attached().all(|(_, body)| world.body(body).is_ok()));
                (soft.positions(), soft.velocities())
            }
            SoftThing::Particles(id) => {
                let particles = world.particles(id).unwrap();
                (particles.positions(), particles.velocities())
            }
        };
        assert_eq!(positions.len(), velocities.len());
        assert!(positions.iter().chain(velocities).all(|v| v.is_finite()), "{thing:?}");
    }
    for event in world.soft_events() {
        assert!(!format!("{event:?}").is_empty());
    }
}
