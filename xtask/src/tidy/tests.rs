//! Tests that give each rule a violation, and a correct text beside it.

use super::claims::{self, TestNames};
use super::code::{without_comments_and_strings, without_tests};
use super::source::{check_rust, check_text};
use super::{Kind, complaints, floors};
use crate::metadata::{Floor, Package};
use std::path::{Path, PathBuf};

const HEAD: &str = "//! Boxes.\n//!\n//! Reference: A. Author, A Title, 1999, 3.1.\n";

fn rules(path: &str, body: &str, kind: Kind) -> Vec<&'static str> {
    let text = format!("{HEAD}{body}");
    check_rust(path, &text, kind).into_iter().map(|complaint| complaint.rule).collect()
}

fn library(body: &str) -> Vec<&'static str> {
    rules("crates/carom-bounds/src/aabb.rs", body, Kind::Library)
}

#[test]
fn code_is_distinguished_from_comments_and_strings() {
    let text = "let a = \"unsafe // \\\" x\"; // unsafe\nlet b = r#\"a\"b\"#; /* x /* y */ z */ let c = 'x';\n\
                fn f<'a>(x: &'a str) -> char { '\\'' }\nlet d = b\"x\"; let e = '\u{e9}';";
    let code = without_comments_and_strings(text);
    assert_eq!(code.lines().count(), text.lines().count());
    assert!(!code.contains("unsafe") && !code.contains('"') && !code.contains('z'), "{code}");
    assert!(code.contains("let c =") && code.contains("fn f<'a>(x: &'a str)"), "{code}");
    let code = without_tests(
        "fn a() {}\n#[cfg(test)]\nmod tests { fn b() { x } }\nfn c() {}\n#[cfg(test)] mod t;\nd",
    );
    assert!(code.contains("fn a") && code.contains("fn c") && code.contains('d'));
    assert!(!code.contains("fn b") && !code.contains("mod t"), "{code}");
}

#[test]
fn methods_of_the_whole_world_stand_in_few_files() {
    let body = "impl<B: BroadPhase> World<B> {\n}\n";
    let found = |path: &str| rules(&format!("crates/carom-world/src/{path}"), body, Kind::Library);
    assert_eq!(found("contacts/events.rs"), ["world"]);
    assert_eq!(found("joints.rs"), ["world"]);
    assert!(found("step/bounds.rs").is_empty() && found("world.rs").is_empty());
}

#[test]
fn heads() {
    let path = "crates/carom-bounds/src/aabb.rs";
    let check = |path: &str, text: &str, kind| -> Vec<_> {
        check_rust(path, text, kind).into_iter().map(|complaint| complaint.rule).collect()
    };
    assert_eq!(check(path, "fn f() {}\n", Kind::Library), ["head"]);
    assert_eq!(check(path, HEAD, Kind::Library), [""; 0]);
    assert_eq!(check("crates/carom-bounds/src/lib.rs", "//! Boxes.\n", Kind::Library), [""; 0]);
    assert_eq!(check("crates/carom-cli/src/main.rs", "//! The command.\n", Kind::App), [""; 0]);
    assert_eq!(check("crates/carom-bounds/tests/it/main.rs", "//! Tests.\n", Kind::Dev), [""; 0]);
}

#[test]
fn kernels_only_convert() {
    let kernel = |body: &str| rules("crates/carom-sat/src/kernel/box_box.rs", body, Kind::Library);
    for bad in ["for x in y {}", "while a < b {}", "loop {}", "'outer: for &x in y {}", "a(|| for x in y {})"]
    {
        assert_eq!(kernel(&format!("fn f() {{ {bad} }}\n")), ["loop"], "{bad}");
        assert_eq!(library(&format!("fn f() {{ {bad} }}\n")), [""; 0], "{bad}");
    }
    let good = "// for x in y\nimpl A for B {}\nfn f(g: &dyn for<'a> Fn(&'a u8)) { in_loop(for_each); }\n";
    assert_eq!(kernel(good), [""; 0]);
    let listed = |body: &str| rules("crates/carom-geom/src/kernel/hull.rs", body, Kind::Library);
    assert_eq!(listed("fn f() { for x in y {} }\n"), [""; 0]);
}

#[test]
fn unsafe_code_and_instruction_sets_stay_in_lanes() {
    assert_eq!(library("fn f() { unsafe { g() } }\n"), ["unsafe"]);
    assert_eq!(library("#![forbid(unsafe_code)]\n// unsafe\n"), [""; 0]);
    assert_eq!(library("use core::arch::x86_64::*;\n"), ["arch"]);
    assert_eq!(
        rules("crates/carom-lanes/src/imp.rs", "use core::arch::asm;\nunsafe {}\n", Kind::Library),
        [""; 0]
    );
    assert_eq!(rules("benches/broad.rs", "unsafe {}\n", Kind::Dev), ["unsafe"]);
    let import = "unsafe extern \"C\" {\n    safe fn now() -> f64;\n}\n";
    assert_eq!(rules("crates/carom-web/src/wasm.rs", import, Kind::Library), [""; 0]);
    assert_eq!(rules("crates/carom-web/src/live.rs", import, Kind::Library), ["unsafe"]);
}

