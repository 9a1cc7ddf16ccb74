//! Every volume passes the conformance suite of volumes.

use carom_bounds::{Aabb, BoundingVolume, KDop, Lss, Obb, Rss, Slabs, Sphere};
use carom_math::WidePose;
use carom_testkit::conform::bounding_volume::bounding_volume;
use glam::{DQuat, DVec3, Vec3};

#[test]
fn boxes_along_the_axes() {
    bounding_volume::<Aabb>();
}

#[test]
fn spheres() {
    bounding_volume::<Sphere>();
}

#[test]
fn oriented_boxes() {
    bounding_volume::<Obb>();
}

#[test]
fn discrete_oriented_polytopes() {
    bounding_volume::<KDop<6>>();
    bounding_volume::<KDop<14>>();
    bounding_volume::<KDop<18>>();
    bounding_volume::<KDop<26>>();
}

#[test]
fn line_swept_spheres() {
    bounding_volume::<Lss>();
}

#[test]
fn rectangle_swept_spheres() {
    bounding_volume::<Rss>();
}

/// A pose with a NaN or an infinity gives the volume of all points, except for the empty volume.
fn placed_anywhere<V: BoundingVolume>(placed: impl Fn(&V, &WidePose) -> V) {
    let volumes =
        [V::from_points(&[Vec3::ZERO]), V::from_points(&[Vec3::ONE, Vec3::X, Vec3::new(3.0, -2.0, 1.0)])];
    let mut turned = WidePose::IDENTITY;
    turned.rotation.y_axis.x = f64::NAN;
    let nowhere = WidePose::from_quat(DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0), DVec3::ZERO);
    let moved = |x: f64| WidePose { translation: DVec3::new(0.0, x, 0.0), ..WidePose::IDENTITY };
    let endless = WidePose::from_quat(DQuat::from_xyzw(f64::INFINITY, 0.0, 0.0, 1.0), DVec3::ZERO);
    for pose in [turned, nowhere, endless, moved(f64::NAN), moved(f64::INFINITY), moved(f64::NEG_INFINITY)] {
        for volume in &volumes {
            assert_eq!(placed(volume, &pose), V::EVERYTHING, "{volume:?} by {pose:?}");
        }
        assert_eq!(placed(&V::EMPTY, &pose), V::EMPTY);
    }
}

#[test]
fn a_pose_that_is_none_places_a_volume_anywhere() {
    placed_anywhere(<Aabb as BoundingVolume>::placed);
    placed_anywhere(<Sphere as BoundingVolume>::placed);
    placed_anywhere(<Obb as BoundingVolume>::placed);
    placed_anywhere(<Lss as BoundingVolume>::placed);
    placed_anywhere(<Rss as BoundingVolume>::placed);
    placed_anywhere(<KDop<6> as BoundingVolume>::placed);
    placed_anywhere(<KDop<26> as BoundingVolume>::placed);
    placed_anywhere(KDop::<14>::placed_loosely);
    placed_anywhere(KDop::<18>::placed_loosely);
}

/// Keys of offsets near the end of the range are not NaN.
#[test]
fn polytopes_near_the_end_of_the_range_have_sizes() {
    fn check<const K: usize>()
    where
        KDop<K>: Slabs,
    {
        for far in [f32::MAX, 3.0e38, 1.0e38] {
            for p in [Vec3::splat(far), Vec3::splat(-far), Vec3::new(far, -far, far)] {
                for other in [p, p * 0.5, -p] {
                    let dop = KDop::<K>::from_points(&[p, other]);
                    assert!(dop.center().is_finite() && !dop.size_key().is_nan(), "{dop:?}");
                    assert!(0.0 <= dop.surface_area() && 0.0 <= dop.volume(), "{dop:?}");
                    assert!(dop.contains_point(p) && dop.contains_point(other), "{dop:?}");
                    assert!(dop.size_key() <= KDop::<K>::EVERYTHING.size_key());
                }
            }
        }
    }
    check::<6>();
    check::<14>();
    check::<18>();
    check::<26>();
}
