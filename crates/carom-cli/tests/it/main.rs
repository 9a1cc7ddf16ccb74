//! The command as its users meet it: files in, answers, exit codes and pages out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::std_instead_of_alloc, clippy::std_instead_of_core)]

mod batch;
mod check;
#[path = "../chromium/mod.rs"]
mod chromium;
mod cluster_picture;
mod clusters;
mod coarsen;
mod demo;
mod distance;
mod help;
mod info;
mod itself;
mod many_parts;
mod merging;
mod motion;
mod pairs;
mod particles;
mod player;
mod ray;
mod robots;
mod run;
mod sdf;
mod soft;
mod sweep;
mod trace;
mod unread;
