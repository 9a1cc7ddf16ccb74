//! Signed distance fields as fixed bodies: bodies that fall on one come to rest on it.

use crate::scenes::CheckedStep;
use carom_geom::{Cuboid, Sphere};
use carom_math::glam::DVec3;
use carom_math::{Pose, Quat, Vec3};
use carom_query::{Shape, distance};
use carom_sdf::{Accuracy, BakeSettings, Field, FieldShape, SdfGrid};
use carom_world::{BodyDesc, World};
use std::sync::Arc;

/// A block with a round hollow in it, baked: a bowl.
fn bowl() -> (Shape, f32) {
    let hollow = |p: DVec3| {
        let outside = (p - DVec3::new(0.0, -0.5, 0.0)).abs() - DVec3::new(1.5, 0.5, 1.5);
        let block = outside.max(DVec3::ZERO).length() + outside.max_element().min(0.0);
        block.max(1.25 - (p - DVec3::Y * 0.5).length())
    };
    let (low, high) = (DVec3::new(-1.5, -1.0, -1.5), DVec3::new(1.5, 0.0, 1.5));
    let settings = BakeSettings::default().with_resolution(48).with_padding(6);
    let field = SdfGrid::from_function(low, high, &settings, Accuracy::Bound, hollow).unwrap();
    let bound = field.error_bound() as f32;
    (Shape::Field(Arc::new(FieldShape::new(field))), bound)
}

#[test]
fn balls_and_boxes_come_to_rest_in_a_bowl() {
    let (bowl, bound) = bowl();
    let mut world = World::new();
    world.insert(BodyDesc::fixed(bowl.clone())).unwrap();
    let ball = Shape::Sphere(Sphere::new(0.15).unwrap());
    let brick = Shape::Cuboid(Cuboid::new(Vec3::new(0.2, 0.1, 0.15)).unwrap());
    let bodies = [(&ball, 0.4), (&brick, -0.3)].map(|(shape, x)| {
        let pose = Pose::new(Quat::from_rotation_z(0.3), Vec3::new(x, 0.6, 0.1));
        // A ball would roll to and fro for ever.
        (
            shape,
            world
                .insert(
                    BodyDesc::dynamic(shape.clone())
                        .with_pose(pose)
                        .with_friction(0.6)
                        .with_damping(0.2, 1.0),
                )
                .unwrap(),
        )
    });
    for _ in 0..600 {
        world.checked_step(1.0 / 60.0).unwrap();
    }
    for (shape, body) in bodies {
        let (pose, motion) = (world.body(body).unwrap().pose(), world.body(body).unwrap().motion());
        let gap = distance(&bowl, &Pose::IDENTITY, shape, &pose).distance;
        assert!(gap <= bound && -0.8 < pose.translation.y && pose.translation.y < 0.0, "{pose:?} {gap}");
        assert!(
            motion.linear_velocity.length() < 0.05 && motion.angular_velocity.length() < 0.2,
            "{motion:?}"
        );
    }
}

/// Two round ridges along z on a plate, their tops at y = 0 and x = -0.6 and 0.6.
fn ridges() -> Shape {
    let solid = |p: DVec3| {
        let outside = (p - DVec3::new(0.0, -0.9, 0.0)).abs() - DVec3::new(1.5, 0.1, 1.0);
        let plate = outside.max(DVec3::ZERO).length() + outside.max_element().min(0.0);
        let ridge = |x: f64| (p - DVec3::new(x, -0.5, p.z.clamp(-0.5, 0.5))).length() - 0.5;
        plate.min(ridge(-0.6)).min(ridge(0.6))
    };
    let (low, high) = (DVec3::new(-1.5, -1.0, -1.0), DVec3::new(1.5, 0.0, 1.0));
    let settings = BakeSettings::default().with_resolution(48).with_padding(6);
    let field = SdfGrid::from_function(low, high, &settings, Accuracy::Bound, solid).unwrap();
    Shape::Field(Arc::new(FieldShape::new(field)))
}

#[test]
fn planks_rest_on_two_ridges_between_their_ends() {
    let field = ridges();
    // The ridges touch a plank far from its corners. It may lie aslant, or be one of two.
    for (turn, n_planks) in [(0.0, 1), (0.25, 1), (0.0, 2)] {
        let mut world = World::new();
        world.insert(BodyDesc::fixed(field.clone())).unwrap();
        let plank = Shape::Cuboid(Cuboid::new(Vec3::new(1.2, 0.1, 0.4)).unwrap());
        let planks: Vec<_> = (0..n_planks)
            .map(|i| {
                let pose =
                    Pose::new(Quat::from_rotation_y(turn), Vec3::new(0.0, 0.15 + 0.25 * i as f32, 0.0));
                world.insert(BodyDesc::dynamic(plank.clone()).with_pose(pose).with_friction(0.6)).unwrap()
            })
            .collect();
        for _ in 0..600 {
            world.checked_step(1.0 / 60.0).unwrap();
        }
        for (i, plank) in planks.into_iter().enumerate() {
            let (pose, motion) = (world.body(plank).unwrap().pose(), world.body(plank).unwrap().motion());
            let up = pose.transform_vector(Vec3::Y);
            let height = 0.1 + 0.2 * i as f32;
            assert!((pose.translation.y - height).abs() < 0.02, "turned {turn}, plank {i}: {pose:?}");
            assert!(0.999 < up.y && motion.linear_velocity.length() < 0.02, "turned {turn}: {up} {motion:?}");
        }
    }
}
