//! Rings: files of a crate that use each other in a cycle. A reader of one of them has to read
//! all.
//!
//! A file uses another if it names one of its items: by a path from `crate`, `super`, `self` or a
//! submodule. A re-export is followed to the file that has the item. `lib.rs`, `main.rs`,
//! re-exports of submodules, tests and macros do not count. Calls of methods are not seen.

use super::Complaint;
use super::code::{without_comments_and_strings, without_tests};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The largest numbers of files of the rings of a crate, largest first. Crates that are not listed
/// have no ring. A number may be lowered, and never grows.
const MAX_FILES: &[(&str, &[usize])] = &[
    ("carom-bounds", &[3, 3, 2, 2]),
    ("carom-broad-coherent", &[2]),
    ("carom-broad-grid", &[2]),
    ("carom-broad-sap", &[2]),
    ("carom-broad-tree", &[4]),
    ("carom-bsp", &[2]),
    ("carom-bvh", &[3, 2, 2]),
    ("carom-character", &[2]),
    ("carom-cli", &[3, 2, 2, 2, 2]),
    ("carom-geom", &[3]),
    ("carom-io", &[2, 2]),
    ("carom-neighbours", &[4]),
    ("carom-particles", &[6, 4, 2, 2, 2, 2]),
    ("carom-query", &[3]),
    ("carom-sat", &[3, 2]),
    ("carom-scenes", &[2]),
    ("carom-testkit", &[3, 2, 2, 2, 2]),
    ("carom-web", &[3]),
];

/// The largest number of re-exports from a path to the file of its item.
const MAX_RE_EXPORTS: usize = 8;

/// The files of the crates, by module.
#[derive(Default)]
pub(super) struct Crates {
    by_name: BTreeMap<String, Files>,
}

/// The files of a crate, by module path. That of `lib.rs` and `main.rs` is empty.
#[derive(Default)]
struct Files {
    files: BTreeMap<String, File>,
    /// Modules whose file has another path, from `#[path]`, with the module of that path.
    aliases: BTreeMap<String, String>,
}

struct File {
    path: String,
    code: String,
    /// Paths of `use`, by the name that it brings into scope.
    imports: BTreeMap<String, String>,
    /// Modules of `use` with a `*`.
    globs: Vec<String>,
}

/// The rings of a crate, largest first, with their ceilings.
struct Rings {
    rings: Vec<Vec<String>>,
    max_files: &'static [usize],
}

impl Crates {
    /// Adds a file.
    pub(super) fn add(&mut self, path: &str, text: &str) {
        let Some((name, inside)) = path.strip_prefix("crates/").and_then(|path| path.split_once("/src/"))
        else {
            return;
        };
        let files = self.by_name.entry(name.to_string()).or_default();
        let module = module_of_path(inside);
        for (name, target) in aliases(text, inside) {
            files.aliases.insert(join(&module, &name), target);
        }
        let code = without_tests(&without_comments_and_strings(text));
        let (mut imports, mut globs) = (BTreeMap::new(), Vec::new());
        for path in statements(&code).flat_map(|(_, paths)| expand(paths)) {
            let (target, name) = path.split_once(" as ").unwrap_or((&path, &path));
            let last = name.trim().rsplit("::").next().unwrap_or_default();
            let target = target.trim().trim_end_matches("::self").to_string();
            match target.strip_suffix("::*") {
                Some(module) => globs.push(module.to_string()),
                None => drop(imports.insert(last.to_string(), target)),
            }
        }
        files.files.insert(module, File { path: path.to_string(), code, imports, globs });
    }

    /// Returns a complaint for each ring that is larger than its ceiling.
    pub(super) fn check(&self) -> Vec<Complaint> {
        let mut found = Vec::new();
        for (name, files) in &self.by_name {
            let Rings { rings, max_files } = files.rings(name);
            for (index, ring) in rings.iter().enumerate() {
                let most = max_files.get(index).copied().unwrap_or(1);
                if most < ring.len() {
                    let n = ring.len();
                    let text = format!("{n} files use each other, at most {most} may: {}", ring.join(", "));
                    let path = files.files[&ring[0]].path.clone();
                    found.push(Complaint { path, line: 0, rule: "ring", text });
                }
            }
        }
        found
    }

