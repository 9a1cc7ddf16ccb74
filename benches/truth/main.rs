//! Long runs of carom against exact arithmetic: `cargo xtask truth WHAT`.
//!
//! Each family of queries is one file here. It takes [`Options`], calls [`work::in_chunks`] to
//! spread the work over threads, prints its findings, and returns whether all answers were right.
#![forbid(unsafe_code)]
#![allow(clippy::duplicate_mod)] // Rays are asked in f32 and again in f64, by one file.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

mod convex;
mod cover;
mod filter;
mod flights;
mod impacts;
mod levels;
mod rays;
mod solids;
mod tolerances;
mod triangles;
mod tumble;
mod walk;
mod winding;
mod work;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask truth WHAT [OPTIONS]

  convex      distances and depths of convex shapes, ugly ones above all, against proofs       (200,000 pairs)
  cover       points inside real and generated solids against the hulls of their decomposition (10,000,000 points)
  triangles   pairs of triangles, ugly ones above all, against integers and rationals   (1,000,000 pairs)
  rays        rays at edges and corners of closed meshes of the real data, through poses       (200,000 rays)
  filter      how seldom exact arithmetic is needed on the meshes of the real data
  flights     bodies that fly fast and spin into walls, meshes, terrain and each other: energy, sides, momenta (100,000 flights)
  impacts     times of impact of boxes and hulls that turn, against looking often           (2,000,000 sweeps)
  levels      bodies through levels of brushes, real ones where they are present           (1,000,000 each)
  solids      clear, touching or overlapping, and how deep: boxes, frames, plates, hulls, flush and by a hair (10,000 pairs)
  tolerances  every constant of carom_math::tol against the errors that it has to cover      (1,000,000 cases)
  tumble      ragdolls thrown down stairs: energy, joints, depths, and whether they come to rest         (10,000 falls)
  walk        random walks of characters through arena, castle and noisy terrain, as brushes and as mesh   (10,000,000 moves)
  walk world  the same in a World, among lifts, a turntable, a shuttle and boxes that are pushed       (10,000,000 moves)
  winding     winding numbers through the tree against the sum, with times                    (2,000 points)

  --pairs N, --rays N, --count N   how many
  --seed S                         another sequence of random numbers (1)
  --threads T                      how many threads (all)
  --only SEED                      of the flights only this one, with each of its steps; of the solids only this pair
  --class NAME                     of the flights only those of a class of the table, such as terrain
  --spins                          a flight is wrong, too, if an angular momentum changes that nothing acts on
  --verbose                        every flight that was wrong, not only the first ones
  --turn R                         of the impacts only those that turn by so many radians: 0.2, 0.78, 1.5 or 3
";

/// The options of a run.
pub(crate) struct Options {
    /// The number of cases; `None` for the default of the family.
    pub(crate) count: Option<u64>,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    /// For `impacts`: only the rows with this rotation, in radians.
    pub(crate) turn: Option<f64>,
    /// The seed of the only flight or pair, for `flights` and `solids`.
    pub(crate) only: Option<u64>,
    pub(crate) is_verbose: bool,
    /// For `flights`: only flights of this class.
    pub(crate) class: Option<String>,
    /// For `flights`: whether a change of an angular momentum on which nothing acts is an error.
    pub(crate) with_spins: bool,
}

type Error = Box<dyn std::error::Error>;

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

/// Runs the chosen family. Returns whether no answer was wrong.
fn run() -> Result<bool, Error> {
    use lexopt::ValueExt as _;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut options = Options {
        count: None,
        seed: 1,
        threads,
        turn: None,
        only: None,
        is_verbose: false,
        class: None,
        with_spins: false,
    };
    let mut words = Vec::new();
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            lexopt::Arg::Value(word) => words.push(word.to_string_lossy().into_owned()),
            lexopt::Arg::Long("pairs" | "rays" | "count") => options.count = Some(parser.value()?.parse()?),
            lexopt::Arg::Long("seed") => options.seed = parser.value()?.parse()?,
            lexopt::Arg::Long("only") => options.only = Some(parser.value()?.parse()?),
            lexopt::Arg::Long("class") => options.class = Some(parser.value()?.string()?),
            lexopt::Arg::Long("spins") => options.with_spins = true,
            lexopt::Arg::Long("verbose") => options.is_verbose = true,
            lexopt::Arg::Long("turn") => options.turn = Some(parser.value()?.parse()?),
            lexopt::Arg::Long("threads") => options.threads = parser.value()?.parse::<usize>()?.max(1),
            lexopt::Arg::Short('h') | lexopt::Arg::Long("help") => {
                print!("{USAGE}");
                return Ok(true);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["convex"] => Ok(convex::run(&options)),
        ["cover"] => Ok(cover::run(&options)),
        ["filter"] => Ok(filter::run(&options)),
        ["flights"] => Ok(flights::run(&options)),
        ["impacts"] => Ok(impacts::run(&options)),
        ["levels"] => Ok(levels::run(&options)),
        ["rays"] => Ok(rays::run(&options)),
        ["solids"] => Ok(solids::run(&options)),
        ["tolerances"] => Ok(tolerances::run(&options)),
        ["tumble"] => Ok(tumble::run(&options)),
        ["walk"] => Ok(walk::run(&options)),
        ["walk", "world"] => Ok(walk::run_in_world(&options)),
        ["winding"] => Ok(winding::run(&options)),
        ["triangles"] => Ok(triangles::run(&options)),
        _ => Err(format!("what shall be asked?\n{USAGE}").into()),
    }
}
