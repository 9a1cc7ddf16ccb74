//! The table of techniques: every technique of the texts that carom started from, with its place,
//! test, bench and demo.
//!
//! `crates/seeds.txt` is edited by hand; `cargo xtask seeds` writes `crates/SEEDS.md` from it.
//! Tidy complains if that page is stale, or if a file, item, test, bench group, demo, command or
//! example that is named does not exist. The head of the list describes its format.

use super::Complaint;
use super::claims::TestNames;
use crate::bench::GROUPS;
use std::fmt::Write as _;

/// The list, from the root of the workspace.
pub(super) const LIST: &str = "crates/seeds.txt";
/// The page that is written from it.
pub(super) const PAGE: &str = "crates/SEEDS.md";
/// Keywords that declare an item by name.
const DECLARATIONS: [&str; 7] = ["fn", "struct", "enum", "trait", "type", "const", "mod"];

/// The text above the tables of the page.
const HEAD: &str = "\
# Techniques and where they are

The techniques of the texts that carom began with, section by section. Each row has its place in
the code, its test, its bench group if speed is the point, and where one can see it. `cargo xtask
seeds` writes this page from [seeds.txt](seeds.txt). `cargo xtask tidy` checks that all it names
exists (test: `seeds::wrong_names_are_found`, xtask).

A demo is `carom demo NAME`, a command `carom NAME`, an example
`cargo run --release -p CRATE --example NAME`, a bench `cargo xtask bench GROUP`.
";

/// A technique: one row of the page.
#[derive(Clone, Debug, Default)]
struct Technique {
    /// Its line in the list, from 1.
    line: usize,
    what: String,
    /// Equations, figures, tables and functions of the text.
    from: String,
    /// Paths below `crates/`, each with the items there.
    at: Vec<(String, Vec<String>)>,
    /// Crates and tests.
    tests: Vec<(String, String)>,
    benches: Vec<String>,
    is_bench_missing: bool,
    demos: Vec<String>,
    missing: Option<String>,
    left_out: Option<String>,
}

/// A heading, or a technique below it.
#[derive(Clone, Debug)]
enum Entry {
    Text(String),
    Section(String),
    Technique(Technique),
}

/// Returns the entries of the list, and complaints about lines that cannot be parsed.
fn parse(list: &str) -> (Vec<Entry>, Vec<Complaint>) {
    let (mut entries, mut found) = (Vec::new(), Vec::new());
    for (number, line) in list.lines().enumerate() {
        let number = number + 1;
        if line.trim().is_empty() || line.starts_with("//") {
            continue;
        }
        if let Some(text) = line.strip_prefix("## ") {
            entries.push(Entry::Section(text.to_string()));
        } else if let Some(text) = line.strip_prefix("# ") {
            entries.push(Entry::Text(text.to_string()));
        } else if let Some(what) = line.strip_prefix("* ") {
            let what = what.to_string();
            entries.push(Entry::Technique(Technique { line: number, what, ..Technique::default() }));
        } else if let Some(Entry::Technique(technique)) = entries.last_mut()
            && let Some((key, value)) = line.trim().split_once(": ")
            && technique.take(key, value)
        {
        } else {
            found.push(complaint(number, format!("cannot be read: {line:?}")));
        }
    }
    (entries, found)
}

impl Technique {
    /// Sets a field. Returns false if there is no such field, or if a word of it is missing.
    fn take(&mut self, key: &str, value: &str) -> bool {
        let mut words = value.split_whitespace().map(str::to_string);
        match key {
            "from" => self.from = value.to_string(),
            "at" => {
                let Some(path) = words.next() else { return false };
                self.at.push((path, words.collect()));
            }
            "test" => {
                let Some(package) = words.next() else { return false };
                let n = self.tests.len();
                self.tests.extend(words.map(|test| (package.clone(), test)));
                return n < self.tests.len();
            }
            "bench" if value == "missing" => self.is_bench_missing = true,
            "bench" => self.benches.extend(words),
            "seen" => self.demos.extend(value.split(", ").map(str::to_string)),
            "missing" => self.missing = Some(value.to_string()),
            "left out" => self.left_out = Some(value.to_string()),
            _ => return false,
        }
        true
    }

