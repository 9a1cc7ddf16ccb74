//! Bodies through levels: known places, every kind of body, broken maps.

use crate::run::{carom, error, file, folder, json, stderr};
use serde_json::json;

/// The six planes of a box, as an editor writes them: three points clockwise seen from outside.
fn cuboid(low: [i32; 3], high: [i32; 3], texture: &str) -> String {
    let [[a, b, c], [d, e, f]] = [low, high];
    let plane = |p: [[i32; 3]; 3]| {
        let points = p.map(|[x, y, z]| format!("( {x} {y} {z} )")).join(" ");
        format!("{points} {texture} 0 0 0 1 1\n")
    };
    let sides = [
        [[a, b, c], [a, e, c], [a, b, f]],
        [[d, b, c], [d, b, f], [d, e, c]],
        [[a, b, c], [a, b, f], [d, b, c]],
        [[a, e, c], [d, e, c], [a, e, f]],
        [[a, b, c], [d, b, c], [a, e, c]],
        [[a, b, f], [a, e, f], [d, b, f]],
    ];
    format!("{{\n{}}}\n", sides.map(plane).concat())
}

fn world(brushes: &str) -> String {
    format!("{{\n\"classname\" \"worldspawn\"\n{brushes}}}\n")
}

#[test]
fn bodies_stop_before_a_wall() {
    let wall = cuboid([64, -64, 0], [72, 64, 64], "stone");
    let pool = cuboid([20, -64, 0], [40, 64, 64], "*water");
    let trigger = format!("{{\n\"classname\" \"trigger_once\"\n{}}}\n", cuboid([8, -8, 0], [16, 8, 16], "t"));
    file("hall.map", &format!("{}{trigger}", world(&format!("{wall}{pool}"))));
    let (d, status) = json("trace hall.map --from 0,0,32 --to 128,0,32 --json");
    assert_eq!((status, d["schema"].as_str()), (1, Some("carom.trace.v1")));
    assert_eq!((&d["fraction"], &d["normal"]), (&json!(0.5), &json!([-1.0, 0.0, 0.0])));
    assert_eq!((&d["level"]["brushes"], &d["start_solid"]), (&json!(2), &json!(false)));
    for (shape, x) in [
        ("sphere:16", 48.0),
        ("box:8,4,4", 56.0),
        ("cylinder:10,12", 52.0),
        ("capsule:10,12", 52.0),
        ("ellipsoid:4,5,6", 60.0),
        // Standing along z; turned so that it reaches ahead.
        ("cylinder:10,12 --turn 0,0,0.7071067811865476,0.7071067811865476", 54.0),
    ] {
        for bevels in ["none", "edges", "all"] {
            let command = format!(
                "trace hall.map --from 0,0,32 --to 128,0,32 --shape {shape} --bevels {bevels} --json"
            );
            let coordinate = json(&command).0["position"][0].as_f64().unwrap();
            assert!((coordinate - x).abs() < 1e-9, "{shape}: {coordinate}");
        }
    }
    let (d, status) = json("trace hall.map --from 0,0,32 --to 40,0,32 --shape sphere:16 --json");
    assert_eq!(
        (status, &d["hit"], &d["fraction"], &d["normal"]),
        (0, &json!(false), &json!(1.0), &json!(null))
    );
    let (d, _) = json("trace hall.map --from 60,0,32 --to 0,0,32 --shape sphere:16 --json");
    assert_eq!((&d["start_solid"], &d["fraction"]), (&json!(true), &json!(0.0)));
    assert!((d["free"][0].as_f64().unwrap() - 48.0).abs() < 1e-6, "{d}");
}

#[test]
fn a_closed_mesh_is_a_level() {
    let (d, status) = json("trace cube.obj --from -4,0.3,0.2 --to 4,0.3,0.2 --shape sphere:0.5 --json");
    assert_eq!(status, 1, "{d}");
    assert!((d["position"][0].as_f64().unwrap() + 1.5).abs() < 1e-9, "{d}");
    // Turned inwards, as a whole or in one triangle.
    let cube = std::fs::read_to_string(folder().join("cube.obj")).unwrap();
    let turned = |n: usize| -> String {
        let is_face = |line: &&str| line.starts_with("f ");
        let (faces, others): (Vec<&str>, Vec<&str>) = cube.lines().partition(is_face);
        let face = |(k, line): (usize, &&str)| {
            let corners: Vec<&str> = line[2..].split(' ').collect();
            let corners = if k < n { corners.into_iter().rev().collect() } else { corners };
            format!("f {}", corners.join(" "))
        };
        let lines = others.iter().map(ToString::to_string);
        lines.chain(faces.iter().enumerate().map(face)).map(|line| line + "\n").collect()
    };
    for n in [1, 6] {
        file("turned.obj", &turned(n));
        let said = error("trace turned.obj --from -4,0.3,0.2 --to 4,0.3,0.2");
        assert!(said.contains("turned.obj") && said.contains("open or inside out"), "{n}: {said}");
    }
    let said = error("trace open.obj --from 0,0,1 --to 0,0,-1");
    assert!(said.contains("open.obj") && said.contains("open or inside out"), "{said}");
}

