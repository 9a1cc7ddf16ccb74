//! Prints the hashes, one line each. An argument selects an instruction set by its name in
//! carom-lanes.

use carom_lanes::{Level, force_level};

/// The stack of the thread of the scenes, in bytes: half of that of a main thread on Windows, and
/// a quarter of that of other threads. Programs without optimization keep each intermediate value
/// of a loop on it.
const STACK: usize = 1 << 19;

fn main() -> Result<(), carom_golden::Error> {
    if let Some(name) = std::env::args().nth(1) {
        let levels = [Level::Generic, Level::Sse2, Level::Avx2, Level::Neon];
        let level = levels.into_iter().find(|level| format!("{level:?}").eq_ignore_ascii_case(&name));
        let level = level.ok_or_else(|| format!("no instruction set has the name {name}"))?;
        if !force_level(Some(level)) {
            return Err(format!("this machine or this build is without {level:?}").into());
        }
    }
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(carom_golden::report)?;
    print!("{}", thread.join().map_err(|_| "a scene panicked")?);
    Ok(())
}
