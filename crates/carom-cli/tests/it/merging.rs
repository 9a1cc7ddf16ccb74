//! Meshes whose vertices are only nearly equal: `--merge`.

use crate::run::{carom, error, file, json, stderr, stdout};
use core::fmt::Write;
use serde_json::json;

/// A ball of radius 1 as STL text, with each coordinate rounded down or up to five digits at
/// random, so that equal corners differ.
fn rounded_ball() -> String {
    let at = |i: u32, k: u32| {
        let latitude = core::f64::consts::PI * f64::from(i) / 8.0;
        let turn = core::f64::consts::TAU * f64::from(k % 12) / 12.0;
        let out = if i.is_multiple_of(8) { 0.0 } else { latitude.sin() };
        [out * turn.cos(), latitude.cos(), out * turn.sin()]
    };
    let mut text = "solid ball\n".to_owned();
    let mut n = 0_u32;
    for i in 0..8 {
        for k in 0..12 {
            let [a, b, c, d] = [at(i, k), at(i, k + 1), at(i + 1, k + 1), at(i + 1, k)];
            for (t, is_there) in [([a, b, c], 0 < i), ([a, c, d], i < 7)] {
                if !is_there {
                    continue;
                }
                text += "facet normal 0 0 0\nouter loop\n";
                for corner in t {
                    let [x, y, z] = corner.map(|x| {
                        n = n.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        (x * 1e5).floor() / 1e5 + f64::from(n >> 31) * 1e-5
                    });
                    writeln!(text, "vertex {x} {y} {z}").unwrap();
                }
                text += "endloop\nendfacet\n";
            }
        }
    }
    text + "endsolid ball\n"
}

const TETRA: &str = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[test]
fn a_rounded_mesh_gets_an_inside_on_demand() {
    file("rounded.stl", &rounded_ball());
    file("inner.obj", TETRA);
    // Without the option the ball has holes.
    let (answer, status) = json("check rounded.stl inner.obj --json");
    assert_eq!((&answer["clear"], &answer["pairs"][0]["intersects"]), (&json!(null), &json!(null)));
    assert_eq!(status, 1);
    let (answer, status) = json("check rounded.stl inner.obj --merge 1e-4 --json");
    assert_eq!((&answer["clear"], &answer["pairs"][0]["intersects"]), (&json!(false), &json!(true)));
    assert_eq!(status, 1);
    let notes = answer["notes"].to_string();
    assert!(notes.contains("vertices were merged with an earlier one, at most "), "{notes}");
    assert!(notes.contains("inner.obj: 0 vertices were merged"), "{notes}");
    assert!(!notes.contains("cannot be told apart"), "{notes}");

    let info =
        |options: &str| json(&format!("info rounded.stl --json {options}")).0["files"][0]["parts"][0].clone();
    assert_eq!(info("")["watertight"], json!(false));
    let merged = info("--merge 1e-4");
    assert_eq!((&merged["watertight"], &merged["vertices"]), (&json!(true), &json!(7 * 12 + 2)));
    assert_eq!(merged["triangles"], json!(2 * 12 * 7));
    let volume = merged["volume"].as_f64().unwrap();
    assert!(3.0 < volume && volume < 4.19, "{volume}");

    // Every command that reads meshes has it.
    for arguments in ["distance rounded.stl inner.obj", "ray rounded.stl --from 0,0,5 --dir 0,0,-1"] {
        let output = carom(&format!("{arguments} --merge 1e-4"));
        assert!(stderr(&output).contains("vertices were merged"), "{arguments}: {}", stdout(&output));
    }
}

#[test]
fn a_tolerance_above_the_size_keeps_the_part() {
    file("small.obj", TETRA);
    let (answer, _) = json("info small.obj --merge 1 --json");
    assert_eq!(answer["files"][0]["parts"][0]["triangles"], json!(4));
    let notes = answer["notes"].to_string();
    assert!(notes.contains("1 solid is kept as it is, because no triangle would remain"), "{notes}");
    for bad in ["0", "-1", "nan", "x"] {
        assert!(error(&format!("info small.obj --merge {bad}")).contains("--merge"), "{bad}");
    }
}
