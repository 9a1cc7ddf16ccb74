//! Moving shapes: known times, the same answers for files and for shapes, and errors for wrong
//! arguments.

use crate::run::{batch, carom, error, json, stdout};
use serde_json::{Value, json};

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// A proved bracket around a time that is known, not wider than nine digits.
fn brackets(d: &Value, time: f64) -> bool {
    let (low, high) = (number(&d["time"]), number(&d["time_end"]));
    d["hit"] == true
        && d["certified"] == true
        && low <= time + 1e-12
        && time <= high + 1e-12
        && high - low < 1e-7
}

fn near(value: &Value, expected: [f64; 3]) -> bool {
    value.as_array().unwrap().iter().zip(expected).all(|(x, y)| (number(x) - y).abs() < 1e-6)
}

#[test]
fn straight_sweeps() {
    let (d, status) = json("sweep sphere:0.5 box:1,1,1 --pose-a -4,0,0,0,0,0,1 --by 10,0,0 --json");
    assert_eq!((status, d["schema"].as_str()), (1, Some("carom.sweep.v1")));
    assert!(brackets(&d, 0.25), "{d}");
    assert!(near(&d["point"], [-1.0, 0.0, 0.0]) && near(&d["normal"], [1.0, 0.0, 0.0]), "{d}");
    // Boxes half a length apart, three lengths a step, face on face.
    let (d, status) = json("sweep box:1,1,1 box:1,1,1 --pose-b 2.5,0,0,0,0,0,1 --by 3,0,0 --json");
    assert!(status == 1 && brackets(&d, 0.5 / 3.0), "{d}");
    let (d, status) = json("sweep box:1,1,1 box:1,1,1 --pose-b 2.5,0,0,0,0,0,1 --by -3,0,0 --json");
    assert_eq!((status, &d["hit"], &d["certified"]), (0, &json!(false), &json!(true)));
    assert!(["time", "time_end", "point", "normal"].iter().all(|key| d[key].is_null()), "{d}");
    // Scales, and a way that ends just before.
    let pair = "sweep sphere:1 sphere:1 --scale-a 0.5 --scale-b 2 --pose-b 0,4.5,0,0,0,0,1 --json";
    assert!(brackets(&json(&format!("{pair} --by 0,4,0")).0, 0.5));
    assert_eq!(json(&format!("{pair} --by 0,1.99,0")).1, 0);
}

#[test]
fn turning() {
    // A bar that turns on the spot by a right angle; a ball above its end.
    let (d, status) = json(
        "sweep box:2,0.1,0.1 sphere:0.1 --pose-b 0,1.5,0,0,0,0,1 --by 0,0,0 --rotate-by 0,0,0.7071067811865476,0.7071067811865476 --json",
    );
    let time = (0.2_f64 / 1.5).acos() / core::f64::consts::FRAC_PI_2;
    assert!(status == 1 && brackets(&d, time), "{time} {d}");
    // The negative quaternion is the same turn, by the smaller angle.
    let (e, _) = json(
        "sweep box:2,0.1,0.1 sphere:0.1 --pose-b 0,1.5,0,0,0,0,1 --by 0,0,0 --rotate-by 0,0,-0.7071067811865476,-0.7071067811865476 --json",
    );
    assert!(brackets(&e, time), "{e}");
}

#[test]
fn a_file_turns_about_the_origin_of_its_frame() {
    let rest = "sphere:0.5 --pose-a 3,2,1,0,0,0.6,0.8 --pose-b 3.5,4.25,1.2,0,0,0,1 --by 0.2,1.0,-0.1 --rotate-by 0.36,0.48,0,0.8 --json";
    let (of_shape, _) = json(&format!("sweep box:1,1,1 {rest}"));
    let time = 0.5 * (number(&of_shape["time"]) + number(&of_shape["time_end"]));
    assert!(0.0 < time && brackets(&of_shape, time), "{of_shape}");
    for of in ["cube.obj", "hull:cube.obj"] {
        let (d, status) = json(&format!("sweep {of} {rest}"));
        assert!(status == 1 && (number(&d["time"]) - time).abs() < 1e-7, "{of}: {d} {of_shape}");
    }
    // A mesh is a surface: from inside it is met from inside.
    let (d, _) = json("sweep sphere:0.5 cube.obj --by 0,0,2 --json");
    assert!(brackets(&d, 0.25), "{d}");
    let (d, _) = json("sweep cube.obj cube.obj --pose-a -4,0.1,0.2,0,0,0,1 --by 8,0,0 --json");
    assert!(brackets(&d, 0.25), "{d}");
}

