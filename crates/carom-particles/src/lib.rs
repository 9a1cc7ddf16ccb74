//! Particles in large numbers: liquids, gas, grains and solids in one solver. Rain, sparks and
//! debris bounce off a camera's depth buffer or off a distance field.
//!
//! # One solver for all
//! A [`ParticleSolver`] has particles of one radius; grains and solids may have other radii. Each
//! kind pushes every other. A [`Liquid`] and a [`Gas`] keep their density. [`Grains`] and
//! [`Solid`]s touch with friction.
//!
//! ```
//! use carom_math::Vec3;
//! use carom_particles::{Liquid, ParticleSettings, ParticleSolver, Surface};
//!
//! // Particles of radius 0.05 rest at a distance of 0.1. A block of water, 0.5 by 0.4 by 0.5.
//! let mut solver = ParticleSolver::new(ParticleSettings::new(0.05))?;
//! let cell = |i: u32| Vec3::new((i % 5) as f32, (i / 25) as f32, (i / 5 % 5) as f32);
//! let positions: Vec<Vec3> = (0..100).map(|i| (cell(i) + 0.5) * solver.spacing()).collect();
//! let water = solver.add_liquid(&Liquid::default(), &positions)?;
//! // It falls apart on a floor in front of a wall.
//! solver.add_plane(Vec3::Y, 0.0, &Surface::default())?;
//! solver.add_plane(Vec3::X, 0.0, &Surface::default())?;
//! for _ in 0..60 {
//!     solver.step(1.0 / 60.0)?;
//! }
//! assert!(solver.compression()?.mean < 0.01);
//! for particle in water {
//!     let p = solver.position(particle).expect("it was added");
//!     assert!(0.04 < p.y && p.y < 0.5 && 0.04 < p.x);
//! }
//! # Ok::<(), carom_particles::ParticleError>(())
//! ```
//!
//! Fields, rigid bodies and constraints are borrowed for a step, in [`Surroundings`]. A field is a
//! closure that returns the signed distance of a point and its gradient. A [`BodyBoundary`] is a
//! field in a body's frame, with mass and motion. Particles push it during the step. The step
//! writes the impulses into it, for its owner to apply.
//!
//! ```
//! use carom_math::{Mat3, Pose, Vec3};
//! use carom_particles::{
//!     BodyBoundary, Grains, ParticleSettings, ParticleSolver, Surroundings,
//! };
//!
//! let settings = ParticleSettings::new(0.05).with_gravity(Vec3::ZERO).with_contacts(true);
//! let mut solver = ParticleSolver::new(settings)?;
//! let grain = solver.add_grains(&Grains::default(), &[Vec3::ZERO])?.start;
//! solver.set_particle(grain, Vec3::ZERO, Vec3::X * 6.0)?;
//! // A ball of radius 0.5 and 100 kg, which the grain meets within the step.
//! let ball = |p: Vec3| (p.length() - 0.5, p.normalize_or(Vec3::X));
//! let mut bodies = [BodyBoundary {
//!     inverse_mass: 0.01,
//!     inverse_inertia: Mat3::IDENTITY * 0.1,
//!     ..BodyBoundary::fixed(&ball, Pose::from_translation(Vec3::X * 0.6))
//! }];
//! solver.step_in(1.0 / 60.0, &mut Surroundings { bodies: &mut bodies, ..Default::default() })?;
//! // The grain has 1.6 kg, and lost what the ball got.
//! let lost = (6.0 - solver.velocity(grain).expect("it was added").x) * 1.6;
//! assert!((bodies[0].impulse.x - lost).abs() < 1e-3 && 5.0 < lost);
//! assert_eq!(solver.contacts().len(), 1);
//! # Ok::<(), carom_particles::ParticleError>(())
//! ```
//!
//! A step is divided into substeps. An unstable step ends in [`ParticleError::TooDense`] or
//! [`ParticleError::Exploded`], and the particles stay as they were before it. The same input
//! gives the same bits on any number of threads (test:
//! `mixed::any_number_of_threads_gives_the_same`), on any target of `cargo xtask golden`, and
//! after [`ParticleSolver::save`] and [`ParticleSolver::load`].
//!
//! If particles are added in another order, they get other indices, but the same bits. The
//! exception is particles with equal data at one point, which may swap roles.
//!
//! # Rain
//! A [`DepthBuffer`] holds for each pixel of a [`Camera`] the nearest surface and its normal. It
//! is drawn from triangles, or copied from a renderer. [`DepthBuffer::advance`] moves particles in
//! a step and lets them bounce off the visible surfaces. The cost does not depend on the scene,
//! and hidden surfaces are unknown. [`advance_in_field`] does the same with a distance field,
//! which includes hidden surfaces.
//!
//! ```
//! use carom_math::{Pose, Quat, Vec3};
//! use carom_particles::{Bounce, Camera, DepthBuffer, StepOutcome};
//!
//! // From 10 above, straight down, 8 wide and high: a floor of two triangles at height 0.
//! let down = Quat::from_xyzw(-0.5_f32.sqrt(), 0.0, 0.0, 0.5_f32.sqrt());
//! let camera = Camera::orthographic(&Pose::new(down, Vec3::Y * 10.0), 8.0, 1.0, 0.1, 20.0)?;
//! let mut buffer = DepthBuffer::new(camera, 64, 64)?;
//! let floor = [[-4, 0, -4], [4, 0, -4], [4, 0, 4], [-4, 0, 4]];
//! let floor = floor.map(|[x, y, z]| Vec3::new(x as f32, y as f32, z as f32));
//! buffer.draw(&floor, &[[0, 1, 2], [0, 2, 3]], &Pose::IDENTITY)?;
//!
//! // A drop that falls at 6 m/s from 0.05 above the floor, for a sixtieth of a second.
//! let (mut positions, mut velocities) = ([Vec3::new(1.0, 0.05, 1.0)], [Vec3::Y * -6.0]);
//! let bounce = Bounce::default().with_restitution(0.5);
//! let mut outcomes = Vec::new();
//! let dt = 1.0 / 60.0;
//! let counts = buffer.advance(&mut positions, &mut velocities, dt, &bounce, &mut outcomes)?;
//! assert_eq!((counts.n_bounced, outcomes[0]), (1, StepOutcome::Bounced));
//! // It would be 0.05 below the floor, and came back by half of that.
//! assert!((velocities[0].y - 3.0).abs() < 1e-5 && (positions[0].y - 0.025).abs() < 1e-5);
//! # Ok::<(), carom_particles::ParticleError>(())
//! ```
//!
//! # Solids
//! Ropes, cloth, soft and rigid bodies and inflatables are particles with constraints between
//! them: [`Rope`], [`Cloth`], [`SoftBody`], [`ShapeMatching`], [`Inflatable`]. Each of them
//! projects predicted positions in a substep ([`ParticleBody`]). Several may share the same arrays
//! of particles.
//!
//! ```
//! use carom_math::Vec3;
//! use carom_particles::{Rope, RopeSettings, SmallSteps, StepMemory};
//!
//! // A rope of 1 m hangs from its first particle. It weighs 1.1 kg, and 50 N would double it.
//! let mut positions: Vec<Vec3> = (0..11).map(|i| Vec3::Y * (-0.1 * i as f32)).collect();
//! let settings = RopeSettings::default().with_stretch_stiffness(50.0).with_damping(5.0);
//! let mut rope = Rope::new(0, &positions, &settings)?;
//! let (mut velocities, mut inverse_masses) = ([Vec3::ZERO; 11], [10.0; 11]);
//! inverse_masses[0] = 0.0;
//! let steps = SmallSteps::default().with_iterations(10).with_drag(2.0);
//! let mut memory = StepMemory::default();
//! for _ in 0..300 {
//!     let (p, v) = (&mut positions, &mut velocities);
//!     steps.advance(p, v, &inverse_masses, 1.0 / 60.0, &mut [&mut rope], &mut memory, |_, _| {})?;
//! }
//! // Link k bears what is below it: 0.1 kg times 9.81 m/s2 times 55, over 500 N/m.
//! assert!((positions[10].y + 1.108).abs() < 2e-3);
//! # Ok::<(), carom_particles::ConstraintError>(())
//! ```
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.10; M. Macklin et al.,
//! Unified Particle Physics for Real-Time Applications, 2014.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod bounce;
mod camera;
mod constraints;
mod depth_buffer;
mod depth_particles;
mod error;
mod field_particles;
#[cfg(feature = "parallel")]
mod par;
mod parting;
mod raster;
mod solver;
mod surface_mesh;
mod sweep;

pub use bounce::{Bounce, OutcomeCounts, StepOutcome};
pub use camera::Camera;
pub use constraints::*;
pub use depth_buffer::{DepthBuffer, MAX_SIDE};
pub use error::ParticleError;
pub use field_particles::advance_in_field;
pub use solver::group::{Gas, Grains, Liquid, Solid};
pub use solver::population::{ParticleGroup, Renumbering};
pub use solver::ray::ParticleHit;
pub use solver::settings::ParticleSettings;
pub use solver::supports::MAX_SUPPORTS;
pub use solver::surroundings::{
    Acceleration, AccelerationFn, Attachment, Bearer, BodyBoundary, ContactMaterial, DistanceFn,
    FieldBoundary, MeetsFn, ParticleMotion, SolidPass, Support, Surface, SurfaceContact, SurfaceFn,
    Surroundings,
};
pub use solver::touch::{BodyImpulse, ContactTarget, ParticleContact, ParticleEvent};
pub use solver::{Compression, MAX_PARTICLES, ParticleSolver, SolidParticles};
pub use surface_mesh::{SurfaceMesh, liquid_surface};