#[test]
fn tolerances_have_one_home() {
    for bad in ["x < 1e-6", "x < 1.0e-3", "x < 0.0001", "x < 1e-9_f64", "x < f32::EPSILON", "f(1e-12f32)"] {
        assert_eq!(library(&format!("fn f() {{ {bad}; }}\n")), ["tolerance"], "{bad}");
    }
    for good in [
        "x < 0.01",
        "1e3",
        "0.0",
        "1..2",
        "0..n",
        "a.0.1",
        "0x1e-3",
        "f64::EPSILON * 4.0",
        "x < f64::EPSILON * scale",
        "\"1e-6\"",
    ] {
        assert_eq!(library(&format!("fn f() {{ {good}; }}\n")), [""; 0], "{good}");
    }
    assert_eq!(library("const A: f64 = 1e-9; // exact: a power of the scale\n"), [""; 0]);
    assert_eq!(library("// rounding: half a unit.\n// More.\nconst A: f64 = 1e-9;\n"), [""; 0]);
    assert_eq!(library("#[cfg(test)]\nmod tests { const A: f64 = 1e-9; }\n"), [""; 0]);
    assert_eq!(rules("crates/carom-math/src/tol.rs", "const A: f64 = 1e-9;\n", Kind::Library), [""; 0]);
}

#[test]
fn unfinished_work_and_panics() {
    assert_eq!(library("fn f() { todo!() }\n"), ["unfinished"]);
    assert_eq!(library("fn f() { unimplemented!() }\n"), ["unfinished"]);
    assert_eq!(
        rules("crates/carom-bounds/tests/it/a.rs", "#[ignore]\nfn f() {}\n", Kind::Dev),
        ["unfinished"]
    );
    assert_eq!(library("fn f() { g().unwrap() }\n"), ["unwrap"]);
    assert_eq!(
        rules("crates/carom-cli/src/main.rs", "fn f() { g().expect(\"x\") }\n", Kind::App),
        ["unwrap"]
    );
    assert_eq!(library("fn f() { g().unwrap_or(0) } // .unwrap()\n"), [""; 0]);
    assert_eq!(rules("crates/carom-bounds/tests/it/a.rs", "fn f() { g().unwrap() }\n", Kind::Dev), [""; 0]);
}

#[test]
fn long_files() {
    assert_eq!(library(&"// A line.\n".repeat(800)), ["length"]);
    assert_eq!(library(&"// A line.\n".repeat(700)), [""; 0]);
}

#[test]
fn long_comments() {
    let words = |n: usize| format!("{}\n", "ab ".repeat(n));
    assert_eq!(library(&format!("fn f() {{}}\n// {}", words(34))), ["columns"]);
    assert_eq!(library(&format!("fn f() {{}}\n    /// {}", words(33))), ["columns"]);
    assert_eq!(library(&format!("fn f() {{}}\n// {}", words(30))), [""; 0]);
    // Tables, code, and names that cannot be broken.
    assert_eq!(library(&format!("fn f() {{}}\n/// | {}", words(40))), [""; 0]);
    assert_eq!(library(&format!("fn f() {{}}\n/// ```\n/// {}/// ```\n", words(40))), [""; 0]);
    assert_eq!(library(&format!("fn f() {{}}\n// {}\n", "a".repeat(120))), [""; 0]);
    let by_attribute = format!("fn f() {{}}\n#[cfg_attr(a, doc = \"```\")]\n/// {}/// ```\n", words(40));
    assert_eq!(library(&by_attribute), [""; 0]);
}

#[test]
fn paths_of_machines_and_hosts() {
    let rules = |text: &str| -> Vec<_> {
        check_text("README.md", text).into_iter().map(|complaint| complaint.rule).collect()
    };
    assert_eq!(rules("see /work/shared\n"), ["machine path"]);
    assert_eq!(rules("in `/home/me`\n"), ["machine path"]);
    assert_eq!(rules("from https://crates.io/x\n"), ["registry host"]);
    assert_eq!(rules("see crates/work/home and https://example.org/home/\n"), [""; 0]);
}

fn package(name: &str, floor: Option<Floor>, dependencies: &[&str]) -> Package {
    Package {
        name: name.to_string(),
        folder: PathBuf::from(name),
        floor,
        dependencies: dependencies.iter().map(ToString::to_string).collect(),
        parts: Vec::new(),
        skips_unit_tests: false,
        features: Vec::new(),
    }
}