#[test]
fn in_contact_from_the_start_and_only_just() {
    let (d, status) = json("sweep box:1,1,1 box:1,1,1 --pose-b 1.5,0,0,0,0,0,1 --by 9,9,9 --json");
    assert!(status == 1 && brackets(&d, 0.0), "{d}");
    assert!(near(&d["normal"], [1.0, 0.0, 0.0]), "{d}");
    // Balls that graze each other halfway: rounded numbers cannot decide, so the answer is not
    // clear.
    let (d, status) = json("sweep sphere:1 sphere:1 --pose-a -5,2,0,0,0,0,1 --by 10,0,0 --json");
    assert_eq!((status, &d["hit"]), (1, &json!(true)), "{d}");
    assert!(number(&d["time"]) <= 0.5, "{d}");
    // Boxes that rest on each other: no overlap can be proved. The point is reported nevertheless.
    let (d, status) = json("sweep box:1,1,1 box:1,1,1 --pose-a 0,2,0,0,0,0,1 --by 1,0,0 --json");
    assert_eq!((status, &d["hit"], &d["certified"]), (1, &json!(true), &json!(false)), "{d}");
    assert!(number(&d["time"]) == 0.0 && d["time_end"].is_null() && d["point"].is_array(), "{d}");
}

#[test]
fn sentences_for_people() {
    let text = stdout(&carom("sweep sphere:1 sphere:1 --pose-a -5,0,0,0,0,0,1 --by 1,0,0"));
    assert_eq!(text, "no hit\n");
    let text = stdout(&carom("sweep sphere:1 sphere:1 --pose-a -4,0,0,0,0,0,1 --by 4,0,0"));
    assert!(text.starts_with("hit between 0.") && text.ends_with(", normal 1 0 0\n"), "{text}");
    let text = stdout(&carom("sweep box:1,1,1 box:1,1,1 --pose-a 0,2,0,0,0,0,1 --by 1,0,0"));
    assert!(text.starts_with("perhaps a hit, not before 0"), "{text}");
}

#[test]
fn what_is_never_met_has_a_bound_of_the_distance() {
    let (d, status) = json(
        "sweep sphere:1 box:1,1,1 --pose-a -5,3,0,0,0,0,1 --by 10,0,0 --rotate-by 0,0,0.6,0.8 --proof --json",
    );
    let least = d["distance_at_least"].as_f64().unwrap_or_else(|| panic!("{d}"));
    // It passes at a distance of 1.
    assert!(status == 0 && d["hit"] == false && 0.5 < least && least <= 1.0, "{d}");
    let past = "sweep sphere:1 sphere:1 --pose-a -4,3,0,0,0,0,1 --by 8,0,0";
    assert!(json(&format!("{past} --json")).0.get("distance_at_least").is_none());
    let text = stdout(&carom(&format!("{past} --proof")));
    let line = text.lines().nth(1).unwrap_or_else(|| panic!("{text}"));
    assert!(text.starts_with("no hit\n") && line.starts_with("proof: they are never nearer than "), "{text}");
    let (d, _) = json("sweep sphere:1 sphere:1 --pose-a -4,0,0,0,0,0,1 --by 4,0,0 --proof --json");
    assert!(d["hit"] == true && d.get("distance_at_least").is_none(), "{d}");
}

