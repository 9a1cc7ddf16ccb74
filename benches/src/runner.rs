//! The program of one phase: runs its comparisons on criterion, and times of frames beside it.

use crate::arguments::Arguments;
use crate::check::Answers;
use crate::clock::{Clock, ThreadTime, duration};
use crate::comparison::{Comparison, Times, Work};
use crate::frames;
use crate::rows::{Facts, Row, estimates, median_of, report};
use criterion::{BenchmarkId, Criterion, PlottingBackend, Throughput};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file to which rows are appended.
const ROWS: &str = "CAROM_BENCH_ROWS";
/// If this variable is set, the largest sizes run too.
const FULL: &str = "CAROM_BENCH_FULL";

/// Samples of a function, unless the command line has a number.
const SAMPLES: usize = 20;
/// Samples of a function whose calls take long: the least number of criterion.
const SLOW_SAMPLES: usize = 10;
/// Time of a function before its samples.
const WARM_UP: Duration = Duration::from_millis(100);
/// Time of all samples of a function, if it is fast enough.
const MEASUREMENT: Duration = Duration::from_millis(500);
/// Frames that run before those that count.
const WARM_FRAMES: usize = 3;

/// The phase that a bench program measures.
pub struct Runner {
    phase: &'static str,
    criterion: Criterion<ThreadTime>,
    arguments: Arguments,
    output: PathBuf,
    rows: Option<PathBuf>,
}

impl Runner {
    /// Reads the command line, which is criterion's.
    pub fn new(phase: &'static str) -> Self {
        let output = output();
        let criterion = Criterion::default()
            .with_measurement(ThreadTime)
            .sample_size(SAMPLES)
            .warm_up_time(WARM_UP)
            .measurement_time(MEASUREMENT)
            .plotting_backend(PlottingBackend::Plotters)
            .output_directory(&output)
            .configure_from_args();
        let arguments = Arguments::new(std::env::args().skip(1));
        Self { phase, criterion, arguments, output, rows: std::env::var_os(ROWS).map(PathBuf::from) }
    }

    /// Whether sizes should be small: with `--quick`, in a test, and for a list.
    pub fn is_quick(&self) -> bool {
        self.arguments.is_quick || self.arguments.is_test || self.arguments.is_list
    }

    /// Whether each function runs once, to see that it works.
    pub fn is_test(&self) -> bool {
        self.arguments.is_test
    }

    /// Whether the largest sizes should run too, which take long.
    pub fn is_full(&self) -> bool {
        std::env::var_os(FULL).is_some()
    }

    /// Whether the command line may select benchmarks of a workload, or of workloads that begin
    /// with these words. If not, their scenes need not be set up.
    pub fn wants(&self, workload: &str) -> bool {
        self.arguments.may_select(self.phase, workload)
    }

    /// Measures calls that all do the same work, as a group of criterion, and reports a row.
    pub fn compare(&mut self, row: Row<'_>, comparison: Comparison<'_>) {
        self.measure(row, comparison, None, |_| Facts::default());
    }

    /// Does the same as [`Runner::compare_slow`], and reports what `facts` returns for the name of
    /// each entry.
    pub fn compare_with_facts(
        &mut self,
        row: Row<'_>,
        comparison: Comparison<'_>,
        facts: impl Fn(&str) -> Facts,
    ) {
        self.measure(row, comparison, Some(SLOW_SAMPLES), facts);
    }

    /// Does the same as [`Runner::compare`] with the least number of samples, for calls that take
    /// long.
    pub fn compare_slow(&mut self, row: Row<'_>, comparison: Comparison<'_>) {
        self.compare_with_facts(row, comparison, |_| Facts::default());
    }

    fn measure(
        &mut self,
        row: Row<'_>,
        comparison: Comparison<'_>,
        samples: Option<usize>,
        facts: impl Fn(&str) -> Facts,
    ) {
        let Comparison { answers, entries, clock, .. } = comparison;
        let is_test = self.arguments.is_test;
        let name = format!("{}/{}", self.phase, row.workload);
        let mut group = self.criterion.benchmark_group(&name);
        if let (Some(samples), false) = (samples, self.arguments.has_sample_size) {
            group.sample_size(samples);
        }
        if 1 < row.per_call {
            group.throughput(Throughput::Elements(row.per_call));
        }
        let mut times = Vec::new();
        for mut entry in entries {
            let estimates = estimates(&self.output, &name, entry.name, row.size);
            let (mut is_selected, mut has_failed) = (false, false);
            group.bench_function(BenchmarkId::new(entry.name, row.size), |bencher| {
                if !is_selected && !is_test {
                    // Estimates of an earlier run are removed, so that they are not read as those
                    // of this run.
                    _ = std::fs::remove_file(&estimates);
                }
                is_selected = true;
                match (&mut entry.work, clock) {
                    (Work::Timed(work), Clock::Thread) => bencher.iter(work),
                    _ => bencher.iter_custom(|n| {
                        let ns = entry.run(n, clock);
                        // The other process has ended.
                        has_failed |= ns.is_nan();
                        duration(ns)
                    }),
                }
            });
            let is_measured = is_selected && !has_failed && !is_test;
            if let Some(typical) = median_of(&estimates).filter(|_| is_measured) {
                times.push(Times { name: entry.name, typical, worst: f64::NAN });
            }
        }
        group.finish();
        if !times.is_empty() {
            self.write(row, &answers, &times, facts);
        }
    }

    /// Times frames that follow from each other; `between` runs before each, untimed. Returns the
    /// times of each entry, or none if the workload is not selected.
    pub fn frames(
        &mut self,
        row: Row<'_>,
        n: usize,
        comparison: Comparison<'_>,
        between: impl FnMut(),
    ) -> Vec<Times> {
        self.frames_with_facts(row, n, comparison, between, |_| Facts::default())
    }

    /// Does the same as [`Runner::frames`], and reports what `facts` returns for the name of each
    /// entry.
    pub fn frames_with_facts(
        &mut self,
        row: Row<'_>,
        n: usize,
        mut comparison: Comparison<'_>,
        between: impl FnMut(),
        facts: impl Fn(&str) -> Facts,
    ) -> Vec<Times> {
        if self.arguments.is_list || !self.wants(row.workload) {
            return Vec::new();
        }
        let n = if self.is_quick() { n.div_ceil(4) } else { n };
        let (warm, n) = if self.arguments.is_test { (0, 1) } else { (WARM_FRAMES, n) };
        let times = frames::time(&mut comparison, warm, n, between);
        self.write(row, &comparison.answers, &times, facts);
        times
    }

    /// Reports a row of times that the phase measured itself.
    pub fn write(&mut self, row: Row<'_>, answers: &Answers, times: &[Times], facts: impl Fn(&str) -> Facts) {
        if !self.arguments.is_list {
            report(self.phase, row, answers, times, facts, self.rows.as_deref());
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.criterion.final_summary();
    }
}

/// Returns the folder of criterion's results: `CRITERION_HOME`, or `criterion` in the target
/// folder.
fn output() -> PathBuf {
    let home = std::env::var_os("CRITERION_HOME").map(PathBuf::from);
    home.unwrap_or_else(|| {
        // cargo puts the program into TARGET/release/deps.
        let program = std::env::current_exe().unwrap_or_default();
        let deps = program.parent().filter(|folder| folder.ends_with("deps"));
        let target = deps.and_then(|deps| deps.ancestors().nth(2));
        target.unwrap_or(Path::new("target")).join("criterion")
    })
}
