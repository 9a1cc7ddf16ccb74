//! `cargo xtask tidy`: the rules of the source tree that the compiler does not check.
//!
//! Each rule is a small function of paths and text, so that a test can give it a violation.
//! Exceptions are listed here, each with its reason.

mod claims;
mod code;
mod floors;
mod links;
mod rings;
mod seeds;
mod source;
#[cfg(test)]
mod tests;
mod tree;

use crate::Error;
use crate::metadata::{Floor, Package, packages};
use std::fmt;
use std::path::Path;

/// Files compiled for both precisions that hold a loop, with the reason. All others only convert. A
/// name that ends in `/` stands for a folder.
const LOOPS_IN_KERNEL: &[(&str, &str)] = &[
    ("carom-geom/src/kernel/", "types of the stored precision, which check and build what they store"),
    ("carom-math/src/kernel/", "numbers of the stored precision"),
    ("carom-character/src/kernel/shape_parts.rs", "shapes of the stored precision, part by part"),
    ("carom-query/src/kernel/cast_parts.rs", "the list `Shape`, part by part"),
    ("carom-query/src/kernel/cast_queue.rs", "the list `Shape`"),
    ("carom-query/src/kernel/clearance.rs", "the list `Shape`, part by part"),
    ("carom-query/src/kernel/compound.rs", "the list `Shape`, part by part"),
    ("carom-query/src/kernel/concave_edges.rs", "manifolds that it changes"),
    ("carom-query/src/kernel/escape_direction.rs", "the list `Shape`, and manifolds that it changes"),
    ("carom-query/src/kernel/height_field_shape.rs", "stores triangles of the stored precision"),
    ("carom-query/src/kernel/internal_edges.rs", "the list `Shape`, and manifolds that it changes"),
    ("carom-query/src/kernel/manifolds.rs", "the list `Shape`, part by part"),
    ("carom-query/src/kernel/point.rs", "answers of the stored precision, compared as they are returned"),
    ("carom-query/src/kernel/ray.rs", "hits of the stored precision, compared as they are returned"),
    ("carom-query/src/kernel/ray_batch.rs", "as ray.rs"),
    ("carom-query/src/kernel/ray_mesh.rs", "as ray.rs"),
    ("carom-query/src/kernel/scale.rs", "builds shapes of the stored precision"),
];

/// Files and folders of carom-world with methods of `World`. All others get what they need as
/// arguments, so their signatures list what they read and write.
const METHODS_OF_WORLD: &[&str] =
    &["world.rs", "snapshot.rs", "validate.rs", "step/", "edit/", "queries/", "soft/"];

/// Files that may be longer than [`MAX_LINES`], with the reason.
const LONG_FILES: &[(&str, &str)] = &[];

/// Crates whose small numbers are sizes and speeds of things, not tolerances.
const FREE_LITERALS: &[(&str, &str)] = &[
    ("crates/carom-math/src/tol.rs", "where tolerances live"),
    ("crates/carom-scenes/", "sizes of what is built, no decisions"),
];

/// Files of the rules themselves, which contain the forbidden words.
const RULES: &[&str] = &["xtask/src/tidy"];

/// The number of lines above which a file needs a reason.
const MAX_LINES: usize = 800;

/// A rule that a place breaks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Complaint {
    /// From the root of the workspace, with `/`.
    path: String,
    /// From 1; 0 means the whole file.
    line: usize,
    /// The name of the rule.
    rule: &'static str,
    /// A description of the violation and of its cure.
    text: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {}: {}", self.rule, self.text)
    }
}

/// The purpose of a Rust file, which selects its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Source of a crate on a numbered floor.
    Library,
    /// Source of a program.
    App,
    /// Tests, benches, examples, tools, and crates for developers.
    Dev,
}

/// Prints every complaint. Returns true if there is none.
pub(crate) fn run(root: &Path) -> Result<bool, Error> {
    let (complaints, rings) = complaints_and_rings(root)?;
    for line in rings {
        println!("{line}");
    }
    for complaint in &complaints {
        println!("{complaint}");
    }
    println!("tidy: {} complaints", complaints.len());
    Ok(complaints.is_empty())
}

/// Writes the page of techniques from their list. Prints complaints and returns false if the list
/// cannot be parsed.
pub(crate) fn write_seeds(root: &Path) -> Result<bool, Error> {
    match seeds::page(&std::fs::read_to_string(root.join(seeds::LIST))?) {
        Ok(page) => std::fs::write(root.join(seeds::PAGE), page)?,
        Err(complaints) => {
            complaints.iter().for_each(|complaint| println!("{complaint}"));
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns every complaint about the workspace at `root`, sorted by place.
pub(crate) fn complaints(root: &Path) -> Result<Vec<Complaint>, Error> {
    Ok(complaints_and_rings(root)?.0)
}

/// Returns every complaint about the workspace at `root`, sorted by place, and a line for each
/// crate with rings of files.
fn complaints_and_rings(root: &Path) -> Result<(Vec<Complaint>, Vec<String>), Error> {
    let packages = packages(root)?;
    let mut found = floors::check(&packages);
    let files = tree::files(root)?;
    found.extend(tree::check(&files, root, &packages)?);
    let (mut tests, mut guides) = (claims::TestNames::default(), Vec::new());
    let mut crates = rings::Crates::default();
    for path in &files {
        let is_rust = path.ends_with(".rs");
        if !is_rust && !source::is_text(path) {
            continue;
        }
        let text = std::fs::read_to_string(root.join(path)).map_err(|error| format!("{path}: {error}"))?;
        found.extend(source::check_text(path, &text));
        if path.ends_with(".md") {
            found.extend(links::check(path, &text, &files));
        }
        if is_rust {
            let package = package_of(path, root, &packages);
            found.extend(source::check_rust(path, &text, kind(path, package)));
            found.extend(claims::check_comments(path, &text));
            if package.is_some_and(|package| package.skips_unit_tests) {
                found.extend(source::check_unit_tests(path, &text));
            }
            tests.add(path, &text);
            crates.add(path, &text);
        }
        if claims::is_guide(path) {
            guides.push((path, text));
        }
    }
    found.extend(crates.check());
    for (path, text) in guides {
        found.extend(claims::check(path, &text, &tests));
    }
    let read = |path: &str| std::fs::read_to_string(root.join(path)).ok();
    if let Some(list) = read(seeds::LIST) {
        found.extend(seeds::check(&list, &read(seeds::PAGE).unwrap_or_default(), &tests, &read));
    }
    found.sort();
    Ok((found, crates.report()))
}

/// Returns the package that contains the file at `path`.
fn package_of<'p>(path: &str, root: &Path, packages: &'p [Package]) -> Option<&'p Package> {
    packages
        .iter()
        .filter(|package| root.join(path).starts_with(&package.folder))
        .max_by_key(|package| package.folder.as_os_str().len())
}

/// Returns the purpose of the Rust file at `path` in this package.
fn kind(path: &str, package: Option<&Package>) -> Kind {
    let is_test = path.split('/').any(|part| matches!(part, "tests" | "benches" | "examples" | "tests.rs"));
    match package.and_then(|package| package.floor) {
        Some(Floor::Level(_)) if !is_test => Kind::Library,
        Some(Floor::App) if !is_test => Kind::App,
        _ => Kind::Dev,
    }
}
