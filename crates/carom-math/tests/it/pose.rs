//! Tests of poses in both precisions, of poses in a large world, and of conversions.

use carom_math::{Pose, PoseError, Quat, Ray, Vec3, WidePose, WorldPose};
use glam::{DQuat, DVec3};
use proptest::prelude::*;

type Pose64 = carom_math::f64::Pose;

fn rotation() -> impl Strategy<Value = DQuat> {
    prop_oneof![
        1 => Just(DQuat::IDENTITY),
        1 => (0..4_i32).prop_map(|i| DQuat::from_rotation_y(f64::from(i) * std::f64::consts::FRAC_PI_2)),
        1 => (-1e-9..1e-9_f64).prop_map(DQuat::from_rotation_x),
        4 => (-4.0..4.0_f64, -4.0..4.0_f64, -4.0..4.0_f64)
            .prop_map(|(x, y, z)| DQuat::from_euler(glam::EulerRot::XYZ, x, y, z)),
    ]
}

fn any_position() -> impl Strategy<Value = DVec3> {
    let coordinate = prop_oneof![Just(0.0), -10.0..10.0_f64, -1e-20..1e-20_f64, -1e18..1e18_f64];
    (coordinate.clone(), coordinate.clone(), coordinate).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

fn pose() -> impl Strategy<Value = Pose64> {
    (rotation(), any_position()).prop_map(|(q, t)| Pose64::new(q.normalize(), t))
}

proptest! {
    #[test]
    fn composition_is_application_in_turn(a in pose(), b in pose(), p in any_position()) {
        let size = a.translation.length() + b.translation.length() + p.length();
        let one = (a * b).transform_point(p);
        let two = a.transform_point(b.transform_point(p));
        prop_assert!((one - two).length() <= 1e-14 * size);
        let back = a.inverse().transform_point(a.transform_point(p));
        prop_assert!((back - p).length() <= 1e-14 * size);
        prop_assert!((a.inverse_transform_point(a.transform_point(p)) - p).length() <= 1e-14 * size);
        let v = a.inverse_transform_vector(a.transform_vector(p));
        prop_assert!((v - p).length() <= 1e-14 * p.length());
    }

    #[test]
    fn relative_poses_are_those_of_the_book(a in pose(), b in pose(), p in any_position()) {
        // M_A (M_A^-1 M_B) = M_B.
        let size = a.translation.length() + b.translation.length() + p.length();
        let there = a.transform_point(b.relative_to(&a).transform_point(p));
        prop_assert!((there - b.transform_point(p)).length() <= 1e-14 * size);
        let wide = b.wide_relative_to(&a).transform_point(p);
        prop_assert!((wide - b.relative_to(&a).transform_point(p)).length() <= 1e-14 * size);
        let itself = a.relative_to(&a);
        prop_assert_eq!(itself.translation, DVec3::ZERO);
    }

    #[test]
    fn wide_poses_are_rigid(a in pose(), p in any_position()) {
        let single = Pose::from(a);
        for wide in [a.wide(), single.wide()] {
            let r = wide.rotation;
            let off = r * r.transpose() - glam::DMat3::IDENTITY;
            prop_assert!(off.to_cols_array().iter().all(|x| x.abs() < 8.0 * f64::EPSILON));
            prop_assert!((wide.inverse_transform_point(wide.transform_point(p)) - p).length()
                <= 1e-14 * (p.length() + wide.translation.length()));
            prop_assert!((wide.inverse().transform_point(wide.transform_point(p)) - p).length()
                <= 1e-14 * (p.length() + wide.translation.length()));
            prop_assert_eq!(wide.relative_to(&WidePose::IDENTITY), wide);
        }
    }

    #[test]
    fn precisions_convert(a in pose()) {
        let single = Pose::from(a);
        // Converting to f64 and back changes nothing.
        prop_assert_eq!(Pose::from(Pose64::from(single)), single);
        prop_assert_eq!(Pose64::from(single).translation, single.translation.as_dvec3());
        // Both have the same wide pose.
        prop_assert_eq!(Pose64::from(single).wide(), single.wide());
        let (q, t): (Quat, Vec3) = single.into();
        prop_assert_eq!(Pose::from((q, t)), single);
        let world = WorldPose::from(single);
        prop_assert_eq!(world.wide(), single.wide());
    }

    #[test]
    fn far_worlds_keep_small_distances(a in rotation(), b in rotation(), far in any_position(), step in -1.0..1.0_f64) {
        let frame = WorldPose::new(a.as_quat(), far);
        let body = WorldPose::new(b.as_quat(), far + DVec3::new(step, 2.0 * step, 0.0));
        let moved = body.translation - far; // The step, as rounded in f64.
        let local = body.relative_to(&frame);
        prop_assert!((local.translation.as_dvec3().length() - moved.length()).abs() <= 2e-7 * moved.length());
        let about = body.about(far);
        prop_assert!((about.translation.as_dvec3() - moved).length() <= 1e-7 * moved.length());
        let back = WorldPose::from_local(&about, far);
        prop_assert!((back.translation - body.translation).length() <= 1e-7 * moved.length() + 4e-16 * far.length());
    }

    #[test]
    fn rays_keep_their_parameter(a in pose(), o in any_position(), d in any_position(), t in -10.0..10.0_f64) {
        let ray = carom_math::f64::Ray::new(o, d);
        let there = a.transform_point(ray.in_frame_of(&a).at(t));
        let size = o.length() + 10.0 * d.length() + a.translation.length();
        prop_assert!((there - ray.at(t)).length() <= 1e-14 * size);
        let single = Ray::from(ray);
        prop_assert_eq!(Ray::from(carom_math::f64::Ray::from(single)), single);
    }
}

#[test]
fn bad_poses_are_refused() {
    let nan = Pose::try_new(Quat::from_xyzw(0.0, f32::NAN, 0.0, 1.0), Vec3::ZERO);
    assert_eq!(nan, Err(PoseError::NotFinite));
    assert_eq!(Pose::try_new(Quat::IDENTITY, Vec3::INFINITY), Err(PoseError::NotFinite));
    assert_eq!(Pose::try_new(Quat::IDENTITY * 1.5, Vec3::ZERO), Err(PoseError::NotUnit(1.5)));
    assert_eq!(Pose::try_new(Quat::IDENTITY * 0.0, Vec3::ZERO), Err(PoseError::NotUnit(0.0)));
    // Four digits, as files have them, are rounded to a unit quaternion.
    let pose = Pose::try_new(Quat::from_xyzw(0.0, 0.7070, 0.0, 0.7070), Vec3::ZERO).unwrap();
    assert!((pose.rotation.length() - 1.0).abs() < 1e-7);
    assert!(!PoseError::NotFinite.to_string().is_empty());
}

#[test]
fn planes_and_intervals() {
    use carom_math::{Interval, Plane};
    let plane = Plane::from_points(Vec3::Y, Vec3::Y + Vec3::Z, Vec3::Y + Vec3::X).unwrap();
    assert_eq!((plane.normal, plane.d), (Vec3::Y, -1.0));
    assert_eq!(plane.signed_distance(Vec3::new(5.0, 3.0, 7.0)), 2.0);
    assert_eq!(plane.project(Vec3::new(5.0, 3.0, 7.0)), Vec3::new(5.0, 1.0, 7.0));
    assert_eq!(Plane::from_points(Vec3::ZERO, Vec3::X, Vec3::X * 2.0), None);
    assert!(Interval::FORWARD.contains(0.0) && !Interval::FORWARD.contains(-1.0));
    assert!(Interval::BOTH.contains(-1.0) && !Interval::BOTH.contains(f32::NAN));
}
