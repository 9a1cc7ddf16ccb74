//! `carom distance`: answers for pairs of shapes, and errors for wrong arguments.

use crate::run::{carom, error, json, stdout};

fn near(value: &serde_json::Value, expected: &[f64]) -> bool {
    let numbers: Vec<f64> = match value.as_array() {
        Some(list) => list.iter().map(|x| x.as_f64().unwrap()).collect(),
        None => vec![value.as_f64().unwrap()],
    };
    numbers.len() == expected.len() && numbers.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9)
}

#[test]
fn shapes_apart() {
    let (d, status) = json("distance sphere:0.5 box:1,1,1 --pose-a 2,0,0,0,0,0,1 --json");
    assert_eq!(status, 0);
    assert_eq!(d["schema"], "carom.distance.v1");
    assert_eq!(d["intersects"], false);
    assert!(near(&d["distance"], &[0.5]));
    assert!(near(&d["point_a"], &[1.5, 0.0, 0.0]) && near(&d["point_b"], &[1.0, 0.0, 0.0]));
    assert!(d.get("triangle_pairs").is_none() && d.get("depth").is_none());
}

#[test]
fn a_plane_proves_that_shapes_are_apart() {
    let (d, _) = json("distance sphere:0.5 box:1,1,1 --pose-a 2,0,0,0,0,0,1 --json");
    assert!(near(&d["plane"]["normal"], &[-1.0, 0.0, 0.0]), "{d}");
    assert!(near(&d["plane"]["end_of_a"], &[-1.5]) && near(&d["plane"]["start_of_b"], &[-1.0]), "{d}");
    assert!(near(&d["distance_at_least"], &[0.5]), "{d}");
    let (d, _) = json("distance box:1,1,1 sphere:0.5 --pose-b 1.2,0.1,0,0,0,0,1 --json");
    assert!(d.get("plane").is_none() && d.get("distance_at_least").is_none(), "{d}");
    let text = stdout(&carom("distance sphere:0.5 box:1,1,1 --pose-a 2,0,0,0,0,0,1 --proof --cost"));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() == 3 && lines[2].starts_with("cost: "), "{text}");
    assert_eq!(lines[1], "proof: along -1 0 0 A ends at -1.5, and B begins at -1");
    // A ball inside of the surface of a cube: no plane.
    let (d, _) = json("distance cube.obj sphere:0.125 --pose-b 0.5,0.5,0.5,0,0,0,1 --json");
    let bound = d["distance_at_least"].as_f64().unwrap_or_else(|| panic!("{d}"));
    assert!(
        d.get("plane").is_none() && near(&d["distance"], &[bound]) && (bound - 0.375).abs() < 1e-9,
        "{d}"
    );
    let text = stdout(&carom("distance cube.obj sphere:0.125 --pose-b 0.5,0.5,0.5,0,0,0,1 --proof"));
    assert!(text.contains("\nproof: no plane was found; they are apart by at least "), "{text}");
}

#[test]
fn costs_are_reported_on_demand() {
    let pair = "box:1,1,1 box:1,1,1 --pose-b 0,4,0,0,0,0,1";
    assert!(json(&format!("distance {pair} --json")).0.get("cost").is_none());
    let (d, _) = json(&format!("distance {pair} --cost --json"));
    // The second axis decides whether they touch, and GJK finds the distance.
    let count = |name: &str| d["cost"][name].as_u64().unwrap_or_else(|| panic!("{name}: {d}"));
    assert_eq!((count("axes"), count("pair_tests"), count("nodes"), count("samples")), (2, 2, 0, 0), "{d}");
    assert!(1 <= count("iterations") && count("iterations") <= count("supports"), "{d}");
    let text = stdout(&carom(&format!("distance {pair} --cost")));
    let line = text.lines().nth(1).unwrap_or_else(|| panic!("{text}"));
    assert!(line.starts_with("cost: ") && line.contains("pair tests 2"), "{text}");
    // For two meshes: all pairs of triangles that touch, and the distance.
    let (d, _) = json("distance cube.obj cube.obj --pose-b 0.5,0.25,0,0,0,0,1 --cost --json");
    let count = |name: &str| d["cost"][name].as_u64().unwrap_or_else(|| panic!("{name}: {d}"));
    assert!(d["triangle_pairs"].as_u64().unwrap() <= count("pair_tests"), "{d}");
    assert!(1 <= count("leaves") && count("primitives") <= 2 * 12 * 12, "{d}");
}

#[test]
fn shapes_in_each_other() {
    let (d, status) = json("distance box:1,1,1 sphere:0.5 --pose-b 1.2,0.1,0,0,0,0,1 --json");
    assert_eq!(status, 1);
    assert_eq!(d["intersects"], true);
    assert_eq!(d["distance"], 0.0);
    assert!(near(&d["depth"], &[0.3]));
    assert!(near(&d["normal"], &[1.0, 0.0, 0.0]), "from A to B: {d}");
}

#[test]
fn every_shape_is_read() {
    // Each stands along y at the origin; the ball above is 5 up with radius 1.
    for (shape, gap) in [
        ("sphere:2", 2.0),
        ("box:1,2,3", 2.0),
        ("round-box:1,1.5,3,0.5", 2.0),
        ("capsule:1,2", 1.0),
        ("tapered:1,2,0.5", 1.0),
        ("cylinder:1.5,2", 2.5),
        ("cone:3,1", 1.0),
        ("ellipsoid:1,2,3", 2.0),
        ("hull:cube.obj", 3.0),
        ("mesh:cube.obj", 3.0),
        ("cube.obj", 3.0),
    ] {
        let (d, status) = json(&format!("distance {shape} sphere:1 --pose-b 0,5,0,0,0,0,1 --json"));
        assert_eq!(status, 0);
        assert!((d["distance"].as_f64().unwrap() - gap).abs() < 1e-6, "{shape}: {d}");
    }
}

