//! Particles of all kinds: a refused call changes nothing, a step ends in an error or with finite
//! positions, and a snapshot continues with the same bits.

use crate::bytes::Bytes;
use carom_math::Pose;
use carom_particles::{
    BodyBoundary, FieldBoundary, Gas, Grains, Liquid, ParticleSettings, ParticleSolver, Solid, Surface,
    Surroundings,
};
use glam::{Mat3, Vec3};

/// Particles of a group.
const MAX_PARTICLES: usize = 24;

/// Adds and moves groups, and makes steps.
pub fn particles(bytes: &[u8]) {
    // Snapshots from any bytes are refused or valid.
    if let Ok(mut solver) = ParticleSolver::load(bytes) {
        check_step(&mut solver, 0.01, &mut Surroundings::default());
    }
    let mut bytes = Bytes::new(bytes);
    let radius = if bytes.byte() < 200 { 0.25 } else { bytes.size() as f32 };
    let settings = ParticleSettings::new(radius)
        .with_substeps(1 + bytes.below(3) as u32)
        .with_iterations(1 + bytes.below(4) as u32)
        .with_contacts(bytes.byte() < 128);
    let Ok(mut solver) = ParticleSolver::new(settings) else { return };
    for _ in 0..4 {
        if bytes.is_empty() {
            break;
        }
        let positions: Vec<Vec3> = (0..bytes.below(MAX_PARTICLES)).map(|_| bytes.point_f32()).collect();
        let number = bytes.size() as f32;
        let before = solver.n_particles();
        let added = match bytes.below(5) {
            0 => solver.add_liquid(&Liquid::default().with_cohesion(number), &positions).is_ok(),
            1 => solver.add_gas(&Gas::default().with_drag(number), &positions).is_ok(),
            2 => solver.add_grains(&Grains::default().with_friction(number), &positions).is_ok(),
            3 => {
                let masses = vec![number; positions.len()];
                solver.add_solid(&Solid::default(), &positions, &masses).is_ok()
            }
            _ => {
                let _ = solver.add_plane(bytes.point_f32(), number, &Surface::default());
                false
            }
        };
        assert_eq!(solver.n_particles(), before + if added { positions.len() } else { 0 });
        if 0 < solver.n_particles() {
            let particle = bytes.below(solver.n_particles()) as u32;
            let _ = solver.set_particle(particle, bytes.point_f32(), bytes.point_f32());
        }
        let ball = |p: Vec3| (p.length() - 1.0, p.normalize_or(Vec3::Y));
        let fields = [FieldBoundary { distance: &ball, surface: Surface::default() }];
        let mut bodies = [BodyBoundary {
            inverse_mass: bytes.size() as f32,
            inverse_inertia: Mat3::IDENTITY * bytes.size() as f32,
            linear_velocity: bytes.point_f32(),
            angular_velocity: bytes.point_f32(),
            ..BodyBoundary::fixed(&ball, Pose::from_translation(bytes.point_f32()))
        }];
        let dt = if bytes.byte() < 200 { 0.01 } else { bytes.size() as f32 };
        let mut other = ParticleSolver::load(&solver.save()).expect("it was saved");
        let mut around = Surroundings { fields: &fields, bodies: &mut bodies, ..Surroundings::default() };
        let done = check_step(&mut solver, dt, &mut around);
        assert_eq!(done, check_step(&mut other, dt, &mut around));
        assert!(solver.save() == other.save());
        assert!(bodies[0].impulse.is_finite() && bodies[0].angular_impulse.is_finite());
    }
}

/// Makes a step. Returns whether it succeeded; a failed step moves nothing.
fn check_step(solver: &mut ParticleSolver, dt: f32, around: &mut Surroundings<'_, '_>) -> bool {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    solver.collect_positions(&mut before);
    let done = solver.step_in(dt, around);
    solver.collect_positions(&mut after);
    assert!(after.iter().all(|position| position.is_finite()), "{done:?}");
    assert!(done.is_ok() || before == after, "{done:?}");
    done.is_ok()
}
