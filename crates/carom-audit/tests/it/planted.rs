//! Faults that are planted between a step and the end of its audit are reported. Without them no
//! fault is reported.

use carom_audit::{Audit, AuditSettings, FaultKind};
use carom_geom::{Cuboid, HalfSpace, Sphere, TriMesh};
use carom_math::{Pose, Vec3};
use carom_query::{MeshShape, Shape};
use carom_world::{BodyDesc, BodyId, JointDesc, World, WorldSettings};
use std::sync::Arc;

pub(crate) const DT: f32 = 1.0 / 60.0;

pub(crate) fn ball(radius: f32) -> Shape {
    Shape::Sphere(Sphere::new(radius).unwrap())
}

pub(crate) fn cuboid(x: f32, y: f32, z: f32) -> Shape {
    Shape::Cuboid(Cuboid::new(Vec3::new(x, y, z)).unwrap())
}

/// A body of density 1, as the forces below are stated for.
pub(crate) fn dynamic(shape: Shape) -> BodyDesc {
    BodyDesc::dynamic(shape).with_density(1.0)
}

pub(crate) fn ground() -> BodyDesc {
    BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap()))
}

pub(crate) fn weightless() -> World {
    let settings = WorldSettings::default();
    World::with_settings(settings.with_solver(settings.solver.with_gravity(Vec3::ZERO)))
}

/// Steps the world `n_steps` times. `plant` may plant a fault after each step.
fn audited(
    world: &mut World,
    n_steps: u32,
    settings: AuditSettings,
    plant: impl Fn(&mut World, u32),
) -> Audit {
    let mut audit = Audit::new(settings);
    for step in 1..=n_steps {
        audit.begin(world);
        world.step(DT).unwrap();
        plant(world, step);
        audit.end(world, DT);
    }
    audit
}

pub(crate) fn kinds(audit: &Audit) -> Vec<(FaultKind, u64)> {
    audit.faults().iter().map(|fault| (fault.kind, fault.step)).collect()
}

/// A ball in the air, free of forces.
fn flying() -> (World, BodyId) {
    let mut world = weightless();
    let id = world
        .insert(dynamic(ball(0.5)).with_linear_velocity(Vec3::X * 2.0).with_angular_velocity(Vec3::Y))
        .unwrap();
    (world, id)
}

#[test]
fn right_worlds_have_no_faults() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    for n in 0..6 {
        let at = Vec3::new(0.1 * n as f32, 0.6 + 1.1 * n as f32, 0.0);
        let shape = if n % 2 == 0 { ball(0.5) } else { cuboid(0.5, 0.4, 0.3) };
        world.insert(dynamic(shape).with_position(at)).unwrap();
    }
    let audit = audited(&mut world, 600, AuditSettings::default(), |_, _| {});
    assert!(audit.faults().is_empty(), "{:#?}", audit.faults());
    let (mut world, id) = flying();
    // Changes by the caller before a step are no fault.
    let mut audit = Audit::new(AuditSettings::default());
    for step in 0..20 {
        if step == 10 {
            world
                .body_mut(id)
                .unwrap()
                .set_linear_velocity(Vec3::Y * 50.0)
                .unwrap()
                .set_angular_velocity(Vec3::ZERO)
                .unwrap();
            world.body_mut(id).unwrap().set_pose(Pose::from_translation(Vec3::X * 100.0)).unwrap();
        }
        audit.begin(&world);
        world.step(DT).unwrap();
        audit.end(&world, DT);
    }
    assert!(audit.faults().is_empty(), "{:#?}", audit.faults());
}

#[test]
fn work_of_forces_is_put_in() {
    let (mut world, id) = flying();
    world.body_mut(id).unwrap().set_constant_force(Vec3::new(30.0, 10.0, 0.0), Vec3::ZERO).unwrap();
    let audit = audited(&mut world, 200, AuditSettings::default(), |_, _| {});
    assert!(audit.faults().is_empty(), "{:#?}", audit.faults());
    assert!(50.0 < world.body(id).unwrap().linear_velocity().length());
}

