//! Soft objects among the bodies: cloth, ropes, soft bodies, liquids, gas and grains.
//!
//! - All of them are particles of one solver, so each kind pushes every other. A soft body is a
//!   range of particles with constraints between them.
//! - In each step the particles move before the solver of bodies, among the bodies as they are at
//!   its start. Their push on a dynamic body acts as a force during the rest of the step.
//! - They sleep and wake together.
//!
//! | file | content |
//! |---|---|
//! | `desc` | descriptions for insertion, and the settings |
//! | `set` | the particles of a world, and the things that own them |
//! | `soft_body` | constraints, pins and attachments of one soft body |
//! | `distance` | the signed distance of a point from a shape |
//! | `insert` | insertion and removal of soft things |
//! | `views` | reads and changes of one soft thing |
//! | `moving` | soft things that are put elsewhere |
//! | `advance` | the step |
//! | `load`, `loads` | characters and wheels on the surface of a soft body |
//! | `fields` | force fields that act on particles |
//! | `colliding_particles` | which particles collide with which bodies |
//! | `part_surfaces` | the material of the touched part of a body |
//! | `per_thing` | a property of each thing, found by particle |
//! | `pushed_bodies` | the pushes on bodies that record theirs |
//! | `sleeping`, `resting` | when soft things sleep, and their pushes on sleeping bodies |
//! | `supports` | the supports of bodies among soft things |
//! | `stored` | the state of soft things in a snapshot |
//!
//! Reference: M. Macklin, M. Mueller, N. Chentanez, T.-Y. Kim, Unified Particle Physics for
//! Real-Time Applications, ACM Transactions on Graphics 33(4), 2014.

pub(crate) mod advance;
pub(crate) mod colliding_particles;
pub(crate) mod desc;
pub(crate) mod distance;
pub(crate) mod error;
pub(crate) mod fields;
pub(crate) mod id;
pub(crate) mod insert;
pub(crate) mod load;
pub(crate) mod loads;
pub(crate) mod moving;
pub(crate) mod part_surfaces;
pub(crate) mod per_thing;
pub(crate) mod pushed_bodies;
pub(crate) mod resting;
pub(crate) mod set;
pub(crate) mod sleeping;
pub(crate) mod soft_body;
pub(crate) mod stored;
pub(crate) mod supports;
pub(crate) mod views;
