//! The `carom` command as a library, for the binary and its tests.
//!
//! ```
//! use carom_cli::solid::{ShapeSpec, Winding, build};
//! use carom_io::Placement;
//! use carom_query::QueryCost;
//!
//! let ball = build(&ShapeSpec::Sphere(0.5), 1.0, &Placement::IDENTITY, Winding::Outwards)?;
//! let mut moved = Placement::IDENTITY;
//! moved.0[3] = 2.0;
//! let brick = build(&ShapeSpec::Box([1.0, 1.0, 1.0]), 1.0, &moved, Winding::Outwards)?;
//! let mut cost = QueryCost::default();
//! let answer = carom_cli::report::distance_members(&ball, &brick, false, &mut cost);
//! assert_eq!((answer["distance"].as_f64(), cost.iterations), (Some(0.5), 0));
//! # Ok::<(), String>(())
//! ```
#![forbid(unsafe_code)]
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core)] // An application crate, never without std.

pub mod args;
mod batch_shape;
pub mod cluster_picture;
pub mod command;
mod debug_lines;
mod figure;
pub mod live_page;
mod load;
mod obj;
pub mod player;
mod progress;
pub mod remarks;
pub mod report;
mod robots;
mod scene_page;
mod self_report;
mod shape_arg;
mod skins;
mod soft_picture;
pub mod soft_world;
pub mod solid;
mod touches;

use args::{Cli, Command};
use clap::Parser;
use report::Outcome;
use std::process::ExitCode;

/// Reads the command line and runs the command. Returns the exit status: 0 nothing found, 1 found,
/// 2 error.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let winding = cli.winding();
    let ended = match &cli.command {
        Command::Demo(args) => command::demo::run(args),
        Command::Check(args) => command::check::run(args, winding),
        Command::Distance(args) => command::distance::run(args, winding),
        Command::Sweep(args) => command::sweep::run(args, winding),
        Command::Ray(args) => command::ray::run(args, winding),
        Command::Trace(args) => command::trace::run(args),
        Command::Info(args) => command::info::run(args),
        Command::Sdf(args) => command::sdf::run(args),
        Command::Simplify(args) => command::simplify::run(args),
        Command::Decompose(args) => command::decompose::run(args),
        Command::Pairs(args) => command::pairs::run(args),
        Command::Srdf(args) => command::srdf::run(args),
        Command::Batch(args) => command::batch::run(args, winding),
        Command::Completions(args) => command::completions::run(args),
        Command::Man(args) => command::man::run(args),
    };
    match ended {
        Ok(Outcome::Nothing) => ExitCode::SUCCESS,
        Ok(Outcome::Something) => ExitCode::from(1),
        Ok(Outcome::BadInput) => ExitCode::from(2),
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}
