//! Parts that collide or come too close, in made scenes and in real assemblies and robots.

use crate::run::{carom, error, file, folder, json, stderr, stdout};
use carom_testkit::data;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

#[test]
fn scene_pairs_are_listed() {
    let (d, status) = json("check scene.json --json");
    assert_eq!(status, 1);
    assert_eq!(d["schema"], "carom.check.v1");
    assert_eq!(d["parts"], serde_json::json!(["left", "touching", "near", "far"]));
    assert_eq!(d["clear"], false);
    let pairs = d["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 1);
    assert_eq!((pairs[0]["a"].as_str(), pairs[0]["b"].as_str()), (Some("left"), Some("touching")));
    assert_eq!(pairs[0]["intersects"], true);
    assert!(0 < pairs[0]["triangle_pairs"].as_u64().unwrap());
    assert_eq!(pairs[0]["distance"], 0.0);
    assert_eq!(pairs[0]["depth"], 0.0);
}

#[test]
fn clearance_lists_near_pairs() {
    let (d, status) = json("check scene.json --json --clearance 0.3 --ignore touching,left");
    assert_eq!(status, 1);
    let pairs = d["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 1);
    assert_eq!((pairs[0]["a"].as_str(), pairs[0]["b"].as_str()), (Some("touching"), Some("near")));
    assert_eq!((pairs[0]["intersects"].as_bool(), pairs[0]["distance"].as_f64()), (Some(false), Some(0.25)));
    assert_eq!(pairs[0]["depth"], Value::Null);
    // The clearance itself is far enough.
    let (d, status) = json("check scene.json --json --clearance 0.25 --ignore left,touching");
    assert_eq!((status, d["clear"].as_bool()), (0, Some(true)));
}

#[test]
fn files_are_parts_with_unique_names() {
    let (d, status) = json("check cube.obj cube.obj open.obj --json");
    assert_eq!(status, 1);
    assert_eq!(d["parts"], serde_json::json!(["cube", "cube#2", "open"]));
}

#[test]
fn lines_for_people_say_units() {
    let output = carom("check scene.json --clearance 0.3");
    let text = stdout(&output);
    assert!(text.contains("left and touching touch: "), "{text}");
    assert!(text.contains("touching and near are 0.25 apart, at 3 "), "{text}");
    assert!(
        text.ends_with("4 parts: 1 pair collides, 1 closer than 0.3; lengths in the unit of the files\n"),
        "{text}"
    );
    assert!(stderr(&output).is_empty(), "no bar where there is no terminal");
}

#[test]
fn bad_files_end_it_or_are_passed_over() {
    assert!(error("check scene.json no.stl").contains("no.stl: "));
    assert!(error("check zero.json").contains("zero.json: parts[0].scale: a scale of 0"));
    assert!(
        error("check scene.json --ignore left,nobody").contains("--ignore \"left,nobody\": not two names")
    );
    assert!(error("check scene.json --clearance -1").contains("must not be negative"));
    let output = carom("check no.stl scene.json bad.obj --keep-going --json");
    assert_eq!(output.status.code(), Some(2));
    let d: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(d["pairs"].as_array().unwrap().len(), 1);
    let text = stderr(&output);
    assert!(text.contains("no.stl: ") && text.contains("bad.obj: line 3: "), "{text}");
    assert!(error("check no.stl bad.obj --keep-going").contains("no.stl"));
}

#[test]
fn parts_beyond_single_precision() {
    std::fs::write(
        folder().join("huge.json"),
        r#"{"parts": [
            {"mesh": "cube.obj", "scale": 1361129467683753853853498429727072845824},
            {"mesh": "cube.obj", "scale": 170141183460469231731687303715884105728},
            {"mesh": "cube.obj", "scale": 170141183460469231731687303715884105728,
             "pose": [1,0,0,1531270651144223085585185733442956951552, 0,1,0,0, 0,0,1,0, 0,0,0,1]}]}"#,
    )
    .unwrap();
    let (d, _) = json("check huge.json --json");
    // Powers of two: sizes 2^130 and 2^127 touch exactly. The second lies in the first; the third
    // touches the first from outside.
    let pairs = d["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 2, "{d}");
    let found = [0, 1].map(|i| (pairs[i]["b"].as_str(), pairs[i]["contact"].as_str()));
    assert_eq!(found, [(Some("cube#2"), Some("overlapping")), (Some("cube#3"), Some("touching"))]);
}

#[test]
fn page_shows_the_parts() {
    let page = folder().join("check.html");
    let _ = std::fs::remove_file(&page);
    let output = carom("check scene.json --clearance 0.3 --html check.html");
    assert_eq!(output.status.code(), Some(1));
    let picture = folder().join("check.png");
    let Some(picture) = crate::player::screenshot(&page, "show=contacts", &picture) else {
        assert!(std::fs::read_to_string(page).unwrap().contains("<canvas"));
        return;
    };
    assert!(300 < crate::player::n_of_hue(&picture, [214.0, 62.0, 62.0]), "parts that collide are red");
    assert!(
        100 < crate::player::n_of_hue(&picture, [232.0, 176.0, 38.0]),
        "a part that is too near is yellow"
    );
    assert!(error("check scene.json --html no/such/folder/a.html").contains("a.html: "));
}

/// Pairs by part numbers, with their counts.
fn counted(d: &Value) -> BTreeMap<(usize, usize), u64> {
    let number: BTreeMap<&str, usize> =
        d["parts"].as_array().unwrap().iter().enumerate().map(|(i, n)| (n.as_str().unwrap(), i)).collect();
    let pairs = d["pairs"].as_array().unwrap();
    pairs
        .iter()
        // A part in the box of a mesh without an inside is listed, too.
        .filter(|p| !p["intersects"].is_null())
        .map(|p| {
            let (a, b) = (p["a"].as_str().unwrap(), p["b"].as_str().unwrap());
            ((number[a], number[b]), p["triangle_pairs"].as_u64().unwrap())
        })
        .collect()
}

/// The exact counts that come with the data.
fn expected(folder: &Path) -> BTreeMap<(usize, usize), u64> {
    let answers: Value =
        serde_json::from_slice(&std::fs::read(folder.join("pair_answers.json")).unwrap()).unwrap();
    let pairs = answers["pairs"].as_array().unwrap();
    let hit = pairs.iter().filter(|p| p["intersect_exact"] == true);
    hit.map(|p| {
        let part = |key: &str| p[key].as_u64().unwrap() as usize;
        ((part("a"), part("b")), p["tri_pairs_exact"].as_u64().unwrap())
    })
    .collect()
}

#[test]
fn real_assemblies_and_robots_have_their_exact_counts() {
    let mut n = 0;
    for (kind, list) in [("assemblies", "assembly.json"), ("robots", "assembly_zero_pose.json")] {
        let Some(root) = data::find(kind) else { return };
        for folder in std::fs::read_dir(root).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir()) {
            let file = folder.join(list);
            let (d, status) = json(&format!("check {} --json", file.display()));
            let expected = expected(&folder);
            assert_eq!(counted(&d), expected, "{}", file.display());
            assert_eq!(status, i32::from(d["clear"] != true), "{}", file.display());
            assert!(!expected.is_empty() || d["clear"] != false, "{}", file.display());
            n += 1;
        }
    }
    assert_eq!(n, 9);
}

