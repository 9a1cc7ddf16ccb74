//! Coarser meshes and hulls from files.

use crate::run::{carom, error, folder, json, stdout};
use carom_scenes::mesh::{MeshData, icosphere, torus};
use carom_sdf::{Field, SdfGrid};
use glam::Vec3;
use std::fmt::Write;

/// A generated mesh as a file in the folder of the tests.
fn write(name: &str, mesh: &MeshData) {
    let mut text = String::new();
    for v in &mesh.vertices {
        writeln!(text, "v {} {} {}", v.x, v.y, v.z).unwrap();
    }
    for [a, b, c] in &mesh.triangles {
        writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1).unwrap();
    }
    std::fs::write(folder().join(name), text).unwrap();
}

#[test]
fn a_ball_is_made_coarser_and_written() {
    write("coarsen_ball.obj", &icosphere(2000));
    let (d, status) =
        json("simplify coarsen_ball.obj --triangles 100 --side outside -o coarsened.obj --json");
    assert_eq!((status, d["schema"].as_str()), (0, Some("carom.simplify.v1")));
    assert_eq!((d["triangles"][0].as_u64(), d["triangles"][1].as_u64()), (Some(2000), Some(100)));
    let off = d["new_to_old"].as_f64().unwrap();
    assert!(0.01 < off && off < 0.2, "{off}");
    // The file has a solid of this number of triangles, which contains the ball.
    let (info, _) = json("info coarsened.obj --json");
    let part = &info["files"][0]["parts"][0];
    assert_eq!(part["triangles"], 100, "{info}");
    assert!(4.0 / 3.0 * 3.1 < part["volume"].as_f64().unwrap(), "{info}");
    let text = stdout(&carom("simplify coarsen_ball.obj --error 0.05"));
    assert!(text.contains("2000 triangles, now "), "{text}");
}

#[test]
fn a_ring_is_covered_by_hulls_and_shown() {
    write("coarsen_ring.obj", &torus(1.0, 0.25, 800));
    let (d, status) =
        json("decompose coarsen_ring.obj --hulls 6 --vertices 20 -o hulls.obj --html hulls.html --json");
    assert_eq!((status, d["schema"].as_str()), (0, Some("carom.decompose.v1")));
    let hulls: Vec<u64> = d["hulls"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    assert!((3..=6).contains(&hulls.len()) && hulls.iter().all(|n| *n <= 20), "{d}");
    assert_eq!((d["is_solid"].as_bool(), d["stop"].as_str()), (Some(true), Some("hulls")));
    // One object each in the file, closed; together at least the volume of the ring.
    let (info, _) = json("info hulls.obj --split objects --json");
    let parts = info["files"][0]["parts"].as_array().unwrap();
    assert_eq!(parts.len(), hulls.len());
    let volume: f64 = parts.iter().map(|part| part["volume"].as_f64().unwrap()).sum();
    assert!(1.2 < volume && volume < 2.5, "{info}");
    let html = std::fs::read_to_string(folder().join("hulls.html")).unwrap();
    assert!(html.contains(&format!("{} hulls", hulls.len())));
}

/// Coordinates of surveys have more digits than single precision: what is written is where the
/// mesh is, and the bounds contain the rounding.
#[test]
fn far_meshes_keep_their_places() {
    let far = [500_000.3, 4_649_776.3, 120.0];
    let mut text = String::new();
    for k in 0..8_u32 {
        let [x, y, z] = [0, 1, 2].map(|axis| far[axis as usize] + f64::from(k >> axis & 1));
        writeln!(text, "v {x} {y} {z}").unwrap();
    }
    for [a, b, c] in carom_testkit::meshes::BOX_TRIANGLES {
        writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1).unwrap();
    }
    std::fs::write(folder().join("house.obj"), text).unwrap();
    for command in ["simplify house.obj --triangles 12", "decompose house.obj"] {
        let (d, status) = json(&format!("{command} -o far.obj --json"));
        assert_eq!(status, 0, "{d}");
        let bound = d["new_to_old"].as_f64().or(d["concavities"][0].as_f64()).unwrap();
        assert!(d["rounding"].as_f64().unwrap() <= bound && bound < 1e-6, "{d}");
        let written = std::fs::read_to_string(folder().join("far.obj")).unwrap();
        let vertices: Vec<Vec<f64>> = written
            .lines()
            .filter_map(|line| line.strip_prefix("v "))
            .map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect())
            .collect();
        assert_eq!(vertices.len(), 8, "{written}");
        for vertex in &vertices {
            for axis in 0..3 {
                let off = vertex[axis] - far[axis];
                assert!(off.abs().min((off - 1.0).abs()) <= bound, "{command}: {vertex:?}");
            }
        }
    }
    let (d, _) = json("sdf house.obj --resolution 8 --json");
    assert_eq!(d["origin"], serde_json::json!([500_001.0, 4_649_777.0, 121.0]), "{d}");
    // A file of a field has no place for an origin.
    let refused = error("sdf house.obj --resolution 8 -o house.sdf");
    assert!(refused.contains("move the mesh by [-500001, -4649777, -121]"), "{refused}");
}

