//! The scoreboard of ordinary scenes: `cargo xtask verify physics`.
//!
//! Each row is one scene of `carom_scenes::scoreboard`, played by carom and by rapier in the same
//! run, each with its default settings, in steps of 1/60 s. A row that carom fails makes the exit
//! code 1.
#![forbid(unsafe_code)]
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

use carom_benches::peers::rapier::Scene;
use carom_scenes::scoreboard::{Figure, Limit, Row, cause, rows};
use carom_testkit::scoreboard::{carom_film, film};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask verify physics [OPTIONS]

  --seconds S   how long scenes run that have no end of their own    (60)
  --row NAME    only the rows whose name begins like this
  --list        the names of the rows
  --write FILE  write the table as markdown
";

type Error = Box<dyn std::error::Error>;

/// The command line.
struct Options {
    seconds: f64,
    row: Option<String>,
    write: Option<PathBuf>,
    is_list: bool,
}

/// A figure of both engines.
struct Line {
    row: String,
    figure: &'static str,
    limit: Limit,
    carom: f64,
    rapier: f64,
}

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

/// Runs all rows. Returns true if carom passes them.
fn run() -> Result<bool, Error> {
    let Some(options) = options()? else { return Ok(true) };
    let begins = |row: &Row| options.row.as_ref().is_none_or(|name| row.name.starts_with(name));
    let rows: Vec<Row> = rows().into_iter().filter(begins).collect();
    if rows.is_empty() {
        return Err(format!("no row has a name like that\n{USAGE}").into());
    }
    let mut lines = Vec::new();
    for row in &rows {
        if options.is_list {
            println!("{:<16} {}", row.name, row.about);
            continue;
        }
        for line in play(row, options.seconds) {
            println!("{}", plain(&line));
            lines.push(line);
        }
    }
    let n_failed = lines.iter().filter(|line| !line.limit.allows(line.carom)).count();
    if !options.is_list {
        let n_peer = lines.iter().filter(|line| !line.limit.allows(line.rapier)).count();
        println!("{} figures: carom fails {n_failed}, rapier {n_peer}", lines.len());
    }
    if let Some(file) = &options.write {
        check_causes(&rows, &lines)?;
        std::fs::write(file, markdown(&rows, &lines, options.seconds))?;
    }
    Ok(n_failed == 0)
}

fn options() -> Result<Option<Options>, Error> {
    use lexopt::ValueExt as _;
    let mut options = Options { seconds: 60.0, row: None, write: None, is_list: false };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            lexopt::Arg::Long("seconds") => options.seconds = parser.value()?.parse()?,
            lexopt::Arg::Long("row") => options.row = Some(parser.value()?.string()?),
            lexopt::Arg::Long("write") => options.write = Some(parser.value()?.into()),
            lexopt::Arg::Long("list") => options.is_list = true,
            lexopt::Arg::Short('h') | lexopt::Arg::Long("help") => {
                print!("{USAGE}");
                return Ok(None);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    if !(1.0..=3600.0).contains(&options.seconds) {
        return Err("--seconds: from 1 to 3600".into());
    }
    Ok(Some(options))
}

/// Simulates a row with both engines, each on a thread of its own.
fn play(row: &Row, seconds: f64) -> Vec<Line> {
    let seconds = if row.seconds.is_finite() { row.seconds } else { seconds };
    let with_overlaps = row.figures.iter().any(|figure| figure.needs_overlaps);
    let films = std::thread::scope(|scope| {
        let peer =
            scope.spawn(|| film(&row.scene, &mut Scene::by_default(&row.scene), seconds, with_overlaps));
        [Some(carom_film(&row.scene, seconds, with_overlaps)), peer.join().ok()]
    });
    let line = |figure: &Figure| {
        // An engine that panics has no figure.
        let [carom, rapier] =
            films.each_ref().map(|film| film.as_ref().map_or(f64::NAN, |film| figure.of(film)));
        Line { row: row.name.clone(), figure: figure.name, limit: figure.limit, carom, rapier }
    };
    row.figures.iter().map(line).collect()
}

/// Formats a number with four significant digits.
fn number(x: f64) -> String {
    if x.is_nan() {
        return "none".into();
    }
    if x != 0.0 && (x.abs() < 1e-4 || 1e5 <= x.abs()) {
        return format!("{x:.2e}");
    }
    let text = format!("{x:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.into()
}

fn verdict(limit: Limit, x: f64) -> &'static str {
    if limit.allows(x) { "pass" } else { "FAIL" }
}

/// Returns a line for the terminal.
fn plain(line: &Line) -> String {
    format!(
        "{:<4} {:<14} {:<78} {:<16} carom {:>9}, rapier {:>9} {}",
        verdict(line.limit, line.carom),
        line.row,
        line.figure,
        line.limit.to_string(),
        number(line.carom),
        number(line.rapier),
        verdict(line.limit, line.rapier),
    )
}

/// Whether carom fails a figure of a row.
fn is_failed(row: &Row, lines: &[Line]) -> bool {
    lines.iter().any(|line| line.row == row.name && !line.limit.allows(line.carom))
}

/// Checks that exactly the rows that carom fails have a cause. The error names the first other
/// row.
fn check_causes(rows: &[Row], lines: &[Line]) -> Result<(), Error> {
    let is_played = |row: &&Row| lines.iter().any(|line| line.row == row.name);
    for row in rows.iter().filter(is_played) {
        match (is_failed(row, lines), cause(&row.name)) {
            (true, None) => return Err(format!("{} fails, and `causes.rs` has no cause", row.name).into()),
            (false, Some(_)) => {
                return Err(format!("{} passes, but `causes.rs` has a cause", row.name).into());
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the table, the causes of failed figures, and the reasons for the limits.
fn markdown(rows: &[Row], lines: &[Line], seconds: f64) -> String {
    let mut out = format!(
        "# Scoreboard of ordinary scenes\n\n\
         `cargo xtask verify physics --write` writes this page. carom and rapier run the same scenes in\n\
         the same run, each with its default settings, in steps of 1/60 s. A scene takes {seconds} s, or\n\
         ends earlier. Overlaps of both are measured at their poses by `carom_query::contact`. A\n\
         number \"none\" means that the quantity could not be measured in this run.\n\n\
         | row | figure | limit | carom | | rapier | |\n|---|---|---|---|---|---|---|\n"
    );
    for line in lines {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} |",
            line.row,
            line.figure,
            line.limit,
            number(line.carom),
            verdict(line.limit, line.carom),
            number(line.rapier),
            verdict(line.limit, line.rapier),
        );
    }
    if rows.iter().any(|row| is_failed(row, lines)) {
        out.push_str("\n## The rows that carom fails\n\n| row | cause |\n|---|---|\n");
    }
    for row in rows.iter().filter(|row| is_failed(row, lines)) {
        let _ = writeln!(out, "| {} | {} |", row.name, cause(&row.name).unwrap_or("not known"));
    }
    out.push_str(
        "\n## The scenes, and the reasons for the limits\n\n| row | scene | limits |\n|---|---|---|\n",
    );
    for row in rows {
        let mut reasons: Vec<&str> = row.figures.iter().map(|figure| figure.reason).collect();
        reasons.dedup();
        let _ = writeln!(out, "| {} | {} | {} |", row.name, row.about, reasons.join("; "));
    }
    out
}
