//! `carom srdf`: the allowed collisions of a robot, from random poses, as an SRDF file.
//!
//! Reference: none needed. The crate `carom-robot` finds the pairs.

use crate::args::SrdfArgs;
use crate::load;
use crate::progress::Progress;
use crate::remarks::Remarks;
use crate::report::{self, Outcome, counted};
use carom_io::without_controls;
use carom_robot::{AllowedPair, AllowedReason, AllowedSearch, AllowedSettings, Workcell, srdf_text};
use rayon::prelude::*;
use serde_json::json;

/// Runs the command.
pub fn run(args: &SrdfArgs) -> Result<Outcome, String> {
    let mut remarks = Remarks::default();
    let said = |e: &dyn core::fmt::Display| format!("{}: {e}", args.file.display());
    // A link that is not read would be left out of the file, and of every check by it.
    let model =
        load::load(&args.file, &args.reading.options(false), &mut remarks).map_err(|e| e.to_string())?;
    let Some(robot) = &model.robot else { return Err(said(&"not a robot")) };
    let cell = Workcell::of_model(&model).map_err(|e| said(&e))?;
    remarks.print();
    let settings = AllowedSettings::default()
        .with_samples(args.samples)
        .with_seed(args.seed)
        .with_always_share(args.always_share);
    let pairs = search(&cell, &settings).map_err(|e| said(&e))?;
    let links: Vec<&str> = robot.part_links().map(|link| robot.links()[link].as_str()).collect();
    let names = |pair: &AllowedPair| pair.parts.map(|part| links[part]);
    let n_pairs = links.len() * links.len().saturating_sub(1) / 2;
    let checked = n_pairs - pairs.len();
    let mut lines: Vec<String> = pairs
        .iter()
        .map(|pair| {
            let [a, b] = names(pair).map(without_controls);
            format!("{a} and {b}: {}", pair.reason.name())
        })
        .collect();
    let n_of = |reason: AllowedReason| pairs.iter().filter(|pair| pair.reason == reason).count();
    let counts =
        AllowedReason::ALL.map(|reason| format!("{} {}", n_of(reason), reason.name().to_lowercase()));
    lines.push(format!(
        "{}, {}: {}; {checked} to check",
        counted(links.len(), "link", "links"),
        counted(n_pairs, "pair", "pairs"),
        counts.join(", ")
    ));
    if let Some(path) = &args.output {
        let text = srdf_text(robot.name(), pairs.iter().map(|pair| (names(pair), pair.reason.name())));
        report::write_file(path, text.as_bytes())?;
        lines.push(format!("written to {}", path.display()));
    }
    let listed: Vec<_> = pairs
        .iter()
        .map(|pair| {
            let [a, b] = names(pair);
            json!({ "a": a, "b": b, "reason": pair.reason.name() })
        })
        .collect();
    report::finish(
        args.json,
        &lines,
        &remarks,
        json!({
            "schema": "carom.srdf.v1",
            "robot": robot.name(),
            "links": links,
            "samples": args.samples,
            "seed": args.seed,
            "pairs": listed,
            "to_check": checked,
        }),
    )
}

/// Tests the samples of each round on all cores.
fn search(
    cell: &Workcell,
    settings: &AllowedSettings,
) -> Result<Vec<AllowedPair>, carom_robot::AllowedError> {
    let search = AllowedSearch::new(cell, 0, settings)?;
    let mut progress = Progress::new("poses", u64::from(settings.samples));
    search.run(|search, samples| {
        let n = samples.len();
        let answers = samples.into_par_iter().map(|sample| search.test(sample)).collect();
        progress.step_by(n);
        Ok(answers)
    })
}