#[test]
fn costs_are_reported_on_demand() {
    let pair = "cube.obj cube.obj --pose-a -4,0.1,0.2,0,0,0,1 --by 8,0,0";
    assert!(json(&format!("sweep {pair} --json")).0.get("cost").is_none());
    let (d, _) = json(&format!("sweep {pair} --cost --json"));
    let count = |name: &str| d["cost"][name].as_u64().unwrap_or_else(|| panic!("{name}: {d}"));
    for name in ["nodes", "volume_tests", "leaves", "primitives", "volume_updates", "searches"] {
        assert!(0 < count(name), "{name}: {d}");
    }
    assert!(count("searches") <= count("primitives"), "{d}");
    let text = stdout(&carom(&format!("sweep {pair} --cost")));
    let cost = text.lines().nth(1).unwrap_or_else(|| panic!("{text}"));
    assert!(cost.contains(&format!("volume tests {},", count("volume_tests"))), "{text} {d}");
    // Two boxes have no trees, and one search.
    let (d, _) = json(
        "sweep box:1,1,1 box:1,1,1 --pose-b 2.5,0,0,0,0,0,1 --by 3,0,0 --rotate-by 0,0,0.6,0.8 --cost --json",
    );
    assert_eq!((&d["cost"]["nodes"], &d["cost"]["searches"]), (&json!(0), &json!(1)), "{d}");
    assert!(["proposals", "iterations", "separations"].iter().all(|name| d["cost"][*name] != 0), "{d}");
}

#[test]
fn wrong_arguments_are_refused_in_one_line() {
    for (rest, expected) in [
        ("", "--by"),
        ("--by 1,2", "2 numbers; 3 are needed"),
        ("--by 1,nan,2", "nan is not finite"),
        ("--by 1,2,1e300", "longer than any length may be"),
        ("--by 1,2,3 --rotate-by 0,0,1", "3 numbers; 4 are needed"),
        ("--by 1,2,3 --rotate-by 0,0,0,0", "--rotate-by: the rotation has length 0, not 1"),
        ("--by 1,2,3 --rotate-by 0,0,0,2", "--rotate-by: the rotation has length 2, not 1"),
        ("--by 1,2,3 --pose-a 0,0,0,0,0,0,2", "A: the rotation has length 2, not 1"),
        ("--by 1,2,3 --scale-b 0", "must be above 0"),
        (
            "--by 1,2,3 --matrix-b 2,0,0,0,0,2,0,0,0,0,2,0,0,0,0,1",
            "B: the matrix is not rigid, it scales or shears",
        ),
    ] {
        let message = stderr_of(&format!("sweep box:1,1,1 sphere:1 {rest}"));
        assert!(message.starts_with("error: ") && message.contains(expected), "{rest}: {message}");
    }
    assert!(error("sweep no.obj sphere:1 --by 1,0,0").contains("no.obj: "));
    assert!(error("sweep box:1,1,1 blob:1 --by 1,0,0").contains("\"blob\" is no shape"));
}

/// The whole message of an error: that of a missing argument has several lines.
fn stderr_of(arguments: &str) -> String {
    let output = carom(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments}");
    assert!(output.stdout.is_empty(), "{arguments}");
    crate::run::stderr(&output)
}

fn one(question: &Value) -> Value {
    batch(&question.to_string()).remove(0)
}

#[test]
fn casts_in_a_batch() {
    let question = json!({"id": 4, "op": "cast", "a": {"sphere": 0.5}, "b": {"box": [1, 1, 1]},
        "pose_a": [-4, 0, 0, 0, 0, 0, 1], "by": [10, 0, 0]});
    let d = one(&question);
    assert!(d["id"] == 4 && brackets(&d, 0.25) && near(&d["normal"], [1.0, 0.0, 0.0]), "{d}");
    let d = one(&json!({"op": "cast", "a": {"box": [2, 0.1, 0.1]}, "b": {"sphere": 0.1},
        "pose_b": [0, 1.5, 0, 0, 0, 0, 1], "by": [0, 0, 0],
        "rotate_by": [0, 0, core::f64::consts::FRAC_1_SQRT_2, core::f64::consts::FRAC_1_SQRT_2]}));
    assert!(brackets(&d, (0.2_f64 / 1.5).acos() / core::f64::consts::FRAC_PI_2), "{d}");
    let d = one(&json!({"op": "cast", "a": {"sphere": 1}, "b": {"sphere": 1},
        "pose_b": [9, 0, 0, 0, 0, 0, 1], "by": [-1, 0, 0]}));
    assert_eq!((&d["hit"], &d["certified"]), (&json!(false), &json!(true)));
}

