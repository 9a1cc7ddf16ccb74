//! `carom completions`: a script that completes commands and options in a shell.

use crate::args::{Cli, CompletionsArgs};
use crate::report::Outcome;
use clap::CommandFactory as _;
use std::io::Write as _;

/// Prints the script.
pub fn run(args: &CompletionsArgs) -> Result<Outcome, String> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "carom", &mut script);
    std::io::stdout().write_all(&script).map_err(|e| format!("standard output: {e}"))?;
    Ok(Outcome::Nothing)
}
