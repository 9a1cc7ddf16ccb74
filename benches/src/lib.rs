//! Benches of carom and its peers, on criterion. All programs get the same scene in the same run,
//! after their answers were compared.
//!
//! `phases/` has one program for each phase. A workload is a group of criterion. Carom and its
//! peers are the functions of the group, and CPU time of the thread is measured. A row for each
//! workload follows, with the ratio to the best peer. Some times are only in these rows, because
//! criterion cannot measure them: frames that differ from each other, and worst frames.
#![forbid(unsafe_code)]
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // Programs, never without std.

mod arguments;
pub mod broad;
mod check;
mod clock;
mod comparison;
mod frames;
pub mod mesh_pairs;
#[cfg(feature = "peers")]
pub mod peers;
pub mod rivals;
mod rows;
mod runner;
pub mod scenes;
pub mod trees;
mod world;

pub use check::Answers;
pub use clock::thread_ns;
pub use comparison::{Comparison, Times};
pub use frames::median;
pub use rows::{Facts, Row, Unit, Work};
pub use runner::Runner;
pub use world::pile;