    /// Returns a line for each crate with rings or with ceilings: the sizes of its rings, and the
    /// ceilings.
    pub(super) fn report(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (name, files) in &self.by_name {
            let Rings { rings, max_files } = files.rings(name);
            if !rings.is_empty() || !max_files.is_empty() {
                let sizes: Vec<usize> = rings.iter().map(Vec::len).collect();
                found.push(format!("rings of files in {name}: {sizes:?}, at most {max_files:?}"));
            }
        }
        found
    }
}

impl Files {
    /// Returns the rings, largest first, with the ceilings of the crate.
    fn rings(&self, name: &str) -> Rings {
        let max_files = MAX_FILES.iter().find(|(listed, _)| *listed == name);
        let mut rings = rings(&self.uses());
        rings.sort_by_key(|ring| std::cmp::Reverse(ring.len()));
        Rings { rings, max_files: max_files.map_or(&[], |(_, sizes)| sizes) }
    }

    /// Returns for each module the modules that it uses.
    fn uses(&self) -> BTreeMap<String, BTreeSet<String>> {
        let others = self.files.iter().filter(|(module, _)| !module.is_empty());
        let used = |module: &String, file: &File| {
            // After `pub` or `pub(crate)`.
            let re_exports: Vec<Range<usize>> = statements(&file.code)
                .filter(|(range, paths)| {
                    file.code[..range.start].trim_end().ends_with(['b', ')'])
                        && self.is_submodule(module, paths)
                })
                .map(|(range, _)| range)
                .collect();
            let inline = inline_modules(&file.code);
            let mut used = BTreeSet::new();
            for (at, path) in paths(&file.code) {
                if re_exports.iter().any(|range| range.contains(&at)) {
                    continue;
                }
                let mut scope = module.clone();
                for (_, name) in inline.iter().filter(|(range, _)| range.contains(&at)) {
                    scope = join(&scope, name);
                }
                if let Some(path) = self.absolute(&scope, &path) {
                    used.extend(self.module_of(path));
                }
            }
            used.remove(module);
            used
        };
        others.map(|(module, file)| (module.clone(), used(module, file))).collect()
    }

    /// Whether the first name of the path is a submodule of the module with a file.
    fn is_submodule(&self, module: &str, path: &str) -> bool {
        let path = path.trim().strip_prefix("self::").unwrap_or(path.trim());
        let name = path.split("::").next().unwrap_or_default();
        let whole = join(module, name);
        self.files.contains_key(&whole) || self.aliases.contains_key(&whole)
    }

    /// Returns the path from the root of the crate; `None` if it leads out of it.
    fn absolute(&self, scope: &str, path: &str) -> Option<String> {
        if let Some(rest) = path.strip_prefix("crate::") {
            return Some(rest.to_string());
        }
        let (mut scope, mut rest, mut is_inside) = (scope, path, self.is_submodule(scope, path));
        if let Some(after) = rest.strip_prefix("self::") {
            (rest, is_inside) = (after, true);
        }
        while let Some(after) = rest.strip_prefix("super::") {
            scope = scope.rsplit_once("::").map_or("", |(parent, _)| parent);
            (rest, is_inside) = (after, true);
        }
        is_inside.then(|| join(scope, rest))
    }

    /// Returns the module whose file has the item at the path, which begins at the root.
    fn module_of(&self, mut path: String) -> Option<String> {
        let mut module = String::new();
        for _ in 0..MAX_RE_EXPORTS {
            let names: Vec<&str> = path.split("::").collect();
            let is_file = |n: &usize| self.file_at(&names[..*n].join("::")).is_some();
            let n = (1..=names.len()).rev().find(is_file).unwrap_or(0);
            module = self.file_at(&names[..n].join("::"))?;
            let (file, Some(name)) = (self.files.get(&module)?, names.get(n)) else { break };
            let by_glob = || {
                let targets = file.globs.iter().filter_map(|glob| self.absolute(&module, glob));
                targets.into_iter().find(|target| {
                    self.file_at(target).is_some_and(|at| self.files[&at].imports.contains_key(*name))
                })
            };
            let import = file.imports.get(*name).and_then(|import| self.absolute(&module, import));
            let next = match import {
                Some(import) => [&[import.as_str()], &names[n + 1..]].concat().join("::"),
                None => match by_glob() {
                    Some(target) => [&[target.as_str()], &names[n..]].concat().join("::"),
                    None => break,
                },
            };
            path = next;
        }
        (!module.is_empty()).then_some(module)
    }

