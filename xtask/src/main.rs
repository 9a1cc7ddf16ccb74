//! The one command of the repository. `cargo xtask --help` lists its subcommands; `cargo xtask
//! check` must pass before a change lands.
#![forbid(unsafe_code)]
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

mod bench;
mod bevy;
mod browser;
mod cases;
mod check;
#[path = "../../crates/carom-cli/tests/chromium/mod.rs"]
mod chromium;
mod corpus;
mod cross;
#[path = "../../crates/carom-cli/tests/chromium/driver.rs"]
mod driver;
mod fuzz;
mod golden;
mod licences;
mod metadata;
mod native;
mod no_std;
mod pages;
mod physics;
mod python;
mod release;
mod report;
mod rounding;
mod site;
mod step;
mod tidy;
mod truth;
mod volumes;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask check [STEP] [--quick] [--full]
                                       format, lints, tests, docs, layering, each crate alone, no_std
                                       STEP: only the steps whose names contain it: docs, python
                                       --quick: format, tidy, clippy and tests with default features
                                       --full: also the tests with default and with all features, the benches with their
                                       peers, the fuzz targets, and each crate built from its package
cargo xtask tidy                       the rules of the source tree alone
cargo xtask seeds                      writes crates/SEEDS.md, the table of techniques, from crates/seeds.txt
cargo xtask bench [GROUP [FILTER]] [--quick | --full]
                                       carom and its peers on the same work: tables, CSV, plots; --quick: small sizes,
                                       few samples; --full: also the largest sizes, which take long
cargo xtask bench [GROUP] --from ROWS  the same report of rows that a run before left in target/bench/rows.jsonl
cargo xtask bench native [SCENE] [--quick]
                                       carom and the peers that are written in C++, where their libraries are
cargo xtask fuzz [TARGET] [--time S]   each fuzz target for S seconds (60)
cargo xtask corpus                     the table of public failures, carom and its peers: right or wrong
cargo xtask golden [--full]            the scenes of carom-golden on every target that can be run here; writes the table
                                       --full: optimized, as in a release
cargo xtask site                       the live testbed as a page, in target/site
cargo xtask volumes [N]                N bounding volumes (10000000) held exactly to contain what they should
cargo xtask cases                      real data with known answers through the program, where the data is
cargo xtask verify physics [--seconds S] [--row NAME] [--list] [--write]
                                       the scoreboard of ordinary scenes, carom beside rapier; --write: the page of it
cargo xtask truth WHAT [OPTIONS]       millions of answers against exact arithmetic; --help says which
";

/// An error that prevents the checks. A failed check is not an `Error`.
pub(crate) type Error = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs the subcommand. Returns true if all its checks passed.
fn run() -> Result<bool, Error> {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        Some(word) if word == "truth" => return truth::run(&root(), arguments),
        Some(word) if word == "verify" => {
            return match arguments.next() {
                Some(word) if word == "physics" => physics::run(&root(), arguments),
                _ => Err(format!("what shall be verified?\n{USAGE}").into()),
            };
        }
        _ => {}
    }
    let mut words = Vec::new();
    let mut quick = false;
    let mut full = false;
    let mut seconds: u32 = 60;
    let mut from = None;
    let mut parser = lexopt::Parser::from_env();
    use lexopt::ValueExt as _;
    while let Some(argument) = parser.next()? {
        match argument {
            lexopt::Arg::Value(word) => words.push(word.to_string_lossy().into_owned()),
            lexopt::Arg::Long("quick") => quick = true,
            lexopt::Arg::Long("full") => full = true,
            lexopt::Arg::Long("from") => from = Some(PathBuf::from(parser.value()?)),
            lexopt::Arg::Long("time") => seconds = parser.value()?.parse()?,
            lexopt::Arg::Short('h') | lexopt::Arg::Long("help") => {
                print!("{USAGE}");
                return Ok(true);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let root = root();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["check", rest @ ..] if rest.len() <= 1 => check::run(
            &root,
            match (quick, full) {
                (true, _) => check::Extent::Quick,
                (false, false) => check::Extent::Ordinary,
                (false, true) => check::Extent::Full,
            },
            rest.first().copied(),
        ),
        ["tidy"] => tidy::run(&root),
        ["seeds"] => tidy::write_seeds(&root),
        ["bench", rest @ ..] if rest.len() <= 2 => bench::run(
            &root,
            &bench::Options {
                group: rest.first().copied(),
                filter: rest.get(1).copied(),
                is_quick: quick,
                is_full: full,
                from: from.as_deref(),
            },
        ),
        ["fuzz"] => fuzz::run(&root, None, seconds),
        ["fuzz", target] => fuzz::run(&root, Some(target), seconds),
        ["golden"] => golden::run(&root, full),
        ["site"] => site::run(&root),
        ["volumes"] => volumes::run(&root, 10_000_000),
        ["volumes", n] => volumes::run(&root, n.parse()?),
        ["cases"] => cases::run(&root),
        ["corpus"] => corpus::run(&root),
        _ => Err(format!("what shall be done?\n{USAGE}").into()),
    }
}

/// Returns the folder of the workspace.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}
