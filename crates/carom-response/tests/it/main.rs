//! Integration tests of carom-response.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::std_instead_of_core)]

mod at_impact;
mod bounces;
mod chains;
mod contact_settings;
mod gears;
mod landings;
mod levers;
mod links;
mod long_levers;
mod ode;
#[cfg(feature = "parallel")]
mod par;
mod patches;
mod penalty;
mod plausible;
mod responses;
mod round_contacts;
mod scene;
mod screws;
mod spring_chains;
mod springs;
mod stacks;
mod stiffness;
mod surfaces;
mod truths;
mod turning;
mod whirl;
