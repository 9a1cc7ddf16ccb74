//! Particles that bodies hold, bodies that fall, and the radius and mass of particles of solids.

use carom_math::{Mat3, Pose, Vec3};
use carom_particles::{
    Attachment, BodyBoundary, ParticleError, ParticleSettings, ParticleSolver, Solid, Surface, Surroundings,
};

const DT: f32 = 1.0 / 60.0;

fn far(p: Vec3) -> (f32, Vec3) {
    (p.length() + 10.0, Vec3::Y)
}

/// A particle and a body that holds it share their momentum, and stay together.
#[test]
fn a_held_particle_and_its_body_share_momentum() {
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.05).with_gravity(Vec3::ZERO)).unwrap();
    let id = solver.add_solid(&Solid::default(), &[Vec3::X], &[0.5]).unwrap().ids.start;
    solver.set_particle(id, Vec3::X, Vec3::Y * 4.0).unwrap();
    // 2 kg at 4 m/s, and 6 kg: together 1 m/s, if the body does not turn.
    let mut bodies = [BodyBoundary { inverse_mass: 1.0 / 6.0, ..BodyBoundary::fixed(&far, Pose::IDENTITY) }];
    let attachments = [Attachment { particle: id, body: 0, point: Vec3::X }];
    let mut around = Surroundings { bodies: &mut bodies, attachments: &attachments, ..Default::default() };
    solver.step_in(DT, &mut around).unwrap();
    let velocity = solver.velocity(id).unwrap();
    assert!((velocity - Vec3::Y).length() < 1e-3, "{velocity}");
    let sum = velocity * 2.0 + bodies[0].impulse;
    assert!((sum - Vec3::Y * 8.0).length() < 1e-4, "{sum}");
    // The impulse acts at the point.
    assert!((bodies[0].angular_impulse - Vec3::Z * bodies[0].impulse.y).length() < 0.01 * 8.0);

    let wrong = [attachments[0], Attachment { particle: 1, ..attachments[0] }];
    let mut around = Surroundings { bodies: &mut bodies, attachments: &wrong, ..Default::default() };
    let refused = solver.step_in(DT, &mut around);
    assert_eq!(refused, Err(ParticleError::BadAttachment { attachment: 1 }));
}

/// A body that falls as its particle does gives it no impulse; one that does not fall bears it.
#[test]
fn a_body_with_an_acceleration_falls() {
    for (acceleration, expected) in [(Vec3::Y * -9.81, 0.0), (Vec3::ZERO, 2.0 * 9.81 * DT)] {
        let mut solver = ParticleSolver::new(ParticleSettings::new(0.05)).unwrap();
        let id = solver.add_solid(&Solid::default(), &[Vec3::ZERO], &[0.5]).unwrap().ids.start;
        // So heavy that the particle does not move it.
        let body = BodyBoundary { inverse_mass: 1e-6, ..BodyBoundary::fixed(&far, Pose::IDENTITY) };
        let mut bodies = [BodyBoundary { acceleration, inverse_inertia: Mat3::ZERO, ..body }];
        let attachments = [Attachment { particle: id, body: 0, point: Vec3::ZERO }];
        let mut around =
            Surroundings { bodies: &mut bodies, attachments: &attachments, ..Default::default() };
        solver.step_in(DT, &mut around).unwrap();
        let pulled = -bodies[0].impulse.y;
        assert!((pulled - expected).abs() < 1e-3, "{pulled} {expected}");
    }
}

/// A solid rests at its own radius above a plane, and is held or let go by its inverse mass.
#[test]
fn a_solid_has_its_radius_and_its_masses() {
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.1)).unwrap();
    solver.add_plane(Vec3::Y, 0.0, &Surface::default()).unwrap();
    let fine = Solid::default().with_radius(0.025);
    let id = solver.add_solid(&fine, &[Vec3::Y * 0.5], &[0.0]).unwrap().ids.start;
    for _ in 0..30 {
        solver.step(DT).unwrap();
    }
    assert_eq!(solver.position(id), Some(Vec3::Y * 0.5));
    solver.set_inverse_mass(id, 1.0).unwrap();
    for _ in 0..60 {
        solver.step(DT).unwrap();
    }
    let height = solver.position(id).unwrap().y;
    assert!((height - 0.025).abs() < 1e-4, "{height}");
    let bad = ParticleError::BadMass { particle: 0 };
    assert_eq!(solver.set_inverse_mass(id, -1.0), Err(bad));
    assert_eq!(solver.set_inverse_mass(1, 1.0), Err(ParticleError::BadParticle { particle: 1 }));
    let thin = solver.add_solid(&Solid::default().with_radius(0.01), &[Vec3::Y], &[1.0]);
    assert_eq!(thin, Err(ParticleError::BadSetting { name: "radius", value: 0.01 }));
}