#[test]
fn constants_are_nouns_with_a_bound() {
    let rules = |text: &str| -> Vec<String> {
        let text = format!("//! A head.\n\n{text}\n");
        let found = check_rust("crates/carom-one/src/one.rs", &text, Kind::Library);
        found.into_iter().filter(|complaint| complaint.rule == "constant").map(|found| found.text).collect()
    };
    assert!(rules("const MAX_STEPS: u32 = 3;\nconst FAR_SIDE: u32 = 3;").is_empty());
    assert!(rules("/// const FAR: u32\nfn far(near: u32) {}").is_empty());
    let found = rules("const MOST_STEPS: u32 = 3;\n    pub(crate) const FAR: f64 = 1.0;");
    assert!(
        found.len() == 2 && found[0].starts_with("MOST_STEPS") && found[1].starts_with("FAR"),
        "{found:?}"
    );
}

#[test]
fn floors_go_down() {
    let base = package("base", Some(Floor::Level(0)), &["glam"]);
    let top = package("top", Some(Floor::Level(1)), &["base"]);
    let app = package("app", Some(Floor::App), &["top", "base"]);
    let dev = package("dev", Some(Floor::Dev), &["top", "app"]);
    let good = [base.clone(), top.clone(), app.clone(), dev.clone()];
    assert!(floors::check(&good).is_empty());
    let bad = [
        package("sibling", Some(Floor::Level(1)), &["top"]),
        package("upward", Some(Floor::Level(0)), &["top"]),
        package("leak", Some(Floor::Level(5)), &["dev"]),
        package("leak-app", Some(Floor::Level(5)), &["app"]),
        package("app-dev", Some(Floor::App), &["dev"]),
        package("nowhere", None, &[]),
    ];
    for wrong in bad {
        let all = [base.clone(), top.clone(), app.clone(), dev.clone(), wrong];
        assert_eq!(floors::check(&all).len(), 1, "{all:?}");
    }
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn a_whole_tree() {
    let folder = tempfile::tempdir().unwrap();
    // A temporary folder may be a link, and cargo reports real paths.
    let root = &folder.path().canonicalize().unwrap();
    let manifest = |name: &str, rest: &str| {
        format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
             [package.metadata.carom]\nfloor = 0\n[features]\nlibm = []\n{rest}"
        )
    };
    write(root, "Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\"]\n");
    write(root, "crates/one/Cargo.toml", &manifest("one", ""));
    write(root, "crates/one/README.md", "# one\n");
    write(root, "crates/one/src/lib.rs", "//! One.\n//!\n//! ```\n//! assert!(true);\n//! ```\n#![no_std]\n");
    // The page that `carom demo` writes.
    write(root, "carom-demo-pile.html", "");
    // The library of `one` is tested; that of `three` is not.
    let tested = "//! Tested.\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {}\n}\n";
    write(root, "crates/one/src/tested.rs", tested);
    assert_eq!(complaints(root).unwrap(), []);

    write(root, "crates/two/Cargo.toml", &manifest("two", "[dependencies]\none = { path = \"../one\" }\n"));
    write(root, "crates/two/src/lib.rs", "//! Two.\n");
    write(root, "crates/two/src/utils.rs", "//! Two.\n//!\n//! Reference: none.\n");
    write(root, "notes.txt", "");
    write(root, "crates/three/Cargo.toml", &manifest("three", "[lib]\ntest = false\n"));
    write(root, "crates/three/README.md", "# three\n");
    write(root, "crates/three/src/lib.rs", "//! ```\n//! ```\n#![no_std]\n// #[test]\n");
    write(root, "crates/three/src/tested.rs", tested);
    write(root, "crates/three/tests/it/main.rs", "//! Tests.\n#[test]\nfn a() {}\n");
    let found: Vec<String> = complaints(root).unwrap().iter().map(ToString::to_string).collect();
    let not_run =
        "would not run, as the library has `test = false`; write it in tests/, or take that line out";
    let expected = [
        &format!("crates/three/src/tested.rs:2: unit test: {not_run}"),
        &format!("crates/three/src/tested.rs:4: unit test: {not_run}"),
        "crates/two/README.md: readme: is missing",
        "crates/two/src/lib.rs: doctest: shows no example that runs as a doctest in its head",
        "crates/two/src/lib.rs: no_std: has the feature libm but is not no_std without std",
        "crates/two/src/utils.rs: name: \"utils\" says nothing; name it after what it does",
        "notes.txt: top: does not belong at the top level",
        "two/Cargo.toml: floors: Level(0) may not depend on one, which is Level(0)",
    ];
    assert_eq!(found, expected);
}

