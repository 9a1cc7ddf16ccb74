//! Rays against meshes, shapes and scenes.

use crate::run::{carom, error, json, stdout};

fn ts(d: &serde_json::Value) -> Vec<f64> {
    d["hits"].as_array().unwrap().iter().map(|h| h["t"].as_f64().unwrap()).collect()
}

#[test]
fn first_hit_all_hits_both_sides() {
    let ray = "ray cube.obj --from 0.25,0.5,5 --dir 0,0,-2 --json";
    let (d, status) = json(ray);
    assert_eq!(status, 1);
    assert_eq!(d["schema"], "carom.ray.v1");
    assert_eq!(ts(&d), [2.0]);
    assert_eq!(d["hits"][0]["normal"], serde_json::json!([0.0, 0.0, 1.0]));
    assert!([2, 3].contains(&d["hits"][0]["triangle"].as_u64().unwrap()));
    assert_eq!(ts(&json(&format!("{ray} --all")).0), [2.0, 3.0]);
    let inside = "ray cube.obj --from 0.25,0.5,0.5 --dir 0,0,1 --json";
    assert_eq!(ts(&json(&format!("{inside} --all --both")).0), [-1.5, 0.5]);
    assert_eq!(ts(&json(&format!("{inside} --both")).0), [0.5], "the nearest to the origin");
    let (d, status) = json("ray cube.obj --from 0,9,0 --dir 1,0,0 --json");
    assert_eq!((status, ts(&d).len()), (0, 0));
}

#[test]
fn shapes_and_scenes() {
    let (d, _) = json("ray sphere:1 --from -3,0,0 --dir 1,0,0 --all --json");
    assert_eq!(ts(&d), [2.0, 4.0]);
    assert!(d["hits"][0].get("triangle").is_none());
    let (d, _) = json("ray scene.json --from -3,0.3,0.1 --dir 1,0,0 --json");
    assert_eq!(ts(&d), [2.0]);
    assert_eq!(d["hits"][0]["part"], "left");
    let (d, _) = json("ray scene.json --from -3,0.3,0.1 --dir 1,0,0 --all --json");
    assert_eq!(d["hits"].as_array().unwrap().last().unwrap()["part"], "far");
    assert!(ts(&d).is_sorted());
}

#[test]
fn sentences_and_errors() {
    assert_eq!(stdout(&carom("ray cube.obj --from 9,9,9 --dir 1,0,0")), "no hit\n");
    let text = stdout(&carom("ray cube.obj --from 0.25,0.5,5 --dir 0,0,-1"));
    assert!(text.starts_with("t 4: triangle ") && text.ends_with("at 0.25 0.5 1, normal 0 0 1\n"), "{text}");
    assert!(error("ray cube.obj --from 0,0,0 --dir 0,0,0").contains("the direction is zero"));
    assert!(error("ray cube.obj --from 0,0 --dir 0,0,1").contains("2 numbers; 3 are needed"));
    assert!(error("ray no.obj --from 0,0,0 --dir 0,0,1").contains("no.obj: "));
}

#[test]
fn costs_are_reported_on_demand() {
    let ray = "ray cube.obj --from 0.25,0.5,5 --dir 0,0,-1";
    assert!(json(&format!("{ray} --json")).0.get("cost").is_none());
    let (d, _) = json(&format!("{ray} --cost --json"));
    let count = |name: &str| d["cost"][name].as_u64().unwrap_or_else(|| panic!("{name}: {d}"));
    assert!(1 <= count("pair_tests") && count("pair_tests") <= count("primitives"), "{d}");
    assert!(1 <= count("nodes") && count("primitives") <= 12, "{d}");
    let text = stdout(&carom(&format!("{ray} --cost")));
    assert!(text.lines().nth(1).is_some_and(|line| line.starts_with("cost: ")), "{text}");
}

#[test]
fn hits_of_one_crossing_are_one() {
    // Through the middle of a side, which a diagonal crosses, and through a corner.
    for (dir, raw, merged) in [("0,0,-1", 4, 2), ("1,1,1", 12, 2)] {
        let from = if raw == 4 { "0,0,5" } else { "-5,-5,-5" };
        let ray = format!("ray cube.obj --from {from} --dir {dir} --all --json");
        let n = |more: &str| json(&format!("{ray}{more}")).0["hits"].as_array().unwrap().len();
        assert!(merged < n(" --raw") && n(" --raw") <= raw, "{}", n(" --raw"));
        assert_eq!(n(""), merged, "{dir}");
    }
    // Along an edge of the outline: in and out at one place.
    let grazing = json("ray cube.obj --from -5,1,0.3 --dir 1,-0,0 --all --json").0;
    assert!(ts(&grazing).is_sorted() && ts(&grazing).len() <= 4, "{grazing}");
    // Sheets that lie on each other are met from one side: one crossing. A step apart they are two.
    crate::run::file(
        "sheets.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1e-6\nv 1 0 1e-6\nv 0 1 1e-6\nf 1 2 3\nf 1 2 3\nf 4 5 6\n",
    );
    let sheets = "ray sheets.obj --from 0.2,0.2,5 --dir 0,0,-1 --all --json";
    assert_eq!((ts(&json(sheets).0).len(), ts(&json(&format!("{sheets} --raw")).0).len()), (2, 3));
    let batch = r#"{"op":"ray","a":{"file":"sheets.obj"},"origin":[0.2,0.2,5],"dir":[0,0,-1],"all":true}"#;
    let merged = batch.replace("true}", "true,\"merge\":true}");
    let answers = crate::run::batch(&format!("{batch}\n{merged}\n"));
    assert_eq!((ts(&answers[0]).len(), ts(&answers[1]).len()), (3, 2));
}

#[test]
fn hits_have_barycentric_coordinates() {
    crate::run::file("one.obj", "v 0 0 0\nv 4 0 0\nv 0 4 0\nf 1 2 3\n");
    let (d, _) = json("ray one.obj --from 1,2,9 --dir 0,0,-1 --json");
    assert_eq!(d["hits"][0]["barycentric"], serde_json::json!([0.25, 0.25, 0.5]));
    let (d, _) = json("ray sphere:1 --from 0,0,9 --dir 0,0,-1 --json");
    assert!(d["hits"][0].get("barycentric").is_none());
}

#[test]
fn small_numbers_have_exponents() {
    crate::run::file("tiny.obj", "v 0 0 0\nv 4e-28 0 0\nv 0 4e-28 0\nf 1 2 3\n");
    let text = stdout(&carom("ray tiny.obj --from 1e-28,1e-28,5.28e-28 --dir 0,0,-1"));
    assert!(text.starts_with("t 5.28e-28: triangle 0, at 1e-28 1e-28 0, normal 0 0 1"), "{text}");
}
