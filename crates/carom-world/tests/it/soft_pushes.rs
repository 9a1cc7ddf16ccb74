//! Pushes of soft things on bodies that record them.

use crate::scenes::{CheckedStep, DT, cuboid};
use crate::soft::tetrahedra;
use carom_math::Vec3;
use carom_world::{
    BodyDesc, Grains, ParticlePhase, ParticlesDesc, SoftBodyDesc, SoftBodyId, SoftBodySettings, SoftError,
    SoftThing, World, WorldError,
};

const SPEED: f32 = 3.0;

fn rubber(at: Vec3) -> SoftBodyDesc {
    let (vertices, cells) = tetrahedra([3, 3, 3], 0.2);
    let rubber = SoftBodySettings::default().with_youngs_modulus(1e5).with_damping(5.0);
    SoftBodyDesc::volume(&vertices, &cells, rubber).with_density(100.0).with_position(at)
}

/// The momentum of a soft body.
fn momentum(world: &World, id: SoftBodyId) -> Vec3 {
    let body = world.soft_body(id).unwrap();
    let mass = |vertex: usize| body.vertex_mass(vertex as u32).unwrap();
    body.velocities().iter().enumerate().map(|(vertex, velocity)| *velocity * mass(vertex)).sum()
}

/// The sum of the pushes on a body is the momentum that the soft body loses. So it is for bodies
/// of each kind; one that does not record them has none. A snapshot has the recent ones.
#[test]
fn soft_things_push_bodies_that_record_it() {
    let shape = || cuboid(Vec3::new(0.5, 1.0, 1.0));
    let wall =
        [BodyDesc::kinematic(shape()), BodyDesc::fixed(shape()), BodyDesc::dynamic(shape()).with_mass(90.0)];
    for (desc, records) in wall.into_iter().flat_map(|desc| [(desc.clone(), true), (desc, false)]) {
        let mut world = World::new();
        world.solver_settings_mut().gravity = Vec3::ZERO;
        let body = world.insert(desc.with_recorded_pushes(records)).unwrap();
        let soft = world.insert_soft_body(rubber(Vec3::new(-1.5, -0.3, -0.3))).unwrap();
        world.soft_body_mut(soft).unwrap().set_velocity(Vec3::X * SPEED).unwrap();
        let before = momentum(&world, soft);
        let (mut pushed, mut first) = (Vec3::ZERO, None);
        for _ in 0..60 {
            world.checked_step(DT).unwrap();
            for push in world.body(body).unwrap().pushes() {
                assert_eq!((push.by, push.thing), (None, Some(SoftThing::Body(soft))));
                assert!((push.point.x + 0.5).abs() < 0.1 && push.point.y.abs() < 0.5, "{push:?}");
                pushed += push.impulse;
                first.get_or_insert(push);
            }
        }
        let lost = before - momentum(&world, soft);
        assert!(SPEED * 20.0 < lost.x, "{lost}");
        if !records {
            assert!(first.is_none());
            continue;
        }
        assert!((pushed - lost).length() < 2e-3 * lost.length(), "{pushed} of {lost}");
        assert!((first.unwrap().approach_speed - SPEED).abs() < 0.05 * SPEED, "{first:?}");
    }
}

/// Grains push too, and the pushes on a kinematic body are kept for some steps, also in a snapshot.
#[test]
fn pushes_of_grains_are_kept() {
    let mut world = World::new();
    world.solver_settings_mut().gravity = Vec3::ZERO;
    let plate = BodyDesc::kinematic(cuboid(Vec3::new(0.5, 1.0, 1.0))).with_recorded_pushes(true);
    let plate = world.insert(plate).unwrap();
    let grains = ParticlesDesc::new(ParticlePhase::Grains(Grains::default()), 0.05);
    let grains = grains.with_positions(&[Vec3::X * -0.7, Vec3::new(-0.7, 0.5, 0.0)]);
    let grains = world.insert_particles(grains.with_velocity(Vec3::X * SPEED)).unwrap();
    for _ in 0..8 {
        world.checked_step(DT).unwrap();
    }
    let recent = |world: &World| world.body(plate).unwrap().recent_pushes().collect::<Vec<_>>();
    let all = recent(&world);
    assert!(!all.is_empty() && all.iter().all(|push| push.thing == Some(SoftThing::Particles(grains))));
    assert_eq!(world.body(plate).unwrap().pushes().count(), 0, "the grains have bounced off");
    let mut again = World::new();
    again.restore(&world.snapshot()).unwrap();
    assert_eq!(recent(&again), all);
    world.body_mut(plate).unwrap().clear_pushes();
    assert!(recent(&world).is_empty());
}

/// Velocities of single vertices. Pinned ones keep theirs, and an error changes nothing.
#[test]
fn vertices_get_velocities() {
    let mut world = World::new();
    let soft = world.insert_soft_body(rubber(Vec3::ZERO).with_pinned(&[2])).unwrap();
    let before = world.state_hash();
    let mut view = world.soft_body_mut(soft).unwrap();
    let missing = view.set_velocities(&[(0, Vec3::Y), (64, Vec3::Y)]).err();
    assert_eq!(missing, Some(WorldError::Soft(SoftError::NoSuchVertex { vertex: 64 })));
    assert!(view.set_velocities(&[(0, Vec3::Y), (1, Vec3::NAN)]).is_err());
    assert_eq!(world.state_hash(), before);
    world.soft_body_mut(soft).unwrap().set_velocities(&[(1, Vec3::Y), (2, Vec3::Y)]).unwrap();
    let body = world.soft_body(soft).unwrap();
    assert_eq!(body.velocities()[..4], [Vec3::ZERO, Vec3::Y, Vec3::ZERO, Vec3::ZERO]);
    assert_eq!(body.vertex_mass(64), None);
    let sum: f32 = (0..64).map(|vertex| body.vertex_mass(vertex).unwrap()).sum();
    assert!((sum - body.mass()).abs() < 1e-4 * sum);
}
