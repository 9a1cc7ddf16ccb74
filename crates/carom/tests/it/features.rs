//! The features of the manifest: what is always there, what each part needs, and where it is named.

const MANIFEST: &str = include_str!("../../Cargo.toml");

/// Returns the values of an array in a manifest, such as those of a feature.
fn values(manifest: &str, name: &str) -> Vec<String> {
    let start = format!("\n{name} = [");
    let rest = manifest.split(&start).nth(1).unwrap_or_else(|| panic!("there is no {name}"));
    let list = rest.split(']').next().unwrap();
    list.split('"').skip(1).step_by(2).map(String::from).collect()
}

/// Returns the crates of carom on which a manifest depends, and whether each is optional.
fn dependencies(manifest: &str) -> Vec<(String, bool)> {
    let list = manifest.split("\n[dependencies]\n").nth(1).unwrap().split("\n[").next().unwrap();
    let crates = list.lines().filter(|line| line.starts_with("carom-"));
    let name = |line: &str| line.split([' ', '.', '=']).next().unwrap().to_string();
    crates.map(|line| (name(line), line.contains("optional = true"))).collect()
}

#[test]
fn only_what_queries_need_is_always_there() {
    let query = dependencies(include_str!("../../../carom-query/Cargo.toml"));
    let mut needed: Vec<String> = query.into_iter().map(|(name, _)| name).collect();
    needed.push("carom-query".to_string());
    let always = dependencies(MANIFEST).into_iter().filter(|(_, is_optional)| !is_optional);
    let mut always: Vec<String> = always.map(|(name, _)| name).collect();
    needed.sort();
    always.sort();
    assert_eq!(always, needed);
}

#[test]
fn all_has_every_other_crate_and_is_on_by_default() {
    let all = values(MANIFEST, "all");
    assert_eq!(values(MANIFEST, "default"), ["std", "all"]);
    let enabled: Vec<String> = all.iter().flat_map(|part| values(MANIFEST, part)).collect();
    for (name, is_optional) in dependencies(MANIFEST) {
        assert_eq!(enabled.contains(&format!("dep:{name}")), is_optional, "{name}");
        // A weak feature does not enable the crate.
        let mark = if is_optional { "?" } else { "" };
        for feature in ["std", "libm"] {
            let entry = format!("{name}{mark}/{feature}");
            assert!(values(MANIFEST, feature).contains(&entry), "{feature} lacks {entry}");
        }
        for feature in ["f64", "parallel", "serde"] {
            let others = values(MANIFEST, feature);
            let start = format!("{name}/");
            assert!(
                !is_optional || !others.iter().any(|entry| entry.starts_with(&start)),
                "{feature}: {name}"
            );
        }
    }
}

#[test]
fn each_part_is_in_the_guide_and_in_the_readme() {
    let parts = values(MANIFEST, "all");
    assert!(10 <= parts.len(), "{parts:?}");
    for part in &parts {
        let name = format!("`{part}`");
        let has_row = |text: &str| text.lines().any(|line| line.contains("| ") && line.contains(&name));
        assert!(has_row(include_str!("../../src/lib.rs")), "{part} has no row in the table of lib.rs");
        assert!(has_row(include_str!("../../README.md")), "{part} has no row in the README");
    }
}

/// The names of modules are those of the crates, and each module has the feature of its crate.
#[test]
fn each_module_has_the_feature_of_its_crate() {
    let source = include_str!("../../src/lib.rs");
    for (name, is_optional) in dependencies(MANIFEST) {
        let path = name.replace('-', "_");
        let line = format!("pub use {path} as {};\n", path.strip_prefix("carom_").unwrap());
        let before = source.split_once(&line).unwrap_or_else(|| panic!("{name} is no module")).0;
        let attribute = before.lines().last().unwrap();
        if !is_optional {
            assert!(!attribute.starts_with("#["), "{name} is always there: {attribute}");
            continue;
        }
        let feature = attribute.strip_prefix("#[cfg(feature = \"").and_then(|rest| rest.strip_suffix("\")]"));
        let feature = feature.unwrap_or_else(|| panic!("{name} needs a feature: {attribute}"));
        assert!(values(MANIFEST, feature).contains(&format!("dep:{name}")), "{feature} has no {name}");
    }
}
