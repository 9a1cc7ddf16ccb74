//! Bad input is refused by name, and nothing is changed.

use crate::scenes::{buffer_of, camera, square};
use carom_math::{Pose, Vec3};
use carom_particles::{
    Bounce, Camera, ConstraintError, DepthBuffer, MAX_SIDE, ParticleError, SmallSteps, StepMemory,
    advance_in_field,
};

#[test]
fn cameras_and_buffers_are_checked() {
    let at = Pose::IDENTITY;
    for view in [0.0, -1.0, f32::NAN, 4.0] {
        assert!(matches!(Camera::perspective(&at, view, 1.0, 0.1, 1.0), Err(ParticleError::BadView { .. })));
    }
    for (near, far) in [(0.0, 1.0), (1.0, 1.0), (f32::NAN, 1.0), (0.1, f32::INFINITY)] {
        assert!(matches!(
            Camera::orthographic(&at, 1.0, 1.0, near, far),
            Err(ParticleError::BadRange { .. })
        ));
    }
    let nowhere = Pose { translation: Vec3::NAN, ..at };
    assert_eq!(Camera::orthographic(&nowhere, 1.0, 1.0, 0.1, 1.0), Err(ParticleError::BadPose));
    for aspect in [0.0, f32::NAN, f32::INFINITY] {
        assert!(matches!(
            Camera::orthographic(&at, 1.0, aspect, 0.1, 1.0),
            Err(ParticleError::BadSetting { .. })
        ));
    }
    for (width, height) in [(0, 4), (4, 0), (MAX_SIDE + 1, 1), (u32::MAX, u32::MAX)] {
        let refused = DepthBuffer::new(camera(), width, height).unwrap_err();
        assert_eq!(refused, ParticleError::BadSize { width, height });
    }
}

#[test]
fn the_first_offender_is_named_and_nothing_changes() {
    let mut buffer = buffer_of(camera(), 16, &square(Vec3::Z * -5.0, Vec3::X, Vec3::Y));
    let before = buffer.clone();
    let (mut vertices, mut triangles) = square(Vec3::Z * -2.0, Vec3::X, Vec3::Y);
    triangles[1][2] = 4;
    let refused = buffer.draw(&vertices, &triangles, &Pose::IDENTITY);
    assert_eq!(refused, Err(ParticleError::NoSuchVertex { triangle: 1 }));
    vertices[2].y = f32::NAN;
    let refused = buffer.draw(&vertices, &triangles, &Pose::IDENTITY);
    assert_eq!(refused, Err(ParticleError::BadVertex { vertex: 2 }));
    let mut depths = vec![1.0; 256];
    assert_eq!(buffer.set_depths(&depths[1..]), Err(ParticleError::WrongCount { expected: 256, given: 255 }));
    let normals = vec![Vec3::Z * 1.1; 256];
    let refused = buffer.set_depths_and_normals(&depths, &normals);
    assert_eq!(refused, Err(ParticleError::BadNormal { pixel: 0 }));
    depths[77] = f32::NAN;
    assert_eq!(buffer.set_depths(&depths), Err(ParticleError::BadDepth { pixel: 77 }));
    assert_eq!((buffer.depths(), buffer.normals()), (before.depths(), before.normals()));

    let (mut p, mut v, mut outcomes) = (vec![Vec3::Z * -5.1; 3], vec![Vec3::NEG_Z; 3], Vec::new());
    let start = p.clone();
    let bounce = Bounce::default();
    v[2].x = f32::INFINITY;
    let refused = buffer.advance(&mut p, &mut v, 0.1, &bounce, &mut outcomes);
    assert_eq!(refused, Err(ParticleError::BadParticle { particle: 2 }));
    v.pop();
    let refused = buffer.advance(&mut p, &mut v, 0.1, &bounce, &mut outcomes);
    assert_eq!(refused, Err(ParticleError::WrongCount { expected: 3, given: 2 }));
    for dt in [-1.0, f32::NAN, f32::INFINITY] {
        let refused = buffer.advance(&mut p, &mut v, dt, &bounce, &mut outcomes);
        assert!(matches!(refused, Err(ParticleError::BadTimeStep { .. })));
    }
    let bad = [
        bounce.with_restitution(1.1),
        bounce.with_friction(-0.1),
        bounce.with_thickness(0.0),
        bounce.with_samples(0),
        bounce.with_samples(65),
    ];
    for bounce in bad {
        let refused = buffer.advance(&mut p, &mut v, 0.1, &bounce, &mut outcomes);
        assert!(matches!(refused, Err(ParticleError::BadSetting { .. })));
    }
    let refused =
        advance_in_field(|p| (p.y, Vec3::Y), 0.0, &mut p, &mut [Vec3::ZERO; 3], 0.1, &bounce, &mut outcomes);
    assert!(matches!(refused, Err(ParticleError::BadSetting { name: "radius", .. })));
    assert_eq!(p, start);
}

/// A step of ropes and cloth refuses numbers that are not finite, and moves nothing.
#[test]
fn r_small_steps_let_no_bad_number_in() {
    let steps = SmallSteps::default();
    let advance = |steps: &SmallSteps, p: &mut [Vec3], v: &mut [Vec3], w: &[f32]| {
        let mut memory = StepMemory::default();
        steps.advance(p, v, w, 1.0 / 60.0, &mut [], &mut memory, |_, _| {})
    };
    let (start, still, free) = ([Vec3::X, Vec3::Y], [Vec3::ZERO; 2], [1.0, 0.0]);
    for gravity in [Vec3::NAN, Vec3::Y * f32::INFINITY, Vec3::new(0.0, f32::NAN, 0.0)] {
        let (mut p, mut v) = (start, still);
        let refused = advance(&steps.with_gravity(gravity), &mut p, &mut v, &free);
        assert!(matches!(refused, Err(ConstraintError::BadSetting { name: "gravity", .. })), "{refused:?}");
        assert_eq!((p, v), (start, still));
    }
    let bad = Err(ConstraintError::BadParticle { particle: 1 });
    assert_eq!(advance(&steps, &mut [Vec3::X, Vec3::NAN], &mut still.clone(), &free), bad);
    assert_eq!(advance(&steps, &mut start.clone(), &mut [Vec3::X, Vec3::X / 0.0], &free), bad);
    for w in [-1.0, f32::NAN, f32::INFINITY] {
        let mut p = start;
        assert_eq!(advance(&steps, &mut p, &mut still.clone(), &[1.0, w]), bad);
        assert_eq!(p, start);
    }
}
