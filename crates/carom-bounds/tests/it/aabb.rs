//! Tests of rays against boxes, and of the cube that contains a box in all orientations.

use carom_bounds::{Aabb, BoundingVolume};
use glam::{DVec3, Quat, Vec3};
use proptest::prelude::*;

const UNIT: Aabb = Aabb { min: Vec3::ZERO, max: Vec3::ONE };

#[test]
fn rays_along_an_axis_enter_and_leave() {
    let (near, far) = UNIT.ray_interval(DVec3::new(-1.0, 0.5, 0.5), DVec3::X, 0.0, 10.0).unwrap();
    assert!(near <= 1.0 && 1.0 - 1e-12 < near && 2.0 <= far && far < 2.0 + 1e-12);
    // Rays in the plane of a face, along an edge, and through a corner.
    assert!(UNIT.ray_interval(DVec3::new(-1.0, 1.0, 0.5), DVec3::X, 0.0, 10.0).is_some());
    assert!(UNIT.ray_interval(DVec3::new(-1.0, 1.0, 1.0), DVec3::X, 0.0, 10.0).is_some());
    assert!(UNIT.ray_interval(DVec3::splat(-1.0), DVec3::ONE, 0.0, 10.0).is_some());
    assert!(UNIT.ray_interval(DVec3::new(-1.0, 1.0 + 1e-9, 0.5), DVec3::X, 0.0, 10.0).is_none());
    // Boxes behind the ray, rays that end too early, and rays with a direction of zero or with
    // NaN.
    assert!(UNIT.ray_interval(DVec3::new(2.0, 0.5, 0.5), DVec3::X, 0.0, 10.0).is_none());
    assert!(UNIT.ray_interval(DVec3::new(2.0, 0.5, 0.5), DVec3::X, -3.0, 10.0).is_some());
    assert!(UNIT.ray_interval(DVec3::new(-1.0, 0.5, 0.5), DVec3::X, 0.0, 0.9).is_none());
    assert_eq!(UNIT.ray_interval(DVec3::splat(0.5), DVec3::ZERO, 0.0, 1.0), Some((0.0, 1.0)));
    assert!(UNIT.ray_interval(DVec3::splat(1.5), DVec3::ZERO, 0.0, 1.0).is_none());
    assert!(UNIT.ray_interval(DVec3::NAN, DVec3::X, 0.0, 1.0).is_none());
    assert!(UNIT.ray_interval(DVec3::ZERO, DVec3::X, f64::NAN, 1.0).is_none());
    assert!(Aabb::EMPTY.ray_interval(DVec3::ZERO, DVec3::X, 0.0, 1.0).is_none());
}

#[test]
fn centre_and_sizes_are_those_of_the_corners() {
    let aabb = Aabb { min: Vec3::new(-1.0, 2.0, -8.0), max: Vec3::new(3.0, 2.0, -7.5) };
    assert_eq!(aabb.center(), Vec3::new(1.0, 2.0, -7.75));
    assert_eq!(aabb.extents(), Vec3::new(4.0, 0.0, 0.5));
    assert_eq!(aabb.half_extents(), Vec3::new(2.0, 0.0, 0.25));
    assert!(aabb.extents().y == 0.0 && aabb.contains_point(aabb.center()));
    assert_eq!(aabb.volume(), 0.0);
    assert_eq!(Aabb { max: Vec3::new(3.0, 4.0, -7.5), ..aabb }.volume(), 4.0);
}

#[test]
fn the_box_that_two_share_has_the_points_that_both_have() {
    let grid = [-1.0, 0.0, 0.25, 0.5, 1.0, 2.0];
    let points = || {
        grid.into_iter()
            .flat_map(move |x| grid.into_iter().flat_map(move |y| grid.map(|z| Vec3::new(x, y, z))))
    };
    let others = [
        (Vec3::splat(0.25), Vec3::splat(2.0)),
        (Vec3::new(-1.0, 0.25, 0.25), Vec3::new(2.0, 0.5, 0.5)),
        // Boxes that share a face, an edge, a corner, or all of the unit box with it; then one
        // that shares nothing.
        (Vec3::new(1.0, 0.0, 0.0), Vec3::new(2.0, 1.0, 1.0)),
        (Vec3::new(1.0, 1.0, 0.0), Vec3::splat(2.0)),
        (Vec3::ONE, Vec3::splat(2.0)),
        (Vec3::splat(-1.0), Vec3::splat(2.0)),
        (Vec3::new(2.0, 0.0, 0.0), Vec3::splat(2.0)),
    ];
    for (min, max) in others {
        let other = Aabb { min, max };
        let both = UNIT.intersection(&other);
        assert_eq!(both, other.intersection(&UNIT));
        let has = |point: Vec3| both.is_some_and(|both| both.contains_point(point));
        for point in points() {
            assert_eq!(
                has(point),
                UNIT.contains_point(point) && other.contains_point(point),
                "{other:?} {point}"
            );
        }
    }
}

