//! Whether the core crates do without the standard library, tried on any machine, without another target.
//!
//! A probe crate without std depends on all of them and brings its own panic handler. Were the standard library
//! linked by any crate below it, the compiler would find two handlers and refuse.

use crate::Error;
use crate::metadata::Package;
use crate::step::{End, cargo};
use std::path::Path;

const PROBE: &str = r"#![no_std]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
";

/// Builds the probe over every library crate that has the feature `libm`.
pub(crate) fn check(root: &Path, packages: &[Package]) -> Result<End, Error> {
    let folder = root.join("target").join("no-std-probe");
    std::fs::create_dir_all(folder.join("src"))?;
    let core: Vec<&Package> =
        packages.iter().filter(|package| package.is_library() && package.has_feature("libm")).collect();
    let mut manifest = String::from(
        "[package]\nname = \"no-std-probe\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n",
    );
    let mut source = String::new();
    for package in &core {
        manifest += &format!(
            "{} = {{ path = {:?}, default-features = false, features = [\"libm\"] }}\n",
            package.name, package.folder
        );
        source += &format!("extern crate {};\n", package.name.replace('-', "_"));
    }
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    // The same versions as the workspace, so that nothing has to be fetched.
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    std::fs::write(folder.join("src/lib.rs"), PROBE.replacen('\n', &format!("\n{source}"), 1))?;
    let target = root.join("target").join("no-std");
    let target = target.to_string_lossy();
    Ok(match cargo(&folder, "check --quiet --offline", &[("CARGO_TARGET_DIR", &target)])? {
        End::Passed(_) => End::Passed(format!("{} crates", core.len())),
        other => other,
    })
}
