//! Rules for READMEs and guides: the tests that they name exist, and their sentences are short and
//! plain.
//!
//! A guide is the head of a crate's lib.rs. A name of a test is `module::test` in backticks, as in
//! lists of tests. Its crate is that of the file, or one that the same paragraph names.

use super::Complaint;
use std::collections::{BTreeMap, BTreeSet};

/// The longest line of prose. Tables and code are free.
const MAX_COLUMNS: usize = 100;
/// The longest sentence. A code span counts as one word.
const MAX_WORDS: usize = 25;
/// Words that no sentence begins with: the subject comes first.
const OPENERS: [&str; 8] = ["Of", "Where", "What", "Who", "Whom", "So many", "Mostly", "Which"];
/// Words for persons: bodies, pairs and parts are things.
const PERSONS: [&str; 8] = ["who", "whom", "nobody", "somebody", "everybody", "told", "asked", "asks"];
/// Words of a promise.
const PROMISES: [&str; 2] = ["never", "always"];
/// The sentence that each README of a crate has, and that promises nothing.
const LIMIT: &str = "It never knows";

/// The tests of all crates, as modules and names.
#[derive(Default)]
pub(super) struct TestNames {
    by_crate: BTreeMap<String, BTreeSet<(String, String)>>,
}

impl TestNames {
    /// Adds the tests of a Rust file.
    pub(super) fn add(&mut self, path: &str, text: &str) {
        let Some(name) = crate_of(path) else { return };
        let mut parts = path.trim_end_matches(".rs").rsplit('/');
        let module = parts.find(|part| !matches!(*part, "mod" | "tests")).unwrap_or_default();
        let tests = self.by_crate.entry(name.to_string()).or_default();
        let mut is_test = false;
        for line in text.lines().map(str::trim) {
            if line.starts_with("#[test]") {
                is_test = true;
            }
            if let Some((_, rest)) = line.split_once("fn ")
                && is_test
            {
                let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
                tests.insert((module.to_string(), rest[..end].to_string()));
                is_test = false;
            }
        }
    }

    /// Whether one of the crates has the test; `*` matches any part of a name.
    pub(super) fn has(&self, crates: &[&str], module: &str, name: &str) -> bool {
        let tests = crates.iter().filter_map(|&name| self.by_crate.get(name)).flatten();
        tests.into_iter().any(|(m, n)| m == module && matches(name, n))
    }

    /// Whether one of the crates has tests in the module.
    fn has_module(&self, crates: &[&str], module: &str) -> bool {
        let tests = crates.iter().filter_map(|&name| self.by_crate.get(name)).flatten();
        tests.into_iter().any(|(m, _)| m == module)
    }
}

/// A paragraph, an item of a list, or a row of a table.
struct Paragraph {
    line: usize,
    /// The number of headings above it.
    section: usize,
    text: String,
    is_table: bool,
}

/// Whether these rules apply to the file.
pub(super) fn is_guide(path: &str) -> bool {
    let is_notes = path.starts_with("benches/notes/") && path.ends_with(".md");
    let is_crate = path.starts_with("crates/") && (path.ends_with("/src/lib.rs") || path.ends_with(".md"));
    is_notes || is_crate || path.ends_with("README.md")
}

