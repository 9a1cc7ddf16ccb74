//! Steps whose length changes from one to the next give no energy.

use crate::scenes::{CheckedStep, energy, ground, heap, stack, world_on};
use carom_broad_tree::DynamicBvh;
use carom_geom::Capsule;
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;
use carom_world::{BodyDesc, BodyId, JointDesc, JointKind, World};

/// Links that hang on each other, and fall.
fn chain(world: &mut World) {
    world.insert(ground()).unwrap();
    let mut last: Option<BodyId> = None;
    let link = Shape::Capsule(Capsule::new(0.25, 0.2).unwrap());
    let kinds = [
        JointKind::Spherical { cone: 1.0, twist: None },
        JointKind::Weld,
        JointKind::Revolute { limits: Some([-0.5, 0.5]), motor: None },
    ];
    for i in 0..8 {
        let at = Vec3::new(i as f32 * 0.9, 6.0, 0.0);
        let pose = Pose::new(Quat::from_rotation_z(core::f32::consts::FRAC_PI_2), at);
        let body = world.insert(BodyDesc::dynamic(link.clone()).with_pose(pose).with_family(1)).unwrap();
        if let Some(last) = last {
            world
                .insert_joint(
                    JointDesc::new(last, body, kinds[i % 3])
                        .with_anchor(at - Vec3::X * 0.45)
                        .with_axis(Vec3::Z),
                )
                .unwrap();
        }
        last = Some(body);
    }
}

#[test]
fn steps_of_changing_length_give_no_energy() {
    for what in ["stack", "chain", "heap"] {
        for steps in [[1.0 / 60.0, 1e-30], [1.0 / 60.0, 1e-6], [1.0 / 60.0, 1e-4], [1.0 / 30.0, 1.0 / 240.0]]
        {
            let mut world = world_on::<DynamicBvh>();
            match what {
                "stack" => drop(stack(&mut world, 10)),
                "chain" => chain(&mut world),
                _ => drop(heap(&mut world, 72, 3)),
            }
            let start = energy(&world);
            let (mut most, mut fastest) = (start, 0.0_f32);
            for step in 0..400 {
                world.checked_step(steps[step % 2]).unwrap();
                most = most.max(energy(&world));
                let speeds = world.body_ids().map(|id| world.body(id).unwrap().linear_velocity().length());
                fastest = speeds.fold(fastest, f32::max);
            }
            println!("{what}, steps of {steps:?} s: energy {start} at first, {most} at most; {fastest} m/s");
            assert!(
                most <= start * 1.001 && fastest < 30.0,
                "{what} {steps:?}: {most} of {start}, {fastest}"
            );
        }
    }
}