    /// Returns the module of the file that a module path names.
    fn file_at(&self, module: &str) -> Option<String> {
        let mut names = module.split("::");
        let mut found = String::new();
        for name in &mut names {
            found = join(&found, name);
            if let Some(target) = self.aliases.get(&found) {
                found = target.clone();
            }
        }
        self.files.contains_key(&found).then_some(found)
    }
}

/// Joins a module path and a name. The root is empty.
fn join(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_string() } else { format!("{module}::{name}") }
}

/// Returns the module of a file; `inside` is its path from the folder of sources.
fn module_of_path(inside: &str) -> String {
    let module = inside.trim_end_matches(".rs").replace('/', "::");
    let module = module.trim_end_matches("::mod");
    if matches!(module, "lib" | "main") { String::new() } else { module.to_string() }
}

/// Returns the modules of the file that `#[path]` gives another file, with the module of that
/// file.
fn aliases(text: &str, inside: &str) -> Vec<(String, String)> {
    let folder = inside.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let mut found = Vec::new();
    for (at, start) in text.match_indices("#[path = \"") {
        let Some((file, rest)) = text[at + start.len()..].split_once('"') else { continue };
        let Some((_, rest)) = rest.split_once("mod ") else { continue };
        let Some((name, _)) = rest.split_once([';', ' ']) else { continue };
        found.push((name.to_string(), module_of_path(&format!("{folder}{file}"))));
    }
    found
}

/// Returns each `use` statement: where its paths are, and the paths.
fn statements(code: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    code.match_indices("use ").filter_map(|(at, word)| {
        let is_start = code[..at].chars().next_back().is_none_or(char::is_whitespace);
        let start = at + word.len();
        let end = start + code[start..].find(';')?;
        is_start.then(|| (at..end, &code[start..end]))
    })
}

/// Returns the modules with a body in the file, with their names.
fn inline_modules(code: &str) -> Vec<(Range<usize>, &str)> {
    let mut found = Vec::new();
    for (at, word) in code.match_indices("mod ") {
        let rest = &code[at + word.len()..];
        let Some((name, _)) = rest.split_once(|c: char| !(c.is_alphanumeric() || c == '_')) else { continue };
        let body = at + word.len() + name.len();
        if !code[body..].trim_start().starts_with('{') {
            continue;
        }
        let mut depth = 0;
        let end = code[body..].char_indices().find(|&(_, c)| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            c == '}' && depth == 0
        });
        found.push((at..end.map_or(code.len(), |(end, _)| body + end), name));
    }
    found
}

/// Returns all paths of two names and more, with groups expanded, and where they begin.
fn paths(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let mut at = 0;
    while let Some(start) = code[at..].find(|c: char| c.is_alphabetic() || c == '_') {
        let start = at + start;
        let head = code[start..].find(|c| !is_part(c)).map_or(code.len(), |end| start + end);
        at = head;
        let before = code[..start].chars().next_back();
        if before.is_some_and(|c| c == '$' || c == ':' || c.is_alphanumeric())
            || !code[start..head].contains("::")
        {
            continue;
        }
        let end = if code[head..].starts_with('{') {
            code[head..].find(';').map_or(code.len(), |end| head + end)
        } else {
            head
        };
        at = end;
        let path = |path: String| (start, path.split(" as ").next().unwrap_or_default().trim().to_string());
        found.extend(expand(&code[start..end]).into_iter().map(path));
    }
    found
}