#[test]
fn elements_in_a_batch() {
    // A vertex falls through a triangle at three quarters of the way, and beside it.
    let face = |x: f64, y: f64| json!([[x, y, 0.2], [0, 0, 0], [4, 0, 0], [0, 0, 4]]);
    let fall = |x: f64| json!({"id": 1, "op": "vertex_face", "start": face(x, 3.0), "end": face(x, -1.0)});
    let d = one(&fall(1.0));
    assert!(d["id"] == 1 && brackets(&d, 0.75), "{d}");
    assert_eq!(one(&fall(5.0))["hit"], false);
    // With a separation of one length it is that much earlier.
    let mut apart = fall(1.0);
    apart["min_separation"] = json!(1.0);
    assert!(brackets(&one(&apart), 0.5));
    // An edge comes down on another that crosses it, numbers in one list.
    let d = one(&json!({"op": "edge_edge", "start": [-1, 2, 0, 1, 2, 0, 0, 0, -1, 0, 0, 1],
        "end": [-1, -2, 0, 1, -2, 0, 0, 0, -1, 0, 0, 1]}));
    assert!(brackets(&d, 0.5), "{d}");
    // Edges that touch at their ends only, at the end of the motion.
    let d = one(&json!({"op": "edge_edge", "start": [0, 1, 0, 1, 1, 0, 1, 0, 0, 2, 0, 0],
        "end": [0, 0, 0, 1, 0, 0, 1, 0, 0, 2, 0, 0]}));
    assert_eq!(d["hit"], true, "{d}");
    let bad = |question: Value, expected: &str| {
        let d = one(&question);
        let error = d["error"].as_str().unwrap_or_else(|| panic!("{d}"));
        assert!(error.contains(expected), "{question}: {error}");
    };
    let twelve = json!([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]);
    bad(json!({"op": "vertex_face", "start": twelve}), "no \"end\"");
    bad(json!({"op": "vertex_face", "start": twelve, "end": [1, 2]}), "\"end\": 2 numbers; 12 are needed");
    bad(json!({"op": "edge_edge", "start": twelve, "end": [twelve, 1]}), "row 0: 12 numbers; 3 are needed");
    bad(
        json!({"op": "edge_edge", "start": twelve, "end": twelve, "min_separation": -1}),
        "a \"min_separation\" of -1",
    );
    bad(
        json!({"op": "edge_edge", "start": twelve, "end": twelve, "min_separation": "x"}),
        "a \"min_separation\" of \"x\"",
    );
    bad(
        json!({"op": "edge_edge", "start": twelve, "end": [1e300, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]}),
        "vertex 0 at the time 1",
    );
    bad(json!({"op": "cast", "a": {"sphere": 1}, "b": {"sphere": 1}}), "no \"by\"");
    bad(
        json!({"op": "cast", "a": {"sphere": 1}, "b": {"sphere": 1}, "by": [1, 0]}),
        "\"by\": 2 numbers; 3 are needed",
    );
    bad(
        json!({"op": "cast", "a": {"sphere": 1}, "b": {"sphere": 1}, "by": [1, 0, 0], "rotate_by": [0, 0, 0, 3]}),
        "\"rotate_by\": the rotation has length 3, not 1",
    );
    bad(
        json!({"op": "cast", "a": {"sphere": 1}, "b": {"sphere": 1}, "by": [1, 0, 0], "rotate_by": 7}),
        "\"rotate_by\"",
    );
}
