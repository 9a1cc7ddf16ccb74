//! The command line of a bench program. criterion reads it too. The set-up of the scenes needs the
//! part that is here.

use carom_broad_auto::catalogue::ALGORITHMS;
use regex::Regex;

/// Options of criterion that are followed by a value.
const WITH_VALUE: [&str; 18] = [
    "-b",
    "-c",
    "-s",
    "--baseline",
    "--baseline-lenient",
    "--color",
    "--confidence-level",
    "--format",
    "--load-baseline",
    "--measurement-time",
    "--noise-threshold",
    "--nresamples",
    "--output-format",
    "--plotting-backend",
    "--profile-time",
    "--sample-size",
    "--save-baseline",
    "--significance-level",
];

/// Programs that are in many comparisons. A filter may be the name of one, or `carom NAME` with a
/// name of the catalogue of broad phases.
const PROGRAMS: [&str; 9] = ["carom", "parry", "rapier", "obvhs", "bvh", "kiddo", "rstar", "salva", "ipctk"];

/// The part of the command line that scenes depend on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arguments {
    /// A regular expression that the names of benchmarks must contain.
    filter: Option<String>,
    /// Whether every benchmark runs once, without a measurement.
    pub(crate) is_test: bool,
    /// Whether benchmarks are only listed.
    pub(crate) is_list: bool,
    /// Whether small sizes and few samples are wanted.
    pub(crate) is_quick: bool,
    /// Whether the command line chooses the number of samples.
    pub(crate) has_sample_size: bool,
}

impl Arguments {
    /// Reads the words after the name of the program.
    pub(crate) fn new(words: impl Iterator<Item = String>) -> Self {
        let mut arguments = Self::default();
        let mut is_bench = false;
        let mut words = words;
        while let Some(word) = words.next() {
            match word.as_str() {
                "--bench" => is_bench = true,
                "--test" => arguments.is_test = true,
                "--list" => arguments.is_list = true,
                "--quick" => arguments.is_quick = true,
                "--warm-up-time" => _ = words.next(),
                option if WITH_VALUE.contains(&option) => {
                    arguments.has_sample_size |= option == "--sample-size";
                    words.next();
                }
                option if option.starts_with('-') => {
                    arguments.has_sample_size |= option.starts_with("--sample-size=");
                }
                _ => arguments.filter = Some(word),
            }
        }
        // As criterion has it: `cargo test --benches` gives no `--bench`.
        arguments.is_test |= !is_bench;
        arguments
    }

    /// Whether the filter may select a benchmark whose name begins with `phase/workload`, so that
    /// its scene must be set up. If not, it selects none.
    ///
    /// The rest of the name is not known yet. So the filter may select one if it matches the
    /// beginning, if a first part of the filter matches the end of the beginning, or if it matches
    /// the name of a program.
    pub(crate) fn may_select(&self, phase: &str, workload: &str) -> bool {
        let Some(filter) = &self.filter else { return true };
        let names = [format!("{phase}/{workload}"), format!("{phase}/{workload}/")];
        let is_match = |name: &str| Regex::new(filter).is_ok_and(|regex| regex.is_match(name));
        let mut programs = PROGRAMS.iter().map(|name| (*name).to_string());
        let is_program = programs.any(|name| is_match(&name))
            || ALGORITHMS.iter().any(|listed| is_match(&format!("carom {}", listed.name)));
        if is_program || names.iter().any(|name| is_match(name)) {
            return true;
        }
        let ends = filter.char_indices().map(|(i, _)| &filter[..i]).filter(|part| !part.is_empty());
        ends.filter_map(|part| Regex::new(&format!("(?:{part})$")).ok())
            .any(|regex| names.iter().any(|name| regex.find(name).is_some_and(|found| !found.is_empty())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(line: &str) -> Arguments {
        Arguments::new(line.split(' ').map(str::to_string))
    }

    #[test]
    fn values_of_options_are_no_filters() {
        let arguments = arguments("--save-baseline before -n near --sample-size 30 --bench");
        assert_eq!(arguments.filter.as_deref(), Some("near"));
        assert!(arguments.has_sample_size && !arguments.is_test && !arguments.is_quick);
        let arguments = super::Arguments::new(["--warm-up-time", "1"].map(str::to_string).into_iter());
        assert!(arguments.filter.is_none() && arguments.is_test);
    }

    #[test]
    fn filters_select_by_phase_workload_and_program() {
        let may = |filter: &str, workload: &str| {
            let filter = Some(filter.to_string());
            Arguments { filter, ..Arguments::default() }.may_select("trees", workload)
        };
        assert!(Arguments::default().may_select("trees", "rays"));
        assert!(may("trees", "rays") && may("rays", "rays") && may("^trees/ra", "rays"));
        assert!(may("rays/carom", "rays") && may("/some peer", "rays") && may("parry", "rays"));
        assert!(may("box-pruning", "rays") && may("carom sweep-sort", "rays"));
        // A workload may be known by its first word alone.
        assert!(may("build fast/parry", "build") && may("build (fast|good)", "build"));
        assert!(!may("manifold", "rays") && !may("refit", "rays") && !may("refit/parry", "rays"));
        assert!(may("refit|rays", "rays") && !may("refit|build", "rays"));
    }
}