#[test]
fn real_robots_by_their_links() {
    let Some(root) = data::find("robots") else { return };
    for name in ["fanuc_m10ia", "widowx"] {
        let folder = root.join(name);
        let (d, _) = json(&format!("check {} --json", folder.join(format!("{name}.urdf")).display()));
        assert_eq!((d["unit"].as_str(), d["up"].as_str()), (Some("m"), Some("z")));
        // A link's count is the sum over its pieces. Pieces of one link are not compared with each
        // other.
        let list: Value =
            serde_json::from_slice(&std::fs::read(folder.join("assembly_zero_pose.json")).unwrap()).unwrap();
        let link = |i: usize| list["parts"][i]["link"].as_str().unwrap().to_owned();
        let mut by_link: BTreeMap<(String, String), u64> = BTreeMap::new();
        for ((a, b), n) in expected(&folder) {
            if link(a) != link(b) {
                *by_link.entry((link(a), link(b))).or_default() += n;
            }
        }
        let found: BTreeMap<(String, String), u64> = counted(&d)
            .into_iter()
            .map(|((a, b), n)| {
                let name = |i: usize| d["parts"][i].as_str().unwrap().to_owned();
                ((name(a), name(b)), n)
            })
            .collect();
        // The placements of the reference are rounded differently, so a few coplanar triangles may
        // differ.
        assert!(by_link.keys().eq(found.keys()), "{name}: {by_link:?} {found:?}");
        for (pair, n) in &by_link {
            assert!(found[pair].abs_diff(*n) <= n / 20, "{name} {pair:?}: {} and {n}", found[pair]);
        }
    }
}

