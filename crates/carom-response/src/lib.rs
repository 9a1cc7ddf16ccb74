//! The response to contacts and joints: computes velocities and poses.
//!
//! Input and output are plain data. A [`Body`] has mass and motion; a [`ContactPair`] has a
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
//! Use springs if only depths are known: of a contact, or of vertices along rays. A [`Penalty`]
//! pushes bodies that overlap, and never pulls (test: `penalty::never_pulls_and_keeps_momentum`).
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

mod balance;
mod body;
pub mod bounce;
mod chunks;
mod classes;
mod color;
mod combine;
mod contact;
mod contact_details;
mod contact_settings;
mod energy;
mod free;
mod group;
mod group_details;
mod gyroscope;
mod impact;
mod impulse;
mod impulse_cache;
pub mod integrate;
mod island;
mod joint;
mod joint_axes;
mod joint_fault;
mod joint_gear;
mod joint_gear_parts;
mod joint_kind;
mod joint_load;
mod joint_mass;
mod joint_motor;
mod joint_passes;
mod joint_pulley;
mod joint_rows;
mod joint_softness;
mod joint_state;
mod joint_step;
mod joint_twist;
mod lane_vec;
mod load;
mod load_paths;
mod locked_axes;
mod mass;
mod memory;
mod motion_bounds;
pub mod ode;
#[cfg(feature = "parallel")]
mod par;
mod penalty;
pub mod plausible;
mod prepare;
pub mod response;
mod rest;
mod round_contact;
mod settings;
mod sleep;
mod solver;
mod spring;
mod store;
mod substep;
mod summary;
mod surface;
mod take_back;
mod validate;

pub use body::{Body, BodyKind, Energy};
pub use combine::CombineRule;
pub use contact::{ContactImpulse, ContactLink, ContactPair, Contacts};
pub use contact_settings::{ContactSettings, MIN_MASS_SCALE};
pub use impact::BOUNCE_LOOK_AHEAD;
pub use island::DisjointSets;
pub use joint::Joint;
pub use joint_fault::JointFault;
pub use joint_gear_parts::GearParts;
pub use joint_kind::{AxisLimit, JointAxis, JointKind, SixDof};
pub use joint_load::{JointImpulse, JointLoad};
pub use joint_motor::{Drive, Motor, Spring};
pub use locked_axes::LockedAxes;
pub use memory::shrink_unused;
pub use penalty::Penalty;
pub use response::Response;
pub use rest::RestTimer;
pub use round_contact::RoundContact;
pub use settings::{SolverError, SolverSettings};
pub use sleep::Sleepers;
pub use solver::{IslandMember, Solver, SolverMemory, SolverStats};
pub use spring::{TorsionSpring, Winding};
pub use substep::{BodyMotion, Substep};
pub use surface::SurfaceVelocity;
pub use validate::Inconsistency;