#[test]
fn broken_levels_are_a_clear_line_each() {
    let good = cuboid([0, 0, 0], [8, 8, 8], "stone");
    let open =
        good.lines().filter(|line| !line.contains("( 0 0 8 ) ( 0 8 8 )")).collect::<Vec<_>>().join("\n");
    file("open.map", &world(&format!("{good}{open}\n")));
    let said = error("trace open.map --from 0,0,32 --to 9,0,32");
    assert!(said.contains("open.map: line 11") && said.contains("open"), "{said}");
    // With `--keep-going` the other brushes are used.
    let output = carom("trace open.map --from -8,4,4 --to 8,4,4 --keep-going");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("line 11") && !output.stdout.is_empty());
    let flat = good.replace("( 0 0 8 ) ( 0 8 8 ) ( 8 0 8 )", "( 0 0 0 ) ( 0 8 0 ) ( 8 0 0 )");
    file("flat.map", &world(&flat));
    assert!(error("trace flat.map --from 0,0,32 --to 9,0,32").contains("empty"));
    let line = good.replace("( 0 0 8 ) ( 0 8 8 ) ( 8 0 8 )", "( 0 0 8 ) ( 0 8 8 ) ( 0 16 8 )");
    file("line.map", &world(&line));
    assert!(error("trace line.map --from 0,0,32 --to 9,0,32").contains("on a line"));
    let huge = good.replace('8', "8e15");
    file("huge.map", &world(&huge));
    assert!(error("trace huge.map --from 0,0,32 --to 9,0,32").contains("beyond 2^40"));
    // A repeated plane does no harm.
    let twice = good.replacen(
        "stone 0 0 0 1 1\n",
        "stone 0 0 0 1 1\n( 0 0 0 ) ( 0 8 0 ) ( 0 0 8 ) again 0 0 0 1 1\n",
        1,
    );
    file("twice.map", &world(&twice));
    assert_eq!(json("trace twice.map --from -8,4,4 --to 8,4,4 --json").0["fraction"], json!(0.5));
    assert!(error("trace none.map --from 0,0,32 --to 9,0,32").contains("none.map"));
    for wrong in ["--shape mesh:cube.obj", "--shape sphere:-1", "--shape sphere:1 --turn 0,0,0,0"] {
        error(&format!("trace twice.map --from 0,0,32 --to 9,0,32 {wrong}"));
    }
}

/// Walls that all pass through one column: each cuts all walls before it.
#[test]
fn levels_that_cross_themselves_end_with_a_message() {
    let walls: String = (0..24)
        .map(|i| {
            let a = 0.1 + core::f64::consts::PI * f64::from(i) / 24.0;
            let ((sin, cos), z) = (a.sin_cos(), f64::from(i));
            let planes = [[cos, sin, 0.02 * z], [-sin, cos, 0.01], [0.3, 0.2 * sin, 1.0]];
            let line = |n: [f64; 3], offset: f64| {
                // Three points of the plane, clockwise seen from outside.
                let n = glam::DVec3::from_array(n).normalize();
                let (u, v) = n.any_orthonormal_pair();
                let points = [n * offset, n * offset + v, n * offset + u];
                let text = points.map(|p| format!("( {} {} {} )", p.x, p.y, p.z)).join(" ");
                format!("{text} wall 0 0 0 1 1\n")
            };
            let sides = planes.iter().zip([2.0, 500.0, 500.0]);
            let lines: String =
                sides.map(|(n, offset)| line(*n, offset) + &line(n.map(|x| -x), offset)).collect();
            format!("{{\n{lines}}}\n")
        })
        .collect();
    file("cross.map", &world(&walls));
    let said = error("trace cross.map --from 0,0,600 --to 9,0,600 --max-splits 300");
    assert!(said.contains("cross.map: the faces cross each other too often"), "{said}");
    assert!(said.contains("--max-splits raises the limit"), "{said}");
    // The usual limit is far above what one room needs.
    file("room.map", &world(&cuboid([0, 0, 0], [8, 8, 8], "stone")));
    assert_eq!(json("trace room.map --from -8,4,4 --to 8,4,4 --json").1, 1);
    assert_eq!(json("trace room.map --from -8,4,4 --to 8,4,4 --json --max-splits 0").1, 1);
}
