//! Rings: files of a crate that use each other in a cycle. A reader of one of them has to read
//! all.
//!
//! A file uses another if it names one of its items by a path from `crate::`, or an item that
//! `lib.rs` re-exports from it. `lib.rs` itself, tests, and macros do not count.

use super::Complaint;
use super::code::{without_comments_and_strings, without_tests};
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of files of one ring, by crate. Other crates are not checked.
const MAX_FILES: [(&str, usize); 4] =
    [("carom-world", 1), ("carom-query", 1), ("carom-response", 1), ("carom-broad", 1)];

/// The files of the checked crates, by module.
#[derive(Default)]
pub(super) struct Crates {
    /// By crate: module path to path and text.
    files: BTreeMap<&'static str, BTreeMap<String, (String, String)>>,
}

impl Crates {
    /// Adds a file, if its crate is checked.
    pub(super) fn add(&mut self, path: &str, text: &str) {
        for (name, _) in MAX_FILES {
            let Some(inside) = path.strip_prefix(&format!("crates/{name}/src/")) else { continue };
            let module = inside.trim_end_matches(".rs").replace('/', "::");
            let module = module.trim_end_matches("::mod").to_string();
            let code = without_tests(&without_comments_and_strings(text));
            self.files.entry(name).or_default().insert(module, (path.to_string(), code));
        }
    }

    /// Returns a complaint for each ring that is too large.
    pub(super) fn check(&self) -> Vec<Complaint> {
        let mut found = Vec::new();
        for (name, most) in MAX_FILES {
            let Some(files) = self.files.get(name) else { continue };
            for ring in rings(&uses(files)) {
                if most < ring.len() {
                    let text = format!("{} files use each other: {}", ring.len(), ring.join(", "));
                    found.push(Complaint { path: files[&ring[0]].0.clone(), line: 0, rule: "ring", text });
                }
            }
        }
        found
    }
}

/// Returns for each module the modules that it uses.
fn uses(files: &BTreeMap<String, (String, String)>) -> BTreeMap<String, BTreeSet<String>> {
    let exports = files.get("lib").map_or_else(BTreeMap::new, |(_, code)| exports(code));
    let module_of = |path: &str| {
        let root = path.split("::").next().unwrap_or_default();
        let whole = exports.get(root).map_or_else(|| path.to_string(), |module| module.clone());
        let mut parts: Vec<&str> = whole.split("::").collect();
        while !parts.is_empty() && !files.contains_key(&parts.join("::")) {
            parts.pop();
        }
        (!parts.is_empty()).then(|| parts.join("::"))
    };
    let others = files.iter().filter(|(module, _)| *module != "lib");
    others
        .map(|(module, (_, code))| {
            let mut used: BTreeSet<String> = paths(code).iter().filter_map(|path| module_of(path)).collect();
            used.remove(module);
            used.remove("lib");
            (module.clone(), used)
        })
        .collect()
}

/// Returns for each name the module from which `lib.rs` re-exports it.
fn exports(code: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for statement in code.split(';') {
        let Some((_, path)) = statement.split_once("pub use ") else { continue };
        for path in expand(path.trim()) {
            if let Some((module, name)) = path.rsplit_once("::") {
                found.insert(name.to_string(), module.to_string());
            }
        }
    }
    found
}

/// Returns all paths after `crate::` in the code, with groups expanded.
fn paths(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, prefix) in code.match_indices("crate::") {
        // `pub(crate)` has no path.
        let rest = &code[at + prefix.len()..];
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let head = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let end = if rest[head..].starts_with('{') {
            rest[head..].find(';').map_or(rest.len(), |end| head + end)
        } else {
            head
        };
        found.extend(expand(&rest[..end]));
    }
    found
}

/// Expands the groups in braces of a path.
fn expand(path: &str) -> Vec<String> {
    let Some((head, group)) = path.split_once('{') else {
        let name = path.split(" as ").next().unwrap_or(path);
        return vec![name.trim().trim_end_matches("::self").to_string()];
    };
    let group = group.trim_end().trim_end_matches('}');
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&group[start..]);
    let parts = parts.into_iter().map(str::trim).filter(|part| !part.is_empty());
    parts.flat_map(|part| expand(&format!("{}{part}", head.trim()))).collect()
}

/// Returns the strongly connected sets of modules, sorted. Sets of one module are left out.
fn rings(uses: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reach = |from: &String| {
        let (mut visited, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(module) = open.pop() {
            for next in uses.get(module).into_iter().flatten() {
                if visited.insert(next) {
                    open.push(next);
                }
            }
        }
        visited
    };
    let all: BTreeMap<&String, BTreeSet<&String>> =
        uses.keys().map(|module| (module, reach(module))).collect();
    let mut found: Vec<Vec<String>> = Vec::new();
    for (module, reached) in &all {
        if !reached.contains(module) || found.iter().any(|ring| ring.contains(module)) {
            continue;
        }
        let is_back = |other: &&&String| all.get(**other).is_some_and(|reached| reached.contains(module));
        found.push(reached.iter().filter(is_back).map(|other| (*other).clone()).collect());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(files: &[(&str, &str)]) -> Vec<String> {
        let mut crates = Crates::default();
        for (path, text) in files {
            crates.add(&format!("crates/carom-world/src/{path}"), text);
        }
        crates.check().into_iter().map(|complaint| complaint.text).collect()
    }

    #[test]
    fn a_ring_is_found_through_groups_and_exports() {
        let clean = [("a.rs", "use crate::b::{self, c::X};"), ("b.rs", ""), ("b/c.rs", "// crate::a")];
        assert!(complaints(&clean).is_empty());
        let lib = ("lib.rs", "mod a;\npub use a::{Y as Z, T};");
        let ring = [lib, ("a.rs", "use crate::{b::{d, c::X}, e};"), ("b/c.rs", "fn f(t: crate::T) {}")];
        assert_eq!(complaints(&ring), ["2 files use each other: a, b::c"]);
        let only_in_tests =
            [("a.rs", "use crate::b::X;"), ("b.rs", "#[cfg(test)]\nmod tests { use crate::a; }")];
        assert!(complaints(&only_in_tests).is_empty());
        let long = [("a.rs", "crate::b::f()"), ("b.rs", "crate::c::f()"), ("c.rs", "crate::a::f()")];
        assert_eq!(complaints(&long), ["3 files use each other: a, b, c"]);
    }
}
