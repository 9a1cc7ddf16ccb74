//! The rows of the report beside criterion's: one for each workload and size, with the times of all
//! programs, the ratio to the best peer, and how the answers compared.

use crate::check::Answers;
use crate::comparison::Times;
use serde_json::json;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The unit of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
    /// Percent, for rows that are not times.
    Percent,
    /// A length in the scene, for rows that are not times.
    Length,
}

impl Unit {
    /// Returns its nanoseconds; 1 for units that are not times.
    pub fn ns(self) -> f64 {
        match self {
            Unit::Ns => 1.0,
            Unit::Us => 1e3,
            Unit::Ms => 1e6,
            Unit::Percent | Unit::Length => 1.0,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Unit::Ns => "ns",
            Unit::Us => "us",
            Unit::Ms => "ms",
            Unit::Percent => "%",
            Unit::Length => "length",
        }
    }
}

/// One row of the report.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The name of the workload, the same at every size.
    pub workload: &'a str,
    /// Its size: boxes, vertices, triangles.
    pub size: u64,
    /// The unit of its times.
    pub unit: Unit,
    /// Pieces of work in one call, by which times are divided.
    pub per_call: u64,
}

/// Numbers of an entry beside its times.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts {
    /// Tests of two boxes for each pair found.
    pub tests_per_pair: Option<f64>,
    /// Bytes held for each body, those for its pairs included.
    pub bytes_per_body: Option<f64>,
    /// The terms of the cost function.
    pub work: Option<Work>,
}

/// The terms of the cost function t = n_v c_v + n_p c_p + n_u c_u (eq. 25.3), for one piece of
/// work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    /// Tests of two volumes (n_v).
    pub volume_tests: f64,
    /// Pairs of primitives handed out (n_p).
    pub primitive_pairs: f64,
    /// Volumes brought into the frame of the other body (n_u).
    pub volumes_placed: f64,
    /// The time by the measured constants, in the unit of the row.
    pub predicted: f64,
}

/// Prints a row. Appends it to `file` as a line of JSON, if there is one.
pub(crate) fn report(
    phase: &str,
    row: Row<'_>,
    answers: &Answers,
    times: &[Times],
    facts: impl Fn(&str) -> Facts,
    file: Option<&Path>,
) {
    let scale = 1.0 / (row.unit.ns() * row.per_call.max(1) as f64);
    print!("{phase}/{}, {}, {}:", row.workload, row.size, row.unit.name());
    for time in times {
        print!(" {} {:.*},", time.name, digits(time.typical * scale), time.typical * scale);
    }
    if let Some((peer, ratio)) = ratio(times) {
        print!(" {peer} / carom = {ratio:.2},");
    }
    println!(" {} of {} answers differ", answers.differ, answers.compared);
    for time in times {
        if let Some(work) = facts(time.name).work {
            println!(
                "    {:<30} n_v {:>10.0}  n_p {:>10.0}  n_u {:>10.0}  predicted {:.*}",
                time.name,
                work.volume_tests,
                work.primitive_pairs,
                work.volumes_placed,
                digits(work.predicted),
                work.predicted
            );
        }
    }
    if let Some(first) = &answers.first {
        println!("    first: {first}");
    }
    let Some(file) = file else { return };
    let entries: Vec<_> = times
        .iter()
        .map(|time| {
            let Facts { tests_per_pair, bytes_per_body, work } = facts(time.name);
            let work = work.map(|w| [w.volume_tests, w.primitive_pairs, w.volumes_placed, w.predicted]);
            json!({"name": time.name, "typical": time.typical * scale, "worst": time.worst * scale,
                "tests_per_pair": tests_per_pair, "bytes_per_body": bytes_per_body, "work": work})
        })
        .collect();
    let line = json!({
        "group": phase, "workload": row.workload, "size": row.size, "unit": row.unit.name(),
        "entries": entries,
        "compared": answers.compared, "differ": answers.differ, "first": answers.first,
    });
    let written = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)
        .and_then(|mut file| writeln!(file, "{line}"));
    if let Err(error) = written {
        eprintln!("{}: {error}", file.display());
    }
}

/// Returns the fastest peer, and its time divided by that of the first entry. Above 1, carom is
/// faster. `None` if carom or all peers were left out.
fn ratio(times: &[Times]) -> Option<(&'static str, f64)> {
    let is_own = |time: &&Times| time.name.starts_with("carom");
    let own = times.first().filter(is_own)?;
    let peer = times.iter().filter(|time| !is_own(time)).min_by(|a, b| a.typical.total_cmp(&b.typical))?;
    Some((peer.name, peer.typical / own.typical))
}

/// Returns the number of decimals for three significant digits.
fn digits(value: f64) -> usize {
    match value {
        v if 100.0 <= v => 0,
        v if 10.0 <= v => 1,
        v if 1.0 <= v => 2,
        _ => 3,
    }
}

/// Returns the file of criterion's estimates of one function,
/// `output/group/function/size/new/...`. Names are cut and cleaned as in criterion.
pub(crate) fn estimates(output: &Path, group: &str, function: &str, size: u64) -> PathBuf {
    let safe = |name: &str| -> String {
        let mut name = name.replace(['?', '"', '/', '\\', '*', '<', '>', ':', '|', '^'], "_");
        // The longest name that criterion uses for a folder.
        while 64 < name.len() {
            name.pop();
        }
        name
    };
    output.join(safe(group)).join(safe(function)).join(size.to_string()).join("new").join("estimates.json")
}

/// Returns the median in a file of estimates, in nanoseconds per call. `None` if criterion wrote
/// none.
pub(crate) fn median_of(estimates: &Path) -> Option<f64> {
    let text = std::fs::read_to_string(estimates).ok()?;
    let estimates: serde_json::Value = serde_json::from_str(&text).ok()?;
    estimates["median"]["point_estimate"].as_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ThreadTime;
    use criterion::{BenchmarkId, Criterion};
    use std::time::Duration;

    #[test]
    fn estimates_are_where_criterion_writes_them() {
        let output = std::env::temp_dir().join(format!("carom-benches-{}", std::process::id()));
        let mut criterion = Criterion::default()
            .with_measurement(ThreadTime)
            .output_directory(&output)
            .sample_size(10)
            .warm_up_time(Duration::from_millis(1))
            .measurement_time(Duration::from_millis(20))
            .without_plots();
        let long = "a name of more than sixty-four characters, which criterion cuts in the folder";
        for (group, function) in [("phase/boxes: may touch", "scan, <exact>"), (long, "carom")] {
            let work = || (0..1000).map(std::hint::black_box).sum::<u64>();
            criterion
                .benchmark_group(group)
                .bench_function(BenchmarkId::new(function, 7), |bencher| bencher.iter(work));
            let median = median_of(&estimates(&output, group, function, 7));
            assert!(median.is_some_and(|ns| 1.0 < ns && ns < 1e7), "{group}: {median:?}");
        }
        assert_eq!(median_of(&estimates(&output, "phase/none", "carom", 7)), None);
        let _ = std::fs::remove_dir_all(&output);
    }

    #[test]
    fn ratios_are_those_of_the_fastest_peer() {
        let time = |name, typical| Times { name, typical, worst: f64::NAN };
        let all = [time("carom", 2.0), time("carom kept", 1.0), time("slow", 9.0), time("parry", 5.0)];
        assert_eq!(ratio(&all), Some(("parry", 2.5)));
        assert_eq!(ratio(&all[..2]), None);
        assert_eq!(ratio(&all[2..]), None);
    }
}