#[test]
fn r_a_sweep_along_nan_is_everything() {
    for along in [Vec3::NAN, Vec3::new(1.0, f32::NAN, 0.0)] {
        assert_eq!(UNIT.swept(along), Aabb::EVERYTHING);
    }
    assert_eq!(UNIT.swept(Vec3::X * f32::INFINITY).max.x, f32::INFINITY);
}

/// An infinite box, and boxes of NaN, overlapped nothing.
#[test]
fn r_infinite_boxes_and_nan_are_never_lost() {
    let half_space = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::new(f32::INFINITY, 0.0, f32::INFINITY) };
    let turned = carom_math::Pose::new(Quat::from_rotation_x(0.5), Vec3::ONE);
    for infinite in [Aabb::EVERYTHING, half_space, Aabb { min: Vec3::NAN, ..UNIT }] {
        for pose in [carom_math::Pose::IDENTITY, turned] {
            for along in [Vec3::ZERO, Vec3::X, Vec3::NAN] {
                for angle in [0.0, 0.1, 3.0, f32::NAN] {
                    assert_eq!(infinite.over_motion(&pose, along, angle), Aabb::EVERYTHING);
                }
            }
        }
        assert_eq!(infinite.any_orientation(), Aabb::EVERYTHING);
    }
    let lost = carom_math::Pose { translation: Vec3::NAN, ..turned };
    assert_eq!(UNIT.over_motion(&lost, Vec3::X, 0.0), Aabb::EVERYTHING);
    let nan = DVec3::new(0.0, f64::NAN, 0.0);
    let boxes = [
        Aabb::around(nan, DVec3::ONE),
        Aabb::around(DVec3::ZERO, nan),
        Aabb::from_center_radius(nan, 1.0),
        Aabb::from_center_radius(DVec3::ZERO, f64::NAN),
        Aabb::from_center_radius(DVec3::INFINITY, f64::INFINITY),
    ];
    assert_eq!(boxes, [Aabb::EVERYTHING; 5]);
    for aabb in [UNIT, Aabb::EVERYTHING, Aabb::EMPTY] {
        assert_eq!(aabb.inflated(f32::NAN), aabb);
    }
    assert_eq!(UNIT.inflated(f32::INFINITY), Aabb::EVERYTHING);
    assert_eq!(Aabb::EMPTY.inflated(f32::INFINITY), Aabb::EMPTY);
}

#[test]
fn the_cube_of_every_orientation_holds_them_all() {
    let aabb = Aabb { min: Vec3::new(-0.1, 0.2, -3.0), max: Vec3::new(0.5, 0.7, 1.0) };
    let cube = aabb.any_orientation();
    for i in 0..50 {
        let turn = Quat::from_rotation_y(i as f32 * 0.37) * Quat::from_rotation_x(i as f32);
        assert!(cube.contains(&aabb.transformed(&carom_math::Pose::from_rotation(turn)).inflated(-1e-5)));
    }
}

proptest! {
    #[test]
    fn a_ray_through_a_point_of_the_box_meets_it(
        low in prop::array::uniform3(-1e3f32..1e3), size in prop::array::uniform3(0.0f32..10.0),
        share in prop::array::uniform3(prop_oneof![Just(0.0f64), Just(1.0), 0.0..1.0]),
        direction in prop::array::uniform3(prop_oneof![Just(0.0f64), Just(1e-300), -1.0..1.0]), t in -100.0..100.0f64,
    ) {
        let min = Vec3::from(low);
        let aabb = Aabb { min, max: min + Vec3::from(size) };
        let extent = aabb.max.as_dvec3() - aabb.min.as_dvec3();
        let target = aabb.min.as_dvec3() + extent * DVec3::from(share);
        let direction = DVec3::from(direction);
        // A margin covers the rounding of the origin.
        let origin = target - direction * t;
        let room = Aabb { min: aabb.min - 1e-3, max: aabb.max + 1e-3 };
        let (near, far) = room.ray_interval(origin, direction, -200.0, 200.0).unwrap();
        prop_assert!(near <= t && t <= far);
    }
}