    /// Whether carom has it.
    fn is_there(&self) -> bool {
        self.missing.is_none() && self.left_out.is_none()
    }

    /// Returns its row in a table of the page.
    fn row(&self) -> String {
        let mut what = self.what.clone();
        if !self.from.is_empty() {
            let _ = write!(what, " ({})", self.from);
        }
        let location = match (&self.missing, &self.left_out) {
            (Some(why), _) => format!("**not there**: {why}"),
            (_, Some(why)) => format!("left out: {why}"),
            _ => {
                let locations = self.at.iter().map(|(path, items)| {
                    let name = path.trim_end_matches(".rs").replacen("/src/", "/", 1);
                    let items: String = items.iter().map(|item| format!(" `{item}`")).collect();
                    format!("[{name}]({path}){items}")
                });
                locations.collect::<Vec<_>>().join(", ")
            }
        };
        let or = |list: String, none: &str| match (list.is_empty(), self.is_there()) {
            (false, _) => list,
            (true, true) => none.to_string(),
            (true, false) => String::new(),
        };
        let tests = self.tests.iter().map(|(package, test)| format!("`{test}` ({package})"));
        let benches = if self.is_bench_missing { "no bench".to_string() } else { self.benches.join(", ") };
        format!(
            "| {what} | {location} | {} | {benches} | {} |\n",
            or(tests.collect::<Vec<_>>().join(", "), "**no test**"),
            or(self.demos.join(", "), "nowhere"),
        )
    }
}

