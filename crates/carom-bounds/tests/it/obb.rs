//! Oriented boxes contain their points, fit well, and report no pair as apart that shares a point.

use carom_bounds::{Aabb, BoundingVolume, BoundsError, Obb};
use carom_math::Pose;
use glam::{DMat3, DVec3, Quat, Vec3};
use proptest::prelude::*;

fn turned_box(half: Vec3, turn: Quat, center: Vec3) -> Vec<Vec3> {
    (0..8)
        .map(|i| {
            let sign = Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32) * 2.0 - 1.0;
            turn * (half * sign) + center
        })
        .collect()
}

#[test]
fn a_turned_box_is_found_again() {
    for i in 0..40 {
        let turn = Quat::from_rotation_z(i as f32 * 0.3) * Quat::from_rotation_x(i as f32 * 0.77);
        let half = Vec3::new(3.0, 1.0 + 0.1 * i as f32, 0.2);
        let found = Obb::from_points(&turned_box(half, turn, Vec3::new(5.0, -2.0, 1.0)));
        let exact = 8.0 * half.x * half.y * half.z;
        assert!(found.volume() < exact * 1.001, "{i}: {} of {exact}", found.volume());
    }
}

#[test]
fn a_cube_is_found_again() {
    // The covariance of a cube has no direction. So the box may be larger than the cube, but not
    // larger than the axis-aligned box.
    for i in 0..20 {
        let turn = Quat::from_rotation_y(i as f32 * 0.21) * Quat::from_rotation_x(i as f32 * 0.5);
        let points = turned_box(Vec3::ONE, turn, Vec3::ZERO);
        assert!(Obb::from_points(&points).volume() <= Aabb::from_points(&points).volume() * 1.0001);
    }
}

#[test]
fn a_surface_counts_by_area() {
    // A long flat strip, one end of it cut into thousands of slivers.
    let turn = Quat::from_rotation_z(0.5);
    let mut triangles = Vec::new();
    let mut strip = |x0: f32, x1: f32| {
        let [a, b, c, d] =
            [(x0, 0.0), (x1, 0.0), (x1, 1.0), (x0, 1.0)].map(|(x, y)| turn * Vec3::new(x, y, 0.0));
        triangles.push([a, b, c]);
        triangles.push([a, c, d]);
    };
    strip(0.0, 10.0);
    for i in 0..2000 {
        strip(10.0 + i as f32 * 1e-3, 10.0 + (i + 1) as f32 * 1e-3);
    }
    let found = Obb::from_triangles(&triangles);
    let half = found.half_extents;
    assert!((half.max_element() - 6.0).abs() < 1e-3 && half.min_element() < 1e-4, "{half}");
}

#[test]
fn wrong_boxes_are_refused() {
    assert_eq!(
        Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(1.0, f32::NAN, 1.0)),
        Err(BoundsError::NotFinite { axis: 1 })
    );
    assert_eq!(Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(1.0, -1.0, 1.0)), Err(BoundsError::Negative));
    assert_eq!(
        Obb::new(Vec3::ZERO, Quat::from_xyzw(1.0, 1.0, 0.0, 0.0), Vec3::ONE),
        Err(BoundsError::NotRotation)
    );
}

#[test]
fn edges_that_pass_each_other_need_the_edge_axes() {
    // Two crossed bars, apart only along the cross product of their long edges.
    let a =
        Obb::new(Vec3::ZERO, Quat::from_rotation_x(core::f32::consts::FRAC_PI_4), Vec3::new(10.0, 1.0, 1.0))
            .unwrap();
    let turn = Quat::from_rotation_z(1.2) * Quat::from_rotation_x(core::f32::consts::FRAC_PI_4);
    let b = |z: f32| Obb::new(Vec3::new(0.0, 0.0, z), turn, Vec3::new(10.0, 1.0, 1.0)).unwrap();
    let touch = 2.0 * 2.0f32.sqrt();
    assert!(a.overlaps(&b(touch - 1e-3)) && !a.overlaps(&b(touch + 1e-3)));
    assert!(a.overlaps_lite(&b(touch + 1e-3)) && !a.overlaps_lite(&b(touch + 20.0)));
}

