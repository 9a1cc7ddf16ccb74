//! Changes of a world between steps. All input is checked here.
//!
//! - `bodies`: insertion and removal of bodies. `body_mut`, `body_settings`: changes of a body.
//! - `colliders`, `collider_mut`: the colliders of a body. `joints`, `joint_mut`: joints.
//! - `forces`, `force_fields`, `rules`: forces, and responses other than a collision.
//! - `origin`: the origin of the frame of the world.

pub(crate) mod bodies;
pub(crate) mod body_mut;
pub(crate) mod body_settings;
pub(crate) mod collider_mut;
pub(crate) mod colliders;
pub(crate) mod force_fields;
pub(crate) mod forces;
pub(crate) mod joint_mut;
pub(crate) mod joints;
pub(crate) mod origin;
pub(crate) mod rules;
