//! Benches of carom against its peers: on the same scene, in the same run, in turn, and only after
//! the answers were compared.
//!
//! One program per phase stands in `phases/`. Each prints a table and, given `--out FILE`, appends
//! one line of JSON per workload; `cargo xtask bench` runs them all and draws the plots.
#![forbid(unsafe_code)]
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // Programs, never without std.

pub mod broad;
mod check;
mod clock;
mod contest;
pub mod mesh_pairs;
#[cfg(feature = "peers")]
pub mod peers;
pub mod rivals;
mod runner;
pub mod scenes;
pub mod trees;
mod world;

pub use check::Answers;
pub use clock::thread_ns;
pub use contest::{Contest, Times, median};
pub use runner::{Facts, Row, Runner, Unit, Work};
pub use world::pile;
