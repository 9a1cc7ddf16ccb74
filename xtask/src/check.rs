//! `cargo xtask check`: all checks that must pass before a change lands.

use crate::metadata::{Package, packages};
use crate::step::{End, Steps, cargo};
use crate::{Error, bevy, golden, licences, no_std, python, release, rounding, site, tidy};
use std::path::Path;
use std::process::Command;

/// The extent of the checks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The checks that changes break most often.
    Quick,
    /// All checks that a change must pass.
    Ordinary,
    /// The slow checks too: the tests with default features and with all features, the peers of
    /// the benches, the fuzz targets, and each crate built from its package.
    Full,
}

/// Clippy as a user would run it.
const DEFAULT_CLIPPY: &str = "clippy --quiet --workspace --all-targets -- -D warnings";

/// Runs the checks, or those whose names contain `only`. Returns whether none failed.
pub(crate) fn run(root: &Path, extent: Extent, only: Option<&str>) -> Result<bool, Error> {
    let packages = packages(root)?;
    let steps = Steps::new(root, only);

    steps.step("format", || format(root));
    steps.step("tidy", || {
        let complaints = tidy::complaints(root)?;
        Ok(if complaints.is_empty() {
            End::Passed(String::new())
        } else {
            End::Failed(complaints.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
        })
    });
    if extent == Extent::Quick {
        steps.cargo("clippy", DEFAULT_CLIPPY, &[]);
        steps.cargo("tests", "test --workspace --all-targets --no-fail-fast", &[]);
        return Ok(steps.close());
    }
    // The peers of the benches are built only with --full.
    let features = tested_features(&packages);
    let all = "--workspace --exclude carom-benches --all-features";
    // A step often waits for one crate, for a download or for a script. So two run at a time: those
    // that build in the folder of the workspace, and those that build in folders of their own.
    let (module_is_built, wait_for_module) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            steps.step("module of the live page", || site::module(root, site::Build::Checked));
            drop(module_is_built);
            elsewhere(&steps, root, &packages, extent == Extent::Full);
        });
        let clippy = format!("clippy --quiet --workspace --all-targets --features {features} -- -D warnings");
        steps.cargo("clippy", &clippy, &[]);
        steps.cargo("docs", &format!("doc --quiet {all} --no-deps"), &[("RUSTDOCFLAGS", "-D warnings")]);
        steps.step("each crate alone, no default features", || {
            alone(root, &packages, "--no-default-features")
        });
        steps.step("each crate alone, all features", || alone(root, &packages, "--all-features"));
        steps.step("each algorithm alone", || algorithms(root, &packages));
        steps.step("wasm32", || wasm32(root, &packages));
        // Only --full builds each package, to check that it is complete.
        let verify = if extent == Extent::Full { "" } else { "--no-verify" };
        steps.cargo("packages", &format!("package --quiet --workspace --allow-dirty {verify}"), &[]);
        steps.step("oldest compiler", || release::oldest_compiler(root, &packages));
        steps.step("compatibility", || release::compatibility(root));
        // Tests open the page around the module in a browser. Nothing is sent: the wait ends when
        // the sender is dropped.
        let _: Result<(), _> = wait_for_module.recv();
        // Clippy compiles the examples. Those of the facade are tests, too.
        let tests = format!("test --workspace --tests --no-fail-fast --features {features}");
        steps.cargo("tests", &tests, &[]);
        steps.cargo("examples of the docs", &format!("test --workspace --doc --features {features}"), &[]);
        steps.step("tests of the plain loops", || plain_loops(root));
    });

    if extent == Extent::Full {
        steps.cargo("clippy, default features", DEFAULT_CLIPPY, &[]);
        steps.cargo(
            "clippy, all features",
            &format!("clippy --quiet {all} --all-targets -- -D warnings"),
            &[],
        );
        steps.cargo("tests, default features", "test --workspace --no-fail-fast", &[]);
        steps.cargo("tests, all features", &format!("test {all} --no-fail-fast"), &[]);
        steps.cargo(
            "benches with peers",
            "clippy --quiet -p carom-benches --all-targets --features peers -- -D warnings",
            &[],
        );
        steps.step("fuzz targets", || {
            let folder = root.join("crates/carom-fuzz/fuzz");
            let target = root.join("target").join("fuzz-check");
            cargo(
                &folder,
                "clippy --quiet -- -D warnings",
                &[("CARGO_TARGET_DIR", &target.to_string_lossy())],
            )
        });
    }
    Ok(steps.close())
}

/// Checks the format of all workspaces, also of those that only later steps build.
fn format(root: &Path) -> Result<End, Error> {
    for folder in [".", "python", "bevy_carom", "crates/carom-fuzz/fuzz"] {
        match cargo(&root.join(folder), "fmt --all --check", &[])? {
            End::Passed(_) => {}
            other => return Ok(other),
        }
    }
    Ok(End::Passed(String::new()))
}