fn obb() -> impl Strategy<Value = Obb> {
    let half = prop::array::uniform3(prop_oneof![Just(0.0f32), 0.0f32..2.0, Just(1e-3)]);
    let turn = prop::array::uniform4(-1.0f32..1.0);
    (prop::array::uniform3(-3.0f32..3.0), turn, half).prop_map(|(center, turn, half)| {
        let q = Quat::from_array(turn);
        let q = if q.length() < 0.1 { Quat::IDENTITY } else { q.normalize() };
        Obb::new(Vec3::from(center), q, Vec3::from(half)).unwrap()
    })
}

/// Returns a point of the box, by its shares along the axes.
fn point_of(b: &Obb, share: [f64; 3]) -> DVec3 {
    b.center.as_dvec3() + b.axes.as_dmat3() * (b.half_extents.as_dvec3() * DVec3::from(share))
}

proptest! {
    #[test]
    fn boxes_that_share_a_point_are_never_apart(
        a in obb(), b in obb(),
        sa in prop::array::uniform3(prop_oneof![Just(-1.0), Just(1.0), -1.0..1.0f64]),
        sb in prop::array::uniform3(prop_oneof![Just(-1.0), Just(1.0), -1.0..1.0f64]),
    ) {
        // B is moved so that the two points meet, up to the rounding of f32, which is added to its
        // size.
        let moved = (point_of(&a, sa) - (point_of(&b, sb) - b.center.as_dvec3())).as_vec3();
        let b = Obb { center: moved, half_extents: b.half_extents + 2e-6, ..b };
        prop_assert!(a.overlaps(&b) && b.overlaps(&a));
        prop_assert!(a.overlaps_lite(&b));
        prop_assert_eq!(a.distance_lower_bound(&b), 0.0);
    }

    #[test]
    fn the_lower_bound_is_below_the_distance_of_all_points(a in obb(), b in obb()) {
        let bound = f64::from(a.distance_lower_bound(&b));
        let steps = [-1.0, -0.5, 0.0, 0.5, 1.0];
        for i in 0..125 {
            let p = point_of(&a, [steps[i % 5], steps[i / 5 % 5], steps[i / 25]]);
            for j in 0..125 {
                let q = point_of(&b, [steps[j % 5], steps[j / 5 % 5], steps[j / 25]]);
                prop_assert!(bound <= (p - q).length());
            }
        }
        prop_assert!(bound == 0.0 || !a.overlaps(&b));
    }

    #[test]
    fn placed_and_merged_boxes_hold_what_they_held(
        a in obb(), b in obb(), share in prop::array::uniform3(prop_oneof![Just(-1.0), Just(1.0), -1.0..1.0f64]),
        turn in prop::array::uniform3(-3.0f32..3.0), far in prop_oneof![Just(1.0f32), Just(1e4)],
    ) {
        let pose = Pose::new(Quat::from_euler(glam::EulerRot::XYZ, turn[0], turn[1], turn[2]), Vec3::from(turn) * far);
        let point = point_of(&a, share);
        let holds = |v: &Obb, p: DVec3| {
            // Solved in f64: the shares of the point in the stored axes.
            let y = v.axes.as_dmat3().inverse() * (p - v.center.as_dvec3());
            y.abs().cmple(v.half_extents.as_dvec3() * (1.0 + 1e-14)).all()
        };
        prop_assert!(holds(&a.transformed(&pose), pose.wide().transform_point(point)));
        prop_assert!(holds(&a.merged(&b), point) && holds(&b.merged(&a), point));
        let aabb = a.to_aabb();
        prop_assert!(aabb.min.as_dvec3().cmple(point + 1e-12).all() && point.cmple(aabb.max.as_dvec3() + 1e-12).all());
        let fitted = Obb::from_axes(DMat3::from_rotation_y(0.3), &a.corners());
        for corner in a.corners() {
            prop_assert!(holds(&fitted, corner.as_dvec3()));
        }
    }
}
