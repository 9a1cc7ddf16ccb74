//! Tests of boxes against frustums: the class of a box holds for its points.

use carom_bounds::{Aabb, BoundingVolume, BoundsError, ClipDepth, Culling, Frustum, LastPlane};
use carom_math::Plane;
use carom_testkit::conform::dice::Dice;
use glam::{DVec3, Mat4, Quat, Vec3, Vec4};

/// Returns the matrix of a random camera, and its depth range.
fn views(dice: &mut Dice) -> (Mat4, ClipDepth) {
    let (near, far) = (0.1_f32, 100.0_f32);
    let (zoom, aspect) = (dice.range(0.3, 5.0), dice.range(0.5, 2.0));
    let perspective = |a: f32, b: f32| {
        Mat4::from_cols(
            Vec4::new(zoom / aspect, 0.0, 0.0, 0.0),
            Vec4::new(0.0, zoom, 0.0, 0.0),
            Vec4::new(0.0, 0.0, a, -1.0),
            Vec4::new(0.0, 0.0, b, 0.0),
        )
    };
    let d = near - far;
    let (projection, depth) = match dice.below(5) {
        0 => (perspective((far + near) / d, 2.0 * far * near / d), ClipDepth::MinusOneToOne),
        // The far plane at infinity, and the same reversed.
        1 => (perspective(-1.0, -near), ClipDepth::ZeroToOne),
        2 => (perspective(0.0, near), ClipDepth::ZeroToOne),
        3 => (
            Mat4::from_translation(Vec3::new(0.1, -0.2, 0.5)) * Mat4::from_scale(Vec3::new(0.2, 0.4, -0.05)),
            ClipDepth::ZeroToOne,
        ),
        _ => (perspective(far / d, near * far / d), ClipDepth::ZeroToOne),
    };
    let turn = Quat::from_xyzw(dice.range(-1.0, 1.0), dice.range(-1.0, 1.0), dice.range(-1.0, 1.0), 1.0);
    (projection * Mat4::from_rotation_translation(turn.normalize(), dice.point(10.0)), depth)
}

/// Returns how far inside the clip volume a point is: the least of the six margins, relative to
/// its size.
fn margin(matrix: &Mat4, depth: ClipDepth, p: DVec3) -> f64 {
    let clip = matrix.as_dmat4() * p.extend(1.0);
    let near = if depth == ClipDepth::ZeroToOne { clip.z } else { clip.z + clip.w };
    let margins = [clip.w - clip.x, clip.w + clip.x, clip.w - clip.y, clip.w + clip.y, near, clip.w - clip.z];
    let size = clip.abs().max_element() + p.length() + 1.0;
    margins.into_iter().fold(f64::INFINITY, f64::min) / size
}

#[test]
fn points_of_a_box_are_where_the_box_is() {
    let mut dice = Dice::new(12);
    let mut counts = [0; 3];
    for _ in 0..300 {
        let (matrix, depth) = views(&mut dice);
        let frustum = Frustum::from_view_projection(&matrix, depth).unwrap();
        for _ in 0..200 {
            let size = [0.1, 1.0, 8.0][dice.below(3)];
            let aabb = dice.aabb(20.0, size);
            let found = frustum.classify(&aabb, &mut LastPlane::default());
            counts[found as usize] += 1;
            let extent = (aabb.max - aabb.min).as_dvec3();
            for i in 0..27 {
                let share = DVec3::new((i % 3) as f64, (i / 3 % 3) as f64, (i / 9) as f64) * 0.5;
                let inside = margin(&matrix, depth, aabb.min.as_dvec3() + extent * share);
                assert!(
                    found != Culling::Outside || inside < 1e-12,
                    "{aabb:?} has a point inside by {inside}"
                );
                assert!(
                    found != Culling::Inside || -1e-12 < inside,
                    "{aabb:?} has a point outside by {inside}"
                );
            }
        }
    }
    assert!(counts.iter().all(|n| 1500 < *n), "{counts:?}");
}

#[test]
fn the_plane_that_is_remembered_changes_nothing_but_the_order() {
    let mut dice = Dice::new(13);
    for _ in 0..100 {
        let (matrix, depth) = views(&mut dice);
        let frustum = Frustum::from_view_projection(&matrix, depth).unwrap();
        for _ in 0..50 {
            let (aabb, other) = (dice.aabb(20.0, 3.0), dice.aabb(20.0, 3.0));
            let mut last = LastPlane::default();
            let found = frustum.classify(&aabb, &mut last);
            let after_one = last;
            assert_eq!(frustum.classify(&aabb, &mut last), found);
            // The same plane rejects the box again, so it is tested first.
            assert_eq!(last, after_one);
            // With the plane of another box the answer is the same.
            let mut strange = LastPlane::default();
            frustum.classify(&other, &mut strange);
            assert_eq!(frustum.classify(&aabb, &mut strange), found);
        }
    }
}

#[test]
fn boxes_that_touch_a_plane_stay() {
    let plane = |normal: Vec3, d: f32| Plane { normal, d };
    let cube = Frustum::new([
        plane(Vec3::X, -1.0),
        plane(Vec3::NEG_X, -1.0),
        plane(Vec3::Y * 2.0, -2.0),
        plane(Vec3::NEG_Y, -1.0),
        plane(Vec3::Z, -1.0),
        plane(Vec3::ZERO, 0.0),
    ])
    .unwrap();
    let at = |low: f32, high: f32| Aabb { min: Vec3::splat(low), max: Vec3::splat(high) };
    let classify = |b: &Aabb| cube.classify(b, &mut LastPlane::default());
    assert_eq!(classify(&at(1.0, 2.0)), Culling::Intersecting);
    assert_eq!(classify(&at(1.0f32.next_up(), 2.0)), Culling::Outside);
    assert_eq!(classify(&at(-0.5, 0.5)), Culling::Inside);
    assert_eq!(classify(&at(-0.5, 1.5)), Culling::Intersecting);
    assert_eq!(classify(&Aabb::EMPTY), Culling::Outside);
    assert_eq!(classify(&Aabb::EVERYTHING), Culling::Intersecting);
    let bad = [plane(Vec3::new(0.0, f32::NAN, 0.0), 0.0); 6];
    assert_eq!(Frustum::new(bad).err(), Some(BoundsError::Plane { plane: 0 }));
    assert!(Frustum::from_view_projection(&(Mat4::IDENTITY * f32::INFINITY), ClipDepth::ZeroToOne).is_err());
}
