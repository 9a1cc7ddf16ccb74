//! Compounds: what is refused, and that they answer as their parts do.

use crate::zoo::shapes;
use carom_geom::{Cuboid, Sphere};
use carom_math::{Pose, Vec3};
use carom_query::{Compound, CompoundError, CompoundPart, Shape, distance};
use std::sync::Arc;

fn part(shape: Shape, x: f32) -> CompoundPart {
    CompoundPart { shape, pose: Pose::from_translation(Vec3::new(x, 0.0, 0.0)) }
}

#[test]
fn the_first_offender_is_named() {
    let ball = Shape::Sphere(Sphere::new(0.5).unwrap());
    let one = Compound::new(vec![part(ball.clone(), 0.0)]).unwrap();
    assert_eq!(Compound::new(vec![]).unwrap_err(), CompoundError::Empty);
    let parts = vec![part(ball.clone(), 0.0), part(ball.clone(), f32::NAN), part(ball.clone(), 0.0)];
    assert_eq!(Compound::new(parts).unwrap_err(), CompoundError::PoseNotFinite(1));
    let nested = vec![part(ball, 0.0), part(Shape::Compound(Arc::new(one)), 1.0)];
    assert_eq!(Compound::new(nested).unwrap_err(), CompoundError::Nested(1));
}

#[test]
fn the_nearest_part_answers() {
    let ball = Shape::Sphere(Sphere::new(0.5).unwrap());
    let row = Compound::new((0..20).map(|i| part(ball.clone(), 3.0 * i as f32)).collect()).unwrap();
    let row = Shape::Compound(Arc::new(row));
    let brick = Shape::Cuboid(Cuboid::new(Vec3::splat(0.5)).unwrap());
    for i in 0..20 {
        let over = Pose::from_translation(Vec3::new(3.0 * i as f32, 2.0, 0.0));
        let d = distance(&row, &Pose::IDENTITY, &brick, &over);
        assert_eq!((d.distance, d.part_a, d.part_b), (1.0, i, 0));
        let d = distance(&brick, &over, &row, &Pose::IDENTITY);
        assert_eq!((d.distance, d.part_a, d.part_b), (1.0, 0, i));
    }
}

/// The zoo's compound has a box, a ball and a mesh of twelve triangles: numbers 0, 1 and 2 to 13.
#[test]
fn part_numbers_run_through() {
    let shapes = shapes();
    let (_, Shape::Compound(compound)) = &shapes[9] else { panic!("the tenth is the compound") };
    assert_eq!(compound.locate(0), (0, 0));
    assert_eq!(compound.locate(1), (1, 0));
    assert_eq!(compound.locate(2), (2, 0));
    assert_eq!(compound.locate(13), (2, 11));
    let left = Shape::Sphere(Sphere::new(0.1).unwrap());
    let d =
        distance(&shapes[9].1, &Pose::IDENTITY, &left, &Pose::from_translation(Vec3::new(-1.0, 0.2, 0.1)));
    assert_eq!(compound.locate(d.part_a).0, 2);
    assert!((d.distance - 0.45).abs() < 1e-6);
}
