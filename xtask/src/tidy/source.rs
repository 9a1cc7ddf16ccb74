//! Rules on the text of one file.

use super::code::{without_comments_and_strings, without_tests};
use super::{
    Complaint, FREE_LITERALS, Kind, LONG_FILES, LOOPS_IN_KERNEL, MAX_LINES, METHODS_OF_WORLD, RULES,
};

/// Beginnings of paths that exist on one machine only.
const MACHINE_PATHS: [&str; 6] = ["/work/", "/root/", "/home/", "/tmp/", "/Users/", "/farm/"];
/// Hosts of package registries, by name.
const REGISTRY_HOSTS: [&str; 6] =
    ["crates.io", "rust-lang.org/dist", "pypi.org", "registry.npmjs.org", "deb.debian.org", "artifactory"];
/// The longest line of a comment.
const MAX_COLUMNS: usize = 100;
/// Unfinished work.
const UNFINISHED: [&str; 4] = ["todo!", "unimplemented!", "#[ignore", "dbg!"];
/// A literal at or below this is a tolerance and must have a name in tol.rs. A bound of a rounding
/// error may stay beside the arithmetic, with a comment that says so.
const MAX_TOLERANCE: f64 = 1e-3;
/// Words of a comment on a small literal that is no tolerance, but a bound on rounding or
/// underflow, or a power of two.
const MARKS: [&str; 4] = ["exact:", "rounding", "underflow", "2^-"];
/// The largest distance of such a comment above the literal, in lines.
const MARK_REACH: usize = 4;

/// Names of constants without a bounded quantity and a unit.
const VAGUE_NAMES: [&str; 20] = [
    "AGAINST", "ALIKE", "CLEAR", "CLOSE", "FAR", "FEW", "FLAT", "KNOWN", "LARGE", "LONG", "LONGEST", "LOOKS",
    "MANY", "MOST", "NEAR", "SHORT", "SHORTEST", "SMALL", "TOLD", "UP",
];

/// Whether a file that is not Rust is text for people.
pub(super) fn is_text(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_named = matches!(name, "run" | "LICENSE" | ".gitignore");
    let extension = name.rsplit('.').next().unwrap_or_default();
    is_named
        || matches!(extension, "toml" | "md" | "sh" | "html" | "js" | "json" | "yml" | "yaml" | "csv" | "svg")
}

fn complaint(path: &str, line: usize, rule: &'static str, text: impl Into<String>) -> Complaint {
    Complaint { path: path.to_string(), line, rule, text: text.into() }
}

/// Returns complaints by the rules for every text file.
pub(super) fn check_text(path: &str, text: &str) -> Vec<Complaint> {
    let mut found = Vec::new();
    if RULES.iter().any(|rules| path.starts_with(rules)) {
        return found;
    }
    for (number, line) in text.lines().enumerate() {
        for word in MACHINE_PATHS.iter().filter(|&&word| has_absolute(line, word)) {
            found.push(complaint(
                path,
                number + 1,
                "machine path",
                format!("{word} is a path of one machine"),
            ));
        }
        for word in REGISTRY_HOSTS.iter().filter(|&&word| line.contains(word)) {
            found.push(complaint(path, number + 1, "registry host", format!("{word} is named")));
        }
    }
    found
}

/// Whether `line` has `word` at the beginning of a path, not inside one.
fn has_absolute(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '}' | ')' | '*')))
    })
}

/// Returns the numbers of comment lines that are too long. Tables, code, and single words that are
/// too long are left out.
fn long_comments(text: &str) -> Vec<usize> {
    let mut is_code = false;
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let comment = line.trim_start();
        let Some(words) = ["//!", "///", "//"].iter().find_map(|mark| comment.strip_prefix(mark)) else {
            // An attribute may begin a block of code.
            is_code = comment.contains("doc = \"```");
            continue;
        };
        let words = words.trim_start();
        if words.starts_with("```") {
            is_code = !is_code;
        }
        let is_text = !is_code && !words.starts_with('|') && words.contains(' ');
        if is_text && MAX_COLUMNS < line.chars().count() {
            found.push(number + 1);
        }
    }
    found
}

