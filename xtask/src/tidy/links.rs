//! Rules for pages: each link leads to a file or a folder, and each file that a page names exists.
//!
//! A page may name a file by the end of its path, such as `joints/kind.rs`. Links with `::` are
//! those of rustdoc, which checks them itself.

use super::Complaint;

/// The folder of dated notes, which name files of their time.
const DATED: &str = "benches/";

/// The ends of the names of files.
const ENDINGS: [&str; 5] = [".rs", ".md", ".toml", ".py", ".pyi"];

/// Words that stand for any name.
const ANY_NAME: [&str; 2] = ["NAME", "CRATE"];

/// Checks a page of Markdown. `files` are all files of the workspace, sorted.
pub(super) fn check(path: &str, text: &str, files: &[String]) -> Vec<Complaint> {
    let mut found = Vec::new();
    let mut is_code = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        let mut complain = |rule, text: String| {
            found.push(Complaint { path: path.to_string(), line: number + 1, rule, text });
        };
        for link in targets(line) {
            if !leads_somewhere(path, link, files) {
                complain("link", format!("no file or folder: {link}"));
            }
        }
        if !path.starts_with(DATED) {
            for name in line.split('`').skip(1).step_by(2).filter(|span| is_file_name(span)) {
                let is_end_of = |file: &String| file.strip_suffix(name).is_some_and(is_folder);
                if !files.iter().any(is_end_of) {
                    complain("file name", format!("no file has the name {name}"));
                }
            }
        }
    }
    found
}

/// Returns the targets of the links of a line, or the target of a label (`[label]: target`).
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let inline = line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    let labelled = line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map(|(_, target)| target);
    inline.chain(labelled)
}

/// Whether a link of this page leads out of the workspace, as addresses and items of rustdoc do, or
/// to a file or folder in it.
fn leads_somewhere(page: &str, link: &str, files: &[String]) -> bool {
    let target = link.split('#').next().unwrap_or_default();
    if target.is_empty() || target.contains(':') {
        return true;
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop(),
            _ => parts.push(part),
        }
    }
    let place = parts.join("/");
    let is_in = |file: &String| file.strip_prefix(&place).is_some_and(|rest| rest.starts_with('/'));
    place.is_empty() || files.binary_search(&place).is_ok() || files.iter().any(is_in)
}

/// Whether a path ends where a name may begin.
fn is_folder(path: &str) -> bool {
    path.is_empty() || path.ends_with('/')
}

/// Whether a code span is the name of one file.
fn is_file_name(span: &str) -> bool {
    let is_path = span.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
    let has_stem =
        ENDINGS.iter().any(|ending| span.strip_suffix(ending).is_some_and(|stem| !is_folder(stem)));
    is_path && has_stem && !ANY_NAME.iter().any(|word| span.contains(word))
}

#[cfg(test)]
mod tests {
    use super::check;

    fn rules(path: &str, text: &str) -> Vec<(&'static str, usize)> {
        let files = ["README.md", "crates/a/README.md", "crates/a/src/joints/kind.rs", "crates/b/src/x.rs"];
        let files: Vec<String> = files.map(String::from).into();
        check(path, text, &files).into_iter().map(|complaint| (complaint.rule, complaint.line)).collect()
    }

    #[test]
    fn links_lead_to_files_and_folders() {
        let good = "[a](crates/a) and [b](crates/a/src/joints/kind.rs#L1)\n[c](#part) [d](https://x.y/z)\n";
        assert!(rules("README.md", good).is_empty());
        assert!(rules("crates/a/README.md", "[a](../../README.md) [b](../b/) [c](a::B)").is_empty());
        assert_eq!(rules("README.md", "\n[a](crates/c) [b](crates/a/src/joints/kind)"), [("link", 2); 2]);
        assert_eq!(rules("README.md", "[`a`]: crates/a\n[`b`]: crates/c\n[c] and: d"), [("link", 2)]);
        // The name of a folder is no part of a name, and code is not checked.
        assert_eq!(
            rules("README.md", "[a](crate)\n```\n[a](crate)\n```\n[b](c)"),
            [("link", 1), ("link", 5)]
        );
    }

    #[test]
    fn named_files_exist() {
        let good = "`joints/kind.rs`, `kind.rs`, `x.rs`, `NAME.rs`, `.rs`, `cargo run x.rs`, `a.b`";
        assert!(rules("crates/CONTRIBUTING.md", good).is_empty());
        assert_eq!(rules("crates/CONTRIBUTING.md", "`s/kind.rs`\n`y.rs` `ind.rs`").len(), 3);
        assert!(rules("benches/notes/a.md", "`y.rs`").is_empty());
        assert_eq!(rules("benches/notes/a.md", "[y](y.rs)"), [("link", 1)]);
    }
}
