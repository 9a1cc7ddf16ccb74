//! A run of `carom demo`: its results, the report on them, and what all scenes share.

use crate::args::DemoArgs;
use crate::player::{Chart, Recording};
use crate::report;
use carom_audit::Audit;
use carom_world::StepStats;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Runs of more frames than this record every second frame.
const MANY_FRAMES: u32 = 120;

/// The results of a run.
pub(crate) struct Run {
    /// A hash of the state at the end: for a world of bodies, of all poses, velocities and sleep.
    pub(crate) hash: u64,
    pub(crate) n_bodies: usize,
    /// Mean milliseconds of a step: broad phase with its update, narrow phase, response.
    pub(crate) ms: [f64; 3],
    pub(crate) n_pairs: usize,
    pub(crate) n_contacts: usize,
    pub(crate) n_asleep: usize,
    /// Kinetic plus potential energy at the end of each step.
    pub(crate) energy: Vec<f64>,
    pub(crate) recording: Recording,
    pub(crate) shortfall: Shortfall,
    /// Crumbs that the ants have brought home, and crumbs that they carry.
    pub(crate) crumbs: Option<[u64; 2]>,
    /// The report line on the gears of a clock, after a line break; empty for other scenes.
    pub(crate) clock: String,
    /// The scene's own report. It is printed after the name of the scene, in place of the usual
    /// one.
    pub(crate) summary: Option<String>,
    /// The two names of each pair of parts of a file that touch in some frame.
    pub(crate) touching: Option<Vec<[String; 2]>>,
    /// The findings of `--check`, if it was given.
    pub(crate) check: Option<Checked>,
}

/// The findings of the checks of all steps.
pub(crate) struct Checked {
    pub(crate) n_faults: u64,
    /// The first faults, a line each.
    pub(crate) found: Vec<String>,
    pub(crate) n_left_out: u64,
    /// The properties that hold if no fault was found, as text; empty for a world of bodies.
    pub(crate) holds: &'static str,
}

impl Checked {
    pub(crate) fn of(audit: &Audit) -> Checked {
        let found = audit.faults().iter().map(|fault| fault.to_string()).collect();
        Checked { n_faults: audit.n_faults(), found, n_left_out: audit.n_left_out(), holds: "" }
    }
}

impl Run {
    /// Returns a run without pairs of boxes, sleeping bodies and budgets. `ms` has the three times
    /// of [`Run::ms`].
    pub(crate) fn of(
        hash: u64,
        n_bodies: usize,
        ms: [f64; 3],
        n_contacts: usize,
        energy: Vec<f64>,
        recording: Recording,
    ) -> Run {
        let shortfall = Shortfall::default();
        Run {
            hash,
            n_bodies,
            ms,
            n_pairs: 0,
            n_contacts,
            n_asleep: 0,
            energy,
            recording,
            shortfall,
            crumbs: None,
            clock: String::new(),
            summary: None,
            touching: None,
            check: None,
        }
    }

    /// Writes the page and the report; `--check` is an error if it found a fault.
    pub(crate) fn report(&self, args: &DemoArgs) -> Result<(), String> {
        let page = match (&args.html, args.json) {
            (Some(page), _) => Some(page.clone()),
            (None, false) => Some(PathBuf::from(format!("carom-demo-{}.html", args.scene))),
            (None, true) => None,
        };
        if let Some(page) = &page {
            let html = self.recording.to_html()?;
            report::write_file(page, html.as_bytes())?;
        }
        if args.json {
            report::print(&self.document(args).to_string())?;
        } else if let Some(summary) = &self.summary {
            report::print(&format!("{}: {summary}; state {:016x}", args.scene, self.hash))?;
        } else {
            report::print(&self.summary_of_world(args))?;
        }
        if let (Some(page), false) = (page, args.json) {
            report::print(&format!("  open {} in a browser to see it", page.display()))?;
        }
        let Some(check) = &self.check else { return Ok(()) };
        if let Some(first) = check.found.first() {
            return Err(format!("--check: {} faults, the first in {first}", check.n_faults));
        }
        if !args.json && !check.holds.is_empty() {
            report::print(&format!("  checked each frame: {}", check.holds))?;
        } else if !args.json {
            let n_left_out = check.n_left_out;
            report::print(&format!(
                "  checked each step: no fault; {n_left_out} energies of driven bodies were left out"
            ))?;
        }
        Ok(())
    }