/// Runs the steps that build in folders of their own.
fn elsewhere(steps: &Steps, root: &Path, packages: &[Package], is_full: bool) {
    steps.step("golden states on other targets", || golden::check(root, is_full));
    steps.step("python", || python::check(root, is_full));
    steps.step("bevy", || bevy::check(root, is_full));
    steps.step("no_std", || no_std::check(root, packages));
    steps.step("rounding", || rounding::check(root, packages));
    steps.step("licences", || licences::check(root));
    steps.step("miri", || miri(root));
}

/// Returns the features of all crates for cargo, so that the tests are built once. The plain loops
/// of `generic` double the code and are left out: `plain_loops` compares every instruction set
/// with them. Glam's `scalar`, which users do not have, is left out too: the golden states run
/// with it.
fn tested_features(packages: &[Package]) -> String {
    let tested = packages.iter().filter(|package| package.name != "carom-benches");
    let names = tested.flat_map(|package| {
        let features = package.features.iter().filter(|name| !["generic", "scalar"].contains(&name.as_str()));
        features.map(|name| format!("{}/{name}", package.name))
    });
    names.collect::<Vec<_>>().join(",")
}

/// Runs the tests that compare every instruction set with the plain loops: lane by lane, and whole
/// algorithms. The build is not optimized, because most of the time would then be for the plain
/// loops.
fn plain_loops(root: &Path) -> Result<End, Error> {
    const TESTS: [&str; 2] = [
        "-p carom-lanes --all-features",
        "-p carom-bvh -p carom-geom -p carom-particles --features carom-lanes/generic \
         --test it -- instruction_set eight_at_a_time",
    ];
    let mut notes = Vec::new();
    for tests in TESTS {
        match cargo(root, &format!("test --config profile.dev.opt-level=0 {tests}"), &[])? {
            End::Passed(note) => notes.push(note),
            other => return Ok(other),
        }
    }
    Ok(End::Passed(notes.join(", ")))
}

/// Builds every library crate by itself, so that none depends on a feature that another crate
/// enables.
fn alone(root: &Path, packages: &[Package], features: &str) -> Result<End, Error> {
    let mut count = 0;
    for package in packages.iter().filter(|package| package.is_library()) {
        let libm = if features == "--no-default-features" && package.has_feature("libm") {
            "--features libm"
        } else {
            ""
        };
        let arguments = format!("check --quiet -p {} {features} {libm}", package.name);
        if let End::Failed(report) = cargo(root, &arguments, &[])? {
            return Ok(End::Failed(report));
        }
        count += 1;
    }
    Ok(End::Passed(format!("{count} crates")))
}

/// Builds every crate of several algorithms with one of them at a time, so that none needs
/// another.
fn algorithms(root: &Path, packages: &[Package]) -> Result<End, Error> {
    let mut count = 0;
    for package in packages.iter().filter(|package| package.is_library()) {
        for part in &package.parts {
            for features in ["libm", "parallel"].into_iter().filter(|name| package.has_feature(name)) {
                let arguments = format!(
                    "clippy --quiet -p {} --no-default-features --features {features},{part} -- -D warnings",
                    package.name
                );
                if let End::Failed(report) = cargo(root, &arguments, &[])? {
                    return Ok(End::Failed(report));
                }
            }
            count += 1;
        }
    }
    Ok(End::Passed(format!("{count} algorithms")))
}

/// Builds the library crates for the web, where that target is installed.
fn wasm32(root: &Path, packages: &[Package]) -> Result<End, Error> {
    const TARGET: &str = "wasm32-unknown-unknown";
    let output = Command::new("rustc").current_dir(root).args(["--print", "sysroot"]).output()?;
    let sysroot = String::from_utf8_lossy(&output.stdout).trim().to_string();
    if !Path::new(&sysroot).join("lib/rustlib").join(TARGET).join("lib").is_dir() {
        return Ok(End::Skipped(format!("the target {TARGET} is not installed")));
    }
    let names: String =
        packages.iter().filter(|package| package.is_library()).map(|p| format!(" -p {}", p.name)).collect();
    cargo(root, &format!("check --quiet --target {TARGET}{names}"), &[])
}

/// Runs the tests of the only crate with `unsafe` under Miri, where that is installed.
fn miri(root: &Path) -> Result<End, Error> {
    let has_miri = Command::new("cargo")
        .args(["+nightly", "miri", "--version"])
        .current_dir(root)
        .output()
        .is_ok_and(|output| output.status.success());
    if !has_miri {
        return Ok(End::Skipped("Miri is not installed".to_string()));
    }
    let mut command = Command::new("cargo");
    // The proxy selects the toolchain. Variables of the outer cargo would select its own.
    for key in ["CARGO", "RUSTUP_TOOLCHAIN", "RUSTC", "RUSTDOC"] {
        command.env_remove(key);
    }
    let output = command
        .args(["+nightly", "miri", "test", "-p", "carom-lanes", "--test", "it"])
        .current_dir(root)
        .env("CARGO_TARGET_DIR", root.join("target").join("miri"))
        .output()?;
    Ok(if output.status.success() {
        End::Passed(String::new())
    } else {
        End::Failed(String::from_utf8_lossy(&output.stderr).into_owned())
    })
}
