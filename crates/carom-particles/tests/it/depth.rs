//! Particles that bounce off what a camera sees, against planes and balls in closed form.

use crate::scenes::{buffer_of, camera, from_above, point, square};
use carom_math::Vec3;
use carom_particles::{Bounce, DepthBuffer, StepOutcome};
use carom_scenes::Rng;

const DT: f32 = 1.0 / 60.0;

/// Off planes of all slopes: the reflected direction, the place, and none beyond the plane.
#[test]
fn particles_bounce_off_planes_as_in_closed_form() {
    let mut rng = Rng::new(5);
    let bounce = Bounce::default().with_restitution(0.6).with_friction(0.3).with_thickness(1.0);
    let (mut n_bounced, mut outcomes) = (0, Vec::new());
    for slope in [0.0_f32, 0.3, 1.0, 3.0] {
        let normal = Vec3::new(-slope, 0.0, 1.0).normalize();
        let plane = square(Vec3::Z * -10.0, Vec3::new(1.0, 0.0, slope) * 20.0, Vec3::Y * 60.0);
        let buffer = buffer_of(camera(), 256, &plane);
        for _ in 0..2000 {
            let on = Vec3::new(rng.range(-2.0, 2.0) as f32, rng.range(-2.0, 2.0) as f32, 0.0);
            let on = on + Vec3::Z * (slope * on.x - 10.0);
            let velocity = point(&mut rng, 20.0);
            if -0.1 < velocity.dot(normal) {
                continue;
            }
            let start = on - velocity * (DT * rng.range(0.0, 1.0) as f32);
            let (mut p, mut v) = ([start], [velocity]);
            buffer.advance(&mut p, &mut v, DT, &bounce, &mut outcomes).unwrap();
            let over = |p: Vec3| (p - Vec3::Z * -10.0).dot(normal);
            if outcomes[0] == StepOutcome::Free {
                // Its end is on the plane, to rounding.
                assert!(-1e-3 < over(p[0]), "{slope} {}", over(p[0]));
                continue;
            }
            assert_eq!(outcomes[0], StepOutcome::Bounced);
            n_bounced += 1;
            let inward = velocity.dot(normal);
            let along = velocity - normal * inward;
            let lost = (0.3 * 1.6 * -inward).min(along.length());
            let wanted = along - along.normalize() * lost - normal * (0.6 * inward);
            assert!((v[0] - wanted).length() < 0.005 * velocity.length(), "{slope} {} {wanted}", v[0]);
            assert!(-1e-3 < over(p[0]), "{slope} {}", over(p[0]));
            let since = over(start + velocity * DT) / inward;
            let position = start + velocity * (DT - since) + wanted * since;
            assert!((p[0] - position).length() < 0.005, "{slope} {} {position}", p[0]);
        }
    }
    assert!(3000 < n_bounced, "{n_bounced}");
}

/// A rain on a ball: reflected directions to half a degree, and no drop inside.
#[test]
fn rain_bounces_off_a_ball() {
    let n = 1024;
    let mut buffer = DepthBuffer::new(from_above(10.0, 3.0), n, n).unwrap();
    // The depths at which the rays of the pixels meet a ball of radius 1 in the origin.
    buffer.set_depths(&vec![10.0; (n * n) as usize]).unwrap();
    let (mut depths, mut normals) = (Vec::new(), Vec::new());
    for pixel in 0..n * n {
        let side = buffer.surface(pixel % n, pixel / n).unwrap();
        let rest = 1.0 - side.x * side.x - side.z * side.z;
        depths.push(if 0.0 < rest { 10.0 - rest.sqrt() } else { f32::INFINITY });
        normals.push(Vec3::new(side.x, rest.max(0.0).sqrt(), side.z));
    }
    buffer.set_depths_and_normals(&depths, &normals).unwrap();
    let bounce = Bounce::default().with_restitution(1.0).with_friction(0.0).with_thickness(0.2);
    let mut rng = Rng::new(2);
    let (mut outcomes, mut n_bounced) = (Vec::new(), 0);
    for _ in 0..3000 {
        let side = [rng.range(-0.65, 0.65) as f32, rng.range(-0.65, 0.65) as f32];
        let top = (1.0 - side[0] * side[0] - side[1] * side[1]).sqrt();
        let start = Vec3::new(side[0], top + rng.range(0.0, 0.1) as f32, side[1]);
        let (mut p, mut v) = ([start], [Vec3::Y * -6.0]);
        buffer.advance(&mut p, &mut v, DT, &bounce, &mut outcomes).unwrap();
        if outcomes[0] == StepOutcome::Bounced {
            n_bounced += 1;
            let normal = Vec3::new(side[0], top, side[1]);
            let wanted = Vec3::Y * -6.0 + normal * (12.0 * top);
            let angle = v[0].angle_between(wanted).to_degrees();
            assert!(angle < 0.5, "{angle}");
        }
        assert!(0.9999 < p[0].length(), "{}", p[0].length());
    }
    assert!(2000 < n_bounced, "{n_bounced}");
}

