//! Checks that the core crates do not need the standard library.
//!
//! A probe crate without std depends on all of them and has its own panic handler. If a crate
//! links the standard library, the compiler finds two handlers, which is an error.
//!
//! The probe is built for the host, and for 32-bit processors that have no standard library at all
//! if the compiler for other targets is there.

use crate::Error;
use crate::cross::CrossCompiler;
use crate::metadata::Package;
use crate::step::{End, cargo};
use std::path::Path;

/// Arm Cortex-M4F and M7F: 32-bit, with no atomic words of 64 bits.
const BARE: &str = "thumbv7em-none-eabihf";

const PROBE: &str = r"#![no_std]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
";

/// Builds the probe over every library crate that has the feature `libm`, with all its parts.
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
        let features = if package.has_feature("all") { r#""libm", "all""# } else { r#""libm""# };
        manifest += &format!(
            "{} = {{ path = {:?}, default-features = false, features = [{features}] }}\n",
            package.name, package.folder
        );
        source += &format!("extern crate {};\n", package.name.replace('-', "_"));
    }
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    // The versions are those of the workspace, so that nothing has to be fetched.
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    std::fs::write(folder.join("src/lib.rs"), PROBE.replacen('\n', &format!("\n{source}"), 1))?;
    let target = root.join("target").join("no-std");
    let target = target.to_string_lossy();
    let environment = [("CARGO_TARGET_DIR", &*target)];
    if let failed @ End::Failed(_) = cargo(&folder, "check --quiet --offline", &environment)? {
        return Ok(failed);
    }
    let compiler = match CrossCompiler::find(root) {
        Ok(compiler) => compiler.environment(),
        Err(why) => return Ok(End::Passed(format!("{} crates; skipped {BARE}: {why}", core.len()))),
    };
    let environment: Vec<_> =
        environment.into_iter().chain(compiler.iter().map(|(key, value)| (*key, value.as_str()))).collect();
    let arguments = format!("check --quiet --offline --target {BARE} -Zbuild-std=core,alloc");
    Ok(match cargo(&folder, &arguments, &environment)? {
        End::Passed(_) => End::Passed(format!("{} crates, also for {BARE}", core.len())),
        other => other,
    })
}
