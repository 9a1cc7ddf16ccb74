//! Tests of carom-world.
#![allow(clippy::unwrap_used)]

mod budget;
mod bullets;
mod crowds;
mod door;
mod events;
mod gears;
mod golden;
mod halting;
mod holding;
mod impacts;
mod joints;
mod mesh_bodies;
mod persistence;
mod piles;
mod queries;
mod ragdolls;
mod recycling;
mod reused;
mod same;
mod scenes;
mod scripts;
mod seams;
mod snapshots;
mod uneven;