#[test]
fn meshes_count_their_triangles() {
    let (d, status) = json("distance cube.obj cube.obj --json");
    assert_eq!(status, 1);
    // Every triangle of a cube touches all but those of the opposite side.
    assert_eq!(d["triangle_pairs"], 12 * 12 - 12 * 2 - touching_less());
    let (d, status) = json("distance cube.obj cube.obj --pose-b 2.5,0,0,0,0,0,1 --json");
    assert_eq!((status, d["triangle_pairs"].as_u64()), (0, Some(0)));
    assert_eq!(d["distance"], 0.5);
    let (d, _) = json("distance cube.obj cube.obj --matrix-b 0,-1,0,0,1,0,0,-2.5,0,0,1,0,0,0,0,1 --json");
    assert_eq!(d["distance"], 0.5);
    let (d, _) = json("distance cube.obj cube.obj --scale-a 0.5 --scale-b 2 --pose-b 4,0,0,0,0,0,1 --json");
    assert_eq!(d["distance"], 1.5);
}

/// Pairs on neighbouring sides that share no corner: counted by hand from the diagonals of the cube
/// above.
fn touching_less() -> i64 {
    let corners: [[i64; 3]; 8] =
        [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]];
    let sides = [[4, 3, 2, 1], [5, 6, 7, 8], [1, 2, 6, 5], [3, 4, 8, 7], [2, 3, 7, 6], [4, 1, 5, 8]];
    let triangles: Vec<[usize; 3]> =
        sides.iter().flat_map(|s| [[s[0], s[1], s[2]], [s[0], s[2], s[3]]]).collect();
    let is_opposite = |a: usize, b: usize| {
        // Two triangles lie on opposite sides when all corners of one differ from all of the other
        // in one coordinate.
        (0..3).any(|axis| {
            let of = |t: usize| triangles[t].map(|v| corners[v - 1][axis]);
            let (x, y) = (of(a), of(b));
            x.iter().all(|v| *v == x[0]) && y.iter().all(|v| *v == -x[0])
        })
    };
    let n = triangles.len();
    let mut apart = 0;
    for a in 0..n {
        for b in 0..n {
            let shares = triangles[a].iter().any(|v| triangles[b].contains(v));
            if !shares && !is_opposite(a, b) {
                apart += 1;
            }
        }
    }
    apart
}

#[test]
fn sentences_for_people() {
    let text = stdout(&carom("distance sphere:1 sphere:1 --pose-b 3,0,0,0,0,0,1"));
    assert_eq!(text, "apart by 1, from 1 0 0 to 2 0 0\n");
    let text = stdout(&carom("distance cube.obj cube.obj"));
    assert!(text.starts_with("intersecting: "), "{text}");
    let text = stdout(&carom("distance box:1,1,1 box:1,1,1 --pose-b 1.5,0,0,0,0,0,1"));
    assert_eq!(text, "overlapping by 0.5; B comes free along 1 0 0\n");
}

#[test]
fn wrong_arguments_are_refused_in_one_line() {
    for (arguments, expected) in [
        ("distance sphere:-1 box:1,1,1", "sphere: "),
        ("distance sphere:nan box:1,1,1", "nan is not finite"),
        ("distance box:1,1 box:1,1,1", "2 numbers; 3 are needed"),
        ("distance blob:1 box:1,1,1", "\"blob\" is no shape"),
        ("distance no.obj box:1,1,1", "no.obj: "),
        ("distance bad.obj box:1,1,1", "bad.obj: line 3: vertex 9 is out of range: 2 so far"),
        ("distance nan.obj box:1,1,1", "nan.obj: line 2: coordinate nan is not finite"),
        ("distance empty.obj box:1,1,1", "empty.obj: the mesh is empty: no triangle"),
        ("distance nothing.stl box:1,1,1", "nothing.stl: the file is empty"),
        ("distance short.stl box:1,1,1", "short.stl: 19 bytes: too short for an STL file"),
        ("distance picture.ply box:1,1,1", "picture.ply: not a PLY file"),
        ("distance model.step box:1,1,1", "model.step: unknown format"),
        ("distance scene.json box:1,1,1", "scene.json: a scene, where one mesh is needed"),
        ("distance hull:open.obj box:1,1,1", "hull"),
        ("distance box:1,1,1 box:1,1,1 --pose-b 0,0,0,0,0,0,0", "B: "),
        ("distance box:1,1,1 box:1,1,1 --pose-b 0,0,0,0,0,0,2", "B: the rotation has length 2, not 1"),
        ("distance box:1,1,1 box:1,1,1 --scale-b 0", "must be above 0"),
        (
            "distance box:1,1,1 box:1,1,1 --matrix-b 2,0,0,0,0,2,0,0,0,0,2,0,0,0,0,1",
            "B: the matrix is not rigid, it scales or shears",
        ),
        (
            "distance box:1,1,1 box:1,1,1 --matrix-a -1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1",
            "A: the matrix is not rigid, it mirrors",
        ),
        ("distance box:1,1,1 box:1,1,1 --matrix-a 1,0,0,0,0,1,0,0,0,0,1,0,5,0,0,1", "A: the last row is"),
    ] {
        let message = error(arguments);
        assert!(message.starts_with("error: ") && message.contains(expected), "{arguments}: {message}");
    }
}

#[test]
fn rounded_matrices_pass() {
    let (_, status) = json(
        "distance box:1,1,1 box:1,1,1 --matrix-b 0.707107,-0.707107,0,9,0.707107,0.707107,0,0,0,0,1,0,0,0,0,1 --json",
    );
    assert_eq!(status, 0);
}