/// A mesh beside zero stays in the frame of its file, as short as it is written, and flush.
#[test]
fn ordinary_meshes_keep_their_frame() {
    let boxes: [[[f32; 2]; 3]; 5] = [
        [[1.2, 2.0], [0.0, 0.7], [0.0, 0.7]],
        [[100.1, 100.3], [0.0, 0.1], [0.0, 0.2]],
        [[-30.7, -30.2], [20.1, 20.4], [0.0, 0.3]],
        [[0.1, 0.1001], [0.0, 0.0002], [0.0, 0.0001]],
        [[1000.0, 1001.0], [1000.0, 1001.5], [1000.0, 1001.0]],
    ];
    for sides in boxes {
        let mut text = String::new();
        for k in 0..8 {
            let [x, y, z] = [0, 1, 2].map(|axis| sides[axis][k >> axis & 1]);
            writeln!(text, "v {x} {y} {z}").unwrap();
        }
        for [a, b, c] in carom_testkit::meshes::BOX_TRIANGLES {
            writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1).unwrap();
        }
        std::fs::write(folder().join("near.obj"), &text).unwrap();
        let lines = |text: &str| {
            let mut lines: Vec<String> =
                text.lines().filter(|line| line.starts_with("v ")).map(str::to_owned).collect();
            lines.sort_unstable();
            lines
        };
        for command in ["simplify near.obj --triangles 12", "decompose near.obj"] {
            assert_eq!(json(&format!("{command} -o near_out.obj --json")).1, 0);
            let written = std::fs::read_to_string(folder().join("near_out.obj")).unwrap();
            assert_eq!(lines(&written), lines(&text), "{command}");
        }
        let (d, status) = json("sdf near.obj --resolution 8 -o near.sdf --json");
        assert_eq!((status, &d["origin"]), (0, &serde_json::json!([0.0, 0.0, 0.0])), "{d}");
        let field = SdfGrid::from_bytes(&std::fs::read(folder().join("near.sdf")).unwrap()).unwrap();
        let middle = Vec3::from_array(sides.map(|[low, high]| 0.5 * (low + high)));
        assert!(field.sample(middle).distance < 0.0, "{sides:?}");
    }
}

#[test]
fn what_cannot_be_done_is_named() {
    assert!(error("simplify cube.obj --triangles 4 -o cube.stl").contains("its name must end in .obj"));
    assert!(error("decompose cube.obj -o cube").contains("its name must end in .obj"));

    assert!(error("simplify cube.obj").contains("required arguments"));
    assert!(error("simplify bad.obj --triangles 4").contains("bad.obj: line 3"));
    assert!(error("simplify open.obj --triangles 4 --side outside").contains("open.obj: "));
    assert!(error("decompose cube.obj --vertices 4").contains("4 is not in"));
}
