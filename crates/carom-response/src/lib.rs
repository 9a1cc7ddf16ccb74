//! The response to contacts and joints: computes velocities and poses.
//!
//! Input and output are plain data. A [`Body`] has mass and motion. A [`ContactPair`] has a
//! manifold in the world frame. The crate has no shapes and finds no contacts.
//!
//! ```
//! use carom_geom::{Contact, FeatureId, Manifold};
//! use carom_math::{Mat3, Pose, Vec3};
//! use carom_response::{Body, ContactPair, Sleepers, Solver, SolverSettings};
//!
//! // A cube of 1 m falls on the ground. Its four lower corners are the contacts.
//! let cube = Body::dynamic(Pose::from_translation(Vec3::new(0.0, 1.0, 0.0)), 1.0, Vec3::ZERO, Mat3::IDENTITY / 6.0);
//! let mut bodies = [Body::fixed(Pose::IDENTITY), cube];
//! let mut solver = Solver::new(SolverSettings::default());
//! let mut sleepers = Sleepers::default();
//! for _ in 0..120 {
//!     let mut manifold = Manifold::new(Vec3::Y);
//!     for corner in 0..4 {
//!         let own = Vec3::new([-0.5, 0.5][corner & 1], -0.5, [-0.5, 0.5][corner >> 1]);
//!         let at = bodies[1].pose.transform_point(own);
//!         let ground = Vec3::new(at.x, 0.0, at.z);
//!         let features = (FeatureId::face(0), FeatureId::vertex(corner as u32));
//!         manifold.push(Contact::new(ground, at, Vec3::Y, at.y).with_features(features.0, features.1));
//!     }
//!     let contacts = [ContactPair::new(0, 1, manifold, 0.5, 0.0)];
//!     solver.step(&mut bodies, &contacts, &mut [], 1.0 / 60.0)?;
//!     sleepers.fall_asleep(&mut bodies, &solver);
//! }
//! assert!((bodies[1].pose.translation.y - 0.5).abs() < 0.005);
//! assert!(bodies[1].is_sleeping);
//! # Ok::<(), carom_response::SolverError>(())
//! ```
//!
//! If only depths are known, of a contact or of vertices along rays, use springs. A [`Penalty`]
//! pushes bodies that overlap apart, and never pulls (test:
//! `penalty::never_pulls_and_keeps_momentum`).
//!
//! ```
//! use carom_math::{Mat3, Pose, Vec3};
//! use carom_response::{Body, Penalty};
//!
//! // A ball of 2 kg falls on the ground.
//! let mut ground = Body::fixed(Pose::IDENTITY);
//! let at = Pose::from_translation(Vec3::new(0.0, 1.0, 0.0));
//! let mut ball = Body::dynamic(at, 2.0, Vec3::ZERO, Mat3::IDENTITY * 0.2);
//! let spring = Penalty::critical(4000.0, 2.0);
//! let dt = 0.2 * spring.longest_step(2.0);
//! for _ in 0..2000 {
//!     let center = ball.pose.translation;
//!     let displacement = Vec3::Y * (0.5 - center.y).max(0.0);
//!     spring.push(&mut ground, &mut ball, center - Vec3::Y * 0.5, displacement, dt);
//!     ball.linear_velocity.y -= 9.81 * dt;
//!     ball.pose.translation += ball.linear_velocity * dt;
//! }
//! // It has sunk in by m g / k.
//! assert!((ball.pose.translation.y - (0.5 - 2.0 * 9.81 / 4000.0)).abs() < 1e-4);
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod bodies;
pub mod bounce;
mod contacts;
mod impulses;
pub mod integrate;
mod joints;
mod memory;
#[cfg(feature = "serde")]
mod null_numbers;
pub mod ode;
mod penalty;
pub mod plausible;
pub mod response;
mod settings;
mod sleep;
mod solver;
mod step;

pub use bodies::body::{Body, BodyKind, Energy};
pub use bodies::locked_axes::LockedAxes;
pub use contacts::combine::CombineRule;
pub use contacts::contact::{ContactImpulse, ContactLink, ContactPair, Contacts};
pub use contacts::round::RoundContact;
pub use contacts::settings::{ContactSettings, MIN_MASS_SCALE};
pub use contacts::surface::SurfaceVelocity;
pub use impulses::impact::BOUNCE_LOOK_AHEAD;
pub use joints::fault::JointFault;
pub use joints::gear_parts::GearParts;
pub use joints::joint::Joint;
pub use joints::kind::{AxisLimit, JointAxis, JointKind, SixDof};
pub use joints::load::{JointImpulse, JointLoad};
pub use joints::motor::{Drive, Motor, Spring};
pub use joints::torsion_spring::{TorsionSpring, Winding};
pub use memory::shrink_unused;
pub use penalty::Penalty;
pub use response::Response;
pub use settings::{SolverError, SolverSettings};
pub use sleep::island::{DisjointSets, IslandMember};
pub use sleep::rest::RestTimer;
pub use sleep::sleepers::Sleepers;
pub use solver::{Solver, SolverMemory, SolverStats};
pub use step::substep::{BodyMotion, Substep};
pub use step::validate::Inconsistency;
