//! The effect of collisions on velocities: the law of reflection, Newton's cradle, and responses
//! without a contact.

use carom_geom::{Contact, Manifold};
use carom_math::{Mat3, Pose, Vec3};
use carom_response::bounce::reflect;
use carom_response::plausible::{Scatter, stop_approach};
use carom_response::{Body, ContactPair, Solver, SolverError, SolverSettings};

/// A ball of 1 kg and 0.5 m.
fn ball(x: f32, velocity: Vec3) -> Body {
    let mut body = Body::dynamic(Pose::from_translation(Vec3::X * x), 1.0, Vec3::ZERO, Mat3::IDENTITY * 0.1);
    body.linear_velocity = velocity;
    body
}

fn energy(bodies: &[Body]) -> f32 {
    bodies.iter().map(Body::kinetic_energy).sum()
}

fn main() -> Result<(), SolverError> {
    // A velocity at a floor: the normal part is reversed and reduced, and friction reduces the
    // rest.
    let velocity = Vec3::new(3.0, -4.0, 0.0);
    for (restitution, friction) in [(1.0, 0.0), (0.5, 0.0), (0.5, 0.2), (0.0, 1.0)] {
        let after = reflect(velocity, Vec3::Y, restitution, friction);
        println!("restitution {restitution}, friction {friction}: {velocity} becomes {after}");
    }

    // Newton's cradle: five balls in a row, of which the first two come with 2 m/s.
    let mut balls: Vec<Body> = (0..5)
        .map(|i| if i < 2 { ball(i as f32 - 0.2, Vec3::X * 2.0) } else { ball(i as f32, Vec3::ZERO) })
        .collect();
    let before = energy(&balls);
    let mut solver = Solver::new(SolverSettings::default().with_gravity(Vec3::ZERO));
    for _ in 0..30 {
        let near = |i: &u32| {
            let [a, b] = [0, 1].map(|k| balls[*i as usize + k].pose.translation);
            let mut manifold = Manifold::new(Vec3::X);
            manifold.push(Contact::new(a + Vec3::X * 0.5, b - Vec3::X * 0.5, Vec3::X, b.x - a.x - 1.0));
            ContactPair::new(*i, i + 1, manifold, 0.0, 1.0)
        };
        let contacts: Vec<ContactPair> = (0..4).map(|i| near(&i)).collect();
        solver.step(&mut balls, &contacts, &mut [], 1.0 / 60.0)?;
    }
    let speeds: Vec<f32> = balls.iter().map(|ball| ball.linear_velocity.x).collect();
    println!("cradle: speeds {speeds:.2?}, {:.4} of the energy", energy(&balls) / before);

    // Without time to compute the contact: the bodies stop approaching, or separate in a random
    // direction around the exact one.
    let colliding_balls = || [ball(0.0, Vec3::new(2.0, 0.5, 0.0)), ball(0.9, Vec3::new(-1.0, 0.0, 0.0))];
    let [mut a, mut b] = colliding_balls();
    stop_approach(&mut a, &mut b, Vec3::X);
    println!("out of time: {} and {}", a.linear_velocity, b.linear_velocity);
    let scatter = Scatter::new(1.0, 0.5, 7);
    for draw in 0..3 {
        let mut pair = colliding_balls();
        let before = energy(&pair);
        let [a, b] = &mut pair;
        scatter.apply(a, b, Vec3::X, draw);
        let [u, v] = [a.linear_velocity, b.linear_velocity];
        println!("draw {draw}: {u:.2} and {v:.2}, {:.4} of the energy", energy(&pair) / before);
        assert!(energy(&pair) <= before * 1.000_01);
    }
    Ok(())
}
