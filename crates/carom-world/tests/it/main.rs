//! Tests of carom-world.
#![allow(clippy::unwrap_used)]

use carom_world::{BodyDesc, ColliderDesc};

mod bad_values;
mod bounces;
mod breaking;
mod budget;
mod bullets;
mod colliders;
mod combine_rules;
mod contact_forces;
mod contact_hooks;
mod conveyors;
mod crowds;
mod deferral;
mod deforming;
mod detail;
mod door;
mod driven_bullets;
mod edit_pairs;
mod enabled;
mod escapement;
mod events;
mod every_joint;
mod examples;
mod fields;
mod filters;
mod first_contacts;
mod flat_floors;
mod force_fields;
mod frames;
mod geared;
mod gears;
mod getters;
mod golden;
mod half_space_among_colliders;
mod heavy_joints;
mod hook_panics;
mod hooks;
mod impact_directions;
mod impacts;
mod impulses;
mod joint_kinds;
mod jointed;
mod joints;
mod loads;
mod many_colliders;
mod mesh_bodies;
mod momentum;
mod motion_bounds;
mod noticed;
mod origins;
mod part_materials;
mod persistence;
mod piles;
mod put_to_sleep;
mod queries;
mod ragdolls;
mod recycling;
mod responses;
mod rest;
#[cfg(feature = "serde")]
mod restoring;
mod reused;
mod rings;
mod rollers;
mod rolling;
mod same;
#[cfg(feature = "serde")]
mod saves;
mod scenes;
mod scoreboard;
mod scripts;
mod seams;
mod sensors;
mod setters;
mod setters_of_colliders;
mod settings;
mod sliders;
mod snapshots;
#[cfg(feature = "soft")]
mod soft;
#[cfg(feature = "soft")]
mod soft_bearing;
#[cfg(feature = "soft")]
mod soft_belts;
#[cfg(feature = "soft")]
mod soft_fields;
#[cfg(feature = "soft")]
mod soft_filters;
#[cfg(feature = "soft")]
mod soft_gliding;
#[cfg(feature = "soft")]
mod soft_loads;
#[cfg(feature = "soft")]
mod soft_materials;
#[cfg(feature = "soft")]
mod soft_moving;
#[cfg(feature = "soft")]
mod soft_pushes;
#[cfg(feature = "soft")]
mod soft_ropes;
#[cfg(feature = "soft")]
mod soft_state;
#[cfg(feature = "soft")]
mod soft_steps;
#[cfg(feature = "soft")]
mod soft_waking;
mod squeezed;
mod steering;
mod substeps;
mod suspension;
mod terrain;
mod touching;
mod tumbling;
mod turntables;
mod unequal_joints;
mod uneven;
mod valleys;
mod waking;

/// A dynamic body of density 1, for tests that state forces and impulses of bodies of about 1 kg.
pub(crate) fn of_unit_density(collider: impl Into<ColliderDesc>) -> BodyDesc {
    BodyDesc::dynamic(collider).with_density(1.0)
}
