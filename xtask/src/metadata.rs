//! The packages of the workspace, from `cargo metadata`.

use crate::Error;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The floor of a package. A crate may depend only on crates of strictly lower floors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Floor {
    /// A library crate.
    Level(u64),
    /// Programs, and crates that only programs need: above every floor.
    App,
    /// Tests, benches and tools: above all others. No other package depends on them.
    Dev,
}

/// One package of the workspace.
#[derive(Clone, Debug)]
pub(crate) struct Package {
    /// Its name, which is its folder's name too.
    pub(crate) name: String,
    /// Its folder.
    pub(crate) folder: PathBuf,
    /// Its floor, if the manifest states one that can be read.
    pub(crate) floor: Option<Floor>,
    /// Its normal dependencies (no dev-dependencies), by name.
    pub(crate) dependencies: Vec<String>,
    /// The names of its features.
    pub(crate) features: Vec<String>,
    /// The features in its feature `all`. Each can be enabled alone.
    pub(crate) parts: Vec<String>,
    /// Whether its library has `test = false`: cargo runs no unit tests of it.
    pub(crate) skips_unit_tests: bool,
}

impl Package {
    /// True for a library crate on a numbered floor.
    pub(crate) fn is_library(&self) -> bool {
        matches!(self.floor, Some(Floor::Level(_)))
    }

    /// True if the feature `name` exists.
    pub(crate) fn has_feature(&self, name: &str) -> bool {
        self.features.iter().any(|feature| feature == name)
    }
}

/// Runs `cargo metadata` with `extra` arguments, offline if all packages are present.
pub(crate) fn metadata(root: &Path, extra: &[&str]) -> Result<Value, Error> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let run = |offline: &[&str]| {
        Command::new(&program)
            .current_dir(root)
            .args(["metadata", "--format-version", "1"])
            .args(extra)
            .args(offline)
            .output()
    };
    let mut output = run(&["--offline"])?;
    if !output.status.success() {
        output = run(&[])?;
    }
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Returns the packages of the workspace at `root`, sorted by name.
pub(crate) fn packages(root: &Path) -> Result<Vec<Package>, Error> {
    let value = metadata(root, &["--no-deps"])?;
    let mut packages: Vec<Package> = list(&value["packages"]).map(package).collect();
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(packages)
}

fn package(value: &Value) -> Package {
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_string();
    let manifest = PathBuf::from(text("manifest_path"));
    let floor = &value["metadata"]["carom"]["floor"];
    Package {
        name: text("name"),
        folder: manifest.parent().map(Path::to_path_buf).unwrap_or_default(),
        floor: match (floor.as_u64(), floor.as_str()) {
            (Some(level), _) => Some(Floor::Level(level)),
            (_, Some("app")) => Some(Floor::App),
            (_, Some("dev")) => Some(Floor::Dev),
            _ => None,
        },
        dependencies: list(&value["dependencies"])
            .filter(|dependency| dependency["kind"].is_null())
            .filter_map(|dependency| dependency["name"].as_str().map(String::from))
            .collect(),
        parts: list(&value["features"]["all"]).filter_map(|part| part.as_str().map(String::from)).collect(),
        skips_unit_tests: list(&value["targets"])
            .any(|target| list(&target["kind"]).any(|kind| kind == "lib") && target["test"] == false),
        features: value["features"].as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default(),
    }
}

/// Returns the elements of a JSON array; none for another value.
pub(crate) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().map(Vec::as_slice).unwrap_or_default().iter()
}
