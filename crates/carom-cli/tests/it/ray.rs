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
