//! `cargo xtask bench [GROUP]`: runs the benches with their peers. It prints one table at the end,
//! and writes numbers and plots to files.
//!
//! The programs measure on criterion and append a row for each workload to a file, which is read
//! here.

use crate::metadata::list;
use crate::{Error, native, pages, report};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// The phases, in the order of a frame; each is a program of the package carom-benches.
pub(crate) const GROUPS: [&str; 29] = [
    "primitives",
    "pair_lists",
    "clusters",
    "bounds",
    "moving_bounds",
    "broad",
    "cliffs",
    "tetrahedra",
    "trees",
    "threads",
    "support",
    "distance",
    "depth",
    "manifold",
    "impact",
    "elements",
    "levels",
    "walk",
    "tri_tri",
    "mesh_mesh",
    "volumes",
    "deform",
    "two_objects",
    "sdf",
    "particles",
    "budget",
    "simplify",
    "pile",
    "games",
];

/// One workload at one size.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) group: String,
    pub(crate) workload: String,
    pub(crate) size: u64,
    pub(crate) unit: String,
    /// The programs compared and their times; carom first.
    pub(crate) entries: Vec<Entry>,
    pub(crate) compared: u64,
    pub(crate) differ: u64,
}

/// The times of one program.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// The median, or the mean of frames, in the unit of the row.
    pub(crate) typical: f64,
    /// The longest frame; NaN if all calls do the same work.
    pub(crate) worst: f64,
    /// Tests of two boxes for each pair found.
    pub(crate) tests_per_pair: Option<f64>,
    /// Bytes held for each body.
    pub(crate) bytes_per_body: Option<f64>,
    /// Tests of volumes, pairs of primitives, volumes brought into another frame, and the time that
    /// these predict.
    pub(crate) work: Option<[f64; 4]>,
}

impl Row {
    /// Returns the fastest entry that is not carom.
    pub(crate) fn best_peer(&self) -> Option<&Entry> {
        self.entries
            .iter()
            .filter(|entry| !entry.name.starts_with("carom"))
            .min_by(|a, b| a.typical.total_cmp(&b.typical))
    }

    /// Returns the time of carom, which is the first entry.
    pub(crate) fn carom(&self) -> f64 {
        self.entries.first().map_or(f64::NAN, |entry| entry.typical)
    }

    /// Returns the best peer's time divided by carom's. Above 1, carom is faster.
    pub(crate) fn ratio(&self) -> f64 {
        self.best_peer().map_or(f64::NAN, |peer| peer.typical / self.carom())
    }
}

/// The command line of `cargo xtask bench`.
pub(crate) struct Options<'a> {
    /// One phase, or all.
    pub(crate) group: Option<&'a str>,
    /// Only workloads with this in their name.
    pub(crate) filter: Option<&'a str>,
    /// Small sizes, few samples.
    pub(crate) is_quick: bool,
    /// The largest sizes too.
    pub(crate) is_full: bool,
    /// A file of rows to report again: nothing is run.
    pub(crate) from: Option<&'a Path>,
}