/// A particle that comes out of a wall from behind is killed; one far behind it flies on, hidden.
#[test]
fn particles_from_behind_are_killed() {
    let buffer = buffer_of(camera(), 64, &square(Vec3::Z * -10.0, Vec3::X * 20.0, Vec3::Y * 20.0));
    let bounce = Bounce::default().with_thickness(0.5);
    let (mut n_killed, mut outcomes) = (0, Vec::new());
    for i in 0..200 {
        let speed = 1.0 + 0.5 * i as f32;
        let (mut p, mut v) = ([Vec3::new(0.1, 0.2, -11.5)], [Vec3::Z * speed]);
        for _ in 0..200 {
            buffer.advance(&mut p, &mut v, DT, &bounce, &mut outcomes).unwrap();
            match outcomes[0] {
                StepOutcome::Killed => break,
                outcome => assert_eq!((outcome, v[0]), (StepOutcome::Hidden, Vec3::Z * speed)),
            }
        }
        n_killed += usize::from(outcomes[0] == StepOutcome::Killed);
        assert!(p[0].z < -10.0 + 1e-4, "{}", p[0]);
    }
    assert_eq!(n_killed, 200);
}

/// However fast, and however thin the surface is said to be: no drop passes a roof that is seen.
#[test]
fn fast_particles_do_not_pass_a_visible_surface() {
    let buffer = buffer_of(from_above(20.0, 8.0), 64, &square(Vec3::ZERO, Vec3::X * 4.0, Vec3::Z * -4.0));
    let bounce = Bounce::default().with_thickness(1e-3);
    let mut outcomes = Vec::new();
    let mut rng = Rng::new(9);
    for speed in [0.1_f32, 1.0, 10.0, 100.0, 1000.0] {
        for _ in 0..200 {
            let travel = speed * DT;
            let start = Vec3::new(rng.range(-2.0, 2.0) as f32, travel * rng.range(0.01, 0.99) as f32, 0.5);
            let (mut p, mut v) = ([start], [Vec3::new(0.02 * speed, -speed, 0.0)]);
            let counts = buffer.advance(&mut p, &mut v, DT, &bounce, &mut outcomes).unwrap();
            assert_eq!((counts.n_bounced, outcomes[0]), (1, StepOutcome::Bounced), "{speed} {start}");
            assert!(0.0 < v[0].y && -1e-5 < p[0].y, "{} {}", v[0], p[0]);
        }
    }
}

/// A thin pole that a fast particle crosses within a step is met if there are samples on the way.
#[test]
fn samples_find_what_is_crossed_within_a_step() {
    let pole = square(Vec3::new(0.0, 0.0, -10.0), Vec3::X * 0.2, Vec3::Y * 20.0);
    let buffer = buffer_of(camera(), 256, &pole);
    let fly = |samples: u32| {
        let bounce = Bounce::default().with_thickness(2.0).with_samples(samples);
        let (mut p, mut v) = ([Vec3::new(-1.5, 0.0, -9.0)], [Vec3::new(180.0, 0.0, -120.0)]);
        let mut outcomes = Vec::new();
        buffer.advance(&mut p, &mut v, DT, &bounce, &mut outcomes).unwrap();
        outcomes[0]
    };
    assert_eq!(fly(1), StepOutcome::Free);
    assert_eq!(fly(32), StepOutcome::Bounced);
}

/// Out of view, before the camera's range and behind the camera: nothing is known, and the particle
/// flies on.
#[test]
fn out_of_view_particles_fly_on() {
    let buffer = buffer_of(camera(), 64, &square(Vec3::Z * -10.0, Vec3::X * 20.0, Vec3::Y * 20.0));
    for at in
        [Vec3::Z * 5.0, Vec3::Z * -0.05, Vec3::new(50.0, 0.0, -10.0), Vec3::Z * -150.0, Vec3::splat(1e30)]
    {
        let (mut p, mut v, mut outcomes) = ([at], [Vec3::NEG_X], Vec::new());
        buffer.advance(&mut p, &mut v, DT, &Bounce::default(), &mut outcomes).unwrap();
        assert_eq!((outcomes[0], p[0]), (StepOutcome::Outside, at + Vec3::NEG_X * DT));
    }
}
