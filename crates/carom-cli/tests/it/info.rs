//! Mesh reports.

use crate::run::{carom, error, json, stderr, stdout};

#[test]
fn a_cube_is_a_solid() {
    let (d, status) = json("info cube.obj open.obj --json");
    assert_eq!(status, 0);
    assert_eq!(d["schema"], "carom.info.v1");
    let cube = &d["files"][0]["parts"][0];
    assert_eq!((cube["triangles"].as_u64(), cube["vertices"].as_u64()), (Some(12), Some(8)));
    assert_eq!((cube["watertight"].as_bool(), cube["solid"].as_bool()), (Some(true), Some(true)));
    assert_eq!(cube["volume"], 8.0);
    assert_eq!(cube["min"], serde_json::json!([-1.0, -1.0, -1.0]));
    let open = &d["files"][1]["parts"][0];
    assert_eq!((open["watertight"].as_bool(), open["boundary_edges"].as_u64()), (Some(false), Some(3)));
}

#[test]
fn text_and_errors() {
    let text = stdout(&carom("info cube.obj"));
    assert!(text.contains("12 triangles, 8 vertices") && text.contains("a solid"), "{text}");
    assert!(text.contains("lengths in the unit of the files"));
    assert!(error("info bad.obj").contains("bad.obj: line 3"));
    let output = carom("info bad.obj cube.obj --keep-going");
    assert_eq!(output.status.code(), Some(2));
    assert!(stdout(&output).contains("12 triangles") && stderr(&output).contains("bad.obj"));
}
