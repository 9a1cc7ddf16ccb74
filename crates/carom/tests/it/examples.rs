//! Holds the programs of `examples/` to what readers expect. `cargo test` runs them (Cargo.toml).

use std::path::Path;

/// Lines of a program that is read at one go.
const MAX_LINES: usize = 80;

/// The names of the examples and their text.
fn examples() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found: Vec<(String, String)> = files
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    assert!(12 <= found.len(), "{} examples", found.len());
    found
}

#[test]
fn each_one_is_short_and_asserts_what_it_says() {
    for (name, text) in examples() {
        let n_lines = text.lines().count();
        assert!(n_lines <= MAX_LINES, "{name} has {n_lines} lines");
        assert!(text.starts_with("//! "), "{name} does not say what it shows");
        assert!(text.contains(&format!("--example {name}")), "{name} does not say how to run it");
        assert!(text.contains("println!") && text.contains("assert"), "{name} claims nothing");
    }
}

#[test]
fn each_one_is_listed_and_run() {
    let (readme, manifest) = (include_str!("../../README.md"), include_str!("../../Cargo.toml"));
    for (name, _) in examples() {
        assert!(readme.contains(&format!("(examples/{name}.rs)")), "{name} is not in the README");
        let run = format!("name = \"{name}\"\ntest = true\nharness = false\n");
        assert!(manifest.contains(&run), "{name} is not run: the manifest lacks its [[example]]");
    }
}

/// cargo writes the examples of all crates to one folder: equal names would hide each other.
#[test]
fn no_other_crate_has_one_of_the_same_name() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let others = std::fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path());
    for folder in others.filter(|folder| !folder.ends_with("carom")) {
        for (name, _) in examples() {
            let other = folder.join("examples").join(format!("{name}.rs"));
            assert!(!other.exists(), "{} has the name of an example of carom", other.display());
        }
    }
}
