//! `cargo xtask fuzz [TARGET]`: runs every fuzz target for a given time, by cargo-fuzz.

use crate::Error;
use std::path::Path;
use std::process::Command;

/// Runs one target or all of them, each for `seconds`. Returns true if none found a fault.
pub(crate) fn run(root: &Path, target: Option<&str>, seconds: u32) -> Result<bool, Error> {
    let folder = root.join("crates/carom-fuzz/fuzz");
    let mut targets: Vec<String> = std::fs::read_dir(folder.join("fuzz_targets"))?
        .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_string_lossy().into_owned()))
        .filter(|name| target.is_none_or(|target| target == name))
        .collect();
    targets.sort();
    if targets.is_empty() {
        return Err("there is no such fuzz target".into());
    }
    let has_fuzz = Command::new("cargo").args(["fuzz", "--version"]).output()?.status.success();
    if !has_fuzz {
        return Err("cargo-fuzz is not installed: cargo install cargo-fuzz".into());
    }
    let (mut passed, mut failed) = (0, 0);
    for target in targets {
        println!("fuzz {target}, {seconds} s");
        // New inputs are kept in the first folder; the seeds are read from the second.
        let (corpus, seeds) = (folder.join("corpus").join(&target), folder.join("seeds").join(&target));
        std::fs::create_dir_all(&corpus)?;
        let is_well = Command::new("cargo")
            .current_dir(&folder)
            .args(["fuzz", "run", "--fuzz-dir", ".", &target])
            .arg(corpus)
            .args(seeds.is_dir().then_some(seeds))
            .arg("--")
            .arg(format!("-max_total_time={seconds}"))
            .args(["-timeout=10", "-rss_limit_mb=4096", "-print_final_stats=1"])
            // The sanitizer and coverage flags of cargo-fuzz are unstable. This variable makes a
            // stable compiler accept them.
            .env("RUSTC_BOOTSTRAP", "1")
            .status()?
            .success();
        if is_well {
            passed += 1;
        } else {
            failed += 1;
            println!(
                "fuzz {target} found something; the input lies under crates/carom-fuzz/fuzz/artifacts/{target}"
            );
        }
    }
    println!("{passed} passed, {failed} failed");
    Ok(failed == 0)
}