/// Checks that constants are nouns with a unit or ratio and a bound, such as `MAX_DEFERRED_STEPS`.
fn names_of_constants(path: &str, code: &str, found: &mut Vec<Complaint>) {
    for (number, line) in code.lines().enumerate() {
        let Some((_, rest)) = line.split_once("const ") else { continue };
        let Some((name, _)) = rest.split_once(':') else { continue };
        if VAGUE_NAMES.contains(&name) || name.starts_with("MOST_") {
            let text = format!("{name} is no noun with a unit or a bound, such as MAX_STEPS");
            found.push(complaint(path, number + 1, "constant", text));
        }
    }
}

/// Returns complaints by the rules for Rust files.
pub(super) fn check_rust(path: &str, text: &str, kind: Kind) -> Vec<Complaint> {
    let mut found = Vec::new();
    let code = without_comments_and_strings(text);
    let shipped = without_tests(&code);
    head(path, text, &mut found);
    if kind == Kind::Library {
        loops_in_kernel(path, &shipped, &mut found);
        methods_of_world(path, &shipped, &mut found);
        names_of_constants(path, &shipped, &mut found);
    }

    let n_lines = text.lines().count();
    if MAX_LINES < n_lines && !LONG_FILES.iter().any(|(file, _)| path == *file) {
        found.push(complaint(
            path,
            0,
            "length",
            format!("{n_lines} lines; more than {MAX_LINES} need a reason"),
        ));
    }
    for line in long_comments(text) {
        found.push(complaint(
            path,
            line,
            "columns",
            format!("a comment has more than {MAX_COLUMNS} columns"),
        ));
    }
    let is_rules = RULES.iter().any(|rules| path.starts_with(rules));
    let is_lanes = path.starts_with("crates/carom-lanes/");
    for (number, line) in code.lines().enumerate() {
        let mut complain = |rule, text: String| found.push(complaint(path, number + 1, rule, text));
        for word in UNFINISHED.iter().filter(|&&word| !is_rules && line.contains(word)) {
            complain("unfinished", format!("{word} may not land"));
        }
        // An exported name for JavaScript, which touches no memory.
        let is_export = line.trim() == "#[unsafe(no_mangle)]" && path.ends_with("/wasm.rs");
        // Imported functions of the page, which are declared safe.
        let is_import = line.trim().starts_with("unsafe extern") && path.ends_with("/wasm.rs");
        if !is_lanes && !is_export && !is_import && has_word(line, "unsafe") {
            complain("unsafe", "only carom-lanes may use unsafe code".to_string());
        }
        if !is_lanes && (line.contains("core::arch") || line.contains("std::arch")) {
            complain("arch", "only carom-lanes may name an instruction set".to_string());
        }
    }
    if kind == Kind::Dev {
        return found;
    }
    let lines: Vec<&str> = text.lines().collect();
    for (number, line) in shipped.lines().enumerate() {
        if line.contains(".unwrap()") || line.contains(".expect(") {
            found.push(complaint(
                path,
                number + 1,
                "unwrap",
                "a panic; return an error, or say it with let else",
            ));
        }
        let is_free =
            kind != Kind::Library || FREE_LITERALS.iter().any(|(prefix, _)| path.starts_with(prefix));
        if !is_free
            && let Some(literal) = tolerance(line)
            && !is_explained(&lines, number)
        {
            let text = format!(
                "{literal} belongs into carom-math/src/tol.rs, or a comment says which rounding it bounds"
            );
            found.push(complaint(path, number + 1, "tolerance", text));
        }
    }
    found
}

/// Returns complaints by the rules for the Rust files of a package whose library has `test =
/// false`.
pub(super) fn check_unit_tests(path: &str, text: &str) -> Vec<Complaint> {
    if !path.contains("/src/") {
        return Vec::new();
    }
    let why = "would not run, as the library has `test = false`; write it in tests/, or take that line out";
    let code = without_comments_and_strings(text);
    let is_unit_test = |line: &str| line.contains("#[test]") || line.contains("cfg(test)");
    let lines = (1..).zip(code.lines()).filter(|(_, line)| is_unit_test(line));
    lines.map(|(number, _)| complaint(path, number, "unit test", why)).collect()
}

/// Checks that the file begins with a sentence that says what it is.
fn head(path: &str, text: &str, found: &mut Vec<Complaint>) {
    let head: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!")).collect();
    if head.first().is_none_or(|line| line.len() <= 4) {
        found.push(complaint(
            path,
            1,
            "head",
            "does not begin with a sentence of `//!` that says what it is",
        ));
    }
}