#[test]
fn many_parts_at_one_position_end_with_a_message() {
    let part = r#"{"mesh": "open.obj"}"#;
    let n = 3000;
    file("heap.json", &format!(r#"{{"parts": [{}]}}"#, vec![part; n].join(",")));
    let said = error("check heap.json --json");
    assert!(
        said.contains("3000 parts have more than 1000000 pairs") && said.contains("--max-pairs"),
        "{said}"
    );
    // The limit itself is allowed: ten parts are 45 pairs.
    file("ten.json", &format!(r#"{{"parts": [{}]}}"#, [part; 10].join(",")));
    let (d, _) = json("check ten.json --json --max-pairs 45");
    assert_eq!(d["pairs"].as_array().unwrap().len(), 45);
    assert!(error("check ten.json --json --max-pairs 44").contains("more than 44 pairs"));
    let text = stdout(&carom("check ten.json"));
    assert!(text.ends_with("10 parts: 45 pairs collide; lengths in the unit of the files\n"), "{text}");
    file(
        "apart.json",
        &format!(
            r#"{{"parts": [{part}, {{"mesh": "open.obj", "pose": [1,0,0,9, 0,1,0,0, 0,0,1,0, 0,0,0,1]}}]}}"#
        ),
    );
    assert!(stdout(&carom("check apart.json")).starts_with("2 parts: 0 pairs collide; "));
}

#[test]
fn names_do_not_steer_the_terminal() {
    let names = ["\\u001b[31mred\\u0007", "a\\nb", "\\u202eright", "</script><script>alert(1)</script>"];
    let parts: Vec<String> = names.iter().map(|n| format!(r#"{{"mesh":"cube.obj","name":"{n}"}}"#)).collect();
    file("ctrl.json", &format!(r#"{{"parts":[{}]}}"#, parts.join(",")));
    for command in [
        "check ctrl.json",
        "info ctrl.json",
        "ray ctrl.json --from 0,0.1,9 --dir 0,0,-1 --all",
        "check ctrl.json --ignore x,y",
    ] {
        let output = carom(command);
        let text = stdout(&output) + &stderr(&output);
        let steers = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!text.contains(steers), "{command}: {text:?}");
        assert!(text.contains("\\u{1b}[31mred\\u{7}"), "{command}: {text:?}");
    }
    // In JSON the names are not changed.
    assert_eq!(json("check ctrl.json --json").0["parts"][0], "\u{1b}[31mred\u{7}");
    // A file of such a name.
    let odd = folder().join("odd\u{1b}[2J.obj");
    std::fs::write(&odd, "v 0 0 0\n").unwrap();
    let output = crate::run::carom_list(&["check", "odd\u{1b}[2J.obj"], b"");
    assert!(stderr(&output).contains("\\u{1b}[2J") && !stderr(&output).contains('\u{1b}'));
    carom("check ctrl.json --html ctrl.html");
    let page = std::fs::read_to_string(folder().join("ctrl.html")).unwrap();
    assert!(!page.contains("alert(1)"));
}

#[cfg(target_os = "linux")]
#[test]
fn pages_are_whole_or_not_there() {
    // A device is written directly; its failure is reported.
    assert!(error("check scene.json --html /dev/full").contains("/dev/full: "));
    let here = folder().join("pages");
    std::fs::create_dir_all(&here).unwrap();
    let page = here.join("a.html");
    std::fs::write(&page, "before").unwrap();
    assert_eq!(carom("check scene.json --html pages/a.html").status.code(), Some(1));
    assert!(std::fs::read_to_string(&page).unwrap().contains("<canvas"));
    // Nothing else is left in the folder, and a link is followed.
    std::os::unix::fs::symlink("a.html", here.join("b.html"))
        .or_else(|_| std::fs::metadata(here.join("b.html")).map(drop))
        .unwrap();
    std::fs::write(&page, "before").unwrap();
    carom("check scene.json --html pages/b.html");
    assert!(here.join("b.html").is_symlink() && std::fs::read_to_string(&page).unwrap().contains("<canvas"));
    assert_eq!(std::fs::read_dir(&here).unwrap().count(), 2);
}

/// Flush, deep, nested and apart, in the document and in words.
#[test]
fn solids_touch_or_overlap() {
    for (x, contact, depth, said) in [
        ("2", "touching", 0.0, "touch: "),
        ("1.875", "overlapping", 0.125, "overlap: 0.125 deep"),
        ("1", "overlapping", 1.0, "overlap: 1 deep"),
        ("0", "overlapping", 2.0, "overlap: 2 deep"),
    ] {
        let name = format!("solids-{contact}-{depth}.json");
        let pose = format!("[1,0,0,{x}, 0,1,0,0, 0,0,1,0, 0,0,0,1]");
        let scene =
            format!(r#"{{"parts": [{{"mesh": "cube.obj"}}, {{"mesh": "cube.obj", "pose": {pose}}}]}}"#);
        std::fs::write(folder().join(&name), scene).unwrap();
        let (d, status) = json(&format!("check {name} --json"));
        let pair = &d["pairs"][0];
        assert_eq!((status, pair["contact"].as_str()), (1, Some(contact)), "{d}");
        assert!((pair["depth"].as_f64().unwrap() - depth).abs() < 1e-9, "{d}");
        if contact == "overlapping" {
            let bound = |key: &str| pair[key].as_f64().unwrap();
            assert!(bound("depth_at_least") <= bound("depth_at_most"), "{d}");
            assert!((bound("depth_at_least") - depth).abs() < 1e-9, "{d}");
            assert_eq!(pair["separation"].as_array().unwrap().len(), 3);
        }
        let text = stdout(&carom(&format!("check {name}")));
        assert!(text.contains(said), "{text}");
    }
    // One inside the other, without a common point of their surfaces.
    let nested = r#"{"parts": [{"mesh": "cube.obj"}, {"mesh": "cube.obj", "scale": 0.5}]}"#;
    std::fs::write(folder().join("solids-nested.json"), nested).unwrap();
    let (d, status) = json("check solids-nested.json --json");
    let pair = &d["pairs"][0];
    assert_eq!(
        (status, pair["contact"].as_str(), pair["triangle_pairs"].as_u64()),
        (1, Some("overlapping"), Some(0))
    );
    assert!((pair["depth_at_most"].as_f64().unwrap() - 1.5).abs() < 1e-9 && d["clear"] == false, "{d}");
    // A mesh that does not tell inside from outside.
    let (d, _) = json("check cube.obj open.obj --json");
    assert_eq!(
        (d["pairs"][0]["contact"].clone(), d["pairs"][0]["intersects"].clone()),
        (Value::Null, true.into())
    );
}

/// Nine digits, no zeros at the end, and an exponent only where zeros would fill the line.
#[test]
fn numbers_for_people_are_short() {
    for (x, text) in [
        (0.0, "0"),
        (-0.0, "0"),
        (0.125, "0.125"),
        (0.1 + 0.2, "0.3"),
        (-1.0 / 3.0, "-0.333333333"),
        (0.876_302_083_333_333_4, "0.876302083"),
        (999_999_999.9, "1000000000"),
        (123_456_789_012.0, "123456789000"),
        (5.281_5e-28, "5.2815e-28"),
        (1e-5, "0.00001"),
        (2.5e15, "2.5e15"),
        (f64::MAX, "1.79769313e308"),
    ] {
        assert_eq!(carom_cli::report::number(x), text, "{x:e}");
    }
}
