//! glTF files whose parts move: checked at a time, and played.

use crate::run::{carom, error, file, json, stdout};
use base64::Engine;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// An arm goes 2 m in 2 s towards a post and overlaps it from 1 s on; a bulge swells onto both. A
/// rider hangs from the arm, and a worm with two joints is on the other side.
fn machine() -> String {
    let mut bytes = Vec::new();
    let (mut views, mut accessors) = (Vec::new(), Vec::new());
    let mut push = |numbers: &[f32], kind: &str, width: usize| {
        views.push(json!({"buffer": 0, "byteOffset": bytes.len(), "byteLength": 4 * numbers.len()}));
        bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
        let count = numbers.len() / width;
        accessors.push(
            json!({"bufferView": accessors.len(), "componentType": 5126, "count": count, "type": kind}),
        );
        accessors.len() - 1
    };
    let corner = |i: usize| [0, 1, 2].map(|axis| if i >> axis & 1 == 0 { -0.5 } else { 0.5 });
    // Corners are written out: no indices are needed.
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let corners: Vec<[f32; 3]> =
        faces.iter().flat_map(|[a, b, c, d]| [*a, *b, *c, *a, *c, *d]).map(corner).collect();
    let cube = push(corners.as_flattened(), "VEC3", 3);
    let swollen = push(&corners.as_flattened().iter().map(|x| 2.0 * x).collect::<Vec<_>>(), "VEC3", 3);
    let times = push(&[0.0, 2.0], "SCALAR", 1);
    let translations = push(&[0.0, 0.0, 0.0, 2.0, 0.0, 0.0], "VEC3", 3);
    let weights = push(&[0.0, 1.0], "SCALAR", 1);
    let halves: Vec<f32> = corners
        .iter()
        .flat_map(|p| if p[0] < 0.0 { [1.0, 0.0, 0.0, 0.0] } else { [0.25, 0.75, 0.0, 0.0] })
        .collect();
    let halves = push(&halves, "VEC4", 4);
    let turn = push(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8], "VEC4", 4);
    let joints = accessors.len();
    views.push(json!({"buffer": 0, "byteOffset": bytes.len(), "byteLength": 4 * corners.len()}));
    bytes.extend(corners.iter().flat_map(|_| [0, 1, 0, 0]));
    accessors
        .push(json!({"bufferView": joints, "componentType": 5121, "count": corners.len(), "type": "VEC4"}));
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
    json!({
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0, 1, 2, 4, 5]}],
        "nodes": [
            {"name": "post", "mesh": 0, "translation": [2.0, 0.0, 0.0]},
            {"name": "arm", "mesh": 0, "children": [3]},
            {"name": "bulge", "mesh": 1, "translation": [0.0, 1.6, 0.0]},
            {"name": "rider", "mesh": 1, "translation": [0.0, -3.0, 0.0], "weights": [0.2]},
            {"name": "worm", "mesh": 2, "skin": 0},
            {"translation": [-3.0, 0.0, 0.0], "children": [6]},
            {"name": "head"},
        ],
        "meshes": [
            {"primitives": [{"attributes": {"POSITION": cube}}]},
            {"primitives": [{"attributes": {"POSITION": cube}, "targets": [{"POSITION": swollen}]}]},
            {"primitives": [{"attributes": {"POSITION": cube, "JOINTS_0": joints, "WEIGHTS_0": halves}}]},
        ],
        "skins": [{"joints": [5, 6]}],
        "animations": [{
            "channels": [
                {"sampler": 0, "target": {"node": 1, "path": "translation"}},
                {"sampler": 1, "target": {"node": 2, "path": "weights"}},
                {"sampler": 2, "target": {"node": 6, "path": "rotation"}},
            ],
            "samplers": [
                {"input": times, "output": translations},
                {"input": times, "output": weights},
                {"input": times, "output": turn},
            ],
        }],
        "accessors": accessors, "bufferViews": views,
        "buffers": [{"byteLength": bytes.len(), "uri": format!("data:;base64,{data}")}],
    })
    .to_string()
}

/// The names of each pair, in order.
fn pairs(list: &Value, names: impl Fn(&Value) -> [String; 2]) -> BTreeSet<[String; 2]> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|pair| {
            let mut names = names(pair);
            names.sort();
            names
        })
        .collect()
}