/// Runs the benches. Returns whether every program ran to its end.
pub(crate) fn run(root: &Path, options: &Options<'_>) -> Result<bool, Error> {
    // The peers in C++ run only if their group is named.
    let is_native = options.group == Some(native::GROUP);
    let groups: Vec<&str> = if is_native {
        vec![native::GROUP]
    } else {
        GROUPS.into_iter().filter(|name| options.group.is_none_or(|group| group == *name)).collect()
    };
    if groups.is_empty() {
        return Err(
            format!("there is no such group; there are {}, {}", GROUPS.join(", "), native::GROUP).into()
        );
    }
    let folder = root.join("target").join("bench");
    std::fs::create_dir_all(&folder)?;
    let (file, is_whole) = match options.from {
        Some(file) => (file.to_path_buf(), true),
        None => {
            let file = folder.join("rows.jsonl");
            let is_whole = if is_native {
                native::run(root, options, &file)?
            } else {
                run_all(root, options, &groups, &file)?
            };
            (file, is_whole)
        }
    };
    let mut rows = read(&file)?;
    rows.retain(|row| groups.contains(&row.group.as_str()));
    if rows.is_empty() {
        return Err("no row: the filter selects no workload of these groups".into());
    }
    print!("\n{}\n{}\n{}", report::table(&rows), report::details(&rows), report::work(&rows));
    let machine = machine();
    let date = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    let day = date.get(..10).unwrap_or(&date);
    // The pages of a machine contain only whole runs.
    let is_part = options.filter.is_some() || options.is_quick;
    let results = if is_part { folder.join("part") } else { root.join("benches").join("results") };
    let results = results.join(machine.replace(|c: char| !c.is_alphanumeric(), "-"));
    std::fs::create_dir_all(&results)?;
    let csv =
        results.join(format!("{day}{}.csv", options.group.map(|g| format!("-{g}")).unwrap_or_default()));
    std::fs::write(&csv, report::csv(&rows))?;
    for (group, text) in pages::pages(&rows, &machine, day) {
        std::fs::write(results.join(format!("{group}.md")), text)?;
    }
    let plots = results.join("plots");
    std::fs::create_dir_all(&plots)?;
    for (name, svg) in report::plots(&rows)? {
        std::fs::write(plots.join(format!("{name}.svg")), svg)?;
    }
    let page = folder.join("report.html");
    std::fs::write(&page, report::html(&rows, &machine, day)?)?;
    println!("\n{}\n{}\n{}\n{}", csv.display(), plots.display(), file.display(), page.display());
    Ok(is_whole)
}

/// Runs the programs, each of which appends its rows to the file. Returns whether all ran to their
/// end.
fn run_all(root: &Path, options: &Options<'_>, groups: &[&str], file: &Path) -> Result<bool, Error> {
    if file.exists() {
        std::fs::remove_file(file)?;
    }
    let mut is_whole = true;
    for group in groups {
        let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(program);
        // Peers that could use threads may be slower on one.
        let features = if *group == "threads" { "threads" } else { "peers" };
        command
            .current_dir(root)
            .args(["bench", "--quiet", "-p", "carom-benches", "--features", features, "--bench", group, "--"])
            .args(options.filter)
            .args(["--noplot", "--quiet"])
            .env("CAROM_BENCH_ROWS", file);
        if ["trees", "threads"].contains(group) {
            // Large vectors come from the system and go back to it. So a new tree is built in
            // newly mapped memory, as in a program that builds one.
            command.env("MALLOC_MMAP_THRESHOLD_", "65536").env("MALLOC_TRIM_THRESHOLD_", "65536");
        }
        if options.is_quick {
            command.arg("--quick");
        }
        if options.is_full {
            command.env("CAROM_BENCH_FULL", "1");
        }
        if !command.status()?.success() {
            eprintln!("{group} did not run to its end");
            is_whole = false;
        }
    }
    Ok(is_whole)
}

/// Returns the name of the processor.
fn machine() -> String {
    std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_string())
        })
        .unwrap_or_else(|| std::env::consts::ARCH.to_string())
}

/// Reads the rows that the programs wrote.
fn read(file: &Path) -> Result<Vec<Row>, Error> {
    let text = if file.exists() { std::fs::read_to_string(file)? } else { String::new() };
    text.lines().map(|line| Ok(row(&serde_json::from_str(line)?))).collect()
}

/// Returns four numbers; `None` if there are not four.
fn work(value: &Value) -> Option<[f64; 4]> {
    let numbers: Vec<f64> = value.as_array()?.iter().filter_map(Value::as_f64).collect();
    numbers.try_into().ok()
}

fn row(value: &Value) -> Row {
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_string();
    let count = |key: &str| value[key].as_u64().unwrap_or_default();
    Row {
        group: text("group"),
        workload: text("workload"),
        size: count("size"),
        unit: text("unit"),
        entries: list(&value["entries"])
            .map(|entry| Entry {
                name: entry["name"].as_str().unwrap_or_default().to_string(),
                typical: entry["typical"].as_f64().unwrap_or(f64::NAN),
                worst: entry["worst"].as_f64().unwrap_or(f64::NAN),
                tests_per_pair: entry["tests_per_pair"].as_f64(),
                bytes_per_body: entry["bytes_per_body"].as_f64(),
                work: work(&entry["work"]),
            })
            .collect(),
        compared: count("compared"),
        differ: count("differ"),
    }
}
