//! Runs the contests of one phase, prints them, and writes one line of JSON for each.

use crate::check::Answers;
use crate::contest::{Contest, Times};
use serde_json::json;
use std::io::Write as _;
use std::path::PathBuf;

/// The unit in which a workload is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
    /// No time, but a part of all.
    Percent,
    /// No time, but a length in the scene.
    Length,
}

impl Unit {
    /// How many nanoseconds it has.
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

/// What one line of the report is about.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The workload, which is the same at every size.
    pub workload: &'a str,
    /// How large it is: boxes, vertices, triangles.
    pub size: u64,
    /// What times are told in.
    pub unit: Unit,
    /// How many pieces of work one call does.
    pub per_call: u64,
}

/// What is known of a contestant beside its times.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts {
    /// Tests of two boxes for each pair that it found.
    pub tests_per_pair: Option<f64>,
    /// Bytes that it holds for each body, those for its pairs included.
    pub bytes_per_body: Option<f64>,
    /// What the cost function says of its work.
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
    /// What that takes by the measured constants, in the unit of the row.
    pub predicted: f64,
}

/// The phase that a bench program is for, and what its command line asked for.
pub struct Runner {
    group: &'static str,
    is_quick: bool,
    is_full: bool,
    filter: Option<String>,
    out: Option<PathBuf>,
    differ: u64,
}

impl Runner {
    /// Reads the command line: `[FILTER] [--quick | --full] [--out FILE]`.
    pub fn new(group: &'static str) -> Self {
        let mut runner = Self { group, is_quick: false, is_full: false, filter: None, out: None, differ: 0 };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => runner.is_quick = true,
                "--full" => runner.is_full = true,
                "--out" => runner.out = arguments.next().map(PathBuf::from),
                word if !word.starts_with('-') => runner.filter = Some(word.to_string()),
                // What `cargo bench` adds is passed over.
                _ => {}
            }
        }
        println!("{:<34} {:>8}  {:>4}  times; answers", group, "size", "unit");
        runner
    }

    /// True where sizes and rounds shall be small.
    pub fn is_quick(&self) -> bool {
        self.is_quick
    }

    /// True where the largest sizes shall be run too, which take long.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// True where the workload was asked for; setting up the others can be spared.
    pub fn wants(&self, workload: &str) -> bool {
        self.filter.as_deref().is_none_or(|filter| workload.contains(filter))
    }

    /// Times calls that are all alike.
    pub fn alike(&mut self, row: Row<'_>, mut contest: Contest<'_>) {
        let times = contest.alike(if self.is_quick { 5 } else { 21 });
        self.report(row, &contest, &times);
    }

    /// Times calls that are all alike and take long enough that seven rounds do.
    pub fn some(&mut self, row: Row<'_>, mut contest: Contest<'_>) {
        let times = contest.alike(if self.is_quick { 3 } else { 7 });
        self.report(row, &contest, &times);
    }

    /// Times calls that are all alike and take so long that three rounds have to do.
    pub fn slow(&mut self, row: Row<'_>, mut contest: Contest<'_>) {
        let times = contest.alike(3);
        self.report(row, &contest, &times);
    }

    /// Times calls that are all alike over so many rounds, and what `facts` then says of each
    /// contestant.
    pub fn alike_and_facts(
        &mut self,
        row: Row<'_>,
        rounds: usize,
        mut contest: Contest<'_>,
        facts: impl Fn(&str) -> Facts,
    ) {
        let times = contest.alike(rounds);
        self.write(row, &contest.answers, &times, facts);
    }

    /// Times frames that go on from each other; `between` runs before each, untimed. What each
    /// contestant took.
    pub fn frames(
        &mut self,
        row: Row<'_>,
        n: usize,
        contest: Contest<'_>,
        between: impl FnMut(),
    ) -> Vec<Times> {
        self.frames_and_facts(row, n, contest, between, |_| Facts::default())
    }

    /// The same, and what `facts` then says of each contestant.
    pub fn frames_and_facts(
        &mut self,
        row: Row<'_>,
        n: usize,
        mut contest: Contest<'_>,
        between: impl FnMut(),
        facts: impl Fn(&str) -> Facts,
    ) -> Vec<Times> {
        let n = if self.is_quick { n.div_ceil(4) } else { n };
        let times = contest.frames(3, n, between);
        self.write(row, &contest.answers, &times, facts);
        times
    }

    fn report(&mut self, row: Row<'_>, contest: &Contest<'_>, times: &[Times]) {
        self.write(row, &contest.answers, times, |_| Facts::default());
    }

    /// Prints a row that was timed elsewhere, and writes it.
    pub fn write(&mut self, row: Row<'_>, answers: &Answers, times: &[Times], facts: impl Fn(&str) -> Facts) {
        let scale = 1.0 / (row.unit.ns() * row.per_call.max(1) as f64);
        print!("{:<34} {:>8}  {:>4} ", row.workload, row.size, row.unit.name());
        for time in times {
            print!(" {} {:.*},", time.name, digits(time.typical * scale), time.typical * scale);
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
        self.differ += answers.differ;
        let Some(out) = &self.out else { return };
        let contestants: Vec<_> = times
            .iter()
            .map(|time| {
                let Facts { tests_per_pair, bytes_per_body, work } = facts(time.name);
                let work = work.map(|w| [w.volume_tests, w.primitive_pairs, w.volumes_placed, w.predicted]);
                json!({"name": time.name, "typical": time.typical * scale, "worst": time.worst * scale,
                    "tests_per_pair": tests_per_pair, "bytes_per_body": bytes_per_body, "work": work})
            })
            .collect();
        let line = json!({
            "group": self.group, "workload": row.workload, "size": row.size, "unit": row.unit.name(),
            "contestants": contestants,
            "compared": answers.compared, "differ": answers.differ, "first": answers.first,
        });
        let written = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(out)
            .and_then(|mut file| writeln!(file, "{line}"));
        if let Err(error) = written {
            eprintln!("{}: {error}", out.display());
        }
    }
}

/// Three digits that count.
fn digits(value: f64) -> usize {
    match value {
        v if 100.0 <= v => 0,
        v if 10.0 <= v => 1,
        v if 1.0 <= v => 2,
        _ => 3,
    }
}
