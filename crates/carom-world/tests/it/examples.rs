//! Holds the programs of `examples/` to what they show. `cargo test` runs them (Cargo.toml).

use std::path::Path;

/// Measurements of large worlds, and soft things, which take longer than a test.
const SLOW: [&str; 6] = ["cloth_on_ball", "million", "pile", "point", "raft", "ragdolls"];

/// Half of the examples asserted nothing, and no test ran them.
#[test]
fn each_one_asserts_and_is_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let mut n_run = 0;
    for entry in std::fs::read_dir(root.join("examples")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(text.contains("assert"), "{name} claims nothing");
        let is_run = manifest.contains(&format!("name = \"{name}\"\ntest = true\nharness = false\n"));
        assert_ne!(is_run, SLOW.contains(&name.as_str()), "{name}: the manifest runs it: {is_run}");
        n_run += usize::from(is_run);
    }
    assert!(10 < n_run, "{n_run} are run");
}