#[test]
fn energy_and_momentum_from_nothing() {
    let (mut world, id) = flying();
    let audit = audited(&mut world, 20, AuditSettings::default(), |world, step| {
        if step == 7 {
            world
                .body_mut(id)
                .unwrap()
                .set_linear_velocity(Vec3::X * 2.01)
                .unwrap()
                .set_angular_velocity(Vec3::Y)
                .unwrap();
        }
    });
    assert_eq!(kinds(&audit), [(FaultKind::Momentum, 7), (FaultKind::Energy, 7)]);
    // Energy is kept, momentum is not.
    let (mut world, id) = flying();
    let audit = audited(&mut world, 20, AuditSettings::default(), |world, step| {
        if step == 7 {
            world
                .body_mut(id)
                .unwrap()
                .set_linear_velocity(Vec3::Z * 2.0)
                .unwrap()
                .set_angular_velocity(Vec3::Y)
                .unwrap();
        }
    });
    assert_eq!(kinds(&audit), [(FaultKind::Momentum, 7)]);
    // The spin is reversed: it changes by twice its size.
    for (max_spin_drift, faults) in
        [(2e-2, &[(FaultKind::Spin, 7)][..]), (1.0, &[(FaultKind::Spin, 7)]), (2.5, &[])]
    {
        let (mut world, id) = flying();
        let settings = AuditSettings::default().with_max_spin_drift(max_spin_drift);
        let audit = audited(&mut world, 20, settings, |world, step| {
            if step == 7 {
                let mut body = world.body_mut(id).unwrap();
                body.set_linear_velocity(Vec3::X * 2.0).unwrap().set_angular_velocity(Vec3::NEG_Y).unwrap();
            }
        });
        assert_eq!(kinds(&audit), faults, "{max_spin_drift}");
    }
}

#[test]
fn energy_is_above_the_start_after_losses_too() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let id = world.insert(dynamic(ball(0.5)).with_position(Vec3::Y * 2.0)).unwrap();
    let audit = audited(&mut world, 60, AuditSettings::default(), |world, step| {
        if step == 50 {
            world
                .body_mut(id)
                .unwrap()
                .set_linear_velocity(Vec3::Y * 6.0)
                .unwrap()
                .set_angular_velocity(Vec3::ZERO)
                .unwrap();
        }
    });
    assert_eq!(
        kinds(&audit).iter().filter(|k| **k == (FaultKind::Energy, 50)).count(),
        1,
        "{:?}",
        audit.faults()
    );
}

#[test]
fn a_centre_that_passes_a_surface() {
    let slab = TriMesh::new(
        vec![Vec3::new(-9.0, 0.0, -9.0), Vec3::new(9.0, 0.0, -9.0), Vec3::new(0.0, 0.0, 9.0)],
        vec![[0, 2, 1]],
    );
    let slab = Shape::Mesh(Arc::new(MeshShape::new(slab.unwrap()).unwrap()));
    let plane = Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap());
    for wall in [plane, cuboid(9.0, 0.001, 9.0), slab, Shape::Sphere(Sphere::new(0.9).unwrap())] {
        let run = |put: Option<Vec3>| {
            let mut world = weightless();
            world.insert(BodyDesc::fixed(wall.clone())).unwrap();
            let start = Vec3::new(0.3, 1.5, 0.2);
            let id = world.insert(dynamic(ball(0.1)).with_position(start)).unwrap();
            let settings = AuditSettings::default();
            let audit = audited(&mut world, 4, settings, |world, step| {
                if let (3, Some(put)) = (step, put) {
                    world.body_mut(id).unwrap().set_pose(Pose::from_translation(put)).unwrap();
                }
            });
            kinds(&audit)
        };
        assert_eq!(run(None), []);
        let aside = Vec3::new(0.2, 1.2, 0.0);
        assert_eq!(run(Some(aside)), []);
        let below = Vec3::new(0.1, -0.4, 0.1);
        assert!(run(Some(below)).contains(&(FaultKind::Side, 3)), "{wall:?}");
    }
}