fn colliding(document: &Value) -> BTreeSet<[String; 2]> {
    pairs(&document["pairs"], |pair| [&pair["a"], &pair["b"]].map(|name| name.as_str().unwrap().to_owned()))
}

#[test]
fn parts_are_checked_at_a_time() {
    file("machine.gltf", &machine());
    let (rest, status) = json("check machine.gltf --json");
    assert_eq!((status, &rest["time"], &rest["pairs"]), (0, &Value::Null, &json!([])));
    let note = "machine.gltf: the file has animations: its nodes stand as at rest; check --time poses them";
    assert_eq!(rest["notes"][0], note);
    let (start, status) = json("check machine.gltf --json --time 0.5");
    assert_eq!((status, &start["time"], &start["pairs"]), (0, &json!(0.5), &json!([])));
    let (met, status) = json("check machine.gltf --json --time 1.5");
    assert_eq!((status, &met["time"]), (1, &json!(1.5)));
    assert!(!met["notes"].to_string().contains("animations"), "{met}");
    let met = &met["pairs"];
    assert_eq!((met[0]["a"].as_str(), met[0]["b"].as_str()), (Some("post"), Some("arm")));
    assert_eq!(met[0]["contact"], "overlapping");
    assert!((met[0]["depth"].as_f64().unwrap() - 0.5).abs() < 1e-9, "{met}");
    assert_eq!((met[1]["a"].as_str(), met[1]["b"].as_str()), (Some("arm"), Some("bulge")));
    assert_eq!(met.as_array().unwrap().len(), 2);
    // After the end all stays, and a scene of files is posed too.
    let (last, _) = json("check machine.gltf --json --time 99");
    assert_eq!(last["pairs"][0]["contact"], "overlapping");
    file(
        "machines.json",
        r#"{"parts": [{"mesh": "machine.gltf", "name": "all"}, {"mesh": "cube.obj", "pose": [1,0,0,4, 0,1,0,-3, 0,0,1,0, 0,0,0,1]}]}"#,
    );
    assert_eq!(json("check machines.json --json --clearance 0.5").1, 0);
    assert_eq!(json("check machines.json --json --clearance 0.5 --time 2").0["pairs"][0]["a"], "all");
    let text = stdout(&carom("check machine.gltf --time 1.5"));
    assert!(text.ends_with("5 parts: 2 pairs collide; lengths in m, y up; at 1.5 s\n"), "{text}");
    assert!(error("check machine.gltf --time -1").contains("must not be negative"));
    let broken = machine().replacen("\"sampler\":2", "\"sampler\":7", 1);
    file("broken.gltf", &broken);
    assert_eq!(json("check broken.gltf --json").1, 0);
    let said = error("check broken.gltf --time 1");
    assert!(said.contains("broken.gltf: animations[0]: channels[2]: samplers[7] of 3"), "{said}");
}

/// The demo finds each contact that `check` finds at some time. Its parts are driven in four ways.
#[test]
fn a_file_is_played_and_its_parts_touch() {
    file("machine.gltf", &machine());
    let (document, status) = json("demo walk --file machine.gltf --frames 120 --json");
    assert_eq!(status, 0);
    let touching = pairs(&document["touching"], |pair| [0, 1].map(|i| pair[i].as_str().unwrap().to_owned()));
    let mut truth = BTreeSet::new();
    for frame in (0..120).step_by(8) {
        let (at, _) = json(&format!("check machine.gltf --json --time {}", f64::from(frame) / 60.0));
        truth.extend(colliding(&at));
    }
    assert!(2 <= truth.len() && truth.is_subset(&touching), "{truth:?} {touching:?}");
    let near = |a: &str, b: &str| touching.contains(&[a.to_owned(), b.to_owned()]);
    assert!(near("arm", "the ball") && !near("post", "rider") && !near("arm", "worm"), "{touching:?}");
    let (again, _) = json("demo walk --file machine.gltf --frames 120 --json");
    assert_eq!(document["hash"], again["hash"]);
    assert!(error("demo pile --file machine.gltf").contains("plays no file"));
    assert!(error("demo walk --file cube.obj").contains("cube.obj: not a glTF file"));
}
