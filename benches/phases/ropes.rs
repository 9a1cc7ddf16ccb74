//! 100 ropes of 50 links that hang and swing, alone and with a heavy body at the end of each.
//!
//! Beside it is the same scene with passes over one link after the other. They cost less, and
//! loads stretch such a rope by its length.

use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_math::{Mat3, Pose};
use carom_particles::{
    Attachment, BodyBoundary, Link, Links, ParticleBody, ParticleSettings, ParticleSolver, Rope,
    RopeSettings, Solid, Surroundings,
};
use glam::Vec3;

/// Ropes.
const N: u32 = 100;
/// Links of a rope.
const LINKS: u32 = 50;
/// Length of a rope, in metres.
const LENGTH: f32 = 1.0;
/// Steps of a run.
const STEPS: u64 = 20;
const DT: f32 = 1.0 / 60.0;

/// The ropes, and the bodies at their ends.
pub(crate) struct Hung {
    solver: ParticleSolver,
    bodies: Vec<BodyBoundary<'static>>,
    attachments: Vec<Attachment>,
    ropes: Vec<Box<dyn ParticleBody>>,
}

fn far(p: Vec3) -> (f32, Vec3) {
    (p.length() + 10.0, Vec3::Y)
}

impl Hung {
    /// Returns the scene. With `has_loads`, each rope carries a body of 100 times its mass.
    pub(crate) fn new(has_loads: bool, is_chain: bool) -> Hung {
        let mut solver = ParticleSolver::new(ParticleSettings::new(0.005)).expect("settings");
        let (mut bodies, mut attachments) = (Vec::new(), Vec::new());
        let mut ropes: Vec<Box<dyn ParticleBody>> = Vec::new();
        let spacing = LENGTH / LINKS as f32;
        for rope in 0..N {
            let at = |k: u32| Vec3::new(spacing * k as f32, 0.0, rope as f32);
            let positions: Vec<Vec3> = (0..=LINKS).map(at).collect();
            // A rope has a mass of 1 kg.
            let masses: Vec<f32> = (0..=LINKS).map(|k| if k == 0 { 0.0 } else { LINKS as f32 }).collect();
            let solid = Solid::default();
            let added = solver.add_solid(&solid, &positions, &masses).expect("finite places");
            let first = added.indices.start as usize;
            if is_chain {
                let rope = Rope::new(first, &positions, &RopeSettings::default());
                ropes.push(Box::new(rope.expect("a rope")));
            } else {
                let link = |k| Link { ends: [k, k + 1], rest: spacing, compliance: 0.0 };
                let links: Vec<Link> = (0..LINKS).map(link).collect();
                ropes.push(Box::new(Links::new(first, positions.len(), &links).expect("links")));
            }
            if has_loads {
                let pose = Pose::from_translation(positions[LINKS as usize]);
                let (body, particle) = (bodies.len() as u32, added.ids.end - 1);
                attachments.push(Attachment { particle, body, point: Vec3::ZERO });
                bodies.push(BodyBoundary {
                    inverse_mass: 0.01,
                    inverse_inertia: Mat3::IDENTITY,
                    acceleration: Vec3::Y * -9.81,
                    meets: Some(&|_| false),
                    ..BodyBoundary::fixed(&far, pose)
                });
            }
        }
        Hung { solver, bodies, attachments, ropes }
    }

    /// Simulates a sixtieth of a second.
    pub(crate) fn step(&mut self) {
        let Hung { solver, bodies, attachments, ropes } = self;
        let mut constraints = |pass: &mut carom_particles::SolidPass<'_>| {
            for rope in ropes.iter_mut() {
                pass.project(&mut **rope).expect("as many");
            }
        };
        let mut around = Surroundings {
            bodies: &mut bodies[..],
            attachments,
            constraints: Some(&mut constraints),
            ..Surroundings::default()
        };
        solver.step_in(DT, &mut around).expect("a stable step");
        for body in bodies {
            body.linear_velocity += body.acceleration * DT + body.impulse * body.inverse_mass;
            body.pose.translation += body.linear_velocity * DT;
            body.angular_velocity = Vec3::ZERO;
        }
    }
}

/// A step of 100 ropes.
pub(crate) fn rows(runner: &mut Runner) {
    for (workload, has_loads) in [("100 ropes, a step", false), ("100 ropes with loads, a step", true)] {
        if !runner.wants(workload) {
            continue;
        }
        let row = Row { workload, size: u64::from(N * LINKS), unit: Unit::Ms, per_call: STEPS };
        let run = |is_chain| {
            move || {
                let mut hung = Hung::new(has_loads, is_chain);
                (0..STEPS).for_each(|_| hung.step());
            }
        };
        let comparison = Comparison::new(Answers::new())
            .entry("carom", run(true))
            .entry("carom, one link after the other", run(false));
        runner.compare_slow(row, comparison);
    }
}
