//! The Python package: its wheel is built and installed into an environment of its own, and its
//! tests, types and stubs are checked against that.

use crate::Error;
use crate::step::{End, cargo};
use std::path::Path;
use std::process::Command;

/// The folder of the environment, the build and the wheel, below that of the workspace.
const FOLDER: &str = "target/python";
/// The packages of the environment besides the wheel.
const TOOLS: [&str; 5] = ["maturin>=1.9.4,<2", "numpy", "pytest", "mypy", "ruff"];

/// The packages that some tests need. Without one of them its tests are skipped.
const PEERS: [&str; 2] = ["dask", "distributed"];
/// The same, and large: only installed with `--full`.
const LARGE_PEERS: [&str; 4] = ["matplotlib", "nbclient", "ipykernel", "coal"];

/// Checks the package. Skipped if there is no Python with `venv`, or if pip cannot install tools.
/// `is_full` checks the lints of the binding, too.
pub(crate) fn check(root: &Path, is_full: bool) -> Result<End, Error> {
    let (package, folder) = (root.join("python"), root.join(FOLDER));
    let environment = folder.join("venv");
    let python = environment.join("bin/python");
    if !python.exists() {
        let made = Command::new("python3").args(["-m", "venv"]).arg(&environment).output();
        if !made.is_ok_and(|output| output.status.success()) {
            // An incomplete environment would later be used as if it were complete.
            let _ = std::fs::remove_dir_all(&environment);
            return Ok(End::Skipped("no python3 with the module venv".to_string()));
        }
    }
    let python = python.display().to_string();
    let install = [&[&python as &str, "-m", "pip", "install", "--quiet"] as &[&str], &TOOLS].concat();
    if let Err(why) = call(&package, &folder, &install)? {
        return Ok(End::Skipped(format!("pip: {}", why.lines().last().unwrap_or_default())));
    }
    let mut missing = Vec::new();
    let large = if is_full { &LARGE_PEERS[..] } else { &[] };
    for peer in PEERS.iter().chain(large).copied() {
        let install = [&python as &str, "-m", "pip", "install", "--quiet", peer];
        if call(&package, &folder, &install)?.is_err() {
            missing.push(peer);
        }
    }

    let wheels = folder.join("wheels");
    let _ = std::fs::remove_dir_all(&wheels);
    let out = wheels.display().to_string();
    let build =
        [&python, "-m", "maturin", "build", "--quiet", "--locked", "--profile", "checked", "--out", &out];
    if let Err(report) = call(&package, &folder, &build)? {
        return Ok(End::Failed(report));
    }
    let wheel = std::fs::read_dir(&wheels)?.next().ok_or("maturin built no wheel")??.path();
    let name = wheel.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !name.contains("-abi3-") {
        return Ok(End::Failed(format!("{name} is not for all versions of Python")));
    }
    let wheel = wheel.display().to_string();
    // The tests do not run beside the sources, which have no compiled module.
    let tests = package.join("tests");
    let commands: [(&Path, Vec<&str>); 6] = [
        (&package, vec!["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", &wheel]),
        (&package, vec!["-m", "ruff", "check", "--quiet", "--no-cache"]),
        (&package, vec!["-m", "ruff", "format", "--quiet", "--check", "--no-cache"]),
        (&package, vec!["-m", "mypy", "--cache-dir", "/dev/null"]),
        (&tests, vec!["-m", "mypy.stubtest", "carom"]),
        (&tests, vec!["-m", "pytest", "-q", "-p", "no:cacheprovider"]),
    ];
    let mut last = String::new();
    for (directory, arguments) in commands {
        let command = [vec![&python as &str], arguments].concat();
        match call(directory, &folder, &command)? {
            Ok(output) => last = output,
            Err(report) => return Ok(End::Failed(report)),
        }
    }
    if is_full {
        let target = folder.join("build").display().to_string();
        let clippy = "clippy --quiet --locked --all-targets -- -D warnings";
        if let End::Failed(report) = cargo(&package, clippy, &[("CARGO_TARGET_DIR", &target)])? {
            return Ok(End::Failed(report));
        }
    }
    let mut note = last.lines().last().unwrap_or_default().trim().to_string();
    if !missing.is_empty() {
        note.push_str(&format!("; not installed: {}", missing.join(", ")));
    }
    Ok(End::Passed(note))
}

/// Runs a command in a folder. Returns what it printed, as an error if it failed.
fn call(directory: &Path, folder: &Path, command: &[&str]) -> Result<Result<String, String>, Error> {
    let (program, arguments) = command.split_first().ok_or("no command")?;
    let output = Command::new(program)
        .args(arguments)
        .current_dir(directory)
        .env("CARGO_TARGET_DIR", folder.join("build"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .env_remove("PYTHONPATH")
        .output()?;
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    Ok(if output.status.success() { Ok(text) } else { Err(format!("{}\n{text}", command.join(" "))) })
}