/// Returns the page of a list.
fn render(entries: &[Entry]) -> String {
    let mut page = HEAD.to_string();
    let mut section = "";
    let mut techniques = Vec::new();
    let mut is_open = false;
    for entry in entries {
        match entry {
            Entry::Text(text) => {
                let _ = write!(page, "\n## {text}\n");
                is_open = false;
            }
            Entry::Section(text) => {
                let _ = write!(page, "\n### {text}\n");
                section = text;
                is_open = false;
            }
            Entry::Technique(technique) => {
                if !is_open {
                    page.push_str("\n| technique | where | test | bench | seen |\n|---|---|---|---|---|\n");
                }
                page.push_str(&technique.row());
                techniques.push((section, technique));
                is_open = true;
            }
        }
    }
    let n_there = techniques.iter().filter(|(_, technique)| technique.is_there()).count();
    let _ =
        write!(page, "\n## What is missing\n\n{} techniques, {n_there} of them there.\n", techniques.len());
    type Question = dyn Fn(&Technique) -> bool;
    let lists: [(&str, &Question); 5] = [
        ("Not there", &|technique| technique.missing.is_some()),
        ("Left out", &|technique| technique.left_out.is_some()),
        ("No test", &|technique| technique.is_there() && technique.tests.is_empty()),
        ("No bench", &|technique| technique.is_there() && technique.is_bench_missing),
        ("Seen nowhere", &|technique| technique.is_there() && technique.demos.is_empty()),
    ];
    for (title, is_in) in lists {
        let rows: Vec<_> = techniques.iter().filter(|(_, technique)| is_in(technique)).collect();
        let _ = write!(page, "\n{title}: {}\n\n", rows.len());
        for (section, technique) in rows {
            let number = section.split_whitespace().next().unwrap_or_default();
            let _ = writeln!(page, "- {number}: {}", technique.what);
        }
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

/// Returns the page of the list, or the complaints about the list.
pub(super) fn page(list: &str) -> Result<String, Vec<Complaint>> {
    let (entries, found) = parse(list);
    if found.is_empty() { Ok(render(&entries)) } else { Err(found) }
}

/// Returns every complaint about the list, and about the page if it is stale.
///
/// `read` returns the text of a file of the workspace, or `None` if it does not exist.
pub(super) fn check(
    list: &str,
    page: &str,
    tests: &TestNames,
    read: &dyn Fn(&str) -> Option<String>,
) -> Vec<Complaint> {
    let (entries, mut found) = parse(list);
    if found.is_empty() && render(&entries) != page {
        let text = format!("is not what {LIST} says; run cargo xtask seeds");
        found.push(Complaint { path: PAGE.to_string(), line: 0, rule: "seeds", text });
    }
    for entry in &entries {
        let Entry::Technique(technique) = entry else { continue };
        let mut complain = |text: String| found.push(complaint(technique.line, text));
        if technique.is_there() == technique.at.is_empty() {
            complain("a technique has a place, or says why not, and not both".to_string());
        }
        for (path, items) in &technique.at {
            let Some(text) = read(&format!("crates/{path}")) else {
                complain(format!("there is no file {path}"));
                continue;
            };
            for item in items.iter().filter(|item| !declares(&text, item)) {
                complain(format!("{path} has no public item {item}"));
            }
        }
        for (package, test) in &technique.tests {
            let is_test =
                test.split_once("::").is_some_and(|(module, name)| tests.has(&[package], module, name));
            if !is_test {
                complain(format!("{test} is no test of {package}"));
            }
        }
        for group in technique.benches.iter().filter(|group| !GROUPS.contains(&group.as_str())) {
            complain(format!("there is no bench group {group}"));
        }
        for demo in technique.demos.iter().filter(|demo| !demo_exists(demo, read)) {
            complain(format!("there is no {demo}"));
        }
    }
    found
}

fn complaint(line: usize, text: String) -> Complaint {
    Complaint { path: LIST.to_string(), line, rule: "seeds", text }
}

/// Whether the Rust text has the public item: `Type`, `function`, `Type::function` or
/// `Enum::Variant`.
fn declares(text: &str, item: &str) -> bool {
    let mut names = item.split("::");
    let first = names.next().unwrap_or_default();
    let is_ended = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let declared = |name: &str, only_public: bool| {
        text.lines().any(|line| {
            let line = line.trim_start();
            let public = line.strip_prefix("pub ");
            if only_public && public.is_none() {
                return false;
            }
            let line = public.unwrap_or(line);
            let line = line.strip_prefix("const fn").map_or(line.to_string(), |rest| format!("fn{rest}"));
            DECLARATIONS.iter().any(|word| {
                let rest = line.strip_prefix(word).and_then(|rest| rest.strip_prefix(' '));
                rest.and_then(|rest| rest.strip_prefix(name)).is_some_and(is_ended)
            })
        })
    };
    let is_variant = |name: &str| {
        name.starts_with(|c: char| c.is_uppercase())
            && text.lines().any(|line| {
                let rest = line.trim_start().strip_prefix(name);
                rest.is_some_and(|rest| matches!(rest.trim_end(), "," | " {") || rest.starts_with('('))
            })
    };
    // A method may be in another file than its type. Then `Type` must be the name of an impl.
    let implements = text.lines().any(|line| {
        let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        line.starts_with("impl") && words.into_iter().any(|word| word == first)
    });
    let Some(second) = names.next() else { return declared(first, true) };
    (declared(first, true) || implements) && (declared(second, false) || is_variant(second))
}

/// Whether the place exists: `demo NAME`, `command NAME`, `example CRATE/NAME` or `page PATH`.
fn demo_exists(demo: &str, read: &dyn Fn(&str) -> Option<String>) -> bool {
    let Some((kind, name)) = demo.split_once(' ') else { return false };
    match kind {
        "demo" => {
            read("crates/carom-cli/src/args.rs").is_some_and(|text| text.contains(&format!("{name:?}")))
        }
        "command" => read(&format!("crates/carom-cli/src/command/{name}.rs")).is_some(),
        "example" => name
            .split_once('/')
            .is_some_and(|(package, name)| read(&format!("crates/{package}/examples/{name}.rs")).is_some()),
        "page" => read(name).is_some(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "\
// A list of one text.
# A book

## 1.1 Sorting
* Sorts
    from: eq. 1
    at: one/src/sort.rs Sorter::sort sorted Order::Up
    test: carom-one sort::sorts
    bench: broad
    seen: demo pile, command check, example one/show, page benches/a.md
* Sorts on a GPU
    left out: GPU
* Sorts by guessing
    missing: nobody has guessed
";

    fn read(path: &str) -> Option<String> {
        let text = match path {
            "crates/one/src/sort.rs" => {
                "pub struct Sorter;\nimpl Sorter {\n    pub const fn sort() {}\n}\npub fn sorted<T>() {}\n\
                 pub enum Order {\n    Up,\n}\nfn hidden() {}\n"
            }
            "crates/carom-cli/src/args.rs" => "[\"pile\", \"clock\"]",
            "crates/carom-cli/src/command/check.rs" | "crates/one/examples/show.rs" | "benches/a.md" => "",
            _ => return None,
        };
        Some(text.to_string())
    }

    fn texts(list: &str) -> Vec<String> {
        let mut tests = TestNames::default();
        tests.add("crates/carom-one/tests/it/sort.rs", "#[test]\nfn sorts() {}\n");
        let page = page(list).unwrap_or_default();
        check(list, &page, &tests, &read).into_iter().map(|complaint| complaint.text).collect()
    }

    #[test]
    fn wrong_names_are_found() {
        assert_eq!(texts(GOOD), [""; 0]);
        for (good, bad, complaint) in [
            ("sort::sorts", "sort::sort", "sort::sort is no test of carom-one"),
            ("carom-one sort::sorts", "carom-two sort::sorts", "sort::sorts is no test of carom-two"),
            ("one/src/sort.rs", "one/src/sorter.rs", "there is no file one/src/sorter.rs"),
            ("sorted", "hidden", "one/src/sort.rs has no public item hidden"),
            ("sorted", "sorte", "one/src/sort.rs has no public item sorte"),
            ("Order::Up", "Order::Down", "one/src/sort.rs has no public item Order::Down"),
            ("Sorter::sort", "Sort::sort", "one/src/sort.rs has no public item Sort::sort"),
            ("bench: broad", "bench: narrow", "there is no bench group narrow"),
            ("demo pile", "demo heap", "there is no demo heap"),
            ("command check", "command look", "there is no command look"),
            ("example one/show", "example one/tell", "there is no example one/tell"),
            ("page benches/a.md", "page benches/b.md", "there is no page benches/b.md"),
            ("left out: GPU", "at: one/src/sort.rs\n    left out: GPU", "a technique has a place, or says"),
            ("    left out: GPU\n", "", "a technique has a place, or says"),
            ("    from: eq. 1", "    form: eq. 1", "cannot be read: \"    form: eq. 1\""),
        ] {
            let found = texts(&GOOD.replacen(good, bad, 1));
            assert!(found.len() == 1 && found[0].starts_with(complaint), "{bad}: {found:?}");
        }
    }

    #[test]
    fn a_stale_page_is_found() {
        let mut tests = TestNames::default();
        tests.add("crates/carom-one/tests/it/sort.rs", "#[test]\nfn sorts() {}\n");
        let page = page(GOOD).unwrap_or_default();
        assert_eq!(check(GOOD, &page, &tests, &read), []);
        let found = check(GOOD, &page.replace("Sorts on", "Sort on"), &tests, &read);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, PAGE);
    }

    #[test]
    fn equations_and_figures_are_all_listed() {
        let (entries, _) = parse(include_str!("../../../crates/seeds.txt"));
        let mut from = std::collections::BTreeSet::new();
        for entry in &entries {
            let Entry::Technique(technique) = entry else { continue };
            from.extend(technique.from.split(", ").map(str::to_string));
        }
        // The numbers in chapter 25, in the text on games (from 24 on), and in the text on points.
        let numbered = [("eq. 25.", 1..=21), ("fig. 25.", 1..=27), ("fig. 10-", 24..=40), ("eq. P", 1..=10)];
        for (start, numbers) in numbered {
            for name in numbers.map(|number| format!("{start}{number}")) {
                assert!(from.contains(&name), "{name}");
            }
        }
    }

    #[test]
    fn the_page_says_what_is_missing() {
        let page = page(GOOD).unwrap_or_default();
        let row = "| Sorts (eq. 1) | [one/sort](one/src/sort.rs) `Sorter::sort` `sorted` `Order::Up` \
                   | `sort::sorts` (carom-one) | broad | demo pile,";
        assert!(page.contains(row), "{page}");
        assert!(page.contains("3 techniques, 1 of them there."), "{page}");
        assert!(page.contains("Not there: 1\n\n- 1.1: Sorts by guessing\n"), "{page}");
        assert!(page.ends_with("Seen nowhere: 0\n"), "{page}");
    }
}
