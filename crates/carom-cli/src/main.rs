//! The carom command.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    carom_cli::main()
}
