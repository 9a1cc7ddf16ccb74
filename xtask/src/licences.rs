//! The licences of all packages that a user of the published crates compiles, checked offline.

use crate::Error;
use crate::metadata::{list, metadata};
use crate::step::End;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Licences that permit any use and require only attribution.
const ALLOWED: [&str; 11] = [
    "MIT",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unlicense",
    "CC0-1.0",
    "0BSD",
    "BSL-1.0",
    "Unicode-3.0",
];

/// Checks every package that a published crate or the program depends on, through normal and build
/// dependencies.
pub(crate) fn check(root: &Path) -> Result<End, Error> {
    let value = metadata(root, &["--all-features"])?;
    let packages: BTreeMap<&str, &Value> =
        list(&value["packages"]).filter_map(|package| Some((package["id"].as_str()?, package))).collect();
    let mut complaints = Vec::new();
    let mut n_checked = 0;
    for id in shipped(&value, &packages) {
        let Some(package) = packages.get(id) else { continue };
        let name = package["name"].as_str().unwrap_or_default();
        let licence = package["license"].as_str().unwrap_or_default();
        n_checked += 1;
        match is_allowed(licence) {
            Ok(true) => {}
            Ok(false) => complaints.push(format!("{name}: licence {licence:?} is not on the list")),
            Err(why) => complaints.push(format!("{name}: licence {licence:?} cannot be read: {why}")),
        }
    }
    if complaints.is_empty() {
        Ok(End::Passed(format!("{n_checked} packages, no licence outside the list")))
    } else {
        Ok(End::Failed(complaints.join("\n")))
    }
}

/// Returns the ids of all packages that a user of the published crates compiles.
fn shipped<'a>(value: &'a Value, packages: &BTreeMap<&'a str, &Value>) -> BTreeSet<&'a str> {
    let nodes: BTreeMap<&str, &Value> =
        list(&value["resolve"]["nodes"]).filter_map(|node| Some((node["id"].as_str()?, node))).collect();
    let is_dev =
        |id: &str| packages.get(id).is_some_and(|package| package["metadata"]["carom"]["floor"] == "dev");
    let mut open: Vec<&str> =
        list(&value["workspace_members"]).filter_map(Value::as_str).filter(|id| !is_dev(id)).collect();
    let mut found = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !found.insert(id) {
            continue;
        }
        for dependency in nodes.get(id).into_iter().flat_map(|node| list(&node["deps"])) {
            let is_used = list(&dependency["dep_kinds"]).any(|kind| kind["kind"] != "dev");
            if is_used && let Some(next) = dependency["pkg"].as_str() {
                open.push(next);
            }
        }
    }
    found
}

/// Whether licences of the list satisfy the expression.
fn is_allowed(licence: &str) -> Result<bool, String> {
    let expression =
        spdx::Expression::parse_mode(licence, spdx::ParseMode::LAX).map_err(|error| error.to_string())?;
    Ok(expression
        .evaluate(|requirement| requirement.license.id().is_some_and(|id| ALLOWED.contains(&id.name))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions() {
        assert_eq!(is_allowed("MIT OR Apache-2.0"), Ok(true));
        assert_eq!(is_allowed("MIT/Apache-2.0"), Ok(true));
        assert_eq!(is_allowed("GPL-3.0-only OR MIT"), Ok(true));
        assert_eq!(is_allowed("(MIT OR Apache-2.0) AND Unicode-3.0"), Ok(true));
        assert_eq!(is_allowed("GPL-3.0-only"), Ok(false));
        assert_eq!(is_allowed("MIT AND GPL-3.0-only"), Ok(false));
        assert!(is_allowed("").is_err());
    }
}
