//! Where the real data is, for tests that run where it is present.

use std::path::{Path, PathBuf};

/// The file or folder `name` of the real data set: under `CAROM_DATA` if that is set, else under `shared/data`
/// beside the workspace. `None`, with a printed line, where it is not present, so that a test can return early.
pub fn find(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("CAROM_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let path = root.join(name);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: no {name} in the data folder");
    None
}

/// The JSON file `name` of the real data set; `None`, with a printed line, where it is not present.
pub fn json(name: &str) -> Option<serde_json::Value> {
    let text = std::fs::read_to_string(find(name)?).ok()?;
    serde_json::from_str(&text).ok()
}
