//! `info --self` and `check --self`: parts whose own triangles meet.

use crate::run::{carom, file, folder, json, stdout};
use serde_json::json;

/// Two tetrahedra that cross, as one mesh.
fn write_star() {
    let corners = "v 0 0 0\nv 3 0 0\nv 0 3 0\nv 0 0 3\nv 1 1 -1\nv 2 1 -1\nv 1 2 -1\nv 1 1 0.5\n";
    let faces = |o: u32| {
        [[1, 3, 2], [1, 2, 4], [1, 4, 3], [2, 3, 4]]
            .map(|t: [u32; 3]| format!("f {} {} {}\n", t[0] + o, t[1] + o, t[2] + o))
            .concat()
    };
    file("star.obj", &format!("{corners}{}{}", faces(0), faces(4)));
}

#[test]
fn crossing_triangles_of_a_part_are_reported() {
    write_star();
    let (d, status) = json("info star.obj cube.obj --self --json");
    assert_eq!(status, 0);
    let star = &d["files"][0]["parts"][0]["self"];
    // The three upright faces of the small one cross the bottom of the large one, along a closed
    // curve.
    assert_eq!(star["triangles"], json!([[0, 5], [0, 6], [0, 7]]));
    assert_eq!((&star["pairs"], &star["neighbours"], &star["coplanar"]), (&json!(3), &json!(0), &json!(0)));
    let curve = star["curves"][0].as_array().unwrap();
    assert_eq!((star["curves"].as_array().unwrap().len(), curve.len()), (1, 4));
    assert_eq!(curve.first(), curve.last());
    assert!(curve.iter().all(|p| p[2].as_f64().unwrap().abs() < 1e-15), "{star}");
    let cube = &d["files"][1]["parts"][0]["self"];
    assert_eq!((&cube["pairs"], &cube["point"], &cube["curves"]), (&json!(0), &json!(null), &json!([])));
    let text = stdout(&carom("info star.obj cube.obj --self"));
    assert!(text.contains("crosses itself: 3 pairs of triangles, 1 curve, near "), "{text}");
    assert!(text.contains("does not cross itself"), "{text}");
    assert!(!stdout(&carom("info star.obj")).contains("itself"));
}

#[test]
fn a_check_lists_parts_that_cross_themselves() {
    write_star();
    let (d, status) = json("check star.obj --self --json");
    assert_eq!((status, &d["clear"], &d["pairs"]), (1, &json!(false), &json!([])));
    assert_eq!((&d["self"][0]["part"], &d["self"][0]["pairs"]), (&json!("star"), &json!(3)));
    // The page says so too.
    let title = |files: &str| {
        carom(&format!("check {files} --self --html crossed.html"));
        let page = std::fs::read_to_string(folder().join("crossed.html")).unwrap();
        page.split_once("<title>").unwrap().1.split_once(" - carom<").unwrap().0.to_owned()
    };
    assert_eq!(title("star.obj"), "1 part crosses itself");
    assert_eq!(title("star.obj star.obj"), "1 pair collides, 2 parts cross themselves");
    assert_eq!(title("cube.obj"), "All clear");
    let (d, status) = json("check cube.obj --self --json");
    assert_eq!((status, &d["clear"], &d["self"]), (0, &json!(true), &json!([])));
    let (d, status) = json("check star.obj --json");
    assert_eq!((status, d.get("self")), (0, None));
    let output = carom("check star.obj --self");
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).starts_with("star crosses itself: 3 pairs of triangles"), "{}", stdout(&output));
}
