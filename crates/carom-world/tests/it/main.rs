//! Tests of carom-world.
#![allow(clippy::unwrap_used)]

mod bounces;
mod budget;
mod bullets;
mod conveyors;
mod crowds;
mod deforming;
mod detail;
mod door;
mod escapement;
mod events;
mod fields;
mod frames;
mod gears;
mod golden;
mod halting;
mod heavy_joints;
mod holding;
mod impacts;
mod joints;
mod loads;
mod mesh_bodies;
mod momentum;
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
mod scripts;
mod seams;
mod sensors;
mod settings;
mod snapshots;
mod squeezed;
mod terrain;
mod uneven;
mod waking;
