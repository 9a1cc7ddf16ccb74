//! Questions in lines, answers in lines, for valid and for broken lines.

use crate::run::{batch, carom, carom_list, folder, stdout};
use carom_testkit::data;
use carom_testkit::meshes::BOX_TRIANGLES;
use serde_json::{Value, json};

fn one(question: Value) -> Value {
    batch(&question.to_string()).remove(0)
}

#[test]
fn each_op_answers() {
    let d = one(
        json!({"id": 1, "op": "distance", "a": {"sphere": 1}, "b": {"box": [1, 1, 1]}, "pose_b": [4, 0, 0, 0, 0, 0, 1]}),
    );
    assert_eq!(
        (d["id"].as_u64(), d["distance"].as_f64(), d["intersects"].as_bool()),
        (Some(1), Some(2.0), Some(false))
    );
    let d = one(
        json!({"id": "x", "op": "contact", "a": {"box": [1, 1, 1]}, "b": {"box": [1, 1, 1]}, "pose_b": [1.5, 0, 0, 0, 0, 0, 1]}),
    );
    assert_eq!(d["id"], "x");
    assert!((d["depth"].as_f64().unwrap() - 0.5).abs() < 1e-12);
    assert_eq!(d["normal"], json!([1.0, 0.0, 0.0]));
    let d = one(
        json!({"id": 2, "op": "intersects", "a": {"capsule": [1, 0.5]}, "b": {"cylinder": [1, 0.5]}, "pose_b": [0, 2, 0, 0, 0, 0, 1]}),
    );
    assert_eq!(d["intersects"], true);
    let d = one(
        json!({"id": 3, "op": "ray", "a": {"ellipsoid": [1, 2, 3]}, "origin": [0, 0, -5], "dir": [0, 0, 1], "all": true}),
    );
    let ts: Vec<f64> = d["hits"].as_array().unwrap().iter().map(|h| h["t"].as_f64().unwrap()).collect();
    assert!((ts[0] - 2.0).abs() < 1e-9 && (ts[1] - 8.0).abs() < 1e-9, "{d}");
    let d = one(json!({"id": 4, "op": "point", "a": {"cone": [1, 1]}, "point": [0, 3, 0]}));
    assert!((d["distance"].as_f64().unwrap() - 2.0).abs() < 1e-9, "{d}");
    assert_eq!(d["inside"], false);
    let d = one(json!({"id": 5, "op": "point", "a": {"box": [1, 1, 1]}, "point": [0.75, 0, 0]}));
    assert_eq!((d["inside"].as_bool(), d["distance"].as_f64()), (Some(true), Some(0.25)));
    assert_eq!(d["nearest"], json!([1.0, 0.0, 0.0]));
    let d = one(json!({"op": "point", "a": {"tapered": [1, 0.5, 0.25]}, "point": [0, -3, 0]}));
    assert_eq!(d["distance"], 1.75);
    let d = one(json!({"op": "point", "a": {"round-box": [1, 1, 1, 0.5]}, "point": [4, 5, 1]}));
    assert_eq!(d["distance"], 4.5);
    let d = one(json!({"op": "point", "a": {"round-box": [1, 1, 1, -0.5]}, "point": [4, 5, 1]}));
    assert!(d["error"].as_str().unwrap().starts_with("\"a\": round-box: "), "{d}");
}

