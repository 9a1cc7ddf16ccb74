//! Checks of the published crates: the oldest compiler, and the API of the previous release.

use crate::Error;
use crate::metadata::{Package, metadata};
use crate::step::{End, cargo};
use std::path::Path;
use std::process::Command;

/// Builds the library crates with the oldest compiler that the manifests name, if it is installed.
pub(crate) fn oldest_compiler(root: &Path, packages: &[Package]) -> Result<End, Error> {
    let value = metadata(root, &["--no-deps"])?;
    let version = value["packages"][0]["rust_version"].as_str().ok_or("no rust-version")?.to_string();
    let toolchain = format!("+{version}");
    // The proxy selects the toolchain. Variables of the outer cargo would select its own.
    let command = || {
        let mut command = Command::new("cargo");
        for key in ["CARGO", "RUSTUP_TOOLCHAIN", "RUSTC", "RUSTDOC"] {
            command.env_remove(key);
        }
        command.current_dir(root).arg(&toolchain);
        command
    };
    let has_it = command().arg("--version").output().is_ok_and(|output| output.status.success());
    if !has_it {
        return Ok(End::Skipped(format!("Rust {version} is not installed")));
    }
    let names = packages.iter().filter(|package| package.is_library()).flat_map(|p| ["-p", p.name.as_str()]);
    let target = root.join("target").join("oldest");
    let check = command().args(["check", "--quiet"]).args(names).env("CARGO_TARGET_DIR", target).output()?;
    Ok(if check.status.success() {
        End::Passed(version)
    } else {
        End::Failed(String::from_utf8_lossy(&check.stderr).into_owned())
    })
}

/// Compares the public API with that of the last release, a tag `v*`. Skipped without
/// cargo-semver-checks, or before the first release.
pub(crate) fn compatibility(root: &Path) -> Result<End, Error> {
    let has_tool = Command::new("cargo")
        .args(["semver-checks", "--version"])
        .current_dir(root)
        .output()
        .is_ok_and(|output| output.status.success());
    if !has_tool {
        return Ok(End::Skipped("cargo-semver-checks is not installed".to_string()));
    }
    let arguments = ["describe", "--tags", "--abbrev=0", "--match", "v*"];
    let tag = Command::new("git").args(arguments).current_dir(root).output()?;
    if !tag.status.success() {
        return Ok(End::Skipped("there is no release to compare with".to_string()));
    }
    let tag = String::from_utf8_lossy(&tag.stdout).trim().to_string();
    let target = root.join("target").join("semver").display().to_string();
    let compare = format!("semver-checks --workspace --baseline-rev {tag}");
    cargo(root, &compare, &[("CARGO_TARGET_DIR", &target)])
}
