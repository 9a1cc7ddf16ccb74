//! Very many particles (rain, sparks, debris): how they bounce off what a camera sees, or off a
//! distance field.
//!
//! A [`DepthBuffer`] holds for each pixel of a [`Camera`] the nearest surface and its normal. It is
//! drawn from triangles, or taken over from a renderer. [`DepthBuffer::advance`] moves particles in
//! a step and lets them bounce off the surfaces that are seen. The cost does not depend on the
//! scene, and what is hidden is not known. [`advance_in_field`] does the same with a distance
//! field, which also knows what no camera sees.
//!
//! ```
//! use carom_math::{Pose, Quat, Vec3};
//! use carom_particles::{Bounce, Camera, DepthBuffer, Fate};
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
//! let mut fates = Vec::new();
//! let counts = buffer.advance(&mut positions, &mut velocities, 1.0 / 60.0, &bounce, &mut fates)?;
//! assert_eq!((counts.n_bounced, fates[0]), (1, Fate::Bounced));
//! // It would be 0.05 below the floor, and came back by half of that.
//! assert!((velocities[0].y - 3.0).abs() < 1e-5 && (positions[0].y - 0.025).abs() < 1e-5);
//! # Ok::<(), carom_particles::ParticleError>(())
//! ```
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.10.1.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod bounce;
mod camera;
mod depth_buffer;
mod depth_particles;
mod error;
mod field_particles;
#[cfg(feature = "parallel")]
mod par;
mod raster;
mod solver;
mod sweep;

pub use bounce::{Bounce, Fate, FateCounts};
pub use camera::Camera;
pub use depth_buffer::{DepthBuffer, MAX_SIDE};
pub use error::ParticleError;
pub use field_particles::advance_in_field;
pub use solver::group::{Gas, Grains, Liquid, Solid};
pub use solver::ray::ParticleHit;
pub use solver::settings::ParticleSettings;
pub use solver::surroundings::{BodyBoundary, DistanceFn, FieldBoundary, SolidPass, Surface, Surroundings};
pub use solver::touch::{ParticleContact, ParticleEvent, Touched};
pub use solver::{Compression, MAX_PARTICLES, ParticleSolver, SolidParticles};
