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

/// The side to which the facets face is named, in words and in the document.
#[test]
fn the_orientation_is_named() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("carom-info");
    std::fs::create_dir_all(&folder).unwrap();
    let quads = ["1 4 3 2", "5 6 7 8", "1 2 6 5", "2 3 7 6", "3 4 8 7", "4 1 5 8"];
    let corners = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n";
    let turned = |quad: &str| quad.split(' ').rev().collect::<Vec<_>>().join(" ");
    for (name, n_turned, n, word, said) in [
        ("out", 0, 6, "outwards", "all triangles face outwards"),
        ("in", 6, 6, "inwards", "inside out"),
        ("mixed", 2, 6, "mixed", "4 of 12 triangles face inwards"),
        ("open", 0, 5, "unknown", "cannot be told apart"),
    ] {
        let faces = quads
            .iter()
            .enumerate()
            .take(n)
            .map(|(i, q)| if i < n_turned { turned(q) } else { (*q).to_owned() });
        let text = faces.fold(corners.to_owned(), |text, face| text + &format!("f {face}\n"));
        let file = folder.join(format!("{name}.obj"));
        std::fs::write(&file, text).unwrap();
        let (d, _) = json(&format!("info {} --json", file.display()));
        let part = &d["files"][0]["parts"][0];
        assert_eq!(part["orientation"], word, "{name}");
        let expected = if name == "open" { serde_json::Value::Null } else { (2 * n_turned).into() };
        assert_eq!(part["turned_triangles"], expected, "{name}");
        let text = stdout(&carom(&format!("info {}", file.display())));
        assert!(text.contains(said), "{name}: {text}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
