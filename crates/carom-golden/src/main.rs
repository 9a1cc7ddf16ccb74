//! Prints the hashes, one line each; with the name of an instruction set, as carom-lanes has it, on
//! that.

use carom_lanes::{Level, force_level};

fn main() -> Result<(), carom_golden::Error> {
    if let Some(name) = std::env::args().nth(1) {
        let levels = [Level::Generic, Level::Sse2, Level::Avx2, Level::Neon];
        let level = levels.into_iter().find(|level| format!("{level:?}").eq_ignore_ascii_case(&name));
        let level = level.ok_or_else(|| format!("no instruction set has the name {name}"))?;
        if !force_level(Some(level)) {
            return Err(format!("this machine or this build is without {level:?}").into());
        }
    }
    print!("{}", carom_golden::report());
    Ok(())
}
