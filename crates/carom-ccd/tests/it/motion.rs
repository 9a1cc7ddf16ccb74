//! Motions against glam's quaternions, and what they refuse.

use carom_ccd::{Motion, MotionError};
use glam::{DQuat, DVec3};

#[test]
fn a_motion_takes_the_shorter_rotation_between_two_poses() {
    let center = DVec3::new(0.3, -0.2, 0.1);
    let mut n_long = 0;
    for i in 0..200 {
        let x = f64::from(i);
        let start =
            (DQuat::from_axis_angle(DVec3::new(1.0, x, 2.0).normalize(), 0.3 * x), DVec3::new(x, 1.0, -2.0));
        let end =
            (DQuat::from_axis_angle(DVec3::new(x, 1.0, -1.0).normalize(), 0.7 * x), DVec3::new(1.0, -x, 0.5));
        n_long += usize::from(start.0.dot(end.0) < 0.0);
        let motion = Motion::between(start, end, center, 0.25).unwrap();
        assert!(motion.angular().length() * 0.25 <= core::f64::consts::PI + 1e-12);
        for (t, expected) in [(0.0, start), (0.25, end)] {
            let pose = motion.pose_at(t);
            for point in [DVec3::ZERO, DVec3::X, DVec3::new(-1.0, 2.0, 3.0)] {
                let there = expected.0 * point + expected.1;
                assert!((pose.transform_point(point) - there).length() < 1e-12 * (1.0 + x), "{i} at {t}");
            }
        }
        let half = start.0.slerp(end.0, 0.5);
        assert!((motion.pose_at(0.125).transform_vector(DVec3::Y) - half * DVec3::Y).length() < 1e-12);
    }
    assert!(n_long > 20, "the short way was the plain one in all but {n_long}");
}

#[test]
fn a_motion_that_is_none_is_refused_by_name() {
    let make = |rotation, velocity, spin| Motion::new(rotation, DVec3::ZERO, DVec3::ZERO, velocity, spin);
    let refused = make(DQuat::IDENTITY, DVec3::new(0.0, f64::NAN, 0.0), DVec3::ZERO).unwrap_err();
    assert_eq!(refused.to_string(), "the velocity of the motion has a coordinate that is NaN or infinite");
    assert_eq!(
        make(DQuat::IDENTITY, DVec3::ZERO, DVec3::INFINITY),
        Err(MotionError::NotFinite("angular velocity"))
    );
    assert_eq!(
        make(DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0), DVec3::ZERO, DVec3::ZERO),
        Err(MotionError::NotUnit(2.0))
    );
    let still = (DQuat::IDENTITY, DVec3::ZERO);
    assert_eq!(Motion::between(still, still, DVec3::ZERO, 0.0), Err(MotionError::Duration(0.0)));
}

#[test]
fn without_velocity_a_body_stays() {
    let rotation = DQuat::from_rotation_x(1.0);
    let motion = Motion::fixed(rotation, DVec3::ONE).unwrap();
    assert_eq!(motion.pose_at(0.0), motion.pose_at(1e9));
}

/// A stored motion with a rotation of length 2 or 0 was read, and scaled the body.
#[cfg(feature = "serde")]
#[test]
fn r_a_stored_motion_is_checked() {
    let rotation = DQuat::from_scaled_axis(DVec3::new(0.3, -0.2, 0.9));
    let motion = Motion::new(rotation, DVec3::ONE, DVec3::X, DVec3::Y, DVec3::Z).unwrap();
    let text = serde_json::to_string(&motion).unwrap();
    assert_eq!(serde_json::from_str::<Motion>(&text).unwrap(), motion, "bit for bit");
    let with_rotation = |rotation: &str| {
        let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
        value["rotation"] = serde_json::from_str(rotation).unwrap();
        serde_json::from_value::<Motion>(value)
    };
    for rotation in ["[0.0, 0.0, 0.0, 2.0]", "[0.0, 0.0, 0.0, 0.0]"] {
        let refused = with_rotation(rotation).unwrap_err().to_string();
        assert!(refused.contains("the rotation has length"), "{refused}");
    }
    let rounded = with_rotation("[0.0, 0.6, 0.0, 0.801]").unwrap().rotation();
    assert!((rounded.length() - 1.0).abs() < 1e-15, "{rounded}");
}