/// Returns every complaint about a README or a guide.
pub(super) fn check(path: &str, text: &str, tests: &TestNames) -> Vec<Complaint> {
    let mut found = Vec::new();
    let mut complain = |line: usize, rule, text: String| {
        found.push(Complaint { path: path.to_string(), line, rule, text });
    };
    let is_rust = path.ends_with(".rs");
    let paragraphs = paragraphs(text, is_rust, &mut |line| {
        complain(line, "columns", format!("prose has more than {MAX_COLUMNS} columns"));
    });
    let is_notes = path.starts_with("benches/");
    // By section: the line of its first promise, and whether it names a test.
    let mut promises: BTreeMap<usize, (Option<usize>, bool)> = BTreeMap::new();
    for paragraph in &paragraphs {
        let (first_promise, names_a_test) = promises.entry(paragraph.section).or_default();
        let crates: Vec<&str> = crate_of(path).into_iter().chain(crates_in(&paragraph.text)).collect();
        for span in spans(&paragraph.text) {
            let Some((module, name)) = test_name(span) else { continue };
            *names_a_test = true;
            if !is_notes && !tests.has(&crates, module, name) {
                complain(paragraph.line, "test name", format!("{span} is no test of {}", crates.join(", ")));
            }
        }
        for module in modules_of_tests(&paragraph.text) {
            *names_a_test = true;
            if !tests.has_module(&crates, module) {
                complain(paragraph.line, "test name", format!("{module} has no tests"));
            }
        }
        if paragraph.is_table {
            continue;
        }
        for sentence in sentences(&paragraph.text) {
            let words: Vec<&str> = sentence.split_whitespace().collect();
            if MAX_WORDS < words.len() {
                let start = words[..6].join(" ");
                complain(paragraph.line, "sentence", format!("{} words: {start} ...", words.len()));
            }
            if let Some(opener) = opener(&sentence) {
                complain(paragraph.line, "opener", format!("a sentence begins with {opener}"));
            }
            let bare = |word: &&str| word.trim_matches([',', '.', ';', ':', '(', ')']).to_string();
            if let Some(word) = words.iter().map(bare).find(|word| PERSONS.contains(&word.as_str())) {
                complain(paragraph.line, "person", format!("{word} is said of persons"));
            }
            let has = |word: &&str| PROMISES.contains(&bare(word).as_str());
            if !sentence.starts_with(LIMIT) && words.iter().any(has) {
                first_promise.get_or_insert(paragraph.line);
            }
        }
    }
    for promise in promises.into_values() {
        if let (Some(line), false) = promise {
            complain(line, "promise", "says never or always, and the section names no test".to_string());
        }
    }
    found
}

/// Returns the forbidden word with which the sentence begins.
fn opener(sentence: &str) -> Option<&'static str> {
    let begins = |opener: &str| sentence.strip_prefix(opener).is_some_and(|rest| rest.starts_with(' '));
    OPENERS.into_iter().find(|opener| begins(opener))
}

/// Returns a complaint for each sentence of a comment that begins with a forbidden word.
pub(super) fn check_comments(path: &str, text: &str) -> Vec<Complaint> {
    let mut found = Vec::new();
    let mut paragraph = (1, String::new());
    let mut is_code = false;
    for (number, line) in (1..).zip(text.lines().chain([""])) {
        let comment = line.trim_start();
        let prose = ["//!", "///", "//"].iter().find_map(|mark| comment.strip_prefix(mark));
        let prose = prose.unwrap_or_default().trim();
        is_code ^= prose.starts_with("```");
        let is_break = is_code || prose.is_empty() || ["|", "- ", "```"].iter().any(|s| prose.starts_with(s));
        if is_break {
            for opener in sentences(&paragraph.1).iter().filter_map(|sentence| opener(sentence)) {
                let text = format!("a sentence of the comment begins with {opener}");
                found.push(Complaint { path: path.to_string(), line: paragraph.0, rule: "opener", text });
            }
            paragraph.1.clear();
        }
        if !is_code && !prose.is_empty() {
            if paragraph.1.is_empty() {
                paragraph.0 = number;
            }
            paragraph.1.push_str(prose.trim_start_matches("- "));
            paragraph.1.push(' ');
        }
    }
    found
}

/// Returns the crate whose folder contains the path.
fn crate_of(path: &str) -> Option<&str> {
    let (name, _) = path.strip_prefix("crates/").unwrap_or(path).split_once('/')?;
    (matches!(name, "xtask" | "bevy_carom") || path.starts_with("crates/")).then_some(name)
}

fn is_name(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'
}

