//! Steps of a check: each runs a command or a function, prints one line with its time, and is
//! counted. Threads may share them.

use crate::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// How a step ended.
pub(crate) enum End {
    /// It passed; the text is added to the line.
    Passed(String),
    /// It failed; the text is printed below the line.
    Failed(String),
    /// It could not run here; the text is the reason.
    Skipped(String),
}

/// Runs steps and counts how they end.
pub(crate) struct Steps {
    root: PathBuf,
    only: Option<String>,
    ends: Mutex<Ends>,
    /// The names of the steps that were left out.
    left_out: Mutex<Vec<String>>,
    start: Instant,
}

#[derive(Default)]
struct Ends {
    passed: u32,
    failed: Vec<String>,
    skipped: u32,
}

impl Steps {
    /// Returns a runner in the workspace at `root`. With `only`, steps whose names do not contain
    /// it are left out.
    pub(crate) fn new(root: &Path, only: Option<&str>) -> Self {
        let only = only.map(str::to_string);
        let (ends, left_out) = (Mutex::default(), Mutex::default());
        Self { root: root.to_path_buf(), only, ends, left_out, start: Instant::now() }
    }

    /// Runs `work` as the step `name`.
    pub(crate) fn step(&self, name: &str, work: impl FnOnce() -> Result<End, Error>) {
        if self.only.as_ref().is_some_and(|only| !name.contains(only)) {
            self.left_out.lock().unwrap_or_else(PoisonError::into_inner).push(name.to_string());
            return;
        }
        let start = Instant::now();
        let end = work().unwrap_or_else(|error| End::Failed(error.to_string()));
        let seconds = start.elapsed().as_secs_f64();
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        match end {
            End::Passed(note) => {
                ends.passed += 1;
                println!("ok      {seconds:7.1} s  {name}{}{note}", if note.is_empty() { "" } else { ": " });
            }
            End::Failed(report) => {
                ends.failed.push(name.to_string());
                println!("FAILED  {seconds:7.1} s  {name}\n{report}");
            }
            End::Skipped(why) => {
                ends.skipped += 1;
                println!("skipped {seconds:7.1} s  {name}: {why}");
            }
        }
    }

    /// Runs `cargo` as the step `name`. `arguments` is one text, split at blanks.
    pub(crate) fn cargo(&self, name: &str, arguments: &str, environment: &[(&str, &str)]) {
        self.step(name, || cargo(&self.root, arguments, environment));
    }

    /// Prints the closing line. Returns true if no step failed. It is a failure if no step ran.
    pub(crate) fn close(self) -> bool {
        println!("whole   {:7.1} s", self.start.elapsed().as_secs_f64());
        let Ends { passed, failed, skipped } = self.ends.into_inner().unwrap_or_else(PoisonError::into_inner);
        for name in &failed {
            println!("failed: {name}");
        }
        if let Some(only) = self.only.as_ref().filter(|_| passed + skipped == 0 && failed.is_empty()) {
            let names = self.left_out.into_inner().unwrap_or_else(PoisonError::into_inner).join("\n  ");
            println!("no step has \"{only}\" in its name; there are\n  {names}");
        }
        print!("{passed} passed, {} failed", failed.len());
        if skipped > 0 {
            print!(", {skipped} skipped");
        }
        println!();
        failed.is_empty() && 0 < passed + skipped
    }
}

/// Runs `cargo`, and counts passed tests. Its output is shown only if it failed.
pub(crate) fn cargo(folder: &Path, arguments: &str, environment: &[(&str, &str)]) -> Result<End, Error> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(folder).args(arguments.split_whitespace()).env("CARGO_TERM_COLOR", "never");
    for (key, value) in environment {
        command.env(key, value);
    }
    let output = command.output()?;
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        return Ok(End::Failed(format!("cargo {arguments}\n{text}")));
    }
    let tests = tests_passed(&text);
    Ok(End::Passed(if tests == 0 { String::new() } else { format!("{tests} tests passed") }))
}

/// Returns the number of passed tests in the output of `cargo test`.
fn tests_passed(output: &str) -> u32 {
    output
        .lines()
        .filter_map(|line| line.strip_prefix("test result: ok. "))
        .filter_map(|rest| rest.split_whitespace().next())
        .filter_map(|number| number.parse::<u32>().ok())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_the_steps_that_are_named() {
        let run = |only| {
            let steps = Steps::new(Path::new("."), only);
            let mut names = Vec::new();
            for name in ["tests", "tests of the plain loops", "docs"] {
                steps.step(name, || {
                    names.push(name);
                    Ok(End::Passed(String::new()))
                });
            }
            (names, steps.close())
        };
        assert_eq!(run(None), (vec!["tests", "tests of the plain loops", "docs"], true));
        assert_eq!(run(Some("plain")), (vec!["tests of the plain loops"], true));
        assert_eq!(run(Some("no such step")), (vec![], false));
    }

    #[test]
    fn counts_tests() {
        let output =
            "running 3 tests\ntest result: ok. 3 passed; 0 failed; 0 ignored\n\ntest result: ok. 4 passed; 0";
        assert_eq!(tests_passed(output), 7);
        assert_eq!(tests_passed("nothing"), 0);
    }
}