/// Returns the rules that a README of carom-one breaks. The crate has a test `contain::all`, and
/// carom-two has another one.
fn guide(path: &str, text: &str) -> Vec<&'static str> {
    let mut tests = TestNames::default();
    let all = "#[test]\n#[cfg_attr(miri, ignore)]\nfn all() {}\nfn helper() {}\n";
    tests.add("crates/carom-one/tests/it/contain.rs", all);
    tests.add("crates/carom-one/src/deep/tests.rs", "    #[test]\n    fn fits_a_box() {}\n");
    tests.add("crates/carom-two/tests/it/far.rs", "#[test] fn away(x in any()) {}\n");
    claims::check(path, text, &tests).into_iter().map(|complaint| complaint.rule).collect()
}

fn readme(text: &str) -> Vec<&'static str> {
    guide("crates/carom-one/README.md", text)
}

#[test]
fn tests_that_are_named_exist() {
    assert_eq!(readme("- Held by `contain::all`,\n  `deep::fits_a_box`, `deep::fits_*`.\n"), [""; 0]);
    assert_eq!(readme("- `contain::al`.\n"), ["test name"]);
    assert_eq!(readme("- `contains::all`.\n"), ["test name"]);
    assert_eq!(readme("- `contain::helper`.\n"), ["test name"]);
    assert_eq!(readme("- `deep::fits_*_ball`.\n"), ["test name"]);
    // Another crate counts if the same paragraph names it.
    assert_eq!(readme("True (test: `far::away`, carom-two).\n"), [""; 0]);
    assert_eq!(readme("True (test: `far::away`).\n\ncarom-two is near.\n"), ["test name"]);
    assert_eq!(readme("The tests of `contain` and `deep`; tests: `contain`.\n"), [""; 0]);
    assert_eq!(readme("The tests of `contain` and `fa`.\n"), ["test name"]);
    // Paths of crates, types and code blocks are not names of tests.
    assert_eq!(readme("`carom_one::f64`, `Tree::new`, `a::b::c`.\n```\n`x::y`\n```\n"), [""; 0]);
    assert_eq!(guide("crates/carom-one/src/lib.rs", "//! See `x::y`.\nmod a; // `x::z`\n"), ["test name"]);
}

#[test]
fn promises_name_a_test() {
    assert_eq!(readme("A sweep is never late.\n"), ["promise"]);
    assert_eq!(readme("A sweep is never late.\n\n- Held by `contain::all`.\n"), [""; 0]);
    assert_eq!(readme("A sweep is never late.\n\n## Tests\n\n- Held by `contain::all`.\n"), ["promise"]);
    assert_eq!(readme("It never knows a shape.\n"), [""; 0]);
    assert_eq!(readme("Use `always`.\n"), [""; 0]);
}

#[test]
fn sentences_of_comments_begin_with_their_subject() {
    let lines = |text: &str| -> Vec<usize> {
        claims::check_comments("a.rs", text).iter().map(|complaint| complaint.line).collect()
    };
    assert_eq!(lines("/// Returns it.\nfn f() {}\n    // So it is. What is met\n    // stops.\n"), [3]);
    assert_eq!(lines("//! It ends\n//! here. Of two, one is left.\n//!\n//! - Where it is.\n"), [1, 4]);
    assert!(lines("/// Ends with `Which` of them.\n/// ```\n/// // What is it?\n/// ```\n").is_empty());
    assert!(lines("let a = \"What\";\n// A sentence that ends.\nlet What = 1;\n").is_empty());
}

#[test]
fn prose_is_short() {
    let words = |n: usize| format!("{}end.\n", "so ".repeat(n - 1));
    assert_eq!(readme(&words(25)), [""; 0]);
    assert_eq!(readme(&words(26)), ["sentence"]);
    assert_eq!(readme(&words(20).repeat(2)), [""; 0]);
    assert_eq!(readme(&format!("| {} |\n", words(40).trim())), [""; 0]);
    assert_eq!(readme(&format!("```\n{}```\n", words(40))), [""; 0]);
    assert_eq!(readme("It is so. What is met stops.\n"), ["opener"]);
    assert_eq!(readme("So many lines are read.\n"), ["opener"]);
    assert_eq!(readme("Offers stay. `Which` is a type.\n"), [""; 0]);
    assert_eq!(readme("Bodies (who fall) stop.\n"), ["person"]);
    assert_eq!(readme("The trees are asked, and whole.\n"), ["person"]);
    assert_eq!(readme(&format!("[{}](x)\n", "a".repeat(100))), ["columns"]);
    assert_eq!(guide("crates/carom-one/src/lib.rs", &format!("//! {}\n", "a".repeat(97))), ["columns"]);
    assert!(claims::is_guide("README.md") && claims::is_guide("benches/notes/carom-one.md"));
    assert!(
        !claims::is_guide("benches/results/x/broad.md") && !claims::is_guide("crates/carom-one/src/a.rs")
    );
}
