//! The command as its users meet it: files in, answers, exit codes and pages out.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod batch;
mod check;
mod distance;
mod help;
mod info;
mod player;
mod ray;
mod run;
