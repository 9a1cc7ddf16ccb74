//! `carom man`: the manual, one page for the program and one for each command.

use crate::args::{Cli, ManArgs};
use crate::report::Outcome;
use clap::CommandFactory as _;
use std::io::Write as _;

/// Prints the page of the program, or writes all pages to a folder.
pub fn run(args: &ManArgs) -> Result<Outcome, String> {
    let Some(folder) = &args.output else {
        let mut page = Vec::new();
        let rendered = clap_mangen::Man::new(Cli::command()).render(&mut page);
        rendered.and_then(|()| std::io::stdout().write_all(&page)).map_err(|e| format!("manual: {e}"))?;
        return Ok(Outcome::Nothing);
    };
    let written =
        std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(Cli::command(), folder));
    written.map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(Outcome::Nothing)
}