/// A joint lets two bodies pass each other only if it allows no contacts between them.
#[test]
fn a_centre_that_passes_the_body_at_its_joint() {
    for has_contacts in [false, true] {
        let mut world = weightless();
        let wall = world.insert(BodyDesc::fixed(cuboid(9.0, 0.001, 9.0))).unwrap();
        let id = world.insert(dynamic(ball(0.1)).with_position(Vec3::Y * 1.5)).unwrap();
        world.insert_joint(JointDesc::rope(wall, id, 20.0).with_contacts(has_contacts)).unwrap();
        let audit = audited(&mut world, 4, AuditSettings::default(), |world, step| {
            if step == 3 {
                world.body_mut(id).unwrap().set_pose(Pose::from_translation(Vec3::Y * -0.4)).unwrap();
            }
        });
        let is_fault = kinds(&audit).contains(&(FaultKind::Side, 3));
        assert_eq!(is_fault, has_contacts, "{:?}", audit.faults());
    }
}

#[test]
fn overlap_and_sleep() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let id = world.insert(dynamic(ball(0.5)).with_position(Vec3::Y * 0.5)).unwrap();
    let settings = AuditSettings::default().with_max_depth(0.1);
    let audit = audited(&mut world, 3, settings, |_, _| {});
    assert_eq!(kinds(&audit), []);
    world.body_mut(id).unwrap().set_pose(Pose::from_translation(Vec3::Y * 0.2)).unwrap();
    let audit = audited(&mut world, 1, settings, |_, _| {});
    assert!(kinds(&audit).contains(&(FaultKind::Depth, 1)));
}

#[test]
fn a_body_asleep_in_the_air() {
    // Planted by gravity that begins to act while it sleeps.
    let mut world = weightless();
    let id = world.insert(dynamic(ball(0.5))).unwrap();
    let audit = audited(&mut world, 90, AuditSettings::default(), |_, _| {});
    assert_eq!(kinds(&audit), []);
    assert!(world.body(id).unwrap().is_sleeping());
    let audit = audited(&mut world, 1, AuditSettings::default(), |world, _| {
        world.solver_settings_mut().gravity = Vec3::NEG_Y;
    });
    assert_eq!(kinds(&audit), [(FaultKind::Sleep, 1)]);
}

#[test]
fn bodies_that_are_driven_are_left_out_and_counted() {
    let mut world = weightless();
    world.insert(BodyDesc::kinematic(cuboid(0.5, 0.5, 0.5)).with_linear_velocity(Vec3::X * 3.0)).unwrap();
    world.insert(dynamic(ball(0.5)).with_position(Vec3::X * 2.0)).unwrap();
    let audit = audited(&mut world, 90, AuditSettings::default(), |_, _| {});
    assert_eq!(kinds(&audit), []);
    assert!(0 < audit.n_left_out());
}

#[test]
fn a_contact_that_begins_unreported() {
    // A step does not report the events of a detection again. So a detection after the step hides
    // that a contact began.
    let run = |hides: bool| {
        let mut world = weightless();
        world.insert(ground()).unwrap();
        let id = world.insert(dynamic(ball(0.2)).with_can_sleep(false)).unwrap();
        let mut audit = Audit::new(AuditSettings::default());
        for (step, height) in [0.2, 0.2, 1.0, 0.2, 0.2].into_iter().enumerate() {
            world.body_mut(id).unwrap().set_pose(Pose::from_translation(Vec3::Y * height)).unwrap();
            audit.begin(&world);
            world.step(DT).unwrap();
            if hides && step == 3 {
                world.detect();
            }
            audit.end(&world, DT);
        }
        audit.faults().iter().filter(|fault| fault.kind == FaultKind::Events).count()
    };
    assert_eq!(run(false), 0);
    assert!(0 < run(true));
}

#[test]
fn an_overlap_that_grows() {
    let run = |sinks: f32| {
        let mut world = weightless();
        world.insert(ground()).unwrap();
        let id =
            world.insert(dynamic(ball(0.5)).with_position(Vec3::Y * 0.48).with_can_sleep(false)).unwrap();
        let mut audit = Audit::new(AuditSettings::default());
        for step in 0..900 {
            // The caller moves the ball deeper in each step.
            world
                .body_mut(id)
                .unwrap()
                .set_pose(Pose::from_translation(Vec3::Y * (0.48 - sinks * step as f32)))
                .unwrap();
            audit.begin(&world);
            world.step(DT).unwrap();
            audit.end(&world, DT);
        }
        kinds(&audit)
    };
    assert!(run(1e-4).iter().any(|(kind, _)| *kind == FaultKind::Depth));
    assert!(run(0.0).iter().all(|(kind, _)| *kind != FaultKind::Depth));
}
