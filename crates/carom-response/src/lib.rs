//! What happens next: contacts and joints in, velocities and places out.
//!
//! Plain data on both sides: a [`Body`] has mass and motion, a [`ContactPair`] a manifold in the world frame. Nothing here
//! knows a shape or finds a contact.
//!
//! ```
//! use carom_geom::{Contact, FeatureId, Manifold};
//! use carom_math::{Mat3, Pose, Vec3};
//! use carom_response::{Body, ContactPair, Solver, SolverSettings};
//!
//! // A cube of 1 m falls on the ground. Its four lower corners are the contacts.
//! let cube = Body::dynamic(Pose::from_translation(Vec3::new(0.0, 1.0, 0.0)), 1.0, Vec3::ZERO, Mat3::IDENTITY / 6.0);
//! let mut bodies = [Body::fixed(Pose::IDENTITY), cube];
//! let mut solver = Solver::new(SolverSettings::default());
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
//! }
//! assert!((bodies[1].pose.translation.y - 0.5).abs() < 0.005);
//! assert!(bodies[1].is_sleeping);
//! # Ok::<(), carom_response::SolverError>(())
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod body;
pub mod bounce;
mod color;
mod contact;
mod impact;
mod impulse;
pub mod integrate;
mod island;
mod joint;
mod kept;
mod lane_vec;
#[cfg(feature = "parallel")]
mod par;
mod penalty;
mod pieces;
pub mod plausible;
mod settings;
mod solver;

pub use body::{Body, BodyKind};
pub use contact::{ContactImpulse, ContactPair};
pub use joint::{Joint, JointImpulse, JointKind, Motor};
pub use penalty::Penalty;
pub use settings::{SolverError, SolverSettings};
pub use solver::{Solver, SolverMemory, StepStats};