/// Expands the groups in braces of a path.
fn expand(path: &str) -> Vec<String> {
    let Some((head, group)) = path.split_once('{') else {
        return vec![path.trim().to_string()];
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

    fn crates(files: &[(&str, &str)]) -> Crates {
        let mut crates = Crates::default();
        for (path, text) in files {
            crates.add(&format!("crates/carom-one/src/{path}"), text);
        }
        crates
    }

    fn complaints(files: &[(&str, &str)]) -> Vec<String> {
        crates(files).check().into_iter().map(|complaint| complaint.text).collect()
    }

    #[test]
    fn a_ring_is_found_through_groups_and_exports() {
        let clean = [("a.rs", "use crate::b::{self, c::X};"), ("b.rs", ""), ("b/c.rs", "// crate::a")];
        assert!(complaints(&clean).is_empty());
        let lib = ("lib.rs", "mod a;\npub use a::{Y as Z, T};");
        let ring = [lib, ("a.rs", "use crate::{b::{d, c::X}, e};"), ("b/c.rs", "fn f(t: crate::T) {}")];
        assert_eq!(complaints(&ring), ["2 files use each other, at most 1 may: a, b::c"]);
        let only_in_tests =
            [("a.rs", "use crate::b::X;"), ("b.rs", "#[cfg(test)]\nmod tests { use crate::a; }")];
        assert!(complaints(&only_in_tests).is_empty());
        let long = [("a.rs", "crate::b::f()"), ("b.rs", "crate::c::f()"), ("c.rs", "crate::a::f()")];
        assert_eq!(complaints(&long), ["3 files use each other, at most 1 may: a, b, c"]);
        assert_eq!(crates(&long).report(), ["rings of files in carom-one: [3], at most []"]);
    }

    #[test]
    fn a_ring_is_found_through_super_and_submodules() {
        let siblings =
            [("k/mod.rs", "mod a;\npub use a::A;"), ("k/a.rs", "use super::b;"), ("k/b.rs", "use super::A;")];
        assert_eq!(complaints(&siblings), ["2 files use each other, at most 1 may: k::a, k::b"]);
        let up = [("a.rs", "use crate::k::b::B;"), ("k/b.rs", "use super::super::{a, c};")];
        assert_eq!(complaints(&up), ["2 files use each other, at most 1 may: a, k::b"]);
        let parent = [("k/mod.rs", "mod a;\nfn f() { a::g() }\nstruct T;"), ("k/a.rs", "use super::T;")];
        assert_eq!(complaints(&parent), ["2 files use each other, at most 1 may: k, k::a"]);
        // A folder that only re-exports, and an inline module, are in no ring.
        let folder =
            [("k/mod.rs", "mod a;\npub(crate) use self::a::A;"), ("k/a.rs", "use super::b;"), ("k/b.rs", "")];
        assert!(complaints(&folder).is_empty());
        let inline = [("k/a.rs", "mod i { use super::T; }\nfn f() -> super::b::B {}"), ("k/b.rs", "")];
        assert!(complaints(&inline).is_empty());
    }

    #[test]
    fn a_ring_is_found_through_globs_imports_and_other_paths() {
        let glob = [
            ("k/mod.rs", "pub use super::m::*;"),
            ("m/mod.rs", "pub use n::N;"),
            ("m/n.rs", "use crate::a::A;"),
            ("a.rs", "crate::k::N"),
        ];
        assert_eq!(complaints(&glob), ["2 files use each other, at most 1 may: a, m::n"]);
        let import =
            [("k/mod.rs", "use crate::m::M;"), ("k/a.rs", "use super::M;"), ("m.rs", "use crate::k::a::A;")];
        assert_eq!(complaints(&import), ["2 files use each other, at most 1 may: k::a, m"]);
        let twin = [
            ("lib.rs", "#[path = \"t.rs\"]\npub mod f64;"),
            ("t.rs", "use crate::a::A;"),
            ("a.rs", "crate::f64::T"),
        ];
        assert_eq!(complaints(&twin), ["2 files use each other, at most 1 may: a, t"]);
    }
}
