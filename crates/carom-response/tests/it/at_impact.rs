//! Contacts that were found at the poses of an impact within the step.

use carom_geom::{Contact, Manifold};
use carom_math::{Mat3, Pose, Vec3};
use carom_response::{Body, ContactPair, Solver, SolverError, SolverSettings};

const DT: f32 = 1.0 / 60.0;

/// The radius of both balls.
const RADIUS: f32 = 0.1;

const SPEED: f32 = 12.0;

/// A ball that flies along x, and one at rest.
fn balls(at: Vec3) -> [Body; 2] {
    let inertia = Mat3::from_diagonal(Vec3::splat(0.4 * RADIUS * RADIUS));
    let ball = |at: Vec3, v: Vec3| {
        let mut body = Body::dynamic(Pose::from_translation(at), 1.0, Vec3::ZERO, inertia);
        body.linear_velocity = v;
        body
    };
    [ball(at, Vec3::X * SPEED), ball(Vec3::ZERO, Vec3::ZERO)]
}

/// The manifold of their impact, moved back: the first ball meets the second one half way through
/// the step, at this normal.
fn impact(normal: Vec3) -> ([Body; 2], Manifold) {
    let way = SPEED * 0.5 * DT;
    let bodies = balls(normal * (-2.0 * RADIUS) - Vec3::X * way);
    let [on_a, on_b] = [bodies[0].pose.translation + normal * RADIUS, normal * -RADIUS];
    let mut manifold = Manifold::new(normal);
    manifold.push(Contact::new(on_a, on_b, normal, way * normal.x));
    (bodies, manifold)
}

/// Friction, restitution: the velocities after the impact are those of a collision at its poses.
#[test]
fn each_body_is_pushed_at_its_own_point() {
    let normal = Vec3::new(0.8, 0.0, 0.6);
    for restitution in [0.0, 0.5, 1.0] {
        for friction in [0.0, 0.1] {
            let (mut bodies, manifold) = impact(normal);
            let mut settings = SolverSettings::default();
            settings.gravity = Vec3::ZERO;
            let mut solver = Solver::new(settings);
            solver.contacts_at_impact_mut().push(0);
            let pair = ContactPair::new(0, 1, manifold, friction, restitution);
            solver.step(&mut bodies, &[pair], &mut [], DT).unwrap();
            assert!(solver.contacts_at_impact_mut().is_empty());
            let along = 0.5 * (1.0 + restitution) * SPEED * normal.x;
            let slide = (Vec3::X - normal * normal.x).normalize();
            let due = normal * along + slide * (friction * along);
            let what = format!("restitution {restitution}, friction {friction}");
            let v = [0, 1].map(|k: usize| bodies[k].linear_velocity);
            assert!((v[1] - due).length() < 1e-3 * SPEED, "{what}: {} for {due}", v[1]);
            assert!((v[0] + v[1] - Vec3::X * SPEED).length() < 1e-5 * SPEED, "{what}: {}", v[0]);
            // The same torque on both: the points are at the same distance from the centres.
            let spin = normal.cross(slide) * (friction * along * RADIUS / (0.4 * RADIUS * RADIUS));
            for body in &bodies {
                let w = body.angular_velocity;
                let is_right = (w + spin).length() < 0.01 * spin.length() + 1e-4;
                assert!(is_right, "{what}: {w} for {}", -spin);
            }
        }
    }
}

#[test]
fn a_bad_list_is_refused_and_emptied() {
    for (list, index) in [(vec![1], 0), (vec![0, 0], 1)] {
        let (mut bodies, manifold) = impact(Vec3::X);
        let before = bodies;
        let mut solver = Solver::new(SolverSettings::default());
        *solver.contacts_at_impact_mut() = list;
        let pair = ContactPair::new(0, 1, manifold, 0.0, 0.0);
        let found = solver.step(&mut bodies, &[pair], &mut [], DT);
        assert_eq!(found, Err(SolverError::ContactAtImpact(index)));
        assert_eq!(before, bodies);
        assert!(solver.contacts_at_impact_mut().is_empty());
    }
}
