//! Free rotation over long times, and the energy of a body in flight.

use carom_math::glam::{DMat3, DQuat, DVec3};
use carom_math::{Mat3, Pose, Quat, Vec3};
use carom_response::integrate::{rotate_freely, spin_of};
use carom_response::{Body, Solver, SolverSettings};

/// The angle between two orientations, in radians.
fn angle(a: DQuat, b: DQuat) -> f64 {
    2.0 * a.dot(b).abs().min(1.0).acos()
}

/// The closed form agrees with many short calls, which integrate.
#[test]
fn a_body_with_an_axis_of_symmetry_turns_as_in_short_calls() {
    let start = DQuat::from_rotation_arc(DVec3::X, DVec3::new(0.48, 0.6, 0.64));
    let moments = [[1.0, 0.2, 1.0], [0.3, 1.0, 1.0], [2.0, 2.0, 2.0], [1.0, 1.0, 1.9], [1.0, 0.05, 1.0]];
    for [x, y, z] in moments {
        let inverse = DMat3::from_diagonal(DVec3::new(1.0 / x, 1.0 / y, 1.0 / z));
        for spin in [DVec3::new(20.0, 3.0, -7.0), DVec3::new(0.0, 40.0, 0.1), DVec3::new(3.0, 0.0, 0.0)] {
            let momentum = spin_of(start, spin, &inverse.inverse());
            let turn = spin.length();
            let n = (turn * 40.0).ceil() as u32;
            let mut pieces = start;
            for _ in 0..n {
                pieces = rotate_freely(pieces, momentum, &inverse, 1.0 / f64::from(n));
            }
            let whole = rotate_freely(start, momentum, &inverse, 1.0);
            let off = angle(whole, pieces);
            assert!(off < 1e-4 * turn, "{:?} at {spin}: {off}", [x, y, z]);
            let energy = |q: DQuat| momentum.dot(spin_of(q, momentum, &inverse));
            assert!((energy(whole) / energy(start) - 1.0).abs() < 1e-12, "{:?} at {spin}", [x, y, z]);
        }
    }
}

/// A body without an axis of symmetry turns only so far in a call, and keeps its energy.
#[test]
fn an_uneven_body_keeps_its_energy_at_any_speed() {
    let inverse = DMat3::from_diagonal(DVec3::new(1.0, 0.5, 0.25));
    let start = DQuat::from_rotation_arc(DVec3::X, DVec3::new(0.48, 0.6, 0.64));
    for spin in [1.0, 30.0, 1e3, 1e5] {
        let momentum = DVec3::new(0.3, -0.5, 0.8) * spin;
        let energy = |q: DQuat| momentum.dot(spin_of(q, momentum, &inverse));
        let mut q = start;
        for _ in 0..100 {
            q = rotate_freely(q, momentum, &inverse, 1.0);
        }
        assert!((energy(q) / energy(start) - 1.0).abs() < 1e-9, "{spin}: {}", energy(q) / energy(start));
    }
}

/// With the lag of the velocity the energy of a flight under gravity and a force is exact.
#[test]
fn the_energy_of_a_flight_changes_by_the_work_of_its_force() {
    let gravity = Vec3::new(0.0, -9.81, 1.0);
    for (substeps, force) in [(6, Vec3::ZERO), (1, Vec3::new(3.0, -1.0, 0.5)), (4, Vec3::Y * 30.0)] {
        let settings = SolverSettings::default().with_gravity(gravity).with_substeps(substeps);
        let pose = Pose::new(Quat::from_rotation_x(1.0), Vec3::new(1.0, 2.0, 3.0));
        let inertia = Mat3::from_diagonal(Vec3::new(1.0, 2.0, 1.5));
        let mut body = Body::dynamic(pose, 2.0, Vec3::new(0.1, 0.0, 0.2), inertia);
        body.linear_velocity = Vec3::new(3.0, 8.0, -1.0);
        body.angular_velocity = Vec3::new(1.0, -2.0, 0.5);
        body.force = force;
        let dt = 1.0 / 60.0;
        let substep = dt / substeps as f32;
        let mut bodies = [body];
        let mut solver = Solver::new(settings);
        let (first, start) = (body.energy(gravity, substep), body.world_center().as_dvec3());
        for step in 0..180 {
            solver.step(&mut bodies, &[], &mut [], dt).unwrap();
            let work = force.as_dvec3().dot(bodies[0].world_center().as_dvec3() - start);
            let gain = bodies[0].energy(gravity, substep).total() - first.total() - work;
            let most = first.kinetic + first.potential.abs() + work.abs() + 300.0;
            assert!(gain.abs() < 2e-5 * most, "{substeps} {force} step {step}: {gain} of {most}");
        }
        // The stored velocity alone is off by half a substep of gravity.
        let stored = bodies[0].energy(gravity, 0.0);
        let lag = (gravity.as_dvec3() * 2.0 + force.as_dvec3()) * (0.25 * f64::from(substep));
        let off = bodies[0].energy(gravity, substep).kinetic - stored.kinetic;
        let velocity = bodies[0].linear_velocity.as_dvec3();
        assert!((off - 2.0 * lag.dot(velocity + lag * 0.5)).abs() < 1e-6 * stored.kinetic, "{off}");
    }
}