/// Checks that files of `kernel/`, which are compiled for `f32` and again for `f64`, only convert.
/// Decisions are made outside, once; a loop is a sign of a decision.
fn loops_in_kernel(path: &str, shipped: &str, found: &mut Vec<Complaint>) {
    if !path.contains("/src/kernel/") {
        return;
    }
    let listed = LOOPS_IN_KERNEL.iter().find(|(name, _)| match name.strip_suffix('/') {
        Some(_) => path.contains(name),
        None => path.ends_with(name),
    });
    let loops: Vec<usize> =
        (1..).zip(shipped.lines()).filter(|(_, line)| is_loop(line)).map(|(n, _)| n).collect();
    match listed {
        None => found.extend(loops.into_iter().map(|line| {
            complaint(path, line, "loop", "a file of kernel/ only converts; move the loop out of it")
        })),
        Some((name, _)) if loops.is_empty() && !name.ends_with('/') => {
            found.push(complaint(path, 0, "loop", "has no loop any more; take it off LOOPS_IN_KERNEL"));
        }
        Some(_) => {}
    }
}

/// Checks that methods of `World` are in the listed places.
fn methods_of_world(path: &str, shipped: &str, found: &mut Vec<Complaint>) {
    let Some(inside) = path.strip_prefix("crates/carom-world/src/") else { return };
    if METHODS_OF_WORLD.iter().any(|allowed| inside.starts_with(allowed)) {
        return;
    }
    for (number, line) in (1..).zip(shipped.lines()) {
        if line.starts_with("impl") && (line.contains(" World<") || line.contains(" World ")) {
            let text =
                "methods of World are in step, edit, queries or soft; take what is needed as arguments";
            found.push(complaint(path, number, "world", text));
        }
    }
}

/// Whether the line, without comments and strings, begins a loop.
fn is_loop(line: &str) -> bool {
    let is_for = line.find("for ").is_some_and(|at| has_word(&line[at..], "in"));
    has_word(line, "while") || has_word(line, "loop") || (is_for && has_word(line, "for"))
}

/// Whether `line` has `word` as a whole word.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        !line[..at].chars().next_back().is_some_and(is_part)
            && !line[at + word.len()..].chars().next().is_some_and(is_part)
    })
}

/// Returns the first literal on the line that is so small that it must be a tolerance, or a
/// comparison with a bare machine epsilon, which is a tolerance only for data of size 1. A product
/// with epsilon is a rounding bound and passes.
fn tolerance(line: &str) -> Option<String> {
    for name in ["f32::EPSILON", "f64::EPSILON"] {
        if line.match_indices(name).any(|(at, _)| {
            let before = line[..at].trim_end();
            let after = line[at + name.len()..].trim_start();
            (before.ends_with('<')
                || before.ends_with("<=")
                || before.ends_with('>')
                || before.ends_with(">="))
                && !after.starts_with('*')
        }) {
            return Some(name.to_string());
        }
    }
    let bytes = line.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        let is_start = bytes[i].is_ascii_digit()
            && !(0 < i && (bytes[i - 1].is_ascii_alphanumeric() || matches!(bytes[i - 1], b'_' | b'.')));
        if !is_start {
            i += 1;
            continue;
        }
        let start = i;
        while i < bytes.len() {
            let is_exponent_sign = matches!(bytes[i], b'+' | b'-') && matches!(bytes[i - 1], b'e' | b'E');
            let is_range = bytes[i] == b'.' && bytes.get(i + 1) == Some(&b'.');
            if is_range
                || !(bytes[i].is_ascii_alphanumeric() || matches!(bytes[i], b'.' | b'_') || is_exponent_sign)
            {
                break;
            }
            i += 1;
        }
        let literal = &line[start..i];
        let number = literal.replace('_', "").replace("f32", "").replace("f64", "");
        let is_float = literal.contains(['.', 'e', 'E']) && !literal.starts_with("0x");
        if is_float && number.parse::<f64>().is_ok_and(|value| 0.0 < value && value <= MAX_TOLERANCE) {
            return Some(literal.to_string());
        }
    }
    None
}

/// Whether a comment on the line, or shortly above it, explains the literal.
fn is_explained(lines: &[&str], number: usize) -> bool {
    lines[number.saturating_sub(MARK_REACH)..=number].iter().any(|line| {
        line.split_once("//").is_some_and(|(_, comment)| MARKS.iter().any(|mark| comment.contains(mark)))
    })
}