/// Whether `name` matches `pattern`, in which each `*` stands for any part.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|start| name.strip_prefix(start)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((end, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(end)
}

/// Returns module and name, if the code span is the name of a test.
fn test_name(span: &str) -> Option<(&str, &str)> {
    let (module, name) = span.split_once("::")?;
    let is_path = |text: &str| !text.is_empty() && text.chars().all(|c| is_name(c) || c == '*');
    (is_path(module) && is_path(name) && !module.starts_with("carom_")).then_some((module, name))
}

/// Returns the code spans, which are in backticks.
fn spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Returns the crates that the text names.
fn crates_in(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(is_name(c) || c == '-'));
    words.filter(|word| word.starts_with("carom-") || *word == "xtask")
}

/// Returns the modules in "tests of `a`, `b` and `c`" and in "tests: `a`".
fn modules_of_tests(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for start in ["tests of `", "tests: `"] {
        for (at, _) in text.match_indices(start) {
            let mut rest = &text[at + start.len()..];
            while let Some((module, after)) = rest.split_once('`') {
                if module.chars().all(is_name) {
                    found.push(module);
                }
                let next = [", `", " and `"].iter().find_map(|link| after.strip_prefix(link));
                let Some(next) = next else { break };
                rest = next;
            }
        }
    }
    found
}

/// Returns the prose of a file. Calls `long` with the number of each line that is too long.
fn paragraphs(text: &str, is_rust: bool, long: &mut dyn FnMut(usize)) -> Vec<Paragraph> {
    let mut found: Vec<Paragraph> = Vec::new();
    let (mut is_code, mut is_open, mut section) = (false, false, 0);
    for (number, line) in text.lines().enumerate() {
        let prose = if !is_rust {
            line
        } else if let Some(prose) = line.strip_prefix("//!") {
            prose.strip_prefix(' ').unwrap_or(prose)
        } else if line.starts_with("#![") && line.contains("doc = \"```") {
            // Two attributes open one block of code, one for each setting of a feature.
            is_code = true;
            continue;
        } else if line.starts_with("#![") || line.starts_with("//") {
            continue;
        } else {
            break;
        };
        if prose.trim_start().starts_with("```") {
            (is_code, is_open) = (!is_code, false);
            continue;
        }
        let is_free = prose.trim().is_empty() || ["#", "    ", "<!--"].iter().any(|s| prose.starts_with(s));
        section += usize::from(!is_code && prose.starts_with('#'));
        let is_table = prose.starts_with('|');
        if is_code || is_free {
            is_open = false;
            continue;
        }
        if MAX_COLUMNS < line.chars().count() && !is_table {
            long(number + 1);
        }
        let item = prose.trim_start().strip_prefix("- ");
        let text = item.unwrap_or(prose).trim();
        match found.last_mut() {
            Some(last) if is_open && !is_table && item.is_none() => {
                last.text.push(' ');
                last.text.push_str(text);
            }
            _ => found.push(Paragraph { line: number + 1, section, text: text.to_string(), is_table }),
        }
        is_open = !is_table;
    }
    found
}

/// Returns the sentences of a paragraph, without names of tests in brackets. Code spans and links
/// are one word.
fn sentences(text: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skipped = if rest.starts_with("(test: ") || rest.starts_with("(tests: ") {
            rest.find(')')
        } else if let Some(code) = rest.strip_prefix('`') {
            plain.push_str("code");
            code.find('`').map(|end| end + 1)
        } else if rest.starts_with("](") {
            rest.find(')')
        } else {
            if !matches!(c, '[' | ']' | '*') {
                plain.push(c);
            }
            None
        };
        rest = &rest[skipped.map_or(c.len_utf8(), |end| end + 1)..];
    }
    let mut found = vec![String::new()];
    for word in plain.split_whitespace() {
        if let Some(last) = found.last_mut() {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
        if word.ends_with(['.', '!', '?', ';', ':']) {
            found.push(String::new());
        }
    }
    found
}
