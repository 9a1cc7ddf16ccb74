//! Tests of carom-world.
#![allow(clippy::unwrap_used)]

mod bounces;
mod breaking;
mod budget;
mod bullets;
mod combine_rules;
mod contact_hooks;
mod conveyors;
mod crowds;
mod deforming;
mod detail;
mod door;
mod escapement;
mod events;
mod fields;
mod force_fields;
mod frames;
mod geared;
mod gears;
mod golden;
mod halting;
mod heavy_joints;
mod holding;
mod hook_panics;
mod hooks;
mod impacts;
mod impulses;
mod joint_kinds;
mod jointed;
mod joints;
mod loads;
mod mesh_bodies;
mod momentum;
mod motion_bounds;
mod noticed;
mod origins;
mod persistence;
mod piles;
mod queries;
mod ragdolls;
mod recycling;
mod responses;
mod rest;
#[cfg(feature = "serde")]
mod restoring;
mod reused;
mod same;
mod scenes;
mod scoreboard;
mod scripts;
mod seams;
mod sensors;
mod setters;
mod settings;
mod sliders;
mod snapshots;
#[cfg(feature = "soft")]
mod soft;
#[cfg(feature = "soft")]
mod soft_state;
mod squeezed;
mod steering;
mod substeps;
mod terrain;
mod uneven;
mod waking;