#[test]
fn meshes_hulls_and_files() {
    let tetra = json!({"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]});
    let hull = json!({"hull": tetra["vertices"]});
    let d = one(json!({"op": "distance", "a": {"mesh": tetra}, "b": hull, "pose_b": [3, 0, 0, 0, 0, 0, 1]}));
    assert_eq!((d["id"].is_null(), d["distance"].as_f64()), (true, Some(2.0)));
    assert!(d.get("triangle_pairs").is_none());
    let file = folder().join("cube.obj").display().to_string();
    let questions = (0..20).map(|i| {
        let x = 2.25 + f64::from(i);
        json!({"id": i, "op": "distance", "a": {"file": file}, "b": {"file": file, "scale": 1},
            "matrix_b": [1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]})
        .to_string()
    });
    let answers = batch(&questions.collect::<Vec<_>>().join("\n"));
    for (i, d) in answers.iter().enumerate() {
        assert_eq!((d["id"].as_u64(), d["distance"].as_f64()), (Some(i as u64), Some(i as f64 + 0.25)));
        assert_eq!(d["triangle_pairs"], 0);
    }
    let d = one(json!({"op": "contact", "a": {"file": file}, "b": {"file": file}}));
    assert!(d["intersects"] == true && d["depth"].is_number() && d["normal"].is_array(), "{d}");
}

/// Point clouds, voxels and octrees, from files and inline, in each question that takes shapes.
#[test]
fn clouds_and_cells_answer() {
    let at = crate::clusters::files();
    let cloud = json!({"points": {"radius": 0.1, "at": [[2, 0.25, 0.25], [3, 0.25, 0.25], [9, 9, 9]]}});
    let read = json!({"points": {"radius": 0.1, "file": format!("{at}/scan.xyz")}});
    let boxes = json!({"voxels": {"cell": 0.5, "boxes": [[0, 0, 0, 1, 0, 0]]}});
    let moved =
        json!({"voxels": {"cell": [0.25, 0.5, 0.5], "origin": [-0.5, 0, 0], "boxes": [2, 0, 0, 5, 0, 0]}});
    let octree = json!({"octree": format!("{at}/map.bt")});
    let file = json!({"file": format!("{at}/map.bt")});
    for cells in [&boxes, &moved, &octree, &file] {
        for points in [&cloud, &read] {
            let d = one(json!({"op": "distance", "a": cells, "b": points}));
            assert!((d["distance"].as_f64().unwrap() - 0.9).abs() < 1e-12, "{d}");
            let d =
                one(json!({"op": "intersects", "a": points, "b": cells, "pose_a": [-1, 0, 0, 0, 0, 0, 1]}));
            assert_eq!(d["intersects"], true, "{d}");
            let d = one(json!({"op": "cast", "a": points, "b": cells, "by": [-2, 0, 0]}));
            assert!((d["time"].as_f64().unwrap() - 0.45).abs() < 1e-6, "{d}");
        }
        let d = one(
            json!({"op": "contact", "a": cells, "b": {"sphere": 0.5}, "pose_b": [1.25, 0.25, 0.25, 0, 0, 0, 1]}),
        );
        assert!((d["depth"].as_f64().unwrap() - 0.25).abs() < 1e-9, "{d}");
        let d = one(json!({"op": "ray", "a": cells, "origin": [3, 0.25, 0.25], "dir": [-1, 0, 0]}));
        assert_eq!(d["hits"][0]["t"], 2.0, "{d}");
        let d = one(json!({"op": "point", "a": cells, "point": [1.5, 0.25, 0.25]}));
        assert_eq!((d["distance"].as_f64(), d["inside"].as_bool()), (Some(0.5), Some(false)), "{d}");
    }
    let mut twice = file.clone();
    twice["scale"] = json!(2);
    let d = one(json!({"op": "point", "a": twice, "point": [2.5, 0.5, 0.5]}));
    assert_eq!(d["distance"], 0.5, "{d}");
    // A file is read once for each scale, also for several poses.
    let questions = (0..6).map(|i| {
        json!({"id": i, "op": "distance", "a": octree, "b": {"sphere": 0.25}, "pose_b": [2 + i, 0.25, 0.25, 0, 0, 0, 1]})
            .to_string()
    });
    for (i, d) in batch(&questions.collect::<Vec<_>>().join("\n")).iter().enumerate() {
        assert_eq!(d["distance"].as_f64(), Some(i as f64 + 0.75), "{d}");
    }
    for (shape, why) in [
        (json!({"points": {"at": [[0, 0, 0]]}}), "\"radius\" is needed"),
        (json!({"points": {"radius": 1}}), "are needed"),
        (json!({"points": {"radius": 0, "at": [[0, 0, 0]]}}), "points: "),
        (json!({"octree": 7}), "not the name of a file"),
        (json!({"octree": format!("{at}/cut.bt")}), "no line"),
        (json!({"voxels": {"boxes": []}}), "no \"cell\""),
        (json!({"voxels": {"cell": 1, "boxes": [[0, 0, 0]]}}), "boxes: row 0: 3 numbers; 6 are needed"),
        (json!({"voxels": {"cell": 1, "boxes": [[0, 0, 0, 0, 0, 0.5]]}}), "0.5 is no cell"),
        (json!({"voxels": {"cell": 1, "boxes": []}}), "no cell is occupied"),
    ] {
        let d = one(json!({"op": "point", "a": shape, "point": [0, 0, 0]}));
        assert!(d["error"].as_str().is_some_and(|text| text.contains(why)), "{shape}: {d}");
    }
}

#[test]
fn every_inline_shape_has_a_scale() {
    let tetra = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
    let triangles = json!([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]);
    let doubled = tetra.map(|p| p.map(|x| 2 * x));
    let at = crate::clusters::files();
    let (scan, map) = (format!("{at}/scan.xyz"), format!("{at}/map.bt"));
    for (shape, twice) in [
        (json!({"sphere": 1}), json!({"sphere": 2})),
        (json!({"sphere": [1]}), json!({"sphere": [2]})),
        (json!({"box": [1, 2, 3]}), json!({"box": [2, 4, 6]})),
        (json!({"round-box": [1, 2, 3, 0.5]}), json!({"round-box": [2, 4, 6, 1]})),
        (json!({"capsule": [1, 0.5]}), json!({"capsule": [2, 1]})),
        (json!({"tapered": [1, 0.5, 0.25]}), json!({"tapered": [2, 1, 0.5]})),
        (json!({"cylinder": [1, 0.5]}), json!({"cylinder": [2, 1]})),
        (json!({"cone": [1, 0.5]}), json!({"cone": [2, 1]})),
        (json!({"torus": [1, 0.25]}), json!({"torus": [2, 0.5]})),
        (json!({"ellipsoid": [1, 2, 3]}), json!({"ellipsoid": [2, 4, 6]})),
        (json!({"hull": tetra}), json!({"hull": doubled})),
        (
            json!({"mesh": {"vertices": tetra, "triangles": triangles}}),
            json!({"mesh": {"vertices": doubled, "triangles": triangles}}),
        ),
        (json!({"points": {"radius": 0.25, "at": tetra}}), json!({"points": {"radius": 0.5, "at": doubled}})),
        (
            json!({"points": {"radius": 0.25, "file": scan}, "scale": 0.5}),
            json!({"points": {"radius": 0.25, "file": scan}}),
        ),
        (
            json!({"voxels": {"cell": 0.5, "origin": [1, 0, 0], "boxes": [[0, 0, 0, 1, 0, 0]]}}),
            json!({"voxels": {"cell": 1, "origin": [2, 0, 0], "boxes": [[0, 0, 0, 1, 0, 0]]}}),
        ),
        (json!({"octree": map, "scale": 0.5}), json!({"octree": map})),
    ] {
        let mut scaled = shape.clone();
        scaled["scale"] = json!(2.0 * shape.get("scale").map_or(1.0, |s| s.as_f64().unwrap()));
        let check = |a: &Value| {
            let point =
                one(json!({"op": "point", "a": a, "point": [9, 7, 8], "pose_a": [1, 0, 0, 0, 0, 0, 1]}));
            let ball = json!({"sphere": 0.5});
            let pair = one(json!({"op": "distance", "a": a, "b": ball, "pose_b": [9, 7, 8, 0, 0, 0, 1]}));
            (point["distance"].as_f64().unwrap(), pair["distance"].as_f64().unwrap())
        };
        let (found, expected) = (check(&scaled), check(&twice));
        assert_eq!(found, expected, "{scaled}");
        assert_ne!(found, check(&shape), "{scaled}");
    }
    for (scale, why) in [(json!(0), "a scale of 0"), (json!(-1), "a scale of -1"), (json!("x"), "a scale of")]
    {
        let d = one(json!({"op": "point", "a": {"sphere": 1, "scale": scale}, "point": [0, 0, 0]}));
        assert!(d["error"].as_str().is_some_and(|text| text.contains(why)), "{scale}: {d}");
    }
}

#[test]
fn costs_are_reported_on_demand() {
    let (ball, cube) = (json!({"sphere": 1}), json!({"file": "cube.obj"}));
    for (mut question, name) in [
        (json!({"op": "distance", "a": ball, "b": cube, "pose_b": [4, 0, 0, 0, 0, 0, 1]}), "primitives"),
        (json!({"op": "contact", "a": ball, "b": cube, "pose_b": [1, 0, 0, 0, 0, 0, 1]}), "pair_tests"),
        (json!({"op": "intersects", "a": cube, "b": cube}), "pair_tests"),
        (
            json!({"op": "cast", "a": ball, "b": cube, "by": [4, 0, 0], "pose_b": [4, 0, 0, 0, 0, 0, 1]}),
            "searches",
        ),
        (json!({"op": "ray", "a": cube, "origin": [0.1, 0.2, 5], "dir": [0, 0, -1]}), "pair_tests"),
        (json!({"op": "point", "a": cube, "point": [3, 0.2, 0.1]}), "pair_tests"),
    ] {
        let plain = one(question.clone());
        assert!(plain.get("cost").is_none(), "{plain}");
        question["cost"] = json!(true);
        let mut counted = one(question);
        let cost = counted.as_object_mut().unwrap().remove("cost").unwrap_or_else(|| panic!("{plain}"));
        assert!(1 <= cost[name].as_u64().unwrap(), "{name}: {cost}");
        assert_eq!(counted, plain);
    }
}

#[test]
fn proofs_are_reported_on_demand() {
    let (ball, cube) = (json!({"sphere": 1}), json!({"file": "cube.obj"}));
    for op in ["distance", "contact", "intersects"] {
        let mut question = json!({"op": op, "a": ball, "b": cube, "pose_b": [4, 0, 0, 0, 0, 0, 1]});
        assert!(one(question.clone()).get("plane").is_none());
        question["proof"] = json!(true);
        let d = one(question.clone());
        let [end, start] = ["end_of_a", "start_of_b"].map(|name| d["plane"][name].as_f64().unwrap());
        let bound = d["distance_at_least"].as_f64().unwrap();
        assert!(d["intersects"] == false && 0.0 < bound && 0.0 < start - end, "{d}");
        assert!((start - end - bound).abs() < 1e-6, "{d}");
        question["pose_b"] = json!([1, 0, 0, 0, 0, 0, 1]);
        let d = one(question);
        assert!(d["intersects"] == true && d.get("plane").is_none(), "{d}");
        assert!(d.get("distance_at_least").is_none(), "{d}");
    }
    let mut question =
        json!({"op": "cast", "a": ball, "b": ball, "by": [8, 0, 0], "pose_a": [-4, 3, 0, 0, 0, 0, 1]});
    assert!(one(question.clone()).get("distance_at_least").is_none());
    question["proof"] = json!(true);
    let d = one(question);
    let bound = d["distance_at_least"].as_f64().unwrap_or_else(|| panic!("{d}"));
    assert!(d["hit"] == false && 0.5 < bound && bound <= 1.0, "{d}");
}

#[test]
fn bad_lines_never_end_the_run() {
    let bad = [
        (r#"hello"#, "line 1: "),
        (r#"7"#, "not an object"),
        (r#"{"id":1}"#, "no \"op\""),
        (r#"{"id":1,"op":"juggle"}"#, "unknown op \"juggle\""),
        (r#"{"id":1,"op":"distance","a":{"sphere":1}}"#, "no shape \"b\""),
        (r#"{"id":1,"op":"distance","a":{"sphere":-1},"b":{"sphere":1}}"#, "sphere"),
        (r#"{"id":1,"op":"distance","a":{"sphere":1e999},"b":{"sphere":1}}"#, ""),
        (r#"{"id":1,"op":"distance","a":{"box":[1,1]},"b":{"sphere":1}}"#, "2 numbers; 3 are needed"),
        (r#"{"id":1,"op":"distance","a":{"blob":1},"b":{"sphere":1}}"#, "unknown shape \"blob\""),
        (r#"{"id":1,"op":"distance","a":{},"b":{"sphere":1}}"#, "one member"),
        (r#"{"id":1,"op":"distance","a":{"hull":[[0,0,0]]},"b":{"sphere":1}}"#, "hull"),
        (
            r#"{"id":1,"op":"distance","a":{"hull":[[0,0]]},"b":{"sphere":1}}"#,
            "hull: points: row 0: 2 numbers; 3 are needed",
        ),
        (
            r#"{"id":1,"op":"distance","a":{"mesh":{"vertices":[[0,0,0]],"triangles":[[0,0,1]]}},"b":{"sphere":1}}"#,
            "triangle 0: 1 is no vertex",
        ),
        (
            r#"{"id":1,"op":"distance","a":{"mesh":{"vertices":[[0,0,0]],"triangles":[[0,0,0.5]]}},"b":{"sphere":1}}"#,
            "no vertex",
        ),
        (
            r#"{"id":1,"op":"distance","a":{"mesh":{"vertices":[[0,0,0]],"triangles":[]}},"b":{"sphere":1}}"#,
            "no triangle",
        ),
        (r#"{"id":1,"op":"distance","a":{"file":"no.obj"},"b":{"sphere":1}}"#, "no.obj: "),
        (r#"{"id":1,"op":"distance","a":{"file":"cube.obj","scale":0},"b":{"sphere":1}}"#, "a scale of 0"),
        (r#"{"id":1,"op":"distance","a":{"sphere":1},"b":{"sphere":1},"pose_a":[0,0,0,0,0,0,0]}"#, "pose_a"),
        (
            r#"{"id":1,"op":"distance","a":{"sphere":1},"b":{"sphere":1},"pose_a":[0,0,0]}"#,
            "3 numbers; 7 are needed",
        ),
        (
            r#"{"id":1,"op":"distance","a":{"sphere":1},"b":{"sphere":1},"matrix_b":[2,0,0,0,0,2,0,0,0,0,2,0,0,0,0,1]}"#,
            "not rigid",
        ),
        (r#"{"id":1,"op":"ray","a":{"sphere":1},"origin":[0,0,0],"dir":[0,0,0]}"#, "\"dir\" is zero"),
        (r#"{"id":1,"op":"ray","a":{"sphere":1},"dir":[0,0,1]}"#, "no \"origin\""),
        (r#"{"id":1,"op":"point","a":{"sphere":1},"point":[0,0,null]}"#, "null instead of a number"),
        // Rows of other lengths are not cut anew, although their numbers would fill triangles.
        (
            r#"{"id":1,"op":"point","a":{"mesh":{"vertices":[[0,0,0],[1,0,0],[1,1,0],[0,1,0]],"triangles":[[0,1,2,3],[0,1,2,3],[0,1,2,3]]}},"point":[0,0,0]}"#,
            "mesh: triangles: row 0: 4 numbers; 3 are needed",
        ),
        (
            r#"{"id":1,"op":"point","a":{"mesh":{"vertices":[0,0,0,1,0,0,0,1,0],"triangles":[0,1,2,0]}},"point":[0,0,0]}"#,
            "mesh: triangles: 4 numbers, not 3 in each row",
        ),
        (
            r#"{"id":1,"op":"point","a":{"hull":[[0,0],[1,0,0,1],[0,0,1]]},"point":[0,0,0]}"#,
            "hull: points: row 0: 2 numbers; 3 are needed",
        ),
        (
            r#"{"id":1,"op":"point","a":{"hull":[[0,0,0],1,0,0]},"point":[0,0,0]}"#,
            "row 1: a number instead of a list",
        ),
        (
            r#"{"id":1,"op":"point","a":{"voxels":{"cell":1,"boxes":[[0,0,0],[1,1,1]]}},"point":[0,0,0]}"#,
            "boxes: row 0: 3 numbers; 6 are needed",
        ),
        (r#"{"id":1,"op":"point","a":{"box":[[1,1],[1]]},"point":[0,0,0]}"#, "a list instead of a number"),
        // Members that are not understood would change the answer.
        (
            r#"{"id":1,"op":"distance","a":{"sphere":1},"b":{"sphere":1},"poseb":[4,0,0,0,0,0,1]}"#,
            "unknown member \"poseb\"; known are id op cost proof a b pose_a pose_b",
        ),
        (
            r#"{"id":1,"op":"ray","a":{"sphere":1},"origin":[0,0,5],"dir":[0,0,-1],"pose":[4,0,0,0,0,0,1]}"#,
            "unknown member \"pose\"",
        ),
        (
            r#"{"id":1,"op":"point","a":{"sphere":1},"point":[0,0,0],"pose_b":[4,0,0,0,0,0,1]}"#,
            "unknown member \"pose_b\"",
        ),
        (
            r#"{"id":1,"op":"point","a":{"file":"cube.obj","hull":true},"point":[0,0,0]}"#,
            "unknown member \"hull\"",
        ),
        (
            r#"{"id":1,"op":"point","a":{"points":{"radius":1,"at":[[0,0,0]],"pose":1}},"point":[0,0,0]}"#,
            "unknown member \"pose\"",
        ),
        (
            r#"{"id":1,"op":"point","a":{"points":{"radius":1,"at":[[0,0,0]],"file":7}},"point":[0,0,0]}"#,
            "are needed",
        ),
        (
            r#"{"id":1,"op":"ray","a":{"sphere":1},"origin":[0,0,5],"dir":[0,0,-1],"all":"true"}"#,
            "\"all\" is \"true\", not true or false",
        ),
        (
            r#"{"id":1,"op":"ray","a":{"sphere":1},"origin":[0,0,5],"dir":[0,0,-1],"both":1}"#,
            "\"both\" is 1, not true or false",
        ),
        (
            r#"{"id":1,"op":"distance","a":{"sphere":1},"b":{"sphere":1},"proof":"yes"}"#,
            "\"proof\" is \"yes\", not true or false",
        ),
    ];
    for (line, expected) in bad {
        let good = r#"{"id":9,"op":"intersects","a":{"sphere":1},"b":{"sphere":1}}"#;
        let answers = batch(&format!("{line}\n\n{good}\n"));
        assert_eq!(answers.len(), 2, "{line}");
        let error = answers[0]["error"].as_str().unwrap_or_else(|| panic!("{line}: {}", answers[0]));
        assert!(error.contains(expected) && !error.contains('\n'), "{line}: {error}");
        assert_eq!(answers[1], json!({"id": 9, "intersects": true}));
    }
}

#[test]
fn questions_may_lie_in_a_file_and_be_in_any_encoding() {
    let file = folder().join("questions.jsonl");
    std::fs::write(
        &file,
        b"\xff\xfe\n{\"id\":1,\"op\":\"intersects\",\"a\":{\"sphere\":1},\"b\":{\"sphere\":1}}",
    )
    .unwrap();
    let text = stdout(&carom(&format!("batch {}", file.display())));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].contains("\"error\""));
    assert_eq!(lines[1], r#"{"id":1,"intersects":true}"#);
    assert_eq!(carom("batch no-such-file").status.code(), Some(2));
    assert_eq!(carom_list(&["batch"], b"").status.code(), Some(0));
}

#[test]
fn answers_come_at_once() {
    use std::io::{BufRead, Write};
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_carom"))
        .arg("batch")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
    for i in 0..3 {
        writeln!(stdin, r#"{{"id":{i},"op":"intersects","a":{{"sphere":1}},"b":{{"sphere":1}}}}"#).unwrap();
        // The answer is there before the next question is asked.
        assert!(answers.next().unwrap().unwrap().starts_with(&format!("{{\"id\":{i},")));
    }
    drop(stdin);
    child.wait().unwrap();
}

#[test]
fn real_rays_and_points() {
    let (Some(rays), Some(points)) =
        (data::find("queries/ray_cases.json"), data::find("queries/point_cases.json"))
    else {
        return;
    };
    let read = |p: &std::path::Path| -> Value { serde_json::from_slice(&std::fs::read(p).unwrap()).unwrap() };
    let meshes = read(&data::find("meshes/meshes.json").unwrap());
    let file = |name: &Value| {
        let entry = meshes.as_array().unwrap().iter().find(|m| m["name"] == *name).unwrap();
        data::find(entry["file"].as_str().unwrap()).unwrap().display().to_string()
    };
    let rays = read(&rays);
    let rays = rays["cases"].as_array().unwrap();
    let questions: Vec<String> = rays
        .iter()
        .map(|c| {
            json!({"op": "ray", "a": {"file": file(&c["mesh"])}, "origin": c["origin"], "dir": c["dir"]})
                .to_string()
        })
        .collect();
    let (mut n_hits, mut n_same) = (0, 0);
    for (c, d) in rays.iter().zip(batch(&questions.join("\n"))) {
        match c.get("t").and_then(Value::as_f64) {
            Some(t) => {
                let found = d["hits"][0]["t"].as_f64().unwrap_or(f64::INFINITY);
                let is_same = (found - t).abs() <= 1e-9 * t.abs().max(1e-3);
                // The reference counts a ray that misses a triangle by less than 1e-9 of its size.
                // The exact answer is a miss.
                assert!(is_same || c["clean"] == false && t < found, "{c} {d}");
                n_same += usize::from(is_same);
                n_hits += 1;
            }
            None => assert!(d["hits"].as_array().unwrap().is_empty(), "{c} {d}"),
        }
    }
    assert!(100 < n_hits && n_hits < rays.len() && n_hits <= n_same + 4, "{n_same} of {n_hits}");
    let points = read(&points);
    let points = points["cases"].as_array().unwrap();
    let questions: Vec<String> = points
        .iter()
        .map(|c| json!({"op": "point", "a": {"file": file(&c["mesh"])}, "point": c["point"]}).to_string())
        .collect();
    let mut n_unknown = 0;
    for (c, d) in points.iter().zip(batch(&questions.join("\n"))) {
        let (expected, found) = (c["distance"].as_f64().unwrap(), d["distance"].as_f64().unwrap());
        assert!((expected - found).abs() <= 1e-9 * expected.max(1.0), "{c} {d}");
        let winding = c["winding_number"].as_f64().unwrap();
        match d["inside"].as_bool() {
            // Off the surface of a closed mesh the reference is a whole number, with the sign of
            // the orientation in the file.
            Some(inside) if 1e-9 < expected => assert_eq!(inside, 0.5 < winding.abs(), "{c} {d}"),
            Some(_) => {}
            None => n_unknown += 1,
        }
    }
    assert!(0 < n_unknown && 60 < points.len() - n_unknown, "{n_unknown} of {}", points.len());
}

/// Facets that face the wrong way are turned, with a note; a mesh that does not tell inside from
/// outside says so.
#[test]
fn turned_facets_and_open_meshes() {
    let vertices: Vec<[u32; 3]> = (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2]).collect();
    let question = |turned: std::ops::Range<usize>, n: usize| {
        let mut faces = BOX_TRIANGLES.to_vec();
        faces[turned].iter_mut().for_each(|t| t.swap(1, 2));
        faces.truncate(n);
        let mesh = json!({"mesh": {"vertices": vertices, "triangles": faces}});
        json!({"op": "point", "a": mesh, "point": [0.5, 0.5, 0.25]}).to_string()
    };
    let check_answer = |arguments: &[&str], question: String| {
        let output = carom_list(arguments, question.as_bytes());
        let answer: Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(answer["distance"], 0.25, "{answer}");
        assert_eq!(crate::run::stderr(&output), "");
        (answer["inside"].clone(), answer["notes"].clone())
    };
    assert_eq!(check_answer(&["batch"], question(0..0, 12)), (json!(true), Value::Null));
    for (range, n) in [(0..12, 12), (3..4, 1), (2..9, 7)] {
        let (inside, notes) = check_answer(&["batch"], question(range.clone(), 12));
        assert_eq!(inside, true);
        assert_eq!(notes, json!([format!("\"a\": mesh: {n} of 12 triangles turned to face outwards")]));
        let (inside, notes) = check_answer(&["batch", "--keep-orientation"], question(range, 12));
        assert_eq!(inside, Value::Null);
        let why = if n == 12 { "winds backwards around the point" } else { "cannot be told apart" };
        let said = [format!("{n} of 12 triangles face inwards and are kept so"), why.to_owned()];
        for (k, words) in said.iter().enumerate() {
            assert!(notes[k].as_str().is_some_and(|note| note.contains(words)), "{notes}");
        }
    }
    let (inside, notes) = check_answer(&["batch"], question(0..0, 10));
    assert_eq!(inside, Value::Null);
    assert!(notes[0].as_str().is_some_and(|note| note.contains("cannot be told apart")), "{notes}");
}

/// Cubes that touch along a face, and overlap by 0.1 and by 1 with four faces flush.
#[test]
fn flush_cubes_touch_or_overlap() {
    let cube = |low: f64, high: f64| {
        let end = |i: usize, bit: usize, low: f64, high: f64| if i >> bit & 1 == 0 { low } else { high };
        let vertices: Vec<[f64; 3]> =
            (0..8).map(|i| [end(i, 0, low, high), end(i, 1, -1.0, 1.0), end(i, 2, 0.0, 2.0)]).collect();
        json!({"mesh": {"vertices": vertices, "triangles": BOX_TRIANGLES}})
    };
    for (x, contact) in [(0.0, "touching"), (-0.1, "overlapping"), (-1.0, "overlapping"), (0.5, "clear")] {
        let d = one(
            json!({"op": "contact", "a": cube(-2.0, 0.0), "b": cube(0.0, 2.0), "pose_b": [x, 0, 0, 0, 0, 0, 1]}),
        );
        assert_eq!(d["contact"], contact, "{d}");
        if contact == "overlapping" {
            for key in ["depth", "depth_at_least", "depth_at_most"] {
                assert!((d[key].as_f64().unwrap() + x).abs() < 1e-9, "{key} {d}");
            }
            assert!((d["normal"][0].as_f64().unwrap() - 1.0).abs() < 1e-9, "{d}");
        } else {
            assert!(d.get("depth_at_least").is_none(), "{d}");
        }
    }
}

/// An id is an echo, and no number: its digits stay as they are.
#[test]
fn ids_come_back_as_they_are_written() {
    let point = r#""op":"point","a":{"sphere":1},"point":[2,0,0]"#;
    let ids = [
        "18446744073709551616",
        "123456789012345678901234567890",
        "-9223372036854775809",
        "-1",
        "1.50",
        "1e2",
        "-0",
        "0.1000000000000000055",
        r#"[1.0,{"a":18446744073709551617}]"#,
        r#""a\u0020b""#,
        "true",
        "null",
    ];
    for id in ids {
        let question =
            format!("{{\"id\":{id},{point}}}\n{{{point},\"id\": {id} }}\n{{\"id\":{id},\"op\":\"none\"}}\n");
        let text = stdout(&carom_list(&["batch"], question.as_bytes()));
        let answers: Vec<&str> = text.lines().collect();
        assert_eq!(answers[0], answers[1], "{id}");
        assert!(answers[0].starts_with(&format!("{{\"id\":{id},\"distance\":1.0,")), "{text}");
        assert!(answers[2].starts_with(&format!("{{\"id\":{id},\"error\":\"unknown op")), "{text}");
    }
    // A number beyond all doubles is no JSON number of this program.
    let answers = batch(&format!("{{\"id\":1e999,{point}}}\n{{\"id\":2,{point}}}\n"));
    assert!(answers[0]["error"].as_str().unwrap().starts_with("line 1: number out of range"), "{answers:?}");
    assert_eq!(answers[1]["id"], 2);
    // A byte order mark stands before the first line of a file.
    let marked = batch(&format!("\u{feff}{{\"id\":3,{point}}}\n"));
    assert_eq!((&marked[0]["id"], &marked[0]["distance"]), (&json!(3), &json!(1.0)));
}