    /// Returns the report of `--json`.
    fn document(&self, args: &DemoArgs) -> Value {
        let mut document = json!({
            "schema": "carom.demo.v1",
            "scene": args.scene,
            "frames": args.n_frames(),
            "bodies": self.n_bodies,
            "hash": format!("{:016x}", self.hash),
            "phases": {
                "broad": {"ms": self.ms[0], "pairs": self.n_pairs},
                "narrow": {"ms": self.ms[1], "contacts": self.n_contacts},
                "response": {"ms": self.ms[2]},
            },
            "energy": self.energy,
        });
        if let Some([brought, carried]) = self.crumbs {
            document["crumbs"] = json!({ "brought": brought, "carried": carried });
        }
        if let Some(touching) = &self.touching {
            document["touching"] = json!(touching);
        }
        if let Some(check) = &self.check {
            document["check"] = json!({
                "faults": check.n_faults, "found": check.found, "left_out": check.n_left_out,
            });
        }
        if args.has_budget() {
            let s = &self.shortfall;
            document["budget"] = json!({
                "ms": args.budget_ms, "steps": args.budget_steps, "late": s.n_late, "worst_ms": s.worst_ms,
                "pairs_put_off": s.n_pairs, "pairs_unknown": s.n_unknown, "contacts_carried": s.n_carried,
                "substeps_left_out": s.n_substeps, "bodies_suspended": s.n_suspended,
            });
        }
        document
    }

    /// Returns the report on a world of bodies.
    fn summary_of_world(&self, args: &DemoArgs) -> String {
        let [broad, narrow, response] = self.ms;
        format!(
            "{}: {} bodies, {} steps of 1/60 s; mean milliseconds of a step:\n  broad phase {broad:.3}, narrow phase \
             {narrow:.3}, response {response:.3}: together {:.3}\n  at the end {} pairs of boxes, {} contacts, {} bodies \
             asleep; state {:016x}{}{}{}",
            args.scene,
            self.n_bodies,
            args.n_frames(),
            broad + narrow + response,
            self.n_pairs,
            self.n_contacts,
            self.n_asleep,
            self.hash,
            self.crumbs.map_or_else(String::new, |[brought, carried]| format!(
                "\n  {brought} crumbs were brought to the hill, and {carried} are carried"
            )),
            self.clock,
            self.shortfall.lines(args),
        )
    }
}

/// The work that a budget for each step left out, over the whole run.
#[derive(Default)]
pub(crate) struct Shortfall {
    /// Steps that took longer than their budget, and milliseconds of the longest step.
    n_late: u32,
    worst_ms: f64,
    /// The counts of [`carom_world::Shortfall`], summed over all steps.
    n_pairs: u64,
    n_unknown: u64,
    n_carried: u64,
    n_substeps: u64,
    n_suspended: u64,
}

impl Shortfall {
    pub(crate) fn take(&mut self, stats: &StepStats, budget_ms: Option<f64>) {
        let ms = stats.times.total() * 1e3;
        self.n_late += u32::from(budget_ms.is_some_and(|budget| budget < ms));
        self.worst_ms = self.worst_ms.max(ms);
        self.n_pairs += stats.shortfall.n_pairs as u64;
        self.n_unknown += stats.shortfall.n_unknown as u64;
        self.n_carried += stats.shortfall.n_carried as u64;
        self.n_substeps += u64::from(stats.shortfall.n_substeps);
        self.n_suspended += stats.shortfall.n_suspended as u64;
    }

    fn lines(&self, args: &DemoArgs) -> String {
        let budget = match (args.budget_ms, args.budget_steps) {
            (Some(ms), _) => format!("{ms} ms: {} steps late", self.n_late),
            (_, Some(steps)) => format!("{steps} steps of work"),
            _ => return String::new(),
        };
        format!(
            "\n  budget of a step {budget}, the longest {:.3} ms; left out in all: {} pairs not tested ({} of them \
             never before, {} contacts of the others carried over), {} substeps; {} bodies \
             were suspended for a step",
            self.worst_ms, self.n_pairs, self.n_unknown, self.n_carried, self.n_substeps, self.n_suspended,
        )
    }
}

/// Returns a chart of these lines.
pub(crate) fn chart(title: &str, unit: &str, lines: &[&str]) -> Chart {
    let lines = lines.iter().map(|line| (*line).to_owned()).collect();
    Chart { title: title.to_owned(), unit: unit.to_owned(), lines }
}

/// Returns a hash of words in their order: FNV-1a by words of 64 bits, with a rotation after each.
pub(crate) fn hash(words: impl IntoIterator<Item = u64>) -> u64 {
    words
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |h, word| (h ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23))
}

/// Returns the number of steps for each recorded frame: 2 for runs of many steps, else 1.
pub(crate) fn every(args: &DemoArgs) -> u32 {
    if MANY_FRAMES < args.n_frames() { 2 } else { 1 }
}

/// Returns a pool with the number of threads of `--threads`, or with the machine's if it is not
/// given.
pub(crate) fn pool_of(args: &DemoArgs) -> Result<rayon::ThreadPool, String> {
    let n_threads = args.threads.unwrap_or(0) as usize;
    rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().map_err(|e| format!("--threads: {e}"))
}
